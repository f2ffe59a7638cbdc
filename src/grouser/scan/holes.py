"""Holes of a mesh: detection, and closing up to a given size by minimum-area triangulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.frames import Array
from grouser.scan.surface import face_components
from grouser.scan.voxel_grid import Numbers
from grouser.world.meshes.triangle_mesh import Faces, TriangleMesh

MOST_CORNERS = 200
"""Largest number of corners of a hole that is closed; the time grows with its cube."""


@dataclass(frozen=True)
class Hole:
    """Closed loop of boundary edges."""

    corners: Numbers
    """Indices of its vertices in the mesh, in order, the surface on their left, (k,)."""
    rim: Array
    """Positions of the vertices, (k, 3), m."""
    width: float
    """Largest distance between two points of the rim, m."""
    area: float
    """Approximate area, m2."""
    outer: bool
    """True: the outer boundary of a component. False: a hole in it."""


def find_holes(mesh: TriangleMesh) -> tuple[Hole, ...]:
    """Return all holes and outer boundaries (the widest loop of each component), widest first."""
    loops = _loops(mesh.faces)
    piece_of = np.zeros(len(mesh.vertices), np.int64)
    piece_of[mesh.faces] = face_components(mesh)[:, None]
    widths = [_width(mesh.vertices[loop]) for loop in loops]
    order = np.argsort(-np.array(widths), kind="stable")
    seen: set[int] = set()
    holes = []
    for number in order.tolist():
        loop, piece = loops[number], int(piece_of[loops[number][0]])
        rim = mesh.vertices[loop]
        holes.append(Hole(loop, rim, widths[number], _area(rim), piece not in seen))
        seen.add(piece)
    return tuple(holes)


def close_holes(
    mesh: TriangleMesh, largest: float, holes: tuple[Hole, ...] | None = None
) -> tuple[TriangleMesh, tuple[Hole, ...]]:
    """Close holes up to ``largest`` (m) wide by minimum-area triangulations.

    Outer boundaries stay. Returns the mesh with more faces, and the holes that were closed.
    """
    closed = tuple(
        hole
        for hole in (find_holes(mesh) if holes is None else holes)
        if not hole.outer and hole.width <= largest and 3 <= len(hole.corners) <= MOST_CORNERS
    )
    faces: list[Faces] = [mesh.faces]
    for count in sorted({len(hole.corners) for hole in closed}):
        corners = np.stack([hole.corners for hole in closed if len(hole.corners) == count])
        spanned = _least_area(mesh.vertices[corners])
        faces += [corner[spans] for corner, spans in zip(corners, spanned, strict=True)]
    return TriangleMesh(mesh.vertices, np.concatenate(faces)), closed


def _width(rim: Array) -> float:
    """Return the largest distance between two points, m."""
    some = rim[:: max(1, len(rim) // 300)]
    return float(np.sqrt(((some[:, None] - some[None]) ** 2).sum(axis=2).max()))


def _area(rim: Array) -> float:
    """Return the area of a closed polygon, m2."""
    around = rim - rim.mean(axis=0)
    return float(np.linalg.norm(np.cross(around, np.roll(around, -1, axis=0)).sum(axis=0)) / 2)


def _loops(faces: Faces) -> list[Numbers]:
    """Return the boundary loops, from half-edges without a twin."""
    # The next boundary edge is found by rotating around the end vertex from face to face.
    starts, ends = faces.ravel(), np.roll(faces, -1, axis=1).ravel()
    count = int(faces.max(initial=0)) + 1
    own, other = starts * count + ends, ends * count + starts
    order = np.argsort(own, kind="stable")
    at = np.searchsorted(own[order], other)
    at[at == len(own)] = 0
    twin = np.where(own[order][at] == other, order[at], -1) if len(own) else at
    following = np.arange(len(own)).reshape(-1, 3)[:, [1, 2, 0]].ravel()
    rim = np.flatnonzero(twin < 0)
    onward = following[rim]
    for _ in range(64):  # faces round a vertex
        inner = twin[onward] >= 0
        if not inner.any():
            break
        onward[inner] = following[twin[onward[inner]]]
    next_edge = dict(zip(rim.tolist(), onward.tolist(), strict=True))
    loops = []
    while next_edge:
        edge, following_edge = next_edge.popitem()
        loop = [edge]
        while following_edge in next_edge:
            loop.append(following_edge)
            following_edge = next_edge.pop(following_edge)
        if following_edge == edge:
            loops += _split(starts[loop].tolist())
    return sorted(loops, key=lambda loop: int(loop.min()))


def _split(loop: list[int]) -> list[Numbers]:
    """Return the simple loops of a loop that visits some vertices twice."""
    done: list[list[int]] = []
    path: list[int] = []
    at: dict[int, int] = {}
    for vertex in loop:
        if vertex in at:
            begin = at[vertex]
            done.append(path[begin:])
            for left in path[begin:]:
                del at[left]
            del path[begin:]
        at[vertex] = len(path)
        path.append(vertex)
    return [np.array(part) for part in (*done, path) if len(part) >= 3]


def _least_area(rims: Array) -> Numbers:
    """Return minimum-area triangulations (h, k - 2, 3) of polygons (Barequet, Sharir 1995).

    ``rims`` (h, k, 3) have the surface on their left; triangles are oriented as the surface's
    faces.
    """
    holes, count = rims.shape[:2]
    cost = np.zeros((holes, count, count))
    pick = np.zeros((holes, count, count), np.int64)
    for gap in range(2, count):
        first = np.arange(count - gap)
        middle = first[:, None] + np.arange(1, gap)[None]
        last = first + gap
        a, b, c = rims[:, first, None], rims[:, middle], rims[:, last, None]
        area = np.linalg.norm(np.cross(b - a, c - a), axis=-1)
        total = cost[:, first[:, None], middle] + cost[:, middle, last[:, None]] + area
        best = total.argmin(axis=2)
        pick[:, first, last] = first + 1 + best
        cost[:, first, last] = np.take_along_axis(total, best[..., None], axis=2)[..., 0]
    spans = np.zeros((holes, count - 2, 3), np.int64)
    for hole in range(holes):
        open_, done = [(0, count - 1)], 0
        while open_:
            low, high = open_.pop()
            if high - low < 2:
                continue
            middle_one = int(pick[hole, low, high])
            spans[hole, done] = low, high, middle_one  # opposite to the rim's orientation
            done += 1
            open_ += [(low, middle_one), (middle_one, high)]
    return spans
