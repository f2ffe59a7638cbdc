"""Websocket connections: HTTP upgrade, origin check, token, message assembly, orderly close.

The token is in a header of the request, ``Authorization: Bearer SECRET``. Browsers let every web
page open a websocket to the local machine and send the page's ``Origin``; requests with an origin
that is not allowed by the server are rejected.
"""

from __future__ import annotations

import asyncio
import http
import logging
from abc import abstractmethod
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Protocol

from grouser.errors import Refused, missing_extra
from grouser.gateways.client_socket import ClientSocket, ConnectionRegistry
from grouser.service.request_queue import Request

if TYPE_CHECKING:
    from websockets.frames import Frame as WebsocketFrame
    from websockets.http11 import Request as HttpRequest
    from websockets.http11 import Response
    from websockets.protocol import Event
    from websockets.server import ServerProtocol

SCHEME = "Bearer"
"""Authentication scheme of the ``Authorization`` header."""
POLICY = 1008
"""Close code for a policy violation (RFC 6455)."""
LINGER = 2.0
"""Delay between the last message and closing the socket, so that the client can read it, s."""
LONGEST_REASON = 120
"""Maximum length of a reason in a close frame, bytes; RFC 6455 allows 123."""

_LOG = logging.getLogger(__name__)


class WebsocketSession(Protocol):
    """Conversation with one accepted client."""

    @property
    def drives(self) -> bool:
        """True if the client drives a robot."""
        ...

    def receive(self, text: str | bytes) -> None:
        """Process one message."""
        ...

    def resume(self) -> None:
        """Send what waited for the client to read."""
        ...

    def close(self) -> None:
        """Stop everything that the client has started."""
        ...


class WebsocketConnection(ClientSocket):
    """Connection of one websocket client; subclasses open a session once it is accepted.

    Args:
        registry: all clients' connections of the server.
        origins: allowed origins of web pages, such as ``http://localhost:8000``.
    """

    ORIGIN_OPTION = ""
    """Command-line option that allows an origin, for error messages."""
    SUBPROTOCOLS: Sequence[str] = ()
    """Subprotocols, of which the client must offer one; empty: none is negotiated."""

    def __init__(self, registry: ConnectionRegistry, origins: Collection[str]) -> None:
        super().__init__(registry)
        self._origins = origins
        self._websocket = server_protocol(registry.limits.longest_line, self.SUBPROTOCOLS)
        self._session: WebsocketSession | None = None
        self._parts: list[bytes] = []
        self._end: asyncio.TimerHandle | None = None

    @abstractmethod
    def open_session(self) -> WebsocketSession:
        """Return the session of a client that was accepted; it answers with `send`."""

    def send(self, message: str | bytes) -> None:
        """Send a message as text or binary, unless the websocket is closing."""
        from websockets.protocol import State

        if self._websocket.state is State.OPEN:
            if isinstance(message, str):
                self._websocket.send_text(message.encode())
            else:
                self._websocket.send_binary(message)
            self._write()

    def fail(self) -> None:
        """Log the present exception and close the connection at once."""
        _LOG.exception("%s: connection closed after an internal error", self.address)
        self.abort()

    def resume_writing(self) -> None:
        """Send what waited for the client to read."""
        super().resume_writing()
        if self._session is not None:
            self._session.resume()

    @property
    def has_robot(self) -> bool:
        """True if the client drives a robot."""
        return self._session is not None and self._session.drives

    def logged_in(self) -> bool:
        """Return True if the websocket is open; that requires the token, if any."""
        return self._session is not None

    def closed(self) -> None:
        """Close the session; a robot that the client drives stops."""
        if self._session:
            self._session.close()
        if self._end:
            self._end.cancel()

    def requests(self, data: bytes) -> list[Request]:
        """Decode bytes: the HTTP request, then websocket frames; return one request for each."""
        self._websocket.receive_data(data)
        events = self._websocket.events_received()
        self._write()  # answers to pings
        return [partial(self._receive, event) for event in events]

    def _receive(self, event: Event) -> None:
        from websockets.http11 import Request as HttpRequest

        if isinstance(event, HttpRequest):
            self._open(event)
        else:
            self._receive_frame(event)  # type: ignore[arg-type]  # servers get no responses
        self._write()

    def refusal(self, reason: str) -> bytes:
        """Return an HTTP error, or a close frame if the websocket is open."""
        if self._session is None:
            return _plain_answer(http.HTTPStatus.SERVICE_UNAVAILABLE, reason)
        short = reason.encode()[:LONGEST_REASON].decode(errors="ignore")
        self._websocket.fail(POLICY, short)
        return b"".join(self._websocket.data_to_send())

    # -- HTTP request ------------------------------------------------------------------------

    def _open(self, request: HttpRequest) -> None:
        """Accept or reject the upgrade to a websocket."""
        response = self._rejection(request) or self._websocket.accept(request)
        self._websocket.send_response(response)
        if response.status_code == http.HTTPStatus.SWITCHING_PROTOCOLS:
            self._session = self.open_session()

    def _rejection(self, request: HttpRequest) -> Response | None:
        """Return an HTTP error if origin or token are invalid; None: the client is accepted."""
        for origin in request.headers.get_all("Origin"):
            if origin not in self._origins:
                return self._reject(
                    http.HTTPStatus.FORBIDDEN,
                    f"origin {origin[:LONGEST_REASON]} is not allowed; "
                    f"the server allows it with {self.ORIGIN_OPTION}",
                )
        token = self._token_in(request)
        shown = token or request.headers.get_all("Authorization")
        if self.login and not (shown and self.registry.access.has_tokens):
            return None
        try:
            if not token:
                raise Refused(f"a token is required in the header 'Authorization: {SCHEME} SECRET'")
            self.login.show(token)
        except Refused as error:
            return self._reject(http.HTTPStatus.UNAUTHORIZED, str(error))
        return None

    def _token_in(self, request: HttpRequest) -> str:
        """Return the token of a request; empty: it has none."""
        shown = request.headers.get_all("Authorization")
        scheme, _, token = (shown[0] if len(shown) == 1 else "").partition(" ")
        return token.strip() if scheme.lower() == SCHEME.lower() else ""

    def _file(self, kind: str, content: bytes) -> Response:
        """Return the response with a file of a media type."""
        response = self._websocket.reject(http.HTTPStatus.OK, "")
        response.body = content
        for name in ("Content-Type", "Content-Length"):
            del response.headers[name]
        response.headers["Content-Type"] = kind
        response.headers["Content-Length"] = str(len(content))
        return response

    def _reject(self, status: http.HTTPStatus, reason: str) -> Response:
        self.registry.log.warning(_LOG, self.address, f"rejected: {reason}")
        response = self._websocket.reject(status, f"{reason}\n")
        if status is http.HTTPStatus.UNAUTHORIZED:
            response.headers["WWW-Authenticate"] = SCHEME
        return response

    # -- messages ----------------------------------------------------------------------------

    def _receive_frame(self, frame: WebsocketFrame) -> None:
        """Assemble a message from data frames; the websocket limits its size and answers pings."""
        from websockets.frames import DATA_OPCODES

        if frame.opcode not in DATA_OPCODES or self._session is None:
            return
        self._parts.append(bytes(frame.data))
        if frame.fin:
            text, self._parts = b"".join(self._parts), []
            self._session.receive(text)

    def _write(self) -> None:
        """Send the pending bytes of the websocket; close the connection after the last ones."""
        for data in self._websocket.data_to_send():
            if data:
                if self._end is None:  # nothing can follow the end of the stream
                    self.outbox.line(data)
            else:  # end of stream
                self._linger()

    def _linger(self) -> None:
        """Close after `LINGER`: closing at once could discard bytes before they are read."""
        if self._end is None:
            self._end = asyncio.get_running_loop().call_later(LINGER, self.close)
            waiting = self.outbox.waiting  # an end now would cut it off
            if self._transport is not None and self._transport.can_write_eof() and not waiting:
                with suppress(OSError):  # the client has reset the connection
                    self._transport.write_eof()


def _plain_answer(status: http.HTTPStatus, reason: str) -> bytes:
    """Return an HTTP error as bytes, for a client that has not sent a request."""
    body = f"{reason}\n".encode()
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\n"
        "Content-Type: text/plain; charset=utf-8\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + body


def server_protocol(most_bytes: int, subprotocols: Sequence[str] = ()) -> ServerProtocol:
    """Return the server side of one websocket (sans-I/O), without compression.

    Args:
        most_bytes: maximum size of a message.
        subprotocols: of which the client must offer one; empty: none is negotiated.

    Raises:
        MissingDependency: the websocket library is not installed.
    """
    try:
        from websockets.server import ServerProtocol
    except ImportError as error:
        raise missing_extra("a websocket port needs websockets", "rosbridge") from error
    from websockets.typing import Subprotocol

    named = [Subprotocol(name) for name in subprotocols] or None
    return ServerProtocol(max_size=most_bytes, subprotocols=named)
