"""Motion capture sensor: pose of any body from external cameras (roach report, sec. 2.3).

A stream of poses with rate, delay, noise and lost frames (hidden markers).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import NotNegative
from grouser.errors import unknown
from grouser.frames import axis_angle, multiply, to_rpy_one
from grouser.sensors.sensor import Needs, Rate, SensorContext, SensorDescription, Values

_KEYS = ("x", "y", "z", "qw", "qx", "qy", "qz", "roll", "pitch", "yaw")


class MotionCapture(SensorDescription):
    """Motion capture of one rigid body."""

    kind: Literal["mocap"] = "mocap"
    body: str
    """Name of a body of this robot, or the full name of any other body in the world."""
    name: str = "mocap"
    rate_hz: Rate = 120.0
    """Frames per second; estimate: a usual OptiTrack."""
    delay_s: NotNegative = 0.01
    """Delay from measurement to availability, s; estimate: one frame and the network."""
    noise: NotNegative = 0.0003
    """Standard deviation of the position along each axis, m; estimate."""
    turn_noise: NotNegative = 0.002
    """Standard deviation of the orientation about each axis, rad; estimate."""
    lost: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Fraction of lost frames, 0 to 1."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add nothing: poses are always computed."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundMotionCapture:
        """Return the stream for the robot whose names begin with ``prefix``."""
        for name in (prefix + self.body, self.body):
            body = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_BODY, name)
            if body >= 0:
                return BoundMotionCapture(self, body)
        names = [model.body(body).name for body in range(model.nbody)]
        raise unknown(f"sensor '{self.name}'", "body", self.body, names)


@dataclass(frozen=True)
class BoundMotionCapture:
    """Motion capture bound to a body."""

    description: MotionCapture
    body: int
    needs: Needs = Needs.POSES

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return tracked (1, 0), x, y, z (m), qw, qx, qy, qz and roll, pitch, yaw (rad).

        All in the world frame; nan in a lost frame.
        """
        description, data = self.description, context.data
        if description.lost and rng.random() < description.lost:
            return {"tracked": 0.0, **dict.fromkeys(_KEYS, math.nan)}
        position = data.xpos[self.body] + rng.normal(0.0, description.noise, 3)
        wxyz = _with_turn_noise(data.xquat[self.body], description.turn_noise, rng).tolist()
        numbers = (*position.tolist(), *wxyz, *to_rpy_one(*wxyz))
        return {"tracked": 1.0, **dict(zip(_KEYS, numbers, strict=True))}


def _with_turn_noise(wxyz: np.ndarray, noise: float, rng: np.random.Generator) -> np.ndarray:
    """Return an orientation (4,) with noise about every axis."""
    if not noise:
        return wxyz
    turn = rng.normal(0.0, noise, 3)
    return multiply(wxyz, axis_angle(turn.tolist(), float(np.linalg.norm(turn))))
