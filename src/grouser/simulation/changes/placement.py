"""A free spot near a start, for a robot that comes, or goes back, to where something is."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.simulation.live_scene import LiveScene

RINGS = 4
"""How many rings around the start are looked at, each one size of the robot wider."""
DIRECTIONS = 8
"""Spots on a ring."""
SUNK = 0.005
"""How much deeper in the ground than at the start a spot may be, m."""

ARRIVAL_RINGS = 12
"""How many rings around a place are looked at for an arrival, each half a size wider."""
UNEVEN = 0.25
"""By how much, in parts of its size, the ground under an arrival may rise: an estimate, 14 deg."""
CLEAR = 0.01
"""How high above the ground an arrival that had to be moved is set down, m."""
ABOVE = 1.0
"""How high above its middle ground is looked for, m: below a ceiling, above what it stands in."""

Bodies = npt.NDArray[np.intp]


def free_spot(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: Bodies, *, away: bool = False
) -> Array:
    """Return by how much to move ``bodies``, a free mover, so that they touch nobody, (3,), m.

    Nothing in ``data`` changes. Where every spot is taken, they stay: (0, 0, 0); with ``away`` they
    leave their spot even if it is free.
    """
    trial = mujoco.MjData(model)
    trial.qpos[:] = data.qpos
    first = int(model.jnt_qposadr[model.body_jntadr[bodies[0]]])
    start = trial.qpos[first : first + 3].copy()
    taken, ground = _depths(model, trial, bodies)
    if taken <= 0 and not away:
        return np.zeros(3)
    size = _size(model, trial, bodies)
    for ring in range(1, RINGS + 1):
        for turn in np.arange(DIRECTIONS) * (2 * math.pi / DIRECTIONS):
            move = ring * size * np.array([math.cos(turn), math.sin(turn), 0.0])
            trial.qpos[first : first + 3] = start + move
            taken, sunk = _depths(model, trial, bodies)
            if taken <= 0 and sunk <= ground + SUNK:
                return move
    return np.zeros(3)


def stands_free(live: LiveScene, name: str) -> bool:
    """Return whether ``name``, who has just come, is in nothing solid.

    Args:
        live: in which everything has been computed for where everybody is now.
        name: of a robot; one that is built into the world is where it is meant to be.
    """
    bodies = live.movers.bodies(name)
    if _free_joint(live, bodies) is None:
        return True
    return _allowed(_touching(live.model, live.data, bodies))


def arrival_spot(live: LiveScene, name: str) -> Array | None:
    """Return by how much to move ``name``, who has just come, out of everything solid, (3,), m.

    Nothing changes. Zero: it is free where it is. None: no spot near is free.
    """
    model, data, bodies = live.model, live.data, live.movers.bodies(name)
    if (joint := _free_joint(live, bodies)) is None:
        return np.zeros(3)
    trial = live.scratch
    trial.qpos[:] = data.qpos
    first = int(model.jnt_qposadr[joint])
    if _is_free(model, trial, bodies):
        return np.zeros(3)
    start = trial.qpos[first : first + 3].copy()
    size, legs = _size(model, trial, bodies), _below_root(model, trial, bodies)
    for ring in range(ARRIVAL_RINGS + 1):
        for turn in np.arange(DIRECTIONS if ring else 1) * (2 * math.pi / DIRECTIONS):
            x, y = start[:2] + ring / 2 * size * np.array([math.cos(turn), math.sin(turn)])
            ground = _highest_floor(model, data, float(x), float(y), float(start[2]), size)
            if ground is None:
                continue
            trial.qpos[first : first + 3] = x, y, ground + legs + CLEAR
            if _is_free(model, trial, bodies):
                return np.asarray(trial.qpos[first : first + 3] - start)
    return None


def floor_below(
    model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float, top: float
) -> float | None:
    """Return the height (m) of what cannot move under a point; None: there is nothing."""
    geom, down = np.zeros(1, np.int32), np.array([0.0, 0.0, -1.0])
    for _ in range(100):
        distance = mujoco.mj_ray(model, data, np.array([x, y, top]), down, None, 1, -1, geom)
        if distance < 0:
            return None
        if model.body_weldid[model.geom_bodyid[geom[0]]] == 0:
            return top - float(distance)
        top -= float(distance) + 1e-6  # somebody is standing there: look below
    return None


def _is_free(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> bool:
    """Return whether ``bodies`` are in nothing; standing on the ground is not being in it."""
    return _allowed(_depths(model, trial, bodies))


def _allowed(depths: tuple[float, float]) -> bool:
    """Return whether one may be as deep as `_depths` says in other movers and in the ground."""
    taken, sunk = depths
    return taken <= 0 and sunk <= SUNK


def _free_joint(live: LiveScene, bodies: Bodies) -> int | None:
    """Return the joint by which a mover is free; None: it is built into the world."""
    model = live.model
    joint = int(model.body_jntadr[bodies[0]]) if len(bodies) else -1
    if joint < 0 or model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
        return None
    return joint


def _highest_floor(
    model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float, z: float, size: float
) -> float | None:
    """Return the highest ground (m) under a robot of this ``size``.

    None: part of it has none, or it is so uneven that the robot would tip over an edge.
    """
    spots = [(x + a * size / 3, y + b * size / 3) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    floors = [floor_below(model, data, *spot, z + ABOVE) for spot in spots]
    found = [floor for floor in floors if floor is not None]
    if len(found) < len(floors) or max(found) - min(found) > UNEVEN * size:
        return None
    return max(found)


def _depths(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> tuple[float, float]:
    """Return how deep ``bodies`` are in other movers and in what is fixed, m; 0: not at all."""
    mujoco.mj_fwdPosition(model, trial)
    return _touching(model, trial, bodies)


def _touching(model: mujoco.MjModel, data: mujoco.MjData, bodies: Bodies) -> tuple[float, float]:
    """Return the same by the contacts that are known already."""
    pairs = model.geom_bodyid[data.contact.geom.reshape(-1, 2)]
    depth = -np.asarray(data.contact.dist, float)
    own = np.isin(pairs, bodies)
    fixed = (model.body_weldid[pairs] == 0).any(axis=1)
    touched = own.any(axis=1) & ~own.all(axis=1)
    others, ground = depth[touched & ~fixed], depth[touched & fixed]
    return float(max(others, default=0.0)), float(max(ground, default=0.0))


def _size(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> float:
    """Return the diameter of a circle around the root that ``bodies`` fit into, m."""
    own = np.isin(model.geom_bodyid, bodies)
    away = trial.geom_xpos[own, :2] - trial.xpos[bodies[0], :2]
    return 2 * float(max(np.linalg.norm(away, axis=1) + model.geom_rbound[own], default=0.0))


def _below_root(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> float:
    """Return how far (m) the lowest point of ``bodies`` is below their root."""
    own = np.flatnonzero(np.isin(model.geom_bodyid, bodies) & (model.geom_contype != 0))
    middle, half = model.geom_aabb[own, :3], model.geom_aabb[own, 3:]
    down = trial.geom_xmat[own].reshape(-1, 3, 3)[:, 2]
    lowest = trial.geom_xpos[own, 2] + (down * middle).sum(axis=1) - (abs(down) * half).sum(axis=1)
    return float(trial.xpos[bodies[0], 2] - min(lowest, default=0.0))
