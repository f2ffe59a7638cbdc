"""Driven against planned paths from above, as the report draws them (Figs 7.1 to 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from grouser.frames import Array
from grouser.planning.validity import Bounds
from grouser.reports.plots import PASS
from grouser.reports.report import Report
from grouser.trials.trial import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLANNED, DRIVEN, FAILED = "#222222", "#3a78c2", "#b8433a"
"""As there: what was planned is black, what was driven blue; what failed is red here."""


def add_paths(report: Report, outcomes: Sequence[Outcome], bounds: Bounds) -> None:
    """Add all ways in one picture, then one of each verdict."""
    report.add_plot(
        paths_figure(outcomes, bounds), "Planned (black) and driven (blue, red: failed)"
    )
    first = {outcome.verdict: outcome for outcome in reversed(outcomes)}
    for verdict, outcome in first.items():
        report.add_plot(paths_figure([outcome], bounds), f"One that {_said(verdict)}")


def paths_figure(outcomes: Sequence[Outcome], bounds: Bounds) -> Figure:
    """Draw planned and driven ways and goals; the longer side of ``bounds`` lies across."""
    from matplotlib.figure import Figure as Drawing

    west, south, east, north = bounds
    across = north - south > east - west
    wide, high = (north - south, east - west) if across else (east - west, north - south)
    figure = Drawing(figsize=(8.0, 8.0 * high / wide + 0.6))
    axes = figure.subplots()
    for outcome in outcomes:
        plan, driven = np.asarray(outcome.trial.fleet_task), outcome.positions
        colour = DRIVEN if outcome.arrived else FAILED
        axes.plot(*_seen(plan, across), color=PLANNED, linewidth=0.8)
        axes.plot(*_seen(driven, across), color=colour, linewidth=0.9)
        if not outcome.arrived:
            axes.plot(*_seen(driven[-1:], across), "x", color=FAILED, markersize=5)
        axes.plot(*_seen(plan[-1:], across), "o", color=PASS, markersize=4)
    if across:
        axes.set(xlim=(south, north), ylim=(-east, -west), xlabel="y [m]", ylabel="-x [m]")
    else:
        axes.set(xlim=(west, east), ylim=(south, north), xlabel="x [m]", ylabel="y [m]")
    axes.set_aspect("equal")
    return figure


def _seen(points: Array, across: bool) -> tuple[Array, Array]:
    """Return the two coordinates by which points (n, 2 or more) are drawn."""
    return (points[:, 1], -points[:, 0]) if across else (points[:, 0], points[:, 1])


def _said(verdict: str) -> str:
    return {"stuck": "got stuck", "out of time": "ran out of time"}.get(verdict, verdict)
