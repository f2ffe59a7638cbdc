"""Backlash: free play between a motor's joint and the body that it moves."""

from __future__ import annotations

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import radians

STOP_TIME = 0.004
"""s; time constant of the contact of two teeth."""


def add_backlash(body: mujoco.MjsBody, joint: mujoco.MjsJoint, play_deg: float) -> None:
    """Add a free hinge of ``play_deg`` behind the motor's hinge ``joint`` of ``body``.

    The drive, its encoder and the rotor's inertia stay on ``joint``; the body moves on after it, up
    to half of the play to either side.

    Raises:
        BadValue: ``joint`` is no hinge, or has no inertia of its own.
    """
    if not play_deg:
        return
    if joint.type != mujoco.mjtJoint.mjJNT_HINGE:
        raise BadValue(f"joint '{joint.name}': backlash_deg is for hinges, this one is a slide")
    if not float(np.max(joint.armature)) > 0:
        raise BadValue(
            f"joint '{joint.name}': backlash_deg needs an armature above 0, the inertia that moves "
            "while the teeth do not touch"
        )
    half = radians(play_deg) / 2
    body.add_joint(
        name=f"{joint.name}/backlash",
        type=mujoco.mjtJoint.mjJNT_HINGE,
        axis=joint.axis,
        pos=joint.pos,
        range=(-half, half),
        limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        solref_limit=[STOP_TIME, 1.0],
    )
