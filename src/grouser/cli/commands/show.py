"""``grouser show``: print a world file or a robot with all defaults."""

from __future__ import annotations

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
        help="After the word robot: robot kind or robot file.",
    ),
]
PictureFile = Annotated[
    Path | None,
    typer.Option(metavar="F.png", help="Render the robot from three sides; needs OpenGL."),
]


def show(
    world: WorldName,
    robot: RobotKind = None,
    overrides: Overrides = None,
    picture: PictureFile = None,
) -> None:
    """Print a world file with all defaults.

    Lines that are not in the file end in "# default". The output is a valid world
    file.

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
        raise BadValue(f"show: '{world}' is a world; to show a robot: show robot NAME")
    from grouser.world.file import DEFAULT, load, world_text

    console = result_console()
    loaded = load(world, overrides or ())
    where = {entry.name: loaded.where("robots", n) for n, entry in enumerate(loaded.robots)}
    text = world_text(loaded, lambda entry: robot_defaults(entry, where[entry.name]))
    for line in text.splitlines():
        content, mark, _ = line.partition(DEFAULT)
        console.print(Text.assemble(content, (mark, "dim")), soft_wrap=True)


def _show_robot(robot: str, overrides: Sequence[str], picture: Path | None) -> None:
    """Print a robot, and render it if ``picture`` is given."""
    preflight.writable(picture, ".png")
    from grouser.cli.robot_card import draw_robot, print_robot

    simulation = print_robot(robot, robot_options(overrides), result_console())
    if picture is not None:
        preflight.pictures()
        draw_robot(simulation, picture)
        print_written(picture)


def robot_defaults(entry: RobotEntry, where: str = "show") -> Mapping[str, Any]:
    """Return the default options of a robot that YAML can represent; ``where`` is for errors."""
    from grouser.description import Description
    from grouser.robots.kinds import describe

    description = describe(entry.kind, entry.options, where)
    if not isinstance(description, Description):
        return {}  # `grouser show robot` prints the defaults of a robot file
    return {name: value for name, value in description if _plain(value)}


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)
