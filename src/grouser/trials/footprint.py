"""Robot footprint from a compiled model: carrying contacts and the underside of the body.

The robot stands level in its initial posture. Vertical lines through its geoms give the height of
all undersides. A part that is connected to the root by a joint and reaches down to the plane
carries the robot: a leg, a wheel, or the belts of one side together. All other parts must not touch
the ground, except the rest of belts and wheels, which can climb.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import IDENTITY_WXYZ, Array
from grouser.physics.contacts import BELT, WORLD
from grouser.planning.ground import RobotFootprint
from grouser.simulation.ground_solids import Solid, solid_of
from grouser.simulation.scene import Scene

SAMPLES = 120
"""Vertical lines along the longer side of a robot."""
CELLS = 20
"""Cells of a footprint along the longer side of a robot; each keeps its lowest point."""
DOWN = 0.25
"""Largest height of a carrying point, as a part of the belly's height; estimate: legs are lifted
less."""
FOOT_REACH = 0.25
"""Largest depth of ground below a leg, as a part of the robot's length; estimate."""


@dataclass(frozen=True)
class _Part:
    """One geom of the robot and its function."""

    solid: Solid
    limb: str
    """Leg, wheel or side's belts it belongs to; empty: the body."""
    rolls: bool
    middle: float
    """Height of its centre, m: the axle of a wheel."""


def footprint_of(scene: Scene, robot: str) -> RobotFootprint:
    """Return the footprint of ``robot``, standing in its posture.

    Raises:
        UnknownName: there is no such robot.
        BadValue: the robot is bolted to the world, or nothing carries it.
    """
    if robot not in scene.robots:
        raise unknown("footprint", "robot", robot, scene.robots)
    if not scene.robots[robot].free:
        raise BadValue(f"footprint: '{robot}' is bolted to the world and cannot drive")
    parts = _parts(scene, robot, _standing_level(scene, robot))
    if not any(part.limb for part in parts):
        raise BadValue(f"footprint: '{robot}' has neither legs nor wheels nor belts")
    bounds = np.array([part.solid.bounds for part in parts])
    x, y = _lines(bounds[:, 0].min(), bounds[:, 1].max(), bounds[:, 2].min(), bounds[:, 3].max())
    lows = [_underside(part.solid, x, y) for part in parts]
    # The lowest point of a capsule may lie between two lines: an error of about 0.01 mm.
    plane = min(float(low.min()) for part, low in zip(parts, lows, strict=True) if part.limb)
    length = float(max(np.ptp(x), np.ptp(y)))

    def points(limb: str) -> Array:
        mine = [low for part, low in zip(parts, lows, strict=True) if part.limb == limb]
        return _lowest_points(x, y, np.min(mine, axis=0) - plane, length / CELLS)

    body = [points("")] if any(not part.limb for part in parts) else []
    belly = min(float(body[0][:, 2].min()), length) if body else length
    contacts: list[Array] = []
    reach: list[float] = []
    rolls = False
    for limb in sorted({part.limb for part in parts if part.limb}):
        mine = [part for part in parts if part.limb == limb]
        found, rolling = points(limb), all(part.rolls for part in mine)
        down = found[:, 2] <= DOWN * belly
        if not down.any():
            body.append(found)
        elif rolling:
            contacts.append(found)
            axle = np.mean([max(part.middle for part in mine), min(part.middle for part in mine)])
            reach.append(max(belly, float(axle) - plane))
            rolls = True
        else:
            contacts.append(np.column_stack([found[down, :2], np.zeros(int(down.sum()))]))
            reach.append(min(belly, FOOT_REACH * length))
    if not contacts:
        raise BadValue(f"footprint: nothing carries '{robot}' when it stands")
    all_contacts = np.concatenate(contacts)
    return RobotFootprint(
        contacts=all_contacts,
        group=np.repeat(np.arange(len(contacts)), [len(some) for some in contacts]),
        carries=all_contacts[:, 2] <= DOWN * belly,
        reach=np.array(reach),
        body=np.concatenate(body) if body else np.empty((0, 3)),
        standing=-plane,
        rolls=rolls,
    )


def _standing_level(scene: Scene, robot: str) -> mujoco.MjData:
    """Return a state with the robot level in its posture and its root at the origin."""
    data = scene.initial()
    root = int(scene.model.joint(f"{robot}/free").qposadr[0])
    data.qpos[root : root + 7] = (0.0, 0.0, 0.0, *IDENTITY_WXYZ)
    mujoco.mj_kinematics(scene.model, data)
    return data


def _parts(scene: Scene, robot: str, data: mujoco.MjData) -> list[_Part]:
    """Return every geom of the robot that can touch the ground, with its limb."""
    model = scene.model
    root = model.body(f"{robot}/{scene.robots[robot].root}").id
    parts = []
    for geom in range(model.ngeom):
        body = int(model.geom_bodyid[geom])
        # Geoms without contact bits, such as a belt's buffers, are not part of the shape.
        touches = model.geom_contype[geom] and model.geom_conaffinity[geom] & WORLD
        if model.body_rootid[body] != root or not touches:
            continue
        solid, middle = solid_of(model, data, geom), float(data.geom_xpos[geom][2])
        if model.geom_contype[geom] == BELT:
            side = "left" if data.geom_xpos[geom][1] > 0 else "right"
            parts.append(_Part(solid, f"belts {side}", True, middle))
        elif model.body_weldid[body] == model.body_weldid[root]:
            parts.append(_Part(solid, "", False, middle))
        else:
            limb = model.body(model.body_weldid[body]).name
            parts.append(_Part(solid, limb, _spins(model, body), middle))
    return parts


def _spins(model: mujoco.MjModel, body: int) -> bool:
    """Return whether a body is a wheel: on a hinge without limits."""
    first = model.body_jntadr[body]
    joints = range(first, first + model.body_jntnum[body])
    hinge = mujoco.mjtJoint.mjJNT_HINGE
    return any(model.jnt_type[j] == hinge and not model.jnt_limited[j] for j in joints)


def _lines(west: float, east: float, south: float, north: float) -> tuple[Array, Array]:
    """Return x and y of evenly spaced vertical lines over a rectangle."""
    step = max(east - west, north - south) / SAMPLES
    along = np.arange(west + step / 2, east, step)
    across = np.arange(south + step / 2, north, step)
    x, y = np.meshgrid(along, across)
    return x.ravel(), y.ravel()


def _underside(solid: Solid, x: Array, y: Array) -> Array:
    """Return the heights at which lines enter a solid from below, m; inf where they miss it."""
    west, east, south, north = solid.bounds
    near = np.flatnonzero((x >= west) & (x <= east) & (y >= south) & (y <= north))
    low, high, _ = solid.spans(x[near], y[near])
    underside = np.full(len(x), np.inf)
    underside[near] = np.where(high >= low, low, np.inf)
    return underside


def _lowest_points(x: Array, y: Array, low: Array, cell: float) -> Array:
    """Return the lowest point (x, y, height) of every occupied square of size ``cell`` (m)."""
    hit = np.isfinite(low)
    x, y, low = x[hit], y[hit], low[hit]
    square = np.floor(np.column_stack([x, y]) / cell).astype(np.int64)
    order = np.lexsort([low, square[:, 1], square[:, 0]])
    _, first = np.unique(square[order], axis=0, return_index=True)
    chosen = order[first]
    return np.column_stack([x, y, low])[chosen]
