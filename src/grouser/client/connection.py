"""A robot driven over the network, by a plain program that does one thing after another.

::

    from grouser.client import join

    with join("P3AT", name="R1", at=(0, 0, 0)) as robot:
        robot.drive(left=2.0, right=2.0)
        for heard in robot.listen(seconds=5):
            print(heard)
        print(robot.newest("Scanner1"))

No thread runs behind it: what has arrived is taken in whenever something is called.
`grouser.client.asynchronous` has the same for asyncio. Nothing connects again by itself.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import time
from collections.abc import Iterator
from typing import Self, TypeVar, Unpack

from grouser.client import queries
from grouser.client.address import Address, AddressOptions
from grouser.client.commands import CommandSender, RobotCommands
from grouser.client.conversation import Conversation, LockstepTurn, Plan
from grouser.client.latest_messages import LatestMessages
from grouser.client.world_commands import WorldCommands
from grouser.errors import NoAnswer
from grouser.protocol.usarsim.commands import StartPose
from grouser.protocol.usarsim.extensions import RadioMessage
from grouser.protocol.usarsim.geo_conf import Configuration, Geometry
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.setting import Response, Setting
from grouser.protocol.usarsim.state import ObjectState
from grouser.protocol.usarsim.values import Vector

PACKET = 65536
"""Bytes that are read at once."""
PACKETS = 64
"""How often is read before a call goes on, however much there is."""

Answer = TypeVar("Answer")


class Connection(CommandSender):
    """A connection to a server's control port, through a blocking socket.

    Connecting waits for the server's greeting. Every wait may be given a ``timeout`` of its own;
    otherwise the address's holds.

    Raises:
        Disconnected: the server is not there, or not any more.
        Refused: the server said no, to this or to an earlier call.
        NoAnswer: something did not come in time.
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
        """Leave; the server removes the robot."""
        self.conversation.mark_closed()
        self._socket.close()

    # Questions.

    def start_poses(self, timeout: float | None = None) -> tuple[StartPose, ...]:
        """Return the places where robots may begin."""
        return self.run(self.conversation.ask(queries.start_poses()), timeout)

    def console(self, line: str, timeout: float | None = None) -> str:
        """Type a line into the server's console, and return what it says.

        Raises:
            BadValue: the console did nothing; its own sentence says why.
        """
        return self.run(self.conversation.console(line), timeout)

    def listen(self, seconds: float | None = None) -> Iterator[Message]:
        """Yield everything that is heard, also what came before and nobody has listened to.

        Args:
            seconds: how long, by this machine's clock; None: as long as there is a connection.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            while (message := self.conversation.next_unread()) is not None:
                yield message
            self.conversation.raise_errors()
            if not self._receive(until):
                return

    # How the shell waits.

    def send(self, message: Message) -> None:
        """Send any message of `grouser.protocol` at once."""
        self.poll()
        self.conversation.queue(message)
        self._flush()

    def poll(self) -> LatestMessages:
        """Receive what has arrived, without waiting; return the newest message of each kind."""
        for _ in range(PACKETS):
            if not self._receive(0.0):
                break
        return self.conversation.checked_latest()

    def run(self, plan: Plan[Answer], timeout: float | None = None) -> Answer:
        """Carry out one of the plans of `Conversation`, within ``timeout`` seconds."""
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

    def _begin(self, plan: Plan[object]) -> None:
        """Carry out the plan that a connection begins with; without it there is none."""
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
            # The server's last messages tell more than the socket does.
            while self._receive(0.0):
                pass
            self._mark_lost("the server does not take what is said any more")
            self.conversation.raise_errors()

    def _receive(self, until: float | None) -> bool:
        """Receive what arrives next; return False if nothing did until then (monotonic, s).

        A connection that has ended counts as arrival: `Conversation.raise_errors` says why.
        """
        if self._socket.fileno() < 0:
            return False
        try:
            self._socket.settimeout(None if until is None else max(0.0, until - time.monotonic()))
            data = self._socket.recv(PACKET)
        except (BlockingIOError, TimeoutError, ssl.SSLWantReadError):
            return False
        except OSError as error:
            self._mark_lost(f"the connection broke ({error.strerror or error})")
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
    """A robot of ours in the server's world, until the connection closes."""

    def geometry(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Geometry:
        """Return how big the robot is, or where its sensors or packages of a type are (GETGEO)."""
        return self.run(self.conversation.ask(queries.geometry(type, name)), timeout)

    def configuration(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Configuration:
        """Return what the robot, its sensors or packages of a type can do (GETCONF)."""
        return self.run(self.conversation.ask(queries.configuration(type, name)), timeout)

    def response(self, setting: Setting, timeout: float | None = None) -> Response:
        """Set something and return what became of it (only UT2004's dialect says)."""
        return self.run(self.conversation.ask(queries.setting(setting)), timeout)

    def reading(self, sensor: str, timeout: float | None = None) -> Message:
        """Wait for the next reading of a sensor, or of a type of sensor."""
        return self.run(self.conversation.reading(sensor), timeout)

    def receive(self, timeout: float | None = None) -> RadioMessage:
        """Return the oldest radio message that was not taken yet, or wait for one."""
        return self.run(self.conversation.radio_message(), timeout)

    def turn(self, timeout: float | None = None) -> LockstepTurn:
        """Wait until the world waits for us (in lockstep)."""
        return self.run(self.conversation.turn(), timeout)

    def step(self, timeout: float | None = None) -> LockstepTurn:
        """End our turn, let the world go on, and return when it is our turn again (lockstep)."""
        return self.run(self.conversation.step(), timeout)

    def turns(self, timeout: float | None = None) -> Iterator[LockstepTurn]:
        """Yield turn after turn (in lockstep); a round of the loop ends the turn it got."""
        yield self.turn(timeout)
        while True:
            yield self.run(self.conversation.next_turn(), timeout)


class Controller(Connection, WorldCommands):
    """USARSim's world controller: makes, moves and removes objects."""

    def object_state(self, name: str, timeout: float | None = None) -> ObjectState:
        """Return where an object is that was made here."""
        return self.run(self.conversation.ask(queries.object_state(name)), timeout)


def connect(**where: Unpack[AddressOptions]) -> Connection:
    """Connect without a robot: for start poses and the console. `Address` has the options."""
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
    """Put a robot into a server's world, and return it once it lives.

    Args:
        kind: class of robot, ``P3AT`` or ``USARBot.P3AT``.
        name: what it shall be called.
        at: where it starts, m, in the wire's axes.
        rotation: roll, pitch, yaw at the start, rad.
        start: name of a start pose, which then counts instead of the two.
        where: host, port, dialect, token, tls, timeout; see `Address`.
    """
    robot = RemoteRobot(Address(**where))
    robot._begin(robot.conversation.join(kind, name, at, rotation, start))
    return robot


def control(name: str = "Controller", **where: Unpack[AddressOptions]) -> Controller:
    """Become a world controller; see `Address` for the options."""
    controller = Controller(Address(**where))
    controller._begin(controller.conversation.control_world(name))
    return controller


def open_socket(address: Address) -> socket.socket:
    """Return a connected socket, with TLS if the address has it."""
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
