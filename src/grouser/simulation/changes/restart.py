"""One robot or object goes back to its start; nothing else in the world changes by a bit."""

from __future__ import annotations

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.simulation.changes.doors_and_motors import doors, set_door
from grouser.simulation.changes.placement import free_spot
from grouser.simulation.live_scene import LiveScene


def restart(live: LiveScene, name: str) -> None:
    """Put ``name`` where it started: in posture, at rest, drives holding, its gait standing.

    If somebody stands there, it goes to a free spot nearby. What its drives have spent stays spent.
    Derived numbers other than places are left alone: no ``mj_forward``, which would change where
    everybody's solver starts from.
    """
    model, data = live.model, live.data
    bodies = live.movers.bodies(name)
    if not len(bodies):
        return  # it never went anywhere
    _rest_joints(model, data, bodies)
    if name in live.scene.robots:
        _hold_posture(live, name)
    elif door := doors(live.scene.world).get(name):
        data.qpos[model.joint(door.joint).qposadr[0]] = door.ajar * door.travel
        set_door(live, door)
    joint = model.body_jntadr[bodies[0]]
    if joint >= 0 and model.jnt_type[joint] == mujoco.mjtJoint.mjJNT_FREE:
        first = model.jnt_qposadr[joint]
        data.qpos[first : first + 3] += free_spot(model, data, bodies)
    mujoco.mj_kinematics(model, data)


def _rest_joints(model: mujoco.MjModel, data: mujoco.MjData, bodies: npt.NDArray[np.intp]) -> None:
    """Move the joints of ``bodies`` to where the model has them, without speed or push."""
    ends = np.append(model.jnt_qposadr[1:], model.nq)
    for joint in np.flatnonzero(np.isin(model.jnt_bodyid, bodies)):
        place = slice(model.jnt_qposadr[joint], ends[joint])
        data.qpos[place] = model.qpos0[place]
    dofs = np.isin(model.dof_bodyid, bodies)
    for field in (data.qvel, data.qacc_warmstart, data.qfrc_applied):
        field[dofs] = 0.0
    data.xfrc_applied[bodies] = 0.0


def _hold_posture(live: LiveScene, name: str) -> None:
    """Make robot ``name`` take its posture, hold it and start on its standing command."""
    scene, data, stepper, memory = live.scene, live.data, live.stepper, live.memory
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
    positions = stepper.drives.positions(live.arrays)[0]
    for drive in robot.drives:
        place = stepper.drives.place(f"{prefix}{drive}")
        stepper.drives.hold(live.arrays, f"{prefix}{drive}", float(positions[place]))
    stepper.gaits.stand(memory.running_gaits, name)
    entry = next(entry for entry in scene.world.robots if entry.name == name)
    live.settle_in(entry)
