"""Changes of a running world: members, doors, motors, friction, gravity, lamps, daylight.

The compiled model is changed in place together with the description of the world, or a changed
description is returned for recompilation. A robot that joins later therefore finds the present
state of the world.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import mujoco
from pydantic import ValidationError

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, degrees, to_rpy
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.robots.kinds import describe
from grouser.simulation.changes.actions import SetFriction, SetGravity, SwitchLamp
from grouser.simulation.scene_state import SceneState
from grouser.world.door import Door
from grouser.world.file import RobotEntry, World
from grouser.world.objects import FASTEST_SURFACE, Box, Lamp
from grouser.world.physics_settings import Surface
from grouser.world.world_object import WorldObject

EVERYWHERE = "everywhere"
LEAST_FRICTION, MOST_FRICTION = 0.0, 10.0
"""Range of friction, as in world files."""
MOST_GRAVITY = 100.0
"""Largest gravity, m/s², as in world files."""

# -- members -------------------------------------------------------------------------------------


def member_names(world: World) -> list[str]:
    """Return the names of all robots and objects."""
    return [member.name for member in (*world.robots, *world.objects)]


def with_member(start: World, world: World, member: RobotEntry | WorldObject) -> World:
    """Return ``world`` with ``member`` added.

    The robots of ``start`` come first, then those that joined, by name. The result does not depend
    on the order of joining.
    """
    if member.name in member_names(world):
        raise BadValue(f"world: there is already a robot or object named '{member.name}'")
    if not isinstance(member, RobotEntry):
        return world.changed(objects=(*world.objects, member))
    own = {entry.name for entry in start.robots}
    order = sorted((*world.robots, member), key=lambda one: "" if one.name in own else one.name)
    return world.changed(robots=tuple(order))


def with_sensors(world: World, robot: str, sensors: tuple[Mapping[str, Any], ...]) -> World:
    """Return ``world`` with these additional ``sensors`` on ``robot``."""
    known = [entry.name for entry in world.robots]
    if robot not in known:
        raise unknown("world", "robot", robot, known)
    return _with_robot_fields(world, robot, sensors=tuple(dict(sensor) for sensor in sensors))


def _with_robot_fields(world: World, robot: str, **given: Any) -> World:
    """Return ``world`` with these fields of the entry of ``robot``."""
    return world.changed(
        robots=tuple(
            entry.model_copy(update=given) if entry.name == robot else entry
            for entry in world.robots
        )
    )


def with_gait(world: World, robot: str, numbers: Mapping[str, Any]) -> World:
    """Return ``world`` with these gait parameters of ``robot``.

    Raises:
        UnknownName: there is no such robot, or its kind has no such parameter.
        BadValue: a number is out of range.
    """
    entries = {entry.name: entry for entry in world.robots}
    if robot not in entries:
        raise unknown("gait", "robot", robot, entries)
    entry = entries[robot]
    known: tuple[str, ...] = getattr(
        describe(entry.kind, entry.options, "gait"), "gait_options", ()
    )
    for name in numbers:
        if not known:
            raise BadValue(f"gait: a {entry.kind} has no gait that takes numbers")
        if name not in known:
            raise unknown("gait", "number", name, known)
    options = entry.options | dict(numbers)
    describe(entry.kind, options, "gait")
    return _with_robot_fields(world, robot, options=options)


def without_members(world: World, names: Collection[str]) -> World:
    """Return ``world`` without the robots and objects ``names``."""
    robots = tuple(entry for entry in world.robots if entry.name not in names)
    objects = tuple(thing for thing in world.objects if thing.name not in names)
    return world.changed(robots=robots, objects=objects)


def find_fixed(world: World, name: str) -> WorldObject | None:
    """Return the object ``name`` if it is fixed; None: it is not, or does not exist."""
    found = (thing for thing in world.objects if thing.name == name and thing.fixed)
    return next(found, None)


def with_object_at(world: World, thing: WorldObject, X_WB: Pose) -> World:
    """Return the world with the fixed object ``thing`` at another pose."""
    x, y, z = X_WB.position.tolist()
    roll, pitch, yaw = (degrees(turn) for turn in to_rpy(X_WB.wxyz).tolist())
    turns = {"roll_deg": roll, "pitch_deg": pitch, "yaw_deg": yaw}
    there = thing.model_copy(update={"position": (x, y, z), **turns})
    objects = tuple(there if other.name == thing.name else other for other in world.objects)
    return world.changed(objects=objects)


def with_fixed(world: World, name: str, fixed: bool, X_WB: Pose) -> World:
    """Return the world with the object ``name`` fixed at ``X_WB``, or movable from there."""
    thing = object_named(world, name)
    if thing.mass is None and not fixed:
        raise BadValue(f"world: '{name}' has no mass, a movable object needs one")
    return with_object_at(world, thing.model_copy(update={"fixed": fixed}), X_WB)


def object_named(world: World, name: str) -> WorldObject:
    """Return the object ``name``; raise `UnknownName` if there is none."""
    there = {thing.name: thing for thing in world.objects}
    if name not in there:
        raise unknown("world", "object", name, there)
    return there[name]


def with_surface_velocity(world: World, name: str, velocity: tuple[float, float, float]) -> World:
    """Return the world with another velocity (m/s) of the surface of the box ``name``."""
    thing = object_named(world, name)
    if not isinstance(thing, Box):
        raise BadValue(f"world: '{name}' is no box, only a box can be a conveyor")
    try:
        moving = Box.model_validate(thing.model_dump() | {"surface_velocity": velocity})
    except ValidationError:
        given = ", ".join(f"{part:g}" for part in velocity)
        raise BadValue(
            f"world: the surface velocity of '{name}' is {given} m/s, each must be within "
            f"{FASTEST_SURFACE:g}"
        ) from None
    objects = tuple(moving if other.name == name else other for other in world.objects)
    return world.changed(objects=objects)


# -- doors and motors ----------------------------------------------------------------------------


def doors(world: World) -> dict[str, Door]:
    """Return all doors by name."""
    return {thing.name: thing for thing in world.objects if isinstance(thing, Door)}


def door_named(world: World, name: str) -> Door:
    """Return the door ``name``; raise `UnknownName` if there is none."""
    there = doors(world)
    if name not in there:
        raise unknown("open", "door", name, there)
    return there[name]


def set_door(state: SceneState, door: Door, share: float | None = None) -> None:
    """Move a door to ``share`` (0: closed, 1: open); None: hold it at its initial opening."""
    drives, targets = state.stepper.drives, state.memory.targets
    if share is None:
        drives.hold(state.arrays, targets, door.joint, door.ajar * door.travel)
        return
    if not 0 <= share <= 1:
        raise BadValue(f"open: how far is {share:g}, must be 0 to 1")
    drives.command(state.arrays, targets, door.joint, angle(share * door.travel))


def motor_command(
    state: SceneState, name: str, on: bool, which: tuple[str, ...] = ()
) -> dict[str, Setpoint]:
    """Return the command that switches a robot's drives.

    Args:
        state: the running state.
        name: of the robot.
        on: hold the present position; False: no torque.
        which: names of drives or groups; empty: all drives.
    """
    angles, robot = state.angles(name), state.scene.robots[name]
    names: list[str] = []
    for word in which or tuple(robot.drives):
        if word not in robot.groups and word not in robot.drives:
            raise unknown("motor", "drive", word, [*robot.drives, *robot.groups])
        names += robot.groups.get(word, (word,))
    belts = {belt.drive for belt in robot.belts}
    if not on:
        return {drive: torque(0.0) for drive in names}
    return {drive: speed(0.0) if drive in belts else angle(angles[drive]) for drive in names}


# -- friction, gravity, light --------------------------------------------------------------------


def surfaces(world: World) -> list[str]:
    """Return the names of all surfaces with friction: pieces of terrain and objects."""
    return [*(f"terrain/{i}" for i in range(len(world.terrain))), *(o.name for o in world.objects)]


def change_model(
    model: mujoco.MjModel, world: World, action: SwitchLamp | SetFriction | SetGravity
) -> World:
    """Change ``model`` in place; return the changed description."""
    match action:
        case SwitchLamp(lamp, on):
            return switch_lamp(model, world, lamp, on)
        case SetFriction(what, friction):
            return set_friction(model, world, what, friction)
        case SetGravity(value):
            return set_gravity(model, world, value)


def set_friction(model: mujoco.MjModel, world: World, what: str, friction: float) -> World:
    """Set the friction of ``what`` (or of all surfaces); return the changed description."""
    if what != EVERYWHERE and what not in surfaces(world):
        raise unknown("friction", "terrain or object", what, [*surfaces(world), EVERYWHERE])
    if not LEAST_FRICTION <= friction <= MOST_FRICTION:
        raise BadValue(f"friction: {friction:g}, must be {LEAST_FRICTION:g} to {MOST_FRICTION:g}")

    def changed(name: str, surface: Surface) -> Surface:
        if what not in (EVERYWHERE, name):
            return surface
        return surface.model_copy(update={"friction": friction})

    terrain = tuple(changed(f"terrain/{i}", piece) for i, piece in enumerate(world.terrain))
    objects = tuple(changed(thing.name, thing) for thing in world.objects)
    world = world.changed(terrain=terrain, objects=objects)
    for geom, numbers in _frictions(world):
        model.geom_friction[model.geom(geom).id] = numbers
    return world


def _frictions(world: World) -> Iterator[tuple[str, list[float]]]:
    """Yield every geom of terrain and objects, and its friction by the description."""
    alone, contact = mujoco.MjSpec(), world.physics.ground
    for number, piece in enumerate(world.terrain):
        piece.add(alone, contact, f"terrain/{number}")
    for thing in world.objects:
        thing.add(alone, contact)
    for geom in alone.geoms:
        yield geom.name, geom.friction.tolist()


def set_gravity(model: mujoco.MjModel, world: World, gravity: float) -> World:
    """Set ``gravity`` (m/s², downwards); return the changed description."""
    if not 0 <= gravity <= MOST_GRAVITY:
        raise BadValue(f"gravity: {gravity:g} m/s², must be 0 to {MOST_GRAVITY:g}")
    model.opt.gravity[:] = [0.0, 0.0, -gravity]
    return world.changed(physics=world.physics.model_copy(update={"gravity": gravity}))


def switch_lamp(model: mujoco.MjModel, world: World, lamp: str, on: bool) -> World:
    """Switch a lamp; return the changed description."""
    lamps = {thing.name: thing for thing in world.objects if isinstance(thing, Lamp)}
    if lamp not in lamps:
        raise unknown("light", "lamp", lamp, lamps)
    light = lamps[lamp].light
    model.light_active[model.light(light).id] = on
    model.mat_emission[model.material(light).id] = float(on)
    lit = lamps[lamp].model_copy(update={"lit": on})
    objects = tuple(lit if thing.name == lamp else thing for thing in world.objects)
    return world.changed(objects=objects)


def with_daylight(world: World, daylight: float) -> World:
    """Return the world with another daylight, 0 (night) to 1 (day)."""
    if not 0 <= daylight <= 1:
        raise BadValue(f"light: daylight is {daylight:g}, must be 0 to 1")
    return world.changed(daylight=daylight)
