"""STL files: reader and writer."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import BadValue
from grouser.frames import Array

Triangles = npt.NDArray[np.float32]
"""Corners of triangles, counter-clockwise seen from outside, (n, 3, 3), m."""

SLACK = 0.01
"""Part of a cell by which a mesh may miss a line of the grid and still end there."""

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("more", "<u2")])
_VERTEX = re.compile(rb"vertex\s+(\S+)\s+(\S+)\s+(\S+)")


def read_stl(path: Path) -> Triangles:
    """Return the triangles of an STL file, binary or text.

    Raises:
        BadValue: it cannot be read, is no STL file or has no triangles.
    """
    try:
        return triangles_of(path.read_bytes())
    except OSError as error:
        raise BadValue(f"{path}: cannot be read ({error.strerror})") from None
    except BadValue as error:
        raise BadValue(f"{path}: {error}") from None


def triangles_of(content: bytes) -> Triangles:
    """Return the triangles in an STL file's bytes.

    Raises:
        BadValue: in a few words, to be read after the file's name: what is wrong with it.
    """
    count = struct.unpack_from("<I", content, 80)[0] if len(content) >= 84 else 0
    if count and len(content) >= 84 + count * _RECORD.itemsize:
        triangles = np.frombuffer(content, _RECORD, count, 84)["corners"]
    else:
        try:
            numbers = np.array(_VERTEX.findall(content), np.float32)
        except ValueError:
            numbers = np.empty(0, np.float32)
        if not numbers.size or numbers.size % 9:
            raise BadValue("is no STL file, or has no triangles")
        triangles = numbers.reshape(-1, 3, 3)
    if not np.isfinite(triangles).all():
        raise BadValue("has corners that are not finite")
    return np.array(triangles)


def write_stl(path: Path, triangles: Triangles) -> None:
    """Write triangles (m) as a binary STL file, whole or not at all."""
    record = np.zeros(len(triangles), _RECORD)
    record["corners"] = triangles
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    record["normal"] = normal / np.where(length > 0, length, 1.0)
    header = b"grouser: the ground of a world, in metres".ljust(80)
    files.write_bytes(path, header + struct.pack("<I", len(triangles)) + record.tobytes())


def open_edges(triangles: Triangles) -> int:
    """Return how many edges have not exactly two faces: 0, and the surface is closed."""
    corners = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)[1].reshape(-1, 3)
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    _, counts = np.unique(edges, axis=0, return_counts=True)
    return int(np.count_nonzero(counts != 2))


def heights_from_above(triangles: Triangles, cell: float) -> tuple[Array, tuple[float, float]]:
    """Return how high triangles are on a grid, seen from above.

    Args:
        triangles: m.
        cell: from one point of the grid to the next, m; the grid has the origin as a point.

    Returns:
        Heights, m, (rows, columns): rows from the largest y down, columns along x; nan where there
        is nothing. And the smallest x and y of the grid, m.
    """
    corners = triangles.astype(np.float64)
    low = np.floor(corners[..., :2].min(axis=(0, 1)) / cell + SLACK).astype(int)
    high = np.ceil(corners[..., :2].max(axis=(0, 1)) / cell - SLACK).astype(int)
    columns, rows = (high - low + 1).tolist()
    heights = np.full((rows, columns), np.nan)
    for a, b, c in corners:
        u, v = b - a, c - a
        area = u[0] * v[1] - u[1] * v[0]
        if area <= 1e-14:  # upright, or its underside is seen
            continue
        first = np.ceil(np.min([a, b, c], axis=0)[:2] / cell - SLACK).astype(int) - low
        last = np.floor(np.max([a, b, c], axis=0)[:2] / cell + SLACK).astype(int) - low
        x = (np.arange(first[0], last[0] + 1) + low[0])[None] * cell - a[0]
        y = (np.arange(first[1], last[1] + 1) + low[1])[:, None] * cell - a[1]
        s, t = (x * v[1] - y * v[0]) / area, (u[0] * y - u[1] * x) / area
        inside = (s > -1e-6) & (t > -1e-6) & (s + t < 1 + 1e-6)
        part = heights[first[1] : last[1] + 1, first[0] : last[0] + 1]
        np.fmax(part, np.where(inside, a[2] + s * u[2] + t * v[2], np.nan), out=part)
    return heights[::-1].copy(), (float(low[0] * cell), float(low[1] * cell))
