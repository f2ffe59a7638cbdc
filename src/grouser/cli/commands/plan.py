"""``grouser plan``: find the safest and cheapest path by simulation."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight, record_options, terminal
from grouser.cli.options import (
    JsonFile,
    Overrides,
    RunnerName,
    WorldName,
    only_robot,
    parse_numbers,
    trial_runner,
)
from grouser.cli.policy_options import PolicyRate, PolicyText, policy_factory
from grouser.errors import GrouserError

if TYPE_CHECKING:
    from grouser.trials.plan import PlanProgress, PlanResult, PlanSettings
    from grouser.trials.plan_task import PlanTask
    from grouser.trials.runner import Runner
    from grouser.trials.trial import Outcome

NO_PATH = 1
"""Exit code if no path was found; user errors are 2."""

RobotName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        show_default="the world's only one",
        help="Robot of the world, or any robot kind.",
    ),
]
Start = Annotated[
    str, typer.Option("--from", metavar="X,Y", show_default=False, help="Start position, m.")
]
Target = Annotated[
    str, typer.Option("--to", metavar="X,Y", show_default=False, help="Goal position, m.")
]
Candidates = Annotated[int, typer.Option(min=1, metavar="N", help="Paths per round.")]
Trials = Annotated[int, typer.Option(min=1, metavar="N", help="Trials per path and round.")]
Rounds = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="The first uses geometry only, later ones the learned cost map."
    ),
]
Planner = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="Planner of the first round: an OMPL planner, STRIDE, or roadmap."
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,X,Y",
        show_default="all ground with a margin",
        help="Search area, two corners, m.",
    ),
]
Heading = Annotated[
    float | None,
    typer.Option(
        "--heading-deg", metavar="DEG", show_default="the world's", help="Heading at the start."
    ),
]
Limit = Annotated[
    float, typer.Option(min=1.0, metavar="SECONDS", help="Longest simulated time of a trial.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="SECONDS",
        show_default="none",
        help="Stop after this wall time and return the best path so far.",
    ),
]
PlanSeed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of paths and trials.")]
ReportFolder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write a page with pictures and videos, DIR/index.html."),
]


def plan(
    world: WorldName,
    start: Start,
    to: Target,
    robot: RobotName = None,
    candidates: Candidates = 20,
    trials: Trials = 5,
    rounds: Rounds = 3,
    planner: Planner = "PRM",
    within: Within = None,
    heading_deg: Heading = None,
    limit: Limit = 60.0,
    timeout: Timeout = None,
    seed: PlanSeed = 0,
    overrides: Overrides = None,
    json_file: JsonFile = None,
    report: ReportFolder = None,
    policy: PolicyText = None,
    policy_rate: PolicyRate = None,
    runner: RunnerName = None,
    record: record_options.TrialFolder = None,
) -> None:
    """Generate candidate paths, simulate each, and return the best.

    A geometric planner proposes paths; each is simulated several times with varied start
    pose, friction and mass. The results become a cost map for the next round. The answer
    is the path with the least energy per success, with its success probability. Ctrl-C
    returns the best path so far.

    With --policy, a controller commands the robot in addition to the path driver; its
    commands replace the driver's.

    Exits with code 1 if there is no path, or if no trial finished in time.

    For example:

    [cyan]grouser plan bumps --from -1.6,0 --to 1.6,0 --report plan[/]

    [cyan]grouser plan rubble --robot quince --from -0.5,0 --to 3.6,0 --candidates 8[/]
    """
    begun = time.monotonic()
    preflight.physics()
    preflight.writable(json_file, ".json")
    preflight.writable_page(report)
    from grouser.frames import radians
    from grouser.trials.plan import PlanSettings
    from grouser.trials.plan_task import plan_task
    from grouser.world.file import load

    settings = PlanSettings(
        candidates=candidates, trials=trials, rounds=rounds, planner=planner, seed=seed
    )
    ends = _pair("--from", start), _pair("--to", to)
    loaded = load(world, overrides or ())
    make_task = partial(
        plan_task,
        loaded,
        robot or only_robot(loaded),
        *ends,
        heading=None if heading_deg is None else radians(heading_deg),
        bounds=None if within is None else _corners(within),
        limit=limit,
        policy=policy_factory(policy, policy_rate),
    )
    until = math.inf if timeout is None else begun + timeout
    result = _plan_with_progress(make_task, settings, trial_runner(runner), until)
    _print_result(result, json_file, record)
    if report is not None and result.best is not None:
        _write_page(result, report)
    if result.best is None:
        raise typer.Exit(NO_PATH)


def _best_and_worst(result: PlanResult) -> dict[str, Outcome]:
    """Return a trial of the best and of the worst path, by name."""
    from grouser.cli.plan_report import representative

    records = {"best": result.best, "worst": result.worst}
    return {name: representative(record) for name, record in records.items() if record is not None}


def _plan_with_progress(
    make_task: Callable[[], PlanTask], settings: PlanSettings, runner: Runner | None, until: float
) -> PlanResult:
    """Plan with a progress bar until Ctrl-C or the time ``until`` of the monotonic clock, s."""
    from grouser.trials.plan import plan as plan_and_drive

    speed = terminal.Throughput(runner)
    with _first_interrupt() as interrupted, terminal.progress_bar("analysing the ground") as show:

        def stop() -> bool:
            return interrupted() or time.monotonic() > until

        def watch(at: PlanProgress) -> None:
            what = f"round {at.round} of {settings.rounds}"
            show(what, at.finished, at.of, speed.text(what, at.finished, at.of))

        task = make_task()
        show("searching for paths", 0, 1, "")
        result = plan_and_drive(task, settings, runner=runner, stop=stop, watch=watch)
        if result.ended and interrupted():
            result.ended = "interrupted"
    return result


def _print_result(result: PlanResult, json_file: Path | None, record: Path | None) -> None:
    """Print the result, and write it as JSON."""
    from grouser.cli.plan_report import best_lines, candidate_table, plan_json

    console = terminal.result_console()
    if result.best is not None:
        console.print(candidate_table(result))
        console.print(f"trials of one path differ in: {result.settings.spread}", style="dim")
        console.print()
    if result.no_path:
        console.print(result.no_path, soft_wrap=True)
    else:
        for line in best_lines(result):
            console.print(line, soft_wrap=True)
    if json_file is not None:
        terminal.write_json(json_file, plan_json(result))
    record_options.record_trials(_best_and_worst(result), record)


def _write_page(result: PlanResult, folder: Path) -> None:
    """Write the page, with videos if OpenGL is available."""
    from grouser.cli.plan_report import plan_page

    videos = True
    try:
        preflight.pictures()
    except GrouserError as error:
        videos = False
        terminal.print_error(f"no videos: {error}")
    with terminal.progress_bar("drawing") as show:
        page = plan_page(
            result,
            command=terminal.command_line(),
            videos=videos,
            progress=lambda what: show(what, 0, 1, ""),
        )
        path = page.write(folder)
    terminal.print_written(path)


def _pair(option: str, text: str) -> tuple[float, float]:
    """Return a position x, y."""
    x, y = parse_numbers(option, text, 2, example="-1.6,0 (m)")
    return x, y


def _corners(text: str) -> tuple[float, float, float, float]:
    """Return the corners of a rectangle, the smaller coordinates first."""
    a, b, c, d = parse_numbers("--within", text, 4, example="-1.7,-1,1.7,1 (m)")
    return min(a, c), min(b, d), max(a, c), max(b, d)


@contextmanager
def _first_interrupt() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True after the first Ctrl-C; the second one interrupts."""
    # The first raises nothing, because it might interrupt OMPL, which runs threads of its
    # own.
    pressed: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    usual = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread: the caller handles signals
        yield lambda: False
        return
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, usual)
