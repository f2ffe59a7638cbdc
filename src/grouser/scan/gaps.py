"""Points between a frame's pixels, where these are further apart than the surface's cells."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.frame_edges import frame_edges

MOST_STEPS = 64
"""Points that are put along one edge at most: pixels further apart stay apart."""
CLOSE = 0.5
"""Cells between points that are put in."""


def between_pixels(cloud: PointCloud, size: float) -> PointCloud:
    """Return points on the surface between neighbouring pixels of an organised frame.

    Far away, and at flat angles, pixels are further apart than cells are wide; what is between
    four of them without a jump is filled. Other clouds get no points.

    Args:
        cloud: a frame; colours are left out.
        size: edge of the surface's cells, m.
    """
    none = cloud.chosen(np.zeros(len(cloud), bool))
    if cloud.shape is None or min(cloud.shape) < 2:
        return none
    edges = frame_edges(cloud, size)
    whole = edges.right[:-1] & edges.right[1:] & edges.down[:, :-1] & edges.down[:, 1:]
    grid, views = (array.reshape(*cloud.shape, 3) for array in (cloud.points, cloud.views))
    across, upright = (_lengths(np.diff(grid, axis=axis)) for axis in (1, 0))
    with np.errstate(invalid="ignore"):
        wide = np.maximum(np.maximum(across[:-1], across[1:]), 0.0)
        high = np.maximum(np.maximum(upright[:, :-1], upright[:, 1:]), 0.0)
        whole &= (np.maximum(wide, high) > size) & (
            np.maximum(wide, high) < MOST_STEPS * CLOSE * size
        )
    rows, columns = np.nonzero(whole)
    if not len(rows):
        return none
    corners = [grid[rows + down, columns + right] for down in (0, 1) for right in (0, 1)]
    steps = np.ceil(np.stack([wide, high], axis=-1)[rows, columns] / (CLOSE * size)).astype(int)
    kinds, kind = np.unique(steps, axis=0, return_inverse=True)
    filled, seen_from = [], []
    for number, (columns_in, rows_in) in enumerate(kinds.tolist()):
        here = np.flatnonzero(kind.reshape(-1) == number)
        a, b, c, d = (corner[here, None, None] for corner in corners)
        s = (np.arange(columns_in) / columns_in)[None, None, :, None]
        t = (np.arange(rows_in) / rows_in)[None, :, None, None]
        points = (a * (1 - s) + b * s) * (1 - t) + (c * (1 - s) + d * s) * t
        filled.append(points.reshape(-1, 3))
        seen_from.append(np.repeat(views[rows[here], columns[here]], columns_in * rows_in, 0))
    one = cloud.origins if cloud.origins is None or cloud.origins.ndim == 1 else None
    per_point = cloud.origins is not None and one is None
    return PointCloud(
        np.concatenate(filled), None, None, np.concatenate(seen_from) if per_point else one
    )


def _lengths(vectors: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", vectors, vectors)))
