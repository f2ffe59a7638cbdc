"""Options that several commands have, in the same words; and those of commands that have many."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated

import typer

from grouser.errors import BadValue

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

PictureFile = Annotated[
    Path | None,
    typer.Option("--picture", metavar="F.png", help="Write a picture of how it ended."),
]

VideoFile = Annotated[
    Path | None,
    typer.Option(
        "--video",
        metavar="F.webm",
        help="Write a video, 25 frames per simulated second: .webm is fast, .mp4 slower.",
    ),
]

GifFile = Annotated[
    Path | None,
    typer.Option("--gif", metavar="F.gif", help="Write a moving picture for slides, half as wide."),
]

DrawingQuality = Annotated[
    str | None,
    typer.Option(
        "--quality",
        metavar="fast|high|best",
        show_default="high for pictures, fast for videos",
        help="How well it is drawn: fast has no shadows, high has them and smooth edges, best has "
        "soft light (needs a display server such as Xvfb, a second per picture).",
    ),
]

RealLog = Annotated[
    Path,
    typer.Argument(
        metavar="LOG",
        show_default=False,
        help="A robot's log (.csv, .npz, .npy), or a shipped one ([cyan]grouser list logs[/]).",
    ),
]

PictureReport = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write a page with pictures, DIR/index.html; needs OpenGL."),
]

PlotReport = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Write a page with plots, DIR/index.html.")
]


def speed_factor(speed: str, word: str = "max") -> float | None:
    """Return simulated seconds per second of the clock of ``--speed``; None: it says ``word``."""
    if speed == word:
        return None
    try:
        factor = float(speed)
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue(
            f"--speed is '{speed}', '{word}' or a number above 0 is needed, "
            "such as 1.0 for real time"
        )
    return factor
