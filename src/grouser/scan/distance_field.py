"""Signed distance field of a point cloud near its surface (implicit moving least squares).

Points are accumulated by voxel (count, mean, covariance, direction to the sensor). A plane through
each voxel's neighbourhood gives its normal, which faces the sensor. The distance at a corner of the
grid is the mean of the distances from the planes around it, weighted by point count and proximity
(Kolluri 2008). It is linear in the planes, and therefore computed as separable sums over a sparse
grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.frames import Array, cross
from grouser.scan.cloud import PointCloud
from grouser.scan.voxel_grid import Numbers, VoxelGrid, voxel_grid

_TAPS = (1 / 16, 7 / 16, 7 / 16, 1 / 16)
"""Weights of a voxel at the four nearest corners along an axis: a standard deviation of 0.7 cells,
an estimated compromise between sharp edges and noise."""
_STIFFNESS = 0.05
"""Variance across the line of sight that is added to collinear points, in squared voxels, so that
the plane through them faces the sensor."""
_BROAD = 0.2
"""Variance, in squared voxels, above which points count as planar and nothing is added: two rows of
voxels have 0.25. Added to all points, it would tilt every floor by 2 degrees towards the camera,
and frames from two sides would slide on it."""


@dataclass(frozen=True)
class Planes:
    """Plane through each voxel of a grid; arrays over voxels."""

    counts: Array
    """Number of points, (k,)."""
    means: Array
    """Mean of the points, (k, 3), m."""
    normals: Array
    """Unit normals towards the sensor, (k, 3)."""
    roughness: Array
    """Standard deviation of the neighbourhood's voxels from the plane, (k,), m."""
    company: Array
    """Number of points in the voxel and its 26 neighbours, (k,)."""
    middles: Array
    """Mean of these points, (k, 3), m."""


@dataclass(frozen=True)
class DistanceField:
    """Signed distances at the corners of grid cells near points."""

    grid: VoxelGrid
    """The voxels; the lower corner of a cell has the cell's key."""
    planes: Planes
    """Planes of the voxels."""
    keys: Numbers
    """Keys of the corners, ascending, (c,)."""
    distances: Array
    """Distance from the surface, positive towards the sensor, (c,), m."""
    corners: Array
    """Positions of the corners, (c, 3), m."""


def distance_field(cloud: PointCloud, size: float) -> DistanceField:
    """Return the signed distance field of a cloud.

    Args:
        cloud: finite points, with their viewpoints.
        size: edge of the cells, m.
    """
    grid = voxel_grid(cloud.points, size)
    planes = voxel_planes(grid, cloud)
    weighed = planes.counts[:, None] * planes.normals
    rows = np.column_stack([planes.counts, weighed, np.einsum("ij,ij->i", weighed, planes.means)])
    keys = grid.keys
    for step in grid.steps[::-1].tolist():
        keys, rows = _spread(keys, rows, step)
    corners = np.asarray(grid.cells(keys) * size, float)
    distances = (np.einsum("ij,ij->i", corners, rows[:, 1:4]) - rows[:, 4]) / rows[:, 0]
    return DistanceField(grid, planes, keys, distances, corners)


def voxel_planes(grid: VoxelGrid, cloud: PointCloud) -> Planes:
    """Return the plane through the points of each voxel and its 26 neighbours."""
    points, views = cloud.points, cloud.views
    counts, means = grid.counts.astype(float), grid.means(points)
    origin = means.mean(axis=0)  # squares of large (surveyed) coordinates would lose digits
    near = means - origin
    own = np.column_stack([np.ones(len(grid)), near, *_products(near)]) * counts[:, None]
    around = _around(grid, own)
    middles = around[:, 1:4] / around[:, :1]
    spreads = [
        second / around[:, 0] - product
        for second, product in zip(around[:, 4:].T, _products(middles), strict=True)
    ]
    if cloud.origins is None or cloud.origins.ndim == 1:
        sight = views[0] - means
    else:
        sight = grid.means(views) - means
    sight /= np.maximum(np.sqrt(np.einsum("ij,ij->i", sight, sight)), 1e-12)[:, None]
    square = grid.size**2
    row = np.clip(1.0 - _variances(spreads)[1] / (_BROAD * square), 0.0, 1.0)
    stiffness = _STIFFNESS * square * row
    for number, product in enumerate(_products(sight)):
        spreads[number] += stiffness * ((number in (0, 3, 5)) - product)
    normals, roughness = smallest_eigenvector(spreads)
    normals *= np.where(np.einsum("ij,ij->i", normals, sight) < 0, -1.0, 1.0)[:, None]
    return Planes(counts, means, normals, np.sqrt(roughness), around[:, 0], middles + origin)


def _products(vectors: Array) -> list[Array]:
    """Return the products xx, xy, xz, yy, yz, zz of vectors (k, 3), each (k,)."""
    x, y, z = np.ascontiguousarray(vectors.T)
    return [x * x, x * y, x * z, y * y, y * z, z * z]


def smallest_eigenvector(spreads: list[Array]) -> tuple[Array, Array]:
    """Return the eigenvector of the smallest eigenvalue, (k, 3), and that eigenvalue, (k,).

    ``spreads`` are xx, xy, xz, yy, yz, zz, each (k,). The eigenvalue is computed in closed
    form; the eigenvector is the cross product of two rows of the matrix minus the eigenvalue.
    """
    xx, xy, xz, yy, yz, zz = spreads
    least = _variances(spreads)[0]
    rows = [
        np.stack([xx - least, xy, xz], axis=1),
        np.stack([xy, yy - least, yz], axis=1),
        np.stack([xz, yz, zz - least], axis=1),
    ]
    best, longest = np.zeros((len(xx), 3)), np.zeros(len(xx))
    for first, second in ((0, 1), (1, 2), (2, 0)):
        across = cross(rows[first], rows[second])
        length = np.einsum("ij,ij->i", across, across)
        longer = length > longest
        best[longer], longest[longer] = across[longer], length[longer]
    best[longest == 0] = (0.0, 0.0, 1.0)
    longest[longest == 0] = 1.0
    return best / np.sqrt(longest)[:, None], np.maximum(least, 0.0)


def _variances(spreads: list[Array]) -> tuple[Array, Array, Array]:
    """Return the eigenvalues of covariances, each (k,), ascending, in closed form."""
    xx, xy, xz, yy, yz, zz = spreads
    mean = (xx + yy + zz) / 3
    a, b, c = xx - mean, yy - mean, zz - mean
    size = np.sqrt((a * a + b * b + c * c + 2 * (xy * xy + xz * xz + yz * yz)) / 6)
    scale = np.where(size > 0, size, 1.0)
    det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    angle = np.arccos(np.clip(det / (2 * scale**3), -1.0, 1.0)) / 3
    least, most = mean + 2 * size * np.cos(angle + 2 * np.pi / 3), mean + 2 * size * np.cos(angle)
    return least, 3 * mean - least - most, most


def _around(grid: VoxelGrid, rows: Array) -> Array:
    """Return the sums of rows (k, m) over each voxel and its 26 neighbours."""
    total = rows.copy()
    for step in grid.around():
        if step > 0:  # each pair once
            other = grid.find(grid.keys + step)
            here = np.flatnonzero(other >= 0)
            there = other[here]
            total[here] += rows[there]
            total[there] += rows[here]
    return total


def _spread(keys: Numbers, rows: Array, step: int) -> tuple[Numbers, Array]:
    """Return the rows of keys (ascending) distributed to the four corners along one axis."""
    from grouser.scan.scipy_parts import sparse

    count = len(keys)
    moved = np.concatenate([keys + step * offset for offset in (-1, 0, 1, 2)])
    order = np.argsort(moved, kind="stable")
    moved = moved[order]
    starts = np.flatnonzero(np.diff(moved, prepend=moved[0] - 1))
    taps = np.repeat(_TAPS, count)[order]
    ends = np.append(starts, len(moved))
    weights = sparse.csr_array((taps, order % count, ends), shape=(len(starts), count))
    return moved[starts], np.asarray(weights @ rows)
