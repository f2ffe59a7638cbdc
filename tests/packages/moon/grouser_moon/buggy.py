"""The rover with a mass that can be chosen."""

from dataclasses import dataclass

from grouser.robots.custom.custom_robot import load_robot
from grouser.robots.robot import Robot
from grouser_moon import ROVER


@dataclass(frozen=True, kw_only=True)
class Buggy:
    """A buggy with four wheels."""

    mass: float = 12.0

    def build(self) -> Robot:
        """Return the robot."""
        return load_robot(ROVER, {"mass": self.mass}).build()
