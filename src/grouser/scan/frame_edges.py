"""Neighbours in an organised frame: which of them are on one surface, and which are a jump apart.

Between two neighbours of a camera's picture there is a surface, or there is the edge of a thing in
front and, further along the same ray, something behind. A jump runs along the ray, is longer than
what matters, and does not go on in the direction of the edges before or after it, as ground does
that is seen at a flat angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, radians
from grouser.scan.cloud import PointCloud

Mask = npt.NDArray[np.bool_]

GRAZING = radians(10.0)
"""Edges at less than this angle to the ray are jumps, unless they go on straight; rad, estimate."""
STRAIGHT = radians(10.0)
"""Largest turn between edges that go on straight, rad; estimate."""
MOST_STRETCH = 4.0
"""How much longer than the edge before one may be that goes on straight; estimate."""


@dataclass(frozen=True)
class FrameEdges:
    """What lies between neighbours of an organised frame."""

    right: Mask
    """Whether a pixel and the one right of it are on one surface, (rows, columns - 1)."""
    down: Mask
    """Whether a pixel and the one below it are on one surface, (rows - 1, columns)."""
    jump_right: Mask
    """Whether both are there, and a jump apart, (rows, columns - 1)."""
    jump_down: Mask
    """Same, for the one below, (rows - 1, columns)."""


def frame_edges(cloud: PointCloud, size: float) -> FrameEdges:
    """Tell surfaces from jumps.

    Args:
        cloud: organised.
        size: steps along the ray up to this are no jumps, m.

    Raises:
        BadValue: the cloud is not organised.
    """
    if cloud.shape is None:
        raise BadValue("frame edges: the cloud is not organised in rows and columns")
    grid = cloud.points.reshape(*cloud.shape, 3)
    rays = (cloud.points - cloud.views).reshape(*cloud.shape, 3)
    right, jump_right = _along_rows(grid, rays, size)
    down, jump_down = _along_rows(grid.swapaxes(0, 1), rays.swapaxes(0, 1), size)
    return FrameEdges(right, down.T, jump_right, jump_down.T)


def _along_rows(grid: Array, rays: Array, size: float) -> tuple[Mask, Mask]:
    """Return which neighbours along rows are on one surface, and which are a jump apart."""
    far = np.sqrt(np.einsum("ijk,ijk->ij", rays, rays))
    step = np.diff(far, axis=1)
    there = np.isfinite(step)
    jump = np.zeros_like(there)
    rows, columns = np.nonzero(np.abs(np.where(there, step, 0.0)) > 0.7 * size)  # few are left
    edge = grid[rows, columns + 1] - grid[rows, columns]
    ray = rays[rows, columns + 1] + rays[rows, columns]
    length = np.sqrt(np.einsum("ij,ij->i", edge, edge))
    along = np.abs(np.einsum("ij,ij->i", edge, ray))
    along /= np.sqrt(np.einsum("ij,ij->i", ray, ray))
    steep = (along > size) & (along > np.cos(GRAZING) * length)
    rows, columns = rows[steep], columns[steep]
    jump[rows, columns] = ~_goes_on(grid, rows, columns)
    return there & ~jump, jump


def _goes_on(grid: Array, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> Mask:
    """Return which edges go on in the direction of the two before, or of the two behind.

    One would not do: a pixel half on a thing and half on what is behind makes two edges in a line.
    """
    own = grid[rows, columns + 1] - grid[rows, columns]
    length = np.sqrt(np.einsum("ij,ij->i", own, own))
    result, last = np.zeros(len(rows), bool), grid.shape[1] - 2
    for side in (-1, 1):
        straight = np.ones(len(rows), bool)
        for away in (1, 2):
            beside = np.clip(columns + side * away, 0, last)
            other = grid[rows, beside + 1] - grid[rows, beside]
            far = np.sqrt(np.einsum("ij,ij->i", other, other))
            turn = np.einsum("ij,ij->i", own, other) >= np.cos(STRAIGHT) * length * far
            stretch = length <= MOST_STRETCH**away * far
            straight &= turn & stretch & (beside == columns + side * away)
        result |= straight
    return result
