"""TCP sockets of clients: rate-limited reading, request processing, back-pressure.

A socket is read in small chunks, no faster than the limits of its client; the rest stays in the
client's own send buffer. A flood therefore delays its sender only.
"""

from __future__ import annotations

import asyncio
import logging
import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from grouser.gateways.listening_port import Connection
from grouser.service.access import AccessControl, Login, network
from grouser.service.background_composer import Retry, SceneNotReady
from grouser.service.client_log import ClientLog
from grouser.service.outbox import Outbox
from grouser.service.rate_limiter import UNAUTHENTICATED_COST, Limits, RateLimiter
from grouser.service.request_queue import AddressBudgets, Request, RequestQueue

READ_CHUNK = 1024
"""Bytes that are read at once: physics ticks run between two chunks."""

SEND_BUFFER = 64 * 1024
"""Bytes of the system's send buffer; more wait in the client's outbox."""

LONGEST_PAUSE = 0.25
"""Wall seconds after which a paused client is checked again: it may have closed, s."""

_LOG = logging.getLogger(__name__)


def _no_composer(retry: Retry, address: str) -> None:
    raise RuntimeError("a scene is not ready, but the server has no background composer")


@dataclass
class ConnectionRegistry:
    """All clients' sockets of a server, and the rules for them."""

    access: AccessControl
    limits: Limits
    wake: Callable[[], None]
    """Called when a client has sent bytes or closed: the simulation may be waiting for it."""
    log: ClientLog
    work_clock: Callable[[], float]
    """Processor time, by which clients' shares of the server are measured, s."""
    paced: bool = True
    """True if simulated time follows the wall clock; otherwise shares are not limited."""
    robots: Callable[[], int] = lambda: 0
    """Number of robots that belong to clients; a single client has no limited share."""
    budgets: AddressBudgets = field(init=False)
    call_when_ready: Callable[[Retry, str], None] = _no_composer
    """Registers a call for the moment when a request that raised `SceneNotReady` may be retried,
    for a client at an address; addresses are served in turn."""
    connections: set[ClientSocket] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.budgets = AddressBudgets(self.limits)

    def robots_of(self, address: str) -> int:
        """Return the number of robots that belong to clients at ``address``."""
        return sum(one.has_robot for one in self.connections if one.address == address)


class ClientSocket(Connection, asyncio.BufferedProtocol, ABC):
    """One connection whose bytes are requests; subclasses decode them in `requests`."""

    def __init__(self, registry: ConnectionRegistry) -> None:
        limits = registry.limits
        super().__init__(registry.log, limits.login_seconds)
        self.registry = registry
        self._chunk = memoryview(bytearray(READ_CHUNK))  # asyncio's TLS reads into slices of it
        now = asyncio.get_running_loop().time()
        self._lines = RateLimiter(limits.lines_per_second, now)
        self._bytes = RateLimiter(limits.bytes_per_second, now)
        budget = RateLimiter(limits.server_share, now, burst=limits.server_burst)
        self._queue = RequestQueue(budget, registry.work_clock)
        self._compile_budget = RateLimiter(limits.server_share, now, burst=limits.server_burst)
        self._waits_for_scene = False
        self._pause_timer: asyncio.Handle | None = None
        self._outbox: Outbox | None = None
        self._login: Login | None = None

    @property
    def outbox(self) -> Outbox:
        """Lines for the client."""
        if self._outbox is None:
            raise RuntimeError("the connection is not open")
        return self._outbox

    @property
    def login(self) -> Login:
        """Roles of the client."""
        if self._login is None:
            raise RuntimeError("the connection is not open")
        return self._login

    def logged_in(self) -> bool:
        """Return True if a token was shown, or none is needed."""
        return bool(self._login)

    @property
    def has_robot(self) -> bool:
        """True if the client owns a robot."""
        return False

    @property
    def in_lockstep(self) -> bool:
        """True if the simulation waits for this client."""
        return False

    @abstractmethod
    def requests(self, data: bytes) -> list[Request]:
        """Decode the next bytes; return one request for each completed line."""

    # -- asyncio's callbacks -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Register the connection and start the conversation."""
        self.registry.connections.add(self)
        _configure(transport)
        super().connection_made(transport)

    def opened(self, transport: asyncio.Transport) -> None:
        """Start with the roles and the processor time of the address; raise `Refused` for none."""
        now = asyncio.get_running_loop().time()
        self._queue.budget = self.registry.budgets.acquire(self.address, now)
        self._outbox = Outbox(transport, self.registry.limits.unread_bytes)
        self._login = Login(self.registry.access, self.address)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return the buffer for the next bytes."""
        return self._chunk

    def buffer_updated(self, nbytes: int) -> None:
        """Queue and process the requests of a chunk, then pause reading for its cost."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        try:
            requests = self.requests(bytes(self._chunk[:nbytes]))
        except Exception:  # an internal error must not stop the server
            self._abort(transport)
            return
        self._queue.add(requests)
        lines, now = len(requests), asyncio.get_running_loop().time()
        unauthenticated = not self.logged_in()
        wait = self._bytes.charge(now, nbytes)
        if not self._waits_for_scene and self._pause_timer is None:
            wait = max(wait, self._process(transport, now))
        unauthenticated = unauthenticated and not self.logged_in()
        cost = lines * UNAUTHENTICATED_COST if unauthenticated else lines
        self._pause(transport, max(wait, self._lines.charge(now, cost)))
        self.registry.wake()

    def process_first(self, requests: list[Request]) -> None:
        """Process ``requests`` before those that wait; soon, or after the present one."""
        self._queue.add_first(requests)
        if self._queue and self._pause_timer is None and not self._waits_for_scene:
            self._pause_timer = asyncio.get_running_loop().call_soon(self._resume, 0.0)

    def abort(self) -> None:
        """Close the connection at once; waiting requests and bytes are dropped."""
        if self._transport is not None:
            self._transport.abort()

    def resume_writing(self) -> None:
        """Send lines that waited for the client to read."""
        self.outbox.flush()

    def _process(self, transport: asyncio.Transport, now: float) -> float:
        """Process some queued requests; return the wall seconds to pause."""
        others = self.registry.robots() - self.has_robot
        limited = self.registry.paced and others > 0 and not self.in_lockstep
        wait = 0.0
        try:
            wait = self._queue.process(now, limited=limited)
        except SceneNotReady:
            self._waits_for_scene = True
            self.registry.call_when_ready(self._retry, network(self.address))
        except Exception:  # an internal error must not stop the server
            self._abort(transport)
        return max(wait, self._compile_budget.charge(now, 0.0)) if limited else wait

    def _pause(self, transport: asyncio.Transport, wait: float) -> None:
        """Resume reading now, or process again after ``wait`` seconds; ticks run in between."""
        if transport.is_closing():
            return
        if not self._waits_for_scene and not self._queue and wait <= 0:
            if self._pause_timer is None:
                transport.resume_reading()
            return
        transport.pause_reading()
        if self._pause_timer is None and not self._waits_for_scene:
            loop = asyncio.get_running_loop()
            pause = min(wait, LONGEST_PAUSE)
            self._pause_timer = (
                loop.call_later(pause, self._resume, wait - pause)
                if wait > 0
                else loop.call_soon(self._resume, 0.0)
            )

    def _resume(self, wait: float) -> None:
        """Process more requests, or pause on; drop the requests of a client that has closed."""
        self._pause_timer, transport = None, self._transport
        if transport is None or transport.is_closing():
            return
        if self._queue and _peer_closed(transport):
            self._queue.clear()
            transport.abort()
            return
        if wait <= 0 and self._queue:
            wait = self._process(transport, asyncio.get_running_loop().time())
            self.registry.wake()
        self._pause(transport, wait)

    def _retry(self, cost: float) -> None:
        """Retry the request that needed a scene; its compile time is charged to this connection."""
        # Not to the address, so that another client there need not wait for it.
        self._waits_for_scene = False
        self._compile_budget.charge(asyncio.get_running_loop().time(), cost)
        self._resume(0.0)

    def _abort(self, transport: asyncio.Transport) -> None:
        _LOG.exception("%s: connection closed after an internal error", self.address)
        transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        """Unregister the connection and drop its requests."""
        self._queue.clear()
        now = asyncio.get_running_loop().time()
        self.registry.budgets.release(self.address, self._queue.budget, now)
        if self._pause_timer:
            self._pause_timer.cancel()
        self.registry.connections.discard(self)
        super().connection_lost(error)
        self.registry.wake()


def _peer_closed(transport: asyncio.Transport) -> bool:
    """Return True if the peer has closed its end, even if unread bytes are left."""
    sock = transport.get_extra_info("socket")
    if sock is None or not hasattr(select, "POLLRDHUP"):
        return False
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLRDHUP)
    return bool(poll.poll(0))


def _configure(transport: asyncio.BaseTransport) -> None:
    """Send lines without delay; detect a vanished peer within a minute (TCP keep-alive)."""
    # The send buffer is small: what a slow client has not read waits in its outbox, where old
    # lines can be dropped.
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
