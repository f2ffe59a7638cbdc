"""What a robot of ours is made of as the wire has it: joints, packages, sensors, how it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import mujoco

from grouser.errors import unknown
from grouser.gateways.usarsim.drive_modes import Mover, mover
from grouser.gateways.usarsim.joints import Joint, Joints
from grouser.gateways.usarsim.placements import Size, size
from grouser.gateways.usarsim.wire_names import appearance, plain
from grouser.protocol.usarsim.state import GROUND, LEGGED
from grouser.robots.robot import Robot
from grouser.sensors.sensor import Sensor


@dataclass(frozen=True)
class Link:
    """One link of a mission package."""

    joint: Joint
    sign: int
    """Of its angle on the wire against ours."""


class Anatomy:
    """One robot's parts, looked up once."""

    def __init__(
        self,
        name: str,
        kind: str,
        robot: Robot,
        sensors: Mapping[str, Sensor],
        model: mujoco.MjModel,
    ) -> None:
        """Look everything up.

        Args:
            name: what the robot is called in the world.
            kind: its key in `grouser.robots.robot.ROBOTS`.
            robot: what its builder returned.
            sensors: all it carries, by name.
            model: the scene that it is in.
        """
        self.name, self.kind, self.robot, self.sensors = name, kind, robot, sensors
        self.model = model
        self.look = appearance(kind)
        """What the tables say of its kind."""
        gears = {drive: float(model.actuator(f"{name}/{drive}").gear[0]) for drive in robot.drives}
        self.joints = Joints(robot, self.look, gears)
        self.mover: Mover | None = mover(robot, self.joints)
        """How it goes about; None: it does not."""
        self.vehicle = LEGGED if robot.gait else GROUND
        """Its type on the wire."""
        self.packages: Mapping[str, tuple[Link, ...]] = {
            title: tuple(Link(self.joints.by_drive[drive], sign) for drive, sign in links)
            for title, links in self.look.packages.items()
            if all(drive in robot.drives for drive, _ in links)
        }
        """Mission package → its links."""

    @cached_property
    def size(self) -> Size:
        """How large it is in its posture; measured when somebody asks."""
        return size(self.model, self.name, self.robot)

    def package(self, name: str) -> tuple[str, tuple[Link, ...]]:
        """Return the mission package called ``name``, in any case: its own name, and its links."""
        for title, links in self.packages.items():
            if plain(title) == plain(name):
                return title, links
        raise unknown(self.name, "mission package", name, self.packages)
