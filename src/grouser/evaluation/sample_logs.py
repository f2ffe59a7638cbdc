"""Logs that come with Grouser, by name: something to compare and calibrate with at once."""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def shipped_logs() -> dict[str, Path]:
    """Return the logs that come with Grouser: name to file."""
    folder = Path(str(resources.files("grouser") / "evaluation" / "logs"))
    return {file.stem: file for file in sorted(folder.glob("*.csv"))}


def log_path(name: Path | str) -> Path:
    """Return the file that ``name`` means: one that is there, or a shipped log's."""
    path = Path(name)
    return path if path.exists() else shipped_logs().get(str(name), path)


def log_name(path: Path) -> str:
    """Return what a person calls a log: its file, or the name of a shipped one."""
    return path.stem if path in shipped_logs().values() else str(path)


def log_title(path: Path) -> str:
    """Return what a log says of itself: its first comment, without the ``#``."""
    first = path.read_text(encoding="utf-8").partition("\n")[0]
    return first.lstrip("# ").strip() if first.startswith("#") else ""
