"""``grouser show``: what a world file means, with everything that it left to defaults."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from grouser.cli import preflight
from grouser.cli.options import Overrides, WorldName
from grouser.cli.terminal import result_console

if TYPE_CHECKING:
    from grouser.world.file import RobotEntry


def show(world: WorldName, overrides: Overrides = None) -> None:
    """Print what a world file means: all that it says, and all that it leaves to defaults.

    Lines that the file does not say end in "# default". What is printed is a world
    file itself and may be kept, changed and run.

    For example:

    [cyan]grouser show quince_step[/]

    [cyan]grouser show quince_step --set terrain.1.kind=stairs > my_stairs.yaml[/]
    """
    preflight.physics()
    from grouser.world.file import load
    from grouser.world.file_text import DEFAULT, world_text

    console = result_console()
    for line in world_text(load(world, overrides or ()), robot_defaults).splitlines():
        said, mark, _ = line.partition(DEFAULT)
        console.print(Text.assemble(said, (mark, "dim")), soft_wrap=True)


def robot_defaults(entry: RobotEntry) -> Mapping[str, Any]:
    """Return the options that a robot has unless its entry says others, as YAML can say them."""
    from grouser.robots.kinds import describe, is_file

    if is_file(entry.kind):  # `grouser show robot` says what its file leaves out
        return {}
    description = describe(entry.kind, entry.options, entry.name)
    values = {
        field.name: getattr(description, field.name)
        for field in dataclasses.fields(description)  # type: ignore[arg-type]
    }
    return {name: value for name, value in values.items() if _plain(value)}


def _plain(value: Any) -> bool:
    if isinstance(value, tuple):
        return all(_plain(item) for item in value)
    return value is None or isinstance(value, bool | int | float | str)
