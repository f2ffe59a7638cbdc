"""``grouser new``: write commented starter files."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grouser import files
from grouser.cli import preflight
from grouser.cli.commands.schema import schema_text
from grouser.cli.terminal import print_written, result_console
from grouser.errors import BadValue, unknown

STARTERS = {"world": ("starter_world.yaml", ".yaml"), "robot": ("starter_robot.yaml", ".yaml")}
"""Kind -> template file, suffix of the new file."""


def new(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", show_default=False, help=f"Kind of file: {', '.join(STARTERS)}."
        ),
    ],
    name: Annotated[
        str, typer.Argument(metavar="NAME", show_default=False, help="Name, also of the file.")
    ],
) -> None:
    """Write a commented starter file: a world with a robot before stairs, or a robot.

    An existing file is never overwritten. The JSON schema beside it lets editors with a YAML
    language server check and complete the file.

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
        raise BadValue(f"new: the name is {name!r}, must have 1 to 80 characters")
    if path.exists():
        raise BadValue(f"{path}: already exists and is not overwritten; choose another name")
    preflight.physics()
    text = (resources.files("grouser.cli") / source).read_text(encoding="utf-8")
    (_write_robot if kind == "robot" else _write_world)(path, text)
    schema = path.with_name(f"{kind}.schema.json")  # the starters name it
    if not schema.exists():
        files.write_text(schema, schema_text(kind))
        print_written(schema)


def _write_world(path: Path, text: str) -> None:
    from grouser.world.file import parse

    text = text.replace("NAME_OF_WORLD", _quote(path.stem)).replace("FILE_OF_WORLD", path.name)
    parse(text, where=str(path))  # the template must load
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


def _quote(name: str) -> str:
    """Return ``name`` as a single-quoted YAML scalar."""
    return "'" + name.replace("'", "''") + "'"
