"""Commands that drive any robot: tracks, wheels and legs alike."""

from __future__ import annotations

import numpy as np

from grouser.robots.robot import Robot


def drivable(robot: Robot) -> bool:
    """Return True if `drive_command` can drive ``robot``."""
    return bool(drive_command(robot, 0.0, 0.0))


def drive_command(robot: Robot, throttle: float, rudder: float) -> dict[str, float]:
    """Return the command for shares (-1 to 1) of top speed and turn rate; {} without locomotion."""
    if robot.steering is not None:
        top = top_speed(robot)
        return {"forward": throttle * top, "turn": rudder * 2 * top / robot.steering.gauge}
    inputs = robot.gait.inputs if robot.gait else ()
    if {"forward", "turn"} <= {*inputs}:
        ahead, _, about = getattr(robot.gait, "fastest", (0.1, 0.0, 0.5))
        return {"forward": throttle * ahead, "turn": rudder * about}
    if {"left_speed", "right_speed"} <= {*inputs}:
        top = float(getattr(robot.gait, "top_speed", 20.0))
        left, right = np.clip([throttle - rudder, throttle + rudder], -1.0, 1.0).tolist()
        return {"left_speed": left * top, "right_speed": right * top}
    return {}


def top_speed(robot: Robot) -> float:
    """Return the top speed of a robot with steering, m/s; 0 without."""
    steering = robot.steering
    return robot.drives[steering.left[0]].speed * steering.radius if steering else 0.0
