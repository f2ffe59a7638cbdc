"""Mesh simplification with a bounded error, by vertex clustering in an octree.

Space is divided into blocks, each of eight smaller ones. A block whose vertices are near one plane,
have similar normals and are not at a boundary of the surface becomes one vertex; eight such blocks
may be merged again. Parts that are not plane are unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, cross, radians
from grouser.scan.organised_frames import Mask
from grouser.scan.voxel_grid import Numbers, VoxelGrid, voxel_grid
from grouser.world.meshes.triangle_mesh import Faces, TriangleMesh

LEVELS = 6
"""Number of times that the edge of blocks is doubled."""
ONE_WAY = radians(20.0)
"""Largest angle between a vertex normal and the block's mean, rad; estimate."""
ATTEMPTS = 12
"""Largest number of iterations; after each, blocks with too large errors are divided."""
MOST_TURN = radians(60.0)
"""Rotation of a face above which it counts as folded over, rad; estimate."""
NO_AREA = 1e-9
"""Area below which a face has no direction, m2."""


@dataclass(frozen=True)
class Simplified:
    """Simplified mesh and its error."""

    mesh: TriangleMesh
    error: float
    """Largest distance of an original vertex from the simplified mesh, m."""


def simplify_mesh(mesh: TriangleMesh, error: float) -> Simplified:
    """Return a mesh of fewer triangles, at most ``error`` (m) from every original vertex.

    Raises:
        BadValue: the error is not a number from 0 up.
    """
    if not (np.isfinite(error) and error >= 0):
        raise BadValue(f"simplification: an error of {error} m; a number from 0 up is needed")
    if error == 0 or not len(mesh.faces):
        return Simplified(mesh, 0.0)
    blocks, distances = _plane_blocks(mesh, error / 2), np.zeros(len(mesh.vertices))
    requested = blocks.levels > 0
    for _ in range(ATTEMPTS):
        merged, folded = _without_folds(mesh, blocks)
        requested |= _beside(merged.faces, folded.numbers, folded.levels != blocks.levels)
        _measure(distances, np.flatnonzero(requested), mesh, merged, folded.numbers, error)
        if distances.max() <= error:
            return Simplified(merged.drop_unused_vertices(), float(distances.max()))
        blocks = folded.smaller(folded.numbers[distances > error])
        requested = _beside(merged.faces, folded.numbers, folded.levels != blocks.levels)
    return Simplified(mesh, 0.0)


@dataclass(frozen=True)
class _Blocks:
    """Assignment of vertices to blocks."""

    labels: Numbers
    """Block of each vertex at each level, as the index of one of its vertices, (levels + 1, n)."""
    levels: Numbers
    """Level of each vertex's block, the same for all vertices of a block, (n,)."""

    @property
    def numbers(self) -> Numbers:
        """Block of each vertex, as the index of one of its vertices, (n,)."""
        return np.asarray(self.labels[self.levels, np.arange(len(self.levels))])

    def smaller(self, bad: Numbers) -> _Blocks:
        """Return the blocks after dividing those with these numbers into eight."""
        among = np.zeros(len(self.levels), bool)
        among[bad] = True
        cut = among[self.numbers]
        return replace(self, levels=np.where(cut, np.maximum(self.levels - 1, 0), self.levels))


def _plane_blocks(mesh: TriangleMesh, allowed: float) -> _Blocks:
    """Return the largest blocks that are plane within ``allowed`` (m)."""
    count = len(mesh.vertices)
    normals = mesh.vertex_normals()
    free = ~_at_edges(mesh.faces, count)
    lengths = np.linalg.norm(mesh.triangles[:, 1] - mesh.triangles[:, 0], axis=1)
    size = float(np.median(lengths))
    labels, levels = [np.arange(count)], np.zeros(count, np.int64)
    for level in range(1, LEVELS + 1):
        grid = voxel_grid(mesh.vertices, size * 2**level)
        good = np.logical_and.reduceat(free[grid.order], grid.starts)
        good &= _is_plane(mesh.vertices, normals, grid, allowed)
        block = grid.voxels()
        free = good[block]
        if not free.any():
            break
        labels.append(np.asarray(grid.order[grid.starts][block], np.int64))
        levels[free] = level
    return _Blocks(np.stack(labels), levels)


def _is_plane(points: Array, normals: Array, grid: VoxelGrid, allowed: float) -> Mask:
    """Return the mask of blocks whose points are near one plane with similar normals, (blocks,)."""
    up = grid.means(normals)
    up /= np.maximum(np.linalg.norm(up, axis=1, keepdims=True), 1e-12)
    across = up.repeat(grid.counts, axis=0)
    turns = _dots(normals[grid.order], across)
    heights = _dots(points[grid.order], across)
    least = np.minimum.reduceat(turns, grid.starts)
    lowest, highest = (f.reduceat(heights, grid.starts) for f in (np.minimum, np.maximum))
    return np.asarray((least > np.cos(ONE_WAY)) & (highest - lowest <= 2 * allowed))


def _at_edges(faces: Faces, count: int) -> Mask:
    """Return the mask of vertices on an edge without exactly two faces, (count,)."""
    ends = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    keys = ends[:, 0] * count + ends[:, 1]
    keys.sort()
    starts = np.flatnonzero(np.diff(keys, prepend=-1))
    odd = keys[starts[np.diff(starts, append=len(keys)) != 2]]
    result = np.zeros(count, bool)
    result[odd // count] = result[odd % count] = True
    return result


def _without_folds(mesh: TriangleMesh, blocks: _Blocks) -> tuple[TriangleMesh, _Blocks]:
    """Return the merged mesh and its blocks; blocks with folded faces are divided."""
    before = mesh.crosses()
    before /= np.maximum(np.sqrt(_dots(before, before)), 1e-300)[:, None]
    requested = np.arange(len(mesh.faces))
    while True:
        merged = _merge_blocks(mesh, blocks.numbers)
        faces = merged.faces[requested]
        a, b, c = faces.T
        kept = (a != b) & (b != c) & (c != a)
        faces, requested = faces[kept], requested[kept]
        after = TriangleMesh(merged.vertices, faces).crosses()
        turn, size = _dots(before[requested], after), np.sqrt(_dots(after, after))
        cut = blocks.smaller(faces[turn < np.cos(MOST_TURN) * size - NO_AREA])
        changed = cut.levels != blocks.levels
        if not changed.any():
            break
        blocks, requested = cut, np.flatnonzero(changed[mesh.faces].any(axis=1))
    a, b, c = merged.faces.T
    faces = merged.faces[(a != b) & (b != c) & (c != a)]
    _, first = np.unique(np.sort(faces, axis=1), axis=0, return_index=True)
    return TriangleMesh(merged.vertices, faces[np.sort(first)]), blocks


def _dots(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("ij,ij->i", a, b))


def _merge_blocks(mesh: TriangleMesh, block_of: Numbers) -> TriangleMesh:
    """Return the mesh with each block's vertices at their mean; degenerate faces are kept."""
    count = len(mesh.vertices)
    sizes = np.maximum(np.bincount(block_of, minlength=count), 1)
    means = [np.bincount(block_of, axis, count) / sizes for axis in mesh.vertices.T]
    return TriangleMesh(np.stack(means, axis=1), block_of[mesh.faces])


def _beside(faces: Faces, block_of: Numbers, changed: Mask) -> Mask:
    """Return the mask of vertices in changed blocks, or within two faces of one, (n,)."""
    blocks = np.zeros(len(block_of), bool)
    blocks[block_of[changed]] = True
    for _ in range(2):
        blocks[faces[blocks[faces].any(axis=1)]] = True
    return np.asarray(blocks[block_of] | changed)


def _measure(
    result: Array,
    requested: Numbers,
    mesh: TriangleMesh,
    merged: TriangleMesh,
    block_of: Numbers,
    near: float,
) -> None:
    """Set the distances of the requested vertices from the merged mesh, m."""
    # Candidates are the faces of the vertex's block, first by the distance from their planes,
    # and, if all are further than ``near`` (m), also the faces around these: an upper bound.
    result[requested] = 0.0
    alone = np.bincount(block_of, minlength=len(block_of)) <= 1
    moved = requested[~alone[block_of[requested]]]
    if not len(moved):
        return
    corner = merged.faces.ravel()
    order = np.argsort(corner, kind="stable") // 3
    many = np.bincount(corner, minlength=len(block_of))
    faces_of = _Lists(order, np.cumsum(many) - many, many)
    vertex, block = moved, block_of[moved]
    for measure, further in (
        (heights_over, False),
        (triangle_distances, False),
        (triangle_distances, True),
    ):
        which, face = faces_of.of(block)
        if further:
            which_corner = np.repeat(which, 3)
            again, face = faces_of.of(merged.faces[face].ravel())
            which = which_corner[again]
        distances = measure(mesh.vertices[vertex[which]], merged.triangles[face])
        nearest = np.full(len(vertex), np.inf)
        first = np.flatnonzero(np.diff(which, prepend=-1))
        nearest[which[first]] = np.minimum.reduceat(distances, first) if len(first) else np.inf
        result[vertex] = nearest
        far = nearest > near
        vertex, block = vertex[far], block[far]
        if not len(vertex):
            break


@dataclass(frozen=True)
class _Lists:
    """Concatenated lists of indices."""

    numbers: Numbers
    starts: Numbers
    lengths: Numbers

    def of(self, which: Numbers) -> tuple[Numbers, Numbers]:
        """Return the position in ``which``, and the number, of all numbers in these lists."""
        lengths = self.lengths[which]
        place = np.repeat(np.arange(len(which)), lengths)
        offset = np.arange(len(place)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        return place, self.numbers[self.starts[which][place] + offset]


def triangle_distances(points: Array, corners: Array) -> Array:
    """Return the distance of each point (n, 3) from the triangle (n, 3, 3) of the same index, m.

    It is the distance from the plane if the projection is inside, else from the nearest edge.
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
    """Return the plane distance of points (n, 3) over triangles (n, 3, 3), m; else inf."""
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
