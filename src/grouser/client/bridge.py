"""Bridge from a controller's CAN datagrams to a simulation server (Kurose et al., sec. II-C).

The paper's intermediate process. `Bridge` has no sockets and no clock: the caller passes datagrams,
server messages and the time. Commands are checked frame by frame and the newest is forwarded to the
server; status requests are answered at once from the last received values. Belts are stopped
`SILENCE` seconds after their last valid command, independent of the server's watchdog. Without a
robot, commands are dropped, so that an old command cannot move a new robot.

`BridgeProcess` adds the sockets: UDP to the controller, TCP to the server. A lost server connection
is retried; a new robot then joins and waits for new commands. `LinkFaults` can delay, drop and
duplicate datagrams. `LockstepLink` is a bridge in the program of the controller, without sockets.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from grouser.client.address import Address
from grouser.client.asynchronous import AsyncRobot, async_join
from grouser.client.connection import RemoteRobot
from grouser.client.kenaf_wire import CLASS, KenafWire
from grouser.client.links import StatusInbox, kenaf_wire, status_request
from grouser.errors import BadValue, Disconnected, GrouserError
from grouser.protocol.can import messages as can
from grouser.protocol.can.datagram import Datagram, DatagramKind, is_newer, pack, unpack
from grouser.protocol.link_faults import FaultyLink, LinkFaults
from grouser.protocol.usarsim.message import Message

SHORTEST = 0.01
"""Smallest interval between two commands of a kind, s; only the newest is sent."""

REPEATED = 1.0
"""Interval (s) after which an unchanged command is repeated, for the server's watchdog."""


MOST_SENDERS = 16
"""Capacity of the sender table; the least recent sender is removed."""


@dataclass
class _Sender:
    """State of one source of datagrams."""

    gate: can.CommandGate
    counter: int
    received: float
    """Time of the last datagram, s."""


class Bridge:
    """Bridge between one controller at a time and one robot.

    The sender of the last accepted command is the active controller; others are rejected until it
    was silent for `SILENCE` seconds. Datagram counters are checked per sender, so that another
    sender cannot block the controller.
    """

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """Fault (`messages.FAULTS`) -> number of rejected frames and datagrams."""
        self.counts: Counter[str] = Counter()
        """Numbers of datagrams, commands, answers, stops and robots."""
        self._wire: KenafWire | None = None
        self._senders: dict[Hashable, _Sender] = {}
        self._active: tuple[Hashable, float] | None = None  # sender, time of its last command
        self.last_belt_command: float | None = None
        """Time of the last valid belt command, s; None: none yet."""
        self._answers = 0
        self._waiting: dict[type[can.CanCommand], can.CanCommand] = {}
        self._sent: dict[type[can.CanCommand], tuple[can.CanCommand, float]] = {}
        self._stopped = False

    # -- the robot ---------------------------------------------------------------------------

    def attach_robot(self, wire: KenafWire) -> None:
        """Start to drive a robot that has joined the server's world."""
        self.counts["robots"] += 1
        self._wire = wire
        self._waiting.clear()
        self._sent.clear()

    def detach_robot(self) -> None:
        """Stop to drive the robot, which was lost."""
        self.counts["robots lost"] += 1
        self._wire = None
        self._waiting.clear()

    def on_message(self, message: Message, now: float) -> None:
        """Process a message of the server; ``now`` is the caller's time, s."""
        if self._wire is not None:
            self.counts["messages"] += 1
            self._wire.on_message(message, now)

    def commands(self, now: float) -> list[Message]:
        """Return the messages that are due for the server."""
        self._watch_belts(now)
        messages: list[Message] = []
        if self._wire is None:
            return messages
        for kind, command in list(self._waiting.items()):
            before = self._sent.get(kind)
            if before is not None and kind is not can.Stop and now - before[1] < SHORTEST - 1e-9:
                continue
            del self._waiting[kind]
            if before is not None and before[0] == command and now - before[1] < REPEATED:
                continue
            self._sent[kind] = (command, now)
            self.counts["commands"] += 1
            messages += self._wire.messages(command)
        return messages

    def _watch_belts(self, now: float) -> None:
        """Stop the belts after a time-out of the controller."""
        last = self._waiting.get(can.BeltSpeeds) or self._sent.get(can.BeltSpeeds, (None, 0.0))[0]
        if last is not None and last != can.BeltSpeeds(0.0, 0.0) and self.is_silent(now):
            self.counts["stops"] += 1
            self._waiting[can.BeltSpeeds] = can.BeltSpeeds(0.0, 0.0)

    def is_silent(self, now: float) -> bool:
        """Return True if the last valid belt command is at least `SILENCE` seconds old."""
        return self.last_belt_command is None or now - self.last_belt_command >= can.SILENCE

    # -- the controller ----------------------------------------------------------------------

    def receive(self, data: bytes, sender: Hashable, now: float) -> bytes | None:
        """Process a datagram at ``now`` (s); return the status if one is requested."""
        self.counts["datagrams"] += 1
        try:
            datagram = unpack(data)
            gate = self._admit(datagram, sender, now)
        except can.FrameFault as fault:
            self.refused[fault.kind] += 1
            return None
        for frame in datagram.frames:
            command = gate.check(frame, now)
            if command is not None:
                self._active = (sender, now)
                self.last_belt_command = (
                    now if isinstance(command, can.BeltSpeeds) else self.last_belt_command
                )
                self._accept(command)
        return self._answer(now) if datagram.status_wanted else None

    def _admit(self, datagram: Datagram, sender: Hashable, now: float) -> can.CommandGate:
        """Return the sender's frame checker; reject other kinds, other senders and old counters."""
        if datagram.kind is not DatagramKind.COMMANDS:
            raise can.FrameFault("datagram", "not a command datagram")
        active, last = self._active or (sender, now)
        if sender != active and now - last < can.SILENCE:
            raise can.FrameFault("sender", "another controller is active")
        known = self._senders.get(sender)
        if known is None:
            known = _Sender(can.CommandGate(), datagram.counter, now)
            known.gate.refused = self.refused
            self._senders[sender] = known
            if len(self._senders) > MOST_SENDERS:
                del self._senders[min(self._senders, key=lambda each: self._senders[each].received)]
        elif now - known.received < can.SILENCE and not is_newer(datagram.counter, known.counter):
            raise can.FrameFault("counter", f"its counter is {datagram.counter}")
        known.counter, known.received = datagram.counter, now
        return known.gate

    def _accept(self, command: can.CanCommand) -> None:
        if self._wire is None:
            return
        if isinstance(command, can.Stop):
            self._waiting.clear()
            self._waiting[can.BeltSpeeds] = can.BeltSpeeds(0.0, 0.0)
            self._sent.clear()
        self._stopped = isinstance(command, can.Stop)
        self._waiting[type(command)] = command

    def _answer(self, now: float) -> bytes:
        """Return the newest status as a datagram."""
        self._answers += 1
        health = self.health(now)
        frames = [] if self._wire is None else self._wire.frames(now, health)
        datagram = Datagram(DatagramKind.STATUS, self._answers, tuple(frames) or (health.frame(),))
        self.counts["answers"] += 1
        return pack(datagram)

    def health(self, now: float) -> can.Health:
        """Return the health message: flags and fault counts."""
        flags = can.SILENT if self.is_silent(now) else 0
        flags |= can.STOPPED if self._stopped else 0
        flags |= can.NO_ROBOT if self._wire is None or not self._wire.alive else 0
        wrong = (self.refused[kind] % 256 for kind in ("crc", "counter", "length", "range"))
        return can.Health(flags, 0, *wrong)

    def summary(self) -> str:
        """Return the counts in one line."""
        done = [f"{name} {count}" for name, count in self.counts.items()]
        refused = [f"{kind} {count}" for kind, count in sorted(self.refused.items())]
        return f"{', '.join(done) or 'nothing'}; refused: {', '.join(refused) or 'none'}"


AGAIN = 0.5
"""Delay before another attempt to connect, s."""

Sender = tuple[Any, ...]


class BridgeProcess(asyncio.DatagramProtocol):
    """Bridge with its UDP and TCP sockets.

    Args:
        server: control port of the server.
        name: name of the robot.
        controller: only accepted source address of datagrams; None: any.
        faults: link faults of datagrams, in each direction.
        report: called with a sentence at every change of state.
    """

    def __init__(
        self,
        server: Address,
        *,
        name: str = "kenaf",
        controller: str | None = None,
        faults: LinkFaults | None = None,
        report: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self.bridge = Bridge()
        self._server, self._name, self._report = server, name, report
        self._controller = controller
        faults = faults or LinkFaults()
        self._in: FaultyLink[tuple[bytes, Sender]] = FaultyLink(faults, "to the bridge")
        self._out: FaultyLink[tuple[bytes, Sender]] = FaultyLink(faults, "from the bridge")
        self._robot: AsyncRobot | None = None
        self._transport: asyncio.DatagramTransport | None = None

    async def run(self, host: str, port: int, listening: Callable[[int], None]) -> None:
        """Run until cancelled; ``port`` 0: any free port; ``listening`` is called with the port."""
        loop = asyncio.get_running_loop()
        try:
            transport, _ = await loop.create_datagram_endpoint(
                lambda: self, local_addr=(host, port)
            )
        except OSError as error:
            raise Disconnected(f"{host}:{port}: {error.strerror or error}") from None
        listening(transport.get_extra_info("sockname")[1])
        robot = asyncio.create_task(self._keep_robot())
        try:
            while not robot.done():
                self._work()
                await asyncio.sleep(SHORTEST / 2)
            robot.result()
        finally:
            robot.cancel()
            with contextlib.suppress(asyncio.CancelledError, GrouserError):
                await robot
            transport.close()

    # -- the controller's side ---------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport for answers."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Sender) -> None:
        """Process a datagram, after the delay of the link faults."""
        if self._controller is not None and addr[0] != self._controller:
            self.bridge.refused["sender"] += 1
            return
        self._in.send((data, addr), self._now)
        if not self._in.faults:
            self._work()

    def error_received(self, exc: Exception) -> None:
        """Ignore ICMP errors of a controller that has ended."""

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _work(self) -> None:
        """Forward what is due to the bridge, to the server and to the controller."""
        now = self._now
        for data, sender in self._in.due(now):
            answer = self.bridge.receive(data, sender, now)
            if answer is not None:
                self._out.send((answer, sender), now)
        for answer, sender in self._out.due(now):
            if self._transport is not None:
                self._transport.sendto(answer, sender)
        for message in self.bridge.commands(now):
            if self._robot is not None:
                with contextlib.suppress(GrouserError):  # `_drive_robot` raises it, too
                    self._robot.send(message)

    # -- the server's side ----------------------------------------------------------------

    async def _keep_robot(self) -> None:
        """Keep a robot in the server's world; reconnect after errors."""
        reported = ""
        while True:
            try:
                await self._drive_robot()
            except GrouserError as error:
                if str(error) != reported:
                    reported = str(error)
                    self._report(f"no robot: {reported}")
            else:
                reported = ""
            await asyncio.sleep(AGAIN)

    async def _drive_robot(self) -> None:
        """Join, and process messages until the connection ends."""
        server = self._server
        robot = await async_join(
            CLASS,
            self._name,
            host=server.host,
            port=server.port,
            dialect=server.dialect,
            token=server.token,
            tls=server.tls,
            timeout=server.timeout,
        )
        try:
            wire = KenafWire.from_answers(
                await robot.geometry(), await robot.configuration("Encoder")
            )
            self.bridge.attach_robot(wire)
            self._robot = robot
            self._report(f"robot '{self._name}' joined the world '{robot.level}'")
            async for message in robot.listen():
                self.bridge.on_message(message, self._now)
        finally:
            if self._robot is not None:
                self._robot = None
                self.bridge.detach_robot()
            robot.close()


STEP = 0.01
"""Simulated time between two turns, s."""

CONTROLLER = "controller"
"""Sender of datagrams for the bridge."""


class LockstepLink:
    """Deterministic link: bridge and robot in one program, in lockstep with the simulation.

    Datagrams pass through the `Bridge` of ``grouser bridge`` in memory, with `LinkFaults`; the
    simulation waits for every step. Results do not depend on the load of the machine, and a run
    repeats bit for bit.
    """

    def __init__(
        self, robot: RemoteRobot, faults: LinkFaults | None = None, step: float = STEP
    ) -> None:
        """Put ``robot``, which has joined a server's world, into lockstep of ``step`` (s)."""
        self.bridge = Bridge()
        self.bridge.attach_robot(kenaf_wire(robot))
        self._robot, self._step = robot, step
        self._out: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "to the bridge")
        self._back: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "from the bridge")
        self._inbox = StatusInbox()
        self._counter = 0
        robot.lockstep(step)
        self._begin = self._now = robot.turn().time

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._now

    def send(self, frames: Sequence[can.CanFrame]) -> None:
        """Send a datagram that also requests the newest status."""
        self._counter += 1
        self._out.send(status_request(frames, self._counter), self._now)

    def receive(self) -> list[can.CanFrame]:
        """Return the status frames received since the last call."""
        for data in self._back.due(self._now):
            self._inbox.put(data)
        return self._inbox.take()

    def wait(self, seconds: float) -> None:
        """Advance the simulation by whole steps."""
        if seconds < 0:
            raise BadValue(f"wait: {seconds} s, must be 0 or above")
        for _ in range(max(1, round(seconds / self._step)) if seconds else 0):
            self._pass_on()
            turn = self._robot.step()
            self._now = turn.time
            for message in turn.messages:
                self.bridge.on_message(message, self._now)

    def _pass_on(self) -> None:
        """Pass due datagrams to the bridge, and its commands to the robot."""
        for data in self._out.due(self._now):
            answer = self.bridge.receive(data, CONTROLLER, self._now)
            if answer is not None:
                self._back.send(answer, self._now)
        for message in self.bridge.commands(self._now):
            self._robot.send(message)

    def close(self) -> None:
        """Close the connection; the server removes the robot."""
        self._robot.close()
