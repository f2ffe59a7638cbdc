"""The adapters of all robots in the world, each made when it is first needed."""

from __future__ import annotations

from grouser.gateways.usarsim.robot_adapter import RobotAdapter
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.gateways.usarsim.wire_names import appearance
from grouser.sensors.truth import Truth
from grouser.simulation.simulation import Simulation


class RobotAdapters:
    """Name of a robot → its adapter, in the scene as it is composed now."""

    def __init__(self, simulation: Simulation, *, ground_truth: bool = False) -> None:
        """Adapt the robots of ``simulation``.

        Args:
            simulation: where they are.
            ground_truth: whether all are told where they truly are; else only those whose USARSim
                class was, and those to whom a world file gave such a sensor.
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
