"""CONF: what the robot, its sensors and its packages can do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.geometry import PACKAGES, ROBOTS
from grouser.protocol.usarsim.message import Message, number, read_fields, text, to_segments
from grouser.protocol.usarsim.package import link
from grouser.protocol.usarsim.segments import ParsedLine, Segment, segment_runs, write
from grouser.protocol.usarsim.state import vehicle_type, vehicle_word
from grouser.protocol.usarsim.values import LARGEST_WHOLE, read_number

Value = bool | int | float | str
"""What a setting may be. Numbers with a point are float, others int."""

_COARSE = frozenset({("INS", "ScanInterval")})
"""Type and key of settings that are written with two decimals."""


@dataclass(frozen=True, slots=True)
class RobotConfiguration(Message):
    """What the robot can do."""

    head: ClassVar[str] = "CONF"

    type: Annotated[str, text("Type")]
    """One of `grouser.protocol.usarsim.state.VEHICLES`."""
    name: Annotated[str, text("Name")]
    steering: Annotated[str | None, text("SteeringType")] = None
    """SkidSteered, AckermanSteered, OmniDrive, RotaryWing, VariableDepth, FourLegs, TwoLegs."""
    mass: Annotated[float | None, number("Mass", Quantity.SCALAR)] = None
    """kg."""
    max_speed: Annotated[float | None, number("MaxSpeed", Quantity.SCALAR)] = None
    """Spin of the wheels, rad/s."""
    max_torque: Annotated[float | None, number("MaxTorque", Quantity.SCALAR)] = None
    """N m."""
    max_front_steer: Annotated[float | None, number("MaxFrontSteer", Quantity.SCALAR)] = None
    max_rear_steer: Annotated[float | None, number("MaxRearSteer", Quantity.SCALAR)] = None

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the type in any dialect's words."""
        given = read_fields(cls, line.by_key)
        given["type"] = vehicle_type(given["type"])
        return cls(**given)

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write type and name in the dialect's order."""
        kind = ("Type", vehicle_word(self.type, dialect))
        _, name, *rest = to_segments(self, dialect)
        return [name, kind, *rest] if dialect.conf_name_first else [kind, name, *rest]


@dataclass(frozen=True, slots=True)
class SensorSettings:
    """What one sensor can do."""

    name: str
    settings: tuple[tuple[str, Value], ...] = ()
    """Key → value, in UDK's spelling: MaxRange, Fov, Panning…"""


@dataclass(frozen=True, slots=True)
class SensorConfiguration(Message):
    """What all sensors of a type, or one of them, can do; an empty list is UT2004's "none"."""

    head: ClassVar[str] = "CONF"

    type: str
    sensors: tuple[SensorSettings, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the sensors one after the other; any key may be a setting."""
        sensors: list[tuple[str, list[tuple[str, Value]]]] = []
        for key, value in line.segments:
            if key.lower() == "name":
                sensors.append((value, []))
            elif sensors:
                sensors[-1][1].append((_SPELLED.get(key, key), read_value(value)))
        each = tuple(SensorSettings(name, tuple(settings)) for name, settings in sensors)
        return cls(line.by_key.get("type", ""), each)

    def lines(self, dialect: Dialect) -> list[str]:
        """Return one line for all; UDK says nothing if there are none."""
        if not self.sensors and not dialect.packed:
            return []
        segments = [("Type", self.type)]
        for sensor in self.sensors:
            segments.append(("Name", sensor.name))
            for key, value in sensor.settings:
                spelled = dialect.spelling.get(key, key)
                segments.append((spelled, self._write(key, value, dialect)))
        glued = {key for key, _ in segments if key not in ("Type", "Name")}
        return [write(self.head, segments, glued if self._tight(dialect) else ())]

    def _tight(self, dialect: Dialect) -> bool:
        return dialect.glued and self.type == "Camera"

    def _write(self, key: str, value: Value, dialect: Dialect) -> str:
        if isinstance(value, float):
            coarse = (self.type, key) in _COARSE
            return dialect.write(Quantity.COARSE if coarse else Quantity.SCALAR, value)
        return str(value)


_SPELLED = {"Paning": "Panning"}


def read_value(text: str) -> Value:
    """Return a flag, an integer, a number or a text, whatever ``text`` looks like."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    bare = text[1:] if text[:1] in "+-" else text
    if bare.isdecimal() and bare.isascii() and len(bare) <= 10 and int(bare) <= LARGEST_WHOLE:
        return int(text)
    if bare.replace(".", "", 1).isdecimal() and bare.isascii():
        return read_number(text)
    return text


@dataclass(frozen=True, slots=True)
class LinkConfiguration:
    """What one link of a package can do."""

    link: Annotated[int, link()]
    """Counted from 0."""
    joint: Annotated[str, text("JointType")]
    """Revolute, Prismatic or Scissor."""
    max_speed: Annotated[float | None, number("MaxSpeed", Quantity.COARSE)] = None
    """rad/s or m/s."""
    max_torque: Annotated[float | None, number("MaxTorque", Quantity.COARSE)] = None
    """N m or N."""
    min_range: Annotated[float | None, number("MinRange", Quantity.COARSE)] = None
    """rad or m; above `max_range`: there is no limit."""
    max_range: Annotated[float | None, number("MaxRange", Quantity.COARSE)] = None


@dataclass(frozen=True, slots=True)
class PackageConfiguration(Message):
    """What the links of a mission package can do."""

    head: ClassVar[str] = "CONF"

    type: Annotated[str, text("Type")]
    """MisPkg or Actuator."""
    name: Annotated[str, text("Name")]
    links: tuple[LinkConfiguration, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links one after the other."""
        links = tuple(
            LinkConfiguration(**read_fields(LinkConfiguration, run))
            for run in segment_runs(line.segments, "Link")
        )
        return cls(links=links, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the links behind the name."""
        each = [segment for part in self.links for segment in to_segments(part, dialect)]
        return [*to_segments(self, dialect), *each]


Configuration = RobotConfiguration | SensorConfiguration | PackageConfiguration


def read_configuration(line: ParsedLine, dialect: Dialect) -> Configuration:
    """Tell by the type whose configuration it is, and read it."""
    kind = line.by_key.get("type", "").lower()
    if kind in ROBOTS:
        return RobotConfiguration.read(line, dialect)
    if kind in PACKAGES:
        return PackageConfiguration.read(line, dialect)
    return SensorConfiguration.read(line, dialect)
