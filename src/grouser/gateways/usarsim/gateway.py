"""USARSim gateway: control ports for robot clients and world controllers.

Sockets are in `grouser.gateways.client_socket`; a `Session` translates the received commands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial

from pydantic import InstanceOf

from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, Gateway, GatewayContext, PortNumber
from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.session import Session
from grouser.protocol.usarsim.codec import PORT, ServerSide
from grouser.protocol.usarsim.extensions import Notice
from grouser.service.request_queue import Request

LOGIN_HINT = "send it in the first line, LOGIN {Token …}, or in INIT"
"""Instructions for presenting a token."""


class UsarsimGateway(Gateway):
    """Control ports, each with its dialect, axes and units; port 0: any free port."""

    ports: tuple[tuple[PortNumber, InstanceOf[PortProfile]], ...] = ((PORT, PortProfile()),)
    ground_truth: bool = False
    """Send true poses for all robots; otherwise only for Pioneers (as in USARSim) and for truth
    sensors of the world file."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the control ports: ``control``, ``control2`` and so on."""
        shared = UsarsimContext(context.host, context.registry, context.views, self.ground_truth)
        for number, (port, profile) in enumerate(self.ports, 1):
            name = "control" if number == 1 else f"control{number}"
            yield Endpoint(name, port, partial(ControlSocket, shared, profile))


class ControlSocket(ClientSocket):
    """Connection of a client with or without a robot."""

    def __init__(self, context: UsarsimContext, profile: PortProfile) -> None:
        super().__init__(context.registry)
        self._context, self._profile = context, profile
        self.session: Session | None = None

    @property
    def has_robot(self) -> bool:
        """True if the client owns a robot."""
        return self.session is not None and self.session.participant.robot is not None

    def opened(self, transport: asyncio.Transport) -> None:
        """Send the greeting."""
        super().opened(transport)
        self.session = Session(self._context, self._profile, self)

    @property
    def in_lockstep(self) -> bool:
        """True if the simulation waits for this client."""
        return self.session is not None and self.session.participant.in_lockstep

    def requests(self, data: bytes) -> list[Request]:
        """Decode the next bytes; return one request for each completed line."""
        return self.session.requests(data) if self.session else []

    def closed(self) -> None:
        """Remove the robot of the client."""
        if session := self.session:
            self.session = None  # it refers to this connection
            session.close()

    def refusal(self, reason: str) -> bytes:
        """Return a notice with the reason for a rejected connection."""
        side = ServerSide(self._profile.dialect)
        return b"".join(side.send(Notice("Refused", reason)))
