"""A cloud as small discs: per voxel its centroid and the direction across the surface there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.scan.cloud import PointCloud

FEWEST = 3
"""Points of a voxel with less are taken for noise."""
_OUTER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Discs:
    """Small pieces of surface; arrays over them."""

    middle: Array
    """(n, 3), m."""
    normal: Array
    """Unit vectors to the side from which it was seen, (n, 3)."""
    size: float
    """Edge of the voxels, m; a disc reaches about as far as its voxel."""

    @property
    def reach(self) -> float:
        """Radius of a disc, m: as large as the square that a voxel cuts out of a plane."""
        return self.size / float(np.sqrt(np.pi))


def discs_of(cloud: PointCloud, size: float) -> Discs:
    """Return the discs of a cloud.

    A normal is taken from the points of a voxel and of its 26 neighbours.

    Args:
        cloud: points with their origins.
        size: edge of the voxels, m.
    """
    seen = cloud.there()
    cells = np.floor(seen.points / size).astype(np.int64)
    low = cells.min(axis=0) - 1
    spans = cells.max(axis=0) - low + 2
    keys = _key(cells - low, spans)
    voxels, member = np.unique(keys, return_inverse=True)
    count = np.bincount(member).astype(float)
    middle, view = (_means(array, member, count) for array in (seen.points, seen.views))
    normal = _normals(voxels, spans, seen.points, member, count, middle)
    away = np.einsum("ni,ni->n", normal, middle - view) > 0
    normal[away] *= -1
    kept = count >= min(FEWEST, float(np.median(count)))
    return Discs(middle[kept], normal[kept], size)


def _means(array: Array, member: npt.NDArray[np.int64], count: Array) -> Array:
    sums = np.stack([np.bincount(member, axis) for axis in array.T], axis=1)
    return np.asarray(sums / count[:, None])


def _key(cells: npt.NDArray[np.int64], spans: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.asarray((cells[..., 0] * spans[1] + cells[..., 1]) * spans[2] + cells[..., 2])


def _normals(
    voxels: npt.NDArray[np.int64],
    spans: npt.NDArray[np.int64],
    points: Array,
    member: npt.NDArray[np.int64],
    count: Array,
    middle: Array,
) -> Array:
    """Return the direction of least spread around each voxel, (n, 3)."""
    off = points - middle[member]
    spread = np.zeros((len(voxels), 3, 3))
    for i, j in _OUTER:
        spread[:, i, j] = spread[:, j, i] = np.bincount(member, off[:, i] * off[:, j], len(voxels))
    weight, mean = np.zeros(len(voxels)), np.zeros((len(voxels), 3))
    total = np.zeros((len(voxels), 3, 3))
    steps = np.array([-1, 0, 1])
    around = _key(np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3), spans)
    for step in around.tolist():
        place = np.searchsorted(voxels, voxels + step).clip(max=len(voxels) - 1)
        there = np.flatnonzero(voxels[place] == voxels + step)
        other = place[there]
        # From the voxel's own centroid, so that large coordinates cost no digits.
        away = middle[other] - middle[there]
        weight[there] += count[other]
        mean[there] += count[other, None] * away
        total[there] += spread[other]
        total[there] += count[other, None, None] * away[:, :, None] * away[:, None, :]
    total -= mean[:, :, None] * mean[:, None, :] / weight[:, None, None]
    return np.asarray(np.linalg.eigh(total)[1][:, :, 0])
