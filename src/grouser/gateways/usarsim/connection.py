"""Connections to the control port (3000) and the truth port (3989): sockets' side of sessions.

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
from grouser.frames import to_rpy_one
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.session import Session
from grouser.gateways.usarsim.wire_names import appearance, plain
from grouser.gateways.usarsim.world_controller import Controllers
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.codec import ServerSide
from grouser.protocol.usarsim.extensions import Notice
from grouser.protocol.usarsim.truth import TruthEnd, TruthRequest, TruthRow, TruthServerSide
from grouser.service.access import AccessControl, Role
from grouser.service.host import Host
from grouser.service.limits import STRANGERS_COST, Limits, RateLimiter
from grouser.service.outbox import Outbox

BITE = 1024
"""Bytes that are read at once: beats of physics come between two bites."""

SENDING = 64 * 1024
"""Bytes on their way to a client that the system keeps; more wait in its outbox."""

_LOG = logging.getLogger("grouser.server")


@dataclass
class Counter:
    """Where people come in: what all connections of a server share."""

    host: Host
    access: AccessControl
    limits: Limits
    stirred: Callable[[], None]
    """Called when somebody has said something or gone: the world may have been waiting for it."""
    connections: set[Connection] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.controllers = Controllers(self.host)

    def robots_of(self, address: str) -> int:
        """Return how many robots the clients at ``address`` have."""
        return sum(one.has_robot for one in self.connections if one.address == address)


class Connection(asyncio.BufferedProtocol, ABC):
    """One connection, whatever its port; subclasses say what is done with bytes."""

    def __init__(self, counter: Counter) -> None:
        self.counter = counter
        self.address = "nowhere"
        self._bite = memoryview(bytearray(BITE))  # asyncio's TLS reads into slices of it
        self._transport: asyncio.Transport | None = None
        now = asyncio.get_running_loop().time()
        self._lines = RateLimiter(counter.limits.lines_per_second, now)
        self._bytes = RateLimiter(counter.limits.bytes_per_second, now)
        self._login: asyncio.TimerHandle | None = None
        self._rest: asyncio.TimerHandle | None = None

    @property
    def has_robot(self) -> bool:
        """Whether a robot belongs to it."""
        return False

    # -- what subclasses do ------------------------------------------------------------------

    def opened(self, transport: asyncio.Transport) -> None:
        """Welcome the client; raise `Refused` to send it away."""

    @abstractmethod
    def heard(self, data: bytes) -> int:
        """Take the next bytes; return how many lines they completed."""

    def let_in(self) -> bool:
        """Return whether the client may stay."""
        return True

    def closed(self) -> None:
        """Note that the client has gone."""

    def refused(self, reason: str) -> bytes:
        """Return what a client that is sent away is told."""
        return b""

    # -- asyncio's side ----------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Welcome somebody, if there is room."""
        assert isinstance(transport, asyncio.Transport)  # a stream, not datagrams
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or ("nowhere",))[0])
        _tune(transport)
        loop, limits = asyncio.get_running_loop(), self.counter.limits
        try:
            if len(self.counter.connections) >= limits.connections:
                raise Refused(f"there are {limits.connections} connections already")
            self.counter.connections.add(self)
            self.opened(transport)
        except GrouserError as error:
            self._send_away(str(error))
            return
        self._login = loop.call_later(limits.login_seconds, self._check_login)

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where the next bytes go."""
        return self._bite

    def buffer_updated(self, nbytes: int) -> None:
        """Take bytes; then rest for as long as they cost."""
        transport, loop = self._transport, asyncio.get_running_loop()
        if transport is None or transport.is_closing():
            return
        try:
            lines = self.heard(bytes(self._bite[:nbytes]))
        except Exception:  # a fault of ours must not take the server down
            _LOG.exception(
                "%s: its connection is closed after an error of the server", self.address
            )
            transport.abort()
            return
        now = loop.time()
        cost = lines if self.let_in() else lines * STRANGERS_COST
        wait = max(self._lines.owe(now, cost), self._bytes.owe(now, nbytes))
        if wait > 0:
            transport.pause_reading()
            self._rest = loop.call_later(wait, self._go_on)
        self.counter.stirred()

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the client."""
        self._transport = None
        for timer in (self._login, self._rest):
            if timer:
                timer.cancel()
        self.counter.connections.discard(self)
        try:
            self.closed()
        except Exception:  # asyncio would only print it, and not say whose it was
            _LOG.exception("%s: error of the server after it had gone", self.address)
        self.counter.stirred()

    def hang_up(self) -> None:
        """Close the connection from our side."""
        if self._transport:
            self._transport.close()

    def _go_on(self) -> None:
        if self._transport and not self._transport.is_closing():
            self._transport.resume_reading()

    def _check_login(self) -> None:
        if self._transport and not self.let_in():
            self._send_away(f"no token came within {self.counter.limits.login_seconds:g} s")

    def _send_away(self, reason: str) -> None:
        _LOG.warning("%s: sent away: %s", self.address, reason)
        if self._transport:
            if told := self.refused(reason):
                self._transport.write(told)
            self._transport.close()


class ControlConnection(Connection):
    """A client with or without a robot."""

    def __init__(self, counter: Counter, profile: PortProfile) -> None:
        super().__init__(counter)
        self._profile = profile
        self.session: Session | None = None
        self.outbox: Outbox | None = None

    @property
    def has_robot(self) -> bool:
        """Whether a robot belongs to it."""
        return self.session is not None and self.session.robot is not None

    def opened(self, transport: asyncio.Transport) -> None:
        """Greet the client."""
        counter, limits = self.counter, self.counter.limits
        self.outbox = Outbox(transport, limits.unread_bytes)
        self.session = Session(
            counter.host,
            self._profile,
            self.outbox,
            counter.access,
            self.address,
            controllers=counter.controllers,
            longest=limits.longest_line,
            may_join=lambda: counter.robots_of(self.address) < limits.robots_per_address,
        )

    def heard(self, data: bytes) -> int:
        """Let the session take it."""
        return self.session.receive(data) if self.session else 0

    def let_in(self) -> bool:
        """Return whether a token was shown, or none is needed."""
        return self.session is not None and self.session.let_in

    def resume_writing(self) -> None:
        """The client reads again."""
        if self.outbox:
            self.outbox.flush()

    def closed(self) -> None:
        """Take its robot out of the world."""
        if self.session:
            self.session.close()

    def refused(self, reason: str) -> bytes:
        """Say why, in a line of our own: nobody who is sent away has an old server's habits."""
        side = ServerSide(self._profile.dialect)
        return b"".join(side.send(Notice("Refused", reason)))


class TruthConnection(Connection):
    """Somebody who asks who is where; with tokens, its first line is ``{token …}``."""

    def __init__(self, counter: Counter, profile: PortProfile) -> None:
        super().__init__(counter)
        self._profile, self._side = profile, TruthServerSide()
        self._outbox: Outbox | None = None
        self._roles = frozenset[Role]()

    def opened(self, transport: asyncio.Transport) -> None:
        """See whether the client needs a token."""
        self._outbox = Outbox(transport, self.counter.limits.unread_bytes)
        if not self.counter.access.needs_token:
            self._roles = self.counter.access.check(self.address)

    def heard(self, data: bytes) -> int:
        """Answer every question; what is none is dropped."""
        heard = self._side.receive(data)
        for question in heard:
            if isinstance(question, Fault):
                _LOG.debug("%s: truth: %s", self.address, question)
                continue
            try:
                self._answer(question)
            except Refused as error:
                self._send_away(str(error))
                break
        return len(heard)

    def let_in(self) -> bool:
        """Return whether a token was shown, or none is needed."""
        return bool(self._roles)

    def _answer(self, question: TruthRequest) -> None:
        assert self._outbox
        if question.token is not None:
            self._roles = self.counter.access.check(self.address, question.token)
            return
        if Role.WATCH not in self._roles:
            self.counter.access.check(self.address)
            raise Refused("this needs a token with the role 'watch'")
        for row in truths(self.counter.host, question, self._profile):
            self._outbox.line(self._side.send(row))
        self._outbox.line(self._side.send(TruthEnd()))


def truths(host: Host, asked: TruthRequest, profile: PortProfile) -> list[TruthRow]:
    """Return where the robots are that a question means, as the wire has it."""
    rows: list[TruthRow] = []
    for entry in host.simulation.world.robots:
        title = appearance(entry.kind).title
        kinds = {plain(title), plain(entry.kind)}
        if asked.class_name is not None and plain(asked.class_name) not in kinds:
            continue
        if asked.name is not None and asked.name.lower() != entry.name.lower():
            continue
        X_WB = host.simulation.pose(entry.name)
        x, y, z = X_WB.position.tolist()
        rpy = to_rpy_one(*X_WB.wxyz.tolist())
        place, turn = profile.place((x, y, z)), profile.angles(rpy)
        rows.append(TruthRow(entry.name, title, host.time, place, turn))
    return rows


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
