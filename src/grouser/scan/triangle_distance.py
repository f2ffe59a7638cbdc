"""How far points are from triangles."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array, cross


def triangle_distances(points: Array, corners: Array) -> Array:
    """Return the distance of each point (n, 3) from the triangle (n, 3, 3) of the same number, m.

    Over the triangle it is the distance from its plane, beside it that from its nearest edge.
    """
    result = heights_over(points, corners)
    beside = np.flatnonzero(~np.isfinite(result))
    if len(beside):
        edges = [
            _segment_distances(points[beside], corners[beside, first], corners[beside, second])
            for first, second in ((0, 1), (1, 2), (2, 0))
        ]
        result[beside] = np.minimum.reduce(edges)
    return result


def heights_over(points: Array, corners: Array) -> Array:
    """Return how far points (n, 3) over or under triangles (n, 3, 3) are from them, m; else inf."""
    a = corners[:, 0]
    u, v, w = corners[:, 1] - a, corners[:, 2] - a, points - a
    normal = cross(u, v)
    square = _dots(normal, normal)
    safe = np.where(square > 0, square, 1.0)
    turned = cross(normal, w)
    s, t = _dots(turned, v) / safe, -_dots(turned, u) / safe
    over = (s >= 0) & (t >= 0) & (s + t <= 1) & (square > 0)
    return np.asarray(np.where(over, np.abs(_dots(w, normal)) / np.sqrt(safe), np.inf))


def _segment_distances(points: Array, starts: Array, ends: Array) -> Array:
    along = ends - starts
    length = _dots(along, along)
    part = _dots(points - starts, along) / np.where(length > 0, length, 1.0)
    off = points - starts - np.clip(part, 0.0, 1.0)[:, None] * along
    return np.asarray(np.sqrt(_dots(off, off)))


def _dots(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", a, b))
