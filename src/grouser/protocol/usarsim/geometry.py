"""GEO: how big the robot is and where its sensors and packages are mounted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    Message,
    number,
    read_fields,
    text,
    to_segments,
    vector,
    whole,
)
from grouser.protocol.usarsim.package import link
from grouser.protocol.usarsim.segments import ParsedLine, Segment, segment_runs, unpack_names, write
from grouser.protocol.usarsim.state import VEHICLES, vehicle_type, vehicle_word
from grouser.protocol.usarsim.values import Vector, read_whole

PACKAGES = frozenset({"mispkg", "actuator"})
"""Types, in lower case, that are mission packages."""

ROBOTS = frozenset(kind.lower() for kind in (*VEHICLES, "LeggedRobot"))
"""Types, in lower case, that are robots."""


@dataclass(frozen=True, slots=True)
class RobotGeometry(Message):
    """How big the robot is, m; robots without wheels leave out what concerns them."""

    head: ClassVar[str] = "GEO"

    type: Annotated[str, text("Type")]
    """One of `grouser.protocol.usarsim.state.VEHICLES`."""
    name: Annotated[str, text("Name")]
    dimensions: Annotated[Vector, vector("Dimensions", Quantity.LAYOUT)]
    """Length, width, height; UDK says wheel base, wheel separation, 0."""
    cog: Annotated[Vector, vector("COG", Quantity.LAYOUT)] = (0.0, 0.0, 0.0)
    """Centre of gravity."""
    wheel_radius: Annotated[float | None, number("WheelRadius", Quantity.SCALAR)] = None
    wheel_separation: Annotated[float | None, number("WheelSeparation", Quantity.SCALAR)] = None
    """Left to right."""
    wheel_base: Annotated[float | None, number("WheelBase", Quantity.SCALAR)] = None
    """Front to rear."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the type in any dialect's words."""
        given = read_fields(cls, line.by_key)
        given["type"] = vehicle_type(given["type"])
        return cls(**given)

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the type in the dialect's word."""
        return [("Type", vehicle_word(self.type, dialect)), *to_segments(self, dialect)[1:]]


@dataclass(frozen=True, slots=True)
class Mounting:
    """Where one sensor is."""

    name: Annotated[str, text("Name")]
    location: Annotated[Vector, vector("Location", Quantity.LAYOUT)]
    orientation: Annotated[Vector, vector("Orientation", Quantity.LAYOUT)]
    mount: Annotated[str | None, text("Mount")] = None
    """What it is fixed to; UT2004 says HARD for the chassis, and package and link in one word."""
    mount_link: Annotated[int | None, whole("MountLink")] = None
    """Which link of the actuator it is fixed to, counted from 1; UDK."""


@dataclass(frozen=True, slots=True)
class SensorGeometry(Message):
    """Where all sensors of a type, or one of them, are; an empty list is UT2004's "none"."""

    head: ClassVar[str] = "GEO"

    type: str
    sensors: tuple[Mounting, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the sensors one after the other, in both forms."""
        each = segment_runs(unpack_names(line.segments), "Name")
        sensors = tuple(Mounting(**read_fields(Mounting, run)) for run in each)
        return cls(line.by_key.get("type", ""), sensors)

    def lines(self, dialect: Dialect) -> list[str]:
        """Return one line for all; UDK says nothing if there are none."""
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
    """Where one link of a package is."""

    link: Annotated[int, link()]
    """Counted from 0."""
    parent: int | None
    """The link that carries it, counted from 0; None: the chassis."""
    location: Annotated[Vector, vector("Location", Quantity.LINK)]
    orientation: Annotated[Vector, vector("Orientation", Quantity.LINK)]


@dataclass(frozen=True, slots=True)
class PackageGeometry(Message):
    """Where the links of a mission package are."""

    head: ClassVar[str] = "GEO"

    type: Annotated[str, text("Type")]
    """MisPkg or Actuator."""
    name: Annotated[str, text("Name")]
    links: tuple[LinkGeometry, ...] = ()
    location: Annotated[Vector | None, vector("Location", Quantity.LINK)] = None
    """Of the whole on its mount; UDK."""
    orientation: Annotated[Vector | None, vector("Orientation", Quantity.LINK)] = None
    """UDK."""
    mount: Annotated[str | None, text("Mount")] = None
    """UDK."""
    tip: Annotated[Vector | None, vector("Tip", Quantity.LINK)] = None
    """Where the last link ends, from the first one's joint; UDK."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the links one after the other; where the whole is stands before them."""
        links = tuple(_read_link(run) for run in segment_runs(line.segments, "Link"))
        whole_line: dict[str, str] = {}
        for key, value in line.segments:
            if key.lower() == "link":
                break
            whole_line.setdefault(key.lower(), value)
        behind = {key: line.by_key[key] for key in ("mount", "tip") if key in line.by_key}
        return cls(links=links, **read_fields(cls, behind | whole_line))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the links before the tip; the chassis is UDK's link 0, of others -1."""
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
    carrier = read_whole(run.get("parentlink", run.get("parent", "-1")))
    return LinkGeometry(
        parent=None if carrier < 1 else carrier - 1, **read_fields(LinkGeometry, run)
    )


Geometry = RobotGeometry | SensorGeometry | PackageGeometry


def read_geometry(line: ParsedLine, dialect: Dialect) -> Geometry:
    """Tell by the type whose geometry it is, and read it."""
    kind = line.by_key.get("type", "").lower()
    if kind in ROBOTS:
        return RobotGeometry.read(line, dialect)
    if kind in PACKAGES:
        return PackageGeometry.read(line, dialect)
    return SensorGeometry.read(line, dialect)
