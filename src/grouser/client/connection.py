"""Blocking client: drive a robot over the network from a sequential program.

::

    from grouser.client import join

    with join("P3AT", name="R1", at=(0, 0, 0)) as robot:
        robot.drive(left=2.0, right=2.0)
        for message in robot.listen(seconds=5):
            print(message)
        print(robot.newest("Scanner1"))

There is no background thread: received data is processed within calls. There is no automatic
reconnection. `grouser.client.asynchronous` has the same interface for asyncio.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Self, TypeVar, Unpack

from grouser.client.address import Address, AddressOptions
from grouser.client.commands import CommandSender, RobotCommands, WorldCommands
from grouser.client.conversation import Conversation, Exchange, LatestMessages, LockstepTurn
from grouser.errors import NoAnswer
from grouser.protocol.usarsim.commands import StartPose
from grouser.protocol.usarsim.extensions import RadioMessage
from grouser.protocol.usarsim.geo_conf import Configuration, Geometry
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.setting import Response, Setting
from grouser.protocol.usarsim.state import ObjectState
from grouser.protocol.usarsim.values import Vector

PACKET = 65536
"""Largest size of one read, bytes."""
PACKETS = 64
"""Largest number of reads per call."""

Answer = TypeVar("Answer")


class Connection(CommandSender):
    """Connection to a server's control port, through a blocking socket.

    Connecting waits for the server's greeting. The default ``timeout`` of all calls is that of the
    address.

    Raises:
        Disconnected: the connection failed or ended.
        Refused: the server rejected this or an earlier call.
        NoAnswer: time-out.
    """

    def __init__(self, address: Address) -> None:
        self.address = address
        self.conversation = Conversation(address.wire_dialect, address.peer)
        self._socket = open_socket(address)
        self._begin(self.conversation.open(address.token))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the server removes the robot."""
        self.conversation.mark_closed()
        self._socket.close()

    # Queries.

    def start_poses(self, timeout: float | None = None) -> tuple[StartPose, ...]:
        """Return the start poses of the world."""
        return self.run(self.conversation.start_poses(), timeout)

    def console(self, line: str, timeout: float | None = None) -> str:
        """Execute a console line on the server and return its answer.

        Raises:
            BadValue: the line failed; the message is the console's.
        """
        return self.run(self.conversation.console(line), timeout)

    def listen(self, seconds: float | None = None) -> Iterator[Message]:
        """Yield all messages, including unread ones received before.

        Args:
            seconds: wall time; None: until the connection ends.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            while (message := self.conversation.next_unread()) is not None:
                yield message
            self.conversation.raise_errors()
            if not self._receive(until):
                return

    # Input and output.

    def send(self, message: Message) -> None:
        """Send any message of `grouser.protocol`."""
        self.poll()
        self.conversation.queue(message)
        self._flush()

    def poll(self) -> LatestMessages:
        """Process received data without waiting; return the newest message of each kind."""
        for _ in range(PACKETS):
            if not self._receive(0.0):
                break
        return self.conversation.checked_latest()

    def run(self, plan: Exchange[Answer], timeout: float | None = None) -> Answer:
        """Run an exchange of `Conversation`; `NoAnswer` after ``timeout`` seconds."""
        limit = self.address.timeout if timeout is None else timeout
        until = time.monotonic() + limit
        with contextlib.closing(plan):
            while True:
                try:
                    awaited = next(plan)
                except StopIteration as done:
                    self._flush()
                    self.conversation.raise_refusal()
                    answer: Answer = done.value
                    return answer
                self._flush()
                if not self._receive(until):
                    raise NoAnswer(f"{self.address.peer}: {limit:g} s passed without {awaited}")

    def _begin(self, plan: Exchange[object]) -> None:
        """Run the first exchange; close the connection if it fails."""
        try:
            self.run(plan)
        except BaseException:
            self.close()
            raise

    def _flush(self) -> None:
        try:
            self._socket.settimeout(self.address.timeout)
            for line in self.conversation.take_outgoing():
                self._socket.sendall(line)
        except OSError:
            # The last messages of the server may contain the reason.
            while self._receive(0.0):
                pass
            self._mark_lost("the server does not read any more")
            self.conversation.raise_errors()

    def _receive(self, until: float | None) -> bool:
        """Process the next data; return False if there is none before ``until`` (monotonic, s)."""
        # The end of the connection counts as data: `Conversation.raise_errors` raises the
        # reason.
        if self._socket.fileno() < 0:
            return False
        try:
            self._socket.settimeout(None if until is None else max(0.0, until - time.monotonic()))
            data = self._socket.recv(PACKET)
        except (BlockingIOError, TimeoutError, ssl.SSLWantReadError):
            return False
        except OSError as error:
            self._mark_lost(f"connection lost ({error.strerror or error})")
            return True
        if data:
            self.conversation.receive(data)
        else:
            self._mark_lost("the server closed the connection")
        return True

    def _mark_lost(self, reason: str) -> None:
        self.conversation.mark_lost(reason)
        self._socket.close()


class RemoteRobot(Connection, RobotCommands):
    """Robot in the server's world, owned by this connection."""

    def geometry(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Geometry:
        """Return dimensions of the robot, or positions of its sensors or packages (GETGEO)."""
        return self.run(self.conversation.geometry(type, name), timeout)

    def configuration(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Configuration:
        """Return the configuration of the robot, its sensors or packages (GETCONF)."""
        return self.run(self.conversation.configuration(type, name), timeout)

    def response(self, setting: Setting, timeout: float | None = None) -> Response:
        """Send a setting and return the response (dialect ut2004 only)."""
        return self.run(self.conversation.response(setting), timeout)

    def reading(self, sensor: str, timeout: float | None = None) -> Message:
        """Wait for the next reading of a sensor or sensor type."""
        return self.run(self.conversation.reading(sensor), timeout)

    def receive(self, timeout: float | None = None) -> RadioMessage:
        """Return the oldest unread radio message; wait if there is none."""
        return self.run(self.conversation.radio_message(), timeout)

    def turn(self, timeout: float | None = None) -> LockstepTurn:
        """Wait for this client's turn (in lockstep)."""
        return self.run(self.conversation.turn(), timeout)

    def step(self, timeout: float | None = None) -> LockstepTurn:
        """End this turn and wait for the next one (in lockstep)."""
        return self.run(self.conversation.step(), timeout)

    def turns(self, timeout: float | None = None) -> Iterator[LockstepTurn]:
        """Yield turns (in lockstep); each iteration ends the turn before."""
        yield self.turn(timeout)
        while True:
            yield self.run(self.conversation.next_turn(), timeout)


class Controller(Connection, WorldCommands):
    """World controller of USARSim: creates, moves and removes objects."""

    def object_state(self, name: str, timeout: float | None = None) -> ObjectState:
        """Return the state of an object created by this controller."""
        return self.run(self.conversation.object_state(name), timeout)


def connect(**where: Unpack[AddressOptions]) -> Connection:
    """Connect without a robot, for start poses and the console; options as in `Address`."""
    return Connection(Address(**where))


def join(
    kind: str,
    name: str | None = None,
    *,
    at: Vector | None = None,
    rotation: Vector | None = None,
    start: str | None = None,
    **where: Unpack[AddressOptions],
) -> RemoteRobot:
    """Join a server's world with a robot; return after its first message.

    Args:
        kind: class of robot, ``P3AT`` or ``USARBot.P3AT``.
        name: name of the robot.
        at: start position, m, in the axes of the port.
        rotation: roll, pitch, yaw at the start, rad.
        start: name of a start pose, instead of ``at`` and ``rotation``.
        where: host, port, dialect, token, tls, timeout; see `Address`.
    """
    robot = RemoteRobot(Address(**where))
    robot._begin(robot.conversation.join(kind, name, at, rotation, start))
    return robot


def control(name: str = "Controller", **where: Unpack[AddressOptions]) -> Controller:
    """Join as a world controller; options as in `Address`."""
    controller = Controller(Address(**where))
    controller._begin(controller.conversation.control_world(name))
    return controller


def open_socket(address: Address) -> socket.socket:
    """Return a connected socket, with TLS if the address requires it."""
    context = address.context()
    plain: socket.socket | None = None
    try:
        plain = socket.create_connection((address.host, address.port), address.timeout)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return context.wrap_socket(plain, server_hostname=address.host) if context else plain
    except OSError as error:
        if plain is not None:
            plain.close()
        raise address.connect_error(error) from None
