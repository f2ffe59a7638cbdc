"""Driven against planned paths from above, as the report draws them (Figs 7.1 to 7.4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

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
    """Draw planned and driven ways, start and goal, in the world's x and y turned on its side."""
    from matplotlib.figure import Figure as Drawing

    west, south, east, north = bounds
    figure = Drawing(figsize=(8.0, 8.0 * (east - west) / (north - south) + 0.6))
    axes = figure.subplots()
    for outcome in outcomes:
        plan = np.asarray(outcome.trial.errand)
        axes.plot(plan[:, 1], -plan[:, 0], color=PLANNED, linewidth=0.8)
        axes.plot(
            outcome.positions[:, 1],
            -outcome.positions[:, 0],
            color=DRIVEN if outcome.arrived else FAILED,
            linewidth=0.9,
        )
        if not outcome.arrived:
            x, y = outcome.positions[-1, :2]
            axes.plot(y, -x, "x", color=FAILED, markersize=5)
        axes.plot(*_turned(plan[-1]), "o", color=PASS, markersize=4)
    axes.set(xlim=(south, north), ylim=(-east, -west), xlabel="y [m]", ylabel="-x [m]")
    axes.set_aspect("equal")
    return figure


def _turned(point: np.ndarray) -> tuple[float, float]:
    return float(point[1]), -float(point[0])


def _said(verdict: str) -> str:
    return {"stuck": "got stuck", "out of time": "ran out of time"}.get(verdict, verdict)
