"""Checks before a long run: names exist, files are writable, MuJoCo loads."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from grouser import files
from grouser.errors import BadValue, MissingDependency, unknown
from grouser.rendering import gl


class _DryRun(Exception):
    """Abort of a write test, so that the file is not replaced."""


def writable(path: Path | None, ending: str | tuple[str, ...] = "") -> None:
    """Raise if a file cannot be written; missing folders are created.

    Args:
        path: the file, or None if there is none.
        ending: required suffix, or allowed suffixes.
    """
    if path is None:
        return
    if not path.name.endswith(ending):
        endings = ending if isinstance(ending, str) else " or ".join(ending)
        raise BadValue(f"{path}: the name must end in {endings}")
    with suppress(_DryRun), files.replacing(path):
        raise _DryRun


def writable_page(folder: Path | None) -> None:
    """Raise if the page ``index.html`` of a report folder cannot be written."""
    if folder is not None:
        writable(folder / "index.html")


def physics() -> None:
    """Import MuJoCo; it fails to load if ``MUJOCO_GL`` is invalid."""
    try:
        importlib.import_module("mujoco")
    except Exception as error:  # a missing driver shows as ImportError, AttributeError, …
        gl.candidates()  # raises if MUJOCO_GL is invalid
        reason = str(error).partition("\n")[0]
        raise MissingDependency(f"MuJoCo cannot be loaded: {reason}") from error


def pictures() -> None:
    """Raise if offscreen rendering is not available."""
    physics()
    gl.back_end()


def picture_page(folder: Path | None) -> None:
    """Raise if a page with pictures cannot be drawn and written to ``folder``."""
    if folder is not None:
        writable_page(folder)
        pictures()


def table_module(kind: str, name: str, table: Mapping[str, str]) -> tuple[str, Any]:
    """Return key and module of an experiment or a bench; underscores and dashes are equal."""
    key = next((key for key in table if _with_dashes(key) == _with_dashes(name)), None)
    if key is None:
        raise unknown(kind, kind, name, table)
    physics()
    return key, importlib.import_module(table[key])


def _with_dashes(name: str) -> str:
    return name.strip().lower().replace("_", "-")
