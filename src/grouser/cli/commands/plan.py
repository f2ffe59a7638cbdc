"""``grouser plan``: the path that physics says is safest and cheapest."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight
from grouser.cli.options import Overrides, WorldName
from grouser.cli.places import numbers
from grouser.cli.terminal import (
    complain,
    print_written,
    progress_bar,
    result_console,
    write_json,
)
from grouser.cli.typed_command import typed_command
from grouser.errors import BadValue, GrouserError

if TYPE_CHECKING:
    from grouser.trials.plan import PlanProgress, PlanResult
    from grouser.world.file import World

NO_PATH = 1
"""Exit code when there is no answer; mistakes are 2, as everywhere."""

RobotName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        show_default="the world's only one",
        help="Who plans: a robot of the world, or any kind of robot.",
    ),
]
Start = Annotated[
    str, typer.Option("--from", metavar="X,Y", show_default=False, help="Where it starts, m.")
]
Target = Annotated[
    str, typer.Option("--to", metavar="X,Y", show_default=False, help="Where it is to get, m.")
]
Candidates = Annotated[int, typer.Option(min=1, metavar="N", help="Paths in a round.")]
Trials = Annotated[int, typer.Option(min=1, metavar="N", help="Trials of each path in a round.")]
Rounds = Annotated[
    int,
    typer.Option(
        min=1, metavar="N", help="The first plans on geometry alone, later ones on what was felt."
    ),
]
Planner = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Who plans the first round: one of OMPL's planners, STRIDE, or roadmap.",
    ),
]
Within = Annotated[
    str | None,
    typer.Option(
        metavar="X,Y,X,Y",
        show_default="all ground and around it",
        help="Where ways are looked for, two corners, m.",
    ),
]
Heading = Annotated[
    float | None,
    typer.Option(
        "--heading-deg",
        metavar="DEG",
        show_default="the world's",
        help="Where it faces at the start.",
    ),
]
Limit = Annotated[
    float, typer.Option(min=1.0, metavar="SECONDS", help="Simulated time that a trial may take.")
]
Timeout = Annotated[
    float | None,
    typer.Option(
        min=0.1,
        metavar="SECONDS",
        show_default="none",
        help="Stop after this time on the clock and answer with the best so far.",
    ),
]
PlanSeed = Annotated[int, typer.Option(min=0, metavar="N", help="Of paths and of what is drawn.")]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write all paths and results as JSON."),
]
ReportFolder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Write a page with pictures and films, DIR/index.html."),
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
) -> None:
    """Find paths, drive every one of them in physics, and answer with the best.

    Geometry proposes paths; each is driven several times, from starts, with frictions
    and masses that differ a little. What that cost becomes a map of the ground, by which
    the next round plans. The answer is the path that spends the least energy per
    success, with its probability to arrive. Ctrl-C answers with the best so far.

    It leaves with code 1 when there is no path, or when no trial was over in time.

    For example:

    [cyan]grouser plan bumps --from -1.6,0 --to 1.6,0 --report plan[/]

    [cyan]grouser plan rubble --robot quince --from -0.5,0 --to 3.6,0 --candidates 8[/]
    """
    begun = time.monotonic()
    preflight.physics()
    preflight.writable(json_file, ".json")
    if report is not None:
        preflight.writable(report / "index.html")
    from grouser.frames import radians
    from grouser.trials.plan import PlanSettings
    from grouser.trials.plan import plan as plan_and_drive
    from grouser.trials.plan_task import plan_task
    from grouser.world.file import load

    settings = PlanSettings(
        candidates=candidates, trials=trials, rounds=rounds, planner=planner, seed=seed
    )
    ends = _pair("--from", start), _pair("--to", to)
    corners = None if within is None else _corners(within)
    heading = None if heading_deg is None else radians(heading_deg)
    loaded = load(world, overrides or ())
    who = robot or _only_robot(loaded)
    with _first_interrupt() as interrupted, progress_bar("looking at the ground") as show:

        def stop() -> bool:
            return interrupted() or (timeout is not None and time.monotonic() - begun > timeout)

        def watch(at: PlanProgress) -> None:
            show(f"round {at.round} of {rounds}", at.finished, at.of, f"{at.finished} of {at.of}")

        task = plan_task(loaded, who, *ends, heading=heading, bounds=corners, limit=limit)
        show("looking for paths", 0, 1, "")
        result = plan_and_drive(task, settings, stop=stop, watch=watch)
        if result.ended and interrupted():
            result.ended = "interrupted"
    _answer(result, json_file)
    if report is not None and result.best is not None:
        _write_page(result, report)
    if result.best is None:
        raise typer.Exit(NO_PATH)


def _answer(result: PlanResult, json_file: Path | None) -> None:
    """Print what was found, and write it for programs."""
    from grouser.cli.plan_table import best_lines, candidate_table, plan_json

    console = result_console()
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
        write_json(json_file, plan_json(result))


def _write_page(result: PlanResult, folder: Path) -> None:
    """Draw the page, with films where there is OpenGL."""
    from grouser.cli.plan_page import plan_page

    films = True
    try:
        preflight.pictures()
    except GrouserError as error:
        films = False
        complain(f"no films: {error}")
    with progress_bar("drawing") as show:
        page = plan_page(
            result, command=typed_command(), films=films, told=lambda what: show(what, 0, 1, "")
        )
        path = page.write(folder)
    print_written(path)


def _only_robot(world: World) -> str:
    """Return the name of the world's one robot."""
    names = [entry.name for entry in world.robots]
    if len(names) != 1:
        has = f"has {', '.join(names)}" if names else "has no robot of its own"
        raise BadValue(f"--robot: world '{world.name}' {has}; say who plans")
    return names[0]


def _pair(option: str, text: str) -> tuple[float, float]:
    """Return a place that was typed."""
    x, y = numbers(option, text, 2, example="-1.6,0 (m)")
    return x, y


def _corners(text: str) -> tuple[float, float, float, float]:
    """Return two corners that were typed, the smaller numbers first."""
    a, b, c, d = numbers("--within", text, 4, example="-1.7,-1,1.7,1 (m)")
    return min(a, c), min(b, d), max(a, c), max(b, d)


@contextmanager
def _first_interrupt() -> Iterator[Callable[[], bool]]:
    """Yield whether Ctrl-C was pressed inside the block; a second one interrupts as usual.

    Nothing is thrown at the first: it might come up in the middle of OMPL, which has threads of its
    own.
    """
    pressed: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(number)

    usual = signal.getsignal(signal.SIGINT)
    try:
        signal.signal(signal.SIGINT, note)
    except ValueError:  # not in the main thread: whoever called looks after signals
        yield lambda: False
        return
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, usual)
