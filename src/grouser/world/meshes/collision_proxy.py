"""Collision proxy of a mesh: convex pieces or a height map, chosen by error and contact count.

The errors of both are measured on the same vertical lines, and the contacts of a bar like a grouser
are counted on both. A mesh for which neither is within the tolerance is rejected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array, Pose, millimetres
from grouser.world.meshes.columns import (
    Fit,
    Lines,
    MeshHeights,
    crossings,
    fit,
    mesh_heights,
    top_heights,
)
from grouser.world.meshes.decomposition import decompose, not_closed
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.terrain.convex_pieces import add_pieces
from grouser.world.terrain.height_field import add_height_field

Collide = Literal["auto", "convex_pieces", "height_map"]

CELLS = (0.02, 0.01, 0.005)
"""Grid spacings of a height map that are tried in order until the error is small enough, m."""
MOST_CELLS = 250_000
"""Largest number of cells of a map without a given cell size."""
BAR = (0.3, 0.02, 0.02)
"""Length, width and height of the test bar, m: a grouser of Quince."""
BARS = 24
SUNK = 0.001
"""Penetration of the test bar, m."""


@dataclass(frozen=True)
class CollisionProxy:
    """Geometry that replaces a mesh in collisions."""

    how: Literal["convex_pieces", "height_map"]
    pieces: tuple[Array, ...]
    """Corners of each convex piece, m, (n, 3); none: it is a height map."""
    heights: MeshHeights | None
    fit: Fit
    geoms: int
    """Number of MuJoCo geoms."""
    contacts: float
    """Mean number of contacts of the test bar."""

    def add(self, spec: mujoco.MjSpec, name: str, X_WP: Pose, **geom: Any) -> None:
        """Add its geoms to the world body, the mesh's origin at ``X_WP``."""
        _add(spec, name, X_WP, self.pieces, self.heights, **geom)

    @property
    def what(self) -> str:
        """Kind and size, as text."""
        if self.heights is None:
            return f"{len(self.pieces)} convex piece{'s' if len(self.pieces) != 1 else ''}"
        rows, columns = self.heights.heights.shape
        spacing = millimetres(self.heights.cell)
        return f"height map of {rows} x {columns} points, {spacing:g} mm apart"

    def __str__(self) -> str:
        """Return kind, error and cost, as text."""
        return (
            f"{self.what}: {self.fit}; {self.geoms} geom{'s' if self.geoms != 1 else ''}, "
            f"a bar touches in {self.contacts:.1f} points"
        )


@dataclass(frozen=True)
class ProxyChoice:
    """Chosen collision proxy, the reason, and the alternatives."""

    taken: CollisionProxy
    why: str
    """Reason, as text."""
    others: tuple[CollisionProxy, ...] = ()
    """Rejected alternatives."""


def choose_proxy(
    mesh: TriangleMesh, collide: Collide, tolerance: float, cell: float | None = None
) -> ProxyChoice:
    """Return the collision proxy of a mesh.

    Args:
        mesh: m; z is up.
        collide: kind of proxy; auto: the one within ``tolerance``, and of two the one with fewer
            contacts.
        tolerance: largest error of the surface, m.
        cell: grid spacing of a height map, m; None: as fine as needed.

    Raises:
        BadValue: no proxy is within the tolerance; a clause to follow "which".
        MissingDependency: the packages that decompose meshes are not installed.
    """
    if collide == "convex_pieces":
        return ProxyChoice(_pieces(mesh, tolerance), "as requested")
    if collide == "height_map":
        return ProxyChoice(_map(mesh, tolerance, cell), "as requested")
    if mesh.open_edges:
        taken = _map(mesh, tolerance, cell)
        if not taken.fit.within(tolerance):
            raise BadValue(
                f"{not_closed(mesh)}; as a height map it does not fit ({taken.fit}): set "
                "collide: height_map to accept that"
            )
        return ProxyChoice(taken, "it is not closed, so that only its upper side is ground")
    if all(part.outward().is_convex(tolerance / 20) for part in mesh.parts()):
        return ProxyChoice(_pieces(mesh, tolerance), "its parts are convex")
    grid = _map(mesh, tolerance, cell)
    try:
        pieces = _pieces(mesh, tolerance, search=not grid.fit.within(tolerance))
    except MissingDependency:
        if not grid.fit.within(tolerance):
            raise
        return ProxyChoice(grid, "it fits, and no package for decomposition is installed")
    except BadValue as error:
        if not grid.fit.within(tolerance):
            raise BadValue(f"{error}; as a height map it does not fit ({grid.fit})") from None
        return ProxyChoice(grid, "it fits, and convex pieces would be many")
    return _better(pieces, grid, tolerance)


def _better(pieces: CollisionProxy, grid: CollisionProxy, tolerance: float) -> ProxyChoice:
    fits = [each for each in (pieces, grid) if each.fit.within(tolerance)]
    if not fits:
        raise BadValue(
            f"fits within {millimetres(tolerance):g} mm neither as {pieces} nor as {grid}: set a "
            "larger tolerance, or collide"
        )
    taken = min(fits, key=lambda each: (each.contacts, each.geoms))
    other = grid if taken is pieces else pieces
    if len(fits) == 2:
        return ProxyChoice(taken, "both fit, and a bar makes fewer contacts on it", (other,))
    return ProxyChoice(taken, "the other does not fit", (other,))


def _pieces(mesh: TriangleMesh, tolerance: float, *, search: bool = True) -> CollisionProxy:
    cut = decompose(mesh.vertices, mesh.faces, tolerance=tolerance, search=search)
    corners = tuple(piece.vertices for piece in cut.pieces)
    geoms, contacts = _cost(mesh, corners, None)
    return CollisionProxy("convex_pieces", corners, None, cut.fit, geoms, contacts)


def _map(mesh: TriangleMesh, tolerance: float, cell: float | None) -> CollisionProxy:
    closed = not mesh.open_edges
    triangles = mesh.outward().triangles if closed else mesh.triangles
    floor = float(triangles[..., 2].min())

    def with_spacing(step: float) -> CollisionProxy:
        heights = mesh_heights(triangles, step)
        measured = fit(triangles, heights.triangles(floor), tolerance, closed=closed)
        geoms, contacts = _cost(mesh, (), heights)
        return CollisionProxy("height_map", (), heights, measured, geoms, contacts)

    coarsest, *finer = (cell,) if cell else CELLS
    found = with_spacing(coarsest)
    area = float(np.prod(np.ptp(triangles.reshape(-1, 3), axis=0)[:2]))
    for step in finer:
        # A finer map also fills the space under a bridge.
        if found.fit.within(tolerance) or found.fit.filled > 0.01 or area / step**2 > MOST_CELLS:
            break
        found = with_spacing(step)
    return found


def _add(
    spec: mujoco.MjSpec,
    name: str,
    X_WP: Pose,
    pieces: tuple[Array, ...],
    heights: MeshHeights | None,
    **geom: Any,
) -> None:
    if heights is None:
        add_pieces(spec, name, pieces, X_WP, **geom)
        return
    middle = heights.y + heights.cell * (len(heights.heights) - 1) / 2
    add_height_field(
        spec,
        f"{name}/map",
        heights.heights,
        heights.cell,
        X_WP @ Pose.at(heights.x, middle),
        there=heights.there,
        **geom,
    )


def _cost(
    mesh: TriangleMesh, pieces: tuple[Array, ...], heights: MeshHeights | None
) -> tuple[int, float]:
    """Return the number of geoms, and the mean number of contacts of the test bar."""
    spec = mujoco.MjSpec()
    _add(spec, "ground", Pose(), pieces, heights)
    for place in _bar_places(mesh):
        body = spec.worldbody.add_body(pos=place)
        body.add_freejoint()
        # Bars collide with the ground and not with each other.
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=np.array(BAR) / 2, contype=2, conaffinity=1
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    bars = model.nbody - 1
    return model.ngeom - bars, data.ncon / max(bars, 1)


def _bar_places(mesh: TriangleMesh) -> Iterator[Array]:
    """Yield random positions of bars on a mesh: their centres, m."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    lines = Lines.over(low, high, BAR[1] / 2)
    heights = top_heights(crossings(mesh.triangles, lines), lines)
    wide = max(1, round(BAR[0] / 2 / lines.step))
    rows, columns = np.nonzero(np.isfinite(heights))
    if not len(rows):
        return
    chosen = np.random.default_rng(0).choice(len(rows), min(BARS, len(rows)), replace=False)
    for row, column in zip(rows[chosen], columns[chosen], strict=True):
        under = heights[row, max(0, column - wide) : column + wide + 1]
        top = float(np.nanmax(under))
        x, y = lines.x + column * lines.step, lines.y + row * lines.step
        yield np.array([x, y, top + BAR[2] / 2 - SUNK])
