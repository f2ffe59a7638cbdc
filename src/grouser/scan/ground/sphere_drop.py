"""Spheres and skids put on ground in physics: where they come to rest, and what touches them."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.scan.ground.spheres import Spheres
from grouser.world.physics_settings import RIGID, STANDARD
from grouser.world.terrain.terrain_piece import TerrainPiece

TIMESTEP = 0.002  # s
LONGEST = 1.5
"""s after which a sphere that still moves is taken where it is."""
AT_REST = 1e-3
"""m/s."""
LIFT = 0.05
"""How far above its expected place something is let go, m; less under something."""
MASS = 0.1  # kg   of a sphere; without effect on where it rests but for 0.1 mm
BURIED = 0.5
"""A sphere is let go inside the ground if that reaches this part of its radius into it."""
SKID = (0.15, 0.04, 0.01)
"""Half the size of a skid, m: the part of a small crawler's belt that lies on the ground."""
SKID_MASS = 1.0  # kg
SKID_TIME = 0.4
"""s after which a skid lies; on a slope it may still slide."""


def dropped(terrain: Sequence[TerrainPiece], spheres: Spheres) -> Array:
    """Return how high the middles of spheres come to rest on ground, (n,), m.

    Each slides on a vertical of its own, without friction, and feels no other. One for which there
    is no ground falls as far as it gets in `LONGEST`; one that is let go inside the ground, where
    there should be air, is at ``inf``.
    """
    spec = _ground(terrain)
    lift = np.minimum(LIFT, 0.5 * spheres.room)
    for place, up in zip(spheres.middle, lift, strict=True):
        body = spec.worldbody.add_body(pos=place + np.array([0.0, 0.0, up]))
        body.add_joint(type=mujoco.mjtJoint.mjJNT_SLIDE, axis=[0, 0, 1])
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[spheres.radius, 0, 0],
            mass=MASS,
            condim=1,
            priority=1,  # else the ground's friction would hold it at walls
            **_OTHERS_PASS,
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    deep = data.contact.dist < -BURIED * spheres.radius
    # Bodies are the spheres, in order, after the world; geoms of ground belong to the world.
    buried = model.geom_bodyid[data.contact.geom[deep]].max(axis=1, initial=0) - 1
    _settle(model, data, LONGEST)
    heights = spheres.middle[:, 2] + lift + data.qpos
    heights[buried[buried >= 0]] = np.inf
    return np.asarray(heights)


def contacts_of_skids(terrain: Sequence[TerrainPiece], places: Array) -> float:
    """Return in how many points a skid touches ground on average: what a robot's belts will cost.

    Args:
        terrain: the ground.
        places: about where the ground is, (n, 3), m; a skid is let go over each.
    """
    spec = _ground(terrain)
    for place in places:
        body = spec.worldbody.add_body(pos=place + np.array([0.0, 0.0, LIFT]))
        body.add_freejoint()
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_BOX, size=SKID, mass=SKID_MASS, condim=3, **_OTHERS_PASS
        )
    model = spec.compile()
    data = mujoco.MjData(model)
    _settle(model, data, SKID_TIME)
    return int(data.ncon) / len(places)


_OTHERS_PASS = {"contype": 0, "conaffinity": 1, "solref": RIGID.solref, "solimp": RIGID.solimp}
"""Touches what ground is, and nothing else that is dropped."""


def _ground(terrain: Sequence[TerrainPiece]) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    STANDARD.model_copy(update={"timestep": TIMESTEP}).apply(spec)
    for number, piece in enumerate(terrain):
        piece.add(spec, STANDARD.ground, f"terrain/{number}")
    return spec


def _settle(model: mujoco.MjModel, data: mujoco.MjData, longest: float) -> None:
    """Step until nothing moves any more, or for ``longest`` (s)."""
    fall = round(2 * float(np.sqrt(2 * LIFT / 9.81)) / TIMESTEP)
    for number in range(round(longest / TIMESTEP)):
        mujoco.mj_step(model, data)
        if number > fall and np.abs(data.qvel).max() < AT_REST:
            return
