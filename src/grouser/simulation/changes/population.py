"""Members of a world, robots and objects: descriptions with one more, or one less."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from grouser.errors import BadValue, unknown
from grouser.robots.kinds import describe
from grouser.world.file import RobotEntry, World
from grouser.world.world_object import WorldObject


def member_names(world: World) -> list[str]:
    """Return the names of all robots and objects."""
    return [member.name for member in (*world.robots, *world.objects)]


def with_member(start: World, world: World, who: RobotEntry | WorldObject) -> World:
    """Return ``world`` with ``who`` in it.

    Robots are lined up: those of ``start``, then those who joined, by name. Then the same crowd is
    the same bits, in whatever order it came.
    """
    if who.name in member_names(world):
        raise BadValue(f"world: there is already somebody called '{who.name}'")
    if not isinstance(who, RobotEntry):
        return world.changed(objects=(*world.objects, who))
    own = {entry.name for entry in start.robots}
    everybody = (*world.robots, who)
    order = sorted(everybody, key=lambda one: "" if one.name in own else one.name)
    return world.changed(robots=tuple(order))


def with_sensors(world: World, robot: str, sensors: tuple[Mapping[str, Any], ...]) -> World:
    """Return ``world`` in which ``robot`` carries these ``sensors`` beside its own."""
    known = [entry.name for entry in world.robots]
    if robot not in known:
        raise unknown("world", "robot", robot, known)
    given = {"sensors": tuple(dict(sensor) for sensor in sensors)}
    return world.changed(
        robots=tuple(
            entry.model_copy(update=given) if entry.name == robot else entry
            for entry in world.robots
        )
    )


def with_gait(world: World, robot: str, numbers: Mapping[str, Any]) -> World:
    """Return ``world`` in which ``robot`` walks by these ``numbers`` of its kind's.

    Raises:
        UnknownName: there is no such robot, or its kind has no such number.
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
    retuned = entry.model_copy(update={"options": options})
    robots = tuple(retuned if each.name == robot else each for each in world.robots)
    return world.changed(robots=robots)


def without_members(world: World, names: Collection[str]) -> World:
    """Return ``world`` without those called ``names``."""
    robots = tuple(entry for entry in world.robots if entry.name not in names)
    objects = tuple(thing for thing in world.objects if thing.name not in names)
    return world.changed(robots=robots, objects=objects)
