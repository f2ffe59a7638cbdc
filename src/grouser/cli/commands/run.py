"""``grouser run``: simulate a world, as fast as possible or paced by the clock."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import options, preflight, record_options
from grouser.cli.policy_options import (
    PolicyRate,
    RobotPolicies,
    controlled_simulation,
    raise_failure,
)
from grouser.cli.terminal import print_error, print_written, progress_bar, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.cli.paced_run import RunSummary
    from grouser.simulation.simulation import Simulation

SMALLEST, LARGEST = 16, 4096
"""Limits of the picture size, pixels."""


def run(
    world: options.WorldName,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="Simulated duration, rounded to whole time steps.")
    ] = 10.0,
    speed: Annotated[
        str,
        typer.Option(
            metavar="max|FACTOR",
            help="As fast as possible, or real-time factor: 1.0 is real time, 0.1 is slow motion.",
        ),
    ] = "max",
    picture: options.PictureFile = None,
    video: options.VideoFile = None,
    gif: options.GifFile = None,
    quality: options.DrawingQuality = None,
    view: Annotated[
        bool, typer.Option("--view", help="Show a window, as grouser view does.")
    ] = False,
    overrides: options.Overrides = None,
    seed: options.Seed = None,
    size: Annotated[
        str, typer.Option(metavar="WxH", help="Size of picture and video, pixels.")
    ] = "960x640",
    log: options.LogFile = None,
    log_rate: options.LogRate = 50.0,
    policy: RobotPolicies = None,
    policy_rate: PolicyRate = None,
    record: record_options.RecordFolder = None,
    record_hz: record_options.RecordRate = 25.0,
    record_topics: record_options.RecordTopics = None,
    compress: record_options.Compression = "zstd",
) -> None:
    """Simulate a world; print final poses, distances and energy of the robots.

    Ctrl-C ends it early; results up to then are printed and written.

    For example:

    [cyan]grouser run quince_step --seconds 15 --picture step.png[/]

    [cyan]grouser run quince_step --set terrain.1.height=0.19 --video slip.webm[/]

    [cyan]grouser run my_world.yaml --speed 1.0[/]

    [cyan]grouser run stairs --log climb.csv --log-rate 100[/]

    [cyan]grouser run quince_step --policy climber.py:StepClimber[/]

    [cyan]grouser run stairs --record climb[/]
    """
    _check_seconds(seconds)
    options.check_log_rate(log_rate)
    factor, (width, height) = options.speed_factor(speed), _size(size)
    preflight.writable(picture, ".png")
    preflight.writable(video, (".webm", ".mp4"))
    preflight.writable(gif, ".gif")
    preflight.physics()
    from grouser.simulation.run_log import RunLog, log_files

    files = [path for path in (picture, video, gif) if path is not None]
    if view:
        _check_window(files)
    sim, controls = controlled_simulation(world, overrides, seed, policy, policy_rate)
    if log is not None:
        for file in log_files(log, tuple(sim.scene.robots)):
            preflight.writable(file)
    run_part = partial(_watch, sim) if view else partial(_film, sim, files, width, height, quality)
    with ExitStack() as stack:
        to = record, record_hz, record_topics, compress
        paced = view or factor is not None
        stack.enter_context(record_options.recording(sim, *to, paced=paced))
        if log is not None:
            run_log = stack.enter_context(RunLog(sim, log, rate_hz=log_rate))
        summary = run_part(seconds, factor=factor)
    for path in (*files, *(run_log.files if log is not None else ())):
        print_written(path)
    _exit_if_interrupted(summary)
    raise_failure(controls)
    _exit_if_routine_failed(sim)


def _film(
    sim: Simulation,
    files: Sequence[Path],
    width: int,
    height: int,
    quality: str | None,
    seconds: float,
    *,
    factor: float | None,
) -> RunSummary:
    """Run a simulation, write pictures and videos, and print the table."""
    from grouser.cli.paced_run import print_run, run_paced
    from grouser.render_workers.run_camera import FPS, RunCamera

    with ExitStack() as table, ExitStack() as stack:
        camera = None
        videos = [path for path in files if path.suffix != ".png"]
        if files:
            preflight.pictures()
            camera = RunCamera(width, height, videos, quality=quality, frames=int(seconds * FPS))
            stack.enter_context(camera)
        with progress_bar(sim.world.name) as bar:
            summary = run_paced(sim, seconds, factor=factor, camera=camera, bar=bar)
        # Printed after the pictures, also if writing one of them fails.
        table.callback(print_run, sim, summary, result_console())
        for picture in files:
            if camera is not None and picture.suffix == ".png":
                camera.write(sim, picture)
    return summary


def _watch(sim: Simulation, seconds: float, *, factor: float | None) -> RunSummary:
    """Run a simulation in a window; real time unless ``factor`` is given."""
    from grouser.cli.paced_run import print_run
    from grouser.cli.window import print_keys, watch

    print_keys(result_console())
    summary = watch(sim, factor=factor or 1.0, seconds=seconds)
    print_run(sim, summary, result_console())
    return summary


def _check_window(files: Sequence[Path]) -> None:
    from grouser.cli.window import check_display

    if files:
        raise BadValue(f"--view cannot be combined with output files; omit it to write {files[0]}")
    check_display()


def _exit_if_interrupted(summary: RunSummary) -> None:
    if summary.interrupted:
        print_error(f"interrupted at {summary.simulated:.2f} simulated seconds")
        raise typer.Exit(130)


def _exit_if_routine_failed(sim: Simulation) -> None:
    """Print the failures of users' routines, each once, and exit with code 1 if there are any."""
    failed = {entry.text: entry for entry in sim.event_log if entry.routine}
    for entry in failed.values():
        print_error(str(entry))
    if failed:
        raise typer.Exit(1)


def _check_seconds(seconds: float) -> None:
    if not (math.isfinite(seconds) and seconds > 0):
        raise BadValue(f"--seconds is {seconds:g}, must be a number above 0")


def _size(size: str) -> tuple[int, int]:
    sides = re.fullmatch(r"(\d{1,5})[xX](\d{1,5})", size)
    width, height = (int(side) for side in sides.groups()) if sides else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in (width, height)):
        raise BadValue(
            f"--size is '{size}', must be width x height in pixels, such as 960x640, "
            f"each from {SMALLEST} to {LARGEST}"
        )
    return width, height
