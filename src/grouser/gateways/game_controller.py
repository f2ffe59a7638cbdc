"""The GameController gateway: RoboCup's GameController program drives the referee of a match.

It listens for the program's UDP packets and answers for every robot of the match that is in the
world. A packet sets the state, the clock, the score and the penalties; the referee places robots
and ball and sends messages as usual, but does not decide on goals or time.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from typing import Any

from grouser.errors import BadValue, GrouserError
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.protocol import game_controller as wire
from grouser.service.access import is_loopback
from grouser.service.host import Host
from grouser.simulation.changes.actions import RefereeCall
from grouser.simulation.script.referee import Referee
from grouser.world.match import Match

_LOG = logging.getLogger(__name__)

CLOCK_TOLERANCE = 2.0
"""Difference of the clocks beyond which the referee's is set, s."""


class GameControllerGateway(Gateway):
    """UDP port that receives the packets of RoboCup's GameController."""

    port: PortNumber = wire.PORT
    address: str = "127.0.0.1"
    """Address at which it listens."""
    controller: str = ""
    """IP address of the GameController, from which alone packets are taken; they carry no password,
    so it is needed where other machines reach the port. Default: any sender on this machine."""
    return_port: PortNumber = wire.PORT
    """Port of the GameController to which answers are sent; 0: no answers."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return no TCP port."""
        return ()

    def start(self, context: GatewayContext) -> Callable[[], None]:
        """Open the UDP port; return a function that closes it.

        Raises:
            BadValue: the world has no match, or other machines reach the address and the
                controller is not named.
        """
        match = context.host.simulation.world.match
        if match is None:
            raise BadValue("game_controller: this world has no match, such as match_2v2")
        if not is_loopback(self.address) and not self.controller:
            raise BadValue(
                f"game_controller: other machines can reach {self.address}, and packets of a "
                "GameController have no password; name its machine with controller=IP"
            )
        loop = asyncio.get_running_loop()
        follower = GameFollower(context.host, match)
        receiver = _Receiver(follower, self.return_port, self.controller)
        opening = loop.create_task(self._open(receiver))

        def close() -> None:
            opening.cancel()
            if receiver.transport is not None:
                receiver.transport.close()

        return close

    async def _open(self, receiver: _Receiver) -> None:
        loop = asyncio.get_running_loop()
        try:
            await loop.create_datagram_endpoint(
                lambda: receiver, local_addr=(self.address, self.port)
            )
        except OSError as error:
            reason = error.strerror or error
            _LOG.error("game_controller: UDP port %d cannot be opened: %s", self.port, reason)
            return
        _LOG.info("game_controller: listening at UDP port %d", self.port)


class GameFollower:
    """Applies the differences between packets and the referee's game."""

    def __init__(self, host: Host, match: Match) -> None:
        self._host, self._match = host, match

    def follow(self, data: wire.GameControlData) -> None:
        """Bring the referee's game into the state of a packet."""
        referee = self._host.simulation.events.referee
        if referee is None:
            return
        kicking = self._team(data.kickoff) if data.kickoff else referee.game.kicking
        half = 1 if data.first_half else 2
        game, time = referee.game, self._host.time
        left = float(data.seconds)
        late = abs(self._match.half - game.elapsed(time) - left) > CLOCK_TOLERANCE
        same = (game.state, game.kicking, game.half) == (data.state, kicking, half)
        if not (same and game.followed) or late:
            self._call(RefereeCall("control", data.state, left, half, kicking))
        for team in data.teams:
            name = self._team(team.colour)
            if referee.game.score[name] != team.score:
                self._call(RefereeCall("score", name, number=team.score))
            self._follow_penalties(referee, name, team)

    def _follow_penalties(self, referee: Referee, team: str, data: wire.TeamData) -> None:
        out = referee.game.out
        for robot, (penalty, seconds) in zip(self._robots(team), data.penalties, strict=False):
            if penalty and robot not in out:
                self._call(RefereeCall("penalty", robot, seconds=float(seconds)))
            elif not penalty and robot in out:
                self._call(RefereeCall("pardon", robot))

    def answers(self, data: wire.GameControlData) -> Iterable[bytes]:
        """Yield the return packets of all robots of the match that are in the world."""
        for team in data.teams:
            for number, robot in enumerate(self._robots(self._team(team.colour)), start=1):
                if robot in self._host.simulation.scene.robots:
                    yield wire.ReturnData(team=team.number, player=number).encode()

    def _team(self, colour: str) -> str:
        """Return the match's team of a colour: the one of this name, else red is the first."""
        names = self._match.names
        return colour if colour in names else names[0 if colour == "red" else 1]

    def _robots(self, team: str) -> list[str]:
        return [p.robot for t in self._match.teams if t.name == team for p in t.players]

    def _call(self, call: RefereeCall) -> None:
        self._host.apply(call, source="game_controller")


class _Receiver(asyncio.DatagramProtocol):
    """Receives packets and sends answers."""

    def __init__(self, follower: GameFollower, return_port: int, controller: str) -> None:
        self._follower, self._return_port = follower, return_port
        self._controller = controller
        self._faults: set[str] = set()
        self.transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        if self._controller and addr[0] != self._controller:
            self._report(f"game_controller: packets from {addr[0]} are ignored")
            return
        try:
            packet = wire.parse(data)
            self._follower.follow(packet)
        except GrouserError as error:
            self._report(str(error))
            return
        if self._return_port and self.transport is not None:
            for answer in self._follower.answers(packet):
                self.transport.sendto(answer, (addr[0], self._return_port))

    def error_received(self, exc: Exception) -> None:
        """Ignore that no GameController reads the answers."""

    def _report(self, fault: str) -> None:
        """Log a fault once."""
        if fault not in self._faults and len(self._faults) < 20:
            self._faults.add(fault)
            _LOG.warning("%s", fault)
