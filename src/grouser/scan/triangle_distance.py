"""How far points are from triangles."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array


def triangle_distances(points: Array, corners: Array) -> Array:
    """Return the distance of each point (n, 3) from the triangle (n, 3, 3) of the same number, m.

    Over the triangle it is the distance from its plane, beside it that from its nearest edge.
    """
    a = corners[:, 0]
    u, v, w = corners[:, 1] - a, corners[:, 2] - a, points - a
    normal = np.cross(u, v)
    square = (normal**2).sum(axis=1)
    safe = np.where(square > 0, square, 1.0)
    s = (np.cross(w, v) * normal).sum(axis=1) / safe
    t = (np.cross(u, w) * normal).sum(axis=1) / safe
    over = (s >= 0) & (t >= 0) & (s + t <= 1) & (square > 0)
    result = np.abs((w * normal).sum(axis=1)) / np.sqrt(safe)
    beside = np.flatnonzero(~over)
    edges = [
        _segment_distances(points[beside], corners[beside, first], corners[beside, second])
        for first, second in ((0, 1), (1, 2), (2, 0))
    ]
    result[beside] = np.minimum.reduce(edges)
    return np.asarray(result)


def _segment_distances(points: Array, starts: Array, ends: Array) -> Array:
    along = ends - starts
    length = (along**2).sum(axis=1)
    part = ((points - starts) * along).sum(axis=1) / np.where(length > 0, length, 1.0)
    nearest = starts + np.clip(part, 0.0, 1.0)[:, None] * along
    return np.asarray(np.linalg.norm(points - nearest, axis=1))
