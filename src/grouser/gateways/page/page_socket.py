"""Connection of one browser: static files by HTTP, or the websocket of the page's protocol."""

from __future__ import annotations

import http
import logging
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.page.feed import PageFeed
from grouser.gateways.page.session import PageSession, PageSettings
from grouser.gateways.page.static_files import HEADERS, is_own_host, is_own_origin, static_files
from grouser.gateways.websocket import LONGEST_REASON, WebsocketConnection

if TYPE_CHECKING:
    from websockets.http11 import Request as HttpRequest
    from websockets.http11 import Response

_LOG = logging.getLogger(__name__)

SOCKET_PATH = "/socket"
"""Path of the websocket."""


class PageSocket(WebsocketConnection):
    """Connection of one client of the page."""

    ORIGIN_OPTION = "--gateway page:origins=[URL]"

    def __init__(
        self,
        registry: ConnectionRegistry,
        feed: PageFeed,
        settings: PageSettings,
        origins: Collection[str],
    ) -> None:
        super().__init__(registry, origins)
        self._feed, self._settings = feed, settings
        self._page: PageSession | None = None

    def open_session(self) -> PageSession:
        """Return the session of a client; its first message has the token."""
        self._page = PageSession(self, self._feed, self._settings)
        return self._page

    def logged_in(self) -> bool:
        """Return True after a valid hello."""
        return self._page is not None and bool(self._page.role)

    @property
    def congested(self) -> bool:
        """True if the client does not read what was sent."""
        return self.outbox.waiting > 0

    @property
    def wake(self) -> Callable[[], None]:
        """Function that wakes the server."""
        return self.registry.wake

    def close_with(self, code: int, reason: str) -> None:
        """Close the websocket with a code and a reason."""
        short = reason.encode()[:LONGEST_REASON].decode(errors="ignore")
        self.registry.log.warning(_LOG, self.address, f"closed with {int(code)}: {short}")
        self._websocket.fail(code, short)
        self._write()
        self._linger()

    def _open(self, request: HttpRequest) -> None:
        """Answer the request for a file, or accept or reject the websocket."""
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or not is_own_host(hosts[0], self._origins):
            shown = ", ".join(hosts)[:LONGEST_REASON] or "missing"
            self._websocket.send_response(
                self._reject(
                    http.HTTPStatus.MISDIRECTED_REQUEST,
                    f"the header Host is {shown}; use localhost, the IP address, or allow a name "
                    f"with {self.ORIGIN_OPTION}",
                )
            )
        elif request.path.partition("?")[0] == SOCKET_PATH:
            super()._open(request)
        else:
            self._websocket.send_response(self._static(request.path.partition("?")[0]))

    def _rejection(self, request: HttpRequest) -> Response | None:
        """Return an HTTP error if the origin is foreign; the token comes with the hello."""
        host = request.headers["Host"]
        for origin in request.headers.get_all("Origin"):
            if not is_own_origin(origin, host, self._origins):
                return self._reject(
                    http.HTTPStatus.FORBIDDEN,
                    f"origin {origin[:LONGEST_REASON]} is not allowed; "
                    f"the server allows it with {self.ORIGIN_OPTION}",
                )
        return None

    def _static(self, path: str) -> Response:
        """Return the response with a static file."""
        if found := static_files().get(path):
            response = self._file(*found)
        else:
            missing = f"there is no {path[:80]}\n"
            response = self._websocket.reject(http.HTTPStatus.NOT_FOUND, missing)
        for name, value in HEADERS.items():
            response.headers[name] = value
        return response
