"""What a robot of ours is made of as the wire has it: joints, packages, sensors, how it goes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import mujoco

from grouser.errors import unknown
from grouser.gateways.usarsim.drive_modes import DriveMode, drive_mode
from grouser.gateways.usarsim.joints import WireJoint, WireJoints
from grouser.gateways.usarsim.placements import RobotSize, measure
from grouser.gateways.usarsim.wire_names import appearance, plain
from grouser.protocol.usarsim.state import GROUND, LEGGED
from grouser.robots.robot import Robot
from grouser.sensors.sensor import Sensor


@dataclass(frozen=True)
class PackageLink:
    """One link of a mission package."""

    joint: WireJoint
    sign: int
    """Of its angle on the wire against ours."""


class RobotLayout:
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
            kind: its name in `grouser.robots.kinds.robot_kinds`, or a robot file.
            robot: what its builder returned.
            sensors: all it carries, by name.
            model: the scene that it is in.
        """
        self.name, self.kind, self.robot, self.sensors = name, kind, robot, sensors
        self.model = model
        self.appearance = appearance(kind)
        """What the tables say of its kind."""
        gears = {drive: float(model.actuator(f"{name}/{drive}").gear[0]) for drive in robot.drives}
        self.joints = WireJoints(robot, self.appearance, gears)
        self.drive_mode: DriveMode | None = drive_mode(robot, self.joints)
        """How it goes about; None: it does not."""
        self.vehicle = LEGGED if robot.gait else GROUND
        """Its type on the wire."""
        self.packages: Mapping[str, tuple[PackageLink, ...]] = {
            title: tuple(PackageLink(self.joints.by_drive[drive], sign) for drive, sign in links)
            for title, links in self.appearance.packages.items()
            if all(drive in robot.drives for drive, _ in links)
        }
        """Mission package → its links."""

    @cached_property
    def size(self) -> RobotSize:
        """How large it is in its posture; measured when somebody asks."""
        return measure(self.model, self.name, self.robot)

    def package(self, name: str) -> tuple[str, tuple[PackageLink, ...]]:
        """Return the mission package called ``name``, in any case: its own name, and its links."""
        for title, links in self.packages.items():
            if plain(title) == plain(name):
                return title, links
        raise unknown(self.name, "mission package", name, self.packages)
