"""Outlier removal: mixed pixels at occlusion edges, and isolated points."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.organised_frames import Mask, frame_edges
from grouser.scan.voxel_grid import voxel_grid

NEIGHBOURS = 8
LONELY = 3.0
"""Largest ratio of a voxel's mean neighbour distance to that of its neighbours; estimate."""
LOST = 8.0
"""Largest ratio of a voxel's mean neighbour distance to the usual one at its range; estimate."""


def find_outliers(cloud: PointCloud, size: float) -> Mask:
    """Return the mask of outliers of a cloud, (n,); invalid points are not included.

    In an organised frame these are pixels between two jump edges (mixed pixels of foreground
    and background) and pixels without a neighbour on the same surface. In other clouds they are
    points whose voxel of edge ``size`` is much further from its neighbours than these are from
    theirs, or than is usual at its range, since the point density decreases with range.
    """
    if cloud.shape is not None:
        return jump_outliers(cloud, size)
    result, left = np.zeros(len(cloud), bool), np.flatnonzero(cloud.seen)
    if len(left):
        result[left] = _lonely(cloud.points[left], cloud.views[left], size)
    return result


def jump_outliers(cloud: PointCloud, size: float) -> Mask:
    """Return the mask of pixels between two jump edges, or without neighbours, (n,)."""
    edges, (rows, columns) = frame_edges(cloud, size), cloud.shape or (0, 0)
    across, upright = np.zeros((rows, columns + 1), bool), np.zeros((rows + 1, columns), bool)
    across[:, 1:-1], upright[1:-1] = edges.jump_right, edges.jump_down
    between = (across[:, :-1] & across[:, 1:]) | (upright[:-1] & upright[1:])
    across[:, 1:-1], upright[1:-1] = edges.right, edges.down
    company = across[:, :-1] | across[:, 1:] | upright[:-1] | upright[1:]
    return np.asarray((between.ravel() | ~company.ravel()) & cloud.seen)


def _lonely(points: Array, views: Array, size: float) -> Mask:
    """Return the mask of points (n, 3), with viewpoints (n, 3), in isolated voxels."""
    # The usual distance grows with the range, since a sensor's rays diverge.
    from grouser.scan.scipy_parts import spatial

    grid = voxel_grid(points, size)
    if len(grid) <= NEIGHBOURS:
        return np.zeros(len(points), bool)
    middles = grid.means(points)
    tree = spatial.cKDTree(middles, balanced_tree=False, compact_nodes=False)
    distances, others = tree.query(middles, NEIGHBOURS + 1)
    mean = distances[:, 1:].mean(axis=1)
    near_by = np.median(mean[others[:, 1:]], axis=1)
    far = np.linalg.norm(middles - grid.means(views), axis=1)
    usual = far * float(np.median(mean / np.maximum(far, size)))
    lonely = mean > LONELY * np.maximum(near_by, size)
    lonely |= mean > LOST * np.maximum(usual, size)
    return np.asarray(lonely[grid.voxels()])
