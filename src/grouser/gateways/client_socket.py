"""A client's TCP socket, whatever is spoken over it, and all of them that a server has.

What a socket delivers is read in small bites and not faster than its client may speak; the rest
waits in the client's own machine. So a flood costs its sender time, and nobody else.
"""

from __future__ import annotations

import asyncio
import logging
import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from grouser.errors import GrouserError
from grouser.service.access import AccessControl, network
from grouser.service.background_composer import SceneNotReady, Retry
from grouser.service.client_log import ClientLog
from grouser.service.outbox import Pipe
from grouser.service.rate_limiter import UNAUTHENTICATED_COST, Limits, RateLimiter
from grouser.service.request_queue import AddressBudgets, Request, RequestQueue

READ_CHUNK = 1024
"""Bytes that are read at once: ticks of physics come between two bites."""

SENDING = 64 * 1024
"""Bytes on their way to a client that the system keeps; more wait in its outbox."""

LONGEST_REST = 0.25
"""Wall seconds after which a client that has to wait is looked at again: it may have gone."""

_LOG = logging.getLogger(__name__)


@dataclass
class ConnectionRegistry:
    """All clients' sockets of a server, and the rules for them."""

    access: AccessControl
    limits: Limits
    wake: Callable[[], None]
    """Called when a client has sent something or gone: the world may have been waiting for it."""
    log: ClientLog
    work_clock: Callable[[], float]
    """Processor time, by which clients' shares of the server are measured, s."""
    paced: bool = True
    """Whether simulated time follows the clock; else nobody's share is limited."""
    robots: Callable[[], int] = lambda: 0
    """How many robots belong to clients; whoever is alone disturbs nobody, and has no limits."""
    budgets: AddressBudgets = field(init=False)
    call_when_ready: Callable[[Retry, str], None] | None = None
    """Calls something when what raised `SceneNotReady` may be tried again, for somebody at an address;
    addresses take turns."""
    connections: set[ClientSocket] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.budgets = AddressBudgets(self.limits)

    def robots_of(self, address: str) -> int:
        """Return how many robots the clients at ``address`` have."""
        return sum(one.has_robot for one in self.connections if one.address == address)


class ClientSocket(asyncio.BufferedProtocol, ABC):
    """One connection, whatever its port; subclasses say what is done with bytes."""

    def __init__(self, registry: ConnectionRegistry) -> None:
        self.registry = registry
        self.address = "nowhere"
        self.gone: Callable[[], None] = _nothing
        self._bite = memoryview(bytearray(READ_CHUNK))  # asyncio's TLS reads into slices of it
        self._transport: asyncio.Transport | None = None
        now, limits = asyncio.get_running_loop().time(), registry.limits
        self._lines = RateLimiter(limits.lines_per_second, now)
        self._bytes = RateLimiter(limits.bytes_per_second, now)
        budget = RateLimiter(limits.server_share, now, savings=limits.server_burst)
        self._wishes = RequestQueue(budget, registry.work_clock)
        self._composed = RateLimiter(limits.server_share, now, savings=limits.server_burst)
        self._composing = False
        self._login_timer: asyncio.TimerHandle | None = None
        self._rest_timer: asyncio.Handle | None = None

    @property
    def has_robot(self) -> bool:
        """Whether a robot belongs to it."""
        return False

    @property
    def waited_for(self) -> bool:
        """Whether the world stands still until it has done something."""
        return False

    # -- what subclasses do ------------------------------------------------------------------

    def opened(self, transport: Pipe) -> None:
        """Welcome the client; raise `Refused` to send it away."""

    @abstractmethod
    def requests(self, data: bytes) -> list[Request]:
        """Take the next bytes; return what is to be done about each line that they completed."""

    def logged_in(self) -> bool:
        """Return whether the client may stay."""
        return True

    def closed(self) -> None:
        """Note that the client has gone."""

    def refusal(self, reason: str) -> bytes:
        """Return what is sent to a client that is sent away."""
        return b""

    # -- asyncio's side ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Welcome somebody."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or ("nowhere",))[0])
        _tune(transport)
        loop, limits = asyncio.get_running_loop(), self.registry.limits
        self._wishes.budget = self.registry.budgets.take(self.address, loop.time())
        try:
            self.registry.connections.add(self)
            self.opened(transport)
        except GrouserError as error:
            self.reject(str(error))
            return
        self._login_timer = loop.call_later(limits.login_seconds, self._check_login)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where the next bytes go."""
        return self._bite

    def buffer_updated(self, nbytes: int) -> None:
        """Take bytes; do what they ask for, then rest for as long as they cost."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        try:
            requests = self.requests(bytes(self._bite[:nbytes]))
        except Exception:  # a fault of ours must not take the server down
            self._break_off(transport)
            return
        self._wishes.add(requests)
        lines, now = len(requests), asyncio.get_running_loop().time()
        stranger = not self.logged_in()
        wait = self._bytes.charge(now, nbytes)
        if not self._composing and self._rest_timer is None:
            wait = max(wait, self._fulfil(transport, now))
        stranger = stranger and not self.logged_in()
        wait = max(wait, self._lines.charge(now, lines * UNAUTHENTICATED_COST if stranger else lines))
        self._rest(transport, wait)
        self.registry.wake()

    def _fulfil(self, transport: asyncio.Transport, now: float) -> float:
        """Do some of what was asked for; return after how many seconds more may be done."""
        others = self.registry.robots() - self.has_robot
        limited = self.registry.paced and others > 0 and not self.waited_for
        try:
            wait = self._wishes.fulfil(now, limited=limited)
        except SceneNotReady:
            assert self.registry.call_when_ready is not None  # nobody else raises it
            self._composing = True
            self.registry.call_when_ready(self._try_again, network(self.address))
            wait = 0.0
        except Exception:  # a fault of ours must not take the server down
            self._break_off(transport)
            wait = 0.0
        return max(wait, self._composed.charge(now, 0.0)) if limited else wait

    def _rest(self, transport: asyncio.Transport, wait: float) -> None:
        """Read on at once, or go on after ``wait`` seconds, when ticks have come between."""
        if transport.is_closing():
            return
        if not self._composing and not self._wishes and wait <= 0:
            if self._rest_timer is None:
                transport.resume_reading()
            return
        transport.pause_reading()
        if self._rest_timer is None and not self._composing:
            loop = asyncio.get_running_loop()
            pause = min(wait, LONGEST_REST)
            self._rest_timer = (
                loop.call_later(pause, self._go_on, wait - pause)
                if wait > 0
                else loop.call_soon(self._go_on, 0.0)
            )

    def _go_on(self, wait: float) -> None:
        """Do more of what was asked for, or rest on; somebody who hung up meanwhile has gone."""
        self._rest_timer, transport = None, self._transport
        if transport is None or transport.is_closing():
            return
        if self._wishes and _hung_up(transport):
            self._wishes.clear()
            transport.abort()
            return
        if wait <= 0 and self._wishes:
            wait = self._fulfil(transport, asyncio.get_running_loop().time())
            self.registry.wake()
        self._rest(transport, wait)

    def _try_again(self, cost: float) -> None:
        """Try again what needed a world; what that has cost is this connection's, and no other's.

        So whoever watches from the same machine need not wait for it.
        """
        self._composing = False
        self._composed.charge(asyncio.get_running_loop().time(), cost)
        self._go_on(0.0)

    def _break_off(self, transport: asyncio.Transport) -> None:
        _LOG.exception("%s: its connection is closed after an error of the server", self.address)
        transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the client, and what it asked for."""
        self._transport = None
        self._wishes.clear()
        now = asyncio.get_running_loop().time()
        self.registry.budgets.give_back(self.address, self._wishes.budget, now)
        for timer in (self._login_timer, self._rest_timer):
            if timer:
                timer.cancel()
        self.registry.connections.discard(self)
        try:
            self.closed()
        except Exception:  # asyncio would only print it, and not say whose it was
            _LOG.exception("%s: error of the server after it had gone", self.address)
        self.gone()
        self.gone = _nothing  # whoever is told holds the connection, too
        self.registry.wake()

    def hang_up(self) -> None:
        """Close the connection from our side."""
        if self._transport:
            self._transport.close()

    def _check_login(self) -> None:
        if self._transport and not self.logged_in():
            self.reject(f"no token came within {self.registry.limits.login_seconds:g} s")

    def reject(self, reason: str) -> None:
        """Close the connection, and tell the client why if its protocol can."""
        self.registry.log.warning(_LOG, self.address, f"sent away: {reason}")
        if self._transport:
            if refusal := self.refusal(reason):
                self._transport.write(refusal)
            self._transport.close()


def _nothing() -> None:
    """Do nothing: nobody wants to know."""


def _hung_up(transport: asyncio.Transport) -> bool:
    """Return whether the far side has closed its end, though not all was read that it sent."""
    sock = transport.get_extra_info("socket")
    if sock is None or not hasattr(select, "POLLRDHUP"):
        return False
    poll = select.poll()
    poll.register(sock.fileno(), select.POLLRDHUP)
    return bool(poll.poll(0))


def _tune(transport: asyncio.Transport) -> None:
    """Send every line at once; notice within a minute that the far side is gone for good.

    What waits for a client that does not read waits with us, where what is old can be dropped.
    """
    sock = transport.get_extra_info("socket")
    if sock is None or sock.family not in (socket.AF_INET, socket.AF_INET6):
        return
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SENDING)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
