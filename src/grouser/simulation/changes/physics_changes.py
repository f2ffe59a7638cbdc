"""What the world's description says, changed while it runs: friction, gravity, lamps, daylight.

The compiled model is changed in place, and the description with it: so whoever joins later finds
the world as it is now, and what runs is still what the description says.
"""

from __future__ import annotations

from collections.abc import Iterator

import mujoco

from grouser.errors import BadValue, unknown
from grouser.frames import Pose, degrees, to_rpy
from grouser.simulation.changes.actions import SetFriction, SetGravity, SwitchLamp
from grouser.world.file import World
from grouser.world.lamp import Lamp
from grouser.world.surface import Surface
from grouser.world.world_object import WorldObject

EVERYWHERE = "everywhere"
SLIPPERIEST, ROUGHEST = 0.0, 10.0
"""Friction that a surface may have, as in world files."""
STRONGEST = 100.0
"""Gravity that a world may have, m/s², as in world files."""


def surfaces(world: World) -> list[str]:
    """Return the names of all that can rub: pieces of terrain and objects."""
    return [*(f"terrain/{i}" for i in range(len(world.terrain))), *(o.name for o in world.objects)]


def apply(
    model: mujoco.MjModel, world: World, action: SwitchLamp | SetFriction | SetGravity
) -> World:
    """Change ``model`` as ``action`` says; return the world that says so."""
    match action:
        case SwitchLamp(lamp, on):
            return switch_lamp(model, world, lamp, on)
        case SetFriction(what, friction):
            return set_friction(model, world, what, friction)
        case SetGravity(value):
            return set_gravity(model, world, value)


def set_friction(model: mujoco.MjModel, world: World, what: str, friction: float) -> World:
    """Give ``what`` (or everything) another friction; return the world that says so."""
    if what != EVERYWHERE and what not in surfaces(world):
        raise unknown("friction", "terrain or object", what, [*surfaces(world), EVERYWHERE])
    if not SLIPPERIEST <= friction <= ROUGHEST:
        raise BadValue(f"friction: {friction:g}, must be {SLIPPERIEST:g} to {ROUGHEST:g}")

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
    """Yield every geom of terrain and objects, and the friction that its description gives it."""
    alone, contact = mujoco.MjSpec(), world.physics.ground
    for number, piece in enumerate(world.terrain):
        piece.add(alone, contact, f"terrain/{number}")
    for thing in world.objects:
        thing.add(alone, contact)
    for geom in alone.geoms:
        yield geom.name, geom.friction.tolist()


def set_gravity(model: mujoco.MjModel, world: World, gravity: float) -> World:
    """Let things fall with ``gravity`` (m/s²); return the world that says so."""
    if not 0 <= gravity <= STRONGEST:
        raise BadValue(f"gravity: {gravity:g} m/s², must be 0 to {STRONGEST:g}")
    model.opt.gravity[:] = [0.0, 0.0, -gravity]
    return world.changed(physics=world.physics.model_copy(update={"gravity": gravity}))


def switch_lamp(model: mujoco.MjModel, world: World, lamp: str, on: bool) -> World:
    """Switch a lamp; return the world that says so."""
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


def find_fixed(world: World, name: str) -> WorldObject | None:
    """Return the object ``name`` if it is part of the ground."""
    found = (thing for thing in world.objects if thing.name == name and thing.fixed)
    return next(found, None)


def with_object_at(world: World, thing: WorldObject, X_WB: Pose) -> World:
    """Return the world with ``thing`` built elsewhere."""
    x, y, z = X_WB.position.tolist()
    roll, pitch, yaw = (degrees(turn) for turn in to_rpy(X_WB.wxyz).tolist())
    turns = {"roll_deg": roll, "pitch_deg": pitch, "yaw_deg": yaw}
    there = thing.model_copy(update={"position": (x, y, z), **turns})
    objects = tuple(there if other.name == thing.name else other for other in world.objects)
    return world.changed(objects=objects)
