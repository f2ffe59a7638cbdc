"""The bridge with its sockets: UDP to the controller, TCP to the simulator, both of which may go.

A simulator that is not there is tried again and again; a new robot joins then, and waits for new
commands. Datagrams may be delayed, lost and doubled on purpose (`LinkFaults`).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, cast

from grouser.client.address import Address
from grouser.client.asynchronous import AsyncRobot, async_join
from grouser.client.bridge import SHORTEST, Bridge
from grouser.client.kenaf_wire import CLASS, KenafWire
from grouser.errors import Disconnected, GrouserError
from grouser.protocol.link_faults import FaultyLink, LinkFaults

AGAIN = 0.5
"""Seconds before a simulator that was not there is tried again."""

Sender = tuple[Any, ...]


class BridgeProcess(asyncio.DatagramProtocol):
    """Runs a bridge until it is cancelled.

    Args:
        server: the simulator's control port.
        name: what the robot is called.
        controller: the only address from which datagrams are taken; None: any.
        faults: what goes wrong with datagrams, each way.
        report: is told one sentence when something changes.
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
        """Listen at HOST:PORT (0: any that is free; ``listening`` is told) until cancelled."""
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
        """Keep what answers are sent with."""
        self._transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: Sender) -> None:
        """Take a datagram in, now or when its faults let it arrive."""
        if self._controller is not None and addr[0] != self._controller:
            self.bridge.refused["sender"] += 1
            return
        self._in.send((data, addr), self._now)
        if not self._in.faults:
            self._work()

    def error_received(self, exc: Exception) -> None:
        """Take no offence at a controller that has gone."""

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time()

    def _work(self) -> None:
        """Pass on what is due: to the bridge, to the simulator, and back to the controller."""
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
                with contextlib.suppress(GrouserError):  # whoever listens notices it as well
                    self._robot.send(message)

    # -- the simulator's side ----------------------------------------------------------------

    async def _keep_robot(self) -> None:
        """Have a robot in the simulator's world, again and again."""
        complained = ""
        while True:
            try:
                await self._live()
            except GrouserError as error:
                if str(error) != complained:
                    complained = str(error)
                    self._report(f"no robot: {complained}")
            else:
                complained = ""
            await asyncio.sleep(AGAIN)

    async def _live(self) -> None:
        """Join, and hear the robot until it is gone."""
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
            self.bridge.robot_came(wire)
            self._robot = robot
            self._report(f"robot '{self._name}' is in the world '{robot.level}'")
            async for message in robot.listen():
                self.bridge.hear(message, self._now)
        finally:
            if self._robot is not None:
                self._robot = None
                self.bridge.robot_left()
            robot.close()
