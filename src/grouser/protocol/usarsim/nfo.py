"""NFO: the greeting, and the start poses of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from grouser.errors import BadValue
from grouser.protocol.usarsim.dialects import Dialect, Quantity
from grouser.protocol.usarsim.message import Message, read_fields, text, vector, whole
from grouser.protocol.usarsim.segments import (
    ParsedLine,
    Segment,
    quoted,
    segment_runs,
    unpack_names,
)
from grouser.protocol.usarsim.values import Vector, read_vector


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
