"""``grouser bench``: measure speed on this machine."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Annotated

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.options import JsonFile, RunnerName, trial_runner
from grouser.cli.terminal import counting_bar, plain_table, result_console, write_json
from grouser.errors import BadValue


def bench(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="Name of the bench; see [cyan]grouser list benches[/].",
        ),
    ],
    robot: Annotated[
        str | None,
        typer.Option(
            metavar="ROBOT",
            show_default=False,
            help="Robot kind or robot file, for [cyan]bench robot[/].",
        ),
    ] = None,
    runner: RunnerName = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            metavar="COMMIT",
            show_default=False,
            help="Compare with the sources of this git commit, for [cyan]bench tracks[/].",
        ),
    ] = None,
    json_file: JsonFile = None,
) -> None:
    """Measure speed; figures are comparable only within one run on one machine.

    For example:

    [cyan]grouser bench tracks --json tracks.json[/]

    [cyan]grouser bench robot --robot my_robot.yaml[/]

    [cyan]grouser bench trials --runner warp:cuda:0[/]

    [cyan]grouser bench tracks --baseline v1.0[/]
    """
    from grouser.benches import BENCHES
    from grouser.benches.machine import machine
    from grouser.reports.table import json_value

    key, module = preflight.table_module("bench", name, BENCHES)
    if robot and not getattr(module, "TAKES_ROBOT", False):
        raise BadValue(f"bench: '{key}' takes no --robot; only 'grouser bench robot' does")
    if runner and not getattr(module, "TAKES_RUNNER", False):
        raise BadValue(f"bench: '{key}' takes no --runner; only 'grouser bench trials' does")
    if baseline and not getattr(module, "TAKES_BASELINE", False):
        raise BadValue(f"bench: '{key}' takes no --baseline; only 'grouser bench tracks' does")
    preflight.writable(json_file)
    chosen = robot or baseline or trial_runner(runner)
    figures: dict[str, float] = {}
    with counting_bar(key) as bar:
        measured = module.run(bar, chosen) if chosen else module.run(bar)
        # A long bench yields its figures one by one, so that an interrupted run has printed some.
        for part in (measured,) if isinstance(measured, Mapping) else measured:
            if part is not measured:
                _print_partial(part)
            figures |= part
    here = machine()
    _print(key, figures, here)
    if json_file is not None:
        write_json(json_file, {"bench": key, "figures": json_value(figures), "machine": here})


def _print_partial(figures: Mapping[str, float]) -> None:
    """Print intermediate figures on standard error."""
    from grouser.reports.table import display_text

    for figure, value in figures.items():
        sys.stderr.write(f"{figure} {display_text(value)}\n")


def _print(key: str, figures: Mapping[str, float], here: Mapping[str, object]) -> None:
    from grouser.reports.table import display_text, label

    grid = plain_table()
    grid.add_column()
    grid.add_column(justify="right", style="bold cyan")
    for figure, value in figures.items():
        grid.add_row(Text(label(figure)), Text(display_text(value)))
    console = result_console()
    console.print(Text(key, "bold"), "", grid, "", sep="\n")
    versions = ", ".join(
        f"{part} {here[part]}" for part in ("python", "mujoco", "numpy", "grouser")
    )
    size = f"{here['cores']} cores, {display_text(here['memory_gib'])} GiB"
    console.print(Text(f"{here['cpu']}, {size}, {here['platform']}\n{versions}", "dim"))
