"""The USARSim gateway: robots' clients in three dialects, world controllers, the truth port."""

from __future__ import annotations

from typing import TYPE_CHECKING

from grouser.exports import lazily

if TYPE_CHECKING:
    from grouser.gateways.usarsim.gateway import UsarsimGateway
    from grouser.gateways.usarsim.port_profile import PortProfile
    from grouser.gateways.usarsim.truth_port import TruthGateway

_PLACES = {
    "PortProfile": "grouser.gateways.usarsim.port_profile",
    "TruthGateway": "grouser.gateways.usarsim.truth_port",
    "UsarsimGateway": "grouser.gateways.usarsim.gateway",
}

__all__ = ["PortProfile", "TruthGateway", "UsarsimGateway"]

__getattr__ = lazily(__name__, _PLACES)
