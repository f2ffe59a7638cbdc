"""Scene builder: recompile the scene after adding or removing a body; keep all other state.

Composing the model and matching both models by name depend only on descriptions, not on the running
state: `PreparedScene.prepare` may be called in advance, also in a background thread. What remains
to be done between two steps takes about as long as a step (`PreparedScene.transfer_state`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.simulation.scene import RobotSpecCache, Scene, compose, no_yield
from grouser.simulation.scene_state import SceneState
from grouser.simulation.stepping import StepMemory, Stepper
from grouser.world.file import World

CACHED_SCENES = 2
"""Scenes that a `SceneBuilder` keeps: a robot that joins may be tried at a second place."""

_WIDTHS = {
    mujoco.mjtJoint.mjJNT_FREE: (7, 6),
    mujoco.mjtJoint.mjJNT_BALL: (4, 3),
    mujoco.mjtJoint.mjJNT_SLIDE: (1, 1),
    mujoco.mjtJoint.mjJNT_HINGE: (1, 1),
}
"""Numbers in qpos and in qvel per type of joint."""

Indices = npt.NDArray[np.integer]
"""Indices into a model's arrays."""


@dataclass(frozen=True, eq=False)
class PreparedScene:
    """A compiled scene that is ready to replace the running one."""

    before: Scene
    """The running scene."""
    world: World
    state: SceneState
    """State of the new scene."""
    _transfer: StateTransfer

    @staticmethod
    def prepare(
        before: Scene,
        world: World,
        robot_cache: RobotSpecCache | None = None,
        yield_control: Callable[[], None] = no_yield,
        prepare_sensors: Callable[[Scene], None] | None = None,
    ) -> PreparedScene:
        """Compile ``world`` as the replacement of ``before``, which does not change.

        Args:
            before: the running scene.
            world: the new world.
            robot_cache: as for `compose`.
            yield_control: as for `compose`.
            prepare_sensors: called with the new scene; computes in advance what its sensors need.

        Raises:
            BadValue: it cannot be compiled, or there is not enough memory.
        """
        try:
            scene = compose(world, robot_cache=robot_cache, yield_control=yield_control)
            yield_control()
            if prepare_sensors:
                prepare_sensors(scene)
                yield_control()
            data = scene.initial()
            yield_control()
            state = SceneState.begin(scene, data)
            yield_control()
            # Cached properties, evaluated here so that no step has to wait for them.
            _ = state.scratch_data
            _ = state.ownership
            yield_control()
            return PreparedScene(before, world, state, StateTransfer(before.model, scene.model))
        except (MemoryError, mujoco.FatalError) as error:
            reason = str(error) or "out of memory"
            raise BadValue(f"{world.where()}: this world cannot be set up: {reason}") from error

    def transfer_state(self, running: SceneState, *, started: bool) -> SceneState:
        """Return the new state, with the state of all robots and objects in ``running``.

        It may be called again with the same ``running``; the last call counts.

        Args:
            running: state of the scene ``before``.
            started: True if a step was made; if not, the order of joining leaves no trace.
        """
        after = self.state
        self._transfer.copy(running.model, running.data, after.model, after.data)
        if not started:
            after.data.qacc_warmstart[:] = 0.0
        _copy_memory(running.stepper, running.memory, after.stepper, after.memory)
        return after


class SceneBuilder:
    """Compiler of replacement scenes on request; caches those that were prepared but not used."""

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._ready: list[PreparedScene] = []

    def prepare(
        self, before: Scene, world: World, prepare_sensors: Callable[[Scene], None]
    ) -> PreparedScene:
        """Return ``world`` ready to replace ``before``; see `PreparedScene.prepare`."""
        found = self._find(before, world)
        if found is None:
            found = PreparedScene.prepare(before, world)
            self._keep(found)
        return found

    def forget(self, before: SceneState | None) -> None:
        """Clear the cache, since another scene runs now; ``before`` can be freed."""
        self._ready.clear()

    def _find(self, before: Scene, world: World) -> PreparedScene | None:
        return next(
            (one for one in self._ready if one.before is before and one.world == world), None
        )

    def _keep(self, ready: PreparedScene) -> None:
        self._ready = [*self._ready[1 - CACHED_SCENES :], ready]


class StateTransfer:
    """Index pairs of the joints, drives and surfaces that two models have in common, by name."""

    def __init__(self, old: mujoco.MjModel, new: mujoco.MjModel) -> None:
        """Look up the common elements."""
        joints, actuators, geoms = (
            _shared_ids(old, new, kind, count)
            for kind, count in (
                (mujoco.mjtObj.mjOBJ_JOINT, old.njnt),
                (mujoco.mjtObj.mjOBJ_ACTUATOR, old.nactuator),
                (mujoco.mjtObj.mjOBJ_GEOM, old.ngeom),
            )
        )
        widths = np.array([_WIDTHS[mujoco.mjtJoint(kind)] for kind in old.jnt_type], int)
        widths = widths.reshape(-1, 2)[joints[0]]
        self._positions = _runs(old.jnt_qposadr, new.jnt_qposadr, joints, widths[:, 0])
        self._dofs = _runs(old.jnt_dofadr, new.jnt_dofadr, joints, widths[:, 1])
        inputs, states = old.actuator_ctrlnum[actuators[0]], old.actuator_actnum[actuators[0]]
        self._inputs = _runs(old.actuator_ctrladr, new.actuator_ctrladr, actuators, inputs)
        self._states = _runs(old.actuator_actadr, new.actuator_actadr, actuators, states)
        self._actuators, self._geoms = actuators, geoms

    def copy(
        self, old: mujoco.MjModel, was: mujoco.MjData, new: mujoco.MjModel, now: mujoco.MjData
    ) -> None:
        """Copy time, joints, drives and moving surfaces that both models have to ``now``."""
        now.time = was.time
        here, there = self._positions
        now.qpos[there] = was.qpos[here]
        here, there = self._dofs
        for field in ("qvel", "qacc_warmstart", "qfrc_applied"):
            getattr(now, field)[there] = getattr(was, field)[here]
        for field, (here, there) in (("ctrl", self._inputs), ("act", self._states)):
            getattr(now, field)[there] = getattr(was, field)[here]
        here, there = self._dofs
        new.dof_frictionloss[there] = old.dof_frictionloss[here]
        here, there = self._actuators
        new.actuator_biasprm[there] = old.actuator_biasprm[here]  # contains a drive's mode
        new.actuator_forcerange[there] = old.actuator_forcerange[here]
        here, there = self._geoms
        for field in ("geom_surfacevel", "geom_contype", "geom_conaffinity"):
            getattr(new, field)[there] = getattr(old, field)[here]
        mujoco.mj_forward(new, now)
        # mj_forward overwrites the warm start; the next step must start from that of the old model.
        here, there = self._dofs
        now.qacc_warmstart[there] = was.qacc_warmstart[here]


def _copy_memory(before: Stepper, was: StepMemory, after: Stepper, now: StepMemory) -> None:
    """Copy the memory of the belts, drives and gaits that both scenes have."""
    before.gaits.transfer(was.running_gaits, after.gaits, now.running_gaits)
    here, there = _same(before.belts, after.belts)
    now.turns[:, there] = was.turns[:, here]
    here, there = _same(before.drives.names, after.drives.names)
    now.work[:, there] = was.work[:, here]
    now.effort[:, there] = was.effort[:, here]
    lossy, after_lossy = _same(before.losses.names, after.losses.names)
    for name in ("lost", "electric", "warming"):
        getattr(now.losses, name)[:, after_lossy] = getattr(was.losses, name)[:, lossy]
    cells, after_cells = _same(list(before.losses.batteries), list(after.losses.batteries))
    now.losses.drained[:, after_cells] = was.losses.drained[:, cells]
    now.targets.positions[:, there] = was.targets.positions[:, here]
    now.targets.speeds[:, there] = was.targets.speeds[:, here]
    before.drives.delay.transfer(was.targets.pending, after.drives.delay, now.targets.pending)


def _same(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the indices of all common names in both sequences."""
    places = {name: place for place, name in enumerate(after)}
    here = [place for place, name in enumerate(before) if name in places]
    return here, [places[before[place]] for place in here]


def _shared_ids(
    old: mujoco.MjModel, new: mujoco.MjModel, kind: mujoco.mjtObj, count: int
) -> tuple[Indices, Indices]:
    """Return the ids in both models of all elements of a kind with the same name."""
    pairs = []
    for here in range(count):
        name = mujoco.mj_id2name(old, kind, here)
        there = mujoco.mj_name2id(new, kind, name) if name else -1
        if there >= 0:
            pairs.append((here, there))
    here_, there_ = np.array(pairs, int).reshape(-1, 2).T
    return here_, there_


def _runs(
    old: Indices, new: Indices, which: tuple[Indices, Indices], widths: Indices
) -> tuple[Indices, Indices]:
    """Return all indices of elements that have ``widths`` numbers each, from their first ones."""
    starts, ends = old[which[0]], new[which[1]]
    within = np.concatenate([np.arange(width) for width in widths] or [np.zeros(0, int)])
    return np.repeat(starts, widths) + within, np.repeat(ends, widths) + within
