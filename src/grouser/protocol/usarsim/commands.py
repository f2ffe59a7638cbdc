"""A client's commands: INIT, LOGIN and queries. What moves a robot is in files of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    Message,
    number,
    read_fields,
    switch,
    text,
    vector,
    whole,
)
from grouser.protocol.usarsim.segments import (
    ParsedLine,
    Segment,
    quoted,
    segment_runs,
    unpack_names,
)
from grouser.protocol.usarsim.values import Vector, read_vector


@dataclass(frozen=True, slots=True)
class Init(Message):
    """Put a robot into the world."""

    head: ClassVar[str] = "INIT"

    class_name: Annotated[str, text("ClassName")]
    """``Package.Class``; some clients leave the package out or change the case."""
    name: Annotated[str | None, text("Name")] = None
    """What the robot will be called."""
    location: Annotated[Vector | None, vector("Location")] = None
    """Where it starts, m; None: at the origin."""
    rotation: Annotated[Vector | None, vector("Rotation")] = None
    """Roll, pitch, yaw at the start, rad; None: all zero."""
    start: Annotated[str | None, text("Start")] = None
    """Name of a start pose of the world, which then counts instead of location and rotation."""
    team: Annotated[int | None, whole("Team")] = None
    """UT2004 and UT3; None: 255."""
    skin: Annotated[str | None, text("Skin")] = None
    """What it looks like; UT2004 with Zaratti's robots."""
    battery_s: Annotated[int | None, whole("Battery")] = None
    """How long its battery lasts, s; known from the Gazebo port."""
    token: Annotated[str | None, text("Token")] = None
    """Grouser's own: what a server beyond loopback demands."""

    @property
    def robot(self) -> str:
        """The class without its package."""
        return self.class_name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Login(Message):
    """Grouser's own: show a token, on a connection that makes no robot or before it does."""

    head: ClassVar[str] = "LOGIN"

    token: Annotated[str, text("Token")]


@dataclass(frozen=True, slots=True)
class GetStartPoses(Message):
    """Ask for the world's start poses; answered even before INIT."""

    head: ClassVar[str] = "GETSTARTPOSES"


@dataclass(frozen=True, slots=True)
class GetGeometry(Message):
    """Ask how big the robot, its sensors or packages are, and where they are mounted."""

    head: ClassVar[str] = "GETGEO"

    type: Annotated[str, text("Type")]
    """``Robot``, ``MisPkg`` or ``Actuator``, or a type of sensor."""
    name: Annotated[str | None, text("Name")] = None
    """None: all of the type."""


@dataclass(frozen=True, slots=True)
class GetConfiguration(Message):
    """Ask what the robot, its sensors or packages can do."""

    head: ClassVar[str] = "GETCONF"

    type: Annotated[str, text("Type")]
    """``Robot``, ``MisPkg`` or ``Actuator``, or a type of sensor."""
    name: Annotated[str | None, text("Name")] = None
    """None: all of the type."""


@dataclass(frozen=True, slots=True)
class Trace(Message):
    """Leave marks where my robot goes (UT2004)."""

    head: ClassVar[str] = "TRACE"

    on: Annotated[bool, switch("On")]
    interval: Annotated[float | None, number("Interval")] = None
    """Time between two marks, s."""
    color: Annotated[str | None, text("Color")] = None
    """Red, Yellow, Green, Cyan, White, Blue or Purple."""


@dataclass(frozen=True, slots=True)
class GetPathNodes(Message):
    """Ask where avatars may walk (UDK)."""

    head: ClassVar[str] = "GETPATHNODES"


@dataclass(frozen=True, slots=True)
class GetClosestPathNode(Message):
    """Ask for the place nearest to this one where avatars may walk (UDK)."""

    head: ClassVar[str] = "GETCLOSESTPATHNODE"

    location: Annotated[Vector, vector("Location")]


DO_NOTHING = frozenset(
    {
        "CAMERA",
        "GOTO",
        "MOVE",
        "PAUSE",
        "POSALL",
        "TEST",
        "TURN",
        "SETBALL",
        "SENSOR",
        "EFFECTOR",
        "FACTORY",
    }
)
"""Heads that some server accepts without a body that we know: not strange, but without effect."""


@dataclass(frozen=True, slots=True)
class Greeting(Message):
    """The first line of every connection."""

    head: ClassVar[str] = "NFO"

    gametype: Annotated[str, text("Gametype")] = "BotDeathMatch"
    level: Annotated[str, text("Level")] = ""
    """Name of the world."""
    time_limit: Annotated[int, whole("TimeLimit")] = 0
    """s; 0: none."""


@dataclass(frozen=True, slots=True)
class StartPose:
    """A place where a robot may begin."""

    name: Annotated[str, text("Name")]
    location: Annotated[Vector, vector("Location")]
    rotation: Annotated[Vector, vector("Orientation")]


@dataclass(frozen=True, slots=True)
class StartPoses(Message):
    """The answer to GETSTARTPOSES."""

    head: ClassVar[str] = "NFO"

    poses: tuple[StartPose, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read both forms: all poses in the segment behind the count, or a segment for each."""
        poses: list[StartPose] = []
        for key, value in line.segments:
            if key.lower() == "name" and " location " in value.lower():
                named = next(segment_runs(unpack_names([(key, value)]), "Name"))
                poses.append(StartPose(**read_fields(StartPose, named)))
            elif key.lower() != "startposes" or not value.isdecimal():
                poses += _listed(f"{key} {value}")
        return cls(tuple(poses))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Write the count, then all poses in one segment."""
        join = dialect.styles[Quantity.SCALAR].join
        count = ("StartPoses", str(len(self.poses)))
        words = [
            word
            for pose in self.poses
            for word in (pose.name, join(pose.location), join(pose.rotation))
        ]
        return [count, (words[0], " ".join(words[1:]))] if words else [count]


def _listed(text: str) -> list[StartPose]:
    words = text.replace(", ", ",").split()
    if len(words) % 3:
        raise BadValue(f"StartPoses has {quoted(text)}, must be a name and two vectors for each")
    return [
        StartPose(name, read_vector(location), read_vector(rotation))
        for name, location, rotation in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]


def read_nfo(line: ParsedLine, dialect: Dialect) -> Greeting | StartPoses:
    """Tell which of the two an NFO is, and read it."""
    if "startposes" in line.by_key or "name" in line.by_key:
        return StartPoses.read(line, dialect)
    return Greeting.read(line, dialect)
