"""Common field types of world files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, Strict, ValidationInfo

from grouser.description import mistake
from grouser.errors import nearest

RESERVED_NAMES = ("terrain", "world")
"""Names that MuJoCo or Grouser already uses in every world."""


def _not_reserved(name: str) -> str:
    if name in RESERVED_NAMES:
        raise mistake(f"must be another name: {' and '.join(RESERVED_NAMES)} are taken")
    return name


Name = Annotated[
    str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]*$", max_length=40), AfterValidator(_not_reserved)
]
"""A robot's or object's name: a letter, then letters, digits, '_' or '-'."""

Length = Annotated[float, Field(gt=0, le=1000)]
"""A length, m; above 0, at most 1000."""

FARTHEST = 1000.0
"""Largest distance from the origin along one axis, m."""

Coordinate = Annotated[float, Field(ge=-FARTHEST, le=FARTHEST)]
"""A coordinate in the world frame, m; -1000 to 1000."""

Point = Annotated[tuple[Coordinate, Coordinate, Coordinate], Strict(False)]
"""x, y, z in the world frame, m."""

Shade = Annotated[float, Field(ge=0, le=1)]
"""One colour component, 0 to 1."""

Rgb = Annotated[tuple[Shade, Shade, Shade], Strict(False)]
"""Red, green and blue, each 0 to 1."""


MESH_ENDINGS = (".obj", ".ply", ".stl")
MAP_ENDINGS = (".png", ".npy", ".npz")
ROBOT_ENDINGS = (".yaml", ".yml", ".urdf", ".xml", ".mjcf")


def resolve_data_file(value: Any, info: ValidationInfo, endings: Sequence[str], what: str) -> Path:
    """Return the absolute path of an existing data file, relative to the folder in ``info``.

    ``what`` is the kind of file in error messages, such as ``mesh``.
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


def data_file(endings: Sequence[str], what: str) -> BeforeValidator:
    """Return the validator of a field that names a data file, as `resolve_data_file` does."""
    return BeforeValidator(lambda value, info: resolve_data_file(value, info, endings, what))


MeshFile = Annotated[Path, data_file(MESH_ENDINGS, "mesh")]
"""Mesh file (.stl, .ply, .obj), relative to the world file; kept as an absolute path."""
