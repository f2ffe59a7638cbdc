"""WireJoints and wheels as the wire has them: names, signs, and orders for one of them.

On the wire a belt is a wheel: its speed is the spin of its sprocket, rad/s, and its force the
torque there. With us belts take m/s and N.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grouser.errors import BadValue, unknown
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.wire_names import Appearance, plain, spelled
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
    """One drive of a robot as the wire has it."""

    name: str
    """On the wire."""
    drive: str
    """On the robot."""
    sign: int
    """Of its angle on the wire against ours."""
    radius: float
    """Unit of the drive per radian on the wire: a sprocket's radius (m), or 1 for a hinge."""
    wheel: bool
    """It drives the robot about and turns without end."""
    limits: tuple[float, float]
    """How far it goes, in the drive's unit; infinite for one without end."""
    most: float
    """Its greatest speed on the wire, rad/s."""
    torque: float
    """Its greatest torque on the wire, N m."""

    def shown(self, position: float, profile: PortProfile) -> float:
        """Return the angle on the wire of a drive that is at ``position`` (m or rad)."""
        return profile.angle(self.sign * position / self.radius)

    def spin(self, rate: float) -> Setpoint:
        """Return what turns it at ``rate`` (rad/s on the wire, not Unreal's)."""
        return speed(self.sign * rate * self.radius)

    def setpoint(
        self, order: Order, value: float, profile: PortProfile, at: float, was: Setpoint
    ) -> Setpoint:
        """Return what an order of the wire means for the drive.

        Args:
            order: what ``value`` is.
            value: in the wire's unit.
            profile: how the port sees the world.
            at: where the drive is now, m or rad.
            was: the last speed or torque that the drive was commanded, for relative orders.
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

    def clamped(self, target: float) -> float:
        """Return ``target`` (in the drive's unit) within the joint's limits."""
        low, high = self.limits
        return min(max(target, low), high)

    def _target(self, value: float, profile: PortProfile, start: float) -> float:
        if self.wheel:
            raise BadValue(
                f"{self.name} turns without end: it takes a speed (Order 1) or a torque (Order 2)"
            )
        return self.clamped(start + self.sign * profile.from_angle(value) * self.radius)


MODES = {Order.SPEED: "speed", Order.TORQUE: "torque"}
"""Order → mode of the setpoint that carries it out."""


class WireJoints:
    """All drives of a robot by their names on the wire, in the order in which they are sent."""

    def __init__(self, robot: Robot, appearance: Appearance, gears: Mapping[str, float]) -> None:
        """Name everything that moves.

        Args:
            robot: whose drives they are.
            appearance: how the robot appears.
            gears: unit of each drive per radian of its joint.
        """
        known = [drive for drive in appearance.joints if drive in robot.drives]
        drives = [*known, *(drive for drive in robot.drives if drive not in appearance.joints)]
        self.all = tuple(
            _joint(robot, appearance, drive, gears[drive], drive in robot.rolling)
            for drive in drives
        )
        self.by_drive: Mapping[str, WireJoint] = {joint.drive: joint for joint in self.all}
        self._by_name = {plain(joint.drive): joint for joint in self.all}
        self._by_name |= {plain(joint.name): joint for joint in self.all}

    def named(self, name: str) -> WireJoint:
        """Return the joint that a client calls ``name``, in any case; our own names do as well."""
        try:
            return self._by_name[plain(name)]
        except KeyError:
            raise unknown("joint", "joint", name, (joint.name for joint in self.all)) from None

    def hinges(self) -> Iterable[WireJoint]:
        """Return those that are no wheels."""
        return (joint for joint in self.all if not joint.wheel)


def _joint(
    robot: Robot, appearance: Appearance, drive: str, radius: float, wheel: bool
) -> WireJoint:
    name, sign = appearance.joints.get(drive, (spelled(drive), 1))
    drive_limits = robot.drives[drive]
    return WireJoint(
        name=name,
        drive=drive,
        sign=sign,
        radius=radius,
        wheel=wheel,
        limits=robot.limits.get(drive, (-math.inf, math.inf)),
        most=drive_limits.speed / radius,
        torque=drive_limits.force * radius,
    )
