"""Surface reconstruction of a point cloud by surface nets (Gibson 1998) on a distance field.

One vertex per cell that the surface crosses, at the mean of its crossings with the cell's edges,
and a face for each crossed edge. The surface ends where the points end.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.distance_field import DistanceField, distance_field
from grouser.scan.organised_frames import Mask
from grouser.scan.voxel_grid import Numbers
from grouser.world.meshes.triangle_mesh import TriangleMesh

REACH = 0.85
"""Largest distance of a vertex from the mean of the points around it, in cells: in the last row of
cells with points it is half a cell, beyond the boundary of the points a whole one."""
SPECK = 12
"""Smallest area of a component, in cell faces; smaller ones are removed."""


def fused_surface(cloud: PointCloud, size: float) -> TriangleMesh:
    """Return the surface through a cloud's points, facing their viewpoints.

    Args:
        cloud: points of one or several registered frames, with their viewpoints.
        size: edge of the cells, m; smaller features are smoothed, and the two sides of a sheet
            thinner than two cells are not separated.

    Raises:
        BadValue: there are no points, or too few for a surface.
    """
    there = cloud.finite()
    if not len(there):
        raise BadValue("surface: there are no points")
    offset = _off_the_planes(there.points, size)
    shifted = PointCloud(there.points + offset, None, None, there.views + offset)
    if there.origins is None or there.origins.ndim == 1:
        shifted = replace(shifted, origins=there.views[0] + offset)
    net = remove_small_components(_net(distance_field(shifted, size)), SPECK * size**2)
    mesh = replace(net, vertices=net.vertices - offset)
    if not len(mesh.faces):
        raise BadValue(
            f"surface: {len(there):,} points make no surface with cells of {size:g} m; "
            "use larger cells"
        )
    return mesh


def _off_the_planes(points: Array, size: float) -> Array:
    """Return the translation of points that puts planes along the grid into the middle of cells."""
    # A floor on the boundary between two layers of cells would alternate between them.
    some = points[:: max(1, len(points) // 50_000)]
    around = np.exp(2j * np.pi / size * some).sum(axis=0)
    return np.asarray((0.5 - np.angle(around) / (2 * np.pi)) * size)


def _net(field: DistanceField) -> TriangleMesh:
    """Return the zero surface of a distance field."""
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

    Edges are crossed at ``crossings`` (e, 3; m); ``cells`` (e, 4) are the keys around each,
    counter-clockwise unless ``flips``.
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
    return TriangleMesh(vertices, faces).drop_unused_vertices()


def _middles(field: DistanceField, cells: Numbers) -> Array:
    """Return the mean of the points in cells and their 26 neighbours; inf if there are none."""
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


def remove_small_components(mesh: TriangleMesh, area: float) -> TriangleMesh:
    """Return a mesh without connected components of less than an area (m2)."""
    label = face_components(mesh)
    crosses = mesh.crosses()
    sizes = np.sqrt(np.einsum("ij,ij->i", crosses, crosses)) / 2
    areas = np.bincount(label, sizes)
    keep = areas[label] >= area
    return TriangleMesh(mesh.vertices, mesh.faces[keep]).drop_unused_vertices()


def face_components(mesh: TriangleMesh) -> Numbers:
    """Return the connected component of each face, (m,)."""
    from grouser.scan.scipy_parts import csgraph, sparse

    a, b, c = mesh.faces.T
    edges = np.concatenate([a, b]), np.concatenate([b, c])
    count = len(mesh.vertices)
    graph = sparse.coo_array((np.ones(len(edges[0]), bool), edges), shape=(count, count))
    _, label = csgraph.connected_components(graph, directed=False)
    return np.asarray(label[a], np.int64)
