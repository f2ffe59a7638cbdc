"""A client's websocket: the HTTP request that opens it, who is let in, messages in and out.

The token is in the request's header, ``Authorization: Bearer SECRET``. Browsers say which page a
websocket was opened by (``Origin``), and let every page open one to this very machine: so requests
from pages are refused, but for those of origins that the server was told of.
"""

from __future__ import annotations

import asyncio
import http
import logging
from collections.abc import Collection
from functools import partial
from typing import TYPE_CHECKING

from grouser.errors import Refused, missing_extra
from grouser.gateways.client_socket import ClientSocket, ConnectionRegistry
from grouser.gateways.rosbridge.robot_services import RobotServices
from grouser.gateways.rosbridge.session import RosbridgeSession
from grouser.service.access import Login
from grouser.service.outbox import Outbox, Pipe
from grouser.service.request_queue import Request

if TYPE_CHECKING:
    from websockets.frames import Frame as WebsocketFrame
    from websockets.http11 import Request as HttpRequest, Response
    from websockets.protocol import Event

SCHEME = "Bearer"
"""How the header's value begins, before the token."""
POLICY = 1008
"""Code of a websocket that is closed because its client may not go on (RFC 6455)."""
LINGER = 2.0
"""Wall seconds that a client has to read why its websocket was closed, s."""
LONGEST_REASON = 120
"""Bytes of a reason that fit into the frame that closes a websocket, about."""

_LOG = logging.getLogger(__name__)


class RosbridgeSocket(ClientSocket):
    """A client of the services."""

    def __init__(
        self, registry: ConnectionRegistry, services: RobotServices, origins: Collection[str]
    ) -> None:
        super().__init__(registry)
        self._services, self._origins = services, origins
        self._websocket = server_protocol(registry.limits.longest_line)
        self._session: RosbridgeSession | None = None
        self._outbox: Outbox | None = None
        self._login: Login | None = None
        self._parts: list[bytes] = []
        self._end: asyncio.TimerHandle | None = None

    @property
    def has_robot(self) -> bool:
        """Whether a robot is driven for it."""
        return self._session is not None and self._session.drives

    def opened(self, transport: Pipe) -> None:
        """See what the client may do without a token."""
        self._outbox = Outbox(transport, self.registry.limits.unread_bytes)
        self._login = Login(self.registry.access, self.address)

    def logged_in(self) -> bool:
        """Return whether its websocket is open, for which a token may be needed."""
        return self._session is not None

    def resume_writing(self) -> None:
        """The client reads again."""
        if self._outbox:
            self._outbox.flush()

    def closed(self) -> None:
        """End what the client waited for; a robot that was driven for it stops."""
        if self._session:
            self._session.close()
        if self._end:
            self._end.cancel()

    def requests(self, data: bytes) -> list[Request]:
        """Take bytes: the request first, then messages; return what each asks for."""
        self._websocket.receive_data(data)
        events = self._websocket.events_received()
        self._write()  # pings are answered by the websocket itself
        return [partial(self._receive, event) for event in events]

    def _receive(self, event: Event) -> None:
        from websockets.http11 import Request as HttpRequest

        if isinstance(event, HttpRequest):
            self._open(event)
        else:
            self._receive_frame(event)  # type: ignore[arg-type]  # servers get no responses
        self._write()

    def refusal(self, reason: str) -> bytes:
        """Return an answer to the request, or the frame that closes the websocket."""
        if self._session is None:
            return _plain_answer(http.HTTPStatus.SERVICE_UNAVAILABLE, reason)
        self._websocket.fail(POLICY, _short(reason))
        return b"".join(self._websocket.data_to_send())

    # -- the request -------------------------------------------------------------------------

    def _open(self, request: HttpRequest) -> None:
        """Let a client in, or say why not."""
        response = self._refused(request) or self._websocket.accept(request)
        self._websocket.send_response(response)
        if response.status_code == http.HTTPStatus.SWITCHING_PROTOCOLS:
            assert self._login is not None  # it was opened
            limits = self.registry.limits
            self._session = RosbridgeSession(
                self._services,
                self._login,
                self._send,
                lambda: self.registry.robots_of(self.address) <= limits.robots_per_address,
            )

    def _refused(self, request: HttpRequest) -> Response | None:
        """Return the answer to a client that is not let in; None: it is."""
        for origin in request.headers.get_all("Origin"):
            if origin not in self._origins:
                return self._reject(
                    http.HTTPStatus.FORBIDDEN,
                    f"pages from {origin[:LONGEST_REASON]} may not reach this server; "
                    "its owner can let them: --rosbridge-origin",
                )
        assert self._login is not None  # it was opened
        if not self.registry.access.needs_token:
            return None
        shown = request.headers.get_all("Authorization")
        scheme, _, token = (shown[0] if len(shown) == 1 else "").partition(" ")
        try:
            if scheme.lower() != SCHEME.lower() or not token.strip():
                raise Refused(f"a token is needed, in a header: 'Authorization: {SCHEME} SECRET'")
            self._login.show(token.strip())
        except Refused as error:
            return self._reject(http.HTTPStatus.UNAUTHORIZED, str(error))
        return None

    def _reject(self, status: http.HTTPStatus, reason: str) -> Response:
        self.registry.log.warning(_LOG, self.address, f"sent away: {reason}")
        response = self._websocket.reject(status, f"{reason}\n")
        if status is http.HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = SCHEME
        return response

    # -- messages ----------------------------------------------------------------------------

    def _receive_frame(self, frame: WebsocketFrame) -> None:
        """Put a message together; the websocket has limited its size, and answers pings itself."""
        from websockets.frames import DATA_OPCODES

        if frame.opcode not in DATA_OPCODES or self._session is None:
            return
        self._parts.append(bytes(frame.data))
        if frame.fin:
            text, self._parts = b"".join(self._parts), []
            self._session.receive(text)

    def _send(self, text: str) -> None:
        """Send a message, unless the websocket is being closed."""
        from websockets.protocol import State

        if self._websocket.state is State.OPEN:
            self._websocket.send_text(text.encode())
            self._write()

    def _write(self) -> None:
        """Send what the websocket has to say; hang up when that was its last."""
        assert self._outbox is not None  # it was opened
        for data in self._websocket.data_to_send():
            if data:
                self._outbox.line(data)
            else:  # the end
                self._linger()

    def _linger(self) -> None:
        """Hang up soon; at once, what the client has not read yet could get lost with it."""
        if self._end is None:
            self._end = asyncio.get_running_loop().call_later(LINGER, self.hang_up)
            if self._transport is not None and self._transport.can_write_eof():
                self._transport.write_eof()


def _plain_answer(status: http.HTTPStatus, reason: str) -> bytes:
    """Return an HTTP answer to whoever has not said anything yet."""
    body = f"{reason}\n".encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def _short(reason: str) -> str:
    """Return as much of a reason as the frame that closes a websocket holds."""
    return reason.encode()[:LONGEST_REASON].decode(errors="ignore")


if TYPE_CHECKING:
    from websockets.server import ServerProtocol


def server_protocol(most_bytes: int) -> ServerProtocol:
    """Return a server's end of one websocket: bytes in, frames out; no socket, no packing.

    Args:
        most_bytes: of one message.
    """
    try:
        from websockets.server import ServerProtocol
    except ImportError as error:
        raise missing_extra("the rosbridge port needs websockets", "rosbridge") from error
    return ServerProtocol(max_size=most_bytes)
