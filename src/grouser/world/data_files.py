"""Paths of data files (meshes, maps, robots) in a world file, resolved against its folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationInfo

from grouser.errors import nearest
from grouser.world.field_types import mistake

MESH_ENDINGS = (".obj", ".ply", ".stl")
MAP_ENDINGS = (".png", ".npy", ".npz")
ROBOT_ENDINGS = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


def resolve_data_file(value: Any, info: ValidationInfo, endings: Sequence[str], what: str) -> Path:
    """Return the absolute path of an existing data file.

    Args:
        value: path in the world file, relative to the world file's folder.
        info: its context holds that folder under ``folder``.
        endings: allowed file name extensions.
        what: kind of file for error messages, such as ``mesh``.
    """
    if not isinstance(value, str | Path):
        raise mistake(f"must be the name of a {what} file ({' or '.join(endings)})")
    folder: Path = (info.context or {}).get("folder") or Path.cwd()
    path = folder / value
    if path.suffix.lower() not in endings:
        raise mistake(f"must end in {' or '.join(endings)}")
    try:
        if path.is_file():
            return path.resolve()
        beside = sorted(f.name for f in path.parent.iterdir() if f.suffix.lower() in endings)
    except (OSError, ValueError):  # no such folder, or an impossible file name
        beside = []
    listing = ", ".join(beside) or f"no {what}"
    raise mistake(
        f"which is no file in {path.parent} (there is: {listing}){nearest(path.name, beside)}"
    )
