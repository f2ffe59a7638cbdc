"""Frames of real cameras that come with Grouser, by name."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from grouser.errors import BadValue, nearest


def shipped_frames() -> dict[str, Path]:
    """Return the frames that come with Grouser: name to file."""
    folder = Path(str(resources.files("grouser") / "scan" / "frames"))
    return {file.stem: file for file in sorted(folder.glob("*.pcd"))}


def frame_path(name: Path | str) -> Path:
    """Return the file that ``name`` means: one that is there, or a shipped frame's.

    Raises:
        BadValue: there is neither; the nearest of both is named.
    """
    path, shipped = Path(name), shipped_frames()
    if path.exists():
        return path
    if str(name) in shipped:
        return shipped[str(name)]
    folder = path.parent if path.parent.is_dir() else None
    beside = [] if folder is None else [str(folder / file.name) for file in folder.iterdir()]
    raise BadValue(f"{name}: there is no such file{nearest(str(path), [*shipped, *beside])}")
