"""``grouser run``: let a world run, as fast as it can or at the pace of a clock."""

from __future__ import annotations

import math
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Overrides, Seed, WorldName, speed_factor
from grouser.cli.terminal import complain, print_written, progress_bar, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.cli.paced_run import RunSummary

SMALLEST, LARGEST = 16, 4096
"""Sides of a picture, pixels."""

LogFile = Annotated[
    Path | None,
    typer.Option(
        metavar="F.csv|F.npz",
        help="Write what every robot did: pose, joints, belts, energy; with several robots "
        "a file each, F_NAME.",
    ),
]
LogRate = Annotated[
    float, typer.Option(metavar="HZ", help="Samples of the log per simulated second.")
]


def run(
    world: WorldName,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="How long, in simulated seconds.")
    ] = 10.0,
    speed: Annotated[
        str,
        typer.Option(
            metavar="max|FACTOR",
            help="As fast as it goes, or paced: 1.0 is real time, 0.1 is slow motion.",
        ),
    ] = "max",
    picture: Annotated[
        Path | None,
        typer.Option(metavar="F.png", help="Write a picture of how it ended."),
    ] = None,
    video: Annotated[
        Path | None,
        typer.Option(metavar="F.mp4", help="Write a video, 25 frames per simulated second."),
    ] = None,
    overrides: Overrides = None,
    seed: Seed = None,
    size: Annotated[
        str, typer.Option(metavar="WxH", help="Of picture and video, pixels.")
    ] = "960x640",
    log: LogFile = None,
    log_rate: LogRate = 50.0,
) -> None:
    """Let a world run, and say where its robots got to and what it cost them.

    Ctrl-C ends it early; what was reached by then is shown and written.

    For example:

    [cyan]grouser run quince_step --seconds 15 --picture step.png[/]

    [cyan]grouser run quince_step --set terrain.1.height=0.19 --video slip.mp4[/]

    [cyan]grouser run my_world.yaml --speed 1.0[/]

    [cyan]grouser run stairs --log climb.csv --log-rate 100[/]
    """
    _check(seconds)
    _check_rate(log_rate)
    factor, (width, height) = speed_factor(speed), _size(size)
    preflight.writable(picture, ".png")
    preflight.writable(video, ".mp4")
    preflight.physics()
    from grouser.cli.paced_run import RunCamera, run_paced
    from grouser.cli.run_table import print_run
    from grouser.simulation.run_log import RunLog, log_files
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    sim = Simulation(load(world, overrides or ()), seed=seed)
    if log is not None:
        for file in log_files(log, tuple(sim.scene.robots)):
            preflight.writable(file)
    noted = RunLog(sim) if log is not None else None
    with ExitStack() as stack:
        drawn = picture is not None or video is not None
        camera = stack.enter_context(RunCamera(width, height, video)) if drawn else None
        with progress_bar(sim.world.name) as bar:
            summary = run_paced(
                sim, seconds, factor=factor, camera=camera, bar=bar, log=noted, log_rate=log_rate
            )
        if camera is not None and picture is not None:
            camera.write(sim, picture)
    print_run(sim, summary, result_console())
    logs = noted.write(log) if noted is not None and log is not None else []
    for path in (*filter(None, (picture, video)), *logs):
        print_written(path)
    _leave(summary)


def _leave(summary: RunSummary) -> None:
    if summary.interrupted:
        complain(f"interrupted at {summary.simulated:.2f} simulated seconds")
        raise typer.Exit(130)


def _check(seconds: float) -> None:
    if not (math.isfinite(seconds) and seconds > 0):
        raise BadValue(f"--seconds is {seconds:g}, a number above 0 is needed")


def _check_rate(rate: float) -> None:
    if not (math.isfinite(rate) and 0 < rate <= 10_000):
        raise BadValue(f"--log-rate is {rate:g}, a number above 0 and at most 10000 is needed")


def _size(size: str) -> tuple[int, int]:
    sides = re.fullmatch(r"(\d{1,5})[xX](\d{1,5})", size)
    width, height = (int(side) for side in sides.groups()) if sides else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in (width, height)):
        raise BadValue(
            f"--size is '{size}', width x height in pixels is needed, such as 960x640, "
            f"each from {SMALLEST} to {LARGEST}"
        )
    return width, height
