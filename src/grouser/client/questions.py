"""Questions that a server answers, and how their answers are known.

The wire has no numbers for questions: an answer is known by what it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from grouser.protocol.usarsim.commands import GetConfiguration, GetGeometry, GetStartPoses
from grouser.protocol.usarsim.configuration import (
    Configuration,
    PackageConfiguration,
    RobotConfiguration,
    SensorConfiguration,
)
from grouser.protocol.usarsim.control import GetState
from grouser.protocol.usarsim.extensions import Said, Typed
from grouser.protocol.usarsim.geometry import (
    PACKAGES,
    Geometry,
    PackageGeometry,
    RobotGeometry,
    SensorGeometry,
)
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.nfo import StartPose, StartPoses
from grouser.protocol.usarsim.response import Response
from grouser.protocol.usarsim.setting import Setting
from grouser.protocol.usarsim.state import ObjectState

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Question(Generic[Answer]):
    """Something that is said and answered."""

    asks: Message
    takes: Callable[[Message], Answer | None]
    """Returns the answer if a message is one, otherwise None."""
    about: str
    """What is waited for, for complaints."""


def geometry(type: str, name: str | None = None) -> Question[Geometry]:
    """Ask where the robot's parts of a type are."""

    def takes(message: Message) -> Geometry | None:
        match message:
            case RobotGeometry() if type.lower() == "robot":
                return message
            case PackageGeometry() | SensorGeometry() if _about(message, type, name):
                return message
        return None

    return Question(GetGeometry(type, name), takes, f"GEO {_of(type, name)}")


def configuration(type: str, name: str | None = None) -> Question[Configuration]:
    """Ask what the robot's parts of a type can do."""

    def takes(message: Message) -> Configuration | None:
        match message:
            case RobotConfiguration() if type.lower() == "robot":
                return message
            case PackageConfiguration() | SensorConfiguration() if _about(message, type, name):
                return message
        return None

    return Question(GetConfiguration(type, name), takes, f"CONF {_of(type, name)}")


def start_poses() -> Question[tuple[StartPose, ...]]:
    """Ask where robots may begin."""

    def takes(message: Message) -> tuple[StartPose, ...] | None:
        return message.poses if isinstance(message, StartPoses) else None

    return Question(GetStartPoses(), takes, "the start poses")


def console(line: str) -> Question[Said]:
    """Type a line into the server's console."""

    def takes(message: Message) -> Said | None:
        return message if isinstance(message, Said) else None

    return Question(Typed(line), takes, f"the console's answer to '{line}'")


def whereabouts(name: str) -> Question[ObjectState]:
    """Ask where an object is that a world controller made."""

    def takes(message: Message) -> ObjectState | None:
        match message:
            case ObjectState() if message.name.lower() == name.lower():
                return message
        return None

    return Question(GetState(name=name), takes, f"the state of an object '{name}'")


def setting(asks: Setting) -> Question[Response]:
    """Set something, and ask what became of it (UT2004)."""

    def takes(message: Message) -> Response | None:
        return message if isinstance(message, Response) else None

    return Question(asks, takes, "RES (of the dialects, only ut2004 has it)")


_Part = SensorGeometry | PackageGeometry | SensorConfiguration | PackageConfiguration


def _about(message: _Part, type: str, name: str | None) -> bool:
    """Return whether an answer is about what was asked; an empty one is about its whole type."""
    asked, said = type.lower(), message.type.lower()
    if isinstance(message, PackageGeometry | PackageConfiguration):
        return asked in PACKAGES and (name is None or name.lower() == message.name.lower())
    named = [sensor.name.lower() for sensor in message.sensors]
    return asked == said and (name is None or not named or name.lower() in named)


def _of(type: str, name: str | None) -> str:
    return f"{{Type {type}}}" + (f" {{Name {name}}}" if name else "")
