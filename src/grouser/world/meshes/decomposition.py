"""Convex decomposition of closed meshes, since MuJoCo collides a mesh as its convex hull.

Convex components are kept. Others are cut along the planes of their own faces, which is exact and
fast for shapes of few planes, such as bridges, stairs and furniture; components with curved
concavities are decomposed by CoACD (Wei et al., Approximate Convex Decomposition for 3D Meshes with
Collision-Aware Concavity and Tree Search, 2022). The error of the result is measured.

Plane cuts: a non-convex body has a face beyond whose plane other parts of the body extend, and the
cut along that plane removes the notch. Of several planes the one that leaves the fewest such faces
is used; pieces whose union is convex are merged afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, missing_extra
from grouser.frames import Array, millimetres
from grouser.world.meshes.columns import Fit, fit
from grouser.world.meshes.triangle_mesh import TriangleMesh, hulls

TOLERANCE = 0.01
"""Default tolerance of the surface, m."""
MOST_PIECES = 500
"""Largest number of pieces of a mesh; more slow down every step."""
CONVEX = 0.05
"""Concavity up to which a body counts as convex, as a part of the tolerance."""
CONCAVITIES = (0.05, 0.02)
"""CoACD's thresholds, relative to the mesh's size, tried in order; finer ones take minutes."""
SIMPLER = 0.25
"""Tolerance of the simplification before CoACD, as a part of the tolerance."""


@dataclass(frozen=True)
class Decomposition:
    """Convex bodies that approximate a mesh."""

    pieces: tuple[TriangleMesh, ...]
    """Convex hulls, as MuJoCo collides them; in the mesh's frame, m."""
    fit: Fit
    """Error of the approximation."""


def decompose(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    *,
    tolerance: float = TOLERANCE,
    most: int = MOST_PIECES,
    search: bool = True,
) -> Decomposition:
    """Decompose a closed mesh into convex pieces; deterministic.

    Args:
        vertices: corners, m, (n, 3); z is up.
        faces: indices of three corners each, counter-clockwise seen from outside, (m, 3).
        tolerance: desired largest error of the surface, m; `Decomposition.fit` is the actual one.
        most: largest number of pieces.
        search: whether CoACD may search for cuts, which takes seconds to minutes; False: a mesh
            that needs more than a few cuts along its own planes is rejected.

    Raises:
        BadValue: it is no mesh, not closed, or needs too many pieces; a clause to follow "which".
        MissingDependency: the packages that decompose meshes are not installed.
    """
    mesh = TriangleMesh.of(vertices, faces)
    if mesh.open_edges:
        raise BadValue(not_closed(mesh))
    bodies: list[Array] = []
    for part in mesh.parts():
        body = part.outward()
        convex = body.is_convex(CONVEX * tolerance)
        bodies += [body.vertices] if convex else _cut(body, tolerance, search)
        if len(bodies) > most:
            raise BadValue(
                f"needs more than {most} convex pieces for a tolerance of "
                f"{millimetres(tolerance):g} mm: set a larger tolerance, or collide: height_map"
            )
    pieces = hulls(bodies)
    if not pieces:
        raise BadValue("has no volume: it is a sheet without thickness")
    triangles = np.concatenate([piece.triangles for piece in pieces])
    outward = np.concatenate([part.outward().triangles for part in mesh.parts()])
    return Decomposition(tuple(pieces), fit(outward, triangles, tolerance))


def not_closed(mesh: TriangleMesh) -> str:
    """Return the error text for a mesh with open edges, as a clause to follow "which"."""
    return (
        f"is not closed ({mesh.open_edges} open edges): it has no volume and would collide as its "
        "convex hull"
    )


def _cut(body: TriangleMesh, tolerance: float, search: bool) -> list[Array]:
    """Return the corners of convex bodies whose union is a non-convex one."""
    pieces = cut_along_planes(body, CONVEX * tolerance)
    if pieces is None and not search:
        raise BadValue("has too many planes for cuts along its faces")
    return pieces if pieces is not None else _coacd(body, tolerance)


def _coacd(body: TriangleMesh, tolerance: float) -> list[Array]:
    """Return CoACD's pieces: the coarsest within the tolerance, else the finest."""
    coacd = _package()
    simple = simplify_solid(body, SIMPLER * tolerance)
    given = coacd.Mesh(simple.vertices, simple.faces.astype(np.int32))
    pieces: list[Array] = []
    for threshold in CONCAVITIES:
        # A smaller search than CoACD's default, 20 times as fast; the error is measured below.
        found: Sequence[tuple[Array, Any]] = coacd.run_coacd(
            given, threshold=threshold, mcts_iterations=60, mcts_nodes=10, resolution=1000, seed=0
        )
        pieces = [np.asarray(corners, float) for corners, _ in found]
        solid = hulls(pieces)
        if solid:
            triangles = np.concatenate([piece.triangles for piece in solid])
            if fit(body.triangles, triangles, tolerance).within(tolerance):
                break
    return pieces


def _package() -> Any:
    try:
        import coacd
    except ImportError as error:
        raise missing_extra("meshes that are not convex need CoACD", "ground") from error
    coacd.set_log_level("error")
    return coacd


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
    """Return the corners of convex bodies whose union is the closed ``body``.

    A piece counts as convex up to a concavity of ``tolerance`` (m). None: the body has too many
    planes, is not manifold, or manifold3d is not installed.
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
    return [_mesh(piece).vertices for piece in _merge_convex(manifold3d, done, tolerance)]


def simplify_solid(body: TriangleMesh, tolerance: float) -> TriangleMesh:
    """Return a body with fewer triangles and an error of at most ``tolerance`` (m)."""
    # Without manifold3d, or if the body is not manifold, it is returned unchanged.
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


def _merge_convex(manifold3d: Any, pieces: list[Any], tolerance: float) -> list[Any]:
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
