"""What must be known before hours of work: names exist, files can be written, MuJoCo loads."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from grouser import files
from grouser.errors import BadValue, MissingDependency, unknown
from grouser.rendering import gl


class _TriedOnlyError(Exception):
    """Takes a file back that was only tried."""


def writable(path: Path | None, ending: str | tuple[str, ...] = "") -> None:
    """Refuse a file that could not be written later; missing folders are made.

    Args:
        path: the file, or None where none is wanted.
        ending: how its name must end, or may.
    """
    if path is None:
        return
    if not path.name.endswith(ending):
        endings = ending if isinstance(ending, str) else " or ".join(ending)
        raise BadValue(f"{path}: the name must end in {endings}")
    with suppress(_TriedOnlyError), files.replacing(path):
        raise _TriedOnlyError


def physics() -> None:
    """Import MuJoCo, which refuses to load where ``MUJOCO_GL`` is nonsense."""
    try:
        importlib.import_module("mujoco")
    except Exception as error:  # a missing driver shows as ImportError, AttributeError, …
        gl.candidates()  # says what is wrong with MUJOCO_GL, if that is it
        reason = str(error).partition("\n")[0]
        raise MissingDependency(f"MuJoCo cannot be loaded: {reason}") from error


def pictures() -> None:
    """Refuse where nothing can be drawn."""
    physics()
    gl.back_end()


def table_module(kind: str, name: str, table: Mapping[str, str]) -> tuple[str, Any]:
    """Return an experiment or a bench by name: its name in ``table`` and its module.

    Underscores may stand for dashes.
    """
    key = next((key for key in table if _dashed(key) == _dashed(name)), None)
    if key is None:
        raise unknown(kind, kind, name, table)
    physics()
    return key, importlib.import_module(table[key])


def _dashed(name: str) -> str:
    return name.strip().lower().replace("_", "-")
