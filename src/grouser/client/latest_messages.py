"""The newest message of each kind and of each sensor."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from grouser.protocol.usarsim.commands import Greeting
from grouser.protocol.usarsim.extensions import Notice, RadioMessage, Tick
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.package import EffectorState, PackageState
from grouser.protocol.usarsim.sensor_messages import Grouped, SensorMessage
from grouser.protocol.usarsim.state import State

NOTICES = 100
"""Notices that are kept; older ones are forgotten."""
MAIL = 1000
"""Radio messages that are kept until somebody takes them."""


class LatestMessages:
    """The newest message of each kind and of each sensor, and the notices and radio messages."""

    def __init__(self) -> None:
        self.greeting: Greeting | None = None
        """The server's first line."""
        self.state: State | None = None
        """How the robot is."""
        self.packages: dict[str, PackageState | EffectorState] = {}
        """Mission package or gripper → where it is."""
        self.time: float | None = None
        """Simulated, s, as far as it was said; it goes back when the world starts over."""
        self.notices: deque[Notice] = deque(maxlen=NOTICES)
        """Notices of the server, oldest first."""
        self.radio_inbox: deque[RadioMessage] = deque(maxlen=MAIL)
        """Radio messages that nobody has taken yet, oldest first."""
        self._by_name: dict[str, Message] = {}
        self._by_type: dict[str, Message] = {}

    def record(self, message: Message) -> None:
        """Make ``message`` the newest of its kind."""
        self._update_time(message)
        match message:
            case SensorMessage() | UnknownMessage(word="SEN"):
                self._record_reading(message)
            case State():
                self.state = message
            case PackageState() | EffectorState():
                self.packages[message.name] = message
            case RadioMessage():
                self.radio_inbox.append(message)
            case Notice():
                self.notices.append(message)
            case Greeting():
                self.greeting = message

    @property
    def alive(self) -> bool:
        """Whether there is a robot: it has a state, or feels something."""
        return self.state is not None or bool(self._by_type)

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors that have said something, as the server spells them."""
        return tuple(name for message in self._by_type.values() for name in sensor_names(message))

    def newest(self, sensor: str) -> Message | None:
        """Return the last reading of a sensor, or of a type of sensor; None: nothing yet.

        Of sensors that come in numbers (sonars…) the name of one gives a message with that one
        alone, and the type gives a message with all of them, whether the dialect groups them or
        not. Any case will do.
        """
        key = sensor.lower()
        return self._by_name.get(key) or self._by_type.get(key)

    def _update_time(self, message: Message) -> None:
        """Note what time it is; readings may be late, and only STA and TICK put the clock back."""
        time = getattr(message, "time", None)
        if not isinstance(time, float):
            return
        if self.time is None or time > self.time or isinstance(message, State | Tick):
            self.time = time

    def _record_reading(self, message: SensorMessage | UnknownMessage) -> None:
        kind = sensor_type(message).lower()
        if isinstance(message, Grouped):
            for one in message.readings:
                self._by_name[one[0].lower()] = replace(message, readings=(one,))
            before = self._by_type.get(kind)
            if isinstance(before, Grouped):
                together = {**dict(before.readings), **dict(message.readings)}
                message = replace(message, readings=tuple(together.items()))
        else:
            for name in sensor_names(message):
                self._by_name[name.lower()] = message
        self._by_type[kind] = message


def sensor_type(message: SensorMessage | UnknownMessage) -> str:
    """Return the type of the sensor that said ``message``."""
    return message.type if isinstance(message, SensorMessage) else _segment(message, "type")


def sensor_names(message: Message) -> tuple[str, ...]:
    """Return the names of the sensors that said ``message``; none if it is no reading."""
    match message:
        case Grouped():
            return tuple(name for name, _ in message.readings)
        case SensorMessage():
            return (str(getattr(message, "name", message.type)),)
        case UnknownMessage(word="SEN"):
            return (_segment(message, "name"),)
    return ()


def _segment(message: UnknownMessage, key: str) -> str:
    return next((value for name, value in message.pairs if name.lower() == key), "")
