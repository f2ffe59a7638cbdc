"""DRIVE in the forms of every kind of robot, and MULTIDRIVE.

Speeds of wheels are their spin in rad/s, positive forwards; angles are rad. A field of None was
not sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Annotated, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, OneSided, Quantity
from grouser.protocol.usarsim.message import (
    Message,
    Wire,
    number,
    read_fields,
    switch,
    text,
    to_segments,
    whole,
)
from grouser.protocol.usarsim.segments import ParsedLine, Segment, segment_runs
from grouser.protocol.usarsim.values import read_named_number, read_whole


class Order(IntEnum):
    """What the value for a joint means."""

    ANGLE = 0
    """Absolute angle, rad (or length, m)."""
    SPEED = 1
    """rad/s or m/s; at 0 a hinge holds its angle."""
    TORQUE = 2
    """N m or N."""
    BRAKE = 3
    """Wheels only."""
    RELATIVE_ANGLE = 10
    RELATIVE_SPEED = 11
    RELATIVE_TORQUE = 12


def order(key: str = "Order") -> Wire:
    """Return the wire of an `Order`."""
    return Wire(key, read_order, lambda value, _: str(int(value)))


def read_order(value: str) -> Order:
    """Return the order with the number ``value``."""
    try:
        return Order(read_whole(value))
    except ValueError:
        allowed = ", ".join(str(int(known)) for known in Order)
        raise BadValue(f"is '{value[:40]}', must be one of {allowed}") from None


@dataclass(frozen=True, slots=True)
class SkidDrive(Message):
    """Both sides of a robot with tracks or with wheels that do not steer."""

    head: ClassVar[str] = "DRIVE"

    left: Annotated[float | None, number("Left")] = None
    right: Annotated[float | None, number("Right")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None
    """Speeds are -100..100 percent of the fastest."""
    light: Annotated[bool | None, switch("Light")] = None
    """Head lights."""
    flip: Annotated[bool | None, switch("Flip")] = None
    """Put the robot back on its feet (UT2004)."""

    def understood(self, dialect: Dialect, normalized: bool) -> SkidDrive | None:
        """Return the command as servers of ``dialect`` take it, or None if they ignore it.

        Args:
            dialect: what decides about one-sided commands and about `normalized`.
            normalized: what held before.
        """
        left, right = self.left, self.right
        if (left is None) != (right is None):
            if dialect.one_sided is OneSided.IGNORED:
                return None
            if dialect.one_sided is OneSided.ZERO:
                left, right = left or 0.0, right or 0.0
        held = normalized and dialect.sticky_normalized
        in_percent = held if self.normalized is None else self.normalized
        # `replace` takes twice as long.
        return SkidDrive(left, right, in_percent, self.light, self.flip)


@dataclass(frozen=True, slots=True)
class AckermanDrive(Message):
    """A car."""

    head: ClassVar[str] = "DRIVE"

    speed: Annotated[float | None, number("Speed")] = None
    front_steer: Annotated[float | None, number("FrontSteer")] = None
    rear_steer: Annotated[float | None, number("RearSteer")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None
    light: Annotated[bool | None, switch("Light")] = None
    flip: Annotated[bool | None, switch("Flip")] = None

    def understood(self, dialect: Dialect, normalized: bool) -> Self | None:
        """Return the command as servers of ``dialect`` take it, or None if they ignore it."""
        partial = None in (self.speed, self.front_steer, self.rear_steer)
        if partial and dialect.one_sided is OneSided.IGNORED:
            return None
        held = normalized and dialect.sticky_normalized
        return replace(self, normalized=held if self.normalized is None else self.normalized)


@dataclass(frozen=True, slots=True)
class WheelTarget:
    """What one wheel of an omnidirectional robot shall do."""

    number: Annotated[int, whole("WheelNumber")]
    speed: Annotated[float | None, number("WheelSpeed")] = None
    steer: Annotated[float | None, number("WheelSteer")] = None


@dataclass(frozen=True, slots=True)
class OmniDrive(Message):
    """Wheels that spin and steer one by one."""

    head: ClassVar[str] = "DRIVE"

    wheels: tuple[WheelTarget, ...]
    normalized: Annotated[bool | None, switch("Normalized")] = None
    light: Annotated[bool | None, switch("Light")] = None

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the wheels one after the other."""
        wheels = tuple(
            WheelTarget(**read_fields(WheelTarget, run))
            for run in segment_runs(line.segments, "WheelNumber")
        )
        return cls(wheels, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the wheels, then what holds for all of them."""
        each = [segment for wheel in self.wheels for segment in to_segments(wheel, dialect)]
        return [*each, *to_segments(self, dialect)]


@dataclass(frozen=True, slots=True)
class AerialDrive(Message):
    """A flying robot: m/s and deg/s, as UDK has them."""

    head: ClassVar[str] = "DRIVE"

    altitude_velocity: Annotated[float | None, number("AltitudeVelocity")] = None
    linear_velocity: Annotated[float | None, number("LinearVelocity")] = None
    lateral_velocity: Annotated[float | None, number("LateralVelocity")] = None
    rotational_velocity_deg: Annotated[float | None, number("RotationalVelocity")] = None
    pitch_angle_deg: Annotated[float | None, number("PitchAngle")] = None
    roll_angle_deg: Annotated[float | None, number("RollAngle")] = None
    spin1: Annotated[float | None, number("Spin1")] = None
    spin2: Annotated[float | None, number("Spin2")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None


@dataclass(frozen=True, slots=True)
class NauticDrive(Message):
    """A submarine."""

    head: ClassVar[str] = "DRIVE"

    propeller: Annotated[float | None, number("Propeller")] = None
    rudder: Annotated[float | None, number("Rudder")] = None
    stern_plane: Annotated[float | None, number("SternPlane")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None
    light: Annotated[bool | None, switch("Light")] = None


@dataclass(frozen=True, slots=True)
class JointDrive(Message):
    """One joint of any robot, by its name (UT2004)."""

    head: ClassVar[str] = "DRIVE"

    name: Annotated[str, text("Name")]
    value: Annotated[float, number("Value")]
    order: Annotated[Order, order()] = Order.ANGLE
    steer: Annotated[int | None, whole("Steer")] = None


@dataclass(frozen=True, slots=True)
class BoneDrive(Message):
    """One bone of a humanoid (UT2004)."""

    head: ClassVar[str] = "DRIVE"

    name: Annotated[str, text("Name")]
    """The robot."""
    bone: Annotated[str, text("Bone")]
    value: Annotated[float, number("Value")]
    order: Annotated[Order, order()] = Order.ANGLE
    axis: Annotated[str | None, text("Axis")] = None
    """X, Y or Z."""


@dataclass(frozen=True, slots=True)
class MultiDrive(Message):
    """Several joints at once, to absolute angles (UT2004): how Kenaf's flippers were driven."""

    head: ClassVar[str] = "MULTIDRIVE"

    angles: tuple[tuple[str, float], ...]
    """Joint → angle, rad; the signs of the wire (`grouser.protocol.usarsim.axes.FLIPPER_UP`)."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Take every segment for a joint."""
        if not line.segments:
            raise BadValue("no joint is named")
        return cls(tuple((key, read_named_number(key, value)) for key, value in line.segments))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write one segment per joint."""
        return [(joint, dialect.write(Quantity.EXACT, angle)) for joint, angle in self.angles]


Drive = SkidDrive | AckermanDrive | OmniDrive | AerialDrive | NauticDrive | JointDrive | BoneDrive

_FORM_OF_KEY: dict[str, Callable[[ParsedLine, Dialect], Drive]] = {
    "left": SkidDrive.read,
    "right": SkidDrive.read,
    "speed": AckermanDrive.read,
    "frontsteer": AckermanDrive.read,
    "rearsteer": AckermanDrive.read,
    "wheelnumber": OmniDrive.read,
    "altitudevelocity": AerialDrive.read,
    "linearvelocity": AerialDrive.read,
    "lateralvelocity": AerialDrive.read,
    "rotationalvelocity": AerialDrive.read,
    "pitchangle": AerialDrive.read,
    "rollangle": AerialDrive.read,
    "spin1": AerialDrive.read,
    "spin2": AerialDrive.read,
    "propeller": NauticDrive.read,
    "rudder": NauticDrive.read,
    "sternplane": NauticDrive.read,
    "bone": BoneDrive.read,
}


_EXACT = frozenset({"normalized", "light"})
"""Switches that UDK takes for true only if they say exactly that, and for false otherwise."""


def read_drive(line: ParsedLine, dialect: Dialect) -> Drive:
    """Tell the form of a DRIVE by its keys, and read it."""
    by_key = line.by_key
    if dialect.exact_true:
        by_key |= {key: str(value == "true") for key, value in by_key.items() if key in _EXACT}
    for key in by_key:
        if read := _FORM_OF_KEY.get(key):
            return read(line, dialect)
    if "name" in by_key:
        return JointDrive.read(line, dialect)
    if by_key.keys() <= {"normalized", "light", "flip"}:
        return SkidDrive.read(line, dialect)
    raise BadValue(f"no form of DRIVE has the key '{next(iter(by_key))[:40]}'")
