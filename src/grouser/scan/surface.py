"""The surface that points were seen on, as triangles: a wall that was seen is a wall.

One vertex per cell that the surface passes, in the middle of where it crosses the cell's edges,
and a face for each edge that it crosses (surface nets: Gibson 1998). It ends where points end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.distance_field import DistanceField, distance_field
from grouser.scan.frame_edges import Mask
from grouser.scan.voxel_grid import Numbers
from grouser.world.meshes.triangle_mesh import TriangleMesh

REACH = 0.85
"""Cells by which a vertex may be off the middle of the points around it: in the last row of cells
with points it is half a cell off, past the edge of what was seen a whole one."""
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
    if not len(there):
        raise BadValue("surface: there are no points")
    offset = _off_the_planes(there.points, size)
    shifted = PointCloud(there.points + offset, None, None, there.views + offset)
    if there.origins is None or there.origins.ndim == 1:
        shifted = replace(shifted, origins=there.views[0] + offset)
    net = without_specks(_net(distance_field(shifted, size)), SPECK * size**2)
    mesh = replace(net, vertices=net.vertices - offset)
    if not len(mesh.faces):
        raise BadValue(
            f"surface: {len(there):,} points make no surface with cells of {size:g} m; "
            "larger cells may"
        )
    return mesh


def _off_the_planes(points: Array, size: float) -> Array:
    """Return by how much to move points so that planes along the grid are in the middle of cells.

    A floor that lies just where cells meet would be in those above as often as in those below, and
    its surface would go up and down between them.
    """
    some = points[:: max(1, len(points) // 50_000)]
    around = np.exp(2j * np.pi / size * some).sum(axis=0)
    return np.asarray((0.5 - np.angle(around) / (2 * np.pi)) * size)


def _net(field: DistanceField) -> TriangleMesh:
    """Return the surface where a field is zero."""
    steps, size = field.grid.steps, field.grid.size
    inside, corners = field.distances < 0, field.corners
    crossings, cells, flips = [], [], []
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
        u, v = steps[(axis + 1) % 3], steps[(axis + 2) % 3]
        cells.append(field.keys[low][:, None] - np.array([u + v, v, 0, u]))
        flips.append(~inside[low])
    return _quads(field, np.concatenate(crossings), np.concatenate(cells), np.concatenate(flips))


def _quads(field: DistanceField, crossings: Array, cells: Numbers, flips: Mask) -> TriangleMesh:
    """Return the mesh of crossed edges.

    Args:
        field: what crosses them.
        crossings: where edges are crossed, (e, 3), m.
        cells: keys of the four cells around each edge, counter-clockwise, (e, 4).
        flips: whether they are clockwise instead, (e,).
    """
    flat = cells.ravel()
    order = np.argsort(flat, kind="stable")
    ordered = flat[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))
    counts = np.diff(starts, append=len(flat))
    numbers = np.empty(len(flat), np.int64)
    numbers[order] = np.repeat(np.arange(len(starts)), counts)
    vertices = np.empty((len(starts), 3))
    for axis in range(3):
        column = np.repeat(crossings[:, axis], 4)
        vertices[:, axis] = np.bincount(numbers, column, len(starts)) / counts
    off = vertices - _middles(field, ordered[starts])
    good = np.einsum("ij,ij->i", off, off) <= (REACH * field.grid.size) ** 2
    quads = numbers.reshape(-1, 4)
    whole = good[quads].all(axis=1)
    quads = np.where(flips[:, None], quads[:, ::-1], quads)[whole]
    ac, bd = (vertices[quads[:, one]] - vertices[quads[:, two]] for one, two in ((0, 2), (1, 3)))
    along = np.einsum("ij,ij->i", ac, ac) <= np.einsum("ij,ij->i", bd, bd)
    faces = np.where(
        along[:, None], quads[:, [0, 1, 2, 0, 2, 3]], quads[:, [1, 2, 3, 1, 3, 0]]
    ).reshape(-1, 3)
    return TriangleMesh(vertices, faces).tidied()


def _middles(field: DistanceField, cells: Numbers) -> Array:
    """Return the mean of the points in cells and the 26 around each; far away if there are none."""
    grid, planes = field.grid, field.planes
    at = grid.find(cells)
    result = planes.middles[at]
    empty = np.flatnonzero(at < 0)
    sums, counts = np.zeros((len(empty), 3)), np.zeros(len(empty))
    for step in grid.around():
        beside = grid.find(cells[empty] + step)
        there = beside >= 0
        weight = planes.counts[beside[there]]
        counts[there] += weight
        sums[there] += planes.means[beside[there]] * weight[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        result[empty] = np.where(counts[:, None] > 0, sums / counts[:, None], np.inf)
    return np.asarray(result)


def without_specks(mesh: TriangleMesh, area: float) -> TriangleMesh:
    """Return a mesh without the pieces of less than an area (m2)."""
    label = pieces(mesh)
    crosses = mesh.crosses()
    sizes = np.sqrt(np.einsum("ij,ij->i", crosses, crosses)) / 2
    areas = np.bincount(label, sizes)
    keep = areas[label] >= area
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
