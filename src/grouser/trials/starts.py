"""Initial conditions of a trial: start pose, gait phase, and factors on friction and mass.

A scene is compiled once for all of its trials; differences between trials are written into the
state and into a few model fields, which a batch holds per simulation.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco

from grouser.errors import BadValue
from grouser.frames import Array, Quaternion, Triple
from grouser.physics.state import StateArrays, Which
from grouser.simulation.scene import Scene
from grouser.simulation.scene_state import integration_state
from grouser.simulation.stepping import StepMemory, Stepper

DRAWN_FIELDS = (
    "geom_friction",
    "body_mass",
    "body_inertia",
    "body_subtreemass",
    "body_invweight0",
    "dof_invweight0",
    "dof_M0",
    "actuator_acc0",
    "tendon_invweight0",
)
"""Model fields that hold friction and mass, and those that MuJoCo derives from masses."""


@dataclass(frozen=True, kw_only=True)
class TrialStart:
    """Initial conditions of the watched robot in one trial."""

    position: Triple
    """Position of its root in the world, m."""
    wxyz: Quaternion
    """Orientation of its root in the world."""
    phase: float = 0.0
    """Gait phase, rad; without effect on robots whose legs always start from standing."""
    friction: float = 1.0
    """Factor on the sliding friction of all geoms; above 0."""
    mass: float = 1.0
    """Factor on mass and inertia of the robot's root body; above 0."""

    def __post_init__(self) -> None:
        for name in ("friction", "mass"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"trial: the factor {name} is {value}, must be above 0")

    @property
    def draws_physics(self) -> bool:
        """True if the trial changes the scene's model."""
        return self.friction != 1.0 or self.mass != 1.0


class SceneStarts:
    """Model fields and initial states of the trials of one scene."""

    def __init__(self, scene: Scene) -> None:
        """Copy the scene's model, as a scratch model for variations."""
        self._scene = scene
        self._model = copy.copy(scene.model)
        self._state: Array | None = None

    def state(self, robot: str, start: TrialStart | None) -> tuple[Mapping[str, Array], Array]:
        """Return the varied model fields by name, and MuJoCo's initial state.

        Args:
            robot: name of the watched robot.
            start: initial conditions; None: those of the world file.
        """
        if start is None:
            if self._state is None:
                self._state = integration_state(self._scene.model, self._scene.initial())
            return {}, self._state
        fields = self._draw(robot, start)
        data = mujoco.MjData(self._model)
        data.qpos[:] = self._scene.initial().qpos
        self._stand(data, robot, start)
        mujoco.mj_forward(self._model, data)
        return fields, integration_state(self._model, data)

    def _draw(self, robot: str, start: TrialStart) -> dict[str, Array]:
        """Apply the factors to the scratch model; return its fields, empty if there are none."""
        base, model = self._scene.model, self._model
        for name in DRAWN_FIELDS:
            getattr(model, name)[:] = getattr(base, name)
        if not start.draws_physics:
            return {}
        model.geom_friction[:, 0] *= start.friction
        if start.mass != 1.0:
            root = model.body(f"{robot}/{self._scene.robots[robot].root}").id
            model.body_mass[root] *= start.mass
            model.body_inertia[root] *= start.mass
            mujoco.mj_setConst(model, mujoco.MjData(model))
            # A batch cannot vary it per simulation; it only scales the solver's tolerance.
            model.stat.meaninertia = base.stat.meaninertia
        return {name: getattr(model, name).copy() for name in DRAWN_FIELDS}

    def _stand(self, data: mujoco.MjData, robot: str, start: TrialStart) -> None:
        """Set the pose of the watched robot and the posture of its gait phase."""
        spec = self._scene.robots[robot]
        if not spec.free:
            raise BadValue(f"trial: '{robot}' is bolted to the world, it cannot start elsewhere")
        root = int(self._model.joint(f"{robot}/free").qposadr[0])
        data.qpos[root : root + 7] = [*start.position, *start.wxyz]
        for joint, value in spec.posture_at(start.phase).items():
            data.qpos[self._model.joint(f"{robot}/{joint}").qposadr[0]] = value


def initialize_robots(
    stepper: Stepper,
    rows: StateArrays,
    memory: StepMemory,
    scene: Scene,
    which: Which,
    *,
    watched: str,
    phase: float,
    command: Mapping[str, float] | None,
) -> None:
    """Set posture and initial command of every robot, as a `Simulation` does.

    Args:
        stepper: stepper of the scene.
        rows: state arrays of the simulations.
        memory: state of drives and gaits.
        scene: scene with the robots.
        which: indices of the simulations.
        watched: name of the trial's robot.
        phase: its gait phase, rad.
        command: further command to it; None: none.
    """
    for robot in scene.world.robots:
        legs = phase if robot.name == watched else 0.0
        stepper.initialize_robot(rows, memory, robot.name, robot.command, which, phase=legs)
    if command:
        stepper.command(rows, memory, watched, command, which)
    if phase:
        stepper.gaits.set_phase(memory.running_gaits, watched, phase, which)
