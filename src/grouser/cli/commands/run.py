"""``grouser run``: let a world run, as fast as it can or at the pace of a clock."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import (
    DrawingQuality,
    GifFile,
    Overrides,
    PictureFile,
    Seed,
    VideoFile,
    WorldName,
    speed_factor,
)
from grouser.cli.terminal import complain, print_written, progress_bar, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.cli.paced_run import RunSummary
    from grouser.simulation.run_log import RunLog
    from grouser.simulation.simulation import Simulation

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
    picture: PictureFile = None,
    video: VideoFile = None,
    gif: GifFile = None,
    quality: DrawingQuality = None,
    view: Annotated[
        bool, typer.Option("--view", help="Watch it in a window, as grouser view does.")
    ] = False,
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

    [cyan]grouser run quince_step --set terrain.1.height=0.19 --video slip.webm[/]

    [cyan]grouser run my_world.yaml --speed 1.0[/]

    [cyan]grouser run stairs --log climb.csv --log-rate 100[/]
    """
    _check(seconds)
    _check_rate(log_rate)
    factor, (width, height) = speed_factor(speed), _size(size)
    preflight.writable(picture, ".png")
    preflight.writable(video, (".webm", ".mp4"))
    preflight.writable(gif, ".gif")
    preflight.physics()
    from grouser.simulation.run_log import RunLog, log_files
    from grouser.simulation.simulation import Simulation
    from grouser.world.file import load

    files = [path for path in (picture, video, gif) if path is not None]
    if view:
        _check_window(files)
    sim = Simulation(load(world, overrides or ()), seed=seed)
    if log is not None:
        for file in log_files(log, tuple(sim.scene.robots)):
            preflight.writable(file)
    noted = RunLog(sim) if log is not None else None
    run_part = partial(_watch, sim) if view else partial(_film, sim, files, width, height, quality)
    summary = run_part(seconds, factor=factor, log=noted, log_rate=log_rate)
    logs = noted.write(log) if noted is not None and log is not None else []
    for path in (*files, *logs):
        print_written(path)
    _leave(summary)


def _film(
    sim: Simulation,
    files: Sequence[Path],
    width: int,
    height: int,
    quality: str | None,
    seconds: float,
    *,
    factor: float | None,
    log: RunLog | None,
    log_rate: float,
) -> RunSummary:
    """Let a simulation run, with what pictures and videos are wanted of it; print the table."""
    from grouser.cli.paced_run import run_paced
    from grouser.cli.run_table import print_run
    from grouser.gateways.images.run_camera import FPS, RunCamera

    with ExitStack() as table, ExitStack() as stack:
        camera = None
        videos = [path for path in files if path.suffix != ".png"]
        if files:
            preflight.pictures()
            camera = RunCamera(width, height, videos, quality=quality, frames=int(seconds * FPS))
            stack.enter_context(camera)
        with progress_bar(sim.world.name) as bar:
            summary = run_paced(
                sim, seconds, factor=factor, camera=camera, bar=bar, log=log, log_rate=log_rate
            )
        # Behind the pictures, but also if one of them cannot be written.
        table.callback(print_run, sim, summary, result_console())
        for picture in files:
            if camera is not None and picture.suffix == ".png":
                camera.write(sim, picture)
    return summary


def _watch(
    sim: Simulation,
    seconds: float,
    *,
    factor: float | None,
    log: RunLog | None,
    log_rate: float,
) -> RunSummary:
    """Let a simulation run in a window, at the pace of the clock unless another is asked for."""
    from grouser.cli.run_table import print_run
    from grouser.cli.window import print_keys, watch

    print_keys(result_console())
    summary = watch(sim, factor=factor or 1.0, seconds=seconds, log=log, log_rate=log_rate)
    print_run(sim, summary, result_console())
    return summary


def _check_window(files: Sequence[Path]) -> None:
    from grouser.cli.window import check_display

    if files:
        raise BadValue(f"--view: a window writes no files; leave it out to write {files[0]}")
    check_display()


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
