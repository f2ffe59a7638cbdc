"""Carries the state of everybody who stays from one compiled scene to the next, by name."""

from __future__ import annotations

import mujoco
import numpy as np

from grouser.simulation.stepping import StepMemory, Stepper

_WIDTHS = {
    mujoco.mjtJoint.mjJNT_FREE: (7, 6),
    mujoco.mjtJoint.mjJNT_BALL: (4, 3),
    mujoco.mjtJoint.mjJNT_SLIDE: (1, 1),
    mujoco.mjtJoint.mjJNT_HINGE: (1, 1),
}
"""Numbers in qpos and in qvel of each kind of joint."""


def transfer_state(
    old: mujoco.MjModel, was: mujoco.MjData, new: mujoco.MjModel, now: mujoco.MjData
) -> None:
    """Copy time, joints, drives and moving surfaces that both models have to ``now``."""
    now.time = was.time
    for joint in range(old.njnt):
        name = old.joint(joint).name
        there = mujoco.mj_name2id(new, mujoco.mjtObj.mjOBJ_JOINT, name) if name else -1
        if there >= 0:
            positions, dofs = _WIDTHS[mujoco.mjtJoint(old.jnt_type[joint])]
            _copy(was.qpos, old.jnt_qposadr[joint], now.qpos, new.jnt_qposadr[there], positions)
            start, end = old.jnt_dofadr[joint], new.jnt_dofadr[there]
            for field in ("qvel", "qacc_warmstart", "qfrc_applied"):
                _copy(getattr(was, field), start, getattr(now, field), end, dofs)
    for actuator in range(old.nactuator):
        name = old.actuator(actuator).name
        there = mujoco.mj_name2id(new, mujoco.mjtObj.mjOBJ_ACTUATOR, name)
        if there >= 0:
            _copy_drive(old, was, actuator, new, now, there)
    for geom in range(old.ngeom):
        name = old.geom(geom).name
        there = mujoco.mj_name2id(new, mujoco.mjtObj.mjOBJ_GEOM, name) if name else -1
        if there >= 0:
            new.geom_surfacevel[there] = old.geom_surfacevel[geom]
    mujoco.mj_forward(new, now)
    # mj_forward solved from these; the next step must start where the old one would have.
    for joint in range(old.njnt):
        there = mujoco.mj_name2id(new, mujoco.mjtObj.mjOBJ_JOINT, old.joint(joint).name)
        if there >= 0:
            dofs = _WIDTHS[mujoco.mjtJoint(old.jnt_type[joint])][1]
            start, end = old.jnt_dofadr[joint], new.jnt_dofadr[there]
            _copy(was.qacc_warmstart, start, now.qacc_warmstart, end, dofs)


def transfer_memory(before: Stepper, was: StepMemory, after: Stepper, now: StepMemory) -> None:
    """Copy what belts, drives and gaits that both scenes have remembered."""
    before.gaits.transfer(was.running_gaits, after.gaits, now.running_gaits)
    for here, name in enumerate(before.belts):
        if name in after.belts:
            now.turns[:, after.belts.index(name)] = was.turns[:, here]
    for here, name in enumerate(before.drives.names):
        if name in after.drives.names:
            there = after.drives.names.index(name)
            now.work[:, there] = was.work[:, here]
            now.effort[:, there] = was.effort[:, here]


def _copy_drive(
    old: mujoco.MjModel,
    was: mujoco.MjData,
    here: int,
    new: mujoco.MjModel,
    now: mujoco.MjData,
    there: int,
) -> None:
    """Copy a drive's inputs, its setpoint and its mode (which lives in the model)."""
    inputs, states = old.actuator_ctrlnum[here], old.actuator_actnum[here]
    _copy(was.ctrl, old.actuator_ctrladr[here], now.ctrl, new.actuator_ctrladr[there], inputs)
    if states:
        _copy(was.act, old.actuator_actadr[here], now.act, new.actuator_actadr[there], states)
    new.actuator_biasprm[there] = old.actuator_biasprm[here]
    new.actuator_dynprm[there] = old.actuator_dynprm[here]


def _copy(source: np.ndarray, start: int, target: np.ndarray, end: int, width: int) -> None:
    target[end : end + width] = source[start : start + width]
