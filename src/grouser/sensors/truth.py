"""Ground truth: where the robot really is. No real robot has this sensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.frames import to_rpy_one
from grouser.sensors.sensor import Moment


@dataclass(frozen=True, kw_only=True)
class Truth:
    """Pose and speed of one body in the world."""

    body: str
    """Name of the body on this robot."""
    name: str = "truth"
    rate_hz: float = 25.0

    def add(self, spec: mujoco.MjSpec) -> None:
        """Nothing to add: poses are computed anyway."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundTruth:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        return BoundTruth(model.body(prefix + self.body).id)


class BoundTruth:
    """Ground truth of a known body."""

    def __init__(self, body: int) -> None:
        """Watch the body with this id."""
        self.body = body
        self._velocity = np.zeros(6)

    def read(self, moment: Moment, rng: np.random.Generator) -> Mapping[str, float]:
        """Return x, y, z (m), roll, pitch, yaw (rad), vx, vy, vz (m/s), in the world frame."""
        mujoco.mj_objectVelocity(
            moment.model, moment.data, mujoco.mjtObj.mjOBJ_XBODY, self.body, self._velocity, 0
        )
        x, y, z = moment.data.xpos[self.body].tolist()
        roll, pitch, yaw = to_rpy_one(*moment.data.xquat[self.body].tolist())
        vx, vy, vz = self._velocity[3:].tolist()
        return {
            "x": x, "y": y, "z": z,
            "roll": roll, "pitch": pitch, "yaw": yaw,
            "vx": vx, "vy": vy, "vz": vz,
        }  # fmt: skip
