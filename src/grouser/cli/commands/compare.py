"""``grouser compare``: distance between a simulated run and a log."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from grouser.cli import preflight, terminal
from grouser.cli.options import JsonFile, LogTopic, PlotReport, RealLog
from grouser.errors import BadValue, unknown

if TYPE_CHECKING:
    from grouser.evaluation.matching import TrajectoryMatch
    from grouser.evaluation.trajectory import Trajectory

ERRORS = {"x": "mm", "z": "mm", "norm": "mm", "pitch": "deg"}
"""Compared quantity -> unit."""


def compare(
    real: RealLog,
    simulated: Annotated[
        Path,
        typer.Argument(
            metavar="SIM",
            show_default=False,
            help="Log or recording of the simulated run ([cyan]grouser run --log[/] or "
            "[cyan]--record[/]).",
        ),
    ],
    topic: LogTopic = None,
    sim_topic: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", show_default="the only one with poses", help="Topic of SIM, likewise."
        ),
    ] = None,
    report: PlotReport = None,
    json_file: JsonFile = None,
    align_starts: Annotated[
        bool,
        typer.Option(
            "--align-starts",
            help="Shift both to x = z = 0 at the start (removes a constant offset).",
        ),
    ] = False,
    index: Annotated[
        str,
        typer.Option(
            metavar="difference|distance",
            help="Matching cost: distance between both samples, or difference of their distances "
            "from the origin.",
        ),
    ] = "difference",
    nose_up: Annotated[
        bool, typer.Option("--nose-up", help="Pitch is positive nose up in both files.")
    ] = False,
) -> None:
    """Compare two logs by DP matching: errors of x, z, their norm and pitch, before and after.

    Columns are named t, x, z and pitch (or qw qx qy qz), in s, m and rad unless
    a suffix gives another unit (t_ms, x_mm, pitch_deg). Rates, lengths and clocks
    may differ; samples that are not finite are removed and reported.

    For example:

    [cyan]grouser run kenaf_edge_and_slope --seconds 2.6 --log run.csv[/]

    [cyan]grouser compare kenaf_edge_and_slope run.csv --report comparison[/]
    """
    from grouser.evaluation.matching import INDICES, match
    from grouser.evaluation.trajectory import log_path, read_trajectory

    if index not in INDICES:
        raise unknown("--index", "index", index, INDICES)
    real, simulated = log_path(real), log_path(simulated)
    preflight.writable(json_file)
    preflight.writable_page(report)
    topics = ((real, topic), (simulated, sim_topic))
    logs = {path: read_trajectory(path, nose_up=nose_up, topic=chosen) for path, chosen in topics}
    result = match(
        _clean(real, logs[real]),
        _clean(simulated, logs[simulated]),
        index=index,
        align_starts=align_starts,
    )
    faults = [(path, fault) for path in (real, simulated) for fault in logs[path].faults()]
    _print(result, real, simulated, faults)
    if json_file is not None:
        terminal.write_json(json_file, _json(result, real, simulated, faults))
    if report is not None:
        terminal.print_written(_page(result, real, simulated, faults).write(report))


def _clean(path: Path, log: Trajectory) -> Trajectory:
    """Return the usable samples of ``log``, at least two; errors name the file."""
    try:
        clean = log.clean()
    except BadValue as error:
        raise BadValue(f"{path}: {str(error).removeprefix('trajectory: ')}") from error
    if len(clean) < 2:
        raise BadValue(f"{path}: has {len(clean)} usable sample, at least 2 are needed to compare")
    return clean


def rows(match: TrajectoryMatch) -> list[tuple[Any, ...]]:
    """Return one row per error: name, mean and maximum before, mean and maximum after."""
    return [
        (
            f"{name} [{unit}]",
            *(
                figures[f"{kind}_{name}_error_{unit}"]
                for figures in (match.before.figures(), match.after.figures())
                for kind in ("mean", "max")
            ),
        )
        for name, unit in ERRORS.items()
    ]


HEADER = ("error of", "mean before", "max before", "mean matched", "max matched")


def _print(
    match: TrajectoryMatch, real: Path, simulated: Path, faults: list[tuple[Path, str]]
) -> None:
    from rich.text import Text

    from grouser.evaluation.trajectory import log_name
    from grouser.reports.table import display_text

    console = terminal.result_console()
    for path, trajectory in ((real, match.real), (simulated, match.simulated)):
        text = f"{len(trajectory)} samples, {trajectory.duration:.2f} s"
        console.print(Text.assemble((log_name(path), "bold"), f"  {text}"), soft_wrap=True)
        for fault in (fault for file, fault in faults if file == path):
            terminal.print_note(f"  {fault}", "yellow")
        if real == simulated:
            break
    grid = terminal.plain_table(HEADER[0])
    for heading in HEADER[1:]:
        grid.add_column(Text(heading, "bold"), justify="right")
    for name, *numbers in rows(match):
        grid.add_row(Text(name), *(Text(display_text(number)) for number in numbers))
    console.print("", grid, "", sep="\n")
    console.print(
        Text(
            f"{len(match.pairs)} pairs by DP matching of the {match.index}; SIM minus LOG; "
            "before: at equal times since the start",
            "dim",
        )
    )


def _json(
    match: TrajectoryMatch, real: Path, simulated: Path, faults: list[tuple[Path, str]]
) -> dict[str, Any]:
    from grouser.reports.table import json_value

    return {
        "real": str(real),
        "simulated": str(simulated),
        "index": match.index,
        "samples": [len(match.real), len(match.simulated)],
        "pairs": len(match.pairs),
        "cost_m": json_value(match.cost),
        "before": json_value(match.before.figures()),
        "after": json_value(match.after.figures()),
        "cleaned": [f"{path}: {fault}" for path, fault in faults],
    }


def _page(
    match: TrajectoryMatch, real: Path, simulated: Path, faults: list[tuple[Path, str]]
) -> Any:
    from grouser.frames import millimetres
    from grouser.reports import plots
    from grouser.reports.page import Page

    after = match.after
    page = Page(
        f"{real.name} and {simulated.name}",
        above="Simulated run compared with a log",
        verdict=f"mean error after matching: {millimetres(after.mean('norm')):.4g} mm, "
        f"{after.figures()['mean_pitch_error_deg']:.3g} deg of pitch",
        command=terminal.command_line(),
    )
    page.add_rows(HEADER, rows(match))
    page.add_text(
        "Errors are the simulated run minus the log: x forwards, z upwards, norm their distance, "
        "pitch nose down. **Before**: at equal times since the start. **Matched**: DP matching "
        "pairs the samples with the least sum of distances, independent of their clocks."
    )
    for path, fault in faults:
        page.add_text(f"`{path.name}`: {fault}")
    page.add_plot(plots.paths(match), "Both trajectories; thin lines connect matched samples.")
    page.add_plot(plots.components(match), "Over time, and over matched pairs.")
    page.add_plot(plots.errors(match), "Absolute errors per pair.")
    page.add_plot(plots.warping(match), "Matched samples.")
    return page
