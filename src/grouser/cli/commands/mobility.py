"""``grouser mobility``: what can a robot get over?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli import preflight
from grouser.cli.terminal import (
    CountingBar,
    counting_bar,
    print_written,
    result_console,
    write_json,
)
from grouser.cli.typed_command import typed_command
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.mobility.limits import Limit
    from grouser.mobility.suite import Candidate, MobilityRun
    from grouser.reports.page import Page

USUAL = ("step", "trench")
"""What is tested when nothing is said."""
REPEATS = 20
"""Of a limit, when nothing is said."""


RobotKind = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        show_default=False,
        help="Any kind of robot ([cyan]grouser list robots[/]), or a robot file of your own.",
    ),
]
TestNames = Annotated[
    list[str] | None,
    typer.Option(
        "--test",
        metavar="NAME",
        show_default=" and ".join(USUAL),
        help="Which apparatus; may be given often.",
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="50,100,…",
        show_default="the test's own",
        help="Sizes in mm or deg, as the test has them.",
    ),
]
Sheet = Annotated[bool, typer.Option("--sheet", help="Every apparatus, and a page with pictures.")]
FindLimit = Annotated[
    bool,
    typer.Option(
        "--limit", help="Find the sizes at which 50 % and 95 % pass, by repeated bisection."
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        show_default=str(REPEATS),
        help="Repetitions for [cyan]--limit[/], which it implies.",
    ),
]
UseFlippers = Annotated[
    bool,
    typer.Option(
        "--flippers/--no-flippers",
        help="Raise, press and level them, or leave them as they are.",
    ),
]
RobotOverrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="OPTION=VALUE",
        help="Change the robot, such as method=wheels; may be given often.",
    ),
]
StepLength = Annotated[
    float | None,
    typer.Option(
        "--timestep",
        min=0.0001,
        max=0.01,
        metavar="SECONDS",
        show_default="the suite's, 0.001",
        help="Length of a physics step: does a verdict hang on it?",
    ),
]
GroundFriction = Annotated[
    float | None,
    typer.Option(
        "--friction",
        min=0.0,
        max=10.0,
        metavar="MU",
        show_default="0.6",
        help="Of ground and obstacles; a hurdle's pipes and the slopes of the tipping tests keep "
        "their own.",
    ),
]
SheetFolder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        show_default="mobility_ROBOT with --sheet",
        help="Write a page with pictures, DIR/index.html; needs OpenGL.",
    ),
]
JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write all results as JSON, for programs."),
]
InWorld = Annotated[
    str | None,
    typer.Option(
        "--world",
        metavar="WORLD",
        help="Drive through this world instead, straight from place to place.",
    ),
]
Ways = Annotated[
    list[str] | None,
    typer.Option(
        "--way",
        metavar="x,y,x,y",
        show_default="between its start places",
        help="With --world: from where to where, m; may be given often.",
    ),
]
RunSeed = Annotated[int, typer.Option(min=0, metavar="N", help="Decides the repetitions' chances.")]


def mobility(
    robot: RobotKind,
    tests: TestNames = None,
    sizes: Sizes = None,
    sheet: Sheet = False,
    limit: FindLimit = False,
    repeats: Repeats = None,
    flippers: UseFlippers = True,
    overrides: RobotOverrides = None,
    timestep: StepLength = None,
    friction: GroundFriction = None,
    report: SheetFolder = None,
    json_file: JsonFile = None,
    seed: RunSeed = 0,
    world: InWorld = None,
    ways: Ways = None,
) -> None:
    """Test what a robot can get over: steps, trenches, stairs, ramps, stepfields, slopes.

    Tests are step, trench, hurdle, incline, stairs, pitch_roll, crossing,
    stepfield_hill, stepfield_diagonal, tipping_side and tipping_up.

    Each is driven once per size; with [cyan]--limit[/] it is repeated from other
    starts, with other headings and frictions. It leaves with code 0 when it ran,
    whatever was passed.

    For example:

    [cyan]grouser mobility quince --sheet[/]

    [cyan]grouser mobility packbot --test step --sizes 80,100,120[/]

    [cyan]grouser mobility quince --test trench --limit --set method=wheels[/]

    [cyan]grouser mobility quince --sheet --repeats 20[/]

    [cyan]grouser mobility quince --sheet --friction 0.4[/]

    [cyan]grouser mobility packbot --world yard/world.yaml --way=-1,0,1.5,0[/]
    """
    preflight.physics()
    if world is not None or ways:
        if world is None or tests or sizes or sheet or limit or repeats or report or friction:
            raise BadValue("--world goes with --way, --set and --json alone, and --way with it")
        preflight.writable(json_file)
        from grouser.cli.mobility_ways import mobility_on_ways

        mobility_on_ways(robot, robot_options(overrides or ()), world, ways or (), json_file)
        return
    from grouser.cli import mobility_table
    from grouser.mobility.apparatus import APPARATUS
    from grouser.mobility.suite import measure_candidate

    options = robot_options(overrides or ())
    who = measure_candidate(robot, options, flippers=flippers, timestep=timestep, friction=friction)
    repeats = repeats or (REPEATS if limit else 0)
    names = list(dict.fromkeys(tests or (APPARATUS if sheet else USUAL)))
    sizes_by_test = {name: test_sizes(name, sizes, names) for name in names}
    folder = report or (Path(f"mobility_{who.name}") if sheet else None)
    preflight.writable(json_file)
    if folder is not None:
        preflight.writable(folder / "index.html")
        preflight.pictures()
    page: Page | None = None
    with counting_bar(who.name) as bar:
        nominal = folder is not None or not repeats
        runs = _nominal_runs(who, sizes_by_test, bar) if nominal else []
        limits = _limits(who, names, repeats, seed, bar) if repeats else []
        if folder is not None:
            from grouser.cli.mobility_sheet import mobility_page

            drawing = partial(bar, "drawing")
            page = mobility_page(
                who, names, runs, limits, command=typed_command(), progress=drawing
            )
    mobility_table.print_mobility(who, names, runs, limits, result_console())
    if json_file is not None:
        write_json(json_file, mobility_table.to_json(who, runs, limits, seed))
    if page is not None and folder is not None:
        print_written(page.write(folder))


def _nominal_runs(
    who: Candidate, sizes_by_test: Mapping[str, Sequence[float]], bar: CountingBar
) -> list[MobilityRun]:
    """Drive every test once per size; nothing for a robot that cannot be tested."""
    from grouser.mobility.suite import nominal_runs

    if who.cannot:
        return []
    return nominal_runs(who, sizes_by_test, progress=partial(bar, "driving"))


def _limits(
    who: Candidate, tests: Sequence[str], repeats: int, seed: int, bar: CountingBar
) -> list[Limit]:
    """Find the limit of every test; nothing for a robot that cannot be tested."""
    from grouser.mobility.limits import find_limit

    if who.cannot:
        return []
    return [
        find_limit(who, test, repeats=repeats, seed=seed, progress=partial(bar, f"limit of {test}"))
        for test in tests
    ]


def robot_options(overrides: Sequence[str]) -> dict[str, Any]:
    """Return ``option=value`` each as options; values are YAML."""
    from grouser.world.yaml_source import read_yaml

    options = {}
    for text in overrides:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadValue(f"--set {text!r}: 'option=value' is needed, such as 'method=wheels'")
        options[name.strip()] = read_yaml(value, f"--set {text!r}").data
    return options


def test_sizes(name: str, text: str | None, names: Sequence[str]) -> tuple[float, ...]:
    """Return the sizes of one test, its own or those of ``--sizes``."""
    from grouser.mobility.suite import apparatus_named

    apparatus = apparatus_named(name)
    if text is None:
        return apparatus.sizes
    units = {apparatus_named(other).unit: other for other in names}
    if len(units) > 1:
        mixed = " and ".join(f"{other} in {unit}" for unit, other in units.items())
        raise BadValue(f"--sizes: {mixed}; give sizes for one of them by --test")
    try:
        sizes = [float(part) for part in text.split(",")]
    except ValueError:
        sizes = [math.nan]
    if not all(math.isfinite(size) for size in sizes):
        raise BadValue(f"--sizes is '{text}', numbers with commas are needed, such as 50,100,150")
    for size in sizes:
        apparatus.at(size)
    return tuple(sorted(set(sizes)))
