"""Frames of the bodies and sensors of a model: static and moving transforms, motion of robots."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from grouser.frames import X_CO, Array, Pose, conjugate, multiply, rotate
from grouser.ros.camera_messages import optical_frame
from grouser.ros.messages import BASE, WORLD_FRAME, ros_name, sensor_frame, transform
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.sensor import SITE_PREFIX, MountedSensor, Sensor
from grouser.simulation.scene_state import STATE


class BodyFrames:
    """Frames of one model; `load` sets the state.

    Args:
        model: the model.
        roots: robot → name of its root body.
        sensors: sensors by robot and name.
    """

    def __init__(
        self,
        model: mujoco.MjModel,
        roots: Mapping[str, str],
        sensors: Mapping[tuple[str, str], Sensor],
    ) -> None:
        self._model, self._data = model, mujoco.MjData(model)
        self._roots = {robot: model.body(f"{robot}/{root}").id for robot, root in roots.items()}
        bases = {body: ros_name(f"{robot}/{BASE}") for robot, body in self._roots.items()}
        self.names = {
            body: bases.get(body) or ros_name(model.body(body).name or f"body_{body}")
            for body in range(1, model.nbody)
        } | {0: WORLD_FRAME}
        """Body → name of its frame."""
        moving = (model.body_jntnum > 0) | (model.body_mocapid >= 0)
        self._moving = np.flatnonzero(moving)
        self._fixed = [body for body in range(1, model.nbody) if not moving[body]]
        self._sensors = dict(sensors)

    def load(self, state: Array) -> mujoco.MjData:
        """Set MuJoCo's ``state``; return data with poses and velocities."""
        mujoco.mj_setState(self._model, self._data, state, STATE)
        mujoco.mj_kinematics(self._model, self._data)
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_comVel(self._model, self._data)
        return self._data

    def moving(self, time: int) -> list[Any]:
        """Return the transforms of all bodies with joints, relative to their parents."""
        model, data, moving = self._model, self._data, self._moving
        parents = model.body_parentid[moving]
        back = conjugate(data.xquat[parents])
        positions = rotate(back, data.xpos[moving] - data.xpos[parents])
        turns = multiply(back, data.xquat[moving])
        return [
            transform(time, self.names[parent], self.names[body], Pose(position, turn))
            for body, parent, position, turn in zip(
                moving.tolist(), parents.tolist(), positions, turns, strict=True
            )
        ]

    def fixed(self, time: int) -> list[Any]:
        """Return the transforms that never change: bodies without joints, sensors."""
        model = self._model
        made = [
            transform(
                time,
                self.names[int(model.body_parentid[body])],
                self.names[body],
                Pose(model.body_pos[body].copy(), model.body_quat[body].copy()),
            )
            for body in self._fixed
        ]
        for (robot, name), sensor in self._sensors.items():
            if isinstance(sensor, MountedSensor):
                site = model.site(f"{robot}/{SITE_PREFIX}{name}")
                pose = Pose(site.pos.copy(), site.quat.copy())
                parent, frame = self.names[int(site.bodyid[0])], sensor_frame(robot, sensor)
                made.append(transform(time, parent, frame, pose))
                if isinstance(sensor, Camera | DepthCamera):
                    made.append(transform(time, frame, optical_frame(robot, sensor), X_CO))
        return made

    def motion(self, robot: str) -> tuple[Pose, list[float], list[float]]:
        """Return pose, velocity (m/s) and angular velocity (rad/s) of a root, in its own frame."""
        body, velocity = self._roots[robot], np.zeros(6)
        kind = mujoco.mjtObj.mjOBJ_XBODY
        mujoco.mj_objectVelocity(self._model, self._data, kind, body, velocity, 1)
        pose = Pose(self._data.xpos[body].copy(), self._data.xquat[body].copy())
        return pose, velocity[3:].tolist(), velocity[:3].tolist()
