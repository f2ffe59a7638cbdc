"""Websocket session of one rosbridge client: HTTP upgrade, token, origin check, service calls.

The token is in a header of the request, ``Authorization: Bearer SECRET``. Browsers let every web
page open a websocket to the local machine and send the page's ``Origin``; requests with an origin
that is not allowed by the server are rejected.
"""

from __future__ import annotations

import asyncio
import http
import logging
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING, Any

from grouser.errors import BadValue, GrouserError, Refused, missing_extra
from grouser.gateways.client_socket import ClientSocket, ConnectionRegistry
from grouser.gateways.rosbridge.robot_services import TRIGGER, Call, RobotServices
from grouser.protocol.rosbridge import (
    Problem,
    ServiceCall,
    ServiceResponse,
    SetLevel,
    Status,
    read_request,
)
from grouser.service.access import Login
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

Send = Callable[[str], None]
"""Sends the text of one message to the client."""

MOST_CALLS = 64
"""Maximum number of pending calls of one client."""

_LOG = logging.getLogger(__name__)


class RosbridgeSocket(ClientSocket):
    """Connection of one rosbridge client."""

    def __init__(
        self, registry: ConnectionRegistry, services: RobotServices, origins: Collection[str]
    ) -> None:
        super().__init__(registry)
        self._services, self._origins = services, origins
        self._websocket = server_protocol(registry.limits.longest_line)
        self._session: RosbridgeSession | None = None
        self._parts: list[bytes] = []
        self._end: asyncio.TimerHandle | None = None

    @property
    def has_robot(self) -> bool:
        """True if the client drives a robot."""
        return self._session is not None and self._session.drives

    def logged_in(self) -> bool:
        """Return True if the websocket is open; that requires the token, if any."""
        return self._session is not None

    def closed(self) -> None:
        """Cancel the calls of the client; a robot that it drives stops."""
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
            limits = self.registry.limits
            self._session = RosbridgeSession(
                self._services,
                self.login,
                self._send,
                lambda: self.registry.robots_of(self.address) <= limits.robots_per_address,
            )

    def _rejection(self, request: HttpRequest) -> Response | None:
        """Return an HTTP error if origin or token are invalid; None: the client is accepted."""
        for origin in request.headers.get_all("Origin"):
            if origin not in self._origins:
                return self._reject(
                    http.HTTPStatus.FORBIDDEN,
                    f"origin {origin[:LONGEST_REASON]} is not allowed; "
                    "the server allows it with --rosbridge-origin",
                )
        if not self.registry.access.needs_token:
            return None
        shown = request.headers.get_all("Authorization")
        scheme, _, token = (shown[0] if len(shown) == 1 else "").partition(" ")
        try:
            if scheme.lower() != SCHEME.lower() or not token.strip():
                raise Refused(f"a token is required in the header 'Authorization: {SCHEME} SECRET'")
            self.login.show(token.strip())
        except Refused as error:
            return self._reject(http.HTTPStatus.UNAUTHORIZED, str(error))
        return None

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

    def _send(self, text: str) -> None:
        """Send a message, unless the websocket is closing."""
        from websockets.protocol import State

        if self._websocket.state is State.OPEN:
            self._websocket.send_text(text.encode())
            self._write()

    def _write(self) -> None:
        """Send the pending bytes of the websocket; close the connection after the last ones."""
        for data in self._websocket.data_to_send():
            if data:
                self.outbox.line(data)
            else:  # end of stream
                self._linger()

    def _linger(self) -> None:
        """Close after `LINGER`: closing at once could discard bytes before they are read."""
        if self._end is None:
            self._end = asyncio.get_running_loop().call_later(LINGER, self.close)
            if self._transport is not None and self._transport.can_write_eof():
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


def server_protocol(most_bytes: int) -> ServerProtocol:
    """Return the server side of one websocket (sans-I/O), without compression.

    Args:
        most_bytes: maximum size of a message.

    Raises:
        MissingDependency: the websocket library is not installed.
    """
    try:
        from websockets.server import ServerProtocol
    except ImportError as error:
        raise missing_extra("the rosbridge port needs websockets", "rosbridge") from error
    return ServerProtocol(max_size=most_bytes)


class RosbridgeSession:
    """State of one client; calls run concurrently."""

    def __init__(
        self, services: RobotServices, login: Login, send: Send, may_drive: Callable[[], bool]
    ) -> None:
        """Start a session.

        Args:
            services: callable services.
            login: roles of the client.
            send: sends a message to the client.
            may_drive: returns False if the address of the client exceeds its limit of robots.
        """
        self._services, self._login, self._send = services, login, send
        self._may_drive = may_drive
        self._level = "error"
        self._calls: dict[asyncio.Task[None], str] = {}

    @property
    def drives(self) -> bool:
        """True if a call that drives a robot is pending."""
        return any(map(_drives, self._calls.values()))

    def receive(self, text: str | bytes) -> None:
        """Process one message."""
        request = read_request(text)
        if isinstance(request, ServiceCall):
            self._begin(request)
        elif isinstance(request, SetLevel):
            self._level = request.level
        elif isinstance(request, Problem):
            status = Status(request.text, id=request.id)
            if status.is_sent_at(self._level):
                self._send(status.encode())

    def close(self) -> None:
        """Cancel pending calls."""
        for call in self._calls:
            call.cancel()

    def _begin(self, request: ServiceCall) -> None:
        """Start a service call; the response is sent on completion."""
        if len(self._calls) >= MOST_CALLS:
            self._answer(request, f"{MOST_CALLS} calls are pending, the maximum", False)
            return
        call = asyncio.get_running_loop().create_task(self._call(request))
        self._calls[call] = request.service
        call.add_done_callback(self._calls.pop)

    async def _call(self, request: ServiceCall) -> None:
        try:
            values = await self._values(request)
        except GrouserError as error:
            self._answer(request, str(error), False)
        except Exception:  # an internal error must not leave the client waiting
            _LOG.exception("%s: internal error", request.service)
            self._answer(
                request, f"{request.service}: internal error of the server; see its log", False
            )
        else:
            self._answer(request, values, True)

    async def _values(self, request: ServiceCall) -> dict[str, Any]:
        """Call a service; return the fields of its response."""
        if request.service in _ROSAPI:
            self._login.require()
            return _ROSAPI[request.service](self._services, request.args)
        call = self._services.find(request.service)
        self._check(call, request)
        return await call.values()

    def _check(self, call: Call, request: ServiceCall) -> None:
        """Check roles, arguments and the limit of driven robots."""
        self._login.require(call.role)
        if request.args not in (None, {}, []):
            raise BadValue(f"{request.service}: is a {TRIGGER} and takes no arguments")
        if _drives(request.service) and not self._may_drive():
            raise BadValue("the limit of driven robots from this address is reached")

    def _answer(self, request: ServiceCall, values: dict[str, Any] | str, result: bool) -> None:
        answer = ServiceResponse(request.given, values, result, request.id)
        self._send(answer.encode())


def _drives(service: str) -> bool:
    """Return True if a service drives a robot."""
    return service.endswith("/drive")


def _services(services: RobotServices, args: Any) -> dict[str, Any]:
    """Return the response of ``/rosapi/services``: all services."""
    return {"services": [f"/{name}" for name in (*services.names(), *_ROSAPI)]}


def _service_type(services: RobotServices, args: Any) -> dict[str, Any]:
    """Return the response of ``/rosapi/service_type``: the type of a service."""
    name = args.get("service") if isinstance(args, dict) else None
    if not isinstance(name, str):
        raise BadValue("rosapi/service_type: args must be {'service': NAME}")
    services.find(name.removeprefix("/"))
    return {"type": TRIGGER}


_ROSAPI: dict[str, Callable[[RobotServices, Any], dict[str, Any]]] = {
    "rosapi/services": _services,
    "rosapi/service_type": _service_type,
}
"""Introspection services, which ROS clients expect of a rosbridge server."""
