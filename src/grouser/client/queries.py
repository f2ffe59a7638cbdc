"""Queries that a server answers, and how their answers are recognised.

The wire has no numbers for questions: an answer is known by what it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from grouser.protocol.usarsim.commands import (
    GetConfiguration,
    GetGeometry,
    GetStartPoses,
    StartPose,
    StartPoses,
)
from grouser.protocol.usarsim.control import GetState
from grouser.protocol.usarsim.extensions import ConsoleAnswer, ConsoleLine
from grouser.protocol.usarsim.geo_conf import (
    PACKAGES,
    Configuration,
    Geometry,
    PackageConfiguration,
    PackageGeometry,
    RobotConfiguration,
    RobotGeometry,
    SensorConfiguration,
    SensorGeometry,
)
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.setting import Response, Setting
from grouser.protocol.usarsim.state import ObjectState, ObjectStates

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Query(Generic[Answer]):
    """A message that is answered, and how to recognise its answer."""

    request: Message
    match: Callable[[Message], Answer | None]
    """Returns the answer if a message is one, otherwise None."""
    awaited: str
    """What is waited for, for complaints."""


def geometry(type: str, name: str | None = None) -> Query[Geometry]:
    """Ask where the robot's parts of a type are."""

    def match(message: Message) -> Geometry | None:
        match message:
            case RobotGeometry() if type.lower() == "robot":
                return message
            case PackageGeometry() | SensorGeometry() if _is_about(message, type, name):
                return message
        return None

    return Query(GetGeometry(type, name), match, f"GEO {_segments(type, name)}")


def configuration(type: str, name: str | None = None) -> Query[Configuration]:
    """Ask what the robot's parts of a type can do."""

    def match(message: Message) -> Configuration | None:
        match message:
            case RobotConfiguration() if type.lower() == "robot":
                return message
            case PackageConfiguration() | SensorConfiguration() if _is_about(message, type, name):
                return message
        return None

    return Query(GetConfiguration(type, name), match, f"CONF {_segments(type, name)}")


def start_poses() -> Query[tuple[StartPose, ...]]:
    """Ask where robots may begin."""

    def match(message: Message) -> tuple[StartPose, ...] | None:
        return message.poses if isinstance(message, StartPoses) else None

    return Query(GetStartPoses(), match, "the start poses")


def console(line: str) -> Query[ConsoleAnswer]:
    """Type a line into the server's console."""

    def match(message: Message) -> ConsoleAnswer | None:
        return message if isinstance(message, ConsoleAnswer) else None

    return Query(ConsoleLine(line), match, f"the console's answer to '{line}'")


def object_state(name: str) -> Query[ObjectState]:
    """Ask where an object is that a world controller made."""

    def match(message: Message) -> ObjectState | None:
        each = message.objects if isinstance(message, ObjectStates) else ()
        return next((found for found in each if found.name.lower() == name.lower()), None)

    return Query(GetState(name=name), match, f"the state of an object '{name}'")


def setting(request: Setting) -> Query[Response]:
    """Set something, and ask what became of it (UT2004)."""

    def match(message: Message) -> Response | None:
        return message if isinstance(message, Response) else None

    return Query(request, match, "RES (of the dialects, only ut2004 has it)")


_Part = SensorGeometry | PackageGeometry | SensorConfiguration | PackageConfiguration


def _is_about(message: _Part, type: str, name: str | None) -> bool:
    """Return whether an answer is about what was asked; an empty one is about its whole type."""
    wanted, given = type.lower(), message.type.lower()
    if isinstance(message, PackageGeometry | PackageConfiguration):
        return wanted in PACKAGES and (name is None or name.lower() == message.name.lower())
    named = [sensor.name.lower() for sensor in message.sensors]
    return wanted == given and (name is None or not named or name.lower() in named)


def _segments(type: str, name: str | None) -> str:
    return f"{{Type {type}}}" + (f" {{Name {name}}}" if name else "")
