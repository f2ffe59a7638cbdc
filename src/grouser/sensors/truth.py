"""Ground truth sensor: true pose and velocity. No real robot has this sensor."""

from __future__ import annotations

from functools import partial
from typing import Literal

import mujoco
import numpy as np

from grouser.errors import unknown
from grouser.frames import to_rpy_one
from grouser.sensors.sensor import (
    LazyValues,
    Needs,
    SensorContext,
    SensorDescription,
    Value,
    Values,
)


class Truth(SensorDescription):
    """Pose and velocity of one body in the world."""

    kind: Literal["truth"] = "truth"
    body: str
    """Name of the body on this robot."""
    name: str = "truth"

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the body exists; nothing is added."""
        if spec.body(self.body) is None:
            names = [body.name for body in spec.bodies]
            raise unknown(f"sensor '{self.name}'", "body", self.body, names)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundTruth:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        return BoundTruth(model, model.body(prefix + self.body).id)


class BoundTruth:
    """Ground truth bound to a body."""

    def __init__(self, model: mujoco.MjModel, body: int) -> None:
        """Bind to a body id; a free body is read directly from the state."""
        self._body, self._velocity = body, np.zeros(6)
        joint = int(model.body_jntadr[body])
        free = joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE
        self.needs = Needs.STATE if free else Needs.POSES | Needs.VELOCITIES
        self._free = bool(free)
        self._qpos = int(model.jnt_qposadr[joint]) if free else 0
        self._dof = int(model.jnt_dofadr[joint]) if free else 0

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return x, y, z (m), roll, pitch, yaw (rad), vx, vy, vz (m/s), in the world frame."""
        numbers = self._state(context) if self._free else self._derivative(context)
        return LazyValues(partial(_values_by_name, numbers))

    def _state(self, context: SensorContext) -> list[float]:
        data = context.data
        pose: list[float] = data.qpos[self._qpos : self._qpos + 7].tolist()
        return pose + list(data.qvel[self._dof : self._dof + 3].tolist())

    def _derivative(self, context: SensorContext) -> list[float]:
        data, kind = context.data, mujoco.mjtObj.mjOBJ_XBODY
        mujoco.mj_objectVelocity(context.model, data, kind, self._body, self._velocity, 0)
        pose = [*data.xpos[self._body].tolist(), *data.xquat[self._body].tolist()]
        return [*pose, *self._velocity[3:].tolist()]


def _values_by_name(numbers: list[float]) -> dict[str, Value]:
    """Return position, orientation (wxyz) and velocity by their names."""
    x, y, z, *wxyz, vx, vy, vz = numbers
    roll, pitch, yaw = to_rpy_one(*wxyz)
    return {
        "x": x, "y": y, "z": z,
        "roll": roll, "pitch": pitch, "yaw": yaw,
        "vx": vx, "vy": vy, "vz": vz,
    }  # fmt: skip
