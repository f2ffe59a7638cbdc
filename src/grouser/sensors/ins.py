"""INS sensor: inertial navigation by dead reckoning, with drift.

From reading to reading the true change of pose in the sensor frame is corrupted and added to the
estimated pose. Errors are Gaussian and proportional to the change (as in USARSim), plus a constant
drift velocity that is drawn once per run.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import mujoco
import numpy as np

from grouser.description import NotNegative
from grouser.frames import (
    IDENTITY_WXYZ,
    Pose,
    Quaternion,
    Triple,
    multiply_one,
    rotate_one,
    to_rpy_one,
)
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Values, site_pose


class Ins(MountedSensor):
    """Inertial navigation system; it starts at the true pose."""

    kind: Literal["ins"] = "ins"
    name: str = "ins"
    rate_hz: Rate = 5.0
    """Readings per second (USARSim: every 0.2 s)."""
    noise_part: NotNegative = 0.0
    """Relative standard deviation of each step's translation and rotation."""
    drift: NotNegative = 0.0
    """Standard deviation of the drift velocity along each axis, m/s."""
    turn_drift: NotNegative = 0.0
    """Standard deviation of the angular drift velocity about each axis, rad/s."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundIns:
        """Return the INS of the robot whose names begin with ``prefix``."""
        return BoundIns(self, self.site(model, prefix))


PlainPose = tuple[Triple, Quaternion]
"""Position (m) and quaternion as plain numbers: ten times faster than small arrays."""


@dataclass(frozen=True)
class InsState:
    """State of an INS between readings."""

    time: float
    """Time of the last reading, s."""
    X_WS: PlainPose
    """True pose then."""
    X_WI: PlainPose
    """Estimated pose then."""
    drift: tuple[float, ...]
    """Drift velocity along and about each axis, (6,), m/s and rad/s."""


class BoundIns:
    """INS bound to its site."""

    needs = Needs.POSES

    def __init__(self, description: Ins, site: int) -> None:
        self._description, self._site = description, site
        self.memory: InsState | None = None

    def set_pose(self, X_WI: Pose) -> None:
        """Set the estimated pose."""
        if self.memory is not None:
            self.memory = replace(self.memory, X_WI=_plain_pose(X_WI))

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return the estimated x, y, z (m), roll, pitch, yaw (rad) in the world frame."""
        X_WS = _plain_pose(site_pose(context.data, self._site))
        self.memory = self._integrate(float(context.data.time), X_WS, rng)
        (x, y, z), wxyz = self.memory.X_WI
        roll, pitch, yaw = to_rpy_one(*wxyz)
        return {"x": x, "y": y, "z": z, "roll": roll, "pitch": pitch, "yaw": yaw}

    def _integrate(self, time: float, X_WS: PlainPose, rng: np.random.Generator) -> InsState:
        description, was = self._description, self.memory
        if was is None:
            spread = np.repeat([description.drift, description.turn_drift], 3)
            drift = rng.normal(0.0, 1.0, 6) * spread
            return InsState(time, X_WS, X_WS, tuple(drift.tolist()))
        way, turn = _relative_motion(was.X_WS, X_WS)
        errors = [speed * (time - was.time) for speed in was.drift]
        if description.noise_part:
            noise = description.noise_part * np.repeat([_length(way), _length(turn)], 3)
            errors = (errors + noise * rng.standard_normal(6)).tolist()
        step = _sum(way, errors[:3]), _from_rotation_vector(_sum(turn, errors[3:]))
        return InsState(time, X_WS, _compose(was.X_WI, step), was.drift)


def _plain_pose(X_WB: Pose) -> PlainPose:
    (x, y, z), (qw, qx, qy, qz) = X_WB.position.tolist(), X_WB.wxyz.tolist()
    return (x, y, z), (qw, qx, qy, qz)


def _compose(X_WB: PlainPose, X_BC: PlainPose) -> PlainPose:
    """Return ``X_WC``."""
    (p_WB, q_WB), (p_BC, q_BC) = X_WB, X_BC
    return _sum(p_WB, rotate_one(q_WB, p_BC)), multiply_one(q_WB, q_BC)


def _relative_motion(X_WA: PlainPose, X_WB: PlainPose) -> tuple[Triple, Triple]:
    """Return translation (m) and rotation vector (rad) from A to B in frame A."""
    (p_WA, (w, x, y, z)), (p_WB, q_WB) = X_WA, X_WB
    back = w, -x, -y, -z
    (ax, ay, az), (bx, by, bz) = rotate_one(back, p_WA), rotate_one(back, p_WB)
    return (bx - ax, by - ay, bz - az), _rotation_vector(multiply_one(back, q_WB))


def _rotation_vector(wxyz: Quaternion) -> Triple:
    """Return the rotation vector of a quaternion, less than half a turn."""
    vector = np.empty(3)
    mujoco.mju_quat2Vel(vector, np.array(wxyz), 1.0)
    x, y, z = vector.tolist()
    return x, y, z


def _from_rotation_vector(vector: Triple) -> Quaternion:
    """Return the unit quaternion of a rotation vector."""
    angle = _length(vector)
    if not angle:
        return IDENTITY_WXYZ
    (x, y, z), sine = vector, math.sin(angle / 2)
    return math.cos(angle / 2), sine * (x / angle), sine * (y / angle), sine * (z / angle)


def _sum(a: Triple, b: Sequence[float]) -> Triple:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _length(vector: Triple) -> float:
    # BLAS rounds once less than a plain sum; earlier results must stay bit-equal.
    array = np.array(vector)
    return math.sqrt(array.dot(array))
