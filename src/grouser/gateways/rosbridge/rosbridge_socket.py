"""Websocket session of one rosbridge client: service calls and their answers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from typing import Any

from grouser.errors import BadValue, GrouserError
from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.rosbridge.robot_services import TRIGGER, Call, RobotServices
from grouser.gateways.rosbridge.rosapi import ROSAPI
from grouser.gateways.websocket import WebsocketConnection
from grouser.protocol.rosbridge import (
    Problem,
    ServiceCall,
    ServiceResponse,
    SetLevel,
    Status,
    read_request,
)
from grouser.service.access import Login

Send = Callable[[str], None]
"""Sends the text of one message to the client."""

MOST_CALLS = 64
"""Maximum number of pending calls of one client."""

_LOG = logging.getLogger(__name__)


class RosbridgeSocket(WebsocketConnection):
    """Connection of one rosbridge client."""

    ORIGIN_OPTION = "--rosbridge-origin"

    def __init__(
        self, registry: ConnectionRegistry, services: RobotServices, origins: Collection[str]
    ) -> None:
        super().__init__(registry, origins)
        self._services = services

    def open_session(self) -> RosbridgeSession:
        """Return the session of an accepted client."""
        limits = self.registry.limits
        return RosbridgeSession(
            self._services,
            self.login,
            self.send,
            lambda: self.registry.robots_of(self.address) <= limits.robots_per_address,
            lambda text: self.registry.log.warning(_LOG, self.address, text),
        )


class RosbridgeSession:
    """State of one client; calls run concurrently."""

    def __init__(
        self,
        services: RobotServices,
        login: Login,
        send: Send,
        may_drive: Callable[[], bool],
        log: Callable[[str], None],
    ) -> None:
        """Start a session.

        Args:
            services: callable services.
            login: roles of the client.
            send: sends a message to the client.
            may_drive: returns False if the address of the client exceeds its limit of robots.
            log: logs an event of the client.
        """
        self._log = log
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
            self._log(f"refused: {request.text}")
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
        if request.service in ROSAPI:
            self._login.require()
            args = request.args if isinstance(request.args, dict) else {}
            return ROSAPI[request.service].run(self._services, args)
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
