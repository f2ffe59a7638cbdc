"""The surface that points were seen on, as triangles: a wall that was seen is a wall.

One vertex per cell that the surface passes, in the middle of where it crosses the cell's edges,
and a face for each edge that it crosses (surface nets: Gibson 1998). It ends where points end.
"""

from __future__ import annotations

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.distance_field import DistanceField, distance_field
from grouser.scan.triangle_mesh import TriangleMesh
from grouser.scan.voxel_grid import Numbers

REACH = 0.6
"""Cells by which a vertex may be off the middle of the points that told it: beyond, it is past the
edge of what was seen (half a kernel's mean is 0.56 cells off at an edge)."""
SPECK = 12
"""Pieces of surface of less area than this many cells' faces are left out."""


def fused_surface(cloud: PointCloud, size: float) -> TriangleMesh:
    """Return the surface through a cloud's points, facing where they were seen from.

    Args:
        cloud: points of one or several registered frames, with their origins.
        size: edge of the cells, m: smaller things are smoothed away, and sheets thinner than two
            cells that were seen from both sides are not told apart.

    Raises:
        BadValue: there are no points, or too few to make a surface of.
    """
    there = cloud.there()
    mesh = without_specks(_net(distance_field(there, size)), SPECK * size**2)
    if not len(mesh.faces):
        raise BadValue(
            f"surface: {len(there):,} points make no surface with cells of {size:g} m; "
            "larger cells may"
        )
    return mesh


def _net(field: DistanceField) -> TriangleMesh:
    """Return the surface where a field is zero."""
    steps, size = field.grid.steps, field.grid.size
    inside, corners = field.distances < 0, field.corners()
    crossings, middles, cells, flips = [], [], [], []
    for axis in range(3):
        found = np.searchsorted(field.keys, field.keys + steps[axis])
        found[found == len(field.keys)] = 0
        crossed = (field.keys[found] == field.keys + steps[axis]) & (inside[found] != inside)
        low = np.flatnonzero(crossed)
        high = found[low]
        part = field.distances[low] / (field.distances[low] - field.distances[high])
        crossing = corners[low]
        crossing[:, axis] += part * size
        crossings.append(crossing)
        middles.append(
            field.middles[low] * (1 - part)[:, None] + field.middles[high] * part[:, None]
        )
        u, v = steps[(axis + 1) % 3], steps[(axis + 2) % 3]
        cells.append(field.keys[low][:, None] - np.array([u + v, v, 0, u]))
        flips.append(~inside[low])
    return _quads(
        np.concatenate(crossings),
        np.concatenate(middles),
        np.concatenate(cells),
        np.concatenate(flips),
        REACH * size,
    )


def _quads(
    crossings: Array, middles: Array, cells: Numbers, flips: np.ndarray, reach: float
) -> TriangleMesh:
    """Return the mesh of crossed edges.

    Args:
        crossings: where edges are crossed, (e, 3), m.
        middles: of the points near by, (e, 3), m.
        cells: keys of the four cells around each edge, counter-clockwise, (e, 4).
        flips: whether they are clockwise instead, (e,).
        reach: how far a vertex may be from the middle of its points, m.
    """
    flat = cells.ravel()
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    numbers = np.empty(len(flat), np.int64)
    numbers[order] = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(flat)))
    counts = np.diff(starts, append=len(flat))[:, None]
    rows = np.column_stack([crossings, middles])[order // 4]
    means = np.add.reduceat(rows, starts, axis=0) / counts if len(flat) else np.zeros((0, 6))
    vertices = means[:, :3]
    good = np.linalg.norm(vertices - means[:, 3:], axis=1) <= reach
    quads = numbers.reshape(-1, 4)
    whole = good[quads].all(axis=1)
    quads = np.where(flips[:, None], quads[:, ::-1], quads)[whole]
    a, b, c, d = (vertices[quads[:, corner]] for corner in range(4))
    along = ((a - c) ** 2).sum(axis=1) <= ((b - d) ** 2).sum(axis=1)
    faces = np.where(
        along[:, None],
        quads[:, [0, 1, 2, 0, 2, 3]],
        quads[:, [1, 2, 3, 1, 3, 0]],
    ).reshape(-1, 3)
    return TriangleMesh(vertices, faces).tidied()


def without_specks(mesh: TriangleMesh, area: float) -> TriangleMesh:
    """Return a mesh without the pieces of less than an area (m2), unless there are only such."""
    label = pieces(mesh)
    sizes = np.linalg.norm(mesh.crosses(), axis=1) / 2
    areas = np.bincount(label, sizes)
    keep = areas[label] >= min(area, areas.max(initial=0.0))
    return TriangleMesh(mesh.vertices, mesh.faces[keep]).tidied()


def pieces(mesh: TriangleMesh) -> Numbers:
    """Return for each face which connected piece of the mesh it belongs to, (m,)."""
    from grouser.scan.scipy_parts import csgraph, sparse

    a, b, c = mesh.faces.T
    edges = np.concatenate([a, b]), np.concatenate([b, c])
    count = len(mesh.vertices)
    graph = sparse.coo_array((np.ones(len(edges[0]), bool), edges), shape=(count, count))
    _, label = csgraph.connected_components(graph, directed=False)
    return np.asarray(label[a], np.int64)
