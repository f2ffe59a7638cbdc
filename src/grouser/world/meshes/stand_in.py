"""What a mesh collides as: convex pieces or a height map, by what fits and what it costs.

Both are compared with the mesh on the same vertical lines, and a bar like a grouser is laid on both
to count how many contacts it makes. What does not fit is not taken silently.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array, Pose
from grouser.world.meshes.columns import Fit, Lines, crossings, fit, tops
from grouser.world.meshes.decomposition import decompose, not_closed
from grouser.world.meshes.mesh_heights import MeshHeights, mesh_heights
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.terrain.convex_pieces import add_pieces
from grouser.world.terrain.height_maps.height_field import add_height_field

Collide = Literal["auto", "convex_pieces", "height_map"]

CELLS = (0.02, 0.01, 0.005)
"""m; of these the first with which a height map fits."""
MOST_CELLS = 250_000
"""Of a map whose cell nobody has asked for."""
BAR = (0.3, 0.02, 0.02)
"""Length, width and height of the bar that is laid on the ground, m: a grouser of Quince."""
BARS = 24
SUNK = 0.001
"""m by which the bar is pressed in, so that it touches."""


@dataclass(frozen=True)
class StandIn:
    """Something that stands for a mesh in collisions."""

    how: Literal["convex_pieces", "height_map"]
    pieces: tuple[Array, ...]
    """Corners of each convex piece, m, (n, 3); none: it is a height map."""
    heights: MeshHeights | None
    fit: Fit
    geoms: int
    """Geoms that MuJoCo gets."""
    contacts: float
    """Contacts of a bar laid on it, on average."""

    def add(self, spec: mujoco.MjSpec, name: str, X_WP: Pose, **geom: Any) -> None:
        """Add it to the world body, the mesh's origin at ``X_WP``."""
        _add(spec, name, X_WP, self.pieces, self.heights, **geom)

    @property
    def what(self) -> str:
        """What it is, in a few words."""
        if self.heights is None:
            return f"{len(self.pieces)} convex piece{'s' if len(self.pieces) != 1 else ''}"
        rows, columns = self.heights.heights.shape
        return f"height map of {rows} x {columns} points, {1000 * self.heights.cell:g} mm apart"

    def __str__(self) -> str:
        """Say what it is, how well it fits and what it costs."""
        return (
            f"{self.what}: {self.fit}; {self.geoms} geom{'s' if self.geoms != 1 else ''}, "
            f"a bar touches in {self.contacts:.1f} points"
        )


@dataclass(frozen=True)
class StandInChoice:
    """What a mesh collides as, and what was thought of it."""

    taken: StandIn
    why: str
    """In a few words."""
    others: tuple[StandIn, ...] = ()
    """What else was tried."""


def stand_in(
    mesh: TriangleMesh, collide: Collide, tolerance: float, cell: float | None = None
) -> StandInChoice:
    """Return what a mesh collides as.

    Args:
        mesh: m; z is up.
        collide: what to make of it; auto: what fits within ``tolerance``, and of two that do, what
            makes fewer contacts.
        tolerance: m by which its surface may be off.
        cell: of a height map, m; None: as fine as needed.

    Raises:
        BadValue: in a few words, to be read after "which": why it cannot be ground.
        MissingDependency: the packages that cut are not installed.
    """
    if collide == "convex_pieces":
        return StandInChoice(_pieces(mesh, tolerance), "as asked")
    if collide == "height_map":
        return StandInChoice(_map(mesh, tolerance, cell), "as asked")
    if mesh.open_edges:
        taken = _map(mesh, tolerance, cell)
        if not taken.fit.within(tolerance):
            raise BadValue(
                f"{not_closed(mesh)}; as a height map it does not fit ({taken.fit}): say "
                "collide: height_map if that will do"
            )
        return StandInChoice(taken, "it is not closed, so that what is seen from above is ground")
    if all(part.outward().is_convex(tolerance / 20) for part in mesh.parts()):
        return StandInChoice(_pieces(mesh, tolerance), "its parts are convex")
    grid = _map(mesh, tolerance, cell)
    try:
        pieces = _pieces(mesh, tolerance, search=not grid.fit.within(tolerance))
    except MissingDependency:
        if not grid.fit.within(tolerance):
            raise
        return StandInChoice(grid, "it fits, and nothing is installed that cuts meshes")
    except BadValue as error:
        if not grid.fit.within(tolerance):
            raise BadValue(f"{error}; as a height map it does not fit ({grid.fit})") from None
        return StandInChoice(grid, "it fits, and pieces would be many")
    return _better(pieces, grid, tolerance)


def _better(pieces: StandIn, grid: StandIn, tolerance: float) -> StandInChoice:
    fits = [each for each in (pieces, grid) if each.fit.within(tolerance)]
    if not fits:
        raise BadValue(
            f"fits within {1000 * tolerance:g} mm neither as {pieces} nor as {grid}: say a larger "
            "tolerance, or choose with collide"
        )
    taken = min(fits, key=lambda each: (each.contacts, each.geoms))
    other = grid if taken is pieces else pieces
    if len(fits) == 2:
        return StandInChoice(taken, "both fit, and a bar makes fewer contacts on it", (other,))
    return StandInChoice(taken, "the other does not fit", (other,))


def _pieces(mesh: TriangleMesh, tolerance: float, *, search: bool = True) -> StandIn:
    cut = decompose(mesh.vertices, mesh.faces, tolerance=tolerance, search=search)
    corners = tuple(piece.vertices for piece in cut.pieces)
    geoms, contacts = _cost(mesh, corners, None)
    return StandIn("convex_pieces", corners, None, cut.fit, geoms, contacts)


def _map(mesh: TriangleMesh, tolerance: float, cell: float | None) -> StandIn:
    closed = not mesh.open_edges
    triangles = mesh.outward().triangles if closed else mesh.triangles
    floor = float(triangles[..., 2].min())
    found: StandIn | None = None
    area = float(np.prod(np.ptp(triangles.reshape(-1, 3), axis=0)[:2]))
    for step in (cell,) if cell else CELLS:
        if found and area / step**2 > MOST_CELLS:
            break
        heights = mesh_heights(triangles, step)
        measured = fit(triangles, heights.triangles(floor), tolerance, closed=closed)
        geoms, contacts = _cost(mesh, (), heights)
        found = StandIn("height_map", (), heights, measured, geoms, contacts)
        if measured.within(tolerance) or measured.filled > 0.01:
            break  # a finer map fills what is under a bridge as well
    assert found
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
    """Return how many geoms it takes, and how many contacts a bar makes, on average."""
    spec = mujoco.MjSpec()
    _add(spec, "ground", Pose(), pieces, heights)
    for place in _bar_places(mesh):
        body = spec.worldbody.add_body(pos=place)
        body.add_freejoint()
        # Bars feel the ground and not each other.
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=np.array(BAR) / 2, contype=2, conaffinity=1
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    bars = model.nbody - 1
    return model.ngeom - bars, data.ncon / max(bars, 1)


def _bar_places(mesh: TriangleMesh) -> Iterator[Array]:
    """Yield where bars lie on a mesh: their middles, m, drawn evenly."""
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    lines = Lines.over(low, high, BAR[1] / 2)
    heights = tops(crossings(mesh.triangles, lines), lines)
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
