"""The USARSim gateway: control ports for robots' clients and world controllers.

Sockets live in `grouser.gateways.client_socket`; what comes over them is translated by a `Session`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from grouser.gateways.client_socket import ClientSocket
from grouser.gateways.gateway import Endpoint, GatewayContext
from grouser.gateways.usarsim.context import UsarsimContext
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.session import Session
from grouser.protocol.usarsim.codec import PORT, ServerSide
from grouser.protocol.usarsim.extensions import Notice
from grouser.service.outbox import Outbox, Pipe
from grouser.service.request_queue import Request

LOGIN_HINT = "say it in the first line, LOGIN {Token …}, or in INIT"
"""How a client shows its token."""


@dataclass(frozen=True)
class UsarsimGateway:
    """Control ports, each with its dialect, axes and units; port 0: any that is free."""

    ports: tuple[tuple[int, PortProfile], ...] = ((PORT, PortProfile()),)
    ground_truth: bool = False
    """Whether every robot's client is told where it truly is; else only Pioneers' (as USARSim's)
    and those to whom a world file gave a truth sensor."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return the control ports: ``control``, ``control2`` and so on."""
        shared = UsarsimContext(context.host, context.registry, context.views, self.ground_truth)
        for number, (port, profile) in enumerate(self.ports, 1):
            name = "control" if number == 1 else f"control{number}"
            yield Endpoint(name, port, partial(ControlSocket, shared, profile))


class ControlSocket(ClientSocket):
    """A client with or without a robot."""

    def __init__(self, context: UsarsimContext, profile: PortProfile) -> None:
        super().__init__(context.registry)
        self._context, self._profile = context, profile
        self.session: Session | None = None
        self.outbox: Outbox | None = None

    @property
    def has_robot(self) -> bool:
        """Whether a robot belongs to it."""
        return self.session is not None and self.session.participant.robot is not None

    def opened(self, transport: Pipe) -> None:
        """Greet the client."""
        self.outbox = Outbox(transport, self.registry.limits.unread_bytes)
        self.session = Session(self._context, self._profile, self.outbox, self.address)

    @property
    def waited_for(self) -> bool:
        """Whether the world stands still until it has done something."""
        return self.session is not None and self.session.participant.in_lockstep

    def requests(self, data: bytes) -> list[Request]:
        """Return what the client asks for, as the session reads it."""
        return self.session.requests(data) if self.session else []

    def logged_in(self) -> bool:
        """Return whether a token was shown, or none is needed."""
        return self.session is not None and bool(self.session.participant.login)

    def resume_writing(self) -> None:
        """The client reads again."""
        if self.outbox:
            self.outbox.flush()

    def closed(self) -> None:
        """Take its robot out of the world."""
        if self.session:
            self.session.close()

    def refusal(self, reason: str) -> bytes:
        """Say why, in a line of our own: nobody who is sent away has an old server's habits."""
        side = ServerSide(self._profile.dialect)
        return b"".join(side.send(Notice("Refused", reason)))
