"""Joints and wheels on the USARSim wire: names, signs and joint commands.

On the wire a belt is a wheel: its speed is the angular speed of its sprocket (rad/s) and its force
the torque there. In Grouser belts take m/s and N.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grouser.errors import BadValue, unknown
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.wire_names import Appearance, normalize_name, wire_name
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.protocol.usarsim.drive import Order
from grouser.robots.robot import Robot

_RELATIVE = {
    Order.RELATIVE_ANGLE: Order.ANGLE,
    Order.RELATIVE_SPEED: Order.SPEED,
    Order.RELATIVE_TORQUE: Order.TORQUE,
}


@dataclass(frozen=True, kw_only=True)
class WireJoint:
    """One drive of a robot on the wire."""

    name: str
    """Name on the wire."""
    drive: str
    """Name of the drive."""
    sign: int
    """Sign of its wire angle relative to the drive."""
    radius: float
    """Unit of the drive per radian on the wire: sprocket radius (m), or 1 for a hinge."""
    wheel: bool
    """Continuous joint that propels the robot."""
    limits: tuple[float, float]
    """Joint limits in the drive's unit; infinite for a continuous joint."""
    max_speed: float
    """Maximum speed on the wire, rad/s."""
    max_torque: float
    """Maximum torque on the wire, N m."""

    def wire_angle(self, position: float, profile: PortProfile) -> float:
        """Return the wire angle of the drive position ``position`` (m or rad)."""
        return profile.angle(self.sign * position / self.radius)

    def spin(self, rate: float) -> Setpoint:
        """Return the set point for the angular speed ``rate`` (rad/s, never Unreal units)."""
        return speed(self.sign * rate * self.radius)

    def setpoint(
        self, order: Order, value: float, profile: PortProfile, at: float, was: Setpoint
    ) -> Setpoint:
        """Return the set point of the drive for a joint command ``value`` (wire unit).

        Relative orders refer to ``at``, the present drive position (m or rad), and ``was``,
        the last set point.
        """
        kind = _RELATIVE.get(order, order)
        relative = kind is not order
        if kind is Order.BRAKE:
            if not self.wheel:
                raise BadValue(f"{self.name}: Order 3 brakes wheels, this is a joint")
            return speed(0.0)
        if kind is Order.ANGLE:
            return angle(self._target(value, profile, at if relative else 0.0))
        before = was.value if relative and was.mode == MODES[kind] else 0.0
        if kind is Order.TORQUE:
            return torque(before + self.sign * value / self.radius)
        return speed(before + self.sign * profile.from_angle(value) * self.radius)

    def clamp(self, target: float) -> float:
        """Return ``target`` (in the drive's unit) clamped to the joint limits."""
        low, high = self.limits
        return min(max(target, low), high)

    def _target(self, value: float, profile: PortProfile, start: float) -> float:
        if self.wheel:
            raise BadValue(
                f"{self.name} turns without end: it takes a speed (Order 1) or a torque (Order 2)"
            )
        return self.clamp(start + self.sign * profile.from_angle(value) * self.radius)


MODES = {Order.SPEED: "speed", Order.TORQUE: "torque"}
"""Order → mode of the corresponding set point."""


class WireJoints:
    """All drives of a robot by wire name, in the order of transmission."""

    def __init__(self, robot: Robot, appearance: Appearance, radii: Mapping[str, float]) -> None:
        """Assign wire names to all drives; ``radii`` are their units per radian of the joint."""
        known = [drive for drive in appearance.joints if drive in robot.drives]
        drives = [*known, *(drive for drive in robot.drives if drive not in appearance.joints)]
        self.all = tuple(
            _joint(robot, appearance, drive, radii[drive], drive in robot.rolling)
            for drive in drives
        )
        self.by_drive: Mapping[str, WireJoint] = {joint.drive: joint for joint in self.all}
        self._by_name = {normalize_name(joint.drive): joint for joint in self.all}
        self._by_name |= {normalize_name(joint.name): joint for joint in self.all}

    def find(self, name: str) -> WireJoint:
        """Return the joint by wire name or drive name, case-insensitively."""
        try:
            return self._by_name[normalize_name(name)]
        except KeyError:
            raise unknown("joint", "joint", name, (joint.name for joint in self.all)) from None

    def hinges(self) -> Iterable[WireJoint]:
        """Return the joints that are not wheels."""
        return (joint for joint in self.all if not joint.wheel)


def _joint(
    robot: Robot, appearance: Appearance, drive: str, radius: float, wheel: bool
) -> WireJoint:
    name, sign = appearance.joints.get(drive, (wire_name(drive), 1))
    drive_limits = robot.drives[drive]
    return WireJoint(
        name=name,
        drive=drive,
        sign=sign,
        radius=radius,
        wheel=wheel,
        limits=robot.limits.get(drive, (-math.inf, math.inf)),
        max_speed=drive_limits.speed / radius,
        max_torque=drive_limits.force * radius,
    )
