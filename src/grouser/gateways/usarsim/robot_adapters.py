"""The adapters of all robots in the world, each made when it is first needed."""

from __future__ import annotations

from grouser.gateways.usarsim.robot_adapter import RobotAdapter
from grouser.gateways.usarsim.robot_layout import RobotLayout
from grouser.simulation.simulation import Simulation


class RobotAdapters:
    """Name of a robot → its adapter, in the scene as it is composed now."""

    def __init__(self, simulation: Simulation) -> None:
        """Adapt the robots of ``simulation``."""
        self._simulation, self._scene = simulation, simulation.scene
        self._adapters: dict[str, RobotAdapter] = {}

    def __getitem__(self, name: str) -> RobotAdapter:
        scene = self._simulation.scene
        if scene is not self._scene:
            self._scene = scene
            self._adapters.clear()
        if name not in self._adapters:
            entry = next(entry for entry in scene.world.robots if entry.name == name)
            sensors = {
                key: sensor for (robot, key), (sensor, _) in scene.sensors.items() if robot == name
            }
            layout = RobotLayout(name, entry.kind, scene.robots[name], sensors, scene.model)
            self._adapters[name] = RobotAdapter(layout)
        return self._adapters[name]
