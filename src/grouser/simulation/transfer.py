"""Carries the state of everybody who stays from one compiled scene to the next, by name."""

from __future__ import annotations

from collections.abc import Sequence

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.simulation.stepping import StepMemory, Stepper

_WIDTHS = {
    mujoco.mjtJoint.mjJNT_FREE: (7, 6),
    mujoco.mjtJoint.mjJNT_BALL: (4, 3),
    mujoco.mjtJoint.mjJNT_SLIDE: (1, 1),
    mujoco.mjtJoint.mjJNT_HINGE: (1, 1),
}
"""Numbers in qpos and in qvel of each kind of joint."""

Places = npt.NDArray[np.integer]
"""Indices into a model's arrays."""


class StateTransfer:
    """Where in two models the same joints, drives and surfaces are; looked up once, by name."""

    def __init__(self, old: mujoco.MjModel, new: mujoco.MjModel) -> None:
        """Look up everything that both models have."""
        joints, actuators, geoms = (
            _shared(old, new, kind, count)
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

    def carry_over(
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
        here, there = self._actuators
        new.actuator_biasprm[there] = old.actuator_biasprm[here]  # a drive's mode lives there
        new.actuator_dynprm[there] = old.actuator_dynprm[here]
        here, there = self._geoms
        new.geom_surfacevel[there] = old.geom_surfacevel[here]
        mujoco.mj_forward(new, now)
        # mj_forward solved from these; the next step must start where the old one would have.
        here, there = self._dofs
        now.qacc_warmstart[there] = was.qacc_warmstart[here]


def transfer_memory(before: Stepper, was: StepMemory, after: Stepper, now: StepMemory) -> None:
    """Copy what belts, drives and gaits that both scenes have remembered."""
    before.gaits.transfer(was.running_gaits, after.gaits, now.running_gaits)
    here, there = _same(before.belts, after.belts)
    now.turns[:, there] = was.turns[:, here]
    here, there = _same(before.drives.names, after.drives.names)
    now.work[:, there] = was.work[:, here]
    now.effort[:, there] = was.effort[:, here]


def _same(before: Sequence[str], after: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the places, in both, of every name that both have."""
    places = {name: place for place, name in enumerate(after)}
    here = [place for place, name in enumerate(before) if name in places]
    return here, [places[before[place]] for place in here]


def _shared(
    old: mujoco.MjModel, new: mujoco.MjModel, kind: mujoco.mjtObj, count: int
) -> tuple[Places, Places]:
    """Return the numbers, in both models, of everything of a kind that has the same name."""
    pairs = []
    for here in range(count):
        name = mujoco.mj_id2name(old, kind, here)
        there = mujoco.mj_name2id(new, kind, name) if name else -1
        if there >= 0:
            pairs.append((here, there))
    here_, there_ = np.array(pairs, int).reshape(-1, 2).T
    return here_, there_


def _runs(
    old: Places, new: Places, which: tuple[Places, Places], widths: Places
) -> tuple[Places, Places]:
    """Return where the numbers of parts begin that have ``widths`` many each: all their places."""
    starts, ends = old[which[0]], new[which[1]]
    within = np.concatenate([np.arange(width) for width in widths] or [np.zeros(0, int)])
    return np.repeat(starts, widths) + within, np.repeat(ends, widths) + within
