"""GEO and CONF: geometry and configuration of the robot, its sensors and mission packages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Self

from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    Message,
    integer,
    list_segments,
    number,
    read_fields,
    read_runs,
    text,
    to_segments,
    vector,
)
from grouser.protocol.usarsim.package import link
from grouser.protocol.usarsim.segments import ParsedLine, Segment, segment_runs, unpack_names, write
from grouser.protocol.usarsim.state import VEHICLES, vehicle
from grouser.protocol.usarsim.values import LARGEST_INTEGER, Vector, read_integer, read_number

ACTUATOR = "actuator"
"""UDK's successor of a mission package, in lower case."""
PACKAGES = frozenset({"mispkg", ACTUATOR})
"""Types of mission packages, in lower case."""

ROBOTS = frozenset(kind.lower() for kind in (*VEHICLES, "LeggedRobot"))
"""Types of robots, in lower case."""


@dataclass(frozen=True, slots=True)
class RobotGeometry(Message, head="GEO"):
    """Dimensions of the robot, m; wheel fields are omitted for robots without wheels."""

    type: Annotated[str, vehicle("Type")]
    """One of `grouser.protocol.usarsim.state.VEHICLES`."""
    name: Annotated[str, text("Name")]
    dimensions: Annotated[Vector, vector("Dimensions", Quantity.LAYOUT)]
    """Length, width, height; the original UDK server sends wheel base, wheel separation, 0."""
    cog: Annotated[Vector, vector("COG", Quantity.LAYOUT)] = (0.0, 0.0, 0.0)
    """Centre of gravity."""
    wheel_radius: Annotated[float | None, number("WheelRadius", Quantity.SCALAR)] = None
    wheel_separation: Annotated[float | None, number("WheelSeparation", Quantity.SCALAR)] = None
    """Left to right."""
    wheel_base: Annotated[float | None, number("WheelBase", Quantity.SCALAR)] = None
    """Front to rear."""


@dataclass(frozen=True, slots=True)
class Mounting:
    """Mounting pose of one sensor."""

    name: Annotated[str, text("Name")]
    location: Annotated[Vector, vector("Location", Quantity.LAYOUT)]
    orientation: Annotated[Vector, vector("Orientation", Quantity.LAYOUT)]
    mount: Annotated[str | None, text("Mount")] = None
    """Parent part; UT2004 writes HARD for the chassis, and package and link in one word."""
    mount_link: Annotated[int | None, integer("MountLink")] = None
    """Link of the actuator that carries the sensor, counted from 1; UDK."""


@dataclass(frozen=True, slots=True)
class SensorGeometry(Message, head="GEO"):
    """Mounting poses of the sensors of a type; UT2004 also sends an empty list."""

    type: str
    sensors: tuple[Mounting, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the segments of each sensor in order, packed or separate."""
        sensors = read_runs(Mounting, unpack_names(line.segments), "Name")
        return cls(line.by_key.get("type", ""), sensors)

    def lines(self, dialect: Dialect) -> list[str]:
        """Return one line for all sensors; UDK sends none for an empty list."""
        if not self.sensors and not dialect.packed:
            return []
        return [
            write(
                self.head,
                [("Type", self.type), *self._each(dialect)],
                glued=("Mount",) if dialect.glued else (),
            )
        ]

    def _each(self, dialect: Dialect) -> Iterator[Segment]:
        for sensor in self.sensors:
            segments = to_segments(sensor, dialect)
            if dialect.packed:
                rest = " ".join(f"{key} {value}" for key, value in segments[1:])
                yield "Name", f"{sensor.name} {rest}"
            else:
                yield from segments


@dataclass(frozen=True, slots=True)
class LinkGeometry:
    """Pose of one link of a package."""

    link: Annotated[int, link()]
    """Counted from 0."""
    parent: int | None
    """Parent link, counted from 0; None: the chassis."""
    location: Annotated[Vector, vector("Location", Quantity.LINK)]
    orientation: Annotated[Vector, vector("Orientation", Quantity.LINK)]


@dataclass(frozen=True, slots=True)
class PackageGeometry(Message, head="GEO"):
    """Poses of the links of a mission package."""

    type: Annotated[str, text("Type")]
    """MisPkg or Actuator."""
    name: Annotated[str, text("Name")]
    links: tuple[LinkGeometry, ...] = ()
    location: Annotated[Vector | None, vector("Location", Quantity.LINK)] = None
    """Position of the package on its mount; UDK."""
    orientation: Annotated[Vector | None, vector("Orientation", Quantity.LINK)] = None
    """UDK."""
    mount: Annotated[str | None, text("Mount")] = None
    """UDK."""
    tip: Annotated[Vector | None, vector("Tip", Quantity.LINK)] = None
    """End of the last link relative to the first joint; UDK."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links in order; the pose of the package precedes them."""
        links = tuple(_read_link(run) for run in segment_runs(line.segments, "Link"))
        whole_line: dict[str, str] = {}
        for key, value in line.segments:
            if key.lower() == "link":
                break
            whole_line.setdefault(key.lower(), value)
        behind = {key: line.by_key[key] for key in ("mount", "tip") if key in line.by_key}
        return cls(links=links, **read_fields(cls, behind | whole_line))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the links before the tip; the chassis is link 0 in UDK and -1 in others."""
        actuator = self.type.lower() == "actuator"
        key, chassis = ("Parent", 0) if actuator else ("ParentLink", -1)
        segments = to_segments(self, dialect)
        each: list[Segment] = []
        for part in self.links:
            number, *rest = to_segments(part, dialect)
            parent = chassis if part.parent is None else part.parent + 1
            each += [number, (key, str(parent)), *rest]
        last = len(segments) - (self.tip is not None)
        return [*segments[:last], *each, *segments[last:]]


def _read_link(run: dict[str, str]) -> LinkGeometry:
    carrier = read_integer(run.get("parentlink", run.get("parent", "-1")))
    return LinkGeometry(
        parent=None if carrier < 1 else carrier - 1, **read_fields(LinkGeometry, run)
    )


Geometry = RobotGeometry | SensorGeometry | PackageGeometry


def read_geometry(line: ParsedLine, dialect: Dialect) -> Geometry:
    """Read a GEO by its type: robot, mission package or sensor."""
    kind = line.by_key.get("type", "").lower()
    if kind in ROBOTS:
        return RobotGeometry.read(line, dialect)
    if kind in PACKAGES:
        return PackageGeometry.read(line, dialect)
    return SensorGeometry.read(line, dialect)


Value = bool | int | float | str
"""Value of a setting. Numbers with a decimal point are float, others int."""

_COARSE = frozenset({("INS", "ScanInterval")})
"""Type and key of settings written with two decimals."""


@dataclass(frozen=True, slots=True)
class RobotConfiguration(Message, head="CONF"):
    """Capabilities of the robot."""

    type: Annotated[str, vehicle("Type")]
    """One of `grouser.protocol.usarsim.state.VEHICLES`."""
    name: Annotated[str, text("Name")]
    steering: Annotated[str | None, text("SteeringType")] = None
    """SkidSteered, AckermanSteered, OmniDrive, RotaryWing, VariableDepth, FourLegs, TwoLegs."""
    mass: Annotated[float | None, number("Mass", Quantity.SCALAR)] = None
    """kg."""
    max_speed: Annotated[float | None, number("MaxSpeed", Quantity.SCALAR)] = None
    """Angular speed of the wheels, rad/s."""
    max_torque: Annotated[float | None, number("MaxTorque", Quantity.SCALAR)] = None
    """N m."""
    max_front_steer: Annotated[float | None, number("MaxFrontSteer", Quantity.SCALAR)] = None
    max_rear_steer: Annotated[float | None, number("MaxRearSteer", Quantity.SCALAR)] = None

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments, type and name in the dialect's order."""
        kind, name, *rest = to_segments(self, dialect)
        return [name, kind, *rest] if dialect.conf_name_first else [kind, name, *rest]


@dataclass(frozen=True, slots=True)
class SensorSettings:
    """Settings of one sensor."""

    name: str
    settings: tuple[tuple[str, Value], ...] = ()
    """Key → value, in UDK's spelling: MaxRange, Fov, Panning…"""


@dataclass(frozen=True, slots=True)
class SensorConfiguration(Message, head="CONF"):
    """Settings of the sensors of a type; UT2004 also sends an empty list."""

    type: str
    sensors: tuple[SensorSettings, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the segments of each sensor in order; any key may be a setting."""
        sensors: list[tuple[str, list[tuple[str, Value]]]] = []
        for key, value in line.segments:
            if key.lower() == "name":
                sensors.append((value, []))
            elif sensors:
                sensors[-1][1].append((_SPELLED.get(key, key), read_value(value)))
        each = tuple(SensorSettings(name, tuple(settings)) for name, settings in sensors)
        return cls(line.by_key.get("type", ""), each)

    def lines(self, dialect: Dialect) -> list[str]:
        """Return one line for all sensors; UDK sends none for an empty list."""
        if not self.sensors and not dialect.packed:
            return []
        segments = [("Type", self.type)]
        for sensor in self.sensors:
            segments.append(("Name", sensor.name))
            for key, value in sensor.settings:
                spelled = dialect.spelling.get(key, key)
                segments.append((spelled, self._write(key, value, dialect)))
        glued = {key for key, _ in segments if key not in ("Type", "Name")}
        tight = dialect.glued and self.type == "Camera"
        return [write(self.head, segments, glued if tight else ())]

    def _write(self, key: str, value: Value, dialect: Dialect) -> str:
        if isinstance(value, float):
            coarse = (self.type, key) in _COARSE
            return dialect.write(Quantity.COARSE if coarse else Quantity.SCALAR, value)
        return str(value)


_SPELLED = {"Paning": "Panning"}


def read_value(text: str) -> Value:
    """Return ``text`` as bool, int or float if it has that form, else as text."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    bare = text[1:] if text[:1] in "+-" else text
    if bare.isdecimal() and bare.isascii() and len(bare) <= 10 and int(bare) <= LARGEST_INTEGER:
        return int(text)
    if bare.replace(".", "", 1).isdecimal() and bare.isascii():
        return read_number(text)
    return text


@dataclass(frozen=True, slots=True)
class LinkConfiguration:
    """Limits of one link of a package."""

    link: Annotated[int, link()]
    """Counted from 0."""
    joint: Annotated[str, text("JointType")]
    """Revolute, Prismatic or Scissor."""
    max_speed: Annotated[float | None, number("MaxSpeed", Quantity.COARSE)] = None
    """rad/s or m/s."""
    max_torque: Annotated[float | None, number("MaxTorque", Quantity.COARSE)] = None
    """N m or N."""
    min_range: Annotated[float | None, number("MinRange", Quantity.COARSE)] = None
    """rad or m; greater than `max_range`: unlimited."""
    max_range: Annotated[float | None, number("MaxRange", Quantity.COARSE)] = None


@dataclass(frozen=True, slots=True)
class ActuatorLinkConfiguration:
    """Limits of one link of a UDK actuator."""

    link: Annotated[int, link()]
    """Counted from 0."""
    joint: Annotated[str, text("JointType")]
    """Revolute, Prismatic or Unknown."""
    max_torque: Annotated[float, number("MaxTorque", Quantity.LIMIT)]
    """N m or N."""
    min_value: Annotated[float, number("MinValue", Quantity.LIMIT)]
    """rad or m."""
    max_value: Annotated[float, number("MaxValue", Quantity.LIMIT)]


@dataclass(frozen=True, slots=True)
class PackageConfiguration(Message, head="CONF"):
    """Limits of the links of a mission package."""

    type: Annotated[str, text("Type")]
    """MisPkg."""
    name: Annotated[str, text("Name")]
    links: tuple[LinkConfiguration, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links in order."""
        links = read_runs(LinkConfiguration, line.segments, "Link")
        return cls(links=links, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the name, then the links."""
        return [*to_segments(self, dialect), *list_segments(self.links, dialect)]


@dataclass(frozen=True, slots=True)
class ActuatorConfiguration(Message, head="CONF"):
    """Limits of the links of a UDK actuator."""

    type: Annotated[str, text("Type")]
    """Actuator."""
    name: Annotated[str, text("Name")]
    links: tuple[ActuatorLinkConfiguration, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links in order."""
        links = read_runs(ActuatorLinkConfiguration, line.segments, "Link")
        return cls(links=links, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the name, then the links."""
        return [*to_segments(self, dialect), *list_segments(self.links, dialect)]


Configuration = (
    RobotConfiguration | SensorConfiguration | PackageConfiguration | ActuatorConfiguration
)


def read_configuration(line: ParsedLine, dialect: Dialect) -> Configuration:
    """Read a CONF by its type: robot, mission package or sensor."""
    kind = line.by_key.get("type", "").lower()
    if kind in ROBOTS:
        return RobotConfiguration.read(line, dialect)
    if kind in PACKAGES:
        actuator = kind == ACTUATOR
        return (ActuatorConfiguration if actuator else PackageConfiguration).read(line, dialect)
    return SensorConfiguration.read(line, dialect)
