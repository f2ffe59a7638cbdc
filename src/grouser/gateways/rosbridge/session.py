"""One client: its messages in, services called, answers out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any

from grouser.errors import BadValue, GrouserError
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

Send = Callable[[str], None]
"""Takes the text of one message to the client."""

MOST_CALLS = 64
"""Calls of one client that may wait for their answers."""

_LOG = logging.getLogger(__name__)


class RosbridgeSession:
    """What one client asks for; calls that take their time go on beside each other."""

    def __init__(
        self, services: RobotServices, login: Login, send: Send, may_drive: Callable[[], bool]
    ) -> None:
        """Serve somebody who was let in.

        Args:
            services: what can be called.
            login: what the client may do.
            send: sends it a message.
            may_drive: says whether as many as `drives` now may drive from its address.
        """
        self._services, self._login, self._send = services, login, send
        self._may_drive = may_drive
        self._level = "error"
        self._calls: dict[asyncio.Task[None], str] = {}

    @property
    def drives(self) -> bool:
        """Whether a robot is driven for it, or is to be."""
        return any(map(_drives, self._calls.values()))

    def receive(self, text: str | bytes) -> None:
        """Take one message."""
        request = read_request(text)
        if isinstance(request, ServiceCall):
            self._begin(request)
        elif isinstance(request, SetLevel):
            self._level = request.level
        elif isinstance(request, Problem):
            self._say(Status(request.text, id=request.id))

    def close(self) -> None:
        """End what is under way: nobody waits for it any more."""
        for call in self._calls:
            call.cancel()

    def _say(self, status: Status) -> None:
        if status.heard_at(self._level):
            self._send(status.encode())

    def _begin(self, request: ServiceCall) -> None:
        """Call a service; its answer is sent when it is there."""
        if len(self._calls) >= MOST_CALLS:
            self._answer(request, f"{MOST_CALLS} calls wait for their answers already", False)
            return
        call = asyncio.get_running_loop().create_task(self._call(request))
        self._calls[call] = request.service
        call.add_done_callback(self._calls.pop)

    async def _call(self, request: ServiceCall) -> None:
        try:
            values = await self._values(request)
        except GrouserError as error:
            self._answer(request, str(error), False)
        except Exception:  # a fault of ours must not leave the client waiting
            _LOG.exception("%s: error of the server", request.service)
            self._answer(request, f"{request.service}: an error of the server; see its log", False)
        else:
            self._answer(request, values, True)

    async def _values(self, request: ServiceCall) -> dict[str, Any]:
        """Return the fields of a service's answer."""
        if request.service in _ABOUT:
            self._login.require()
            return _ABOUT[request.service](self._services, request.args)
        call = self._services.find(request.service)
        self._check(call, request)
        return await call.values()

    def _check(self, call: Call, request: ServiceCall) -> None:
        """Refuse what the client may not do, and arguments that a Trigger has not."""
        self._login.require(call.role)
        if request.args not in (None, {}, []):
            raise BadValue(f"{request.service}: is a {TRIGGER} and takes no arguments")
        if _drives(request.service) and not self._may_drive():
            raise BadValue("no further robot may be driven from this address")

    def _answer(self, request: ServiceCall, values: dict[str, Any] | str, result: bool) -> None:
        answer = ServiceResponse(request.given, values, result, request.id)
        self._send(answer.encode())


def _drives(service: str) -> bool:
    """Return whether a service drives a robot."""
    return service.endswith("/drive")


def _services(services: RobotServices, args: Any) -> dict[str, Any]:
    """Answer ``/rosapi/services``: what can be called."""
    return {"services": [f"/{name}" for name in (*services.names(), *_ABOUT)]}


def _service_type(services: RobotServices, args: Any) -> dict[str, Any]:
    """Answer ``/rosapi/service_type``: the type of a service."""
    name = args.get("service") if isinstance(args, dict) else None
    if not isinstance(name, str):
        raise BadValue("rosapi/service_type: args must be {'service': NAME}")
    services.find(name.removeprefix("/"))
    return {"type": TRIGGER}


_ABOUT: dict[str, Callable[[RobotServices, Any], dict[str, Any]]] = {
    "rosapi/services": _services,
    "rosapi/service_type": _service_type,
}
"""Services about services, which ROS programs expect of a rosbridge."""
