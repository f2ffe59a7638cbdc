"""Flippers: arms that turn about a pulley's axis, each with a belt that its track's motor drives.

Up is positive for all of them, wherever they point.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from grouser.frames import Pose
from grouser.robots.parts.hull import ORANGE, Vector, add_hull, set_box_mass
from grouser.tracks.track import Belt, Track, add_track


@dataclass(frozen=True, kw_only=True)
class Flipper:
    """One flipper; m, kg."""

    place: str
    """Its name, such as ``front_left``; its arm, joint and drive are ``front_left_arm``."""
    axis: Vector
    """Where it turns, in the body it is on."""
    forward: int
    """1: it points forwards at 0 rad, -1: backwards."""
    track: Track
    """Its belt, geared; x along the robot."""
    mass: float
    """Arm and belt."""
    half: Vector
    """Half edges of the even box as which it weighs."""
    at: Vector
    """Middle of that box from the axis."""
    arm_half: Vector
    """Half edges of the box inside its belt, which touches, too."""
    arm_at: Vector
    """Middle of that box from the axis."""
    armature: float
    """Of its motor, seen at the arm, kg m²."""
    limits: tuple[float, float] | None = None
    """How far it turns, rad; None: without end."""
    rgb: Vector = ORANGE

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, main: Belt) -> Belt:
        """Hang it on ``body``, its belt geared to ``main``."""
        name = f"{self.place}_arm"
        arm = body.add_body(name=name, pos=self.axis)
        # Up is positive for all: the axis is turned round for those that point forwards.
        joint = arm.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=[0, -self.forward, 0],
            armature=self.armature,
        )
        if self.limits:
            joint.limited = mujoco.mjtLimited.mjLIMITED_TRUE
            joint.range = self.limits
        add_hull(arm, name, self.arm_half, at=self.arm_at, rgb=self.rgb)
        belt = add_track(spec, arm, self.track, self.place, Pose(), shaft=main)
        set_box_mass(arm, self.mass - belt.mass, self.half, at=self.at)
        return belt
