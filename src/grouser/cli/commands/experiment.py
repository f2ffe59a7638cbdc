"""``grouser experiment``: reproduce a table or figure of a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grouser.cli import preflight, terminal
from grouser.cli.options import JsonFile, PictureReport, RunnerName, trial_runner


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="Name of the experiment; see [cyan]grouser list experiments[/].",
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Short version, as a smoke test.")] = False,
    json_file: JsonFile = None,
    report: PictureReport = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Random seed.")] = 0,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Store finished parts in this folder and reuse those already there."
        ),
    ] = None,
    runner: RunnerName = None,
) -> None:
    """Reproduce a table or figure of a paper: our values beside theirs, differences marked.

    A row is judged by the rule in its column "Rule" if the paper prints a number or an order for
    it; all other rows are not counted. Exits with code 0 if it ran, regardless of agreement.

    For example:

    [cyan]grouser experiment okada-table4 --quick[/]

    [cyan]grouser experiment okada-table4 --report reports/table4 --json table4.json[/]

    [cyan]grouser experiment roach-loop --resume parts[/]
    """
    from grouser.errors import BadValue
    from grouser.experiments import EXPERIMENTS
    from grouser.experiments.run_options import RunOptions

    key, module = preflight.table_module("experiment", name, EXPERIMENTS)
    preflight.writable(json_file)
    if resume is not None:
        if not getattr(module, "KEEPS_PARTS", False):
            raise BadValue(f"--resume: {key} has one part only and cannot be resumed")
        preflight.writable(resume / "part.json")
    if runner is not None and not getattr(module, "RUNS_TRIALS", False):
        raise BadValue(f"--runner: {key} runs no trials")
    chosen = trial_runner(runner)
    preflight.writable_page(report)
    if report is not None:
        preflight.pictures()
    with terminal.counting_bar(key, chosen) as bar:
        run_options = RunOptions(
            quick=quick,
            pictures=report is not None,
            seed=seed,
            resume=resume,
            progress=bar,
            runner=chosen,
        )
        result = module.run(run_options)
    result.command, result.quick = terminal.command_line(), quick
    result.table.print(terminal.result_console())
    if quick:
        terminal.print_note(
            f"quick: short version; run 'grouser experiment {key}' for the full result", "yellow"
        )
    if json_file is not None:
        terminal.write_json(json_file, result.table.to_json())
    if report is not None:
        terminal.print_written(result.write(report))
