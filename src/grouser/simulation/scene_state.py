"""Scene state: MuJoCo's data of a running scene, its arrays, the stepper and its memory.

Functions that read or change a running world take this object. A scene to which a body is added or
from which one is removed is recompiled and gets a new state (`changes.scene_builder`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, unknown
from grouser.frames import Array, Pose
from grouser.physics.losses import DriveLosses, LossMemory
from grouser.physics.state import StateArrays
from grouser.sensors.sensor import BatteryCharge, PowerState, SensorContext
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.world.file import RobotEntry

STATE = int(mujoco.mjtState.mjSTATE_INTEGRATION)
"""MuJoCo's state components that determine the continuation of a run."""


RUN_FIELDS = (
    "actuator_biasprm",
    "geom_surfacevel",
    "geom_contype",
    "geom_conaffinity",
    "dof_frictionloss",
    "actuator_forcerange",
    "geom_friction",
    "light_active",
    "mat_emission",
    "body_mass",
    "body_inertia",
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
    "tendon_invweight0",
    "actuator_acc0",
    "dof_M0",
)
"""Fields of a model that drives, belts, actions and trials write at run time."""

LAGGED_FIELDS = ("sensordata", "actuator_force", "qacc")
"""Derived quantities that are read between two steps and belong to the last step."""


SENSORS_OFF = int(mujoco.mjtDisableBit.mjDSBL_SENSOR)
"""Flag that switches MuJoCo's sensors off."""


@dataclass(frozen=True)
class SavedState:
    """Copy of the arrays that decide the future of a `SceneState`."""

    integration: Array
    """MuJoCo's state components in `STATE`."""
    lagged: dict[str, Array]
    model: dict[str, Array]
    gravity: Array
    memory: tuple[Array, ...]
    """As `StepMemory.arrays`."""


@dataclass(frozen=True, eq=False)
class SceneState:
    """A compiled scene, its present state, and its stepper."""

    scene: Scene
    data: mujoco.MjData
    arrays: StateArrays
    """Views of ``data`` and of the model's settings, one row."""
    stepper: Stepper
    memory: StepMemory

    @staticmethod
    def begin(scene: Scene, data: mujoco.MjData) -> SceneState:
        """Return ``scene`` in state ``data``, with an empty step memory."""
        stepper = Stepper(scene)
        arrays = StateArrays.one(scene.model, data)
        return SceneState(scene, data, arrays, stepper, stepper.memory(arrays))

    @staticmethod
    def of(scene: Scene) -> SceneState:
        """Return ``scene`` in an undefined state."""
        return SceneState.begin(scene, mujoco.MjData(scene.model))

    @property
    def model(self) -> mujoco.MjModel:
        """MuJoCo's model of the scene."""
        return self.scene.model

    def initialize_robot(self, entry: RobotEntry) -> None:
        """Hold a new robot in its posture and apply its initial command."""
        try:
            self.stepper.initialize_robot(self.arrays, self.memory, entry.name, entry.command)
        except (BadValue, LookupError) as error:
            world = self.scene.world
            number = world.robots.index(entry)
            raise BadValue(f"{world.where('robots', number, 'command')}: {error}") from error

    def enable_sensors(self, enabled: bool) -> None:
        """Switch MuJoCo's sensors on or off; while off, ``sensordata`` keeps its values."""
        options = self.model.opt
        flags = options.disableflags & ~SENSORS_OFF
        options.disableflags = flags if enabled else flags | SENSORS_OFF

    def body(self, name: str) -> str:
        """Return MuJoCo's name of the root body of a robot, or of an object.

        Raises:
            UnknownName: there is no robot or object ``name``.
        """
        robots, objects = self.scene.robots, [thing.name for thing in self.scene.world.objects]
        if name in robots:
            return f"{name}/{robots[name].root}"
        if name in objects:
            return name
        raise unknown("world", "robot or object", name, [*robots, *objects])

    def pose(self, name: str) -> Pose:
        """Return the pose of a robot's root or of an object, X_WB, after `update_kinematics`."""
        body = self.model.body(self.body(name)).id
        return Pose(self.data.xpos[body].copy(), self.data.xquat[body].copy())

    def update_kinematics(self) -> None:
        """Update the body poses in ``data`` for rendering; after a step they are one step old."""
        mujoco.mj_kinematics(self.model, self.data)

    @cached_property
    def scratch_data(self) -> mujoco.MjData:
        """Spare MjData for queries; contents undefined."""
        return mujoco.MjData(self.model)

    @cached_property
    def ownership(self) -> BodyOwnership:
        """Map of robots and objects to body, qpos and dof indices."""
        return BodyOwnership(self.scene)

    def sensor_context(self) -> SensorContext:
        """Return the inputs of sensor models at the present time."""
        names, effort = self.stepper.drives.names, self.memory.effort[0]
        travel = self.stepper.odometer(self.arrays, self.memory)
        power = partial(power_state, self.stepper.losses, self.memory.losses, 0)
        return SensorContext(self.model, self.data, names, travel, effort, power)

    def angles(self, robot: str) -> dict[str, float]:
        """Return the position of each of a robot's drives (rad; belts: m), not wrapped."""
        return self._by_drive("angles", robot, self.stepper.odometer(self.arrays, self.memory)())

    def energy(self, robot: str) -> dict[str, float]:
        """Return the signed work (J) of each of a robot's drives since the start."""
        return self._by_drive("energy", robot, self.memory.work[0])

    def effort(self, robot: str) -> dict[str, float]:
        """Return the integral of |force x speed| (J) of each of a robot's drives so far."""
        return self._by_drive("effort", robot, self.memory.effort[0])

    def electric_energy(self, robot: str) -> dict[str, float]:
        """Return the electric energy (J) that each of a robot's motors has taken so far."""
        motors = self.stepper.losses.motors
        return self._by_lossy_drive("electric_energy", robot, "electric", motors)

    def losses(self, robot: str) -> dict[str, float]:
        """Return the work (J) against friction of each of a robot's drives so far."""
        every = (True,) * len(self.stepper.losses.names)
        return self._by_lossy_drive("losses", robot, "lost", every)

    def _by_lossy_drive(
        self, where: str, robot: str, array: str, chosen: Sequence[bool]
    ) -> dict[str, float]:
        """Return a robot's part of an array of `LossMemory`, by the names of its drives."""
        if robot not in self.scene.robots:
            raise unknown(where, "robot", robot, self.scene.robots)
        values = getattr(self.memory.losses, array)[0].tolist()
        names = self.stepper.losses.names
        return {
            name.removeprefix(f"{robot}/"): value
            for name, value, wanted in zip(names, values, chosen, strict=True)
            if wanted and name.startswith(f"{robot}/")
        }

    def power(self, robot: str) -> dict[str, float]:
        """Return the mechanical power of each of a robot's drives, torque x speed, W."""
        return self._by_drive("power", robot, self.stepper.drives.work.power(self.arrays)[0])

    def _by_drive(self, where: str, robot: str, values: Array) -> dict[str, float]:
        """Return a robot's part of ``values`` (drives,), by the names of its drives."""
        if robot not in self.scene.robots:
            raise unknown(where, "robot", robot, self.scene.robots)
        return {name: float(values[place]) for name, place in self.stepper.places[robot].items()}

    def begin_again(self, fields: Mapping[str, Array], gravity: Array) -> None:
        """Return to the initial state of the scene, with the given fields of its model."""
        self._set_fields(fields, gravity)
        self.scene.initialize(self.data)
        self.stepper.clear(self.arrays, self.memory, slice(None))
        for entry in self.scene.world.robots:
            self.initialize_robot(entry)

    def _set_fields(self, fields: Mapping[str, Array], gravity: Array) -> None:
        for name, values in fields.items():
            getattr(self.model, name)[...] = values
        self.model.opt.gravity[:] = gravity

    def run_fields(self) -> dict[str, Array]:
        """Return a copy of the model's `RUN_FIELDS`."""
        return {name: getattr(self.model, name).copy() for name in RUN_FIELDS}

    def save(self) -> SavedState:
        """Return a copy of everything that decides the future of physics, drives and gaits."""
        return SavedState(
            integration=self.integration_state(),
            lagged={name: getattr(self.data, name).copy() for name in LAGGED_FIELDS},
            model=self.run_fields(),
            gravity=self.model.opt.gravity.copy(),
            memory=tuple(array.copy() for array in self.memory.arrays()),
        )

    def restore(self, saved: SavedState) -> None:
        """Return to a saved state of this scene, or of an equal one.

        Raises:
            BadValue: the scene differs, for example in a mesh file.
        """
        model, data = self.model, self.data
        present = self.run_fields() | {"integration": self.integration_state()}
        for name, values in (saved.model | {"integration": saved.integration}).items():
            if present[name].shape != values.shape:
                raise BadValue(
                    f"restore: world '{self.scene.world.name}' has changed since the snapshot was "
                    f"saved: {name} has shape {present[name].shape}, in the snapshot {values.shape}"
                )
        self._set_fields(saved.model, saved.gravity)
        # After a fatal error MuJoCo's internal memory is inconsistent; this resets it.
        mujoco.mj_resetData(model, data)
        mujoco.mj_setState(model, data, saved.integration, STATE)
        mujoco.mj_forward(model, data)  # contacts and poses, which sensors may read before a step
        mujoco.mj_setState(model, data, saved.integration, STATE)  # the solver's warm start
        for name, values in saved.lagged.items():
            getattr(data, name)[...] = values
        for array, values in zip(self.memory.arrays(), saved.memory, strict=True):
            array[...] = values

    def integration_state(self) -> Array:
        """Return a copy of MuJoCo's state components in `STATE`."""
        return integration_state(self.model, self.data)

    def fingerprint(self) -> str:
        """Return a hash of the whole state: equal bits, equal hash."""
        return fingerprint(self.integration_state(), self.memory)


def power_state(losses: DriveLosses, memory: LossMemory, row: int) -> PowerState:
    """Return temperatures and charges of simulation ``row``, as sensors take them."""
    charges = {
        robot: BatteryCharge(left, losses.batteries[robot].energy, losses.batteries[robot].idle)
        for robot, left in losses.charges(memory, row).items()
    }
    return PowerState(losses.temperatures(memory, row), charges)


def integration_state(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    """Return a copy of the components in `STATE` of any data."""
    state = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    return state


def geom_corners(model: mujoco.MjModel, data: mujoco.MjData, geom: int) -> Array:
    """Return the corners (8, 3) of a geom's bounding box in the world, m."""
    centre, half = model.geom_aabb[geom].reshape(2, 3)
    signs = np.array(np.meshgrid(*([(-1, 1)] * 3))).reshape(3, -1).T
    turned = (centre + signs * half) @ data.geom_xmat[geom].reshape(3, 3).T
    return np.asarray(data.geom_xpos[geom] + turned)


def fingerprint(state: Array, memory: StepMemory, row: int = 0) -> str:
    """Return a hash of MuJoCo's state and of the step memory.

    Args:
        state: as `SceneState.integration_state` returns it.
        memory: of one simulation or of a batch.
        row: index of the simulation in the batch.
    """
    digest = hashlib.sha256(state.tobytes())
    for array in memory.arrays():
        digest.update(array[row].tobytes())
    return digest.hexdigest()


StepPhysics = Callable[[SceneState, int], Array | None]
"""Function that advances physics by a number of steps, as `grouser.physics.drive_work.Advance`;
`DivergenceRecovery` has another one."""


def step_physics(state: SceneState, steps: int) -> None:
    """Advance physics by ``steps``, without checks."""
    mujoco.mj_step(state.model, state.data, steps)


class BodyOwnership:
    """Map of the movable robots and objects of a scene to their body, qpos and dof indices."""

    def __init__(self, scene: Scene) -> None:
        """Look up all owners."""
        model = scene.model
        self._model = model
        known = [*scene.robots, *(thing.name for thing in scene.world.objects)]
        owners = [_owner(model.body(root).name, known) for root in model.body_rootid.tolist()]
        moving = {owners[body] for body in model.dof_bodyid.tolist()}
        self.names = tuple(name for name in known if name in moving)
        """Robots and objects with at least one joint; robots first."""
        number = {name: place for place, name in enumerate(self.names)}
        self._of_body = np.array([number.get(owner, -1) for owner in owners], np.intp)
        self._of_dof = self._of_body[model.dof_bodyid]
        ends = np.append(model.jnt_qposadr[1:], model.nq)
        self._of_position = np.repeat(
            self._of_body[model.jnt_bodyid], ends - model.jnt_qposadr[: model.njnt]
        )
        self._roots = [int(self.bodies(name)[0]) for name in self.names]
        self.masses = self._sums(model.body_mass, self._of_body)
        """In the order of ``names``, kg."""

    def bodies(self, name: str) -> npt.NDArray[np.intp]:
        """Return the ids of the bodies of ``name``; empty if it cannot move."""
        if name not in self.names:
            return np.zeros(0, np.intp)
        return np.flatnonzero(self._of_body == self.names.index(name))

    def energies(self, data: mujoco.MjData) -> Array:
        """Return the kinetic energy of each owner, J/kg, (names,); infinite instead of NaN."""
        momenta = np.empty(self._model.nv)
        mujoco.mj_mulM(self._model, data, momenta, data.qvel)
        joules = self._sums(0.5 * momenta * data.qvel, self._of_dof)
        return np.nan_to_num(joules / self.masses, nan=np.inf)

    def largest_of_dofs(self, values: Array) -> Array:
        """Return each owner's largest absolute value of ``values`` (nv,), (names,)."""
        return self._peaks(values, self._of_dof)

    def largest_of_positions(self, values: Array) -> Array:
        """Return each owner's largest absolute value of ``values`` (nq,), (names,)."""
        return self._peaks(values, self._of_position)

    def outside(self, data: mujoco.MjData, lowest: float, farthest: float) -> list[str]:
        """Return the owners with a root below ``lowest`` or beyond ``farthest`` in x or y (m)."""
        places = data.xpos[self._roots]
        inside = (places[:, 2] >= lowest) & (np.abs(places[:, :2]).max(axis=1) <= farthest)
        return [name for name, here in zip(self.names, inside, strict=True) if not here]

    def _peaks(self, values: Array, owners: npt.NDArray[np.intp]) -> Array:
        """Return each owner's largest absolute value, (names,); infinite for NaN."""
        peaks = np.zeros(len(self.names) + 1)
        np.maximum.at(peaks, owners + 1, np.nan_to_num(np.abs(values), nan=np.inf))
        return peaks[1:]

    def _sums(self, values: Array, owners: npt.NDArray[np.intp]) -> Array:
        """Return the sum of ``values`` per owner, (names,); values without owner are left out."""
        sums = np.bincount(owners + 1, values, len(self.names) + 1)[1:]
        return np.asarray(sums, float)


def _owner(body: str, known: list[str]) -> str:
    """Return the owner of a child of the world body; "": none."""
    first = body.partition("/")[0]
    return body if body in known else first if first in known else ""
