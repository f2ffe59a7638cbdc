"""A client's side of a conversation, without a socket: what was said, heard and asked.

A shell around it (`grouser.client.connection`, `grouser.client.asynchronous`) writes what
`Talk.outgoing` gives and hands over what arrives. What takes more than one exchange is a `Plan`: a
generator that yields, each time it needs to hear more, what it is waiting for, and returns the
answer. Both shells run the same plans; only how they wait differs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from grouser.client import questions
from grouser.client.memory import Memory
from grouser.client.questions import Question
from grouser.errors import BadValue, Disconnected, Refused
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.commands import Init, Login
from grouser.protocol.usarsim.dialects import Dialect
from grouser.protocol.usarsim.extensions import Heard, Lockstep, Notice, Step, Tick
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.nfo import Greeting
from grouser.protocol.usarsim.turns import ends_turn
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
"""Yields what it waits for, whenever more must be heard; returns what it was made for."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The world waits for us."""

    time: float
    """Simulated, s."""
    heard: tuple[Message, ...]
    """Everything that was said since the last turn, or since somebody listened."""


class Talk:
    """One connection's conversation.

    Args:
        dialect: what the server speaks.
        peer: what to call the server in complaints, ``host:port``.
        unread: messages that are kept while nobody listens; in lockstep all are.
    """

    def __init__(self, dialect: Dialect, peer: str, unread: int = UNREAD) -> None:
        self.peer = peer
        self.memory = Memory()
        self.faults: deque[Fault] = deque(maxlen=FAULTS)
        """Lines of the server that were not understood, oldest first."""
        self.missed = 0
        """Messages that nobody has listened to in time."""
        self._side = ClientSide(dialect)
        self._far_side = ServerSide(dialect)
        """How the server reads what we say: that decides whose turn it is."""
        self._most_unread = unread
        self._unread: deque[Message] = deque()
        self._outgoing: list[bytes] = []
        self._waiting: list[_Waiting] = []
        self._refusals: deque[str] = deque()
        self._end: str | None = None
        self._left = False
        self._lockstep = Lockstep(0.0)
        self._my_turn = False

    # What goes out and what comes in.

    def say(self, message: Message) -> None:
        """Put a message among what is to be written."""
        lines = self._side.send(message)
        self._outgoing += lines
        if isinstance(message, Lockstep):
            self._lockstep = message
            self._my_turn = False
        elif self._lockstep.every and self._end_turn(lines):
            self._my_turn = False

    def _end_turn(self, lines: list[bytes]) -> bool:
        by_command = bool(self._lockstep.by_command)
        return any(
            ends_turn(command, by_command)
            for line in lines
            for command in self._far_side.receive(line)
        )

    def outgoing(self) -> list[bytes]:
        """Take the lines that are to be written now, each at once."""
        lines, self._outgoing = self._outgoing, []
        return lines

    def receive(self, data: bytes) -> None:
        """Take the next bytes of the server."""
        for heard in self._side.receive(data):
            if isinstance(heard, Fault):
                self.faults.append(heard)
            else:
                self._hear(heard)
        if not self._lockstep.every:
            while len(self._unread) > self._most_unread:
                self._unread.popleft()
                self.missed += 1

    def lost(self, why: str) -> None:
        """Note that the connection is no more, and why."""
        greeted = self.memory.greeting is not None
        hint = "" if greeted else " before it greeted us (does it speak TLS? is it full?)"
        self._end = self._end or f"{self.peer}: {why}{hint}"

    def leave(self) -> None:
        """Note that we close the connection ourselves; what was heard can still be looked at."""
        self._left = True
        self._end = self._end or f"{self.peer}: the connection was closed by this program"

    def heed(self) -> Memory:
        """Return what was heard, unless something went wrong that must be known first."""
        if not self._left:
            self.check()
        return self.memory

    def check(self) -> None:
        """Raise what has gone wrong since it was last asked for.

        Raises:
            Refused: the server said no; the connection goes on if the server lets it.
            Disconnected: there is no connection any more.
        """
        self.heed_refusals()
        if self._end is not None:
            raise Disconnected(self._end)

    def heed_refusals(self) -> None:
        """Raise `Refused` if the server has said no since it was last asked for.

        Also before an answer is handed out: a refusal that came before it must not wait for the
        next call, as packets happen to fall.
        """
        if self._refusals:
            raise Refused(f"{self.peer}: {self._refusals.popleft()}")

    def unread(self) -> Message | None:
        """Take the oldest message that nobody has listened to; None: there is none."""
        return self._unread.popleft() if self._unread else None

    def _hear(self, message: Message) -> None:
        self.memory.take(message)
        self._unread.append(message)
        if isinstance(message, Notice) and message.kind.lower() == "refused":
            self._refusals.append(message.text)
        if isinstance(message, Tick):
            self._my_turn = True
        for waiting in self._waiting:
            answer = waiting.question.takes(message)
            if answer is not None:
                waiting.answer = answer
                self._waiting.remove(waiting)
                break

    # Plans.

    def opened(self, token: str | None) -> Plan[Greeting]:
        """Show who we are, and wait for the greeting."""
        # Servers of ours tell refusals only to those who spoke one of our own lines; others drop
        # a command that they do not know. This one asks for nothing that does not hold already.
        self.say(Login(token) if token else Lockstep(0.0))
        while self.memory.greeting is None:
            yield from self._more("the greeting (is it a control port?)")
        return self.memory.greeting

    def joined(
        self,
        kind: str,
        name: str | None,
        at: Vector | None,
        rotation: Vector | None,
        start: str | None,
    ) -> Plan[None]:
        """Put a robot into the world, and wait for its first sign of life."""
        class_name = kind if "." in kind else f"{PACKAGE}.{kind}"
        self.say(Init(class_name, name, at, rotation, start))
        while not self.memory.alive:
            for notice in self.memory.notices:
                if notice.kind == "Removed":  # it could not be where it was put
                    raise Refused(f"{self.peer}: {notice.text}")
            yield from self._more(
                f"a sign of life of a '{kind}' (does the server know this class?)"
            )

    def controlling(self, name: str) -> Plan[None]:
        """Become a world controller; a question that anybody may ask shows that it was heard."""
        self.say(Init(CONTROLLER, name))
        yield from self.ask(questions.start_poses())

    def console(self, line: str) -> Plan[str]:
        """Type a line into the console; raise its complaint if nothing was done."""
        said = yield from self.ask(questions.console(line))
        if said.failed:
            raise BadValue(said.text)
        return said.text

    def ask(self, question: Question[Answer]) -> Plan[Answer]:
        """Ask, and wait for the answer; answers go to who asked first."""
        waiting = _Waiting(question)
        self._waiting.append(waiting)
        self.say(question.asks)
        try:
            while waiting.answer is None:
                yield from self._more(question.about)
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
        answer: Answer = waiting.answer
        return answer

    def reading(self, sensor: str) -> Plan[Message]:
        """Wait for the next reading of a sensor, or of a type of sensor."""
        before = self.memory.newest(sensor)
        while (newest := self.memory.newest(sensor)) is before or newest is None:
            known = ", ".join(self.memory.sensors) or "none"
            yield from self._more(f"a reading of '{sensor}' (heard from: {known})")
        return newest

    def mail(self) -> Plan[Heard]:
        """Take what the radio heard first, or wait for it."""
        while not self.memory.mail:
            yield from self._more("something on the radio")
        return self.memory.mail.popleft()

    def turn(self) -> Plan[Turn]:
        """Wait until the world waits for us."""
        while not self._my_turn:
            yield from self._more("our turn (did every client in lockstep end its own?)")
        heard: list[Message] = []
        time = self.memory.time or 0.0
        while self._unread:
            message = self._unread.popleft()
            if isinstance(message, Tick):
                time = message.time
            else:
                heard.append(message)
        return Turn(time, tuple(heard))

    def step(self) -> Plan[Turn]:
        """End our turn, once we have it, and wait for the next."""
        if not self._my_turn:
            yield from self.turn()
        self.say(Step())
        return (yield from self.turn())

    def next_turn(self) -> Plan[Turn]:
        """End our turn if we still have it, and wait for the next: a loop's next round."""
        if self._my_turn:
            self.say(Step())
        return (yield from self.turn())

    def _more(self, awaited: str) -> Plan[None]:
        self.check()
        yield awaited


@dataclass(eq=False, slots=True)
class _Waiting:
    """Somebody who has asked."""

    question: Question[Any]
    answer: Any = None
