"""``grouser mobility``: obstacle limits of a robot."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli import preflight, record_options
from grouser.cli.options import JsonFile, RunnerName, trial_runner
from grouser.cli.policy_options import PolicyRate, PolicyText, policy_factory
from grouser.cli.terminal import (
    CountingBar,
    command_line,
    counting_bar,
    print_written,
    result_console,
    write_json,
)
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.mobility.energy_use import EnergyUse
    from grouser.mobility.limits import Limit
    from grouser.mobility.suite import Candidate, MobilityRun
    from grouser.reports.page import Page
    from grouser.trials.runner import Runner

USUAL = ("step", "trench")
"""Default tests."""
REPEATS = 20
"""Default repetitions of a limit."""


RobotKind = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT",
        show_default=False,
        help="Robot kind ([cyan]grouser list robots[/]) or robot file.",
    ),
]
TestNames = Annotated[
    list[str] | None,
    typer.Option(
        "--test",
        metavar="NAME",
        show_default=" and ".join(USUAL),
        help="Apparatus; may be repeated.",
    ),
]
Sizes = Annotated[
    str | None,
    typer.Option(
        metavar="50,100,…",
        show_default="the test's own",
        help="Sizes in mm or deg, depending on the test.",
    ),
]
Sheet = Annotated[
    bool, typer.Option("--sheet", help="Run every apparatus and write a page with pictures.")
]
FindLimit = Annotated[
    bool,
    typer.Option(
        "--limit", help="Find the sizes with 50 % and 95 % passes, by repeated bisection."
    ),
]
Repeats = Annotated[
    int | None,
    typer.Option(
        min=2,
        metavar="N",
        show_default=str(REPEATS),
        help="Repetitions of [cyan]--limit[/]; implies it.",
    ),
]
UseFlippers = Annotated[
    bool,
    typer.Option(
        "--flippers/--no-flippers", help="Use the flippers, or keep them in their start posture."
    ),
]
RobotOverrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="OPTION=VALUE",
        help="Change the robot, such as method=wheels; may be repeated.",
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
        help="Physics time step, to check its influence on a verdict.",
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
        help="Friction of ground and obstacles, except hurdle pipes and tipping slopes.",
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
InWorld = Annotated[
    str | None,
    typer.Option(
        "--world", metavar="WORLD", help="Drive straight lines through this world instead."
    ),
]
Ways = Annotated[
    list[str] | None,
    typer.Option(
        "--way",
        metavar="x,y,x,y",
        show_default="between its start poses",
        help="With --world: start and end of a line, m; may be repeated.",
    ),
]
RunSeed = Annotated[
    int, typer.Option(min=0, metavar="N", help="Seed of repetitions and sensor noise.")
]


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
    policy: PolicyText = None,
    policy_rate: PolicyRate = None,
    runner: RunnerName = None,
    record: record_options.TrialFolder = None,
) -> None:
    """Measure obstacle limits of a robot: steps, trenches, stairs, ramps, stepfields, slopes.

    Tests are step, trench, hurdle, incline, stairs, pitch_roll, crossing,
    stepfield_hill, stepfield_diagonal, tipping_side and tipping_up.

    Each is driven once per size; with [cyan]--limit[/] it is repeated with varied start poses,
    headings and frictions. Exits with code 0 if it ran, regardless of the results.

    For example:

    [cyan]grouser mobility quince --sheet[/]

    [cyan]grouser mobility quince --test trench --limit --set method=wheels[/]

    [cyan]grouser mobility quince --test step --policy climber.py:StepClimber[/]

    [cyan]grouser mobility packbot --world yard/world.yaml --way=-1,0,1.5,0[/]
    """
    preflight.physics()
    chosen = trial_runner(runner)
    if world is not None or ways:
        others = tests or sizes or sheet or limit or repeats or report or friction or policy
        _drive_ways(robot, overrides, world, ways, json_file, chosen, alone=not others)
        return
    from grouser.cli import mobility_report as reporting
    from grouser.mobility.apparatus import APPARATUS
    from grouser.mobility.suite import measure_candidate

    candidate = measure_candidate(
        robot,
        robot_options(overrides or ()),
        flippers=flippers,
        timestep=timestep,
        friction=friction,
        policy=policy_factory(policy, policy_rate),
    )
    repeats = repeats or (REPEATS if limit else 0)
    names = list(dict.fromkeys(tests or (APPARATUS if sheet else USUAL)))
    by_test = {name: test_sizes(name, sizes, names) for name in names}
    folder = report or (Path(f"mobility_{candidate.name}") if sheet else None)
    preflight.writable(json_file)
    preflight.picture_page(folder)
    page: Page | None = None
    with counting_bar(candidate.name, chosen) as bar:
        only_limits = repeats and folder is None
        runs = [] if only_limits else _nominal_runs(candidate, by_test, seed, chosen, bar)
        limits = _limits(candidate, names, repeats, seed, chosen, bar) if repeats else []
        use = _energy_use(candidate) if sheet else None
        if folder is not None:
            page = reporting.mobility_page(
                candidate, names, runs, limits, partial(bar, "drawing"), use, command=command_line()
            )
    reporting.print_mobility(candidate, names, runs, limits, result_console(), use)
    if json_file is not None:
        write_json(json_file, reporting.to_json(candidate, runs, limits, seed, use))
    _record(runs, record)
    if page is not None and folder is not None:
        print_written(page.write(folder))


def _record(runs: Sequence[MobilityRun], folder: Path | None) -> None:
    """Record the runs, each in a folder below."""
    outcomes = {f"{run.test}_{run.size:g}": run.outcome for run in runs}
    record_options.record_trials(outcomes, folder)


def _energy_use(candidate: Candidate) -> EnergyUse | None:
    """Measure the energy use on level ground."""
    from grouser.mobility.energy_use import measure_energy_use

    return measure_energy_use(candidate)


def _drive_ways(
    robot: str,
    overrides: Sequence[str] | None,
    world: str | None,
    ways: Sequence[str] | None,
    json_file: Path | None,
    runner: Runner | None,
    *,
    alone: bool,
) -> None:
    """Drive lines through a world; ``alone``: no option of an apparatus is given."""
    from grouser.cli.mobility_report import mobility_on_ways

    if world is None or not alone:
        raise BadValue("--way needs --world; --world allows only --way, --set, --json, --runner")
    preflight.writable(json_file)
    mobility_on_ways(robot, robot_options(overrides or ()), world, ways or (), json_file, runner)


def _nominal_runs(
    candidate: Candidate,
    sizes_by_test: Mapping[str, Sequence[float]],
    seed: int,
    runner: Runner | None,
    bar: CountingBar,
) -> list[MobilityRun]:
    """Drive every test once per size; empty for a robot that cannot be tested."""
    from grouser.mobility.suite import nominal_runs

    if candidate.cannot:
        return []
    return nominal_runs(
        candidate, sizes_by_test, seed=seed, runner=runner, progress=partial(bar, "driving")
    )


def _limits(
    candidate: Candidate,
    tests: Sequence[str],
    repeats: int,
    seed: int,
    runner: Runner | None,
    bar: CountingBar,
) -> list[Limit]:
    """Find the limit of every test; empty for a robot that cannot be tested."""
    from grouser.mobility.limits import find_limit

    if candidate.cannot:
        return []
    return [
        find_limit(
            candidate,
            test,
            repeats=repeats,
            seed=seed,
            runner=runner,
            progress=partial(bar, f"limit of {test}"),
        )
        for test in tests
    ]


def robot_options(overrides: Sequence[str]) -> dict[str, Any]:
    """Parse ``option=value`` texts; values are YAML."""
    from grouser.world.yaml_source import read_yaml

    options = {}
    for text in overrides:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadValue(f"--set {text!r}: must be 'option=value', such as 'method=wheels'")
        options[name.strip()] = read_yaml(value, f"--set {text!r}").data
    return options


def test_sizes(name: str, text: str | None, names: Sequence[str]) -> tuple[float, ...]:
    """Return the sizes of one test: its defaults, or those of ``--sizes``."""
    from grouser.mobility.suite import apparatus_named

    apparatus = apparatus_named(name)
    if text is None:
        return apparatus.sizes
    units = {apparatus_named(other).unit: other for other in names}
    if len(units) > 1:
        mixed = " and ".join(f"{other} in {unit}" for unit, other in units.items())
        raise BadValue(f"--sizes: {mixed}; select one of them with --test")
    try:
        sizes = [float(part) for part in text.split(",")]
    except ValueError:
        sizes = [math.nan]
    if not all(math.isfinite(size) for size in sizes):
        raise BadValue(f"--sizes is '{text}', must be numbers with commas, such as 50,100,150")
    for size in sizes:
        apparatus.at(size)
    return tuple(sorted(set(sizes)))
