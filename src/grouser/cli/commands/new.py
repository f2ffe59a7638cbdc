"""``grouser new``: files to begin with."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grouser import files
from grouser.cli import preflight
from grouser.cli.terminal import print_written, result_console
from grouser.errors import BadValue, unknown

STARTERS = {
    "world": ("starter_world.yaml", ".yaml"),
    "robot": ("starter_robot.yaml", ".yaml"),
}
"""What can be begun: the file that is copied, and how the new one's name ends."""


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", show_default=False, help=f"What to begin: {', '.join(STARTERS)}."
        ),
    ],
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", show_default=False, help="What it is called; the file gets this name."
        ),
    ],
) -> None:
    """Write a file to begin with, every line explained: a robot before stairs, or a robot.

    A file of that name that is there already is never touched.

    For example:

    [cyan]grouser new world my_stairs[/]

    [cyan]grouser run my_stairs.yaml --picture my_stairs.png[/]

    [cyan]grouser new robot my_robot[/]
    """
    if kind not in STARTERS:
        raise unknown("new", "kind", kind, STARTERS)
    source, ending = STARTERS[kind]
    path = Path(name) if name.endswith((ending, ".yml")) else Path(f"{name}{ending}")
    if not path.stem or len(path.stem) > 80:
        raise BadValue(f"new: the name is {name!r}, 1 to 80 characters are needed")
    if path.exists():
        raise BadValue(f"{path}: is there already, and stays as it is; choose another name")
    preflight.physics()
    text = (resources.files("grouser.cli") / source).read_text(encoding="utf-8")
    (_write_robot if kind == "robot" else _write_world)(path, text)


def _write_world(path: Path, text: str) -> None:
    from grouser.world.file import parse

    text = text.replace("NAME_OF_WORLD", _quoted(path.stem)).replace("FILE_OF_WORLD", path.name)
    parse(text, where=str(path))  # nobody shall begin with a file that does not load
    files.write_text(path, text)
    print_written(path)
    result_console().print(Text(f"run it:  grouser run {path} --picture {path.stem}.png", "dim"))


def _write_robot(path: Path, text: str) -> None:
    from grouser.robots.custom.custom_robot import model_name

    text = text.replace("NAME_OF_ROBOT", model_name(path)).replace("FILE_OF_ROBOT", path.name)
    files.write_text(path, text)
    print_written(path)
    hint = f"see it:  grouser show robot {path} --picture {path.stem}.png"
    result_console().print(Text(hint, "dim"))


def _quoted(name: str) -> str:
    """Return ``name`` as YAML says text, whatever is in it."""
    return "'" + name.replace("'", "''") + "'"
