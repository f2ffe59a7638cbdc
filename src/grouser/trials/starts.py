"""How a trial starts: where its robot stands, and what of its physics was drawn.

A scene is composed once for all trials in it; what differs between them is written into the state
and into a few fields of the model, which a batch holds per simulation.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Quaternion, Triple
from grouser.physics.state import StateArrays, Which
from grouser.simulation.live_scene import STATE
from grouser.simulation.scene import Scene
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
"""Fields of a model in which friction and mass are, and what MuJoCo works out from masses."""


@dataclass(frozen=True, kw_only=True)
class TrialStart:
    """How the watched robot starts in one trial."""

    position: Triple
    """Of its root in the world, m."""
    wxyz: Quaternion
    """Of its root in the world."""
    phase: float = 0.0
    """Of its legs, rad; robots whose legs always start from standing do not heed it."""
    friction: float = 1.0
    """Factor on the sliding friction of everything; above 0."""
    mass: float = 1.0
    """Factor on mass and inertia of the robot's root body; above 0."""

    def __post_init__(self) -> None:
        for name in ("friction", "mass"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise BadValue(f"trial: {name} is {value} of its own, must be above 0")

    @property
    def draws_physics(self) -> bool:
        """Whether the model differs from the scene's."""
        return self.friction != 1.0 or self.mass != 1.0


class SceneStarts:
    """How trials of one scene start: its model's drawn fields and MuJoCo's state."""

    def __init__(self, scene: Scene) -> None:
        """Keep a copy of the scene's model to try draws on."""
        self._scene = scene
        self._model = copy.copy(scene.model)
        self._state: Array | None = None

    def state(self, robot: str, start: TrialStart | None) -> tuple[Mapping[str, Array], Array]:
        """Return the drawn fields of the model by name, and MuJoCo's state at the start.

        Args:
            robot: the watched one.
            start: of the trial; None: as the world says.
        """
        if start is None:
            if self._state is None:
                self._state = _state(self._scene.model, self._scene.initial())
            return {}, self._state
        fields = self._draw(robot, start)
        data = mujoco.MjData(self._model)
        data.qpos[:] = self._scene.initial().qpos
        self._stand(data, robot, start)
        mujoco.mj_forward(self._model, data)
        return fields, _state(self._model, data)

    def _draw(self, robot: str, start: TrialStart) -> dict[str, Array]:
        """Write what was drawn into the copy; return its fields, none if nothing was drawn."""
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
            # Of no simulation's own in a batch; it only scales the solver's tolerance.
            model.stat.meaninertia = base.stat.meaninertia
        return {name: getattr(model, name).copy() for name in DRAWN_FIELDS}

    def _stand(self, data: mujoco.MjData, robot: str, start: TrialStart) -> None:
        """Put the watched robot where it starts, its legs at their phase."""
        who = self._scene.robots[robot]
        if not who.free:
            raise BadValue(f"trial: '{robot}' is bolted to the world, it cannot start elsewhere")
        root = int(self._model.joint(f"{robot}/free").qposadr[0])
        data.qpos[root : root + 7] = [*start.position, *start.wxyz]
        for joint, value in who.posture_at(start.phase).items():
            data.qpos[self._model.joint(f"{robot}/{joint}").qposadr[0]] = value


def settle_in(
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
    """Hold every posture and give every robot its standing command, as a Simulation does.

    Args:
        stepper: of the scene.
        rows: the simulations.
        memory: what their parts remember.
        scene: who is there.
        which: of the simulations.
        watched: the trial's robot.
        phase: of its legs, rad.
        command: what it is told besides; None: nothing.
    """
    for robot in scene.world.robots:
        legs = phase if robot.name == watched else 0.0
        stepper.settle_in(rows, memory, robot.name, robot.command, which, phase=legs)
    if command:
        stepper.command(rows, memory, watched, command, which)
    if phase:
        stepper.gaits.set_phase(memory.running_gaits, watched, phase, which)


def _state(model: mujoco.MjModel, data: mujoco.MjData) -> Array:
    state = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    return state
