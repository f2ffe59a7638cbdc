"""Execution of actions: the one place where a running world is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import mujoco

from grouser.errors import BadValue, unknown
from grouser.frames import Pose
from grouser.sensors.camera import BoundCamera
from grouser.sensors.ins import BoundIns
from grouser.sensors.sensor import Resettable, check_rate
from grouser.simulation.changes import actions, world_changes
from grouser.simulation.changes.actions import Action
from grouser.simulation.changes.limits import check_limits
from grouser.simulation.changes.motions import motion_for, place_free_body
from grouser.simulation.changes.restart import restart
from grouser.simulation.script.events import LogEntry
from grouser.world.file import RobotEntry
from grouser.world.world_object import WorldObject

if TYPE_CHECKING:
    from grouser.simulation.simulation import Simulation


def carry_out(simulation: Simulation, action: Action) -> None:
    """Carry out ``action`` now; the implementation of `Simulation.apply`.

    Raises:
        BadValue: ``action`` is not an action, or cannot be carried out.
    """
    check_limits(action)
    match action:
        case actions.Command(robot, command):
            state = simulation.state
            state.stepper.command(state.arrays, state.memory, robot, command, which=0)
            simulation.command_limits.note(robot, simulation.scene.robots[robot], command)
        case actions.Join(RobotEntry() as entry):
            simulation.join_now(entry, simulation.prepare_join(entry))
        case actions.Join(WorldObject() as member):
            simulation.recompose(
                world_changes.with_member(simulation.start_world, simulation.world, member)
            )
        case actions.Join(member):
            raise BadValue(f"join: {member!r} is neither a RobotEntry nor an object of the world")
        case actions.Leave(name):
            simulation.remove_now([name])
        case actions.Equip(robot, sensors):
            simulation.recompose(world_changes.with_sensors(simulation.world, robot, sensors))
            simulation.read_due_sensors()
        case actions.SetSensorRate(robot, sensor, rate_hz):
            _set_sensor_rate(simulation, robot, sensor, rate_hz)
        case actions.MeasureSensor(robot, sensor, published):
            simulation.measure_now(robot, sensor, published=published)
        case actions.ResetSensor() | actions.AimCamera():
            _set_sensor(simulation, action)
        case actions.SetGaitParameters(robot, numbers):
            simulation.recompose(world_changes.with_gait(simulation.world, robot, numbers))
        case actions.SetPose(name, X_WB):
            _place(simulation, name, X_WB)
        case actions.Move() | actions.Shift() | actions.Glide() | actions.Spin():
            _move(simulation, action)
        case actions.StopMotion(name):
            simulation.state.body(name)
            simulation.motions.stop(simulation.state, name)
        case actions.SetFixed() | actions.SetSurfaceVelocity():
            _rebuild_object(simulation, action)
        case actions.SwitchMotors(robot, on, drives):
            simulation.command(
                robot, world_changes.motor_command(simulation.state, robot, on, drives)
            )
        case actions.SetLinkFaults():
            _set_link_faults(simulation, action)
        case actions.SetDoor(name, share):
            door = world_changes.door_named(simulation.world, name)
            world_changes.set_door(simulation.state, door, share)
        case actions.SwitchLamp() | actions.SetFriction() | actions.SetGravity():
            simulation.world = world_changes.change_model(
                simulation.model, simulation.world, action
            )
        case actions.SetDaylight(value):
            simulation.recompose(world_changes.with_daylight(simulation.world, value))
        case actions.FireEvent() | actions.RunEvent() | actions.ClockTick():
            simulation.events.apply(simulation, action)
        case actions.CallRoutine() | actions.RefereeCall():
            simulation.events.apply(simulation, action)
        case actions.Delayed(seconds, then):
            simulation.schedule_now(simulation.time + seconds, then)
        case actions.SendMessage(text, by):
            simulation.log.add(LogEntry(simulation.time, "message", by=by, text=text))
        case actions.Pause(on):
            simulation.paused = on
        case actions.Restart(name):
            _restart(simulation, name)
        case actions.Reset(seed):
            simulation.log.add(LogEntry(simulation.time, "reset"))
            simulation.reset_now(seed)
        case actions.Restore(snapshot):
            simulation.restore_now(snapshot)
        case _:
            actions.check_action(action, "apply")
            assert_never(action)


def _set_sensor_rate(simulation: Simulation, robot: str, sensor: str, rate_hz: float) -> None:
    simulation.check_sensor(robot, sensor)
    rates = simulation.sensor_rates | {(robot, sensor): check_rate(f"sensor '{sensor}'", rate_hz)}
    bound = simulation.active_sensors.rebound(simulation.scene, simulation.steps, rates)
    simulation.sensor_rates, simulation.active_sensors = rates, bound


def _set_sensor(simulation: Simulation, action: actions.ResetSensor | actions.AimCamera) -> None:
    """Restart or aim a sensor."""
    simulation.check_sensor(action.robot, action.sensor)
    _, bound = simulation.scene.sensors[action.robot, action.sensor]
    match action, bound:
        case actions.AimCamera(_, _, pan, tilt, zoom), BoundCamera():
            bound.aim(pan=pan, tilt=tilt, zoom=zoom)
        case actions.ResetSensor(_, _, Pose() as X_WI), BoundIns():
            bound.set_pose(X_WI)
        case actions.ResetSensor(_, _, None), Resettable():
            bound.reset()
        case _:
            what = "aimed" if isinstance(action, actions.AimCamera) else "reset"
            raise BadValue(f"sensor '{action.sensor}' of '{action.robot}' cannot be {what}")


def _set_link_faults(simulation: Simulation, action: actions.SetLinkFaults) -> None:
    """Set the faults of a robot's link, or remove them."""
    robots, robot = simulation.scene.robots, action.robot
    if robot not in robots:
        raise unknown("link", "robot", robot, robots)
    simulation.link_faults.pop(robot, None)
    if action.delay or action.jitter or action.loss:
        simulation.link_faults[robot] = action


def _restart(simulation: Simulation, name: str) -> None:
    """Return one robot or object to its start."""
    simulation.state.body(name)  # raises UnknownName
    simulation.motions.forget(name)
    simulation.triggers.forget_position(name)
    restart(simulation.state, name)


def _place(simulation: Simulation, name: str, X_WB: Pose) -> None:
    """Set the pose of a body at rest; a fixed object is rebuilt there."""
    check_limits(actions.SetPose(name, X_WB))  # a shift may lead too far
    simulation.state.body(name)  # raises UnknownName
    if (fixed := world_changes.find_fixed(simulation.world, name)) is not None:
        simulation.recompose(world_changes.with_object_at(simulation.world, fixed, X_WB))
        simulation.triggers.forget_position(name)
        return
    simulation.motions.stop(simulation.state, name)
    simulation.triggers.forget_position(name)
    place_free_body(simulation.state, name, X_WB)
    mujoco.mj_forward(simulation.model, simulation.state.data)


def _rebuild_object(
    simulation: Simulation, action: actions.SetFixed | actions.SetSurfaceVelocity
) -> None:
    """Fix or release an object, or set the velocity of its surface."""
    name, world = action.name, simulation.world
    simulation.state.body(name)  # raises UnknownName
    if isinstance(action, actions.SetFixed):
        world = world_changes.with_fixed(world, name, action.fixed, simulation.pose(name))
        simulation.motions.forget(name)
        simulation.recompose(world)
    else:
        simulation.recompose(world_changes.with_surface_velocity(world, name, action.velocity))
        # The new scene has the velocity that the surface had before.
        surface = simulation.model.geom(f"{name}/surface").id
        simulation.model.geom_surfacevel[surface, :3] = action.velocity


def _move(
    simulation: Simulation, action: actions.Move | actions.Shift | actions.Glide | actions.Spin
) -> None:
    """Start a motion, or set the pose at once."""
    name, X_WB = action.name, simulation.pose(action.name)
    robot = simulation.scene.robots.get(name)
    motion = motion_for(action, X_WB, robot.standing if robot else 0.0)
    if isinstance(motion, Pose):
        _place(simulation, name, motion)
    else:
        simulation.motions.start(simulation.state, name, motion, simulation.steps)
