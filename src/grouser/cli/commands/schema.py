"""``grouser schema``: JSON schemas of world, robot and sweep files, for editors and programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from grouser import files
from grouser.cli import preflight
from grouser.cli.terminal import print_written
from grouser.errors import unknown

KINDS = ("world", "robot", "sweep")


def schema(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND", show_default=False, help=f"Kind of file: {', '.join(KINDS)}."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", show_default="standard output", help="File to write."),
    ] = None,
) -> None:
    """Print the JSON schema of world, robot or sweep files, with the kinds of installed packages.

    Editors with a YAML language server check and complete a file whose first line names its schema,
    as those of [cyan]grouser new[/] do.

    For example:

    [cyan]grouser schema world --out grouser-world.schema.json[/]
    """
    if kind not in KINDS:
        raise unknown("schema", "kind", kind, KINDS)
    preflight.writable(out, ".json")
    preflight.physics()
    text = schema_text(kind)
    if out is None:
        typer.echo(text, nl=False)
        return
    files.write_text(out, text)
    print_written(out)


def schema_text(kind: str) -> str:
    """Return the JSON schema of the files of a kind, one of `KINDS`, as text."""
    from grouser.cli.file_schema import robot_schema, sweep_schema, world_schema

    made = {"world": world_schema, "robot": robot_schema, "sweep": sweep_schema}[kind]
    return json.dumps(made(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
