"""What can be worked in a world: doors and motors."""

from __future__ import annotations

from collections.abc import Mapping

from grouser.errors import BadValue, unknown
from grouser.physics.drives import Setpoint, angle, speed, torque
from grouser.physics.state import StateArrays
from grouser.simulation.scene import Scene
from grouser.simulation.stepping import Stepper
from grouser.world.door import Door
from grouser.world.file import World


def doors(world: World, asked: str | None = None) -> dict[str, Door]:
    """Return all doors by name; ``asked`` must be one of them."""
    found = {thing.name: thing for thing in world.objects if isinstance(thing, Door)}
    if asked is not None and asked not in found:
        raise unknown("open", "door", asked, found)
    return found


def set_door(stepper: Stepper, rows: StateArrays, door: Door, share: float | None = None) -> None:
    """Let a door go to ``share`` (0: closed, 1: open); None: hold it where it starts."""
    if share is None:
        stepper.drives.hold(rows, door.joint, door.ajar * door.travel)
        return
    if not 0 <= share <= 1:
        raise BadValue(f"open: how far is {share:g}, must be 0 to 1")
    stepper.drives.command(rows, door.joint, angle(share * door.travel))


def motor_command(
    scene: Scene, angles: Mapping[str, float], name: str, on: bool, which: tuple[str, ...] = ()
) -> dict[str, Setpoint]:
    """Return the command that switches a robot's drives.

    Args:
        scene: who is there.
        angles: where the robot's drives are, rad or m.
        name: the robot.
        on: hold still; else swing free.
        which: drives or groups of them; none: all.
    """
    robot = scene.robots[name]
    names: list[str] = []
    for word in which or tuple(robot.drives):
        if word not in robot.groups and word not in robot.drives:
            raise unknown("motor", "drive", word, [*robot.drives, *robot.groups])
        names += robot.groups.get(word, (word,))
    belts = {belt.drive for belt in robot.belts}
    if not on:
        return {drive: torque(0.0) for drive in names}
    return {drive: speed(0.0) if drive in belts else angle(angles[drive]) for drive in names}
