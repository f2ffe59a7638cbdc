"""TCP listening port: accept connections, start TLS, authenticate, close; time-outs at each stage.

States of a connection: accepted (`AcceptedSocket`, counted by `Admission` from this moment), TLS
handshake, authenticating (`Connection` with a transport), open (`Connection.logged_in`), closed.
Handshake and authentication together take at most ``Limits.login_seconds``.

TLS starts when the first bytes arrive: its buffers take a quarter of a megabyte, which idle
connections must not allocate.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from grouser.errors import BadValue, GrouserError, Refused
from grouser.service.admission import Admission
from grouser.service.client_log import ClientLog
from grouser.service.rate_limiter import Limits, RateLimiter

BACKLOG = 256
"""Connections that wait in the system until they are accepted."""
AT_ONCE = 8
"""Connections that are accepted between two physics ticks."""
PER_SECOND = 500.0
"""Connections that one port accepts per second."""
TLS_SHUTDOWN_TIMEOUT = 2.0
"""Wall seconds for the peer to confirm the end of TLS, s."""
PAUSE = 0.2
"""Wall seconds without accepting after the system ran out of file descriptors, s."""
UNKNOWN_ADDRESS = "unknown address"
"""Address of a connection without a peer name."""

_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_LOG = logging.getLogger(__name__)


def _no_op() -> None:
    """Do nothing."""


class Connection(asyncio.BaseProtocol):
    """Server side of one TCP connection: address, authentication time-out, rejection, closing.

    Subclasses also derive from `asyncio.Protocol` or `asyncio.BufferedProtocol` and override the
    hooks `opened`, `closed`, `logged_in` and `refusal`.

    Args:
        log: log for events of clients.
        login_seconds: wall time after which a connection that is not logged in is rejected, s.
    """

    credential = "token"
    """Credential that is named when none arrives in time."""

    def __init__(self, log: ClientLog, login_seconds: float) -> None:
        self.address = UNKNOWN_ADDRESS
        """Host of the peer."""
        self.on_closed: Callable[[], None] = _no_op
        """Set by the port; called once when the connection is lost."""
        self._transport: asyncio.Transport | None = None
        self._log, self._login_seconds = log, login_seconds
        self._login_timer: asyncio.TimerHandle | None = None

    # -- hooks -------------------------------------------------------------------------------

    def opened(self, transport: asyncio.Transport) -> None:
        """Start the conversation; raise a `GrouserError` to reject the client."""

    def closed(self) -> None:
        """Release what belongs to the connection."""

    def logged_in(self) -> bool:
        """Return True if the client is authenticated, or needs no credential."""
        return True

    def refusal(self, reason: str) -> bytes:
        """Return the message that is sent before a connection is rejected; empty: none."""
        return b""

    # -- asyncio's callbacks -----------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the conversation and the authentication time-out."""
        if not isinstance(transport, asyncio.Transport):
            raise TypeError(f"a stream transport is needed, not {type(transport).__name__}")
        self._transport = transport
        self.address = str((transport.get_extra_info("peername") or (UNKNOWN_ADDRESS,))[0])
        try:
            self.opened(transport)
        except GrouserError as error:
            self.reject(str(error))
            return
        loop = asyncio.get_running_loop()
        self._login_timer = loop.call_later(self._login_seconds, self._check_login)

    def connection_lost(self, error: Exception | None) -> None:
        """Release the connection; an exception in `closed` is logged."""
        self._transport = None
        if self._login_timer:
            self._login_timer.cancel()
        try:
            self.closed()
        except Exception:  # asyncio would print it without the address
            _LOG.exception("%s: internal error after the connection was closed", self.address)
        on_closed, self.on_closed = self.on_closed, _no_op  # it refers to the connection
        on_closed()

    # -- closing -----------------------------------------------------------------------------

    def reject(self, reason: str) -> None:
        """Close the connection; send `refusal` first."""
        self._log.warning(_LOG, self.address, f"rejected: {reason}")
        if self._transport:
            if refusal := self.refusal(reason):
                self._transport.write(refusal)
            self._transport.close()

    def close(self) -> None:
        """Close the connection after sending what is buffered."""
        if self._transport:
            self._transport.close()

    def _check_login(self) -> None:
        if self._transport and not self.logged_in():
            self.reject(f"no {self.credential} came within {self._login_seconds:g} s")


ConnectionFactory = Callable[[], Connection]
"""Returns the protocol of one connection."""


@dataclass(frozen=True)
class PortRules:
    """Rules that all ports of a server share."""

    admission: Admission
    limits: Limits
    log: ClientLog
    tls: ssl.SSLContext | None = None


class ListeningPort:
    """One port; call `open`, and `close` at the end.

    Args:
        rules: admission control, limits and TLS.
        factory: returns the protocol of each connection.
    """

    def __init__(self, rules: PortRules, factory: ConnectionFactory) -> None:
        self.rules, self.factory = rules, factory
        self._sockets: list[socket.socket] = []
        self._accepted: set[AcceptedSocket] = set()
        self._limiter = RateLimiter(PER_SECOND, asyncio.get_running_loop().time())
        self._timer: asyncio.TimerHandle | None = None

    async def open(self, host: str, port: int, name: str) -> int:
        """Listen; return the number of the port (0: any free one); ``name`` is for errors."""
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            for family, address in dict.fromkeys((one[0], one[4]) for one in found):
                self._sockets.append(_listen(family, address))
        except OSError as error:
            self.close()
            why = _reason(error)
            raise BadValue(f"port {port} at {host} cannot be opened for {name}: {why}") from None
        self._resume()
        return int(self._sockets[0].getsockname()[1])

    def close(self) -> None:
        """Stop listening; close connections that have no protocol yet."""
        self._pause()
        if self._timer:
            self._timer.cancel()
        for listening in self._sockets:
            listening.close()
        self._sockets.clear()
        for accepted in list(self._accepted):
            accepted.drop()

    def remove(self, accepted: AcceptedSocket) -> None:
        """Remove a closed connection."""
        self._accepted.discard(accepted)
        self.rules.admission.leave(accepted)

    def _resume(self) -> None:
        loop = asyncio.get_running_loop()
        for listening in self._sockets:
            loop.add_reader(listening, self._accept, listening)

    def _pause(self, seconds: float | None = None) -> None:
        """Stop accepting, for a number of wall seconds or permanently."""
        loop = asyncio.get_running_loop()
        for listening in self._sockets:
            loop.remove_reader(listening)
        if seconds is not None:
            self._timer = loop.call_later(seconds, self._resume)

    def _accept(self, listening: socket.socket) -> None:
        now = asyncio.get_running_loop().time()
        for _ in range(AT_ONCE):
            if (wait := self._limiter.charge(now, 0.0)) > 0:
                self._pause(wait)
                return
            try:
                connection, peer = listening.accept()
            except (BlockingIOError, InterruptedError, ConnectionAbortedError):
                return
            except OSError as error:
                if error.errno not in _FULL:
                    raise
                self._free_descriptor(error)
                return
            self._limiter.charge(now, 1.0)
            self._admit(connection, str(peer[0]))

    def _free_descriptor(self, error: OSError) -> None:
        """Close an unauthenticated connection when the system is out of file descriptors."""
        self.rules.log.warning(_LOG, "system", f"no connection can be accepted: {error.strerror}")
        if (victim := self.rules.admission.oldest_unauthenticated()) is not None:
            victim.reject("the server is out of file descriptors")
        self._pause(PAUSE)

    def _admit(self, connection: socket.socket, address: str) -> None:
        connection.setblocking(False)
        accepted = AcceptedSocket(self, connection, address)
        try:
            self.rules.admission.enter(accepted)
        except Refused as refused:
            self.rules.log.warning(_LOG, address, f"rejected: {refused}")
            accepted.refuse(str(refused))
            return
        self._accepted.add(accepted)
        accepted.begin()


class AcceptedSocket:
    """One accepted socket, until it is closed; implements `PendingConnection`."""

    def __init__(self, port: ListeningPort, connection: socket.socket, address: str) -> None:
        self.address = address
        self._port, self._socket = port, connection
        self._connection: Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._handed_over = False

    def logged_in(self) -> bool:
        """Return True if the client is authenticated, or needs no credential."""
        if self._connection is None:  # without TLS its protocol starts in the next iteration
            return self._port.rules.tls is None
        return self._connection.logged_in()

    def reject(self, reason: str) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.reject(reason)
            return
        self._port.rules.log.info(_LOG, self.address, f"closed before TLS: {reason}")
        self.drop()

    def refuse(self, reason: str) -> None:
        """Close a socket that was not admitted; without TLS, send the reason first."""
        if self._port.rules.tls is None:
            with suppress(OSError):  # the peer has closed, or does not read
                self._socket.send(self._port.factory().refusal(reason))
        self._socket.close()

    def begin(self) -> None:
        """Start the protocol; with TLS, when the first bytes arrive."""
        loop, rules = asyncio.get_running_loop(), self._port.rules
        if rules.tls is None:
            self._start(None, 0.0)
            return
        self._timer = loop.call_later(rules.limits.login_seconds, self.drop)
        began = loop.time()
        loop.add_reader(self._socket, self._start_tls, rules.tls, began)

    def drop(self) -> None:
        """Close the socket if it has no protocol yet; no effect otherwise."""
        if self._connection is not None:
            return
        self._stop_waiting()
        if self._task:
            self._task.cancel()  # asyncio closes the socket if it owns it already
        if not self._handed_over:
            self._socket.close()
        self._port.remove(self)

    def _start_tls(self, tls: ssl.SSLContext, began: float) -> None:
        """Start TLS with the rest of the time-out for authentication."""
        self._stop_waiting()
        spent = asyncio.get_running_loop().time() - began
        self._start(tls, max(0.1, self._port.rules.limits.login_seconds - spent))

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()
            asyncio.get_running_loop().remove_reader(self._socket)
            self._timer = None

    def _start(self, tls: ssl.SSLContext | None, seconds: float) -> None:
        self._task = asyncio.get_running_loop().create_task(self._connect(tls, seconds))

    async def _connect(self, tls: ssl.SSLContext | None, seconds: float) -> None:
        """Hand the socket to a protocol; the TLS handshake may take ``seconds``."""
        loop, connection = asyncio.get_running_loop(), self._port.factory()
        self._handed_over = True
        connection.on_closed = partial(self._port.remove, self)
        times = (
            {"ssl_handshake_timeout": seconds, "ssl_shutdown_timeout": TLS_SHUTDOWN_TIMEOUT}
            if tls
            else {}
        )
        try:
            await loop.connect_accepted_socket(lambda: connection, self._socket, ssl=tls, **times)
        except OSError as error:  # includes ssl.SSLError
            why = error.strerror or str(error)
            self._port.rules.log.info(_LOG, self.address, f"TLS handshake failed: {why}")
            self._port.remove(self)
        else:
            self._connection = connection


def _listen(family: int, address: Any) -> socket.socket:
    """Return a listening socket, configured as those of asyncio's servers."""
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
        listening.setblocking(False)
    except BaseException:
        listening.close()
        raise
    return listening


def _reason(error: OSError) -> str:
    """Return the reason for which a port could not be opened."""
    if error.errno == errno.EADDRINUSE:
        return "it is in use already; choose another one, or 0 for any that is free"
    return error.strerror or str(error)
