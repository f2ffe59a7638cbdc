"""``grouser mobility``: what can a robot get over?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli import preflight
from grouser.cli.terminal import counting, out, write_json, wrote
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.mobility.limits import Limit
    from grouser.mobility.suite import Run
    from grouser.reports.page import Page

USUAL = ("step", "trench")
"""What is tested when nothing is said."""
REPEATS = 20
"""Of a limit, when nothing is said."""


def mobility(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            show_default=False,
            help="Any kind of robot; [cyan]grouser list robots[/] shows them.",
        ),
    ],
    tests: Annotated[
        list[str] | None,
        typer.Option(
            "--test",
            metavar="NAME",
            show_default=" and ".join(USUAL),
            help="Which apparatus; may be given often.",
        ),
    ] = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="50,100,…",
            show_default="the test's own",
            help="Sizes in mm or deg, as the test has them.",
        ),
    ] = None,
    sheet: Annotated[
        bool, typer.Option("--sheet", help="Every apparatus, and a page with pictures.")
    ] = False,
    limit: Annotated[
        bool,
        typer.Option(
            "--limit", help="Find the sizes at which 50 % and 95 % pass, by repeated bisection."
        ),
    ] = False,
    repeats: Annotated[
        int | None,
        typer.Option(
            min=2,
            metavar="N",
            show_default=str(REPEATS),
            help="Repetitions for [cyan]--limit[/], which it implies.",
        ),
    ] = None,
    flippers: Annotated[
        bool,
        typer.Option(
            "--flippers/--no-flippers",
            help="Raise, press and level them, or leave them as they are.",
        ),
    ] = True,
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="OPTION=VALUE",
            help="Change the robot, such as method=wheels; may be given often.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default="mobility_ROBOT with --sheet",
            help="Write a page with pictures, DIR/index.html; needs OpenGL.",
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write all results as JSON, for programs."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Decides the repetitions' chances.")
    ] = 0,
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
    """
    preflight.physics()
    from grouser.cli import mobility_table
    from grouser.mobility import limits as chance
    from grouser.mobility import suite as suite
    from grouser.mobility.apparatus import APPARATUS

    who = suite.candidate(robot, _options(overrides or ()), flippers=flippers)
    repeats = repeats or (REPEATS if limit else 0)
    names = list(dict.fromkeys(tests or (APPARATUS if sheet else USUAL)))
    plan = {name: _sizes(name, sizes, names) for name in names}
    folder = report or (Path(f"mobility_{robot}") if sheet else None)
    preflight.writable(json_file)
    if folder is not None:
        preflight.writable(folder / "index.html")
        preflight.pictures()
    runs: list[Run] = []
    found: list[Limit] = []
    page: Page | None = None
    with counting(robot) as bar:
        if not who.cannot and (folder is not None or not repeats):
            runs = suite.nominal(who, plan, progress=partial(bar, "driving"))
        if not who.cannot and repeats:
            for name in names:
                said = partial(bar, f"limit of {name}")
                found += [chance.limit(who, name, repeats=repeats, seed=seed, progress=said)]
        if folder is not None:
            from grouser.cli.sheet import sheet as drawn

            typed = _typed(robot, sheet, repeats, seed)
            said = partial(bar, "drawing")
            page = drawn(who, names, runs, found, command=typed, progress=said)
    mobility_table.show(who, names, runs, found, out())
    if json_file is not None:
        write_json(json_file, mobility_table.to_json(who, runs, found, seed))
    if page is not None and folder is not None:
        wrote(page.write(folder))


def _typed(robot: str, sheet: bool, repeats: int, seed: int) -> str:
    words = ["grouser mobility", robot]
    words += ["--sheet"] if sheet else []
    words += [f"--repeats {repeats} --seed {seed}"] if repeats else []
    return " ".join(words)


def _options(overrides: Sequence[str]) -> dict[str, Any]:
    """Return ``option=value`` each as options; values are YAML."""
    from grouser.world.source import read

    options = {}
    for text in overrides:
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise BadValue(f"--set {text!r}: 'option=value' is needed, such as 'method=wheels'")
        options[name.strip()] = read(value, f"--set {text!r}").data
    return options


def _sizes(name: str, told: str | None, names: Sequence[str]) -> tuple[float, ...]:
    """Return the sizes of one test, its own or those told."""
    from grouser.mobility.suite import known

    apparatus = known(name)
    if told is None:
        return apparatus.sizes
    units = {known(other).unit: other for other in names}
    if len(units) > 1:
        said = " and ".join(f"{other} in {unit}" for unit, other in units.items())
        raise BadValue(f"--sizes: {said}; give sizes for one of them by --test")
    try:
        sizes = [float(part) for part in told.split(",")]
    except ValueError:
        sizes = [math.nan]
    if not all(math.isfinite(size) for size in sizes):
        raise BadValue(f"--sizes is '{told}', numbers with commas are needed, such as 50,100,150")
    for size in sizes:
        apparatus.at(size)
    return tuple(sorted(set(sizes)))
