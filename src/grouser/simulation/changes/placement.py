"""A free spot near a start, for a robot that goes back to where somebody stands meanwhile."""

from __future__ import annotations

import math

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Array

RINGS = 4
"""How many rings around the start are looked at, each one size of the robot wider."""
DIRECTIONS = 8
"""Spots on a ring."""
SUNK = 0.005
"""How much deeper in the ground than at the start a spot may be, m."""

Bodies = npt.NDArray[np.intp]


def free_spot(model: mujoco.MjModel, data: mujoco.MjData, bodies: Bodies) -> Array:
    """Return by how much to move ``bodies``, a free mover, so that they touch nobody, (3,), m.

    Nothing in ``data`` changes. Where every spot is taken, they stay: (0, 0, 0).
    """
    trial = mujoco.MjData(model)
    trial.qpos[:] = data.qpos
    first = int(model.jnt_qposadr[model.body_jntadr[bodies[0]]])
    start = trial.qpos[first : first + 3].copy()
    taken, ground = _depths(model, trial, bodies)
    if taken <= 0:
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


def _depths(model: mujoco.MjModel, trial: mujoco.MjData, bodies: Bodies) -> tuple[float, float]:
    """Return how deep ``bodies`` are in other movers and in what is fixed, m; 0: not at all."""
    mujoco.mj_fwdPosition(model, trial)
    pairs = model.geom_bodyid[trial.contact.geom.reshape(-1, 2)]
    depth = -np.asarray(trial.contact.dist, float)
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
