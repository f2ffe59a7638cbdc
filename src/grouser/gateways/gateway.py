"""Gateway interface and table: each gateway translates between the host and one wire protocol.

A gateway is described by a frozen object with its ports and options. `Gateway.endpoints` returns
the ports that the server opens.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.images.views import Views
from grouser.gateways.listening_port import ConnectionFactory
from grouser.service.host import Host


@dataclass(frozen=True)
class GatewayContext:
    """Objects of a server that its gateways use."""

    host: Host
    registry: ConnectionRegistry
    """Clients' sockets, access control and limits."""
    views: Views | None = None
    """Pictures of the cameras; None: pictures are not rendered."""


@dataclass(frozen=True)
class Endpoint:
    """A port to be opened."""

    name: str
    """Name in the server's announcement."""
    port: int
    """Number; 0: any free one."""
    factory: ConnectionFactory
    """Returns the protocol of one connection."""


class Gateway(Protocol):
    """Description of a gateway."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return its ports; their connections use ``context``."""
        ...


@dataclass(frozen=True, kw_only=True)
class GatewayRow:
    """Row of the table of gateways."""

    where: str
    """Module and class of its description (`Gateway`), with a colon."""
    default: bool = False
    """True if a server opens it unless other gateways are listed."""
    commands_robots: bool = False
    """True if its clients command robots."""
    adds_robots: bool = False
    """True if its clients add robots; otherwise they use those of the world."""

    def load(self) -> type[Gateway]:
        """Return the class of its description."""
        module, _, name = self.where.partition(":")
        kind: type[Gateway] = getattr(importlib.import_module(module), name)
        return kind


GATEWAYS: dict[str, GatewayRow] = {
    "usarsim": GatewayRow(
        where="grouser.gateways.usarsim.gateway:UsarsimGateway",
        default=True,
        commands_robots=True,
        adds_robots=True,
    ),
    "truth": GatewayRow(where="grouser.gateways.usarsim.truth_port:TruthGateway", default=True),
    "images": GatewayRow(where="grouser.gateways.images.gateway:ImageGateway", default=True),
    "render_workers": GatewayRow(where="grouser.gateways.images.gateway:RenderWorkerGateway"),
    "rosbridge": GatewayRow(
        where="grouser.gateways.rosbridge.gateway:RosbridgeGateway", commands_robots=True
    ),
    "can": GatewayRow(where="grouser.gateways.can.gateway:CanGateway", commands_robots=True),
}
"""Every gateway by name."""


def default_gateways() -> tuple[Gateway, ...]:
    """Return the default gateways of a server, in the order of the table."""
    return tuple(row.load()() for row in GATEWAYS.values() if row.default)
