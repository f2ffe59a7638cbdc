"""Robots driven over the network from one asyncio program.

::

    from grouser.client import async_join

    async with await async_join("P3AT", name="R1", at=(0, 0, 0)) as robot:
        robot.drive(left=2.0, right=2.0)
        scan = await robot.reading("Scanner1")

What only says something (`drive`, `joint`…) and what looks at the newest (`state`, `newest`…) is
called without ``await``, as in `grouser.client.connection`; whatever waits is awaited.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
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

UNSENT = 1 << 20
"""Bytes of commands that may wait for a server that does not read."""

Answer = TypeVar("Answer")


class _Receiver(asyncio.Protocol):
    """Hands what arrives to the conversation, and wakes whoever waits."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        self.gone = asyncio.Event()
        """There is no connection any more."""
        self._arrival = asyncio.Event()

    def data_received(self, data: bytes) -> None:
        self.conversation.receive(data)
        self._wake()

    def connection_lost(self, error: Exception | None) -> None:
        why = f"the connection broke ({error})" if error else "the server closed the connection"
        self.conversation.mark_lost(why)
        self.gone.set()
        self._wake()

    async def wait_for_data(self) -> None:
        """Wait until something has arrived after this call."""
        await self._arrival.wait()

    def _wake(self) -> None:
        self._arrival.set()
        self._arrival = asyncio.Event()


class AsyncConnection(CommandSender):
    """A connection to a server's control port, in an event loop; `open` makes one.

    The same is raised as by `grouser.client.connection.Connection`.
    """

    def __init__(self, address: Address, transport: asyncio.Transport, receiver: _Receiver) -> None:
        self.address = address
        self.conversation = receiver.conversation
        self._transport = transport
        self._receiver = receiver

    @classmethod
    async def open(cls, address: Address) -> Self:
        """Connect, and wait for the server's greeting."""
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
        """Leave; the server removes the robot."""
        self.conversation.mark_closed()
        self._transport.close()

    async def closed(self) -> None:
        """Wait until the connection is no more; TLS takes its leave politely."""
        try:
            await asyncio.wait_for(self._receiver.gone.wait(), self.address.timeout)
        except TimeoutError:
            self._transport.abort()

    # Questions.

    async def start_poses(self, timeout: float | None = None) -> tuple[StartPose, ...]:
        """Return the places where robots may begin."""
        return await self.run(self.conversation.ask(queries.start_poses()), timeout)

    async def console(self, line: str, timeout: float | None = None) -> str:
        """Type a line into the server's console, and return what it says, or raise `BadValue`."""
        return await self.run(self.conversation.console(line), timeout)

    async def listen(self, seconds: float | None = None) -> AsyncIterator[Message]:
        """Yield everything that is heard, also what came before and nobody has listened to.

        Args:
            seconds: how long, by this machine's clock; None: as long as there is a connection.
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

    # How the shell waits.

    def send(self, message: Message) -> None:
        """Send any message of `grouser.protocol` at once."""
        self.conversation.raise_errors()
        self.conversation.queue(message)
        self._flush()

    def poll(self) -> LatestMessages:
        """Return the newest message of each kind; the event loop receives them."""
        return self.conversation.checked_latest()

    async def run(self, plan: Plan[Answer], timeout: float | None = None) -> Answer:
        """Carry out one of the plans of `Conversation`, within ``timeout`` seconds."""
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

    async def _begin(self, plan: Plan[object]) -> None:
        """Carry out the plan that a connection begins with; without it there is none."""
        try:
            await self.run(plan)
        except BaseException:
            self.close()
            raise

    def _flush(self) -> None:
        for line in self.conversation.take_outgoing():
            self._transport.write(line)
        if self._transport.get_write_buffer_size() > UNSENT:
            self.conversation.mark_lost("the server does not take what is said any more")
            self._transport.abort()
            self.conversation.raise_errors()


class AsyncRobot(AsyncConnection, RobotCommands):
    """A robot of ours in the server's world, until the connection closes."""

    async def geometry(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Geometry:
        """Return how big the robot is, or where its sensors or packages of a type are (GETGEO)."""
        return await self.run(self.conversation.ask(queries.geometry(type, name)), timeout)

    async def configuration(
        self, type: str = "Robot", name: str | None = None, timeout: float | None = None
    ) -> Configuration:
        """Return what the robot, its sensors or packages of a type can do (GETCONF)."""
        return await self.run(self.conversation.ask(queries.configuration(type, name)), timeout)

    async def response(self, setting: Setting, timeout: float | None = None) -> Response:
        """Set something and return what became of it (only UT2004's dialect says)."""
        return await self.run(self.conversation.ask(queries.setting(setting)), timeout)

    async def reading(self, sensor: str, timeout: float | None = None) -> Message:
        """Wait for the next reading of a sensor, or of a type of sensor."""
        return await self.run(self.conversation.reading(sensor), timeout)

    async def receive(self, timeout: float | None = None) -> RadioMessage:
        """Return the oldest radio message that was not taken yet, or wait for one."""
        return await self.run(self.conversation.radio_message(), timeout)

    async def turn(self, timeout: float | None = None) -> LockstepTurn:
        """Wait until the world waits for us (in lockstep)."""
        return await self.run(self.conversation.turn(), timeout)

    async def step(self, timeout: float | None = None) -> LockstepTurn:
        """End our turn, let the world go on, and return when it is our turn again (lockstep)."""
        return await self.run(self.conversation.step(), timeout)

    async def turns(self, timeout: float | None = None) -> AsyncIterator[LockstepTurn]:
        """Yield turn after turn (in lockstep); a round of the loop ends the turn it got."""
        yield await self.turn(timeout)
        while True:
            yield await self.run(self.conversation.next_turn(), timeout)


class AsyncController(AsyncConnection, WorldCommands):
    """USARSim's world controller: makes, moves and removes objects."""

    async def object_state(self, name: str, timeout: float | None = None) -> ObjectState:
        """Return where an object is that was made here."""
        return await self.run(self.conversation.ask(queries.object_state(name)), timeout)


async def async_connect(**where: Unpack[AddressOptions]) -> AsyncConnection:
    """Connect without a robot: for start poses and the console. `Address` has the options."""
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
    """Put a robot into a server's world; the arguments are `grouser.client.connection.join`'s."""
    robot = await AsyncRobot.open(Address(**where))
    await robot._begin(robot.conversation.join(kind, name, at, rotation, start))
    return robot


async def async_control(
    name: str = "Controller", **where: Unpack[AddressOptions]
) -> AsyncController:
    """Become a world controller; see `Address` for the options."""
    controller = await AsyncController.open(Address(**where))
    await controller._begin(controller.conversation.control_world(name))
    return controller
