"""Gateway interface and table: each gateway translates between the host and one wire protocol.

A `Gateway` is a description with its ports and options; `Gateway.endpoints` returns the ports that
the server opens. Packages add gateways as entry points of the group ``grouser.gateways``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from grouser import plugins
from grouser.description import Description
from grouser.errors import BadValue, unknown
from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.images.views import Views
from grouser.gateways.listening_port import ConnectionFactory
from grouser.service.host import Host


def _fixed_speed(factor: float) -> None:
    raise BadValue(f"speed is {factor:g}, but this server cannot change it")


@dataclass(frozen=True)
class GatewayContext:
    """Objects of a server that its gateways use."""

    host: Host
    registry: ConnectionRegistry
    """Clients' sockets, access control and limits."""
    views: Views | None = None
    """Pictures of the cameras; None: pictures are not rendered."""
    speed: Callable[[], float] = lambda: 1.0
    """Returns the real-time factor; infinity: as fast as possible."""
    set_speed: Callable[[float], None] = _fixed_speed
    """Sets the real-time factor."""
    tls: bool = False
    """True if the ports of the server use TLS."""


@dataclass(frozen=True)
class Endpoint:
    """A port to be opened."""

    name: str
    """Name in the server's announcement."""
    port: int
    """Number; 0: any free one."""
    factory: ConnectionFactory
    """Returns the protocol of one connection."""
    opened: Callable[[str, int], Callable[[], None]] | None = None
    """Called with address and number of the open port; returns a function for its closing."""


class Gateway(Description):
    """Base of the descriptions of gateways; the fields are its options."""

    def endpoints(self, context: GatewayContext) -> Iterable[Endpoint]:
        """Return its ports; their connections use ``context``."""
        raise NotImplementedError

    def start(self, context: GatewayContext) -> Callable[[], None] | None:
        """Start what does not need a port of the server; return a function that ends it."""
        return None


PortNumber = Annotated[int, Field(ge=0, lt=65536)]
"""Port; 0: any free one."""

GATEWAYS: dict[str, str] = {
    "usarsim": "grouser.gateways.usarsim.gateway:UsarsimGateway",
    "truth": "grouser.gateways.usarsim.truth_port:TruthGateway",
    "images": "grouser.gateways.images.gateway:ImageGateway",
    "render_workers": "grouser.gateways.images.gateway:RenderWorkerGateway",
    "rosbridge": "grouser.gateways.rosbridge.gateway:RosbridgeGateway",
    "ros2": "grouser.gateways.ros2.gateway:Ros2Gateway",
    "foxglove": "grouser.gateways.foxglove.gateway:FoxgloveGateway",
    "can": "grouser.gateways.can.gateway:CanGateway",
    "page": "grouser.gateways.page.gateway:PageGateway",
    "game_controller": "grouser.gateways.game_controller:GameControllerGateway",
    "urbi": "grouser.gateways.urbi.gateway:UrbiGateway",
    "vrpn": "grouser.gateways.vrpn.gateway:VrpnGateway",
}
"""Gateway → ``module:attribute`` of its description; imported on use."""

DEFAULT_GATEWAYS = ("usarsim", "truth", "images")
"""Gateways that a server opens unless others are listed, in this order."""


def gateway_kinds() -> dict[str, str]:
    """Return all gateways, including entry points: name → ``module:attribute``."""
    return GATEWAYS | plugins.entry_point_targets(plugins.GATEWAYS, GATEWAYS)


def describe_gateway(name: str, options: Mapping[str, Any], where: str) -> Gateway:
    """Return the description of a gateway, its options checked.

    Args:
        name: a key of `gateway_kinds`.
        options: fields of that gateway.
        where: location for error messages, e.g. ``"--gateway"``.
    """
    if name not in gateway_kinds():
        raise unknown(where, "gateway", name, gateway_kinds())
    kind = plugins.load_class(name, GATEWAYS, plugins.GATEWAYS, where, _check)
    return kind.from_options(options, where, f"gateway '{name}'")


def _check(found: object, name: str) -> type[Gateway]:
    return plugins.check_class(found, Gateway)


def default_gateways() -> tuple[Gateway, ...]:
    """Return the default gateways of a server."""
    return tuple(describe_gateway(name, {}, "server") for name in DEFAULT_GATEWAYS)
