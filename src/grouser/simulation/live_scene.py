"""A scene in which time passes: MuJoCo's state, its arrays, the stepper and what it remembers.

Whatever needs to know or to change how things are in a running world gets this one object. A world
into which somebody joins is composed anew and becomes another one (`changes.recompose`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from grouser.errors import BadValue, unknown
from grouser.frames import Array, Pose
from grouser.physics.drives import Setpoint
from grouser.physics.state import StateArrays
from grouser.sensors.sensor import SensorContext
from grouser.simulation.ownership import Movers
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.world.file import RobotEntry

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""All of MuJoCo's state that decides how a run goes on."""


@dataclass(frozen=True, eq=False)
class LiveScene:
    """A compiled scene, its state now, and what looks after it between physics steps."""

    scene: Scene
    data: mujoco.MjData
    arrays: StateArrays
    """Views of ``data`` and of the model's settings, one row."""
    stepper: Stepper
    memory: StepMemory

    @staticmethod
    def begin(scene: Scene, data: mujoco.MjData) -> LiveScene:
        """Return ``scene`` in state ``data``, with nothing remembered."""
        stepper = Stepper(scene)
        arrays = StateArrays.one(scene.model, data)
        return LiveScene(scene, data, arrays, stepper, stepper.memory(1))

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model of it."""
        return self.scene.model

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return float(self.data.time)

    def command(self, robot: str, command: Mapping[str, float | Setpoint]) -> None:
        """Command a robot; see `Robot.setpoints` for words."""
        self.stepper.command(self.arrays, self.memory, robot, command, which=0)

    def settle_in(self, entry: RobotEntry) -> None:
        """Make a new robot hold its posture and start on its standing command."""
        try:
            self.stepper.settle_in(self.arrays, self.memory, entry.name, entry.command)
        except (BadValue, LookupError) as error:
            world = self.scene.world
            number = world.robots.index(entry)
            raise BadValue(f"{world.where('robots', number, 'command')}: {error}") from error

    def body(self, name: str) -> str:
        """Return what MuJoCo calls the root of a robot, or an object.

        Raises:
            UnknownName: there is nobody called ``name``.
        """
        robots, objects = self.scene.robots, [thing.name for thing in self.scene.world.objects]
        if name in robots:
            return f"{name}/{robots[name].root}"
        if name in objects:
            return name
        raise unknown("world", "robot or object", name, [*robots, *objects])

    def pose(self, name: str) -> Pose:
        """Return where a robot's root or an object is now, X_WB; nothing in ``data`` changes."""
        body = self.model.body(self.body(name)).id
        # After a step, the places in ``data`` are those before it.
        places = self.scratch
        places.qpos[:] = self.data.qpos
        mujoco.mj_kinematics(self.model, places)
        return Pose(places.xpos[body].copy(), places.xquat[body].copy())

    def update_places(self) -> None:
        """Bring the places in ``data`` up to date, for a picture: a step leaves those before it."""
        mujoco.mj_kinematics(self.model, self.data)

    @cached_property
    def scratch(self) -> mujoco.MjData:
        """Where poses are worked out and things are tried out; what is in it is nobody's."""
        return mujoco.MjData(self.model)

    @cached_property
    def movers(self) -> Movers:
        """Everybody who can move, and what of the state is theirs."""
        return Movers(self.scene)

    def sensor_context(self) -> SensorContext:
        """Return what sensors read now."""
        names, effort = self.stepper.drives.names, self.memory.effort[0]
        travel = self.stepper.odometer(self.arrays, self.memory)
        return SensorContext(self.model, self.data, names, travel, effort)

    def angles(self, robot: str) -> dict[str, float]:
        """Return where each of a robot's drives is now (rad; belts: m), counted through turns."""
        return self._by_drive("angles", robot, self.stepper.odometer(self.arrays, self.memory)())

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed work (J) each of a robot's drives has done since the start."""
        return self._by_drive("energy", robot, self.memory.work[0])

    def effort(self, robot: str) -> dict[str, float]:
        """Return the sum of |force x speed| x dt (J) of each of a robot's drives so far."""
        return self._by_drive("effort", robot, self.memory.effort[0])

    def power(self, robot: str) -> dict[str, float]:
        """Return what each of a robot's drives puts into the world now, torque x speed, W."""
        return self._by_drive("power", robot, self.stepper.drives.work.power(self.arrays)[0])

    def _by_drive(self, where: str, robot: str, values: Array) -> dict[str, float]:
        """Return the part of ``values`` (drives,) that is a robot's, by its drives' own names."""
        if robot not in self.scene.robots:
            raise unknown(where, "robot", robot, self.scene.robots)
        return {name: float(values[place]) for name, place in self.stepper.places[robot].items()}

    def state(self) -> Array:
        """Return a copy of all of MuJoCo's state that decides how the run goes on."""
        state = np.empty(mujoco.mj_stateSize(self.model, STATE))
        mujoco.mj_getState(self.model, self.data, state, STATE)
        return state

    def fingerprint(self) -> str:
        """Return a hash of the whole state: equal bits, equal hash."""
        return fingerprint(self.state(), self.memory)


def fingerprint(state: Array, memory: StepMemory, row: int = 0) -> str:
    """Return a hash of MuJoCo's ``state`` and of what a simulation's parts remember.

    Args:
        state: as `LiveScene.state` has it.
        memory: of one simulation or of a batch.
        row: which simulation of the batch.
    """
    digest = hashlib.sha256(state.tobytes())
    for array in memory.arrays():
        digest.update(array[row].tobytes())
    return digest.hexdigest()


Physics = Callable[[LiveScene, int], None]
"""Lets so many steps of physics pass; whoever guards a simulation gives it another one."""


def plain_physics(live: LiveScene, steps: int) -> None:
    """Let ``steps`` of physics pass, whatever comes of it."""
    mujoco.mj_step(live.model, live.data, steps)
