"""Options that several commands have, in the same words."""

from __future__ import annotations

from typing import Annotated

import typer

WorldName = Annotated[
    str,
    typer.Argument(
        metavar="WORLD",
        show_default=False,
        help="A world file, or the name of a shipped one ([cyan]grouser list worlds[/]).",
    ),
]

Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="PATH=VALUE",
        help="Change the world, such as terrain.1.height=0.19; may be given often.",
    ),
]

Seed = Annotated[
    int | None,
    typer.Option(
        min=0,
        metavar="N",
        show_default="the world's",
        help="Decides everything random in the run.",
    ),
]

Token = Annotated[
    str,
    typer.Option(
        envvar="GROUSER_TOKEN",
        metavar="SECRET",
        show_default=False,
        help="The server's token, one for control; better given in the environment.",
    ),
]
"""For commands that go to a server."""
