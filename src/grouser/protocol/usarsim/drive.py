"""DRIVE in the forms of all vehicle types, and MULTIDRIVE.

Wheel speeds are angular speeds in rad/s, positive forwards; angles are in rad. A field that is
None was not sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Annotated, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, OneSided, Quantity
from grouser.protocol.usarsim.message import (
    FieldCodec,
    Message,
    integer,
    list_segments,
    number,
    read_fields,
    read_runs,
    switch,
    text,
    to_segments,
)
from grouser.protocol.usarsim.segments import ParsedLine, Segment
from grouser.protocol.usarsim.values import read_integer, read_named_number


class Order(IntEnum):
    """Control mode of a joint command."""

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


def order(key: str = "Order") -> FieldCodec:
    """Return the codec of an `Order`."""
    return FieldCodec(key, read_order, lambda value, _: str(int(value)))


def read_order(value: str) -> Order:
    """Return the order with the number ``value``."""
    try:
        return Order(read_integer(value))
    except ValueError:
        allowed = ", ".join(str(int(known)) for known in Order)
        raise BadValue(f"is '{value[:40]}', must be one of {allowed}") from None


@dataclass(frozen=True, slots=True)
class SkidDrive(Message, head="DRIVE"):
    """Drive a skid-steered robot: both sides of tracks or of unsteered wheels."""

    left: Annotated[float | None, number("Left")] = None
    right: Annotated[float | None, number("Right")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None
    """Speeds are -100..100 percent of the maximum."""
    light: Annotated[bool | None, switch("Light")] = None
    """Head lights."""
    flip: Annotated[bool | None, switch("Flip")] = None
    """Turn a tipped robot upright (UT2004)."""

    def interpret(self, dialect: Dialect, normalized: bool) -> SkidDrive | None:
        """Return the command as a server of ``dialect`` interprets it; None: it is ignored.

        Args:
            dialect: defines the effect of one-sided commands and of `normalized`.
            normalized: previous value of `normalized`.
        """
        left, right = self.left, self.right
        if (left is None) != (right is None):
            if dialect.one_sided is OneSided.IGNORED:
                return None
            if dialect.one_sided is OneSided.ZERO:
                left, right = left or 0.0, right or 0.0
        held = normalized and dialect.sticky_normalized
        in_percent = held if self.normalized is None else self.normalized
        # Faster than `replace` by a factor of two.
        return SkidDrive(left, right, in_percent, self.light, self.flip)


@dataclass(frozen=True, slots=True)
class AckermanDrive(Message, head="DRIVE"):
    """Drive a car-like robot with Ackermann steering."""

    speed: Annotated[float | None, number("Speed")] = None
    front_steer: Annotated[float | None, number("FrontSteer")] = None
    rear_steer: Annotated[float | None, number("RearSteer")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None
    light: Annotated[bool | None, switch("Light")] = None
    flip: Annotated[bool | None, switch("Flip")] = None

    def interpret(self, dialect: Dialect, normalized: bool) -> Self | None:
        """Return the command as a server of ``dialect`` interprets it; None: it is ignored."""
        partial = None in (self.speed, self.front_steer, self.rear_steer)
        if partial and dialect.one_sided is OneSided.IGNORED:
            return None
        held = normalized and dialect.sticky_normalized
        return replace(self, normalized=held if self.normalized is None else self.normalized)


@dataclass(frozen=True, slots=True)
class WheelTarget:
    """Set point of one wheel of an omnidirectional robot."""

    number: Annotated[int, integer("WheelNumber")]
    speed: Annotated[float | None, number("WheelSpeed")] = None
    steer: Annotated[float | None, number("WheelSteer")] = None


@dataclass(frozen=True, slots=True)
class OmniDrive(Message, head="DRIVE"):
    """Drive individually steered wheels."""

    wheels: tuple[WheelTarget, ...]
    normalized: Annotated[bool | None, switch("Normalized")] = None
    light: Annotated[bool | None, switch("Light")] = None

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the segments of each wheel in order."""
        wheels = read_runs(WheelTarget, line.segments, "WheelNumber")
        return cls(wheels, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments of each wheel, then those of the whole command."""
        return [*list_segments(self.wheels, dialect), *to_segments(self, dialect)]


@dataclass(frozen=True, slots=True)
class AerialDrive(Message, head="DRIVE"):
    """Drive an aerial robot; m/s and deg/s, as in UDK."""

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
class NauticDrive(Message, head="DRIVE"):
    """Drive a submarine."""

    propeller: Annotated[float | None, number("Propeller")] = None
    rudder: Annotated[float | None, number("Rudder")] = None
    stern_plane: Annotated[float | None, number("SternPlane")] = None
    normalized: Annotated[bool | None, switch("Normalized")] = None
    light: Annotated[bool | None, switch("Light")] = None


@dataclass(frozen=True, slots=True)
class JointDrive(Message, head="DRIVE"):
    """Command one joint by name, on any robot (UT2004)."""

    name: Annotated[str, text("Name")]
    value: Annotated[float, number("Value")]
    order: Annotated[Order, order()] = Order.ANGLE
    steer: Annotated[int | None, integer("Steer")] = None


@dataclass(frozen=True, slots=True)
class BoneDrive(Message, head="DRIVE"):
    """Command one bone of a humanoid (UT2004)."""

    name: Annotated[str, text("Name")]
    """Name of the robot."""
    bone: Annotated[str, text("Bone")]
    value: Annotated[float, number("Value")]
    order: Annotated[Order, order()] = Order.ANGLE
    axis: Annotated[str | None, text("Axis")] = None
    """X, Y or Z."""


@dataclass(frozen=True, slots=True)
class MultiDrive(Message, head="MULTIDRIVE"):
    """Move several joints to absolute angles (UT2004), such as Kenaf's flippers."""

    angles: tuple[tuple[str, float], ...]
    """Joint → angle, rad; wire signs (`grouser.protocol.usarsim.axes.FLIPPER_UP`)."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read every segment as a joint."""
        if not line.segments:
            raise BadValue("no joint is named")
        return cls(tuple((key, read_named_number(key, value)) for key, value in line.segments))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return one segment per joint."""
        return [(joint, dialect.write(Quantity.EXACT, angle)) for joint, angle in self.angles]


Drive = SkidDrive | AckermanDrive | OmniDrive | AerialDrive | NauticDrive | JointDrive | BoneDrive

_FORM_OF_KEY: dict[str, Callable[[ParsedLine, Dialect], Drive]] = {
    **dict.fromkeys(("left", "right"), SkidDrive.read),
    **dict.fromkeys(("speed", "frontsteer", "rearsteer"), AckermanDrive.read),
    "wheelnumber": OmniDrive.read,
    **dict.fromkeys(("altitudevelocity", "linearvelocity", "lateralvelocity"), AerialDrive.read),
    **dict.fromkeys(("rotationalvelocity", "pitchangle", "rollangle"), AerialDrive.read),
    **dict.fromkeys(("spin1", "spin2"), AerialDrive.read),
    **dict.fromkeys(("propeller", "rudder", "sternplane"), NauticDrive.read),
    "bone": BoneDrive.read,
}
"""Key in lower case → reader of the form of DRIVE that has it."""


_EXACT = frozenset({"normalized", "light"})
"""Booleans that UDK reads as true only from the exact text ``true``."""


def read_drive(line: ParsedLine, dialect: Dialect) -> Drive:
    """Read a DRIVE; its keys determine the form."""
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
