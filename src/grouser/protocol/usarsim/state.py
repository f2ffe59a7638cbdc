"""STA: state of the robot, or of objects created by a world controller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    FieldCodec,
    Message,
    flag,
    integer,
    list_segments,
    number,
    read_fields,
    read_runs,
    text,
    to_segments,
    vector,
)
from grouser.protocol.usarsim.segments import ParsedLine, Segment
from grouser.protocol.usarsim.values import Vector, read_named_number

GROUND = "GroundVehicle"
LEGGED = "LeggedVehicle"
AERIAL = "AerialVehicle"
NAUTIC = "NauticVehicle"
VEHICLES = (GROUND, LEGGED, AERIAL, NAUTIC)
"""Types of robots in UDK; UT2004 and UT3 use LeggedRobot instead of LeggedVehicle."""

NO_BATTERY = 99999
"""Value of `State.battery` when batteries are not simulated."""

_POSE = ("Location", "Orientation", "Velocity")
_TYPE_FIRST = ("Type", "Time", *_POSE, "FrontSteer", "RearSteer", "", "LightToggle",
               "LightIntensity", "Battery", "View")  # fmt: skip
_TIME_FIRST = ("Time", "Battery", "Type", *_POSE, "LightToggle", "LightIntensity", "FrontSteer",
               "RearSteer", "", "View")  # fmt: skip
"""Order of the keys; the empty key stands for the joints."""


def vehicle(key: str) -> FieldCodec:
    """Return the codec of a type of robot: its name in any dialect on the wire, UDK's here."""
    return FieldCodec(
        key,
        lambda word: LEGGED if word.lower() == "leggedrobot" else word,
        lambda kind, dialect: dialect.legged if kind == LEGGED else kind,
    )


@dataclass(frozen=True, slots=True)
class State(Message, head="STA"):
    """State of the robot; a field that is None does not apply to its type."""

    type: Annotated[str, vehicle("Type")]
    """One of `VEHICLES`."""
    time: Annotated[float, number("Time", Quantity.STATE_STAMP)]
    """s."""
    battery: Annotated[int, integer("Battery")] = NO_BATTERY
    """Remaining battery life, s."""
    front_steer: Annotated[float | None, number("FrontSteer", Quantity.STEER)] = None
    """rad."""
    rear_steer: Annotated[float | None, number("RearSteer", Quantity.STEER)] = None
    """rad."""
    light: Annotated[bool | None, flag("LightToggle")] = None
    light_intensity: Annotated[int | None, integer("LightIntensity")] = None
    view: Annotated[int | None, integer("View")] = None
    """Tile of the robot's image in the mosaic, -1: none; UT2004."""
    joints: tuple[tuple[str, float], ...] = ()
    """Joint → angle, rad: flippers (UT2004), or all joints of a legged robot."""
    location: Annotated[Vector | None, vector("Location", Quantity.TRUTH)] = None
    """Early UT2004 servers."""
    orientation: Annotated[Vector | None, vector("Orientation", Quantity.TRUTH)] = None
    velocity: Annotated[Vector | None, vector("Velocity", Quantity.TRUTH)] = None
    """m/s."""

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the fields; every other key is a joint."""
        joints = tuple(
            (key, read_named_number(key, value))
            for key, value in line.segments
            if key.lower() not in _KNOWN
        )
        return cls(joints=joints, **read_fields(cls, line.by_key))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments in the dialect's order."""
        values = dict(to_segments(self, dialect))
        if not dialect.view:
            values.pop("View", None)
        segments: list[Segment] = []
        for key in _TIME_FIRST if dialect.time_first else _TYPE_FIRST:
            if not key:
                segments += self._joints(dialect)
            elif key in values:
                segments.append((key, values[key]))
        return segments

    def _joints(self, dialect: Dialect) -> list[Segment]:
        if self.type == GROUND and not dialect.flippers:
            return []
        return [(joint, dialect.write(Quantity.SCALAR, angle)) for joint, angle in self.joints]


@dataclass(frozen=True, slots=True)
class ObjectState:
    """Pose of one object created by a world controller."""

    name: Annotated[str, text("Name")]
    size: Annotated[Vector, vector("Size", Quantity.SCALAR)]
    """Size of its bounding box in its own axes, m."""
    location: Annotated[Vector, vector("Location", Quantity.SCALAR)]
    memory: Annotated[str, text("Memory")] = ""
    """Value of Memory at its creation."""
    rotation: Annotated[Vector, vector("Rotation", Quantity.SCALAR)] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class ObjectStates(Message, head="STA"):
    """Poses of objects created by world controllers (CONTROL {Type GetSTA}); one line as in UDK."""

    objects: tuple[ObjectState, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read the objects in order."""
        return cls(read_runs(ObjectState, line.segments, "Name"))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the segments of each object in order."""
        return list_segments(self.objects, dialect)


def read_state(line: ParsedLine, dialect: Dialect) -> State | ObjectStates:
    """Read a STA; lines without a type are states of objects."""
    if not any(key.lower() == "type" for key, _ in line.segments):
        return ObjectStates.read(line, dialect)
    return State.read(line, dialect)


_KNOWN = frozenset(key.lower() for key in _TYPE_FIRST if key)
