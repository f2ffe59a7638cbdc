"""``grouser replay``: play, export, verify or continue a recorded run."""

from __future__ import annotations

import math
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight, serving
from grouser.cli.commands.browser.open_page import PagePort, serve_page
from grouser.cli.options import speed_factor
from grouser.cli.terminal import print_written, progress_bar, result_console
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.recording.recording import Recording
    from grouser.recording.verification import Verification
    from grouser.world.file import World

WithPage = Annotated[bool, typer.Option("--page", help="Play in the browser, not in a window.")]
Video = Annotated[
    Path | None, typer.Option(metavar="F.webm", help="Write a video of the recorded states.")
]
Ghost = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        show_default=False,
        help="Show the robots of a second recording, transparent, beside the first; with --page.",
    ),
]
RecordAgain = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", show_default=False, help="Record the run after --from."),
]
SIZE = 960, 640
"""Width and height of videos, pixels."""


def replay(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", show_default=False, help="Folder of a recording, or its MCAP file."
        ),
    ],
    verify: Annotated[
        bool,
        typer.Option(
            "--verify", help="Simulate again from the recorded actions and compare every hash."
        ),
    ] = False,
    world: Annotated[
        str | None,
        typer.Option(
            metavar="WORLD", show_default="the recorded one", help="World to verify against."
        ),
    ] = None,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PATH=VALUE", help="Change --world; may be repeated."),
    ] = None,
    video: Video = None,
    csv: Annotated[
        Path | None, typer.Option("--csv", metavar="F.csv", help="Write a table per robot.")
    ] = None,
    parquet: Annotated[
        Path | None, typer.Option("--parquet", metavar="F.parquet", help="Write a table per robot.")
    ] = None,
    continue_from: Annotated[
        float | None,
        typer.Option(
            "--from",
            metavar="S",
            show_default=False,
            help="Continue live from this time; needs --trust.",
        ),
    ] = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Load snapshots, which can execute code.")
    ] = False,
    seconds: Annotated[
        float, typer.Option(metavar="S", help="Simulated duration after --from.")
    ] = 10.0,
    speed: Annotated[
        str, typer.Option(metavar="FACTOR", help="Initial real-time factor of the window.")
    ] = "1.0",
    record: RecordAgain = None,
    page: WithPage = False,
    page_port: PagePort = 8080,
    ghost: Ghost = None,
) -> None:
    """Play a recorded run, export it, verify it, or continue it from a moment.

    For example:

    [cyan]grouser replay climb --verify[/]

    [cyan]grouser replay climb --video climb.webm --parquet climb.parquet[/]

    [cyan]grouser replay climb --from 2.5 --trust --seconds 3 --record what_if[/]

    [cyan]grouser replay climb --page --ghost what_if[/]
    """
    preflight.physics()
    from grouser.recording.recording import Recording

    _check_needs(bool(world or overrides), "--world and --set need --verify", verify)
    _check_needs(ghost is not None, "--ghost needs --page", page)
    if verify:
        return _verify(folder, world, overrides or [], trust)
    with Recording(folder, trusted=trust) as recording:
        _export(recording, csv, parquet)
        if video is not None:
            _film(recording, video)
        if continue_from is not None:
            _continue(recording, continue_from, seconds, record)
        elif (csv, parquet, video) == (None, None, None):
            _play_page(recording, page_port, ghost) if page else _play(recording, speed)


def _check_needs(given: bool, sentence: str, other: bool) -> None:
    """Raise `BadValue` if an option is given without the other one that it needs."""
    if given and not other:
        raise BadValue(sentence)


def _export(recording: Recording, *paths: Path | None) -> None:
    """Write the tables."""
    from grouser.recording.tables import write_tables

    for path in paths:
        for file in write_tables(recording, path) if path is not None else ():
            print_written(file)


def _verify(folder: Path, world: str | None, overrides: list[str], trusted: bool) -> None:
    """Print the result of a verification; exit with 1 if it is not proven."""
    from grouser.recording.verification import verify

    with progress_bar(str(folder)) as bar:
        result = verify(
            folder,
            world=_world(world, overrides),
            trusted=trusted,
            progress=lambda now, end: bar(str(folder), now, end, f"{now:.1f} of {end:.1f} s"),
        )
    console = result_console()
    for line in report(result):
        console.print(line, soft_wrap=True)
    if not result.proven:
        raise typer.Exit(1)


def _world(name: str | None, overrides: list[str]) -> World | None:
    from grouser.world.file import load

    if name is None:
        if overrides:
            raise BadValue("--set needs --world, the world that it changes")
        return None
    return load(name, overrides)


def report(result: Verification) -> list[str]:
    """Return the result of a verification as lines of text."""
    lines = [f"damaged: {damage}" for damage in result.damaged]
    if result.difference is not None:
        lines.append(f"first difference: {result.difference}")
    if result.picture:
        lines.append(f"different picture: {result.picture}")
    if result.missing:
        lines.append(f"not proven: the recording lacks {result.missing}")
    if result.not_compared:
        lines.append(f"pictures not compared: {result.not_compared}")
    pace = result.seconds / max(result.duration, 1e-9)
    lines.append(
        f"{result.states} states, {result.actions} actions and {result.pictures} pictures agree: "
        f"{result.seconds:.2f} s in {result.duration:.2f} s ({pace:.2f} x real time)"
    )
    lines.append("verified" if result.proven else "not verified")
    return lines


def _film(recording: Recording, path: Path) -> None:
    """Write a video of the recorded states."""
    preflight.writable(path, (".webm", ".mp4"))
    preflight.pictures()
    from grouser.recording.playback import Playback, sample_times
    from grouser.render_workers.run_camera import FPS, RunCamera

    playback = Playback(recording)
    times = sample_times(playback.begin, playback.end, FPS)
    with RunCamera(*SIZE, [path], frames=len(times)) as camera:
        for time in times.tolist():
            camera.film(playback.show(time))
    print_written(path)


def _continue(recording: Recording, time: float, seconds: float, folder: Path | None) -> None:
    """Continue a run from a recorded moment, and print its results."""
    from grouser.cli.paced_run import print_run, run_paced
    from grouser.cli.record_options import recording as recorded_run
    from grouser.recording.branch import continue_run

    if not (math.isfinite(seconds) and seconds > 0):
        raise BadValue(f"--seconds is {seconds:g}, must be a number above 0")
    simulation = continue_run(recording, time)
    with recorded_run(simulation, folder, paced=False), progress_bar(simulation.world.name) as bar:
        summary = run_paced(simulation, seconds, factor=None, camera=None, bar=bar)
    print_run(simulation, summary, result_console())


def _play(recording: Recording, speed: str) -> None:
    """Play a recording in a window."""
    from grouser.cli.window import check_display
    from grouser.recording.playback import Playback

    factor = speed_factor(speed)
    if factor is None:
        raise BadValue("--speed is 'max', must be a number with a window")
    check_display()
    from grouser.cli.playback_window import play

    play(Playback(recording), factor)


def _play_page(recording: Recording, port: int, ghost: Path | None) -> None:
    """Play a recording in the browser, with the robots of a second one as ghosts."""
    from grouser.cli.commands.recordings.recorded_page import page_states
    from grouser.gateways.page.gateway import PageGateway
    from grouser.gateways.server import Server, ServerOptions
    from grouser.recording.recording import Recording
    from grouser.simulation.simulation import Simulation

    with ExitStack() as stack:
        other = None if ghost is None else stack.enter_context(Recording(ghost))
        states = page_states(recording, other)
        gateway = PageGateway(port=serving.port_number("--page-port", port), recorded=states)
        simulation = Simulation(recording.world, crash_folder=None)
        simulation.paused = True
        server = Server(simulation, ServerOptions(gateways=(gateway,), pictures=None))
        serve_page(server, math.inf, browser=True)
