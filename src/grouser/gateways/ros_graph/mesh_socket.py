"""Websocket connection whose port also serves the meshes of robots."""

from __future__ import annotations

import http
import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.ros_graph.mesh_files import FOLDER, MeshFiles
from grouser.gateways.websocket import WebsocketConnection

if TYPE_CHECKING:
    from websockets.http11 import Request as HttpRequest

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClientLink:
    """Connection of a client, as its session uses it."""

    address: str
    send: Callable[[str | bytes], None]
    """Sends a message to the client."""
    is_ready: Callable[[], bool]
    """Returns True if the client has received what was sent."""
    may_drive: Callable[[], bool]
    """Returns False if the address of the client exceeds its limit of robots."""
    log: Callable[[str], None]
    """Logs an event of the client."""
    fail: Callable[[], None]
    """Logs the present exception and closes the connection."""


class MeshSocket(WebsocketConnection):
    """Connection of a client of topics; a request for a mesh is answered with its file.

    Args:
        registry: all clients' connections of the server.
        origins: allowed origins of web pages.
        meshes: files that descriptions of robots name.
    """

    def __init__(
        self, registry: ConnectionRegistry, origins: Collection[str], meshes: MeshFiles
    ) -> None:
        super().__init__(registry, origins)
        self._meshes = meshes

    def link(self) -> ClientLink:
        """Return the connection as its session uses it."""
        limits, address = self.registry.limits, self.address
        return ClientLink(
            address,
            self.send,
            lambda: self.outbox.is_ready,
            lambda: self.registry.robots_of(address) <= limits.robots_per_address,
            lambda text: self.registry.log.warning(_LOG, address, text),
            self.fail,
        )

    def _open(self, request: HttpRequest) -> None:
        """Answer the request for a mesh, or accept or reject the websocket."""
        path = request.path.partition("?")[0]
        if not path.startswith(FOLDER):
            super()._open(request)
            return
        content, origins = self._meshes.find(path), request.headers.get_all("Origin")
        if any(origin not in self._origins for origin in origins):
            response = self._rejection(request)
        elif content is None:
            response = self._websocket.reject(http.HTTPStatus.NOT_FOUND, "there is no such mesh\n")
        else:
            response = self._file("model/stl", content)
            for origin in origins:
                response.headers["Access-Control-Allow-Origin"] = origin
        if response is not None:
            self._websocket.send_response(response)
