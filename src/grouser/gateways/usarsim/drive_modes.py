"""Drive modes: conversion of DRIVE commands to drive or gait set points.

DRIVE has three forms: angular speeds of two sides (skid steering), angular speed and steering
angles (car), and forward, lateral and yaw velocity (aerial robot). Every robot supports all three
as far as its hardware allows: `SkidSteering` drives the sides, `GaitDrive` a gait with velocity
inputs, `CrankDrive` a gait with two crank speeds, `BeltDrive` the belts of a conveyor.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol, runtime_checkable

from grouser.errors import BadValue
from grouser.gateways.usarsim.joints import WireJoints
from grouser.physics.drives import Setpoint
from grouser.robots.robot import Gait, Robot, Steering

Command = dict[str, float | Setpoint]
"""Set points by drive or gait input, as passed to `Simulation.command`."""

WALKING_SPIN = math.tau
"""Angular speed of both sides (rad/s) that corresponds to the maximum speed of a walking robot:
UDK's default maximum wheel speed. Legs have no wheels, so the value is a convention."""


@dataclass
class DriveState:
    """Command state of a client's robot, kept between commands."""

    normalized: bool = False
    """Speeds are percentages until a command changes it (UDK)."""
    light: bool = False
    """Head lights are on."""
    left: float = 0.0
    """Last angular speed of the left side, rad/s."""
    right: float = 0.0
    kicks: int = 0
    """Number of kicks commanded."""
    setpoints: dict[str, Setpoint] = field(default_factory=dict)
    """Drive → last set point commanded by joint name."""

    def stop(self) -> None:
        """Clear all motion commands."""
        self.left = self.right = 0.0
        self.setpoints.clear()


class DriveMode(Protocol):
    """Conversion of DRIVE to set points for one kind of locomotion."""

    @property
    def max_spin(self) -> float:
        """Maximum angular speed of a side, rad/s: 100 percent."""
        ...

    @property
    def max_speeds(self) -> tuple[float, float, float]:
        """Maximum forward, lateral (m/s) and yaw velocity (rad/s): 100 percent."""
        ...

    def sides(self, left: float, right: float) -> Command:
        """Return the command for angular speeds of the sides (rad/s)."""
        ...

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Return the command for forward, leftward (m/s) and counter-clockwise velocity (rad/s)."""
        ...


@dataclass(frozen=True)
class SkidSteering:
    """Skid steering, on wheels or tracks."""

    steering: Steering
    joints: WireJoints

    @cached_property
    def radius(self) -> float:
        """Metres per radian of the first wheel of a side; all wheels of a side share its speed."""
        return self.joints.by_drive[self.steering.left[0]].radius * self.steering.radius

    @cached_property
    def max_spin(self) -> float:
        """Maximum angular speed of the first wheel."""
        return self.joints.by_drive[self.steering.left[0]].max_speed

    @property
    def max_speeds(self) -> tuple[float, float, float]:
        """Maximum forward speed, no lateral speed, maximum yaw rate on the spot."""
        ahead = self.max_spin * self.radius
        return ahead, 0.0, 2 * ahead / self.steering.gauge

    def sides(self, left: float, right: float) -> Command:
        """Drive all wheels of a side at the speed of the side."""
        ahead, turn = (left + right) / 2, (right - left) / self.steering.gauge
        return self.go(ahead * self.radius, 0.0, turn * self.radius)

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Convert forward velocity and yaw rate to side speeds."""
        if sideways:
            raise BadValue("DRIVE: this robot cannot go sideways, LateralVelocity must be 0")
        return dict(self.steering.side_speeds(forward, turn))


@runtime_checkable
class PacedGait(Protocol):
    """Gait with maximum velocities."""

    @property
    def fastest(self) -> tuple[float, float, float]:
        """Maximum forward, lateral (m/s) and yaw velocity (rad/s)."""
        ...


@dataclass(frozen=True)
class GaitDrive:
    """Legs with a gait that has the inputs ``forward``, ``sideways`` and ``turn``."""

    max_speeds: tuple[float, float, float]
    max_spin: float = WALKING_SPIN

    def sides(self, left: float, right: float) -> Command:
        """Walk like a wheeled robot, in proportion to the maximum walking and turning speed."""
        forward, _, turn = self.max_speeds
        ahead, about = (left + right) / 2, (right - left) / 2
        return self.go(ahead / self.max_spin * forward, 0.0, about / self.max_spin * turn)

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Return the gait inputs; the gait limits them."""
        return {"forward": forward, "sideways": sideways, "turn": turn}


@dataclass(frozen=True)
class CrankDrive:
    """Legs on two cranks with one angular speed each."""

    max_spin: float
    max_speeds: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def sides(self, left: float, right: float) -> Command:
        """Return the crank speeds."""
        return {"left_speed": left, "right_speed": right}

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Raise `BadValue`: the velocity at a crank speed depends on the ground."""
        raise BadValue("DRIVE: this robot has two cranks, it takes Left and Right (rad/s) or Speed")


@dataclass(frozen=True)
class BeltDrive:
    """Belts of a stationary machine."""

    joints: WireJoints

    @property
    def max_spin(self) -> float:
        """Maximum angular speed of the drums."""
        return min(joint.max_speed for joint in self.joints.all)

    @property
    def max_speeds(self) -> tuple[float, float, float]:
        """Maximum speed of the belt surface."""
        return min(joint.max_speed * joint.radius for joint in self.joints.all), 0.0, 0.0

    def sides(self, left: float, right: float) -> Command:
        """Drive all drums at the mean of both speeds."""
        return {joint.drive: joint.spin((left + right) / 2) for joint in self.joints.all}

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Drive the belt surface at ``forward``."""
        if sideways or turn:
            raise BadValue("DRIVE: a belt only goes ahead, it can neither turn nor go sideways")
        return {joint.drive: joint.spin(forward / joint.radius) for joint in self.joints.all}


def drive_mode(robot: Robot, joints: WireJoints) -> DriveMode | None:
    """Return the drive mode of ``robot``; None: it cannot be driven."""
    if robot.steering:
        return SkidSteering(robot.steering, joints)
    if robot.gait:
        return _legs(robot.gait)
    return BeltDrive(joints) if robot.belts else None


def _legs(gait: Gait) -> DriveMode | None:
    if isinstance(gait, PacedGait) and {"forward", "sideways", "turn"} <= {*gait.inputs}:
        return GaitDrive(gait.fastest)
    if gait.inputs == ("left_speed", "right_speed"):
        return CrankDrive(float(getattr(gait, "top_speed", math.inf)))
    return None
