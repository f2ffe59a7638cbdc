"""Drive modes: forward, sideways and turn, or the speeds of two sides, for any robot that moves.

`SkidSteering` drives the sides, `GaitDrive` a gait with velocity inputs, `CrankDrive` a gait with
two crank speeds, `BeltDrive` the belts of a conveyor. Network gateways convert their commands with
them; a robot supports both forms as far as its hardware allows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import mujoco

from grouser.errors import BadValue
from grouser.physics.drives import Setpoint, speed
from grouser.robots.robot import Gait, Robot, Steering

Command = dict[str, float | Setpoint]
"""Set points by drive or gait input, as passed to `Simulation.command`."""

WALKING_SPIN = math.tau
"""Angular speed of both sides (rad/s) that corresponds to the maximum speed of a walking robot:
UDK's default maximum wheel speed. Legs have no wheels, so the value is a convention."""


class DriveMode(Protocol):
    """Conversion of velocities to set points for one kind of locomotion."""

    @property
    def max_spin(self) -> float:
        """Maximum angular speed of a side, rad/s."""
        ...

    @property
    def max_speeds(self) -> tuple[float, float, float]:
        """Maximum forward, lateral (m/s) and yaw velocity (rad/s)."""
        ...

    def sides(self, left: float, right: float) -> Command:
        """Return the command for angular speeds of the sides (rad/s)."""
        ...

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Return the command for forward, leftward (m/s) and counter-clockwise velocity (rad/s).

        Raises:
            BadValue: the robot cannot move like that.
        """
        ...


@dataclass(frozen=True)
class SkidSteering:
    """Skid steering, on wheels or tracks."""

    steering: Steering
    radius: float
    """Metres per radian of the first wheel of a side; all wheels of a side share its speed."""
    max_spin: float
    """Maximum angular speed of the first wheel, rad/s."""

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
            raise BadValue("this robot cannot go sideways, its lateral velocity must be 0")
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
        raise BadValue("this robot has two cranks, it takes the speeds of its sides (rad/s)")


@dataclass(frozen=True)
class BeltDrive:
    """Belts of a stationary machine."""

    belts: Mapping[str, tuple[float, float]]
    """Name -> metres per radian and maximum angular speed (rad/s) of the drum."""

    @property
    def max_spin(self) -> float:
        """Maximum angular speed of the drums."""
        return min(spin for _, spin in self.belts.values())

    @property
    def max_speeds(self) -> tuple[float, float, float]:
        """Maximum speed of the belt surface."""
        return min(radius * spin for radius, spin in self.belts.values()), 0.0, 0.0

    def sides(self, left: float, right: float) -> Command:
        """Drive all drums at the mean of both speeds."""
        spin = (left + right) / 2
        return {name: speed(spin * radius) for name, (radius, _) in self.belts.items()}

    def go(self, forward: float, sideways: float, turn: float) -> Command:
        """Drive the belt surface at ``forward``."""
        if sideways or turn:
            raise BadValue("a belt only goes ahead, it can neither turn nor go sideways")
        return dict.fromkeys(self.belts, speed(forward))


def travel_per_radian(model: mujoco.MjModel, name: str, robot: Robot) -> dict[str, float]:
    """Return the unit of each drive per radian of its joint: a radius (m), or 1 for a hinge.

    Args:
        model: the compiled scene.
        name: name of the robot in it.
        robot: the robot.
    """
    return {drive: float(model.actuator(f"{name}/{drive}").gear[0]) for drive in robot.drives}


def drive_mode(model: mujoco.MjModel, name: str, robot: Robot) -> DriveMode | None:
    """Return the drive mode of robot ``name`` in a scene; None: it cannot be driven."""
    if robot.gait and not robot.steering:
        return _legs(robot.gait)
    radii = travel_per_radian(model, name, robot)
    spins = {drive: robot.drives[drive].speed / radius for drive, radius in radii.items()}
    if robot.steering:
        first = robot.steering.left[0]
        return SkidSteering(robot.steering, radii[first] * robot.steering.radius, spins[first])
    belts = {drive: (radii[drive], spins[drive]) for drive in robot.drives}
    return BeltDrive(belts) if robot.belts else None


def _legs(gait: Gait) -> DriveMode | None:
    if isinstance(gait, PacedGait) and {"forward", "sideways", "turn"} <= {*gait.inputs}:
        return GaitDrive(gait.fastest)
    if gait.inputs == ("left_speed", "right_speed"):
        return CrankDrive(float(getattr(gait, "top_speed", math.inf)))
    return None
