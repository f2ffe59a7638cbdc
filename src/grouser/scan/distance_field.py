"""How far every point of a grid is from the surface that a cloud was seen on, near that surface.

Points are summed up by voxel (count, mean, spread, direction to the sensor). A plane through each
voxel's neighbourhood gives its normal, which looks to the sensor. The distance at a corner of the
grid is the mean of the distances from the planes around it, weighed by points and nearness
(implicit moving least squares: Kolluri 2008): linear in the planes, so all of it is sums over a
sparse grid, spread along one axis after the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.voxel_grid import Numbers, VoxelGrid, voxel_grid

_TAPS = (1 / 16, 7 / 16, 7 / 16, 1 / 16)
"""Weights of a voxel at the four corners along an axis that are nearest, before, at and behind it:
a spread of 0.7 cells, estimate between sharp edges and little noise."""
_STIFFNESS = 0.05
"""Spread, as a part of a voxel's square, that every neighbourhood is taken to have across the line
of sight: where points lie in a row, the plane through them faces the sensor."""


@dataclass(frozen=True)
class DistanceField:
    """Distances at corners of a grid's cells, only where points are near."""

    grid: VoxelGrid
    """The voxels, whose cells' lower corners have the cells' keys."""
    keys: Numbers
    """Of the corners, ascending, (c,)."""
    distances: Array
    """From the surface, positive on the side that it was seen from, (c,), m."""
    middles: Array
    """Mean of the points that told each corner's distance, weighed as they were, (c, 3), m."""

    def corners(self) -> Array:
        """Return where the corners are, (c, 3), m."""
        return np.asarray(self.grid.cells(self.keys) * self.grid.size, float)


@dataclass(frozen=True)
class Planes:
    """What is known of each voxel of a grid."""

    counts: Array
    """Points, (k,)."""
    means: Array
    """(k, 3), m."""
    normals: Array
    """Unit vectors that look to the sensor, (k, 3)."""
    roughness: Array
    """Standard deviation of the neighbourhood's points from the plane, (k,), m."""


def distance_field(cloud: PointCloud, size: float) -> DistanceField:
    """Return the distances around a cloud.

    Args:
        cloud: finite points, with their origins.
        size: edge of the cells, m.
    """
    grid = voxel_grid(cloud.points, size)
    planes = voxel_planes(grid, cloud)
    weighed = planes.counts[:, None] * planes.normals
    rows = np.column_stack(
        [
            planes.counts,
            weighed,
            (weighed * planes.means).sum(axis=1),
            planes.counts[:, None] * planes.means,
        ]
    )
    keys = grid.keys
    for step in grid.steps[::-1].tolist():
        keys, rows = _spread(keys, rows, step)
    weight = rows[:, :1]
    corners = grid.cells(keys) * size
    distances = ((corners * rows[:, 1:4]).sum(axis=1) - rows[:, 4]) / weight[:, 0]
    return DistanceField(grid, keys, distances, rows[:, 5:] / weight)


def voxel_planes(grid: VoxelGrid, cloud: PointCloud) -> Planes:
    """Return the plane through each voxel's points and those of the 26 voxels around it."""
    points, views = cloud.points, cloud.views
    columns = [np.ascontiguousarray(column) for column in points.T]
    sums = [grid.counts.astype(float), *(grid.sums(column) for column in columns)]
    for first in range(3):
        sums += [grid.sums(columns[first] * columns[second]) for second in range(first, 3)]
    own = np.column_stack(sums)
    means = own[:, 1:4] / own[:, :1]
    around = _around(grid, own)
    spread = _covariances(around)
    sight = (
        grid.means(views) - means
        if cloud.origins is not None and cloud.origins.ndim == 2
        else (views[0] - means)
    )
    sight /= np.maximum(np.linalg.norm(sight, axis=1, keepdims=True), 1e-12)
    across = np.eye(3) - sight[:, :, None] * sight[:, None, :]
    values, vectors = np.linalg.eigh(spread + _STIFFNESS * grid.size**2 * across)
    normals = vectors[:, :, 0]
    facing = np.sign((normals * sight).sum(axis=1, keepdims=True))
    normals = normals * np.where(facing == 0, 1.0, facing)
    return Planes(own[:, 0], means, normals, np.sqrt(np.maximum(values[:, 0], 0.0)))


def _around(grid: VoxelGrid, rows: Array) -> Array:
    """Return the sums of rows (k, m) over each voxel and the 26 around it."""
    total = rows.copy()
    for x in (-1, 0, 1):
        for y in (-1, 0, 1):
            for z in (-1, 0, 1):
                step = int(grid.steps @ (x, y, z))
                if step <= 0:  # each pair once
                    continue
                other = grid.find(grid.keys + step)
                here = np.flatnonzero(other >= 0)
                there = other[here]
                total[here] += rows[there]
                total[there] += rows[here]
    return total


def _covariances(sums: Array) -> Array:
    """Return covariances (k, 3, 3) of sums of 1, x, y, z, xx, xy, xz, yy, yz, zz, (k, 10)."""
    means = sums[:, 1:4] / sums[:, :1]
    second = sums[:, 4:] / sums[:, :1]
    spread = second[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    return np.asarray(spread - means[:, :, None] * means[:, None, :])


def _spread(keys: Numbers, rows: Array, step: int) -> tuple[Numbers, Array]:
    """Return the rows of keys (ascending) spread over the four corners along one axis."""
    count = len(keys)
    moved = np.concatenate([keys + step * offset for offset in (-1, 0, 1, 2)])
    order = np.argsort(moved, kind="stable")
    moved = moved[order]
    starts = np.flatnonzero(np.diff(moved, prepend=moved[0] - 1))
    tap = np.repeat(_TAPS, count)[order]
    return moved[starts], np.add.reduceat(rows[order % count] * tap[:, None], starts, axis=0)
