"""Figures of comparisons (like figs 9-16 of Kurose et al. 2008), calibrations and runs.

Every function returns a matplotlib figure without a window, which need not be closed. Logs of real
robots are black, simulated robots orange; the caller may set their names in the legend.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from grouser.errors import BadValue
from grouser.evaluation.fits import LineFit
from grouser.evaluation.log_fit import LogFit
from grouser.evaluation.matching import TrajectoryMatch, cost_table
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array, degrees, millimetres

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REAL, SIMULATED = "#222222", "#e07a1f"
Names = tuple[str, str]
NAMES: Names = ("log", "simulated")
"""Default names of both in the legend."""
PASS, FAIL = "#2f7d4f", "#b8433a"
UNCALIBRATED = "#8fa3b8"
"""Colour of the simulation with the initial parameters."""
_LINES = 40  # largest number of lines between matched samples
_HIGHEST = 12.0  # largest rise of the loss that is drawn; the relevant values are near 1


def paths(match: TrajectoryMatch, *, title: str = "", names: Names = NAMES) -> Figure:
    """Draw both paths in the x-z plane, with thin lines between matched samples."""
    figure = new_figure(6.4, 3.2, title)
    axes = figure.subplots()
    some = np.linspace(0, len(match.pairs) - 1, min(_LINES, len(match.pairs))).astype(int)
    for i, j in match.pairs[some]:
        x = [match.real.x[i], match.simulated.x[j]]
        z = [match.real.z[i], match.simulated.z[j]]
        axes.plot(_mm(x), _mm(z), color="#b9c0c8", linewidth=0.7)
    for trajectory, colour, name in _both(match, names):
        axes.plot(_mm(trajectory.x), _mm(trajectory.z), color=colour, label=name)
    axes.set(xlabel="x [mm]", ylabel="z [mm]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend()
    return figure


def components(match: TrajectoryMatch, *, title: str = "", names: Names = NAMES) -> Figure:
    """Draw x, z and pitch over time before matching and over pairs after it (figs 9-14)."""
    figure = new_figure(9.0, 6.6, title)
    grid = figure.subplots(3, 2, sharey="row", sharex="col")
    matched = zip(_both(match, names), match.pairs.T, strict=True)
    curves = [
        *((0, trajectory.times, trajectory, c, n) for trajectory, c, n in _both(match, names)),
        *((1, np.arange(len(w)), t.select(w), c, n) for (t, c, n), w in matched),
    ]
    for column, across, trajectory, colour, name in curves:
        values = _mm(trajectory.x), _mm(trajectory.z), degrees(trajectory.pitch)
        for axes, value in zip(grid[:, column], values, strict=True):
            axes.plot(across, value, color=colour, label=name)
    for axes, label in zip(grid[:, 0], ("x [mm]", "z [mm]", "pitch, nose down [deg]"), strict=True):
        axes.set_ylabel(label)
    grid[0, 0].set_title("before DP matching", fontsize="medium")
    grid[0, 1].set_title("after DP matching", fontsize="medium")
    grid[2, 0].set_xlabel("time [s]")
    grid[2, 1].set_xlabel("frame (matched pair)")
    grid[0, 0].legend()
    return figure


def errors(match: TrajectoryMatch, *, title: str = "") -> Figure:
    """Draw the errors of x, z, norm and pitch per frame after matching (Fig. 15)."""
    figure = new_figure(7.2, 4.6, title)
    place, turn = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    after = match.after
    for name, values, style in (("x", after.x, "-"), ("z", after.z, "--")):
        place.plot(_mm(np.abs(values)), style, label=name, linewidth=1.2)
    place.plot(_mm(after.norm), color=REAL, label="norm")
    place.set_ylabel("error [mm]")
    place.legend()
    turn.plot(degrees(np.abs(after.pitch)), color=SIMULATED)
    turn.set(ylabel="pitch error [deg]", xlabel="frame (matched pair)")
    for axes in (place, turn):
        axes.set_ylim(bottom=0)
    return figure


def warping(match: TrajectoryMatch, *, title: str = "") -> Figure:
    """Draw the index for pairs of samples of log and simulation, and the path of least sum."""
    figure = new_figure(5.6, 4.6, title)
    axes = figure.subplots()
    extent = (-0.5, len(match.simulated) - 0.5, -0.5, len(match.real) - 0.5)
    table = _mm(cost_table(match))
    image = axes.imshow(table, origin="lower", extent=extent, aspect="auto", cmap="Blues")
    axes.plot(match.pairs[:, 1], match.pairs[:, 0], color=SIMULATED, linewidth=1.6)
    axes.set(xlabel="sample of the simulation", ylabel="sample of the log")
    figure.colorbar(image, ax=axes, label=f"{match.index} [mm]")
    return figure


def bars(
    tests: Mapping[str, TrajectoryMatch],
    passed: Mapping[str, bool] | None = None,
    *,
    title: str = "",
) -> Figure:
    """Draw mean norm and pitch errors after matching, one bar per test (Fig. 16)."""
    if not tests:
        raise BadValue("plots: bars needs at least one test")
    if passed is not None and (missing := [name for name in tests if name not in passed]):
        raise BadValue(f"plots: passed has no entry for '{missing[0]}'")
    figure = new_figure(8.0, 5.6, title)
    place, turn = figure.subplots(2, 1, sharex=True)
    after = [match.after for match in tests.values()]
    colours = [SIMULATED if passed is None else PASS if passed[name] else FAIL for name in tests]
    _bars(place, [millimetres(e.mean("norm")) for e in after], colours, "mean norm error [mm]")
    _bars(turn, [degrees(e.mean("pitch")) for e in after], colours, "mean pitch error [deg]")
    turn.set_xticks(range(len(tests)), list(tests), rotation=30, ha="right")
    if passed is not None:
        for colour, name in ((PASS, "passed"), (FAIL, "failed")):
            if colour in colours:
                place.bar([0], [0], color=colour, label=name)
        place.legend()
    return figure


def regression(x: Array, each: Array, line: LineFit, *, xlabel: str, ylabel: str) -> Figure:
    """Draw repeated measurements ``each`` (n, repeats) at x (n,), their means, and the line."""
    figure = new_figure(6.4, 4.2, "")
    axes = figure.subplots()
    axes.axhline(0, color="#b9c0c8", linewidth=0.7)
    axes.axvline(0, color="#b9c0c8", linewidth=0.7)
    axes.plot(x, each, ".", color="#b9c0c8", markersize=5)
    axes.plot(x, line.at(x), color=REAL, label=f"slope {line.slope:.3g}, R² {line.r2:.4f}")
    axes.plot(x, each.mean(axis=1), "o", color=SIMULATED, label=f"mean of {each.shape[1]} starts")
    axes.set(xlabel=xlabel, ylabel=ylabel)
    axes.legend()
    return figure


def top_view(tracks: Mapping[str, Array]) -> Figure:
    """Draw paths over ground, (k, 2 or 3) (m) each, seen from above; the legend has their names."""
    figure = new_figure(6.4, 4.2, "")
    axes = figure.subplots()
    for name, track in tracks.items():
        axes.plot(track[:, 0], track[:, 1], linewidth=1.0, label=name)
    axes.set(xlabel="x [m]", ylabel="y [m]")
    axes.set_aspect("equal", adjustable="datalim")
    axes.legend()
    return figure


def calibration_runs(
    real: Trajectory, before: Trajectory, after: Trajectory, at_end: LogFit, at_start: LogFit
) -> Figure:
    """Draw x, z and pitch over simulated time: the log, and the simulations before and after.

    The log is shifted to fit the calibrated run. The run before calibration is shifted by the
    difference of the clock offsets, so that each run is drawn as it was compared.
    """
    figure = new_figure(8.0, 6.4, "")
    grid = figure.subplots(3, 1, sharex=True)
    times = real.times + at_end.offset
    log = (real.x + at_end.shift[0], real.z + at_end.shift[1], real.pitch)
    moved = at_end.offset - at_start.offset
    for row, (axes, label) in enumerate(
        zip(grid, ("x [mm]", "z [mm]", "pitch, nose down [deg]"), strict=True)
    ):
        for run, late, colour, name in (
            (before, moved, UNCALIBRATED, "before"),
            (after, 0.0, SIMULATED, "after"),
        ):
            shown = _display_units((run.x, run.z, np.unwrap(run.pitch)))[row]
            axes.plot(run.times + late, shown, color=colour, label=name)
        axes.plot(times, _display_units(log)[row], ".", color=REAL, markersize=4, label="log")
        axes.set_ylabel(label)
    margin = 0.1 * real.duration
    grid[2].set(xlabel="simulated time [s]", xlim=(times[0] - margin, times[-1] + margin))
    grid[0].legend()
    return figure


def loss_profile(
    values: Array, rises: Array, interval: tuple[float, float], best: float, label: str
) -> Figure:
    """Draw the rise of the loss over the plausible range of a parameter; noise explains 1."""
    figure = new_figure(6.0, 2.8, "")
    axes = figure.subplots()
    axes.axvspan(*interval, color=SIMULATED, alpha=0.18, label="interval")
    axes.axhline(1.0, color=UNCALIBRATED, linestyle="--", linewidth=1, label="explained by noise")
    axes.plot(values, rises, "o-", color=REAL, markersize=4)
    axes.axvline(best, color=SIMULATED, label=f"{best:.3g}")
    top = float(np.clip(rises.max(initial=0.0) * 1.05, 2.0, _HIGHEST))
    axes.set(xlabel=label, ylabel="rise of the loss [noise]", ylim=(0, top))
    axes.legend()
    return figure


def _bars(axes: Axes, heights: Sequence[float], colours: Sequence[str], label: str) -> None:
    drawn = axes.bar(range(len(heights)), heights, color=colours)
    axes.bar_label(drawn, fmt="%.1f", fontsize="small", padding=1)
    axes.margins(y=0.15)
    axes.set_ylabel(label)


def _both(match: TrajectoryMatch, names: Names) -> tuple[tuple[Trajectory, str, str], ...]:
    return (match.real, REAL, names[0]), (match.simulated, SIMULATED, names[1])


def _mm(values: Sequence[float] | Array) -> Array:
    return millimetres(np.asarray(values, float))


def new_figure(width: float, height: float, title: str) -> Figure:
    """Return an empty figure (inches) with room for labels."""
    from matplotlib.figure import Figure  # slow import

    figure = Figure(figsize=(width, height), layout="constrained")
    if title:
        figure.suptitle(title)
    return figure


def _display_units(columns: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Return x, z, pitch in mm, mm, deg."""
    x, z, pitch = columns
    return millimetres(x), millimetres(z), degrees(pitch)
