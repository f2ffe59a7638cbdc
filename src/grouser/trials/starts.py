"""Initial conditions of a trial: start pose, gait phase, and factors on friction and mass.

A scene is compiled once for all of its trials; differences between trials are written into the
state and into a few model fields, which a batch holds per simulation.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

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

NONE: Mapping[str, Any] = MappingProxyType({})
"""Default of mappings by robot."""


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
            return self.varied()
        return self.varied(
            friction=start.friction,
            masses={robot: start.mass},
            places={robot: [*start.position, *start.wxyz]},
            phases={robot: start.phase},
        )

    def varied(
        self,
        *,
        friction: float = 1.0,
        masses: Mapping[str, float] = NONE,
        places: Mapping[str, Sequence[float]] = NONE,
        phases: Mapping[str, float] = NONE,
    ) -> tuple[Mapping[str, Array], Array]:
        """Return as `state` does, with any robots varied.

        Args:
            friction: factor on the sliding friction of all geoms.
            masses: factor on mass and inertia of a robot's root body, by robot.
            places: pose of a robot's root, by robot: x, y, z (m), wxyz.
            phases: gait phase (rad) of each robot in ``places``; missing: 0.
        """
        fields = self._draw(friction, masses)
        if not fields and not places:
            if self._state is None:
                self._state = integration_state(self._scene.model, self._start)
            return {}, self._state
        data = self._scratch
        mujoco.mj_resetData(self._model, data)
        data.qpos[:], data.act[:] = self._start.qpos, self._start.act
        for robot, place in places.items():
            self._stand(data, robot, place, phases.get(robot, 0.0))
        mujoco.mj_forward(self._model, data)
        return fields, integration_state(self._model, data)

    @cached_property
    def _start(self) -> mujoco.MjData:
        """Initial state of the world file."""
        return self._scene.initial()

    @cached_property
    def _scratch(self) -> mujoco.MjData:
        return mujoco.MjData(self._model)

    def _draw(self, friction: float, masses: Mapping[str, float]) -> dict[str, Array]:
        """Apply the factors to the scratch model; return its fields, empty if there are none."""
        base, model = self._scene.model, self._model
        for name in DRAWN_FIELDS:
            getattr(model, name)[:] = getattr(base, name)
        heavier = {robot: mass for robot, mass in masses.items() if mass != 1.0}
        if friction == 1.0 and not heavier:
            return {}
        model.geom_friction[:, 0] *= friction
        for robot, mass in heavier.items():
            root = model.body(f"{robot}/{self._scene.robots[robot].root}").id
            model.body_mass[root] *= mass
            model.body_inertia[root] *= mass
        if heavier:
            mujoco.mj_setConst(model, mujoco.MjData(model))
            # A batch cannot vary it per simulation; it only scales the solver's tolerance.
            model.stat.meaninertia = base.stat.meaninertia
        return {name: getattr(model, name).copy() for name in DRAWN_FIELDS}

    def _stand(self, data: mujoco.MjData, robot: str, place: Sequence[float], phase: float) -> None:
        """Set the pose of a robot and the posture of its gait phase."""
        spec = self._scene.robots[robot]
        if not spec.free:
            raise BadValue(f"start: '{robot}' is bolted to the world, it cannot start elsewhere")
        root = int(self._model.joint(f"{robot}/free").qposadr[0])
        data.qpos[root : root + 7] = place
        for joint, value in spec.posture_at(phase).items():
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
