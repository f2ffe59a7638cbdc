"""Restart: return one robot or object to its start; all other state keeps its bits."""

from __future__ import annotations

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.simulation.changes.placement import free_joint, free_spot
from grouser.simulation.changes.world_changes import doors, set_door
from grouser.simulation.scene_state import SceneState


def restart(state: SceneState, name: str) -> None:
    """Return ``name`` to its start: in posture, at rest, drives holding, gait standing.

    If the start is occupied, a free position nearby is used. The work of its drives is kept. Of the
    derived quantities only poses are updated: ``mj_forward`` would change the solver's warm start
    of all bodies.
    """
    model, data = state.model, state.data
    bodies = state.ownership.bodies(name)
    if not len(bodies):
        return  # it cannot move
    _rest_joints(model, data, bodies)
    if name in state.scene.robots:
        _hold_posture(state, name)
    elif door := doors(state.scene.world).get(name):
        data.qpos[model.joint(door.joint).qposadr[0]] = door.ajar * door.travel
        set_door(state, door)
    if (joint := free_joint(model, bodies)) is not None:
        first = model.jnt_qposadr[joint]
        data.qpos[first : first + 3] += free_spot(model, data, bodies)
    mujoco.mj_kinematics(model, data)


def _rest_joints(model: mujoco.MjModel, data: mujoco.MjData, bodies: npt.NDArray[np.intp]) -> None:
    """Reset the joints of ``bodies`` to the model's positions, without velocity or force."""
    ends = np.append(model.jnt_qposadr[1:], model.nq)
    for joint in np.flatnonzero(np.isin(model.jnt_bodyid, bodies)):
        place = slice(model.jnt_qposadr[joint], ends[joint])
        data.qpos[place] = model.qpos0[place]
    dofs = np.isin(model.dof_bodyid, bodies)
    for field in (data.qvel, data.qacc_warmstart, data.qfrc_applied):
        field[dofs] = 0.0
    data.xfrc_applied[bodies] = 0.0


def _hold_posture(state: SceneState, name: str) -> None:
    """Set robot ``name`` to its posture, hold it and apply its initial command."""
    scene, data, stepper, memory = state.scene, state.data, state.stepper, state.memory
    model, robot, prefix = scene.model, scene.robots[name], f"{name}/"
    for joint, value in robot.posture.items():
        data.qpos[model.joint(f"{prefix}{joint}").qposadr[0]] = value
    for number in range(model.nsensor):
        if model.sensor(number).name.startswith(prefix):
            first = model.sensor_adr[number]
            data.sensordata[first : first + model.sensor_dim[number]] = 0.0
    for belt in scene.belts:
        if belt.name.startswith(prefix):
            for geom, _ in belt.moving:
                model.geom_surfacevel[model.geom(geom).id] = 0.0
    for column, belt_name in enumerate(stepper.belts):
        if belt_name.startswith(prefix):
            memory.turns[:, column] = 0.0
    positions = stepper.drives.positions(state.arrays)[0]
    for drive in robot.drives:
        place = stepper.drives.place(f"{prefix}{drive}")
        at = float(positions[place])
        stepper.drives.hold(state.arrays, memory.targets, f"{prefix}{drive}", at)
    stepper.gaits.reset(memory.running_gaits, name)
    entry = next(entry for entry in scene.world.robots if entry.name == name)
    state.initialize_robot(entry)
