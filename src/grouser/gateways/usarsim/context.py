"""State shared by all USARSim connections of a server."""

from __future__ import annotations

from dataclasses import dataclass, field

from grouser.gateways.client_socket import ConnectionRegistry
from grouser.gateways.images.views import Views
from grouser.gateways.usarsim.robot_adapter import RobotAdapter
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.gateways.usarsim.wire_names import appearance
from grouser.gateways.usarsim.world_controller import WorldControllers
from grouser.sensors.truth import Truth
from grouser.service.host import Host
from grouser.simulation.simulation import Simulation


class RobotAdapters:
    """Cache of robot adapters by robot name, cleared when the scene is recompiled."""

    def __init__(self, simulation: Simulation, *, ground_truth: bool = False) -> None:
        """Create adapters for the robots of ``simulation`` on first use.

        ``ground_truth`` True: send true poses for all robots; False: only for robots whose
        USARSim class does, and for truth sensors of the world file.
        """
        self._simulation, self._scene = simulation, simulation.scene
        self._ground_truth = ground_truth
        self._adapters: dict[str, RobotAdapter] = {}

    def __getitem__(self, name: str) -> RobotAdapter:
        scene = self._simulation.scene
        if scene is not self._scene:
            self._scene = scene
            self._adapters.clear()
        if name not in self._adapters:
            entry = next(entry for entry in scene.world.robots if entry.name == name)
            robot = scene.robots[name]
            hidden: tuple[str, ...] = ()
            if not (self._ground_truth or appearance(entry.kind).ground_truth):
                hidden = tuple(own.name for own in robot.sensors if isinstance(own, Truth))
            sensors = {
                key: sensor
                for (owner, key), (sensor, _) in scene.sensors.items()
                if owner == name and key not in hidden
            }
            layout = RobotLayout(name, entry.kind, robot, sensors, scene.model)
            self._adapters[name] = RobotAdapter(layout)
        return self._adapters[name]


@dataclass
class UsarsimContext:
    """Host, connections and per-robot state of the gateway."""

    host: Host
    registry: ConnectionRegistry
    views: Views | None
    """Camera images; None: no rendering."""
    ground_truth: bool = False
    """Send true poses for all robots."""
    adapters: RobotAdapters = field(init=False)
    controllers: WorldControllers = field(init=False)

    def __post_init__(self) -> None:
        self.adapters = RobotAdapters(self.host.simulation, ground_truth=self.ground_truth)
        self.controllers = WorldControllers(self.host)

    def may_join(self, address: str) -> bool:
        """Return True if clients at ``address`` may add one more robot."""
        return self.registry.robots_of(address) < self.registry.limits.robots_per_address
