"""Session set-up and queries: the NFO greeting, INIT, LOGIN, GETSTARTPOSES, GETGEO, GETCONF.

Commands that move a robot are in `grouser.protocol.usarsim.drive`, ``package`` and ``setting``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import (
    Message,
    integer,
    number,
    read_fields,
    switch,
    text,
    vector,
)
from grouser.protocol.usarsim.segments import (
    ParsedLine,
    Segment,
    quote_text,
    segment_runs,
    unpack_names,
)
from grouser.protocol.usarsim.values import Vector, read_vector


@dataclass(frozen=True, slots=True)
class Init(Message, head="INIT"):
    """Create the client's robot, or open a world controller session."""

    class_name: Annotated[str, text("ClassName")]
    """``Package.Class``; some clients omit the package or change the case."""
    name: Annotated[str | None, text("Name")] = None
    """Requested name of the robot."""
    location: Annotated[Vector | None, vector("Location")] = None
    """Start position, m; None: the origin."""
    rotation: Annotated[Vector | None, vector("Rotation")] = None
    """Roll, pitch, yaw at the start, rad; None: all zero."""
    start: Annotated[str | None, text("Start")] = None
    """Name of a start pose of the world; overrides location and rotation."""
    team: Annotated[int | None, integer("Team")] = None
    """UT2004 and UT3; None: 255."""
    skin: Annotated[str | None, text("Skin")] = None
    """Appearance; UT2004 with Zaratti's robots."""
    battery_s: Annotated[int | None, integer("Battery")] = None
    """Battery life, s; from the Gazebo port."""
    token: Annotated[str | None, text("Token")] = None
    """Access token (Grouser extension); servers beyond loopback require one."""

    @property
    def robot(self) -> str:
        """Class name without its package."""
        return self.class_name.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Login(Message, head="LOGIN"):
    """Present an access token without creating a robot, or before INIT (Grouser extension)."""

    token: Annotated[str, text("Token")]


@dataclass(frozen=True, slots=True)
class GetStartPoses(Message, head="GETSTARTPOSES"):
    """Query the world's start poses; answered even before INIT."""


@dataclass(frozen=True, slots=True)
class GetGeometry(Message, head="GETGEO"):
    """Query dimensions and mounting poses of the robot, its sensors or packages."""

    type: Annotated[str, text("Type")]
    """``Robot``, ``MisPkg`` or ``Actuator``, or a type of sensor."""
    name: Annotated[str | None, text("Name")] = None
    """None: all of the type."""


@dataclass(frozen=True, slots=True)
class GetConfiguration(Message, head="GETCONF"):
    """Query the capabilities of the robot, its sensors or packages."""

    type: Annotated[str, text("Type")]
    """``Robot``, ``MisPkg`` or ``Actuator``, or a type of sensor."""
    name: Annotated[str | None, text("Name")] = None
    """None: all of the type."""


@dataclass(frozen=True, slots=True)
class Trace(Message, head="TRACE"):
    """Mark the path of the robot (UT2004)."""

    on: Annotated[bool, switch("On")]
    interval: Annotated[float | None, number("Interval")] = None
    """Time between two marks, s."""
    color: Annotated[str | None, text("Color")] = None
    """Red, Yellow, Green, Cyan, White, Blue or Purple."""


@dataclass(frozen=True, slots=True)
class GetPathNodes(Message, head="GETPATHNODES"):
    """Query the path nodes of avatars (UDK)."""


@dataclass(frozen=True, slots=True)
class GetClosestPathNode(Message, head="GETCLOSESTPATHNODE"):
    """Query the avatar path node nearest to a location (UDK)."""

    location: Annotated[Vector, vector("Location")]


IGNORED_COMMANDS = frozenset(
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
"""Commands that some original server accepts without effect; ignored without an error."""


@dataclass(frozen=True, slots=True)
class Greeting(Message, head="NFO"):
    """First line of every connection."""

    gametype: Annotated[str, text("Gametype")] = "BotDeathMatch"
    level: Annotated[str, text("Level")] = ""
    """Name of the world."""
    time_limit: Annotated[int, integer("TimeLimit")] = 0
    """s; 0: none."""


@dataclass(frozen=True, slots=True)
class StartPose:
    """Named start pose of the world."""

    name: Annotated[str, text("Name")]
    location: Annotated[Vector, vector("Location")]
    rotation: Annotated[Vector, vector("Orientation")]


@dataclass(frozen=True, slots=True)
class StartPoses(Message, head="NFO"):
    """Answer to GETSTARTPOSES."""

    poses: tuple[StartPose, ...] = ()

    @classmethod
    def read(cls, line: ParsedLine, dialect: Dialect) -> Self:
        """Read both forms: all poses in one segment after the count, or one segment per pose."""
        poses: list[StartPose] = []
        for key, value in line.segments:
            if key.lower() == "name" and " location " in value.lower():
                named = next(segment_runs(unpack_names([(key, value)]), "Name"))
                poses.append(StartPose(**read_fields(StartPose, named)))
            elif key.lower() != "startposes" or not value.isdecimal():
                poses += _parse_pose_list(f"{key} {value}")
        return cls(tuple(poses))

    def segments(self, dialect: Dialect) -> list[Segment]:
        """Return the count, then all poses in one segment."""
        join = dialect.styles[Quantity.SCALAR].join
        count = ("StartPoses", str(len(self.poses)))
        words = [
            word
            for pose in self.poses
            for word in (pose.name, join(pose.location), join(pose.rotation))
        ]
        return [count, (words[0], " ".join(words[1:]))] if words else [count]


def _parse_pose_list(text: str) -> list[StartPose]:
    words = text.replace(", ", ",").split()
    if len(words) % 3:
        raise BadValue(
            f"StartPoses has {quote_text(text)}, must be a name and two vectors for each"
        )
    return [
        StartPose(name, read_vector(location), read_vector(rotation))
        for name, location, rotation in zip(words[::3], words[1::3], words[2::3], strict=True)
    ]


def read_nfo(line: ParsedLine, dialect: Dialect) -> Greeting | StartPoses:
    """Read an NFO: start poses if it has their keys, else the greeting."""
    if "startposes" in line.by_key or "name" in line.by_key:
        return StartPoses.read(line, dialect)
    return Greeting.read(line, dialect)
