"""Height fields: ground given by its height at every point of a grid, as MuJoCo collides it.

Between four points of the grid there are two triangles; which diagonal parts them is MuJoCo's
choice and always the same. So a ridge that runs along the other diagonal, or a peak between the
points, comes out bent: shapes that need sharp edges elsewhere are better made of solids.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.world.terrain.terrain_piece import FOUNDATION

LEVEL = 1e-3
"""m; MuJoCo wants a height field to have a height, and a level one has none."""

MOST_POINTS = 4_000_000
"""Of one height field: more would take MuJoCo minutes and gigabytes."""


def add_height_field(
    spec: mujoco.MjSpec,
    name: str,
    heights: Array,
    cell: float,
    X_WP: Pose,
    *,
    tile: int | None = None,
    **geom: Any,
) -> None:
    """Add ground of these heights to the world body.

    The piece's frame P is in the middle of the near edge: the columns go along its x from 0 on, the
    first row is the one farthest along its y, as in a picture with x to the right.

    Args:
        spec: the world's spec.
        name: of the height field and its geom; tiles are ``{name}/{row}_{column}``.
        heights: above the piece's frame, m, (rows, columns); at least 2 x 2, all finite.
        cell: from one point to the next along both axes, m.
        X_WP: pose of the piece in the world.
        tile: most cells of a tile along either axis (None: all is one height field).
        geom: further attributes of the geoms, such as their friction.

    Raises:
        BadValue: the heights are no grid, or not all of them are finite.
    """
    check_heights(heights)
    rows, columns = heights.shape
    left = (rows - 1) * cell / 2
    for label, down, along in _tiles(rows, columns, tile):
        part = heights[down, along]
        low = float(part.min())
        height = max(float(part.max()) - low, LEVEL)
        x = cell * (along.start + along.stop - 1) / 2
        y = left - cell * (down.start + down.stop - 1) / 2
        X_WG = X_WP @ Pose.at(x, y, low)
        half = [cell * (part.shape[1] - 1) / 2, cell * (part.shape[0] - 1) / 2]
        spec.add_hfield(
            name=f"{name}{label}",
            nrow=part.shape[0],
            ncol=part.shape[1],
            size=[*half, height, FOUNDATION],
            # MuJoCo's first row is the one at the smallest y.
            userdata=((part[::-1] - low) / height).ravel(),
        )
        spec.worldbody.add_geom(
            name=f"{name}{label}",
            type=mujoco.mjtGeom.mjGEOM_HFIELD,
            hfieldname=f"{name}{label}",
            pos=X_WG.position,
            quat=X_WG.wxyz,
            **geom,
        )


def check_heights(heights: Array) -> None:
    """Raise `BadValue`, in one sentence, unless ``heights`` (m) can be a height field."""
    if heights.ndim != 2:
        raise BadValue(f"height map: has {heights.ndim} axes, needs rows and columns")
    if min(heights.shape) < 2:
        shape = " x ".join(map(str, heights.shape))
        raise BadValue(f"height map: has {shape} points, needs 2 x 2 at least")
    if heights.size > MOST_POINTS:
        shape = " x ".join(map(str, heights.shape))
        raise BadValue(
            f"height map: has {shape} points, at most {MOST_POINTS:,} are allowed: "
            "take larger cells, or cut out the part that is driven on"
        )
    holes = int(np.count_nonzero(~np.isfinite(heights)))
    if holes:
        row, column = np.argwhere(~np.isfinite(heights))[0].tolist()
        raise BadValue(
            f"height map: {holes} of {heights.size} heights are not finite, the first in row "
            f"{row}, column {column}: say what fills holes"
        )


def _tiles(rows: int, columns: int, tile: int | None) -> Iterator[tuple[str, slice, slice]]:
    """Yield label, rows and columns of each tile; neighbours share the points between them."""
    if tile is None:
        yield "", slice(0, rows), slice(0, columns)
        return
    downs = np.unique([*range(0, rows - 1, tile), rows - 1]).tolist()
    alongs = np.unique([*range(0, columns - 1, tile), columns - 1]).tolist()
    for i in range(len(downs) - 1):
        for j in range(len(alongs) - 1):
            down, along = slice(downs[i], downs[i + 1] + 1), slice(alongs[j], alongs[j + 1] + 1)
            yield f"/{i}_{j}", down, along
