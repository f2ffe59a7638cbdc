"""How many walls are between two points: terrain and objects, never robots."""

from __future__ import annotations

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.simulation.scene import Scene

_MESH, _HFIELD = int(mujoco.mjtGeom.mjGEOM_MESH), int(mujoco.mjtGeom.mjGEOM_HFIELD)
_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)


class Walls:
    """All of a scene that a signal has to pass through."""

    def __init__(self, scene: Scene) -> None:
        """Find whatever can be bumped into and is no robot's."""
        model = scene.model
        self._model = model
        roots = model.body_rootid[model.geom_bodyid]
        robots = tuple(f"{name}/" for name in scene.robots)
        free = np.array([model.body(root).name.startswith(robots) for root in roots], bool)
        solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        self._geoms = np.flatnonzero(solid & ~free)
        types = model.geom_type[self._geoms]
        # A plane has no end.
        self._reach = np.where(types == _PLANE, np.inf, model.geom_rbound[self._geoms])

    def between(self, data: mujoco.MjData, begin: Array, end: Array, most: int) -> int:
        """Return how many walls a straight line passes, ``most`` at most; each counts once.

        Args:
            data: where everything is; its places must be up to date.
            begin: one end of the line in the world, m, (3,).
            end: the other.
            most: how many are worth counting.
        """
        way = end - begin
        count = 0
        for geom in self._near(data, begin, way):
            if count >= most:
                break
            count += self._passes(data, int(geom), begin, way)
        return count

    def _near(self, data: mujoco.MjData, begin: Array, way: Array) -> Array:
        """Return the geoms whose bounding sphere the line passes."""
        to = data.geom_xpos[self._geoms] - begin
        along = np.clip(to @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
        away = np.linalg.norm(to - along[:, None] * way, axis=1)
        return np.asarray(self._geoms[away <= self._reach])

    def _passes(self, data: mujoco.MjData, geom: int, begin: Array, way: Array) -> bool:
        model, kind = self._model, int(self._model.geom_type[geom])
        if kind == _MESH:
            share = mujoco.mj_rayMesh(model, data, geom, begin, way)
        elif kind == _HFIELD:
            share = mujoco.mj_rayHfield(model, data, geom, begin, way)
        else:
            place, turn = data.geom_xpos[geom], data.geom_xmat[geom]
            share = mujoco.mju_rayGeom(place, turn, model.geom_size[geom], begin, way, kind)
        return bool(0.0 <= share <= 1.0)
