"""A client's side of a control connection, without a socket: lines out, messages and answers in.

A shell around it (`grouser.client.connection`, `grouser.client.asynchronous`) writes what
`Conversation.take_outgoing` gives and hands over what arrives. What takes more than one exchange is
a `Plan`: a generator that yields, each time it needs another message, what it is waiting for, and
returns the answer. Both shells run the same plans; only how they wait differs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from grouser.client import queries
from grouser.client.latest_messages import LatestMessages
from grouser.client.queries import Query
from grouser.errors import BadValue, Disconnected, Refused
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.commands import Greeting, Init, Login
from grouser.protocol.usarsim.dialects import Dialect
from grouser.protocol.usarsim.extensions import (
    Lockstep,
    Notice,
    RadioMessage,
    Step,
    Tick,
    ends_turn,
)
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.values import Vector

UNREAD = 1000
"""Messages that are kept for somebody who does not listen; of the rest, the oldest go."""
FAULTS = 100
"""Lines that were not understood, of which we keep what was wrong."""

PACKAGE = "USARBot"
"""Package of a class that was named without one."""
CONTROLLER = "USARBotAPI.WorldController"
"""Class of somebody who has no robot, and may change the world."""

Answer = TypeVar("Answer")
Plan = Generator[str, None, Answer]
"""A generator that yields a description of what it waits for, and returns the answer."""


@dataclass(frozen=True, slots=True)
class LockstepTurn:
    """A turn in lockstep: the world waits for us."""

    time: float
    """Simulated, s."""
    heard: tuple[Message, ...]
    """Every message since the last turn, or since somebody listened."""


class Conversation:
    """What one connection has sent, received and still waits for.

    Args:
        dialect: what the server speaks.
        peer: what to call the server in complaints, ``host:port``.
        unread: messages that are kept while nobody listens; in lockstep all are.
    """

    def __init__(self, dialect: Dialect, peer: str, unread: int = UNREAD) -> None:
        self.peer = peer
        self.latest = LatestMessages()
        self.faults: deque[Fault] = deque(maxlen=FAULTS)
        """Lines of the server that were not understood, oldest first."""
        self.dropped = 0
        """Messages that were dropped because nobody listened in time."""
        self._side = ClientSide(dialect)
        self._far_side = ServerSide(dialect)
        """Reads our lines as the server does: that decides whose turn it is."""
        self._most_unread = unread
        self._unread: deque[Message] = deque()
        self._outgoing: list[bytes] = []
        self._waiting: list[_PendingQuery] = []
        self._refusals: deque[str] = deque()
        self._end: str | None = None
        self._left = False
        self._lockstep = Lockstep(0.0)
        self._my_turn = False

    # What goes out and what comes in.

    def queue(self, message: Message) -> None:
        """Queue a message to be written."""
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
        """Take the lines that are to be written now, each at once."""
        lines, self._outgoing = self._outgoing, []
        return lines

    def receive(self, data: bytes) -> None:
        """Process the next bytes from the server."""
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
        """Note that the connection is no more, and why."""
        greeted = self.latest.greeting is not None
        hint = "" if greeted else " before it greeted us (does it speak TLS? is it full?)"
        self._end = self._end or f"{self.peer}: {reason}{hint}"

    def mark_closed(self) -> None:
        """Note that we close the connection ourselves; what was heard can still be looked at."""
        self._left = True
        self._end = self._end or f"{self.peer}: the connection was closed by this program"

    def checked_latest(self) -> LatestMessages:
        """Return the newest messages; raise what has gone wrong, unless we closed it ourselves."""
        if not self._left:
            self.raise_errors()
        return self.latest

    def raise_errors(self) -> None:
        """Raise what has gone wrong since it was last asked for.

        Raises:
            Refused: the server said no; the connection goes on if the server lets it.
            Disconnected: there is no connection any more.
        """
        self.raise_refusal()
        if self._end is not None:
            raise Disconnected(self._end)

    def raise_refusal(self) -> None:
        """Raise `Refused` if the server has said no since it was last asked for.

        Also before an answer is handed out: a refusal that came before it must not wait for the
        next call, as packets happen to fall.
        """
        if self._refusals:
            raise Refused(f"{self.peer}: {self._refusals.popleft()}")

    def next_unread(self) -> Message | None:
        """Take the oldest message that nobody has listened to; None: there is none."""
        return self._unread.popleft() if self._unread else None

    def _process(self, message: Message) -> None:
        self.latest.record(message)
        self._unread.append(message)
        if isinstance(message, Notice) and message.kind.lower() == "refused":
            self._refusals.append(message.text)
        if isinstance(message, Tick):
            self._my_turn = True
        for waiting in self._waiting:
            answer = waiting.query.match(message)
            if answer is not None:
                waiting.answer = answer
                self._waiting.remove(waiting)
                break

    # Plans.

    def open(self, token: str | None) -> Plan[Greeting]:
        """Log in if there is a token, and wait for the greeting."""
        # Servers of ours tell refusals only to those who spoke one of our own lines; others drop
        # a command that they do not know. This one asks for nothing that does not hold already.
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
    ) -> Plan[None]:
        """Put a robot into the world, and wait for its first sign of life."""
        class_name = kind if "." in kind else f"{PACKAGE}.{kind}"
        self.queue(Init(class_name, name, at, rotation, start))
        while not self.latest.alive:
            for notice in self.latest.notices:
                if notice.kind == "Removed":  # it could not be where it was put
                    raise Refused(f"{self.peer}: {notice.text}")
            yield from self._wait_for(
                f"a sign of life of a '{kind}' (does the server know this class?)"
            )

    def control_world(self, name: str) -> Plan[None]:
        """Become a world controller; a question that anybody may ask shows that it was heard."""
        self.queue(Init(CONTROLLER, name))
        yield from self.ask(queries.start_poses())

    def console(self, line: str) -> Plan[str]:
        """Type a line into the console; raise its complaint if nothing was done."""
        answer = yield from self.ask(queries.console(line))
        if answer.failed:
            raise BadValue(answer.text)
        return answer.text

    def ask(self, query: Query[Answer]) -> Plan[Answer]:
        """Send a query and wait for its answer; of equal queries the oldest is answered first."""
        waiting = _PendingQuery(query)
        self._waiting.append(waiting)
        self.queue(query.request)
        try:
            while waiting.answer is None:
                yield from self._wait_for(query.awaited)
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        answer: Answer = waiting.answer
        return answer

    def reading(self, sensor: str) -> Plan[Message]:
        """Wait for the next reading of a sensor, or of a type of sensor."""
        before = self.latest.newest(sensor)
        while (newest := self.latest.newest(sensor)) is before or newest is None:
            known = ", ".join(self.latest.sensors) or "none"
            yield from self._wait_for(f"a reading of '{sensor}' (heard from: {known})")
        return newest

    def radio_message(self) -> Plan[RadioMessage]:
        """Return the oldest radio message that was not taken yet, or wait for one."""
        while not self.latest.radio_inbox:
            yield from self._wait_for("something on the radio")
        return self.latest.radio_inbox.popleft()

    def turn(self) -> Plan[LockstepTurn]:
        """Wait until the world waits for us."""
        while not self._my_turn:
            yield from self._wait_for("our turn (did every client in lockstep end its own?)")
        heard: list[Message] = []
        time = self.latest.time or 0.0
        while self._unread:
            message = self._unread.popleft()
            if isinstance(message, Tick):
                time = message.time
            else:
                heard.append(message)
        return LockstepTurn(time, tuple(heard))

    def step(self) -> Plan[LockstepTurn]:
        """End our turn, once we have it, and wait for the next."""
        if not self._my_turn:
            yield from self.turn()
        self.queue(Step())
        return (yield from self.turn())

    def next_turn(self) -> Plan[LockstepTurn]:
        """End our turn if we still have it, and wait for the next: a loop's next round."""
        if self._my_turn:
            self.queue(Step())
        return (yield from self.turn())

    def _wait_for(self, awaited: str) -> Plan[None]:
        self.raise_errors()
        yield awaited


@dataclass(eq=False, slots=True)
class _PendingQuery:
    """A query whose answer has not come yet."""

    query: Query[Any]
    answer: Any = None
