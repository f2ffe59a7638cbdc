"""CONTROL: commands of a world controller (``INIT {ClassName USARBotAPI.WorldController}``).

They create, move and remove objects while the simulation runs. Names refer to objects that were
created by CONTROL.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, ClassVar

from grouser.errors import BadValue, nearest
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    FieldCodec,
    Message,
    number,
    numbers,
    switch,
    text,
    to_segments,
    vector,
)
from grouser.protocol.usarsim.segments import ParsedLine, Segment, quote_text
from grouser.protocol.usarsim.values import Vector, read_vector


class Control(Message, head="CONTROL"):
    """Base class of all CONTROL commands."""

    __slots__ = ()

    type: ClassVar[str]
    """Value of the Type segment; classes set it as a keyword."""

    def __init_subclass__(cls, type: str | None = None) -> None:
        if type is not None:
            cls.type = type

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the type segment, then the fields."""
        return [("Type", self.type), *to_segments(self, dialect)]


def waypoints() -> FieldCodec:
    """Return the codec of positions separated by semicolons."""
    return FieldCodec(
        "WP",
        lambda text: tuple(read_vector(part) for part in text.split(";") if part.strip()),
        lambda value, dialect: ";".join(dialect.styles[Quantity.EXACT].join(xyz) for xyz in value),
    )


@dataclass(frozen=True, slots=True)
class Create(Control, type="Create"):
    """Create an object."""

    class_name: Annotated[str, text("ClassName")]
    name: Annotated[str | None, text("Name")] = None
    memory: Annotated[str | None, text("Memory")] = None
    location: Annotated[Vector | None, vector("Location")] = None
    rotation: Annotated[Vector | None, vector("Rotation")] = None
    scale: Annotated[tuple[float, ...] | None, numbers("Scale")] = None
    """One factor, or one per axis."""
    physics: Annotated[str | None, text("Physics")] = None
    """None or RigidBody."""
    permanent: Annotated[bool | None, switch("Permanent")] = None
    """Keep the object when the controller disconnects."""
    material: Annotated[str | None, text("Material")] = None
    start: Annotated[str | None, text("Start")] = None
    """Name of a start pose; overrides location and rotation."""


@dataclass(frozen=True, slots=True)
class Kill(Control, type="Kill"):
    """Remove an object."""

    name: Annotated[str, text("Name")]


@dataclass(frozen=True, slots=True)
class KillAll(Control, type="KillAll"):
    """Remove all objects, or those inside a box."""

    lowest: Annotated[Vector | None, vector("MinPos")] = None
    highest: Annotated[Vector | None, vector("MaxPos")] = None


@dataclass(frozen=True, slots=True)
class AbsMove(Control, type="AbsMove"):
    """Set the pose of an object."""

    name: Annotated[str, text("Name")]
    location: Annotated[Vector | None, vector("Location")] = None
    rotation: Annotated[Vector | None, vector("Rotation")] = None


@dataclass(frozen=True, slots=True)
class RelMove(Control, type="RelMove"):
    """Move an object relative to its pose."""

    name: Annotated[str, text("Name")]
    location: Annotated[Vector | None, vector("Location")] = None
    rotation: Annotated[Vector | None, vector("Rotation")] = None


@dataclass(frozen=True, slots=True)
class Rotate(Control, type="Rotate"):
    """Set the angular velocity of an object."""

    name: Annotated[str, text("Name")]
    speed: Annotated[tuple[float, ...], numbers("Speed")]
    """rad/s: one number, or one per axis."""


@dataclass(frozen=True, slots=True)
class Conveyor(Control, type="Conveyor"):
    """Set the speed of a conveyor."""

    name: Annotated[str, text("Name")]
    speed: Annotated[tuple[float, ...], numbers("Speed")]
    """m/s: one number, or one per axis."""


@dataclass(frozen=True, slots=True)
class AddWaypoints(Control, type="AddWP"):
    """Append waypoints to the path of an object."""

    name: Annotated[str, text("Name")]
    waypoints: Annotated[tuple[Vector, ...], waypoints()]


@dataclass(frozen=True, slots=True)
class SetWaypoints(Control, type="SetWP"):
    """Set the motion of an object along its waypoints."""

    name: Annotated[str, text("Name")]
    speed: Annotated[float | None, number("Speed")] = None
    """m/s."""
    time: Annotated[float | None, number("Time")] = None
    """Duration of the whole path, s; replaces the speed."""
    loop: Annotated[bool | None, switch("Loop")] = None
    reset_on_clear: Annotated[bool | None, switch("ResetOnClear")] = None
    moving: Annotated[bool | None, switch("Moving")] = None


@dataclass(frozen=True, slots=True)
class ClearWaypoints(Control, type="ClearWP"):
    """Remove the waypoints of an object."""

    name: Annotated[str, text("Name")]


@dataclass(frozen=True, slots=True)
class GetState(Control, type="GetSTA"):
    """Query the poses of objects, by class or name."""

    class_name: Annotated[str | None, text("ClassName")] = None
    name: Annotated[str | None, text("Name")] = None


CONTROLS: dict[str, Callable[[ParsedLine, Dialect], Control]] = {
    "create": Create.read,
    "kill": Kill.read,
    "killall": KillAll.read,
    "absmove": AbsMove.read,
    "relmove": RelMove.read,
    "rotate": Rotate.read,
    "conveyor": Conveyor.read,
    "addwp": AddWaypoints.read,
    "setwp": SetWaypoints.read,
    "clearwp": ClearWaypoints.read,
    "getsta": GetState.read,
}
"""Type in lower case → reader."""


def read_control(line: ParsedLine, dialect: Dialect) -> Control:
    """Read a CONTROL by its type."""
    kind = line.by_key.get("type", "")
    try:
        read = CONTROLS[kind.lower()]
    except KeyError:
        hint = nearest(kind[:40], CONTROLS)
        raise BadValue(
            f"Type is {quote_text(kind)}, must be one of {', '.join(CONTROLS)}{hint}"
        ) from None
    return read(line, dialect)
