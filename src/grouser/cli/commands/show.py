"""``grouser show``: what a world file or a robot means, with all that is left to defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.commands.mobility import robot_options
from grouser.cli.options import Overrides, WorldName
from grouser.cli.terminal import print_written, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.world.file import RobotEntry


RobotKind = Annotated[
    str | None,
    typer.Argument(
        metavar="[ROBOT]",
        show_default=False,
        help="After the word robot: a kind of robot, or a robot file.",
    ),
]
PictureFile = Annotated[
    Path | None,
    typer.Option(metavar="F.png", help="Draw the robot from three sides; needs OpenGL."),
]


def show(
    world: WorldName,
    robot: RobotKind = None,
    overrides: Overrides = None,
    picture: PictureFile = None,
) -> None:
    """Print what a world file means: all that it says, and all that it leaves to defaults.

    Lines that the file does not say end in "# default". What is printed is a world
    file itself and may be kept, changed and run.

    For example:

    [cyan]grouser show quince_step[/]

    [cyan]grouser show quince_step --set terrain.1.kind=stairs > my_stairs.yaml[/]

    [cyan]grouser show robot my_robot.yaml --picture my_robot.png[/]
    """
    preflight.physics()
    if world == "robot" and robot is not None:
        _show_robot(robot, overrides or (), picture)
        return
    if robot is not None or picture is not None:
        raise BadValue(f"show: '{world}' is a world; a robot is shown by: show robot NAME")
    from grouser.world.file import load
    from grouser.world.file_text import DEFAULT, world_text

    console = result_console()
    loaded = load(world, overrides or ())
    where = {entry.name: loaded.where("robots", n) for n, entry in enumerate(loaded.robots)}
    text = world_text(loaded, lambda entry: robot_defaults(entry, where[entry.name]))
    for line in text.splitlines():
        said, mark, _ = line.partition(DEFAULT)
        console.print(Text.assemble(said, (mark, "dim")), soft_wrap=True)


def _show_robot(robot: str, overrides: Sequence[str], picture: Path | None) -> None:
    """Print what a robot is, and draw it if asked."""
    preflight.writable(picture, ".png")
    from grouser.cli.robot_card import draw_robot, print_robot

    simulation = print_robot(robot, robot_options(overrides), result_console())
    if picture is not None:
        preflight.pictures()
        draw_robot(simulation, picture)
        print_written(picture)


def robot_defaults(entry: RobotEntry, where: str = "show") -> Mapping[str, Any]:
    """Return the options that a robot has unless its entry says others, as YAML can say them.

    Args:
        entry: of the robot.
        where: the place to name in an error.
    """
    from grouser.robots.kinds import describe, is_file

    if is_file(entry.kind):  # `grouser show robot` says what its file leaves out
        return {}
    description = describe(entry.kind, entry.options, where)
    values = {
        field.name: getattr(description, field.name)
        for field in dataclasses.fields(description)  # type: ignore[arg-type]
    }
    return {name: value for name, value in values.items() if _plain(value)}


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)
