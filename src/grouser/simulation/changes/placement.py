"""Collision-free placement: a free position near the start of a robot that joins or restarts."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.simulation.scene_state import SceneState

RINGS = 4
"""Rings of candidates around the start; radii are multiples of the robot's size."""
DIRECTIONS = 8
"""Candidates per ring."""
SUNK = 0.005
"""Largest additional penetration of the ground, m."""

ARRIVAL_RINGS = 12
"""Rings of candidates for a robot that joins; radii are multiples of half its size."""
UNEVEN = 0.25
"""Largest height difference of the ground under a robot that joins, in sizes: estimate, 14 deg."""
CLEAR = 0.01
"""Height above the ground at which a moved robot is placed, m."""
ABOVE = 1.0
"""Start of the search for ground above the robot's root, m: below ceilings, above obstacles."""

Bodies = npt.NDArray[np.intp]


def free_spot(
    model: mujoco.MjModel, data: mujoco.MjData, bodies: Bodies, *, away: bool = False
) -> Array:
    """Return the offset to a free position of ``bodies``, one robot or object, (3,), m.

    ``data`` does not change. The offset is zero if no position is free; with ``away`` the present
    position is left even if it is free.
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


def stands_free(state: SceneState, name: str) -> bool:
    """Return True if ``name``, which has just joined, penetrates nothing.

    Args:
        state: with up-to-date contacts.
        name: of a robot; a robot fixed to the world counts as free.
    """
    bodies = state.ownership.bodies(name)
    if free_joint(state.model, bodies) is None:
        return True
    return _is_allowed(_touching(state.model, state.data, bodies))


def arrival_spot(state: SceneState, name: str) -> Array | None:
    """Return the offset to a free position of ``name``, which has just joined, (3,), m.

    ``state`` does not change. Zero: the present position is free. None: no near position is.
    """
    model, data, bodies = state.model, state.data, state.ownership.bodies(name)
    if (joint := free_joint(model, bodies)) is None:
        return np.zeros(3)
    trial = state.scratch_data
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
    """Return the height (m) of the static ground under a point; None: there is none."""
    geom, down = np.zeros(1, np.int32), np.array([0.0, 0.0, -1.0])
    for _ in range(100):
        distance = mujoco.mj_ray(model, data, np.array([x, y, top]), down, None, 1, -1, geom)
        if distance < 0:
            return None
        if model.body_weldid[model.geom_bodyid[geom[0]]] == 0:
            return top - float(distance)
        top -= float(distance) + 1e-6  # a movable body: search below it
    return None


def _is_free(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> bool:
    """Return True if ``bodies`` penetrate nothing; standing on the ground is allowed."""
    return _is_allowed(_depths(model, trial, bodies))


def _is_allowed(depths: tuple[float, float]) -> bool:
    """Return True if the penetrations of movable bodies and of the ground are allowed."""
    taken, sunk = depths
    return taken <= 0 and sunk <= SUNK


def free_joint(model: mujoco.MjModel, bodies: Bodies) -> int | None:
    """Return the free joint of a robot or object; None: it is fixed to the world."""
    joint = int(model.body_jntadr[bodies[0]]) if len(bodies) else -1
    if joint < 0 or model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_FREE:
        return None
    return joint


def _highest_floor(
    model: mujoco.MjModel, data: mujoco.MjData, x: float, y: float, z: float, size: float
) -> float | None:
    """Return the highest ground (m) under a robot of this ``size``.

    None: part of it has none, or the ground is too uneven.
    """
    spots = [(x + a * size / 3, y + b * size / 3) for a in (-1, 0, 1) for b in (-1, 0, 1)]
    floors = [floor_below(model, data, *spot, z + ABOVE) for spot in spots]
    found = [floor for floor in floors if floor is not None]
    if len(found) < len(floors) or max(found) - min(found) > UNEVEN * size:
        return None
    return max(found)


def _depths(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> tuple[float, float]:
    """Return the penetrations of ``bodies`` with movable and with fixed bodies, m; 0: none."""
    mujoco.mj_fwdPosition(model, trial)
    return _touching(model, trial, bodies)


def _touching(model: mujoco.MjModel, data: mujoco.MjData, bodies: Bodies) -> tuple[float, float]:
    """Return the same from the contacts in ``data``."""
    pairs = model.geom_bodyid[data.contact.geom.reshape(-1, 2)]
    depth = -np.asarray(data.contact.dist, float)
    own = np.isin(pairs, bodies)
    fixed = (model.body_weldid[pairs] == 0).any(axis=1)
    touched = own.any(axis=1) & ~own.all(axis=1)
    others, ground = depth[touched & ~fixed], depth[touched & fixed]
    return float(max(others, default=0.0)), float(max(ground, default=0.0))


def _size(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> float:
    """Return the diameter of the bounding circle of ``bodies`` around their root, m."""
    own = np.isin(model.geom_bodyid, bodies)
    away = trial.geom_xpos[own, :2] - trial.xpos[bodies[0], :2]
    return 2 * float(max(np.linalg.norm(away, axis=1) + model.geom_rbound[own], default=0.0))


def _below_root(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> float:
    """Return the depth (m) of the lowest point of ``bodies`` below their root."""
    own = np.flatnonzero(np.isin(model.geom_bodyid, bodies) & (model.geom_contype != 0))
    middle, half = model.geom_aabb[own, :3], model.geom_aabb[own, 3:]
    down = trial.geom_xmat[own].reshape(-1, 3, 3)[:, 2]
    lowest = trial.geom_xpos[own, 2] + (down * middle).sum(axis=1) - (abs(down) * half).sum(axis=1)
    return float(trial.xpos[bodies[0], 2] - min(lowest, default=0.0))
