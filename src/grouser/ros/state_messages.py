"""State of robots as ROS messages: odometry, joint states and energy of a sample of the drives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.ros import messages
from grouser.ros.body_frames import BodyFrames
from grouser.ros.definitions import message_type
from grouser.ros.messages import BASE, WORLD_FRAME, ros_name
from grouser.simulation.scene_state import SceneState

STATE_TYPES = {
    "odom": "nav_msgs/msg/Odometry",
    "joint_states": "sensor_msgs/msg/JointState",
    "energy": "std_msgs/msg/Float64",
}
"""Topic in the namespace of a robot → type of its messages (`robot_message`)."""


@dataclass(frozen=True)
class Sample:
    """Quantities of drives beside the state vector."""

    positions: Array
    """m or rad, (drives,)."""
    speeds: Array
    forces: Array
    work: Array
    """Signed work since the start, J."""

    @classmethod
    def of(cls, state: SceneState, actuators: npt.NDArray[np.intp]) -> Sample:
        """Return the present sample of a scene with `actuators_of`."""
        stepper, data = state.stepper, state.data
        return cls(
            stepper.odometer(state.arrays, state.memory)(),
            data.actuator_velocity[actuators],
            data.actuator_force[actuators],
            state.memory.work[0].copy(),
        )


def actuators_of(state: SceneState) -> npt.NDArray[np.intp]:
    """Return the actuator of each drive."""
    names = state.stepper.drives.names
    return np.array([state.model.actuator(name).id for name in names], np.intp)


def robot_message(
    topic: str, frames: BodyFrames, robot: str, drives: Mapping[str, int], sample: Sample, time: int
) -> Any:
    """Return the message of a topic of `STATE_TYPES`.

    Args:
        topic: key of `STATE_TYPES`.
        frames: frames of the scene, with the state of the sample.
        robot: name of the robot.
        drives: its drives' indices in ``sample``.
        sample: quantities of all drives.
        time: ns.
    """
    columns = list(drives.values())
    if topic == "odom":
        pose, linear, angular = frames.motion(robot)
        base = ros_name(f"{robot}/{BASE}")
        return messages.odometry(time, WORLD_FRAME, base, pose, linear, angular)
    if topic == "joint_states":
        return messages.joint_state(
            *(time, list(drives), sample.positions[columns]),
            *(sample.speeds[columns], sample.forces[columns]),
        )
    return message_type(STATE_TYPES["energy"])(float(sample.work[columns].sum()))


def robot_messages(
    frames: BodyFrames, robot: str, drives: Mapping[str, int], sample: Sample, time: int
) -> Iterator[tuple[str, Any]]:
    """Yield name and message of every topic of `STATE_TYPES`."""
    for topic in STATE_TYPES:
        made = robot_message(topic, frames, robot, drives, sample, time)
        yield ros_name(f"/{robot}/{topic}"), made
