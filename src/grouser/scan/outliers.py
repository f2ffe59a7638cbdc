"""Points that hang in the air: pixels half on one thing and half on another, stray echoes."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.frame_edges import Mask, frame_edges
from grouser.scan.voxel_grid import voxel_grid

NEIGHBOURS = 8
LONELY = 3.0
"""How much further than its neighbours' a voxel's neighbours may be; estimate."""
LOST = 8.0
"""How much further a voxel's neighbours may be than is usual at its distance; estimate."""


def find_outliers(cloud: PointCloud, size: float) -> Mask:
    """Return which points of a cloud to leave out, (n,); those not there are not among them.

    In an organised frame these are pixels between two jumps, on the way from a thing in front to
    what is behind it, and pixels without a neighbour on the same surface. In other clouds they
    are those whose voxel is much further from others than those others are from theirs, or than
    is usual as far away: what is far and thinly seen is not called lonely.

    Args:
        cloud: organised or not.
        size: edge of the voxels that the cloud will become, m: what is alone at this scale goes.
    """
    if cloud.shape is not None:
        return between_jumps(cloud, size)
    result, left = np.zeros(len(cloud), bool), np.flatnonzero(cloud.seen)
    if len(left):
        result[left] = _lonely(cloud.points[left], cloud.views[left], size)
    return result


def between_jumps(cloud: PointCloud, size: float) -> Mask:
    """Return which pixels of an organised frame are between two jumps, or alone, (n,)."""
    edges, (rows, columns) = frame_edges(cloud, size), cloud.shape or (0, 0)
    across, upright = np.zeros((rows, columns + 1), bool), np.zeros((rows + 1, columns), bool)
    across[:, 1:-1], upright[1:-1] = edges.jump_right, edges.jump_down
    between = (across[:, :-1] & across[:, 1:]) | (upright[:-1] & upright[1:])
    across[:, 1:-1], upright[1:-1] = edges.right, edges.down
    company = across[:, :-1] | across[:, 1:] | upright[:-1] | upright[1:]
    return np.asarray((between.ravel() | ~company.ravel()) & cloud.seen)


def _lonely(points: Array, views: Array, size: float) -> Mask:
    """Return which of points (n, 3), seen from views (n, 3), are in voxels that are lonely.

    Sensors' rays spread, so what is usual grows with the distance from the sensor. Lonely is also
    what is in the company of its like, several strays together.
    """
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
