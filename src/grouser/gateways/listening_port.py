"""A port that is listened at: whoever connects is counted at once, and has little time to log in.

TLS is begun when the far side has sent something: its buffers take a quarter of a megabyte, and
connections that only hold places would take them for nothing. Then the handshake has as long as the
login; both together not longer.
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
from typing import Any, Protocol

from grouser.errors import BadValue, Refused
from grouser.service.admission import Admission
from grouser.service.client_log import ClientLog
from grouser.service.rate_limiter import Limits, RateLimiter

BACKLOG = 256
"""Connections that wait in the system until they are accepted."""
AT_ONCE = 8
"""Connections that are accepted at a stretch: ticks of physics come between."""
PER_SECOND = 500.0
"""Connections that are accepted in a second, of all who come to one port."""
FAREWELL = 2.0
"""Wall seconds that the far side has to agree to the end of TLS, s."""
PAUSE = 0.2
"""Wall seconds that nobody is accepted when the system has no more descriptors, s."""

_FULL = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_LOG = logging.getLogger(__name__)


class Connection(Protocol):
    """The asyncio protocol of one connection, with what a port needs beside that."""

    gone: Callable[[], None]
    """Set by the port; called when the connection is lost."""

    def logged_in(self) -> bool:
        """Return whether it may stay."""
        ...

    def reject(self, reason: str) -> None:
        """Close the connection, and tell the far side why if that is possible."""

    def refusal(self, reason: str) -> bytes:
        """Return what is sent to somebody for whom there is no room."""
        ...


ConnectionFactory = Callable[[], Connection]
"""Makes the protocol of one connection."""


@dataclass(frozen=True)
class PortRules:
    """What all ports of a server share."""

    admission: Admission
    limits: Limits
    log: ClientLog
    tls: ssl.SSLContext | None = None


class ListeningPort:
    """One port; `open` it, and close it at the end."""

    def __init__(self, rules: PortRules, factory: ConnectionFactory) -> None:
        """Prepare to let people in by ``rules``; ``factory`` makes the protocol of each."""
        self.rules, self.factory = rules, factory
        self._sockets: list[socket.socket] = []
        self._visits: set[PendingConnection] = set()
        self._limiter = RateLimiter(PER_SECOND, asyncio.get_running_loop().time())
        self._timer: asyncio.TimerHandle | None = None

    async def open(self, host: str, port: int, name: str) -> int:
        """Listen; return the number of the port.

        Args:
            host: which of the machine's addresses.
            port: 0: any that is free.
            name: what it is for, in errors.

        Raises:
            BadValue: it cannot be opened.
        """
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )
            for family, address in dict.fromkeys((one[0], one[4]) for one in found):
                self._sockets.append(_listen(family, address))
        except OSError as error:
            self.close()
            why = _why(error)
            raise BadValue(f"port {port} at {host} cannot be opened for {name}: {why}") from None
        self._listen_again()
        return int(self._sockets[0].getsockname()[1])

    def close(self) -> None:
        """Listen no more; those who have not logged in yet are hung up on."""
        self._pause()
        if self._timer:
            self._timer.cancel()
        for listening in self._sockets:
            listening.close()
        self._sockets.clear()
        for visit in list(self._visits):
            visit.drop()

    def forget(self, visit: PendingConnection) -> None:
        """Note that a connection is over."""
        self._visits.discard(visit)
        self.rules.admission.leave(visit)

    def _listen_again(self) -> None:
        loop = asyncio.get_running_loop()
        for listening in self._sockets:
            loop.add_reader(listening, self._accept, listening)

    def _pause(self, seconds: float | None = None) -> None:
        """Accept nobody, for so long or for good."""
        loop = asyncio.get_running_loop()
        for listening in self._sockets:
            loop.remove_reader(listening)
        if seconds is not None:
            self._timer = loop.call_later(seconds, self._listen_again)

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
                self._run_out(error)
                return
            self._limiter.charge(now, 1.0)
            self._welcome(connection, str(peer[0]))

    def _run_out(self, error: OSError) -> None:
        """Make room when the system gives out no more descriptors."""
        self.rules.log.warning(_LOG, "system", f"nobody more can be accepted: {error.strerror}")
        if (victim := self.rules.admission.oldest_unauthenticated()) is not None:
            victim.reject("the server has no room left")
        self._pause(PAUSE)

    def _welcome(self, connection: socket.socket, address: str) -> None:
        connection.setblocking(False)
        visit = PendingConnection(self, connection, address)
        try:
            self.rules.admission.enter(visit)
        except Refused as refused:
            self.rules.log.warning(_LOG, address, f"sent away: {refused}")
            visit.refuse(str(refused))
            return
        self._visits.add(visit)
        visit.begin()


class PendingConnection:
    """One connection, from being accepted to being closed; a `Visitor`."""

    def __init__(self, port: ListeningPort, connection: socket.socket, address: str) -> None:
        self.address = address
        self._port, self._socket = port, connection
        self._guest: Connection | None = None
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._handed_over = False

    def logged_in(self) -> bool:
        """Return whether it may stay."""
        if self._guest is None:  # without TLS, a moment later somebody can say
            return self._port.rules.tls is None
        return self._guest.logged_in()

    def reject(self, reason: str) -> None:
        """Hang up."""
        if self._guest is not None:
            self._guest.reject(reason)
            return
        self._port.rules.log.info(_LOG, self.address, f"hung up on before TLS: {reason}")
        self.drop()

    def refuse(self, reason: str) -> None:
        """Hang up on somebody who was never let in; without TLS, say why."""
        if self._port.rules.tls is None:
            with suppress(OSError):  # it has gone, or does not read: then it is not told
                self._socket.send(self._port.factory().refusal(reason))
        self._socket.close()

    def begin(self) -> None:
        """Speak to the far side; where TLS is spoken, when it has begun to."""
        loop, rules = asyncio.get_running_loop(), self._port.rules
        if rules.tls is None:
            self._connect(None, 0.0)
            return
        self._timer = loop.call_later(rules.limits.login_seconds, self.drop)
        began = loop.time()
        loop.add_reader(self._socket, self._heard, rules.tls, began)

    def drop(self) -> None:
        """Hang up on somebody with whom nobody speaks yet; a no-op for all others."""
        if self._guest is not None:
            return
        self._stop_waiting()
        if self._task:
            self._task.cancel()  # by which asyncio closes the socket, if it has it already
        if not self._handed_over:
            self._socket.close()
        self._port.forget(self)

    def _heard(self, tls: ssl.SSLContext, began: float) -> None:
        """Begin TLS, with what is left of the time to log in."""
        self._stop_waiting()
        spent = asyncio.get_running_loop().time() - began
        self._connect(tls, max(0.1, self._port.rules.limits.login_seconds - spent))

    def _stop_waiting(self) -> None:
        if self._timer:
            self._timer.cancel()
            asyncio.get_running_loop().remove_reader(self._socket)
            self._timer = None

    def _connect(self, tls: ssl.SSLContext | None, seconds: float) -> None:
        self._task = asyncio.get_running_loop().create_task(self._speak(tls, seconds))

    async def _speak(self, tls: ssl.SSLContext | None, seconds: float) -> None:
        """Let a protocol have the connection, once TLS is spoken."""
        loop, guest, self._handed_over = asyncio.get_running_loop(), self._port.factory(), True
        assert isinstance(guest, asyncio.BaseProtocol)  # what every port's are
        guest.gone = partial(self._port.forget, self)
        times = {"ssl_handshake_timeout": seconds, "ssl_shutdown_timeout": FAREWELL} if tls else {}
        try:
            await loop.connect_accepted_socket(lambda: guest, self._socket, ssl=tls, **times)
        except OSError as error:  # ssl's own among them
            why = error.strerror or str(error)
            self._port.rules.log.info(_LOG, self.address, f"no TLS came about: {why}")
            self._port.forget(self)
        else:
            self._guest = guest


def _listen(family: int, address: Any) -> socket.socket:
    """Return a socket that listens, as asyncio's own servers do."""
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


def _why(error: OSError) -> str:
    """Return why a port could not be opened."""
    if error.errno == errno.EADDRINUSE:
        return "it is in use already; choose another one, or 0 for any that is free"
    return error.strerror or str(error)
