"""Sensors of a batch: those of every simulation, sampled as a `Simulation` samples them.

Each simulation has its own schedule, delays and random generators. MuJoCo's derived quantities are
copied from the batch to one MjData per scene, in which the sensors of one simulation after the
other are read. Cameras are left out: a batch does not render.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, unknown
from grouser.frames import Array
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera
from grouser.sensors.sensor import BoundSensor, PowerState, Reading, Sensor, SensorContext
from grouser.simulation import snapshot
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import power_state
from grouser.simulation.schedule import NEVER
from grouser.simulation.sensing import ActiveSensors, Key, bindings
from grouser.trials.scene_batch import Rows, SceneBatch
from grouser.trials.starts import DRAWN_FIELDS

Pictures = (Camera, DepthCamera)
"""Sensors that need rendering."""


def select_sensors(scene: Scene, wanted: Mapping[str, Collection[str]] | None) -> list[Key]:
    """Return robot and name of the sensors that a batch reads.

    Args:
        scene: the compiled world.
        wanted: names of sensors by robot; None: all that need no pictures.

    Raises:
        UnknownName: there is no such robot or sensor.
        BadValue: a sensor needs pictures.
    """
    if wanted is None:
        return [key for key, (kind, _) in scene.sensors.items() if not isinstance(kind, Pictures)]
    chosen = []
    for robot, names in wanted.items():
        if robot not in scene.robots:
            raise unknown("batch: sensors", "robot", robot, scene.robots)
        own = [name for owner, name in scene.sensors if owner == robot]
        for name in [names] if isinstance(names, str) else names:
            if name not in own:
                raise unknown(f"batch: robot '{robot}'", "sensor", name, own)
            if isinstance(scene.sensors[robot, name][0], Pictures):
                raise BadValue(
                    f"batch: sensor '{name}' of '{robot}' is a camera, and a batch does not "
                    "render; leave it out, or step a Simulation"
                )
            chosen.append((robot, name))
    return chosen


class BatchSensors:
    """Sensors of all simulations of a `SceneBatch`."""

    def __init__(self, batch: SceneBatch, scenes: Sequence[Scene], keys: Sequence[Key]) -> None:
        """Bind the sensors ``keys``.

        Args:
            batch: the simulations.
            scenes: scene of every simulation; `reset` must follow.
            keys: robot and name of each sensor.
        """
        self._batch = batch
        self._source_of = {id(scene): _Source(scene, keys) for scene in scenes}
        self._sources = [self._source_of[id(scene)] for scene in scenes]
        self._scenes = [source.for_simulation() for source in self._sources]
        self._active = [ActiveSensors(0) for _ in scenes]
        self._due = np.full(len(scenes), NEVER if not keys else 0)
        self.keys = tuple(keys)
        """Robot and name of each sensor that is read."""

    def reset(self, row: int, seed: int) -> None:
        """Return to the state before the first reading of simulation ``row``."""
        scene = self._scenes[row]
        for key, memory in self._sources[row].memories.items():
            bound: Any = scene.sensors[key][1]
            bound.memory = copy.deepcopy(memory)
        self._active[row] = ActiveSensors(seed)
        self._rebind(row, 0)

    def _rebind(self, row: int, step: int) -> None:
        if self.keys:
            self._active[row] = self._active[row].rebound(self._scenes[row], step)
            self._due[row] = self._active[row].due

    def steps_to_next(self, rows: Rows, steps: npt.NDArray[np.int64]) -> int:
        """Return the least number of steps after which a reading of ``rows`` is due.

        ``steps``: of every simulation since its start.
        """
        return max(1, int((self._due[rows] - steps[rows]).min(initial=NEVER)))

    def read_due(self, steps: npt.NDArray[np.int64]) -> None:
        """Read every sensor that is due; ``steps``: of every simulation since its start."""
        due = np.flatnonzero(self._due <= steps)
        if not len(due):
            return
        odometers = self._batch.stepper.odometers(self._batch.rows, self._batch.memory)
        for row in due.tolist():
            step = int(steps[row])
            self._active[row].read_due(step, self._context(row, step, odometers(row)))
            self._due[row] = self._active[row].due

    def stop(self, rows: Rows) -> None:
        """Read no more sensors of the simulations ``rows`` until their `reset`."""
        self._due[rows] = NEVER

    def _data(self, row: int) -> mujoco.MjData:
        """Return a copy of a simulation's data, valid until the next call."""
        return self._batch.physics.get_data(row, self._sources[row].data)

    def _context(self, row: int, step: int, travel: Callable[[], Array]) -> SensorContext:
        batch, source = self._batch, self._sources[row]
        model = source.scene.model
        if batch.drawn:
            model = source.drawn_model
            for name in DRAWN_FIELDS:
                getattr(model, name)[...] = batch.varied[name][row]
        names, effort = batch.stepper.drives.names, batch.memory.effort[row]
        now = step * source.scene.timestep
        power = partial(power_state, batch.stepper.losses, batch.memory.losses, row)
        return _RowContext(model, partial(self._data, row), names, travel, effort, now, power)

    def readings(self, robot: str, sensor: str, times: Sequence[float]) -> list[Reading]:
        """Return every simulation's newest reading available at its own one of ``times`` (s)."""
        return [
            active.read(robot, sensor, time)
            for active, time in zip(self._active, times, strict=True)
        ]

    def check(self, robot: str, sensor: str) -> None:
        """Raise `UnknownName` unless the batch reads this sensor."""
        if (robot, sensor) not in self.keys:
            scene = self._batch.scene
            if robot not in scene.robots:
                raise unknown("batch", "robot", robot, scene.robots)
            names = [name for owner, name in self.keys if owner == robot]
            raise unknown(f"batch: robot '{robot}'", "sensor that is read", sensor, names)

    def save(self, row: int) -> bytes:
        """Return readings, schedule, random generators and memories of a simulation, pickled."""
        scene, active = self._scenes[row], self._active[row]
        bound: dict[Key, Any] = {key: bound for key, (_, bound) in scene.sensors.items()}
        memories = {key: bound[key].memory for key in self._sources[row].memories}
        return snapshot.dump((active, memories), scene.model, active.bindings)

    def restore(self, row: int, saved: bytes, scene: Scene) -> None:
        """Continue from what `save` returned, in any simulation; its world becomes ``scene``."""
        if self._sources[row].scene is not scene:
            self._sources[row] = self._source_of[id(scene)]
            self._scenes[row] = self._sources[row].for_simulation()
        scene = self._scenes[row]
        active, memories = snapshot.load(saved, scene.model, bindings(scene))
        for key, memory in memories.items():
            bound: Any = scene.sensors[key][1]
            bound.memory = memory
        self._active[row], self._due[row] = active, active.due


class _RowContext(SensorContext):
    """Context that copies MuJoCo's data on first use: encoders do not need it."""

    def __init__(
        self,
        model: mujoco.MjModel,
        data: Callable[[], mujoco.MjData],
        drives: tuple[str, ...],
        travel: Callable[[], Array],
        effort: Array,
        time: float,
        power: Callable[[], PowerState],
    ) -> None:
        own = {"model": model, "drives": drives, "travel": travel, "effort": effort, "time": time}
        own["power"] = power
        vars(self).update(own, _copy=data)

    @cached_property
    def data(self) -> mujoco.MjData:
        """MuJoCo's data."""
        copied: mujoco.MjData = vars(self)["_copy"]()
        return copied


class _Source:
    """Parts that all simulations of one scene use: sensors without a memory, model, spare data."""

    def __init__(self, scene: Scene, keys: Iterable[Key]) -> None:
        self.scene = scene
        self._sensors = {key: scene.sensors[key] for key in keys}
        self.memories: dict[Key, Any] = {
            key: copy.deepcopy(bound.memory)
            for key, (_, bound) in self._sensors.items()
            if hasattr(bound, "memory")
        }
        """Memory of every sensor that has one, before its first reading."""

    @cached_property
    def data(self) -> mujoco.MjData:
        """Spare data in which sensors are read."""
        return mujoco.MjData(self.scene.model)

    @cached_property
    def drawn_model(self) -> mujoco.MjModel:
        """Copy of the model for simulations with other friction or mass."""
        return copy.copy(self.scene.model)

    def for_simulation(self) -> Scene:
        """Return the scene with the sensors of one simulation."""

        def bind(key: Key, sensor: Sensor, bound: BoundSensor) -> BoundSensor:
            return sensor.bind(self.scene.model, f"{key[0]}/") if key in self.memories else bound

        sensors = {key: (one, bind(key, one, bound)) for key, (one, bound) in self._sensors.items()}
        return dataclasses.replace(self.scene, sensors=sensors)
