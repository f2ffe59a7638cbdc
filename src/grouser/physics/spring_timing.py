"""Springs and servos that are taken at the start of a step, not at its end.

MuJoCo's ``discrete`` integrator takes a spring's force at the end of a step, so that no spring is
too stiff for it. That damps: to a spring k a step of h adds a damper of k h, and a bounce of
w rad/s has a damping ratio of w h/2 beside its own. At 2 ms the servos of a roach got a quarter
more damping than they have, and what a crossing costs depended on the step.

With k h taken off the damper, -k (x + h v) - (c - k h) v is -k x - c v: the spring at the step's
start, the damper at its end, both still solved together with contacts. That is the semi-implicit
Euler rule, which neither damps nor drives a bounce that steps can follow.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import mujoco
import numpy as np

from grouser.physics.drives import Drive

LEAST_DAMPING = 1e-6
"""Part of a drive's own damping that is left at least. A spring with less damping than a step adds
(c < k h) is damped by the step, as MuJoCo would have it: steps could hardly follow it."""

_ONE_WAY = (int(mujoco.mjtJoint.mjJNT_HINGE), int(mujoco.mjtJoint.mjJNT_SLIDE))


def take_at_start(model: mujoco.MjModel, drives: Mapping[str, Drive]) -> dict[str, Drive]:
    """Take off every damper in ``model`` what a step adds to it; return the drives as they are now.

    Args:
        model: just compiled, with the ``discrete`` integrator; joints' dampers and servos' gains
            are written. Tendons' springs stay as MuJoCo takes them.
        drives: its servos, by actuator name.
    """
    timestep = float(model.opt.timestep)
    joints = np.flatnonzero(np.isin(model.jnt_type, _ONE_WAY))
    dofs = model.jnt_dofadr[joints]
    left = model.dof_damping[dofs] - timestep * model.jnt_stiffness[joints]
    model.dof_damping[dofs] = np.maximum(left, 0.0)
    taken = {name: _at_start(drive, timestep) for name, drive in drives.items()}
    for name, drive in taken.items():
        model.actuator_biasprm[model.actuator(name).id, 2] = -drive.viscosity
    return taken


def _at_start(drive: Drive, timestep: float) -> Drive:
    """Return ``drive`` with a ``timestep`` (s) of its stiffness taken off its viscosity."""
    viscosity = max(drive.viscosity - timestep * drive.stiffness, LEAST_DAMPING * drive.viscosity)
    return dataclasses.replace(drive, damping=drive.force / viscosity)
