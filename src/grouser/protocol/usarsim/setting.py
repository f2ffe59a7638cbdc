"""SET and its answer RES: joints, cameras, viewports, sensors, grippers and tags.

Type and opcode are matched case-insensitively. An unknown pair is read as a plain `Set`. Only
UT2004 answers with RES.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.drive import Order
from grouser.protocol.usarsim.message import (
    FieldCodec,
    Message,
    number,
    numbers,
    read_fields,
    text,
    to_segments,
)
from grouser.protocol.usarsim.segments import ParsedLine, Segment, write
from grouser.protocol.usarsim.values import read_named_number

EVERY_JOINT = frozenset({"allangles", "alljoints"})
"""Names, in lower case, for all joints of a robot (UT3, UDK)."""

_OPCODES: dict[Order, str] = {
    Order.ANGLE: "Angle",
    Order.SPEED: "Velocity",
    Order.TORQUE: "Torque",
    Order.BRAKE: "3",
    Order.RELATIVE_ANGLE: "RelAngle",
    Order.RELATIVE_SPEED: "RelVelocity",
    Order.RELATIVE_TORQUE: "RelTorque",
}

_ORDERS: dict[str, Order] = {
    **{word.upper(): order for order, word in _OPCODES.items()},
    **{str(int(order)): order for order in Order},
    "TARGET": Order.ANGLE,
}

_NUMBER = re.compile(r"[-+]?[0-9]{0,9}\.?[0-9]{1,9}(e[-+]?[0-9]{1,2})?", re.IGNORECASE)
_PLACES = {"Type": 0, "Robot": 1, "Name": 2, "Opcode": 3, "Params": 4}


def opcode() -> FieldCodec:
    """Return the codec of an opcode, read in upper case."""
    return FieldCodec("Opcode", lambda value: value.upper(), lambda value, _: str(value))


def joint_opcode() -> FieldCodec:
    """Return the codec of an `Order` in SET: a word, or the number of the order."""
    return FieldCodec(
        "Opcode", lambda value: _ORDERS[value.upper()], lambda value, _: _OPCODES[value]
    )


class Setting(Message, head="SET"):
    """Base class of all SET commands."""

    __slots__ = ()

    fixed: ClassVar[tuple[Segment, ...]] = ()
    """Constant segments of the class."""

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the constant segments and the fields in the usual order."""
        segments = [*self.fixed, *to_segments(self, dialect)]
        return sorted(segments, key=lambda segment: _PLACES.get(segment[0], len(_PLACES)))


@dataclass(frozen=True, slots=True)
class Set(Setting):
    """SET with an unknown type and opcode."""

    type: Annotated[str, text("Type")]
    name: Annotated[str | None, text("Name")] = None
    opcode: Annotated[str | None, text("Opcode")] = None
    params: Annotated[str | None, text("Params")] = None


@dataclass(frozen=True, slots=True)
class SetJoint(Setting):
    """Move one joint, or all (`EVERY_JOINT`)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Joint"),)

    name: Annotated[str, text("Name")]
    params: Annotated[tuple[float, ...], numbers("Params")]
    """Value in rad, rad/s or N m, depending on the order.

    In UT2004 a second number may select one of the two axes of a wheel joint.
    """
    order: Annotated[Order, joint_opcode()] = Order.ANGLE

    @property
    def value(self) -> float:
        """First of the params."""
        return self.params[0]


@dataclass(frozen=True, slots=True)
class SetStiffness(Setting):
    """Set the stiffness of a joint (UT3, UDK)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Joint"), ("Opcode", "Stiffness"))

    name: Annotated[str, text("Name")]
    stiffness: Annotated[float, number("Params")]
    """0..1."""


@dataclass(frozen=True, slots=True)
class SetZoom(Setting):
    """Set the field of view of a camera."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Camera"), ("Opcode", "Zoom"))

    name: Annotated[str, text("Name")]
    fov: Annotated[float, number("Params")]
    """rad; 0: default."""


@dataclass(frozen=True, slots=True)
class WatchCamera(Setting):
    """Attach a viewer to a robot's camera (UT2004); without robot and camera: detach it."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Camera"),)

    client: Annotated[str, text("Client")]
    """Address of the viewer."""
    robot: Annotated[str | None, text("Robot")] = None
    camera: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class SetViewports(Setting):
    """Assign cameras to the four viewports of a viewer (UT2004)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Viewports"),)

    config: Annotated[str | None, text("Config")] = None
    """SingleView, QuadView, 0 or 1."""
    views: tuple[Segment, ...] = ()
    """Viewport1… → name of a camera, or Disabled."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read every key that begins with Viewport."""
        views = tuple(view for view in line.segments if view[0].lower().startswith("viewport"))
        return cls(views=views, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the configuration, then the viewports."""
        return [*self.fixed, *to_segments(self, dialect), *self.views]


@dataclass(frozen=True, slots=True)
class SetGait(Setting):
    """Set gait parameters of a legged robot (Grouser extension)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Gait"), ("Opcode", "Walk"))

    params: Annotated[str, text("Params")]
    """Alternating names and values: ``period 0.35 lift 0.02 locus box``."""

    @property
    def numbers(self) -> dict[str, float | str]:
        """Parameters by name; a value that is not a number stays text."""
        words = self.params.replace(",", " ").split()
        if not words or len(words) % 2:
            raise BadValue(f"Params is '{self.params[:40]}', must be names and values in turn")
        return {
            name: float(value) if _NUMBER.fullmatch(value) else value
            for name, value in zip(words[::2], words[1::2], strict=True)
        }


@dataclass(frozen=True, slots=True)
class ResetSensor(Setting):
    """Reset an accumulating sensor: odometry, encoder, tachometer."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Opcode", "RESET"),)

    type: Annotated[str, text("Type")]
    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class SetRate(Setting):
    """Set the rate of a sensor (Grouser extension)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Opcode", "RATE"),)

    type: Annotated[str, text("Type")]
    rate_hz: Annotated[float, number("Params")]
    """Readings per simulated second; above 0, at most one per tick of the server."""
    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class SetInsPose(Setting):
    """Set the pose estimate of inertial navigation."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "INS"), ("Opcode", "POSE"))

    pose: Annotated[tuple[float, ...], numbers("Params")]
    """x, y, z (m), roll, pitch, yaw (rad)."""
    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class Scan(Setting):
    """Trigger a range scanner or range imager."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Opcode", "SCAN"),)

    type: Annotated[str, text("Type")]
    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class SetGripper(Setting):
    """Open or close a gripper."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "Gripper"),)

    action: Annotated[str, opcode()]
    """OPEN, CLOSE or GRIP."""
    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class ReleaseTag(Setting):
    """Drop an RFID tag (UT2004)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "RFIDReleaser"), ("Opcode", "Release"))

    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class ReadTag(Setting):
    """Read the memory of an RFID tag (UT2004)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "RFID"), ("Opcode", "Read"))

    id: Annotated[str, text("Params")]
    """The tag's number."""
    name: Annotated[str | None, text("Name")] = None


@dataclass(frozen=True, slots=True)
class WriteTag(Setting):
    """Write the memory of an RFID tag (UT2004)."""

    fixed: ClassVar[tuple[Segment, ...]] = (("Type", "RFID"), ("Opcode", "Write"))

    params: Annotated[str, text("Params")]
    """The tag's number, a blank, the data."""
    name: Annotated[str | None, text("Name")] = None

    @property
    def id(self) -> str:
        """The tag's number."""
        return self.params.partition(" ")[0]

    @property
    def data(self) -> str:
        """Data to store."""
        return self.params.partition(" ")[2]


_COUNTERS = ("ODOMETRY", "ENCODER", "TACHOMETER")
_SCANNERS = ("RANGESCANNER", "IRSCANNER", "RANGEIMAGER")

_READERS: dict[tuple[str, str], Callable[[ParsedLine, Dialect], Setting]] = {
    **{("JOINT", word): SetJoint.read for word in _ORDERS},
    ("JOINT", "STIFFNESS"): SetStiffness.read,
    ("CAMERA", "ZOOM"): SetZoom.read,
    ("CAMERA", "FOV"): SetZoom.read,
    **{(counter, "RESET"): ResetSensor.read for counter in _COUNTERS},
    ("INS", "POSE"): SetInsPose.read,
    ("GAIT", "WALK"): SetGait.read,
    **{(scanner, "SCAN"): Scan.read for scanner in _SCANNERS},
    **{("GRIPPER", action): SetGripper.read for action in ("OPEN", "CLOSE", "GRIP")},
    ("RFIDRELEASER", "RELEASE"): ReleaseTag.read,
    ("RFID", "READ"): ReadTag.read,
    ("RFID", "WRITE"): WriteTag.read,
}
"""Type and opcode in upper case → reader."""


def read_set(line: ParsedLine, dialect: Dialect) -> Setting:
    """Read a SET by its type and opcode."""
    kind = line.by_key.get("type", "").upper()
    opcode = line.by_key.get("opcode", "").upper()
    if read := _READERS.get((kind, opcode)):
        return _check_lengths(read(line, dialect))
    if opcode == "RATE":
        return SetRate.read(line, dialect)
    if kind == "CAMERA" and "client" in line.by_key:
        return WatchCamera.read(line, dialect)
    if kind == "VIEWPORTS":
        return SetViewports.read(line, dialect)
    return Set.read(line, dialect)


def _check_lengths(setting: Setting) -> Setting:
    """Raise `BadValue` for lists of numbers of the wrong length."""
    if isinstance(setting, SetInsPose) and len(setting.pose) != 6:
        raise BadValue(f"Params has {len(setting.pose)} numbers, must have six")
    if isinstance(setting, SetJoint) and not setting.params:
        raise BadValue("Params has no number, must have one")
    return setting


OK = "OK"
FAILED = "Failed"


@dataclass(frozen=True, slots=True)
class Result:
    """Result for one item of a SET."""

    key: str
    """Name, Config, Viewport1…"""
    value: str
    """Name of the sensor or camera, configuration…"""
    status: str = OK
    """OK or Failed."""
    fov: float | None = None
    """Field of view of the camera after zooming, rad."""


@dataclass(frozen=True, slots=True)
class Response(Message, head="RES"):
    """Answer to a SET."""

    time: Annotated[float, number("Time", Quantity.STATE_STAMP)]
    type: Annotated[str, text("Type")]
    results: tuple[Result, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the results; each ends with a Status segment."""
        results: list[Result] = []
        key, value, fov = "", "", None
        for word, content in line.segments:
            lower = word.lower()
            if lower == "status":
                results.append(Result(key, value, content, fov))
                key, value, fov = "", "", None
            elif lower == "fov":
                fov = read_named_number("FOV", content)
            elif lower not in ("time", "type"):
                key, value = word, content
        return cls(results=tuple(results), **read_fields(cls, line.by_key))

    def lines(self, dialect: Dialect) -> list[str]:
        """Return the line; empty if the dialect has no RES."""
        if not dialect.responses:
            return []
        segments: list[Segment] = to_segments(self, dialect)
        for result in self.results:
            if result.key:
                segments.append((result.key, result.value))
            if result.fov is not None:
                segments.append(("FOV", dialect.write(Quantity.SCALAR, result.fov)))
            segments.append(("Status", result.status))
        return [write(self.head, segments)]
