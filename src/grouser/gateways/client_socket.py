"""A client's TCP socket, whatever is spoken over it, and all of them that a server has.

What a socket delivers is read in small bites and not faster than its client may speak; the rest
waits in the client's own machine. So a flood costs its sender time, and nobody else.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from grouser.errors import GrouserError, Refused
from grouser.service.access import AccessControl
from grouser.service.limits import STRANGERS_COST, Limits, RateLimiter
from grouser.service.outbox import Pipe

BITE = 1024
"""Bytes that are read at once: beats of physics come between two bites."""

SENDING = 64 * 1024
"""Bytes on their way to a client that the system keeps; more wait in its outbox."""

ProtocolFactory = Callable[[], asyncio.BaseProtocol]
"""Makes the protocol of one connection, as asyncio's servers call it."""

_LOG = logging.getLogger(__name__)


@dataclass
class ConnectionRegistry:
    """All clients' sockets of a server, and the rules for them."""

    access: AccessControl
    limits: Limits
    wake: Callable[[], None]
    """Called when a client has sent something or gone: the world may have been waiting for it."""
    connections: set[ClientSocket] = field(default_factory=set)

    def robots_of(self, address: str) -> int:
        """Return how many robots the clients at ``address`` have."""
        return sum(one.has_robot for one in self.connections if one.address == address)


class ClientSocket(asyncio.BufferedProtocol, ABC):
    """One connection, whatever its port; subclasses say what is done with bytes."""

    def __init__(self, registry: ConnectionRegistry) -> None:
        self.registry = registry
        self.address = "nowhere"
        self._bite = memoryview(bytearray(BITE))  # asyncio's TLS reads into slices of it
        self._transport: asyncio.Transport | None = None
        now = asyncio.get_running_loop().time()
        self._lines = RateLimiter(registry.limits.lines_per_second, now)
        self._bytes = RateLimiter(registry.limits.bytes_per_second, now)
        self._login_timer: asyncio.TimerHandle | None = None
        self._rest_timer: asyncio.TimerHandle | None = None

    @property
    def has_robot(self) -> bool:
        """Whether a robot belongs to it."""
        return False

    # -- what subclasses do ------------------------------------------------------------------

    def opened(self, transport: Pipe) -> None:
        """Welcome the client; raise `Refused` to send it away."""

    @abstractmethod
    def receive(self, data: bytes) -> int:
        """Take the next bytes; return how many lines they completed."""

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
        """Welcome somebody, if there is room."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or ("nowhere",))[0])
        _tune(transport)
        loop, limits = asyncio.get_running_loop(), self.registry.limits
        try:
            if len(self.registry.connections) >= limits.connections:
                raise Refused(f"there are {limits.connections} connections already")
            self.registry.connections.add(self)
            self.opened(transport)
        except GrouserError as error:
            self.send_away(str(error))
            return
        self._login_timer = loop.call_later(limits.login_seconds, self._check_login)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where the next bytes go."""
        return self._bite

    def buffer_updated(self, nbytes: int) -> None:
        """Take bytes; then rest for as long as they cost."""
        transport, loop = self._transport, asyncio.get_running_loop()
        if transport is None or transport.is_closing():
            return
        try:
            lines = self.receive(bytes(self._bite[:nbytes]))
        except Exception:  # a fault of ours must not take the server down
            _LOG.exception(
                "%s: its connection is closed after an error of the server", self.address
            )
            transport.abort()
            return
        now = loop.time()
        cost = lines if self.logged_in() else lines * STRANGERS_COST
        wait = max(self._lines.owe(now, cost), self._bytes.owe(now, nbytes))
        if wait > 0:
            transport.pause_reading()
            self._rest_timer = loop.call_later(wait, self._resume)
        self.registry.wake()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the client."""
        self._transport = None
        for timer in (self._login_timer, self._rest_timer):
            if timer:
                timer.cancel()
        self.registry.connections.discard(self)
        try:
            self.closed()
        except Exception:  # asyncio would only print it, and not say whose it was
            _LOG.exception("%s: error of the server after it had gone", self.address)
        self.registry.wake()

    def hang_up(self) -> None:
        """Close the connection from our side."""
        if self._transport:
            self._transport.close()

    def _resume(self) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.resume_reading()

    def _check_login(self) -> None:
        if self._transport and not self.logged_in():
            self.send_away(f"no token came within {self.registry.limits.login_seconds:g} s")

    def send_away(self, reason: str) -> None:
        """Close the connection, and tell the client why if its protocol can."""
        _LOG.warning("%s: sent away: %s", self.address, reason)
        if self._transport:
            if refusal := self.refusal(reason):
                self._transport.write(refusal)
            self._transport.close()


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
