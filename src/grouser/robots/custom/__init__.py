"""Robots of your own: one YAML each, alone or on top of a URDF or MJCF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.robots.custom.custom_robot import CustomRobot, load_robot
    from grouser.robots.custom.robot_file import RobotFile

_PLACES = {
    "CustomRobot": "grouser.robots.custom.custom_robot",
    "RobotFile": "grouser.robots.custom.robot_file",
    "load_robot": "grouser.robots.custom.custom_robot",
}

__all__ = ["CustomRobot", "RobotFile", "load_robot"]

__getattr__ = lazily(__name__, _PLACES)
