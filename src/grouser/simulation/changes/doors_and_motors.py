"""Doors opened and closed, motors switched on and off."""

from __future__ import annotations

from grouser.errors import BadValue, unknown
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.simulation.live_scene import LiveScene
from grouser.world.door import Door
from grouser.world.file import World


def doors(world: World) -> dict[str, Door]:
    """Return all doors by name."""
    return {thing.name: thing for thing in world.objects if isinstance(thing, Door)}


def door_named(world: World, name: str) -> Door:
    """Return the door ``name``, which there must be."""
    there = doors(world)
    if name not in there:
        raise unknown("open", "door", name, there)
    return there[name]


def set_door(live: LiveScene, door: Door, share: float | None = None) -> None:
    """Let a door go to ``share`` (0: closed, 1: open); None: hold it where it starts."""
    if share is None:
        live.stepper.drives.hold(live.arrays, door.joint, door.ajar * door.travel)
        return
    if not 0 <= share <= 1:
        raise BadValue(f"open: how far is {share:g}, must be 0 to 1")
    live.stepper.drives.command(live.arrays, door.joint, angle(share * door.travel))


def motor_command(
    live: LiveScene, name: str, on: bool, which: tuple[str, ...] = ()
) -> dict[str, Setpoint]:
    """Return the command that switches a robot's drives.

    Args:
        live: who is there, and how they are.
        name: the robot.
        on: hold still; else swing free.
        which: drives or groups of them; none: all.
    """
    angles, robot = live.angles(name), live.scene.robots[name]
    names: list[str] = []
    for word in which or tuple(robot.drives):
        if word not in robot.groups and word not in robot.drives:
            raise unknown("motor", "drive", word, [*robot.drives, *robot.groups])
        names += robot.groups.get(word, (word,))
    belts = {belt.drive for belt in robot.belts}
    if not on:
        return {drive: torque(0.0) for drive in names}
    return {drive: speed(0.0) if drive in belts else angle(angles[drive]) for drive in names}
