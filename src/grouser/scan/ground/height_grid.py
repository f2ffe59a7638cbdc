"""A surface of triangles as heights on a grid, and where on it a robot can be put."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.stl_file import heights_from_above

GENTLE = radians(20.0)
"""Ground no steeper than this is a place to start from."""
MOST_PLACES = 6


@dataclass(frozen=True)
class HeightGrid:
    """Heights as `grouser.world.terrain.height_map` has them."""

    heights: Array
    """m, (rows, columns); the first row is the farthest along y; nan where nothing was seen."""
    cell: float
    """From one point to the next, m."""
    corner: tuple[float, float]
    """The smallest x and y, m."""

    @property
    def near_edge(self) -> tuple[float, float]:
        """X and y of the middle of the near edge, where a piece of ground has its origin, m."""
        x, y = self.corner
        return x, y + (self.heights.shape[0] - 1) * self.cell / 2

    @property
    def unseen(self) -> float:
        """Part of the rectangle in which there is no height, 0 to 1."""
        return float(np.isnan(self.heights).mean())

    def points(self, cells: npt.NDArray[np.intp]) -> Array:
        """Return x, y, z of grid points given by row and column, (n, 2) to (n, 3), m."""
        rows, columns = cells.T
        x = self.corner[0] + columns * self.cell
        y = self.corner[1] + (self.heights.shape[0] - 1 - rows) * self.cell
        return np.column_stack([x, y, self.heights[rows, columns]])


@dataclass(frozen=True)
class OpenPlace:
    """Ground where a robot can be put."""

    position: tuple[float, float, float]
    """m."""
    clear: float
    """How far it is to the next step, hole or border, m."""


def height_grid(mesh: TriangleMesh, cell: float) -> HeightGrid:
    """Return how high a surface is, seen from above, on a grid of ``cell`` (m)."""
    heights, corner = heights_from_above(mesh.triangles.astype(np.float32), cell)
    return HeightGrid(heights, cell, corner)


def open_places(grid: HeightGrid, most: int = MOST_PLACES) -> tuple[OpenPlace, ...]:
    """Return places with gentle ground all around, the widest first; none reaches into another."""
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


def _gentle(grid: HeightGrid) -> npt.NDArray[np.bool_]:
    """Return where all neighbours were seen and none is much higher or lower; never at borders."""
    heights = np.pad(grid.heights, 1, constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(heights, (3, 3))
    relief = around.max(axis=(2, 3)) - around.min(axis=(2, 3))
    inside = relief <= np.tan(GENTLE) * 2 * np.sqrt(2) * grid.cell
    return np.pad(inside, 1)[1:-1, 1:-1]
