"""Frames of real cameras that come with Grouser, by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def shipped_frames() -> dict[str, Path]:
    """Return the frames that come with Grouser: name to file."""
    folder = Path(str(resources.files("grouser") / "scan" / "frames"))
    return {file.stem: file for file in sorted(folder.glob("*.pcd"))}


def frame_path(name: Path | str) -> Path:
    """Return the file that ``name`` means: one that is there, or a shipped frame's."""
    path = Path(name)
    return path if path.exists() else shipped_frames().get(str(name), path)
