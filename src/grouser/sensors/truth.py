"""Ground truth: where the robot really is. No real robot has this sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.frames import to_rpy
from grouser.sensors.sensor import Moment


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Pose and speed of one body in the world."""

    body: str
    """Name of the body on this robot."""
    name: str = "truth"
    rate_hz: float = 100.0

    def add(self, spec: mujoco.MjSpec) -> None:
        """Nothing to add: poses are computed anyway."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundTruth:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        return BoundTruth(model.body(prefix + self.body).id)


@dataclass(frozen=True)
class BoundTruth:
    """Ground truth of a known body."""

    body: int

    def read(self, moment: Moment, rng: np.random.Generator) -> Mapping[str, float]:
        """Return x, y, z (m), roll, pitch, yaw (rad), vx, vy, vz (m/s), in the world frame."""
        data = moment.data
        velocity = np.zeros(6)
        mujoco.mj_objectVelocity(
            moment.model, data, mujoco.mjtObj.mjOBJ_XBODY, self.body, velocity, 0
        )
        position, rpy = data.xpos[self.body], to_rpy(data.xquat[self.body])
        names = ("x", "y", "z", "roll", "pitch", "yaw", "vx", "vy", "vz")
        numbers = np.concatenate([position, rpy, velocity[3:]])
        return dict(zip(names, numbers.tolist(), strict=True))
