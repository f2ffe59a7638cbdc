"""Snapshot: everything that decides the future of a simulation, to save, restore, fork and pickle.

A snapshot holds the description of the world, MuJoCo's state, the settings that changed at run
time, and the state of sensors, random generators, gaits, schedule, triggers, events and motions. A
simulation that is restored from it, in this or another process, continues in the same bits.

Snapshots are pickled with their format number; load them from trusted sources only, as any pickle.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import mujoco

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation import references
from grouser.simulation.scene import compose
from grouser.simulation.scene_state import SavedState, SceneState
from grouser.simulation.sensing import SensorBinding, bindings
from grouser.world.file import World

FORMAT = 2
"""Number of the format; a snapshot of another format is refused."""

Key = tuple[str, str]
"""Names of a robot and of a sensor on it."""


@dataclass(frozen=True)
class Snapshot:
    """State of a simulation at one step; returned by `Simulation.save`."""

    start: World
    """Description of the world at its start, to which `Simulation.reset` returns."""
    composed: World
    """Description from which the present scene was compiled."""
    world: World
    """Present description: `composed`, with all settings that changed since."""
    seed: int
    steps: int
    """Steps since the start."""
    paused: bool
    state: SavedState
    """MuJoCo's state, settings and step memory."""
    parts: bytes
    """Pickled state of schedule, sensors, triggers, events, motions and log."""
    time: float
    """Simulated time, s."""
    format: int = FORMAT

    def __repr__(self) -> str:
        return f"<Snapshot of '{self.world.name}' at {self.time:g} s, seed {self.seed}>"


def check_snapshot(value: object) -> None:
    """Raise `BadValue` unless ``value`` is a snapshot of this format."""
    if not isinstance(value, Snapshot):
        raise BadValue(f"restore: {value!r} is no snapshot; pass the result of save()")
    if value.format != FORMAT:
        raise BadValue(
            f"snapshot: its format is {value.format}, this version of Grouser reads {FORMAT}"
        )


def dump(parts: object, model: object, bindings: Mapping[Key, SensorBinding]) -> bytes:
    """Pickle ``parts``; the model and sensors of the scene become references."""
    shared: dict[int, object] = {id(model): "model"}
    for key, binding in bindings.items():
        shared[id(binding)] = "binding", key
        shared[id(binding.bound)] = "bound", key
    return references.dump(parts, lambda part: shared.get(id(part)))


def load(parts: bytes, model: object, bindings: Mapping[Key, SensorBinding]) -> Any:
    """Return what `dump` has pickled, with references to this model and these sensors."""
    shared: dict[object, object] = {"model": model}
    for key, binding in bindings.items():
        shared["binding", key] = binding
        shared["bound", key] = binding.bound
    return references.load(parts, shared.__getitem__)


@dataclass(frozen=True)
class StartState:
    """Compiled scene of the start, and all of it that runs change."""

    state: SceneState
    fields: dict[str, Array]
    gravity: Array
    memories: dict[tuple[str, str], Any]
    """Memory of every sensor that has one, before its first reading."""

    @staticmethod
    def of(world: World) -> StartState:
        """Compile ``world``."""
        scene = compose(world)
        state = SceneState.begin(scene, mujoco.MjData(scene.model))
        memories = {
            key: binding.stateful.memory
            for key, binding in bindings(scene).items()
            if binding.stateful
        }
        return StartState(
            state, state.run_fields(), scene.model.opt.gravity.copy(), copy.deepcopy(memories)
        )

    def begin_again(self) -> SceneState:
        """Return the state as it is at the start."""
        self.state.begin_again(self.fields, self.gravity)
        for key, memory in self.memories.items():
            bound: Any = self.state.scene.sensors[key][1]
            bound.memory = copy.deepcopy(memory)
        return self.state
