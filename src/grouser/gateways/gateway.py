"""What a gateway is: it translates between the host and one kind of client.

A gateway is described by a frozen object that names its ports and their options. A server asks it
for its `Endpoint`s once the host is there, and opens a socket for each.
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
    """What a server lends to its gateways."""

    host: Host
    registry: ConnectionRegistry
    """Clients' sockets, who may come in, and how much they may ask for."""
    views: Views | None = None
    """What cameras see; None: nobody draws it."""


@dataclass(frozen=True)
class Endpoint:
    """A port to be opened."""

    name: str
    """As the server announces it."""
    port: int
    """0: any that is free."""
    factory: ConnectionFactory
    """Makes the protocol of one connection."""


class Gateway(Protocol):
    """The description of a gateway."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return its ports; whoever connects there is served from ``context``."""
        ...


@dataclass(frozen=True)
class GatewayRow:
    """What the table says of a gateway."""

    where: str
    """Module and class of its description (`grouser.gateways.gateway.Gateway`), with a colon."""
    commands_robots: bool
    """Whether its clients command robots; the gateways' contract test drives these."""
    brings_robots: bool = True
    """Whether those clients bring robots; else they have those of the world."""

    def load(self) -> type[Gateway]:
        """Return the class of its description."""
        module, _, name = self.where.partition(":")
        kind: type[Gateway] = getattr(importlib.import_module(module), name)
        return kind


GATEWAYS: dict[str, GatewayRow] = {
    "usarsim": GatewayRow("grouser.gateways.usarsim.gateway:UsarsimGateway", True),
    "truth": GatewayRow("grouser.gateways.usarsim.truth_port:TruthGateway", False),
    "images": GatewayRow("grouser.gateways.images.gateway:ImageGateway", False),
    "render_workers": GatewayRow("grouser.gateways.images.gateway:RenderWorkerGateway", False),
    "rosbridge": GatewayRow("grouser.gateways.rosbridge.gateway:RosbridgeGateway", True, False),
    "can": GatewayRow("grouser.gateways.can.gateway:CanGateway", True, False),
}
"""Every gateway, in the order in which a server opens their ports."""
