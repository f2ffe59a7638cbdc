"""What all USARSim clients of a server share."""

from __future__ import annotations

from dataclasses import dataclass, field

from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.images.views import Views
from grouser.gateways.usarsim.robot_adapters import RobotAdapters
from grouser.gateways.usarsim.world_controller import WorldControllers
from grouser.service.host import Host


@dataclass
class UsarsimContext:
    """The host, and what the gateway knows of it."""

    host: Host
    registry: ConnectionRegistry
    views: Views | None
    """What cameras see; None: nobody draws it."""
    ground_truth: bool = False
    """Whether every robot's client is told where it truly is."""
    adapters: RobotAdapters = field(init=False)
    controllers: WorldControllers = field(init=False)

    def __post_init__(self) -> None:
        self.adapters = RobotAdapters(self.host.simulation, ground_truth=self.ground_truth)
        self.controllers = WorldControllers(self.host)

    def may_join(self, address: str) -> bool:
        """Return whether one more robot may come from ``address``."""
        return self.registry.robots_of(address) < self.registry.limits.robots_per_address
