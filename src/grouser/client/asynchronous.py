"""Asyncio client: drive robots over the network from an event loop.

::

    from grouser.client import async_join

    async with await async_join("P3AT", name="R1", at=(0, 0, 0)) as robot:
        robot.drive(left=2.0, right=2.0)
        scan = await robot.reading("Scanner1")

Commands (`drive`, `joint`…) and the newest values (`state`, `newest`…) are called without
``await``, as in `grouser.client.connection`; calls that wait for a message are awaited.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
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

UNSENT = 1 << 20
"""Largest size of the send buffer, bytes."""

Answer = TypeVar("Answer")


class _Receiver(asyncio.Protocol):
    """Protocol that passes received data to the conversation and wakes waiting coroutines."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.disconnected = asyncio.Event()
        """Set when the connection has ended."""
        self._arrival = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.conversation.receive(data)
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        why = f"connection lost ({error})" if error else "the server closed the connection"
        self.conversation.mark_lost(why)
        self.disconnected.set()
        self._wake()

    async def wait_for_data(self) -> None:
        """Wait until data arrives after this call."""
        await self._arrival.wait()

    def _wake(self) -> None:
        self._arrival.set()
        self._arrival = asyncio.Event()


class AsyncConnection(CommandSender):
    """Connection to a server's control port, in an event loop; created by `open`.

    Raises the same errors as `grouser.client.connection.Connection`.
    """

    def __init__(self, address: Address, transport: asyncio.Transport, receiver: _Receiver) -> None:
        self.address = address
        self.conversation = receiver.conversation
        self._transport = transport
        self._receiver = receiver

    @classmethod
    async def open(cls, address: Address) -> Self:
        """Connect and wait for the server's greeting."""
        receiver = _Receiver(Conversation(address.wire_dialect, address.peer))
        connecting = asyncio.get_running_loop().create_connection(
            lambda: receiver, address.host, address.port, ssl=address.context()
        )
        try:
            transport, _ = await asyncio.wait_for(connecting, address.timeout)
        except OSError as error:
            raise address.connect_error(error) from None
        connection = cls(address, transport, receiver)
        await connection._begin(connection.conversation.open(address.token))
        return connection

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()
        await self.closed()

    def close(self) -> None:
        """Close the connection; the server removes the robot."""
        self.conversation.mark_closed()
        self._transport.close()

    async def closed(self) -> None:
        """Wait until the connection has ended, including the TLS shutdown."""
        try:
            await asyncio.wait_for(self._receiver.disconnected.wait(), self.address.timeout)
        except TimeoutError:
            self._transport.abort()

    # Queries.

    async def start_poses(self, timeout: float | None = None) -> tuple[StartPose, ...]:
        """Return the start poses of the world."""
        return await self.run(self.conversation.start_poses(), timeout)

    async def console(self, line: str, timeout: float | None = None) -> str:
        """Execute a console line on the server and return its answer; `BadValue` if it fails."""
        return await self.run(self.conversation.console(line), timeout)

    async def listen(self, seconds: float | None = None) -> AsyncIterator[Message]:
        """Yield all messages, including unread ones received before.

        Args:
            seconds: wall time; None: until the connection ends.
        """
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            while (message := self.conversation.next_unread()) is not None:
                yield message
            self.conversation.raise_errors()
            left = None if until is None else until - time.monotonic()
            try:
                await asyncio.wait_for(self._receiver.wait_for_data(), left)
            except TimeoutError:
                return

    # Input and output.

    def send(self, message: Message) -> None:
        """Send any message of `grouser.protocol`."""
        self.conversation.raise_errors()
        self.conversation.queue(message)
        self._flush()

    def poll(self) -> LatestMessages:
        """Return the newest message of each kind; the event loop receives them."""
        return self.conversation.checked_latest()

    async def run(self, plan: Exchange[Answer], timeout: float | None = None) -> Answer:
        """Run an exchange of `Conversation`; `NoAnswer` after ``timeout`` seconds."""
        limit = self.address.timeout if timeout is None else timeout
        awaited = "anything"
        with contextlib.closing(plan):
            try:
                async with asyncio.timeout(limit):
                    while True:
                        try:
                            awaited = next(plan)
                        except StopIteration as done:
                            self._flush()
                            self.conversation.raise_refusal()
                            answer: Answer = done.value
                            return answer
                        self._flush()
                        await self._receiver.wait_for_data()
            except NoAnswer:
                raise
            except TimeoutError:
                raise NoAnswer(
                    f"{self.address.peer}: {limit:g} s passed without {awaited}"
                ) from None

    async def _begin(self, plan: Exchange[object]) -> None:
        """Run the first exchange; close the connection if it fails."""
        try:
            await self.run(plan)
        except BaseException:
            self.close()
            raise

    def _flush(self) -> None:
        for line in self.conversation.take_outgoing():
            self._transport.write(line)
        if self._transport.get_write_buffer_size() > UNSENT:
            self.conversation.mark_lost("the server does not read any more")
            self._transport.abort()
            self.conversation.raise_errors()


class AsyncRobot(AsyncConnection, RobotCommands):
    """Robot in the server's world, owned by this connection."""

    async def geometry(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Geometry:
        """Return dimensions of the robot, or positions of its sensors or packages (GETGEO)."""
        return await self.run(self.conversation.geometry(type, name), timeout)

    async def configuration(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Configuration:
        """Return the configuration of the robot, its sensors or packages (GETCONF)."""
        return await self.run(self.conversation.configuration(type, name), timeout)

    async def response(self, setting: Setting, timeout: float | None = None) -> Response:
        """Send a setting and return the response (dialect ut2004 only)."""
        return await self.run(self.conversation.response(setting), timeout)

    async def reading(self, sensor: str, timeout: float | None = None) -> Message:
        """Wait for the next reading of a sensor or sensor type."""
        return await self.run(self.conversation.reading(sensor), timeout)

    async def receive(self, timeout: float | None = None) -> RadioMessage:
        """Return the oldest unread radio message; wait if there is none."""
        return await self.run(self.conversation.radio_message(), timeout)

    async def turn(self, timeout: float | None = None) -> LockstepTurn:
        """Wait for this client's turn (in lockstep)."""
        return await self.run(self.conversation.turn(), timeout)

    async def step(self, timeout: float | None = None) -> LockstepTurn:
        """End this turn and wait for the next one (in lockstep)."""
        return await self.run(self.conversation.step(), timeout)

    async def turns(self, timeout: float | None = None) -> AsyncIterator[LockstepTurn]:
        """Yield turns (in lockstep); each iteration ends the turn before."""
        yield await self.turn(timeout)
        while True:
            yield await self.run(self.conversation.next_turn(), timeout)


class AsyncController(AsyncConnection, WorldCommands):
    """World controller of USARSim: creates, moves and removes objects."""

    async def object_state(self, name: str, timeout: float | None = None) -> ObjectState:
        """Return the state of an object created by this controller."""
        return await self.run(self.conversation.object_state(name), timeout)


async def async_connect(**where: Unpack[AddressOptions]) -> AsyncConnection:
    """Connect without a robot, for start poses and the console; options as in `Address`."""
    return await AsyncConnection.open(Address(**where))


async def async_join(
    kind: str,
    name: str | None = None,
    *,
    at: Vector | None = None,
    rotation: Vector | None = None,
    start: str | None = None,
    **where: Unpack[AddressOptions],
) -> AsyncRobot:
    """Join a world with a robot; arguments as in `grouser.client.connection.join`."""
    robot = await AsyncRobot.open(Address(**where))
    await robot._begin(robot.conversation.join(kind, name, at, rotation, start))
    return robot


async def async_control(
    name: str = "Controller", **where: Unpack[AddressOptions]
) -> AsyncController:
    """Join as a world controller; options as in `Address`."""
    controller = await AsyncController.open(Address(**where))
    await controller._begin(controller.conversation.control_world(name))
    return controller
