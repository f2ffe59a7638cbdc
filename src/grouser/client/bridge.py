"""The bridge: a controller's datagrams become a simulator's commands (Kurose et al., sec. II-C).

The paper's intermediate process without its sockets: whoever has them hands in datagrams and the
simulator's messages, with the time, and sends what comes out. Commands are checked frame by frame,
the newest goes on to the simulator, status is answered at once from what was heard last. Belts are
told to stop `gate.SILENCE` seconds after their last valid command, whatever the simulator's own
watchdog does. While there is no robot commands are dropped: an old one must not move a new robot.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass

from grouser.client.kenaf_wire import KenafWire
from grouser.protocol.can.datagram import Datagram, DatagramKind, is_newer, pack, unpack
from grouser.protocol.can.messages import (
    NO_ROBOT,
    SILENCE,
    SILENT,
    STOPPED,
    BeltSpeeds,
    CanCommand,
    CommandGate,
    FrameFault,
    Health,
    Stop,
)
from grouser.protocol.usarsim.message import Message

SHORTEST = 0.01
"""Seconds between two commands of a kind to the simulator; of more only the newest goes."""

REPEATED = 1.0
"""Seconds after which the belts' command is said again, so that the server's watchdog is calm."""


MOST_SENDERS = 16
"""Senders that are told apart; of more the one that was silent for longest is forgotten."""


@dataclass
class _Sender:
    """Somebody who sends datagrams."""

    gate: CommandGate
    counter: int
    heard: float


class Bridge:
    """Between one controller at a time and one robot.

    Whoever was obeyed last commands: others are refused until `gate.SILENCE` seconds have passed.
    Each sender's counters are watched apart, so that nobody else's can hold up a controller's.
    """

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """What was wrong (`messages.FAULTS`) → how many frames and datagrams."""
        self.counts: Counter[str] = Counter()
        """What has happened so far: datagrams, commands, answers, stops, robots."""
        self._wire: KenafWire | None = None
        self._senders: dict[Hashable, _Sender] = {}
        self._obeyed: tuple[Hashable, float] | None = None  # who, when
        self.last_belt_command: float | None = None
        """When the belts' last valid command came, s; None: never."""
        self._answers = 0
        self._waiting: dict[type[CanCommand], CanCommand] = {}
        self._said: dict[type[CanCommand], tuple[CanCommand, float]] = {}
        self._stopped = False

    # -- the robot ---------------------------------------------------------------------------

    def robot_came(self, wire: KenafWire) -> None:
        """Take a robot that has joined the simulator's world."""
        self.counts["robots"] += 1
        self._wire = wire
        self._waiting.clear()
        self._said.clear()

    def robot_left(self) -> None:
        """Note that there is no robot any more."""
        self.counts["robots lost"] += 1
        self._wire = None
        self._waiting.clear()

    def hear(self, message: Message, now: float) -> None:
        """Note what the simulator said; ``now`` is the caller's time, s."""
        if self._wire is not None:
            self.counts["messages"] += 1
            self._wire.hear(message, now)

    def commands(self, now: float) -> list[Message]:
        """Return what the simulator must be told now."""
        self._watch_belts(now)
        messages: list[Message] = []
        if self._wire is None:
            return messages
        for kind, command in list(self._waiting.items()):
            before = self._said.get(kind)
            if before is not None and kind is not Stop and now - before[1] < SHORTEST - 1e-9:
                continue
            del self._waiting[kind]
            if before is not None and before[0] == command and now - before[1] < REPEATED:
                continue
            self._said[kind] = (command, now)
            self.counts["commands"] += 1
            messages += self._wire.messages(command)
        return messages

    def _watch_belts(self, now: float) -> None:
        """Stop belts whose controller has fallen silent."""
        told = self._waiting.get(BeltSpeeds) or self._said.get(BeltSpeeds, (None, 0.0))[0]
        if told is not None and told != BeltSpeeds(0.0, 0.0) and self.is_silent(now):
            self.counts["stops"] += 1
            self._waiting[BeltSpeeds] = BeltSpeeds(0.0, 0.0)

    def is_silent(self, now: float) -> bool:
        """Return whether the belts' last valid command is `gate.SILENCE` or longer ago."""
        return self.last_belt_command is None or now - self.last_belt_command >= SILENCE

    # -- the controller ----------------------------------------------------------------------

    def receive(self, data: bytes, sender: Hashable, now: float) -> bytes | None:
        """Take a datagram in; return the answer to it, if it wants one.

        Args:
            data: the datagram.
            sender: where it came from; others are refused until this one has been silent for
                `gate.SILENCE` seconds.
            now: the caller's time, s.
        """
        self.counts["datagrams"] += 1
        try:
            datagram = unpack(data)
            gate = self._admit(datagram, sender, now)
        except FrameFault as fault:
            self.refused[fault.kind] += 1
            return None
        for frame in datagram.frames:
            command = gate.check(frame, now)
            if command is not None:
                self._obeyed = (sender, now)
                self.last_belt_command = now if isinstance(command, BeltSpeeds) else self.last_belt_command
                self._accept(command)
        return self._answer(now) if datagram.status_wanted else None

    def _admit(self, datagram: Datagram, sender: Hashable, now: float) -> CommandGate:
        """Return who checks its frames; refuse what is no command, not the controller's, or old."""
        if datagram.kind is not DatagramKind.COMMANDS:
            raise FrameFault("datagram", "it is no command")
        who, when = self._obeyed or (sender, now)
        if sender != who and now - when < SILENCE:
            raise FrameFault("sender", "somebody else commands")
        known = self._senders.get(sender)
        if known is None:
            known = _Sender(CommandGate(), datagram.counter, now)
            known.gate.refused = self.refused
            self._senders[sender] = known
            if len(self._senders) > MOST_SENDERS:
                del self._senders[min(self._senders, key=lambda who: self._senders[who].heard)]
        elif now - known.heard < SILENCE and not is_newer(datagram.counter, known.counter):
            raise FrameFault("counter", f"its counter is {datagram.counter}")
        known.counter, known.heard = datagram.counter, now
        return known.gate

    def _accept(self, command: CanCommand) -> None:
        if self._wire is None:
            return
        if isinstance(command, Stop):
            self._waiting.clear()
            self._waiting[BeltSpeeds] = BeltSpeeds(0.0, 0.0)
            self._said.clear()
        self._stopped = isinstance(command, Stop)
        self._waiting[type(command)] = command

    def _answer(self, now: float) -> bytes:
        """Return the newest status, as a datagram."""
        self._answers += 1
        health = self.health(now)
        frames = [] if self._wire is None else self._wire.frames(now, health)
        datagram = Datagram(DatagramKind.STATUS, self._answers, tuple(frames) or (health.frame(),))
        self.counts["answers"] += 1
        return pack(datagram)

    def health(self, now: float) -> Health:
        """Return what is wrong."""
        flags = SILENT if self.is_silent(now) else 0
        flags |= STOPPED if self._stopped else 0
        flags |= NO_ROBOT if self._wire is None or not self._wire.alive else 0
        wrong = (self.refused[kind] % 256 for kind in ("crc", "counter", "length", "range"))
        return Health(flags, 0, *wrong)

    def summary(self) -> str:
        """Return what has happened, in one line."""
        done = [f"{name} {count}" for name, count in self.counts.items()]
        refused = [f"{kind} {count}" for kind, count in sorted(self.refused.items())]
        return f"{', '.join(done) or 'nothing'}; refused: {', '.join(refused) or 'none'}"
