"""Client side of the control protocol without I/O: requests out, messages and answers in.

The blocking and the asyncio client (`grouser.client.connection`, `grouser.client.asynchronous`)
write the lines of `Conversation.take_outgoing` and pass received bytes to `Conversation.receive`.
An exchange is a generator: it yields a description of the expected message whenever it needs more
data, and returns the answer. Both clients run the same generators.

The protocol has no request numbers: an answer is matched by its content.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from grouser.errors import BadValue, Disconnected, Refused
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim import geo_conf
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.commands import (
    GetConfiguration,
    GetGeometry,
    GetStartPoses,
    Greeting,
    Init,
    Login,
    StartPose,
    StartPoses,
)
from grouser.protocol.usarsim.control import GetState
from grouser.protocol.usarsim.dialects import Dialect
from grouser.protocol.usarsim.extensions import (
    ConsoleAnswer,
    ConsoleLine,
    Lockstep,
    Notice,
    RadioMessage,
    Step,
    Tick,
    ends_turn,
)
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.package import EffectorState, PackageState
from grouser.protocol.usarsim.sensor_messages import Grouped, SensorMessage
from grouser.protocol.usarsim.setting import Response, Setting
from grouser.protocol.usarsim.state import ObjectState, ObjectStates, State
from grouser.protocol.usarsim.values import Vector

Answer = TypeVar("Answer")


def _is_about(
    message: geo_conf.Geometry | geo_conf.Configuration, type: str, name: str | None
) -> bool:
    """Return True if an answer matches the request; an empty one matches its whole type."""
    wanted, given = type.lower(), message.type.lower()
    if isinstance(message, geo_conf.RobotGeometry | geo_conf.RobotConfiguration):
        return wanted == "robot"
    if isinstance(
        message,
        geo_conf.PackageGeometry | geo_conf.PackageConfiguration | geo_conf.ActuatorConfiguration,
    ):
        return wanted in geo_conf.PACKAGES and (
            name is None or name.lower() == message.name.lower()
        )
    named = [sensor.name.lower() for sensor in message.sensors]
    return wanted == given and (name is None or not named or name.lower() in named)


def _segments(type: str, name: str | None) -> str:
    return f"{{Type {type}}}" + (f" {{Name {name}}}" if name else "")


UNREAD = 1000
"""Capacity of the queue of unread messages; beyond it the oldest are dropped."""
FAULTS = 100
"""Number of stored parse errors."""

PACKAGE = "USARBot"
"""Default package of robot classes."""
CONTROLLER = "USARBotAPI.WorldController"
"""Class of a world controller."""

Exchange = Generator[str, None, Answer]
"""Generator that yields descriptions of the expected message, and returns the answer."""


@dataclass(frozen=True, slots=True)
class LockstepTurn:
    """Turn in lockstep: the simulation waits for this client."""

    time: float
    """Simulated time, s."""
    messages: tuple[Message, ...]
    """All unread messages since the last turn."""


class Conversation:
    """Protocol state of one connection: outgoing lines, unread messages, pending queries.

    Args:
        dialect: dialect of sent messages.
        peer: ``host:port``, for error messages.
        unread: capacity of the queue of unread messages; unlimited in lockstep.
    """

    def __init__(self, dialect: Dialect, peer: str, unread: int = UNREAD) -> None:
        self.peer = peer
        self.latest = LatestMessages()
        self.faults: deque[Fault] = deque(maxlen=FAULTS)
        """Parse errors of received lines, oldest first."""
        self.dropped = 0
        """Number of dropped unread messages."""
        self._side = ClientSide(dialect)
        self._far_side = ServerSide(dialect)
        """Parses sent lines as the server does, to detect the end of a turn."""
        self._most_unread = unread
        self._unread: deque[Message] = deque()
        self._outgoing: list[bytes] = []
        self._waiting: list[_PendingQuery] = []
        self._refusals: deque[str] = deque()
        self._end: str | None = None
        self._left = False
        self._lockstep = Lockstep(0.0)
        self._my_turn = False

    # Input and output.

    def queue(self, message: Message) -> None:
        """Queue a message for sending."""
        lines = self._side.send(message)
        self._outgoing += lines
        if isinstance(message, Lockstep):
            self._lockstep = message
            self._my_turn = False
        elif self._my_turn and self._ends_turn(lines):
            self._my_turn = False

    def _ends_turn(self, lines: list[bytes]) -> bool:
        by_command = bool(self._lockstep.by_command)
        return any(
            ends_turn(command, by_command)
            for line in lines
            for command in self._far_side.receive(line)
        )

    def take_outgoing(self) -> list[bytes]:
        """Return and clear the queue of outgoing lines."""
        lines, self._outgoing = self._outgoing, []
        return lines

    def receive(self, data: bytes) -> None:
        """Process received bytes."""
        for message in self._side.receive(data):
            if isinstance(message, Fault):
                self.faults.append(message)
            else:
                self._process(message)
        if not self._lockstep.every:
            while len(self._unread) > self._most_unread:
                self._unread.popleft()
                self.dropped += 1

    def mark_lost(self, reason: str) -> None:
        """Record the end of the connection and its reason."""
        greeted = self.latest.greeting is not None
        hint = "" if greeted else " before the greeting (does it use TLS? is it full?)"
        self._end = self._end or f"{self.peer}: {reason}{hint}"

    def mark_closed(self) -> None:
        """Record that this program closed the connection; received messages stay available."""
        self._left = True
        self._end = self._end or f"{self.peer}: the connection was closed by this program"

    def checked_latest(self) -> LatestMessages:
        """Return the newest messages; raise pending errors unless this program closed it."""
        if not self._left:
            self.raise_errors()
        return self.latest

    def raise_errors(self) -> None:
        """Raise the pending error, if any.

        Raises:
            Refused: the server rejected a request; the connection may continue.
            Disconnected: the connection has ended.
        """
        self.raise_refusal()
        if self._end is not None:
            raise Disconnected(self._end)

    def raise_refusal(self) -> None:
        """Raise `Refused` if a rejection was received.

        Called before an answer is returned, so that an earlier rejection is raised by the same call
        independent of packet boundaries.
        """
        if self._refusals:
            raise Refused(f"{self.peer}: {self._refusals.popleft()}")

    def next_unread(self) -> Message | None:
        """Remove and return the oldest unread message; None if there is none."""
        return self._unread.popleft() if self._unread else None

    def _process(self, message: Message) -> None:
        self.latest.record(message)
        self._unread.append(message)
        if isinstance(message, Notice) and message.kind.lower() == "refused":
            self._refusals.append(message.text)
        if isinstance(message, Tick):
            self._my_turn = True
        for waiting in self._waiting:
            answer = waiting.match(message)
            if answer is not None:
                waiting.answer = answer
                self._waiting.remove(waiting)
                break

    # Exchanges.

    def open(self, token: str | None) -> Exchange[Greeting]:
        """Send the token, if any, and wait for the greeting."""
        # Grouser servers send rejections only to clients that have sent a Grouser message; others
        # drop unknown commands. Lockstep 0 is such a message without effect.
        self.queue(Login(token) if token else Lockstep(0.0))
        while self.latest.greeting is None:
            yield from self._wait_for("the greeting (is it a control port?)")
        return self.latest.greeting

    def join(
        self,
        kind: str,
        name: str | None,
        at: Vector | None,
        rotation: Vector | None,
        start: str | None,
    ) -> Exchange[None]:
        """Join with a robot and wait for its first message."""
        class_name = kind if "." in kind else f"{PACKAGE}.{kind}"
        self.queue(Init(class_name, name, at, rotation, start))
        while not self.latest.alive:
            for notice in self.latest.notices:
                if notice.kind == "Removed":  # the start pose is not free
                    raise Refused(f"{self.peer}: {notice.text}")
            yield from self._wait_for(
                f"a message of a robot '{kind}' (does the server have this class?)"
            )

    def control_world(self, name: str) -> Exchange[None]:
        """Join as a world controller; the answer to a query confirms it."""
        self.queue(Init(CONTROLLER, name))
        yield from self.start_poses()

    # Queries.

    def geometry(self, type: str, name: str | None = None) -> Exchange[geo_conf.Geometry]:
        """Request dimensions of the robot, or positions of its parts of a type."""

        def match(message: Message) -> geo_conf.Geometry | None:
            if isinstance(message, geo_conf.Geometry) and _is_about(message, type, name):
                return message
            return None

        return self.ask(GetGeometry(type, name), match, f"GEO {_segments(type, name)}")

    def configuration(self, type: str, name: str | None = None) -> Exchange[geo_conf.Configuration]:
        """Request the configuration of the robot, or of its parts of a type."""

        def match(message: Message) -> geo_conf.Configuration | None:
            if isinstance(message, geo_conf.Configuration) and _is_about(message, type, name):
                return message
            return None

        return self.ask(GetConfiguration(type, name), match, f"CONF {_segments(type, name)}")

    def start_poses(self) -> Exchange[tuple[StartPose, ...]]:
        """Request the start poses."""
        return (yield from self._ask_for(StartPoses, GetStartPoses(), "the start poses")).poses

    def object_state(self, name: str) -> Exchange[ObjectState]:
        """Request the state of an object of a world controller."""

        def match(message: Message) -> ObjectState | None:
            each = message.objects if isinstance(message, ObjectStates) else ()
            return next((found for found in each if found.name.lower() == name.lower()), None)

        return self.ask(GetState(name=name), match, f"the state of an object '{name}'")

    def response(self, setting: Setting) -> Exchange[Response]:
        """Send a setting and request its response (UT2004)."""
        return self._ask_for(Response, setting, "RES (dialect ut2004 only)")

    def console(self, line: str) -> Exchange[str]:
        """Execute a console line; raise `BadValue` if it failed."""
        awaited = f"the console's answer to '{line}'"
        answer = yield from self._ask_for(ConsoleAnswer, ConsoleLine(line), awaited)
        if answer.failed:
            raise BadValue(answer.text)
        return answer.text

    def _ask_for(self, kind: type[Answer], request: Message, awaited: str) -> Exchange[Answer]:
        """Send a request; the answer is the next message of the class ``kind``."""

        def match(message: Message) -> Answer | None:
            return message if isinstance(message, kind) else None

        return self.ask(request, match, awaited)

    def ask(
        self, request: Message, match: Callable[[Message], Answer | None], awaited: str
    ) -> Exchange[Answer]:
        """Send a request and wait for its answer; equal requests are answered in order.

        ``match`` returns the answer if a message is one, otherwise None; ``awaited``
        describes it in errors.
        """
        waiting = _PendingQuery(match)
        self._waiting.append(waiting)
        self.queue(request)
        try:
            while waiting.answer is None:
                yield from self._wait_for(awaited)
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        answer: Answer = waiting.answer
        return answer

    # Received messages.

    def reading(self, sensor: str) -> Exchange[Message]:
        """Wait for the next reading of a sensor or sensor type."""
        before = self.latest.newest(sensor)
        while (newest := self.latest.newest(sensor)) is before or newest is None:
            known = ", ".join(self.latest.sensors) or "none"
            yield from self._wait_for(f"a reading of '{sensor}' (received from: {known})")
        return newest

    def radio_message(self) -> Exchange[RadioMessage]:
        """Return the oldest unread radio message; wait if there is none."""
        while not self.latest.radio_inbox:
            yield from self._wait_for("a radio message")
        return self.latest.radio_inbox.popleft()

    def turn(self) -> Exchange[LockstepTurn]:
        """Wait for this client's turn."""
        while not self._my_turn:
            yield from self._wait_for("a turn (did all other clients in lockstep end theirs?)")
        messages: list[Message] = []
        time = self.latest.time or 0.0
        while self._unread:
            message = self._unread.popleft()
            if isinstance(message, Tick):
                time = message.time
            else:
                messages.append(message)
        return LockstepTurn(time, tuple(messages))

    def step(self) -> Exchange[LockstepTurn]:
        """Wait for this turn, end it, and wait for the next."""
        if not self._my_turn:
            yield from self.turn()
        self.queue(Step())
        return (yield from self.turn())

    def next_turn(self) -> Exchange[LockstepTurn]:
        """End this turn if it has not ended, and wait for the next."""
        if self._my_turn:
            self.queue(Step())
        return (yield from self.turn())

    def _wait_for(self, awaited: str) -> Exchange[None]:
        self.raise_errors()
        yield awaited


@dataclass(eq=False, slots=True)
class _PendingQuery:
    """Query without an answer yet."""

    match: Callable[[Message], Any]
    answer: Any = None


NOTICES = 100
"""Number of stored notices."""
RADIO_INBOX = 1000
"""Capacity of the radio inbox."""


class LatestMessages:
    """Newest message of each kind and sensor, notices and radio inbox."""

    def __init__(self) -> None:
        self.greeting: Greeting | None = None
        """First line of the server."""
        self.state: State | None = None
        """State of the robot."""
        self.packages: dict[str, PackageState | EffectorState] = {}
        """Mission package or gripper -> its state."""
        self.time: float | None = None
        """Newest simulated time, s; it decreases when the world restarts."""
        self.notices: deque[Notice] = deque(maxlen=NOTICES)
        """Notices, oldest first."""
        self.radio_inbox: deque[RadioMessage] = deque(maxlen=RADIO_INBOX)
        """Unread radio messages, oldest first."""
        self._by_name: dict[str, Message] = {}
        self._by_type: dict[str, Message] = {}

    def record(self, message: Message) -> None:
        """Store ``message`` as the newest of its kind."""
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
        """True after the first state or sensor message of the robot."""
        return self.state is not None or bool(self._by_type)

    @property
    def sensors(self) -> tuple[str, ...]:
        """Names of the sensors with readings, as spelled by the server."""
        return tuple(name for message in self._by_type.values() for name in sensor_names(message))

    def newest(self, sensor: str) -> Message | None:
        """Return the last reading of a sensor or sensor type; None if there is none.

        For grouped sensors (sonars…), a name selects a message with that one sensor and the type a
        message with all of them, whether the dialect groups them or not. Case is ignored.
        """
        key = sensor.lower()
        return self._by_name.get(key) or self._by_type.get(key)

    def _update_time(self, message: Message) -> None:
        """Update the time; readings may be late, only STA and TICK set it back."""
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
    """Return the sensor type of a reading."""
    return message.type if isinstance(message, SensorMessage) else _segment(message, "type")


def sensor_names(message: Message) -> tuple[str, ...]:
    """Return the sensor names of a reading; empty for other messages."""
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
