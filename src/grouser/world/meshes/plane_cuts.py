"""Exact convex decomposition by cuts along the planes of a body's own faces."""

from __future__ import annotations

from typing import Any

import numpy as np

from grouser.frames import Array
from grouser.world.meshes.triangle_mesh import TriangleMesh

MOST_PLANES = 400
"""Largest number of planes of a body; one with more is curved and would give tiny pieces."""
MOST_CUT = 96
"""Largest number of pieces of one body."""
CANDIDATES = 16
"""Planes that are tried for each cut."""
MOST_DENT = 0.01
"""Mean concavity above which the exact one is not computed, m."""
ALIKE = 1e-4
"""Largest angle between the normals of one plane's faces, rad."""
DUST = 1e-10
"""Volume below which a piece is a rounding error, m3."""


def cut_along_planes(body: TriangleMesh, tolerance: float) -> list[Array] | None:
    """Return the corners of convex bodies whose union is ``body``.

    Args:
        body: closed, faces oriented outward.
        tolerance: concavity up to which a piece counts as convex, m.

    Returns:
        None if the body has too many planes, is not manifold, or manifold3d is not installed.
    """
    try:
        import manifold3d
    except ImportError:
        return None
    solid = _solid(manifold3d, body).simplify(tolerance)
    if solid.is_empty() or len(_planes(solid, tolerance)) > MOST_PLANES:
        return None
    todo, done = list(solid.decompose()), []
    while todo:
        piece = todo.pop()
        if piece.volume() < DUST:
            continue
        halves = _halves(piece, tolerance)
        if halves is None:
            done.append(piece)
        else:
            todo += [part for half in halves for part in half.decompose()]
        if len(todo) + len(done) > MOST_CUT:
            return None
    return [_mesh(piece).vertices for piece in _joined(manifold3d, done, tolerance)]


def simplified(body: TriangleMesh, tolerance: float) -> TriangleMesh:
    """Return a body with fewer triangles and an error of at most ``tolerance`` (m).

    Without manifold3d, or if the body is not manifold, it is returned unchanged.
    """
    try:
        import manifold3d
    except ImportError:
        return body
    solid = _solid(manifold3d, body).simplify(tolerance)
    return body if solid.is_empty() else _mesh(solid)


def _solid(manifold3d: Any, body: TriangleMesh) -> Any:
    return manifold3d.Manifold(manifold3d.Mesh64(body.vertices, body.faces.astype(np.uint64)))


def _mesh(solid: Any) -> TriangleMesh:
    mesh = solid.to_mesh64()
    corners = np.asarray(mesh.vert_properties, float)[:, :3]
    return TriangleMesh(corners, np.asarray(mesh.tri_verts).astype(np.int64))


def _halves(piece: Any, tolerance: float) -> tuple[Any, Any] | None:
    """Return both sides of the best cut; None if the piece is convex."""
    hull = piece.hull()
    if _dent(hull, piece) <= tolerance:
        return None
    planes = _planes(piece, tolerance)
    if len(planes) > CANDIDATES:
        planes = planes[np.linspace(0, len(planes) - 1, CANDIDATES).astype(int)]
    best: tuple[int, tuple[Any, Any]] | None = None
    for plane in planes:
        halves = piece.split_by_plane(tuple(plane[:3].tolist()), float(plane[3]))
        dust = min(half.volume() for half in halves) < DUST
        if dust and sum(half.hull().volume() for half in halves) > hull.volume() - DUST:
            continue  # no gain; otherwise the cut removes a flap that enlarged the hull
        left = sum(len(_planes(half, tolerance)) for half in halves)
        if best is None or left < best[0]:
            best = left, halves
    return None if best is None else best[1]


def _dent(hull: Any, *pieces: Any) -> float:
    """Return the concavity of ``pieces``, m: the largest thickness of ``hull`` minus them."""
    extra = hull.volume() - sum(piece.volume() for piece in pieces)
    if extra < DUST:
        return 0.0
    if (layer := float(extra / hull.surface_area())) > MOST_DENT:
        return layer
    for piece in pieces:
        hull = hull - piece
    rest = [part for part in hull.decompose() if part.volume() > DUST]
    return max((float(2 * part.volume() / part.surface_area()) for part in rest), default=0.0)


def _planes(piece: Any, tolerance: float) -> Array:
    """Return the planes (normal, offset; n, 4) of faces beyond which the piece extends."""
    mesh = _mesh(piece)
    corners, (a, b, c) = mesh.vertices, np.moveaxis(mesh.triangles, 1, 0)
    normal = np.cross(b - a, c - a)
    twice = np.linalg.norm(normal, axis=1)
    longest = np.linalg.norm([b - a, c - b, a - c], axis=2).max(axis=0)
    broad = twice > tolerance * longest
    normal = normal[broad] / twice[broad, None]
    offset = np.einsum("ij,ij->i", normal, a[broad])
    alike = np.round(np.column_stack([normal / ALIKE, offset / tolerance]))
    first = np.unique(alike, axis=0, return_index=True)[1]
    planes = np.column_stack([normal[first], offset[first]])
    out = [float((corners @ plane[:3]).max() - plane[3]) > tolerance for plane in planes]
    return np.asarray(planes[np.array(out, bool)])


def _joined(manifold3d: Any, pieces: list[Any], tolerance: float) -> list[Any]:
    """Return the pieces after merging those whose union is convex."""
    pieces = sorted(pieces, key=lambda piece: -piece.volume())
    again = True
    while again:
        again = False
        for i, one in enumerate(pieces):
            for k in range(i + 1, len(pieces)):
                hull = manifold3d.Manifold.batch_hull([one, pieces[k]])
                if _dent(hull, one, pieces[k]) <= tolerance:
                    pieces[i] = hull
                    del pieces[k]
                    again = True
                    break
            if again:
                break
    return pieces
