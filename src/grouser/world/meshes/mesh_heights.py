"""Height maps of meshes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.world.meshes.columns import Lines, crossings, top_heights
from grouser.world.terrain.height_maps.height_field import MOST_POINTS

SLACK = 1e-6
"""Tolerance of barycentric coordinates, for walls exactly on lines of the grid."""


@dataclass(frozen=True)
class MeshHeights:
    """Height map of a mesh, and a mask of the cells that it covers."""

    heights: Array
    """m, (rows, columns), all finite; the first row is the farthest along y."""
    there: npt.NDArray[np.bool_]
    """Mask of cells whose centre is covered by the mesh, (rows - 1, columns - 1)."""
    cell: float
    """Grid spacing, m."""
    x: float
    """Smallest x of the grid, m."""
    y: float
    """Smallest y of the grid, m."""

    def triangles(self, floor: float) -> Array:
        """Return the top and bottom faces of its cells, down to ``floor`` (m), (n, 3, 3)."""
        rows, columns = self.heights.shape
        x = self.x + self.cell * np.arange(columns)
        y = self.y + self.cell * np.arange(rows)[::-1]
        points = np.stack([*np.meshgrid(x, y), self.heights], axis=-1)
        here = self.there
        far_left, far_right = points[:-1, :-1][here], points[:-1, 1:][here]
        left, right = points[1:, :-1][here], points[1:, 1:][here]
        # Split along the same diagonal as MuJoCo does.
        top = np.concatenate(
            [
                np.stack([left, right, far_right], axis=1),
                np.stack([left, far_right, far_left], axis=1),
            ]
        )
        bottom = top[:, ::-1].copy()
        bottom[..., 2] = min(floor, float(self.heights.min()))
        return np.concatenate([top, bottom])


def mesh_heights(triangles: Array, cell: float) -> MeshHeights:
    """Return the height map of triangles (n, 3, 3; m) on a grid that is centred on them.

    Raises:
        BadValue: the grid is too large or empty; a clause to follow "which".
    """
    low, high = triangles.min(axis=(0, 1)), triangles.max(axis=(0, 1))
    cells = np.maximum(np.ceil((high - low)[:2] / cell - 0.01), 1)
    if np.prod(cells + 1) > MOST_POINTS:
        raise BadValue(
            f"is {high[0] - low[0]:g} m x {high[1] - low[1]:g} m, too large for cells of "
            f"{cell:g} m: set a larger cell"
        )
    columns, rows = cells.astype(int).tolist()
    x, y = ((low + high)[:2] / 2 - cells * cell / 2).tolist()
    points = Lines(x, y, cell, (rows + 1, columns + 1))
    middles = Lines(x + cell / 2, y + cell / 2, cell, (rows, columns))
    heights = top_heights(crossings(triangles, points, SLACK), points)
    there = np.isfinite(top_heights(crossings(triangles, middles, SLACK), middles))
    if not there.any():
        raise BadValue("has no upward faces: its triangles face down or are vertical")
    return MeshHeights(_filled(heights)[::-1].copy(), there[::-1].copy(), cell, x, y)


def _filled(heights: Array) -> Array:
    """Return a grid whose holes are filled with the mean of their neighbours, ring by ring."""
    filled = heights.copy()
    while np.isnan(filled).any():
        wide = np.pad(filled, 1, constant_values=np.nan)
        rows, columns = filled.shape
        around = np.stack(
            [
                wide[i : i + rows, k : k + columns]
                for i in range(3)
                for k in range(3)
                if (i, k) != (1, 1)
            ]
        )
        known = np.isfinite(around)
        count = known.sum(axis=0)
        mean = np.where(known, around, 0.0).sum(axis=0) / np.maximum(count, 1)
        filled = np.where(np.isnan(filled) & (count > 0), mean, filled)
    return filled
