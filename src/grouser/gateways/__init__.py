"""Wires: each gateway translates between the host and one kind of client."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.gateways.gateway import Gateway
    from grouser.gateways.server import PictureOptions, Server, ServerOptions
    from grouser.gateways.usarsim.gateway import UsarsimGateway


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

_PLACES = {
    "PictureOptions": "grouser.gateways.server",
    "Server": "grouser.gateways.server",
    "ServerOptions": "grouser.gateways.server",
    "UsarsimGateway": "grouser.gateways.usarsim.gateway",
}

__all__ = ["GATEWAYS", "GatewayRow", "PictureOptions", "Server", "ServerOptions", "UsarsimGateway"]

__getattr__ = lazily(__name__, _PLACES)
