"""``grouser calibrate``: estimate robot and ground parameters from a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from grouser.cli import preflight, terminal
from grouser.cli.options import (
    JsonFile,
    LogTopic,
    Overrides,
    PlotReport,
    RealLog,
    RunnerName,
    only_robot,
    trial_runner,
)

if TYPE_CHECKING:
    from grouser.calibration.calibration import Calibration
    from grouser.calibration.parameters import Finding
    from grouser.reports.page import Page

HEADINGS = ("parameter", "start", "found", "interval", "plausible", "verdict")


RunWorld = Annotated[
    str,
    typer.Option(
        metavar="WORLD",
        show_default=False,
        help="World of the recorded run, with the same commands: a file or a shipped world.",
    ),
]
FreeParameters = Annotated[
    str,
    typer.Option(
        metavar="A,B,…",
        show_default=False,
        help="Parameters to estimate, such as pitch_inertia,friction.",
    ),
]
RobotName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", show_default="the only one", help="Name of the logged robot in the world."
    ),
]
Align = Annotated[bool, typer.Option("--align", help="The origin of the log's x and z is unknown.")]
NoseUp = Annotated[bool, typer.Option("--nose-up", help="In the log, pitch is positive nose up.")]
SearchSeed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the search.")]


def calibrate(
    real: RealLog,
    world: RunWorld,
    free: FreeParameters,
    robot: RobotName = None,
    report: PlotReport = None,
    json_file: JsonFile = None,
    overrides: Overrides = None,
    align: Align = False,
    nose_up: NoseUp = False,
    topic: LogTopic = None,
    seed: SearchSeed = 0,
    runner: RunnerName = None,
) -> None:
    """Estimate the parameters with which the simulation fits a log best, with intervals.

    The world must contain the robot with its start pose, posture and command. The
    log may have another rate, gaps and its own clock. A parameter stays within its
    plausible range; one that the run does not determine is marked as such.

    For example:

    [cyan]grouser calibrate kenaf_edge_and_slope --world kenaf_edge_and_slope
    --free pitch_inertia,friction[/]
    """
    preflight.physics()
    from grouser.calibration.calibration import calibrate as find
    from grouser.calibration.parameters import parameters_named
    from grouser.evaluation.trajectory import log_path, read_trajectory
    from grouser.world.file import load

    parameters_named(names := [name.strip() for name in free.split(",") if name.strip()])
    chosen = trial_runner(runner)
    preflight.writable(json_file)
    preflight.writable_page(report)
    real = log_path(real)
    log = read_trajectory(real, nose_up=nose_up, topic=topic)
    place = load(world, overrides or ())
    name = robot or only_robot(place)
    with terminal.counting_bar("calibrate") as bar:
        result = find(log, place, name, names, align=align, seed=seed, runner=chosen, progress=bar)
    _show(result, name, real)
    if json_file is not None:
        terminal.write_json(json_file, result.to_json())
    if report is not None:
        terminal.print_written(_page(result, name, real, world).write(report))


def _cells(finding: Finding) -> tuple[str, ...]:
    p = finding.parameter
    return (
        p.name,
        f"{finding.start:.3g}{p.suffix}",
        f"{finding.value:.3g}{p.suffix}" if finding.verdict != "not identifiable" else "-",
        f"{finding.low:.3g} to {finding.high:.3g}",
        f"{p.low:g} to {p.high:g}",
        finding.sentence,
    )


def _summary(result: Calibration) -> str:
    left = result.to_json()["left_over"]
    return (
        f"left over: x {left['x_mm']:.1f} mm, z {left['z_mm']:.1f} mm, "
        f"pitch {left['pitch_deg']:.2f} deg; the log begins {result.at_end.offset:.3f} s into "
        f"the run; {result.simulations} simulations"
    )


def _show(result: Calibration, robot: str, real: Path) -> None:
    from rich.table import Table
    from rich.text import Text

    console = terminal.result_console()
    console.print(Text.assemble((f"{robot} after {real.name}", "bold")))
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for heading in HEADINGS:
        side = "left" if heading in ("parameter", "verdict") else "right"
        grid.add_column(heading, justify=side, no_wrap=heading != "verdict")  # type: ignore[arg-type]
    colours = {"determined": "green", "one-sided": "yellow", "at the end": "bold red"}
    for finding in result.findings:
        *cells, sentence = _cells(finding)
        verdict = Text(sentence, colours.get(finding.verdict, "yellow"))
        grid.add_row(*(Text(cell) for cell in cells), verdict)
    console.print("", grid, "", sep="\n")
    for line in (_summary(result), *result.notes):
        console.print(Text(line, "dim"), soft_wrap=True)


def _page(result: Calibration, robot: str, real: Path, world: str) -> Page:
    from grouser.reports import plots
    from grouser.reports.page import Page

    determined = sum(finding.determined for finding in result.findings)
    page = Page(
        f"{robot} after {real.name}",
        above=f"calibration in {world}",
        verdict=f"{determined} of {len(result.findings)} parameters determined",
        command=terminal.command_line(),
    )
    page.add_rows(HEADINGS, [_cells(finding) for finding in result.findings])
    page.add_text(_summary(result))
    for note in result.notes:
        page.add_text(note)
    figure = plots.calibration_runs(
        result.real, result.before, result.after, result.at_end, result.at_start
    )
    page.add_plot(figure, "the log, and the simulation before and after")
    for finding in result.findings:
        p = finding.parameter
        label = f"{p.name} [{p.unit}]" if p.unit else p.name
        ends = (finding.low, finding.high)
        figure = plots.loss_profile(finding.values, finding.rises, ends, finding.value, label)
        page.add_plot(figure, f"{p.name}: {p.about}; {finding.sentence}")
    return page
