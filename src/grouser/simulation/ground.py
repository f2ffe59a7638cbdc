"""Ground queries: height, normal and geom under points, vectorised.

Ground is every static geom of a scene that can collide: terrain and fixed objects. Each geom is a
solid that a vertical line enters and leaves, so that bridges can be queried from above and from
below. Arrays in, arrays out; the simulation is not stepped.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation.ground_solids import Solid, solid_of
from grouser.simulation.scene import Scene

NOTHING = -1
"""Geom id where there is no ground."""

CHUNK = 1 << 14
"""Points per pass: their intermediate results fit into the processor's cache."""

FEW = 16
"""Number of solids up to which each is evaluated for all points; above it points are sorted."""


@dataclass(frozen=True)
class GroundPoints:
    """The ground under points; arrays have the points' leading shape."""

    height: Array
    """z of the ground in the world, m; -inf where there is none."""
    normal: Array
    """Unit vector out of the ground in the world, (…, 3); straight up where there is none."""
    geom: npt.NDArray[np.int32]
    """Id of the geom in the model; `NOTHING` where there is none."""


class Ground:
    """The ground of a scene."""

    def __init__(self, scene: Scene) -> None:
        """Collect every static geom that can collide and does not belong to a robot."""
        data = mujoco.MjData(scene.model)
        mujoco.mj_kinematics(scene.model, data)
        self._solids = [solid_of(scene.model, data, geom) for geom in ground_geoms(scene)]
        self._bounds = np.array([solid.bounds for solid in self._solids]).reshape(-1, 4)
        names = {solid.geom: scene.model.geom(solid.geom).name for solid in self._solids}
        self.names: dict[int, str] = names
        """Names of the geoms, such as ``terrain/1/top``; of an object ``box/surface``."""

    def extent(self) -> tuple[float, float, float, float] | None:
        """Return smallest x and y, largest x and y of all bounded ground (m); None if none is."""
        ends = self._bounds[np.isfinite(self._bounds).all(axis=1)]
        if not len(ends):
            return None
        west, east, south, north = ends.T
        return float(west.min()), float(south.min()), float(east.max()), float(north.max())

    def below(self, points: npt.ArrayLike) -> GroundPoints:
        """Return the ground under points.

        Args:
            points: in the world, m: (…, 2) for the topmost ground at x and y, or (…, 3) for the
                topmost that begins below z, so that ground above a point is left out.

        Raises:
            BadValue: the points have neither two nor three coordinates, or are not finite.
        """
        given = np.asarray(points, np.float64)
        if given.ndim == 0 or given.shape[-1] not in (2, 3):
            raise BadValue(f"points: have shape {given.shape}, need (…, 2) or (…, 3)")
        if not np.isfinite(given).all():
            raise BadValue("points: not all of them are finite")
        shape, flat = given.shape[:-1], given.reshape(-1, given.shape[-1])
        count = len(flat)
        height, normal = np.full(count, -np.inf), np.tile([0.0, 0.0, 1.0], (count, 1))
        geom = np.full(count, NOTHING, np.int32)
        for start in range(0, count, CHUNK):
            part = slice(start, start + CHUNK)
            self._fill(flat[part], height[part], normal[part], geom[part])
        return GroundPoints(height.reshape(shape), normal.reshape(*shape, 3), geom.reshape(shape))

    def _fill(
        self, points: Array, height: Array, normal: Array, geom: npt.NDArray[np.int32]
    ) -> None:
        """Compute height, normal and geom of ``points`` (n, 2 or 3) in place."""
        x, y = np.ascontiguousarray(points[:, 0]), np.ascontiguousarray(points[:, 1])
        z = points[:, 2] if points.shape[1] == 3 else None
        order = np.argsort(x) if len(self._solids) > FEW else None
        along = x[order] if order is not None else x
        west, east, south, north = self._bounds.T
        met = (west <= x.max()) & (east >= x.min()) & (south <= y.max()) & (north >= y.min())
        for number in np.flatnonzero(met).tolist():
            solid = self._solids[number]
            near = _within(solid, along, y, order)
            if not near.size:
                continue
            low, high, face = solid.spans(x[near], y[near])
            better = high > height[near]
            if z is not None:
                better &= low <= z[near]
            chosen = near[better]
            height[chosen], geom[chosen] = high[better], solid.geom
            normal[chosen] = solid.normals(x[chosen], y[chosen], high[better], face[better])


def _within(
    solid: Solid, x: Array, y: Array, order: npt.NDArray[np.int64] | None
) -> npt.NDArray[np.int64]:
    """Return the points within the bounds of a solid; with ``order``, x is sorted by it."""
    west, east, south, north = solid.bounds
    if order is None:
        inside = (x >= west) & (x <= east) & (y >= south) & (y <= north)
        return np.flatnonzero(inside)
    near = order[np.searchsorted(x, west) : np.searchsorted(x, east, side="right")]
    return near[(y[near] >= south) & (y[near] <= north)]


def ground_geoms(scene: Scene) -> list[int]:
    """Return every static geom that can collide and does not belong to a robot."""
    model, bodies = scene.model, scene.model.geom_bodyid
    robots = tuple(f"{name}/" for name in scene.robots)
    still = model.body_weldid[bodies] == 0
    solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    return [
        int(geom)
        for geom in np.flatnonzero(still & solid)
        if not (robots and model.body(bodies[geom]).name.startswith(robots))
    ]
