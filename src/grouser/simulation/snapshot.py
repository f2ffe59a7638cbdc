"""Snapshot: everything that decides the future of a simulation, to save, restore, fork and pickle.

A snapshot holds the description of the world, MuJoCo's state, the settings that changed at run
time, and the state of sensors, random generators, gaits, schedule, triggers, events and motions. A
simulation that is restored from it, in this or another process, continues in the same bits.

Snapshots are pickled with the number of their format and MuJoCo's version; load them from trusted
sources only, as any pickle.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mujoco

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation import references
from grouser.simulation.scene import compose
from grouser.simulation.scene_state import SavedState, SceneState
from grouser.simulation.sensing import SensorBinding, bindings
from grouser.world.file import World

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation

FORMAT = 6
"""Number of the format; a snapshot of another format is refused."""

PARTS = (
    *("active_sensors", "agenda", "sensor_rates", "watch_clock"),
    *("command_limits", "events", "link_faults", "log", "motions", "triggers"),
)
"""Attributes of a simulation that a snapshot holds beside MuJoCo's state."""

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

    def __repr__(self) -> str:
        return f"<Snapshot of '{self.world.name}' at {self.time:g} s, seed {self.seed}>"

    @staticmethod
    def of(simulation: Simulation) -> Snapshot:
        """Return the present state of ``simulation``."""
        sensors = simulation.active_sensors.bindings
        memories = {
            key: binding.stateful.memory for key, binding in sensors.items() if binding.stateful
        }
        parts = {name: getattr(simulation, name) for name in PARTS}
        return Snapshot(
            start=simulation.start_world,
            composed=simulation.scene.world,
            world=simulation.world,
            seed=simulation.seed,
            steps=simulation.steps,
            paused=simulation.paused,
            time=simulation.time,
            state=simulation.state.save(),
            parts=dump((parts, memories), simulation.model, sensors),
        )

    def copy_to(self, simulation: Simulation) -> None:
        """Set the state of ``simulation``; compile its scene only if it has other bodies.

        Raises:
            BadValue: the compiled scene differs from that of the snapshot.
        """
        first = simulation.first if simulation.start_world == self.start else None
        state: SceneState | None = getattr(simulation, "state", None)
        if state is None or state.scene.world != self.composed:
            if first is None and self.start == self.composed:
                first = StartState.of(self.start)
            if first is not None and first.state.scene.world == self.composed:
                state = first.state
            else:
                state = SceneState.of(compose(self.composed))
        sensors = bindings(state.scene)
        parts, memories = load(self.parts, state.model, sensors)
        state.restore(self.state)
        for key, memory in memories.items():
            if (stateful := sensors[key].stateful) is not None:
                stateful.memory = memory
        vars(simulation).update(parts)
        simulation.state, simulation.first, simulation.start_world = state, first, self.start
        simulation.seed, simulation.steps, simulation.paused = self.seed, self.steps, self.paused
        simulation.world = self.world

    def __reduce__(self) -> tuple[Any, ...]:
        content = pickle.dumps(vars(self), pickle.HIGHEST_PROTOCOL)
        return _unpickle, (FORMAT, mujoco.__version__, content)


def _unpickle(format_number: int, engine: str, content: bytes) -> Snapshot:
    """Return a snapshot from its pickle: number of the format, version of MuJoCo, content.

    The content is decoded only if this version can use it.
    """
    if (format_number, engine) != (FORMAT, mujoco.__version__):
        raise BadValue(
            f"snapshot: its format is {format_number} and it was saved with MuJoCo {engine}; this "
            f"version of Grouser reads format {FORMAT} of MuJoCo {mujoco.__version__}"
        )
    try:
        return Snapshot(**pickle.loads(content))
    except (pickle.UnpicklingError, EOFError, LookupError, TypeError, ValueError) as error:
        raise BadValue(f"snapshot: its content is damaged ({error})") from error
    except (ImportError, AttributeError) as error:
        raise BadValue(f"snapshot: a part of it is not installed here ({error})") from error


def check_snapshot(value: object) -> None:
    """Raise `BadValue` if ``value`` is no snapshot."""
    if not isinstance(value, Snapshot):
        raise BadValue(f"restore: {value!r} is no snapshot; pass the result of save()")


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
        state = SceneState.of(scene)
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
