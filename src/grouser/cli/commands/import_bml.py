"""``grouser import-bml``: convert a bml_vrep configuration to a world file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser import files
from grouser.cli import preflight
from grouser.cli.terminal import print_note, print_written


def import_bml(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", show_default=False, help="Configuration file (*.yml).")
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="F.yaml",
            show_default="FILE_world.yaml, beside it",
            help="World file to write.",
        ),
    ] = None,
    cell: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1.0,
            metavar="M",
            show_default="as fine as needed",
            help="Cell size of height maps made from meshes.",
        ),
    ] = None,
) -> None:
    """Convert a configuration file of bml_vrep, with its STL files, to a world file.

    Objects with an STL file become terrain (convex pieces or height maps), robots
    become Grouser robots, and the dummy robot becomes a goal with an event. Skipped
    entries are listed.

    For example:

    [cyan]grouser import-bml double_bridge.yml --out double_bridge.yaml[/]
    """
    target = out or file.with_name(f"{file.stem}_world.yaml")
    preflight.writable(target, ".yaml")
    preflight.physics()
    from grouser.world.bml_file import import_bml
    from grouser.world.file import parse

    target.parent.mkdir(parents=True, exist_ok=True)
    imported = import_bml(file, cell, target.parent)
    parse(imported.text, where=str(target), folder=target.parent)  # the written file must load
    files.write_text(target, imported.text)
    for notice in imported.notices:
        print_note(notice, "yellow")
    print_written(target)
