"""``grouser experiment``: a table or figure of a paper, ours beside theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.options import PictureReport
from grouser.cli.terminal import counting_bar, print_written, result_console, write_json
from grouser.cli.typed_command import typed_command


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="Which one; [cyan]grouser list experiments[/] shows them.",
        ),
    ],
    quick: Annotated[
        bool, typer.Option("--quick", help="A short version, to see that it runs.")
    ] = False,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the table as JSON, for programs."),
    ] = None,
    report: PictureReport = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Decides everything random.")] = 0,
    resume: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Keep finished parts of a long one here, and go on from those that are there.",
        ),
    ] = None,
) -> None:
    """Repeat a table or figure of a paper: ours beside theirs, disagreements marked.

    It leaves with code 0 when it ran, whatever agrees.

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
            raise BadValue(f"--resume: {key} is in one part, there is nothing to keep of it")
        preflight.writable(resume / "part.json")
    if report is not None:
        preflight.writable(report / "index.html")
        preflight.pictures()
    with counting_bar(key) as bar:
        run_options = RunOptions(
            quick=quick, pictures=report is not None, seed=seed, resume=resume, progress=bar
        )
        result = module.run(run_options)
    result.command, result.quick = typed_command(), quick
    console = result_console()
    result.table.print(console)
    if quick:
        console.print(Text(f"quick: a short version; grouser experiment {key} decides", "yellow"))
    if json_file is not None:
        write_json(json_file, result.table.to_json())
    if report is not None:
        print_written(result.write(report))
