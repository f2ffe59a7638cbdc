"""Height map: ground given by its heights at the points of a grid, in a file or in the world file.

Files are pictures (``.png``; black is 0 and white is `top` high), one array (``.npy``) or an
archive (``.npz``) with one array or one named ``heights``. Columns go along x, the first row is the
farthest along y: as in a picture seen from above, with x to the right. The size of a file is
checked before it is read.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import mujoco
import numpy as np
import numpy.typing as npt
from pydantic import Field, Strict, model_validator

from grouser import files
from grouser.array_files import ArrayHead, read_npy, read_npz, read_png
from grouser.description import mistake
from grouser.errors import BadValue
from grouser.frames import Array, Pose, metres
from grouser.world.field_types import MAP_ENDINGS, Coordinate, Length, data_file
from grouser.world.physics_settings import Contact
from grouser.world.terrain.height_field import MOST_POINTS, add_height_field, excess, flaw
from grouser.world.terrain.terrain_piece import LIGHT, PlacedTerrain

MOST_BYTES = 1 << 28
"""Largest size of a picture, bytes."""
Row = Annotated[tuple[float, ...], Strict(False)]
"""Heights along x, m."""


class HeightMap(PlacedTerrain):
    """Ground from a grid of heights."""

    kind: Literal["height_map"] = "height_map"
    file: Annotated[Path, data_file(MAP_ENDINGS, "map")] | None = None
    """Map file (.png, .npy, .npz), relative to the world file; kept as an absolute path."""
    heights: Annotated[tuple[Row, ...], Strict(False)] | None = None
    """Instead of a file: rows of heights, m; the first row is the farthest along y."""
    cell: Annotated[float, Field(gt=0, le=10)]
    """Grid spacing, m; above 0, at most 10."""
    z: Coordinate = 0.0
    """Height of the map's 0 in the world, m."""
    scale: Annotated[float, Field(gt=0, le=1000)] = 1.0
    """Metres per unit of `heights` or of an array file: 0.001 if it is in mm; above 0."""
    top: Length | None = None
    """Height of white in a picture, m; above 0; not for arrays."""
    fill: Coordinate | None = None
    """Height of the ground at holes (nan) of a file, m; None: holes are rejected."""
    planes: bool = True
    """True: level and plane parts become boxes and prisms, which are many times faster under belts.
    False: height fields only, whose number does not depend on the heights."""

    @staticmethod
    def of(heights: Array, cell: float, *, fill: float | None = None, **rest: Any) -> HeightMap:
        """Return a map of an array.

        Args:
            heights: m, (rows, columns); the first row is the farthest along y.
            cell: grid spacing, m.
            fill: height of the ground where the array is nan, m; None: nan is rejected.
            rest: further fields, such as `x` and `friction`.

        Raises:
            BadValue: the array cannot be ground.
        """
        grid = np.asarray(heights, float) if np.size(heights) <= MOST_POINTS else heights
        if fill is not None:
            grid = np.where(np.isfinite(grid), grid, fill)
        wrong = flaw(grid)
        if wrong:
            raise BadValue(f"height map: {wrong}")
        return HeightMap(heights=tuple(map(tuple, grid.tolist())), cell=cell, **rest)

    @model_validator(mode="after")
    def _is_ground(self) -> HeightMap:
        """Read the map during validation, so that errors name the world file's line."""
        if (self.file is None) == (self.heights is None):
            raise mistake("needs one of file and heights")
        key = "file" if self.file else "heights"
        if (self.top is not None) != (self.file is not None and self.file.suffix.lower() == ".png"):
            raise mistake("must be given for a picture, and only then", "top")
        try:
            grid = self.grid()
        except BadValue as error:
            raise mistake(f"which {error}", key) from None
        wrong = flaw(grid)
        if wrong:
            raise mistake(f"which {wrong}", key)
        sides = [self.cell * (count - 1) for count in grid.shape]
        relief = float(grid.max() - grid.min())
        if relief > max(sides):
            raise mistake(
                f"whose heights differ by {relief:g} m on {max(sides):g} m of ground: if they are "
                f"in millimetres, set scale: {metres(self.scale):g}",
                key,
            )
        if max(sides) > 2000:
            raise mistake(f"makes a map of {max(sides):g} m, at most 2000 m are allowed", "cell")
        return self

    def grid(self) -> Array:
        """Return its heights, m, (rows, columns), holes filled; row 0 is at the largest y."""
        if self.file is not None:
            grid = _read(self.file, self.file.stat().st_mtime_ns) * (self.top or self.scale)
        else:
            grid = _array(self.heights or ()) * self.scale
        return grid if self.fill is None else np.where(np.isfinite(grid), grid, self.fill)

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add its patches, ``{name}/map/plane{number}`` and ``{name}/map/field{row}_{column}``."""
        X_WP = self.frame @ Pose.at(z=self.z)
        surface = self.geom(contact, LIGHT)
        add_height_field(
            spec, f"{name}/map", self.grid(), self.cell, X_WP, planes=self.planes, **surface
        )


@functools.lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> Array:
    """Return a file's array; cached until its time of modification (``changed``) changes."""
    return read_map(path)


def _array(rows: Sequence[Sequence[float]]) -> Array:
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        raise BadValue(f"has rows of {min(lengths)} to {max(lengths)} heights, all must be alike")
    return np.array(rows, float)


def read_map(path: Path) -> Array:
    """Return the array in ``path``, (rows, columns); a picture's is from 0 (black) to 1 (white)."""
    if path.suffix.lower() == ".png":
        content = files.read_bytes(path, MOST_BYTES)
        return _shades(read_png(content, lambda rows, columns: _check_size((rows, columns))))
    try:
        with path.open("rb") as file:
            if path.suffix.lower() == ".npy":
                return read_npy(file, _check_array).astype(float)
            (heights,) = read_npz(file, _map_names, _check_array).values()
    except OSError as error:
        raise BadValue(f"cannot be read ({error.strerror})") from None
    return heights.astype(float)


def _shades(pixels: npt.NDArray[Any]) -> Array:
    """Return the pixels of a grey picture from 0 to 1."""
    if pixels.ndim == 3:
        colours = pixels[..., : 1 if pixels.shape[2] == 2 else 3]
        if (colours != colours[..., :1]).any():
            raise BadValue("is a colour picture; a greyscale picture is needed")
        pixels = colours[..., 0]
    if pixels.dtype == bool:
        return pixels.astype(float)
    return pixels.astype(float) / (255.0 if pixels.dtype == np.uint8 else 65535.0)


def _map_names(names: Sequence[str]) -> Sequence[str]:
    if "heights" in names:
        return ["heights"]
    if len(names) != 1:
        listing = ", ".join(names)[:80] or "nothing"
        raise BadValue(f"holds {listing}: one must be called heights")
    return names


def _check_array(head: ArrayHead) -> None:
    if head.dtype.kind not in "iuf":
        raise BadValue(f"holds {head.dtype}, numbers are needed")
    _check_size(head.shape)


def _check_size(shape: tuple[int, ...]) -> None:
    too_large = excess(shape)
    if too_large:
        raise BadValue(too_large)
