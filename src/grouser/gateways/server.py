"""The server: opens the gateways' ports and paces the host by the wall clock.

One thread: between two ticks of physics the event loop serves the sockets of whoever has sent
something. Beats are short (2 ms), drawing happens in other processes, and readings are sent to one
client after the other between ticks, so that nobody waits for anybody.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import math
import ssl
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from grouser.errors import BadValue, GrouserError, SimulationDiverged
from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext
from grouser.gateways.images.gateway import ImageGateway
from grouser.gateways.images.mosaic import Layout
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.gateways.listening_port import PortRules, ListeningPort
from grouser.gateways.malloc import release_large_blocks
from grouser.gateways.usarsim.gateway import LOGIN_HINT, UsarsimGateway
from grouser.gateways.usarsim.truth_port import TruthGateway
from grouser.protocol.images import ImageType
from grouser.service.access import AccessControl, Token
from grouser.service.admission import Admission
from grouser.service.background_composer import BackgroundComposer, IdleGap, ComposerContext
from grouser.service.client_log import ClientLog
from grouser.service.host import Host, HostRules
from grouser.service.pace import RealTimePacer
from grouser.service.rate_limiter import Limits
from grouser.service.turn_timeouts import TurnTimeouts
from grouser.simulation.changes.actions import Reset
from grouser.simulation.simulation import Simulation

TICK = 0.002
"""Simulated seconds of a tick at the pace of a clock: a command waits no longer than that."""
CATCH_UP_TICK = 2 * TICK
"""Simulated seconds of a tick while more than that (of wall time) is to be caught up: it costs less
than two, and nobody waits longer for his next reading than for two."""
UNPACED_TICK = 0.02
"""The same when it goes as fast as possible: longer ticks cost less."""

NAP = 0.002
"""Wall seconds that nobody is listened to, at most, while the next tick is waited for."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PictureOptions:
    """How cameras' pictures are drawn."""

    type: ImageType = ImageType.NORMAL
    workers: int = 1
    """Processes that draw on this machine; 0: only those from elsewhere do."""
    fps: float = math.inf
    """Pictures per simulated second of each camera, at most."""
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """How a world is served."""

    address: str = "127.0.0.1"
    """Which of the machine's addresses is listened at; beyond loopback, tokens are needed."""
    gateways: tuple[Gateway, ...] = (UsarsimGateway(), TruthGateway(), ImageGateway())
    """Whom it serves, each at ports of its own."""
    pictures: PictureOptions | None = field(default_factory=PictureOptions)
    """None: nothing is drawn."""
    speed: float = 1.0
    """Simulated over wall time; infinity: as fast as possible."""
    tick: float | None = None
    """Simulated seconds of a tick; None: what suits the speed."""
    players: int = 0
    """Clients in lockstep that must be there before time begins."""
    longest_wait: float = 10.0
    """Wall seconds that a client in lockstep is waited for; 0: for ever."""
    command_timeout: float = 0.0
    """Simulated seconds after which the robot of a silent client stops; 0: never."""
    informed_timeout: float = 0.0
    """The same for clients that have said a line of Grouser's own, where that is 0."""
    equipment: bool = True
    """Clients' robots carry their standard equipment where nobody said what they carry."""
    robot_files: tuple[str, ...] = ()
    """Robots of files that clients may bring, by the files' own names for them."""
    limits: Limits = field(default_factory=Limits)
    tokens: tuple[Token, ...] = ()
    tls: ssl.SSLContext | None = None

    def rules(self) -> HostRules:
        """Return how time passes."""
        tick = self.tick or (UNPACED_TICK if math.isinf(self.speed) else TICK)
        return HostRules(
            tick=tick,
            players=self.players,
            command_timeout=self.command_timeout,
            informed_timeout=self.informed_timeout,
            equipment=self.equipment,
            robot_files=self.robot_files,
        )


class Server:
    """A world that is served; use it in an ``async with`` block, then let it `run`."""

    def __init__(self, simulation: Simulation, options: ServerOptions) -> None:
        """Prepare to serve ``simulation``.

        Raises:
            Refused: others could reach it, and there is no token.
            BadValue: an option is impossible.
        """
        if not options.speed > 0:
            raise BadValue(f"speed is {options.speed}, must be above 0, or max")
        if not options.longest_wait >= 0:
            raise BadValue(f"longest wait is {options.longest_wait}, must be 0 (for ever) or above")
        self.options = options
        self.ports: dict[str, int] = {}
        """Name of a port → its number, once it is open."""
        log = ClientLog(time.monotonic)
        access = AccessControl(
            options.tokens, options.address, clock=time.monotonic, login_hint=LOGIN_HINT, log=log
        )
        self._wakened = asyncio.Event()
        self._ended = asyncio.Event()
        self.registry = ConnectionRegistry(
            access,
            options.limits,
            self._wakened.set,
            log,
            time.thread_time,
            paced=math.isfinite(options.speed),
        )
        self._port_rules = PortRules(Admission(options.limits), options.limits, log, options.tls)
        self._patience = TurnTimeouts(options.longest_wait, lambda name: self.host.owners[name].address)
        self._lull = IdleGap()
        self._simulation = simulation
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            views = await self._start_drawing()
            self.host = Host(self._simulation, self.options.rules(), views, self._composer())
            self.registry.robots = lambda: len(self.host.owners)
            context = GatewayContext(self.host, self.registry, views)
            for gateway in self.options.gateways:
                for endpoint in gateway.endpoints(context):
                    await self._open(endpoint)
        except BaseException:
            await self._stack.aclose()
            raise
        self.pace = RealTimePacer(self.options.speed, self.host.time, clock=self._now)
        return self

    async def _start_drawing(self) -> Views | None:
        """Start the processes that draw; None: nothing is drawn."""
        pictures = self.options.pictures
        if pictures is None:
            return None
        pool = RenderPool(workers=pictures.workers, type=pictures.type)
        await self._stack.enter_async_context(pool)
        return Views(pool, pictures.layout, fps=pictures.fps)

    def _composer(self) -> BackgroundComposer | None:
        """Return who composes worlds aside; None: time, which follows no clock, may stand still."""
        if not self.registry.paced:
            return None
        loop = asyncio.get_running_loop()
        composer = BackgroundComposer(
            ComposerContext(
                now=loop.time,
                call_later=loop.call_later,
                call_from_thread=loop.call_soon_threadsafe,
                thread_time=time.thread_time,
                may_wait=self._disturbs_somebody,
                yield_control=self._lull.wait,
            )
        )
        self.registry.call_when_ready = composer.call_when_ready
        self._stack.callback(composer.close)
        return composer

    def _disturbs_somebody(self) -> bool:
        """Return whether somebody would notice if time stood still for a moment."""
        host = self.host
        return bool(host.owners) and not host.lockstep and self._may_go()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for connection in list(self.registry.connections):
            connection.hang_up()
        await asyncio.sleep(0)
        await self._stack.aclose()

    async def _open(self, endpoint: Endpoint) -> None:
        """Open a gateway's port."""
        port = ListeningPort(self._port_rules, endpoint.factory)
        self._stack.callback(port.close)
        number = await port.open(self.options.address, endpoint.port, endpoint.name)
        self.ports[endpoint.name] = number

    def console(self, line: str) -> str:
        """Carry out a line of the console for whoever started the server; return its answer."""
        answer = self.host.console(line)
        self._wakened.set()  # it may have ended a pause
        return answer

    def stop(self) -> None:
        """Let `run` return."""
        self._ended.set()
        self._wakened.set()

    async def run(self, *, until: float = math.inf) -> None:
        """Let time pass until `stop`, or until the simulated time ``until`` (s)."""
        release_large_blocks()
        gc.collect()
        gc.freeze()  # what is there now stays: looking through it again would hold up physics
        try:
            while not self._ended.is_set() and self.host.time < until - 1e-9:
                await self._run_once()
        finally:
            gc.unfreeze()

    async def _run_once(self) -> None:
        """Let one tick pass, or wait for what comes first: its time, or somebody."""
        host = self.host
        if not self._may_go():
            while host.publish_next():
                pass
            await self._wait()
            self.pace.restart(host.time)
            return
        while (wait := self.pace.wait(host.time)) > 0:
            if not host.publish_next():
                break
        if wait > NAP:
            await asyncio.sleep(wait - NAP)
            return
        if wait > 0:
            # A real nap: sockets are looked at once a tick, not whenever somebody says something,
            # which costs half as much; what is said is not used before the tick anyway.
            self._lull.begin(wait)
            time.sleep(wait)
            self._lull.end()
        await asyncio.sleep(0)  # sockets are looked at …
        await asyncio.sleep(0)  # … and what came is done, before this goes on
        if self._may_go():  # somebody may just have asked to be waited for
            self._advance(CATCH_UP_TICK if wait < -CATCH_UP_TICK else 0.0)

    async def _wait(self) -> None:
        """Wait until somebody does something; give up those who take too long to."""
        self._wakened.clear()
        host, patience = self.host, self._patience
        paused = self._simulation.paused
        state = patience.look({} if paused else host.lockstep.turns(), self._now())
        for name in state.named:
            _LOG.info("the world waits for '%s'", name)
        for name, seconds in state.given_up.items():
            host.expire_turn(name, seconds)
        if state.given_up:
            return
        if math.isfinite(state.look_again):
            timer = asyncio.get_running_loop().call_later(state.look_again, self._wakened.set)
            await self._wakened.wait()
            timer.cancel()
        else:
            await self._wakened.wait()

    def _may_go(self) -> bool:
        """Say whether time may pass; as fast as possible, it does so only for somebody."""
        if self._simulation.paused or not self.host.lockstep.open:
            return False
        return math.isfinite(self.pace.factor) or bool(self.host.owners)

    def _advance(self, seconds: float) -> None:
        host = self.host
        try:
            host.advance(seconds)
        except SimulationDiverged as error:
            _LOG.error("%s; the world starts over", error)
            host.do(Reset())
        except GrouserError as error:
            _LOG.error("something in the world went wrong: %s", error)
        host.publish_next()
        if math.isinf(self.pace.factor):
            while host.publish_next():
                pass

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
