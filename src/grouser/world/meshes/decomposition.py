"""Meshes as convex pieces: MuJoCo collides a mesh as its hull, so what is not convex is cut up.

Parts that are convex already stay as they are. Others are cut along the planes of their own faces,
which is exact and quick where a few planes make the shape, as in bridges, stairs and furniture;
what is round inside is left to CoACD (Wei et al., Approximate Convex Decomposition for 3D Meshes
with Collision-Aware Concavity and Tree Search, 2022). How far the pieces are from the mesh is
measured, not believed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, missing_extra
from grouser.frames import Array
from grouser.world.meshes.columns import Fit, fit
from grouser.world.meshes.plane_cuts import cut_along_planes, simplified
from grouser.world.meshes.triangle_mesh import TriangleMesh, hulls

TOLERANCE = 0.01
"""m by which pieces may be off, unless the caller says otherwise."""
MOST_PIECES = 500
"""Of one mesh: more would make every step slow."""
CONVEX = 0.05
"""Part of the tolerance by which a body may be dented and is still called convex."""
CONCAVITIES = (0.05, 0.02)
"""CoACD's thresholds, of the mesh's size, tried until the pieces fit; finer ones take minutes."""
SIMPLER = 0.25
"""Part of the tolerance by which a mesh may be simplified before CoACD sees it."""


@dataclass(frozen=True)
class Decomposition:
    """Convex bodies that together stand for a mesh."""

    pieces: tuple[TriangleMesh, ...]
    """Hulls, as MuJoCo collides them; in the mesh's own frame, m."""
    fit: Fit
    """How far they are from the mesh, seen from above and underneath."""


def decompose(
    vertices: npt.ArrayLike,
    faces: npt.ArrayLike,
    *,
    tolerance: float = TOLERANCE,
    most: int = MOST_PIECES,
    search: bool = True,
) -> Decomposition:
    """Cut a closed mesh into convex pieces; the same arrays give the same pieces.

    Args:
        vertices: corners, m, (n, 3); z is up.
        faces: numbers of three corners each, counter-clockwise seen from outside, (m, 3).
        tolerance: m by which the surface may be off. It is a wish: `Decomposition.fit` says what
            came of it.
        most: pieces, at most.
        search: whether CoACD may search for cuts, which takes seconds to minutes; False: a mesh
            that a few cuts along its own planes do not make convex is refused.

    Raises:
        BadValue: in a few words, to be read after "which": it is no mesh, not closed, or would
            need too many pieces.
        MissingDependency: the packages that cut are not installed.
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
                f"needs more than {most} convex pieces to be met within {1000 * tolerance:g} mm: "
                "say a larger tolerance, or take it as a height map"
            )
    pieces = hulls(bodies)
    if not pieces:
        raise BadValue("has nothing inside: it is a sheet without thickness")
    triangles = np.concatenate([piece.triangles for piece in pieces])
    outward = np.concatenate([part.outward().triangles for part in mesh.parts()])
    return Decomposition(tuple(pieces), fit(outward, triangles, tolerance))


def not_closed(mesh: TriangleMesh) -> str:
    """Return why a mesh with open edges has no inside, to be read after "which"."""
    return (
        f"is not closed ({mesh.open_edges} edges have not two faces): it has no inside, "
        "and would collide as its convex hull"
    )


def _cut(body: TriangleMesh, tolerance: float, search: bool) -> list[Array]:
    """Return corners of convex bodies that make up one that is not convex."""
    pieces = cut_along_planes(body, CONVEX * tolerance)
    if pieces is None and not search:
        raise BadValue("is not made of a few planes, so that cutting it up is a long search")
    return pieces if pieces is not None else _coacd(body, tolerance)


def _coacd(body: TriangleMesh, tolerance: float) -> list[Array]:
    """Return CoACD's pieces: the coarsest that fit, else the finest."""
    coacd = _package()
    simple = simplified(body, SIMPLER * tolerance)
    given = coacd.Mesh(simple.vertices, simple.faces.astype(np.int32))
    pieces: list[Array] = []
    for threshold in CONCAVITIES:
        # Less searching than its default: 20 times as fast, and measured right here.
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
