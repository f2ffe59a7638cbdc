"""Simulation server: open the gateways' ports and pace the host by the wall clock.

One thread: between two ticks of physics the event loop serves the sockets that have received data.
Ticks are short (2 ms), rendering happens in other processes, and readings are sent to one client
after the other between ticks, so that no client delays another.
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

from grouser.errors import BadValue, GrouserError, PolicyFailed, SimulationDiverged
from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, default_gateways
from grouser.gateways.images.mosaic import Layout
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.gateways.listening_port import ListeningPort, PortRules
from grouser.gateways.malloc import release_large_blocks
from grouser.gateways.usarsim.gateway import LOGIN_HINT
from grouser.protocol.images import ImageType
from grouser.service.access import MATCH_ROLES, AccessControl, Role, Token
from grouser.service.admission import Admission
from grouser.service.background_composer import BackgroundComposer, ComposerContext, IdleGap
from grouser.service.client_log import ClientLog
from grouser.service.host import Host, HostRules
from grouser.service.observer_thread import ObserverThread
from grouser.service.pace import RealTimePacer
from grouser.service.rate_limiter import Limits
from grouser.service.turn_timeouts import TurnTimeouts
from grouser.simulation.changes.actions import Reset
from grouser.simulation.observers import STEP_RATE_HZ
from grouser.simulation.simulation import Simulation

TICK = 0.002
"""Simulated seconds of a tick of a paced server: the longest delay of a command."""
CATCH_UP_TICK = 2 * TICK
"""Simulated seconds of a tick while the lag (wall time) is longer: it costs less than two ticks,
and delays readings by no more than two."""
UNPACED_TICK = 0.02
"""Simulated seconds of a tick of an unpaced server: longer ticks cost less."""

LONGEST_SLEEP = 0.002
"""Longest blocking sleep before a tick, without serving sockets, wall s."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class PictureOptions:
    """Rendering of camera pictures."""

    type: ImageType = ImageType.NORMAL
    workers: int = 1
    """Render processes on this machine; 0: only remote ones are used."""
    fps: float = math.inf
    """Most pictures per simulated second of each camera."""
    layout: Layout = field(default_factory=Layout)


@dataclass(frozen=True, kw_only=True)
class ServerOptions:
    """Options of a server."""

    address: str = "127.0.0.1"
    """Local address of the ports; beyond loopback, tokens are needed."""
    gateways: tuple[Gateway, ...] = field(default_factory=default_gateways)
    """Gateways, opened in this order."""
    pictures: PictureOptions | None = field(default_factory=PictureOptions)
    """None: no pictures are rendered."""
    speed: float = 1.0
    """Simulated time over wall time; infinity: as fast as possible."""
    tick: float | None = None
    """Simulated seconds of a tick; None: `TICK` or `UNPACED_TICK`."""
    players: int = 0
    """Clients in lockstep that must have joined before time begins."""
    longest_wait: float = 10.0
    """Time-out of a turn in lockstep, wall s; 0: none."""
    command_timeout: float = 0.0
    """Simulated seconds after which the robot of a silent client stops; 0: never."""
    informed_timeout: float = 0.0
    """The same for clients of Grouser's own protocol, where ``command_timeout`` is 0."""
    equipment: bool = True
    """Clients' robots carry their standard equipment unless sensors are listed explicitly."""
    robot_files: tuple[str, ...] = ()
    """Robot files whose robots clients may add, by the names in the files."""
    limits: Limits = field(default_factory=Limits)
    tokens: tuple[Token, ...] = ()
    open_roles: frozenset[Role] | None = None
    """Roles of clients on this machine without a token; None: all, in a match ``drive``, and with
    tokens none."""
    tls: ssl.SSLContext | None = None

    def rules(self) -> HostRules:
        """Return the rules of the host."""
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
    """Server of one simulation; call `run` in an ``async with`` block."""

    def __init__(self, simulation: Simulation, options: ServerOptions) -> None:
        """Prepare to serve ``simulation``.

        Raises:
            Refused: other machines could reach it, and there is no token.
            BadValue: an option is impossible.
        """
        if not options.speed > 0:
            raise BadValue(f"speed is {options.speed}, must be above 0, or max")
        if not options.longest_wait >= 0:
            raise BadValue(f"longest wait is {options.longest_wait}, must be 0 (for ever) or above")
        self.options = options
        self.ports: dict[str, int] = {}
        """Name of an open port -> its number."""
        log = ClientLog(time.monotonic)
        open_roles = options.open_roles
        if open_roles is None and not options.tokens and simulation.world.match is not None:
            open_roles = MATCH_ROLES
        access = AccessControl(
            options.tokens,
            options.address,
            clock=time.monotonic,
            login_hint=LOGIN_HINT,
            log=log,
            open_roles=open_roles,
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
        self._turn_timeouts = TurnTimeouts(
            options.longest_wait, lambda name: self.host.owners[name].address
        )
        self._idle_gap = IdleGap()
        self._simulation = simulation
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        try:
            views = await self._start_rendering()
            self.host = Host(self._simulation, self.options.rules(), views, self._composer())
            self.registry.robots = lambda: len(self.host.owners)
            context = GatewayContext(
                self.host,
                self.registry,
                views,
                lambda: self.pace.factor,
                self._set_speed,
                self.options.tls is not None,
            )
            for gateway in self.options.gateways:
                for endpoint in gateway.endpoints(context):
                    await self._open(endpoint)
                if (end := gateway.start(context)) is not None:
                    self._stack.callback(end)
        except BaseException:
            await self._stack.aclose()
            raise
        self.pace = RealTimePacer(self.options.speed, self.host.time, clock=self._now)
        return self

    async def _start_rendering(self) -> Views | None:
        """Start the render processes; return None if no pictures are rendered."""
        pictures = self.options.pictures
        if pictures is None:
            return None
        pool = RenderPool(workers=pictures.workers, type=pictures.type)
        await self._stack.enter_async_context(pool)
        return Views(pool, pictures.layout, fps=pictures.fps)

    def _composer(self) -> BackgroundComposer | None:
        """Return the background composer, or None when the run is not paced."""
        if not self.registry.paced:
            return None
        loop = asyncio.get_running_loop()
        composer = BackgroundComposer(
            ComposerContext(
                now=loop.time,
                call_later=loop.call_later,
                call_from_thread=loop.call_soon_threadsafe,
                thread_time=time.thread_time,
                may_defer=self._runs_for_clients,
                yield_control=self._idle_gap.wait,
            )
        )
        self.registry.call_when_ready = composer.call_when_ready
        self._stack.callback(composer.close)
        return composer

    def _runs_for_clients(self) -> bool:
        """Return True if time passes for clients that do not use lockstep."""
        host = self.host
        return bool(host.owners) and not host.lockstep and self._may_advance()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for connection in list(self.registry.connections):
            connection.close()
        await asyncio.sleep(0)
        await self._stack.aclose()

    async def _open(self, endpoint: Endpoint) -> None:
        """Open a gateway's port."""
        port = ListeningPort(self._port_rules, endpoint.factory)
        self._stack.callback(port.close)
        number = await port.open(self.options.address, endpoint.port, endpoint.name)
        self.ports[endpoint.name] = number
        if endpoint.opened:
            self._stack.callback(endpoint.opened(self.options.address, number))

    def console(self, line: str) -> str:
        """Execute a console line of the server's own process; return its answer."""
        answer = self.host.console(line)
        self._wakened.set()  # the line may have ended a pause
        return answer

    def subscribe(
        self, observer: object, *, robot: str | None = None, rate_hz: float = STEP_RATE_HZ
    ) -> ObserverThread:
        """Call the methods of ``observer`` in a thread of its own: see `Observer`.

        Args:
            observer: object with some of the methods of an observer; a slow one loses messages,
                which are counted in ``dropped``.
            robot: only what concerns this robot or object; None: the whole world.
            rate_hz: calls of ``on_step`` per simulated second.

        Returns:
            The thread; its ``close`` ends it.
        """
        thread = ObserverThread(observer)
        subscription = self._simulation.subscribe(thread, robot=robot, rate_hz=rate_hz)
        thread.on_close = subscription.close
        self._stack.callback(thread.close)
        return thread

    def _set_speed(self, factor: float) -> None:
        """Set the real-time factor of a paced server."""
        if not self.registry.paced:
            raise BadValue("speed: this server runs as fast as possible, which cannot be changed")
        self.pace.restart(self.host.time, factor)

    def stop(self) -> None:
        """Let `run` return."""
        self._ended.set()
        self._wakened.set()

    async def run(self, *, until: float = math.inf) -> None:
        """Run until `stop`, or until the simulated time ``until`` (s)."""
        release_large_blocks()
        gc.collect()
        gc.freeze()  # long-lived objects: scanning them again would delay physics
        try:
            while not self._ended.is_set() and self.host.time < until - 1e-9:
                await self._run_once()
        finally:
            gc.unfreeze()

    async def _run_once(self) -> None:
        """Advance by one tick, or wait for its time or for a client."""
        host = self.host
        if not self._may_advance():
            while host.publish_next():
                pass
            await self._wait()
            self.pace.restart(host.time)
            return
        while (wait := self.pace.wait(host.time)) > 0:
            if not host.publish_next():
                break
        if wait > LONGEST_SLEEP:
            await asyncio.sleep(wait - LONGEST_SLEEP)
            return
        if wait > 0:
            # Blocking sleep: polling sockets once per tick instead of on every arrival costs half
            # as much, and commands take effect at the next tick anyway.
            self._idle_gap.begin(wait)
            time.sleep(wait)
            self._idle_gap.end()
        await self._poll_sockets()
        if self._may_advance():  # a client may just have entered lockstep
            self._advance(CATCH_UP_TICK if wait < -CATCH_UP_TICK else 0.0)

    async def _poll_sockets(self) -> None:
        """Read the sockets and process what has arrived."""
        await asyncio.sleep(0)  # the event loop polls ...
        await asyncio.sleep(0)  # ... and calls the connections

    async def _wait(self) -> None:
        """Wait until a client acts or its turn expires."""
        self._wakened.clear()
        host = self.host
        paused = self._simulation.paused
        turns = {} if paused else host.lockstep.turns()
        state = self._turn_timeouts.check(turns, self._now())
        for name in state.slow:
            _LOG.info("waiting for the turn of '%s' to end", name)
        if state.expired:
            await self._poll_sockets()  # what arrived while the server was busy counts
            waiting = host.lockstep.turns()
            for name, seconds in state.expired.items():
                if waiting.get(name) == turns[name]:
                    host.expire_turn(name, seconds)
            return
        if math.isfinite(state.next_check):
            timer = asyncio.get_running_loop().call_later(state.next_check, self._wakened.set)
            await self._wakened.wait()
            timer.cancel()
        else:
            await self._wakened.wait()

    def _may_advance(self) -> bool:
        """Return True if time may pass; an unpaced server advances only if a robot is owned."""
        if self._simulation.paused or not self.host.lockstep.open:
            return False
        return math.isfinite(self.pace.factor) or bool(self.host.owners)

    def _advance(self, seconds: float) -> None:
        host = self.host
        try:
            host.advance(seconds)
        except SimulationDiverged as error:
            _LOG.error("%s; the world is reset", error)
            host.apply(Reset())
        except PolicyFailed as error:
            _LOG.error("%s; the robot is stopped", error)
        except GrouserError as error:
            _LOG.error("error in an event of the world: %s", error)
        host.publish_next()
        if math.isinf(self.pace.factor):
            while host.publish_next():
                pass

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
