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
from grouser.world.meshes.plane_cuts import cut_along_planes, simplified
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
    simple = simplified(body, SIMPLER * tolerance)
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
