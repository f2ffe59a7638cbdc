"""Height grid of a scanned surface, and level places for robots on it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians
from grouser.world.meshes.columns import heights_from_above
from grouser.world.meshes.triangle_mesh import TriangleMesh

GENTLE = radians(20.0)
"""Largest slope of a start place, rad."""
MOST_PLACES = 6


@dataclass(frozen=True)
class ScanHeights:
    """Heights of a scanned surface, in the form of `grouser.world.terrain.height_map`."""

    heights: Array
    """m, (rows, columns); the first row is the farthest along y; nan: no surface."""
    cell: float
    """Grid spacing, m."""
    corner: tuple[float, float]
    """Smallest x and y, m."""

    @property
    def near_edge(self) -> tuple[float, float]:
        """X and y of the middle of the near edge, the origin of a terrain piece, m."""
        x, y = self.corner
        return x, y + (self.heights.shape[0] - 1) * self.cell / 2

    @property
    def unseen(self) -> float:
        """Share of the grid points without a height, 0 to 1."""
        return float(np.isnan(self.heights).mean())

    def points(self, cells: npt.NDArray[np.intp]) -> Array:
        """Return x, y, z, (n, 3), m, of grid points given by row and column, (n, 2)."""
        rows, columns = cells.T
        x = self.corner[0] + columns * self.cell
        y = self.corner[1] + (self.heights.shape[0] - 1 - rows) * self.cell
        return np.column_stack([x, y, self.heights[rows, columns]])


@dataclass(frozen=True)
class OpenPlace:
    """Level ground on which a robot can be placed."""

    position: tuple[float, float, float]
    """x, y, z, m."""
    clear: float
    """Distance to the next step, hole or border, m."""


def scan_heights(mesh: TriangleMesh, cell: float) -> ScanHeights:
    """Return the heights of a surface, seen from above, on a grid of ``cell`` (m)."""
    heights, corner = heights_from_above(mesh.triangles.astype(np.float32), cell)
    return ScanHeights(heights, cell, corner)


def open_places(grid: ScanHeights, most: int = MOST_PLACES) -> tuple[OpenPlace, ...]:
    """Return level places, widest first, that do not overlap."""
    from grouser.scan.scipy_parts import spatial

    gentle = _gentle(grid)
    cells, others = np.argwhere(gentle), np.argwhere(~gentle)
    clear = spatial.cKDTree(others).query(cells)[0] * grid.cell
    found: list[OpenPlace] = []
    while len(cells) and len(found) < most:
        best = int(np.argmax(clear))
        if clear[best] < 3 * grid.cell:
            break
        x, y, z = grid.points(cells[best : best + 1])[0].tolist()
        found.append(
            OpenPlace((round(x, 3), round(y, 3), round(z, 3)), round(float(clear[best]), 3))
        )
        apart = np.linalg.norm(cells - cells[best], axis=1) * grid.cell >= clear + clear[best]
        cells, clear = cells[apart], clear[apart]
    return tuple(found)


def _gentle(grid: ScanHeights) -> npt.NDArray[np.bool_]:
    """Return the mask of points with a small height range in 3 x 3 points; False at borders."""
    heights = np.pad(grid.heights, 1, constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(heights, (3, 3))
    relief = around.max(axis=(2, 3)) - around.min(axis=(2, 3))
    inside = relief <= np.tan(GENTLE) * 2 * np.sqrt(2) * grid.cell
    return np.pad(inside, 1)[1:-1, 1:-1]
