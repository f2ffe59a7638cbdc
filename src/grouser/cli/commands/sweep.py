"""``grouser sweep``: run a sweep file, or sweep one robot parameter against obstacle sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from grouser.cli import preflight
from grouser.cli.commands.mobility import RobotOverrides, RunSeed, Sizes, robot_options, test_sizes
from grouser.cli.options import JsonFile, RunnerName, trial_runner
from grouser.cli.policy_options import PolicyRate, PolicyText, policy_factory
from grouser.cli.terminal import (
    counting_bar,
    plain_table,
    print_error,
    print_written,
    result_console,
    write_json,
)
from grouser.errors import BadValue

if TYPE_CHECKING:
    from grouser.simulation.policy import PolicyFactory

Subject = Annotated[
    str,
    typer.Argument(
        metavar="FILE.yaml|ROBOT",
        show_default=False,
        help="Sweep file; with [cyan]--over[/]: robot kind or robot file.",
    ),
]
Over = Annotated[
    str | None,
    typer.Option(
        "--over",
        metavar="OPTION=V,V,…",
        show_default=False,
        help="Swept parameter and its values, such as tracks.0.oval.radius=0.06,0.08,0.10,0.12.",
        rich_help_panel="One parameter of a robot",
    ),
]
TestName = Annotated[
    str,
    typer.Option(
        "--test", metavar="NAME", help="Apparatus.", rich_help_panel="One parameter of a robot"
    ),
]
_file_option = partial(typer.Option, rich_help_panel="Sweep files")
OutFolder = Annotated[
    Path | None,
    _file_option(
        "--out", metavar="DIR", show_default="sweep_FILE", help="Folder of chunks and table."
    ),
]
Resume = Annotated[bool, _file_option("--resume", help="Go on with the runs in the folder.")]
Optimise = Annotated[
    bool, _file_option("--optimise", help="Search for the best point, with Optuna.")
]
ChunkSize = Annotated[
    int, _file_option("--chunk", min=1, metavar="N", help="Least number of runs in a Parquet file.")
]
SweepReport = Annotated[
    Path | None,
    _file_option("--report", metavar="DIR", help="Write a page with maps, DIR/index.html."),
]
INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def sweep(
    subject: Subject,
    over: Over = None,
    test: TestName = "step",
    sizes: Sizes = None,
    overrides: RobotOverrides = None,
    json_file: JsonFile = None,
    policy: PolicyText = None,
    policy_rate: PolicyRate = None,
    seed: RunSeed = 0,
    runner: RunnerName = None,
    out: OutFolder = None,
    resume: Resume = False,
    optimise: Optimise = False,
    chunk: ChunkSize = 32,
    report: SweepReport = None,
) -> None:
    """Run all points of a sweep file, or sweep one parameter of a robot, on all cores.

    A sweep file varies parameters of robot, world, physics and controller over a grid or
    a random sample (docs/how-to/sweeps.md). Finished runs are stored in DIR in Parquet
    files; DIR/table.parquet has all of them. With --over, every run equals the one of
    [cyan]grouser mobility --set[/].

    For example:

    [cyan]grouser sweep steps.yaml --report page[/]

    [cyan]grouser sweep steps.yaml --resume --runner ray://head:10001[/]

    [cyan]grouser sweep kenaf --over centre_x=-0.05,0,0.05 --test stairs[/]
    """
    preflight.physics()
    preflight.writable(json_file)
    if over is None:
        if not subject.endswith((".yaml", ".yml")):
            raise BadValue(
                f"'{subject}' is no sweep file (.yaml); a robot needs --over OPTION=V,V,…"
            )
        if policy or policy_rate or sizes:
            raise BadValue("--policy, --policy-rate and --sizes need --over; use keys of the file")
        preflight.writable_page(report)
        folder = out or Path(f"sweep_{Path(subject).stem}")
        options = SweepCommand(folder, runner, resume, optimise, chunk, report, json_file)
        _run_file(Path(subject), overrides or (), options)
        return
    if out or resume or optimise or report:
        raise BadValue("--out, --resume, --optimise and --report need a sweep file, not --over")
    _sweep_option(
        subject,
        over,
        test,
        sizes,
        overrides or (),
        json_file,
        policy_factory(policy, policy_rate),
        seed,
        runner,
    )


@dataclass(frozen=True)
class SweepCommand:
    """Options of a sweep file's command."""

    folder: Path
    runner: str | None
    resume: bool
    optimise: bool
    chunk: int
    report: Path | None
    json_file: Path | None


def _run_file(file: Path, overrides: Sequence[str], command: SweepCommand) -> None:
    """Run a sweep file, print the summary, and write page and JSON."""
    from grouser.cli import sweep_report as reporting
    from grouser.sweeps.optimise import Optimum
    from grouser.sweeps.optimise import optimise as search_best
    from grouser.sweeps.run import SweepOptions, run_sweep
    from grouser.sweeps.sweep_file import load_sweep

    described = load_sweep(file)
    described = described.model_copy(update={"set": {**described.set, **robot_options(overrides)}})
    chosen = trial_runner(command.runner)
    optimum: Optimum | None = None
    finished: list[int] = [0, 0]
    with counting_bar(file.stem, chosen) as bar:

        def progress(done: int, of: int) -> None:
            finished[:] = done, of
            bar("", done, of)

        options = SweepOptions(
            runner=chosen, resume=command.resume, chunk=command.chunk, progress=progress
        )
        try:
            if command.optimise:
                optimum = search_best(described, command.folder, options, base=file.parent)
                result = optimum.result
            else:
                result = run_sweep(described, command.folder, options, base=file.parent)
        except KeyboardInterrupt:
            done, of = finished
            kept = f"{done} of {of} runs are in {command.folder}; --resume continues"
            print_error(f"interrupted: {kept}")
            raise typer.Exit(INTERRUPTED) from None
    reporting.print_sweep(result, optimum)
    print_written(result.table)
    if command.json_file is not None:
        write_json(command.json_file, reporting.sweep_json(result, optimum))
    if command.report is not None:
        print_written(reporting.write_page(result, optimum, command.report))


def _sweep_option(
    robot: str,
    over: str,
    test: str,
    sizes: str | None,
    overrides: Sequence[str],
    json_file: Path | None,
    policy: PolicyFactory | None,
    seed: int,
    runner: str | None,
) -> None:
    """Sweep one parameter of a robot against the sizes of an apparatus."""
    path, equals, text = over.partition("=")
    try:
        numbers = [float(word) for word in text.split(",")]
        values = [int(one) if one.is_integer() else one for one in numbers]  # counts are integers
    except ValueError:
        values = []
    if not (equals and path.strip() and values):
        raise BadValue(f"--over is '{over}', must be OPTION=NUMBER,NUMBER,…")
    from grouser.mobility import suite as sweeping

    chosen = trial_runner(runner)
    listed, options = test_sizes(test, sizes, [test]), robot_options(overrides)
    with counting_bar(Path(robot).stem, chosen) as bar:
        runs = sweeping.sweep(
            robot,
            options,
            path.strip(),
            values,
            test,
            listed,
            policy=policy,
            seed=seed,
            runner=chosen,
            progress=partial(bar, "driving"),
        )
    from grouser.mobility.suite import apparatus_named

    unit = apparatus_named(test).unit
    table = plain_table(path.strip(), *(f"{size:g} {unit}" for size in listed))
    for value in values:
        row = [run for run in runs if run.value == value]
        marks = [Text("passed", "green") if run.passed else Text("no", "red") for run in row]
        table.add_row(Text(f"{value:g}"), *marks)
    result_console().print(table)
    if json_file is not None:
        each = [{"value": r.value, "size": r.size, "passed": r.passed} for r in runs]
        write_json(json_file, {"robot": robot, "over": path, "test": test, "runs": each})
