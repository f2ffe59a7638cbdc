"""The server: sockets and real-time pacing, and the only place for both.

One thread: between two beats of physics the event loop serves whoever has something to say. Beats
are short (2 ms), drawing happens in other processes, and what is told to many is told one by one
between beats, so that nobody waits for anybody.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import math
import ssl
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from types import TracebackType
from typing import Self

from grouser.errors import BadValue, GrouserError, SimulationDiverged
from grouser.gateways.images.port import ImagePort
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.tiles import Layout
from grouser.gateways.images.views import Views
from grouser.gateways.usarsim.connection import ControlConnection, Counter, TruthConnection
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.protocol.images import PORT as IMAGE_PORT
from grouser.protocol.images import ImageType
from grouser.protocol.usarsim.codec import PORT as CONTROL_PORT
from grouser.protocol.usarsim.truth import PORT as TRUTH_PORT
from grouser.service.access import AccessControl, Token
from grouser.service.host import Host, Rules
from grouser.service.limits import Limits
from grouser.service.pace import Pace
from grouser.simulation.changes.actions import Reset
from grouser.simulation.simulation import Simulation

EYES_PORT = 5004
"""Where eyes from other machines come (``grouser eyes``)."""

BEAT = 0.002
"""Simulated seconds of a beat at the pace of a clock: a command waits no longer than that."""
LONG_BEAT = 0.01
"""Simulated seconds of a beat while more than that (of wall time) is to be caught up."""
FAST_BEAT = 0.02
"""The same when it goes as fast as possible: longer beats cost less."""

NAP = 0.002
"""Wall seconds that nobody is listened to, at most, while the next beat is waited for."""

_LOG = logging.getLogger("grouser.server")


@dataclass(frozen=True, kw_only=True)
class Pictures:
    """What cameras' pictures are served as."""

    type: ImageType = ImageType.NORMAL
    workers: int = 1
    """Processes that draw on this machine; 0: only those from elsewhere do."""
    fps: float = math.inf
    """Pictures per simulated second of each camera, at most."""
    legacy: bool = False
    """Send the first frame unasked, as UT2004's servers did."""
    own_only: bool = False
    """Give nobody the pictures of others."""
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True, kw_only=True)
class Service:
    """How a world is served."""

    address: str = "127.0.0.1"
    """Which of the machine's addresses is listened at; beyond loopback, tokens are needed."""
    control: tuple[tuple[int, PortProfile], ...] = ((CONTROL_PORT, PortProfile()),)
    """Control ports, each with its dialect, axes and units; port 0: any that is free."""
    images: int | None = IMAGE_PORT
    """None: no pictures."""
    truth: int | None = TRUTH_PORT
    """None: nobody may ask who is where."""
    eyes: int | None = None
    """Where eyes from other machines come; None: nowhere."""
    speed: float = 1.0
    """Simulated over wall time; infinity: as fast as possible."""
    beat: float | None = None
    """Simulated seconds of a beat; None: what suits the speed."""
    players: int = 0
    """Clients in lockstep that must be there before time begins."""
    command_timeout: float = 0.0
    """Simulated seconds after which the robot of a silent client stops; 0: never."""
    pictures: Pictures = field(default_factory=Pictures)
    limits: Limits = field(default_factory=Limits)
    tokens: tuple[Token, ...] = ()
    tls: ssl.SSLContext | None = None

    def rules(self) -> Rules:
        """Return how time passes."""
        beat = self.beat or (FAST_BEAT if math.isinf(self.speed) else BEAT)
        return Rules(beat=beat, players=self.players, command_timeout=self.command_timeout)


class Server:
    """A world that is served; use it in an ``async with`` block, then let it `run`."""

    def __init__(self, simulation: Simulation, service: Service) -> None:
        """Prepare to serve ``simulation``.

        Raises:
            Refused: others could reach it, and there is no token.
            BadValue: an option is impossible.
        """
        if not service.speed > 0:
            raise BadValue(f"speed is {service.speed}, must be above 0, or max")
        self.service = service
        self.access = AccessControl(service.tokens, service.address)
        self.ports: dict[str, int] = {}
        """Name of a port → its number, once it is open."""
        self._simulation = simulation
        self._stack = AsyncExitStack()
        self._stirred = asyncio.Event()
        self._ended = asyncio.Event()

    async def __aenter__(self) -> Self:
        service, views = self.service, None
        try:
            if service.images is not None:
                pictures = service.pictures
                pool = RenderPool(workers=pictures.workers, type=pictures.type)
                await self._stack.enter_async_context(pool)
                views = Views(pool, pictures.layout, fps=pictures.fps)
            self.host = Host(self._simulation, service.rules(), views)
            self.counter = Counter(self.host, self.access, service.limits, self._stirred.set)
            await self._listen(views)
        except BaseException:
            await self._stack.aclose()
            raise
        self.pace = Pace(service.speed, wall=self._now(), simulated=self.host.time)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for connection in list(self.counter.connections):
            connection.hang_up()
        await asyncio.sleep(0)
        await self._stack.aclose()

    async def _listen(self, views: Views | None) -> None:
        """Open all ports."""
        service, counter = self.service, self.counter
        for number, (port, profile) in enumerate(service.control):
            name = "control" if not number else f"control{number + 1}"
            await self._open(name, port, partial(ControlConnection, counter, profile))
        if service.truth is not None:
            profile = service.control[0][1]
            await self._open("truth", service.truth, partial(TruthConnection, counter, profile))
        if views and service.images is not None:
            pictures = service.pictures
            factory = ImagePort(
                views.frames,
                self.access,
                legacy=pictures.legacy,
                own_only=pictures.own_only,
                login_seconds=service.limits.login_seconds,
            )
            await self._open("images", service.images, factory)
        if views and service.eyes is not None:
            await self._open("eyes", service.eyes, partial(views.pool.accept_remote, self.access))

    async def _open(
        self, name: str, port: int, factory: Callable[[], asyncio.BaseProtocol]
    ) -> None:
        address = self.service.address
        try:
            server = await asyncio.get_running_loop().create_server(
                factory, address, port, ssl=self.service.tls, backlog=256
            )
        except OSError as error:
            why = _why(error)
            raise BadValue(f"port {port} at {address} cannot be opened for {name}: {why}") from None
        self._stack.callback(server.close)
        self.ports[name] = server.sockets[0].getsockname()[1]

    def say(self, line: str) -> str:
        """Do a line of the console for whoever started the server; return its answer."""
        answer = self.host.say(line)
        self._stirred.set()  # it may have ended a pause
        return answer

    def stop(self) -> None:
        """Let `run` return."""
        self._ended.set()
        self._stirred.set()

    async def run(self, *, until: float = math.inf) -> None:
        """Let time pass until `stop`, or until the simulated time ``until`` (s)."""
        gc.collect()
        gc.freeze()  # what is there now stays: looking through it again would hold up physics
        try:
            while not self._ended.is_set() and self.host.time < until - 1e-9:
                await self._pass()
        finally:
            gc.unfreeze()

    async def _pass(self) -> None:
        """Let one beat pass, or wait for what comes first: its time, or somebody."""
        host = self.host
        if not self._may_go():
            while host.publish():
                pass
            self._stirred.clear()
            await self._stirred.wait()
            self.pace.restart(self._now(), host.time)
            return
        while (wait := self.pace.wait(self._now(), host.time)) > 0:
            if not host.publish():
                break
        if wait > NAP:
            await asyncio.sleep(wait - NAP)
            return
        if wait > 0:
            # A real nap: sockets are looked at once a beat, not whenever somebody says something,
            # which costs half as much; what is said is not used before the beat anyway.
            time.sleep(wait)
        await asyncio.sleep(0)  # sockets are looked at …
        await asyncio.sleep(0)  # … and what came is done, before this goes on
        if self._may_go():  # somebody may just have asked to be waited for
            self._beat(LONG_BEAT if wait < -LONG_BEAT else 0.0)

    def _may_go(self) -> bool:
        """Say whether time may pass; as fast as possible, it does so only for somebody."""
        if self._simulation.paused or not self.host.open:
            return False
        return math.isfinite(self.pace.factor) or bool(self.host.guests)

    def _beat(self, seconds: float) -> None:
        host = self.host
        try:
            host.beat(seconds)
        except SimulationDiverged as error:
            _LOG.error("%s; the world starts over", error)
            host.do(Reset())
        except GrouserError as error:
            _LOG.error("something in the world went wrong: %s", error)
        host.publish()
        if math.isinf(self.pace.factor):
            while host.publish():
                pass

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


def _why(error: OSError) -> str:
    """Return why a port could not be opened, without what asyncio says around it."""
    if error.errno == errno.EADDRINUSE:
        return "it is in use already; choose another one, or 0 for any that is free"
    return error.strerror or str(error)
