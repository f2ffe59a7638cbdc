"""The rover with a mass that can be chosen."""

from grouser.description import Description, Positive
from grouser.robots.custom.custom_robot import load_robot
from grouser.robots.robot import Robot
from grouser_moon import ROVER


class Buggy(Description):
    """A buggy with four wheels."""

    mass: Positive = 12.0

    def build(self) -> Robot:
        """Return the robot."""
        return load_robot(ROVER, {"mass": self.mass}).build()
