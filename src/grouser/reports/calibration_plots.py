"""Figures of a calibration: the log with both simulations, and how the loss rises.

Colours are those of `grouser.reports.plots`: the real robot black, the simulated one orange.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.evaluation.log_fit import LogFit
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array, degrees, millimetres
from grouser.reports.plots import REAL, SIMULATED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BEFORE = "#8fa3b8"
"""The simulation with the values it started with."""
_HIGHEST = 12.0  # rises are drawn up to this; what matters is near 1


def runs(
    real: Trajectory, before: Trajectory, after: Trajectory, at_end: LogFit, at_start: LogFit
) -> Figure:
    """Draw x, z and pitch over simulated time: the log, and both simulations.

    The log is put where it fits the calibrated run; the other run is moved by the difference of
    the two offsets, so that each is drawn as it was compared.
    """
    from matplotlib.figure import Figure  # slow to import, and few need it

    figure = Figure(figsize=(8.0, 6.4), layout="constrained")
    grid = figure.subplots(3, 1, sharex=True)
    times = real.times + at_end.offset
    log = (real.x + at_end.shift[0], real.z + at_end.shift[1], real.pitch)
    moved = at_end.offset - at_start.offset
    for row, (axes, label) in enumerate(
        zip(grid, ("x [mm]", "z [mm]", "pitch, nose down [deg]"), strict=True)
    ):
        for run, late, colour, name in (
            (before, moved, BEFORE, "before"),
            (after, 0.0, SIMULATED, "after"),
        ):
            shown = _human((run.x, run.z, np.unwrap(run.pitch)))[row]
            axes.plot(run.times + late, shown, color=colour, label=name)
        axes.plot(times, _human(log)[row], ".", color=REAL, markersize=4, label="log")
        axes.set_ylabel(label)
    margin = 0.1 * real.duration
    grid[2].set(xlabel="simulated time [s]", xlim=(times[0] - margin, times[-1] + margin))
    grid[0].legend()
    return figure


def profile(
    values: Array, rises: Array, interval: tuple[float, float], best: float, label: str
) -> Figure:
    """Draw how the loss rises over a parameter's plausible range.

    Args:
        values: where it was profiled, (m,).
        rises: of the loss, (m,); 1 is as much as noise explains.
        interval: that noise leaves open.
        best: the value that was found.
        label: the parameter's name and unit.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.0, 2.8), layout="constrained")
    axes = figure.subplots()
    axes.axvspan(*interval, color=SIMULATED, alpha=0.18, label="interval")
    axes.axhline(1.0, color=BEFORE, linestyle="--", linewidth=1, label="explained by noise")
    axes.plot(values, rises, "o-", color=REAL, markersize=4)
    axes.axvline(best, color=SIMULATED, label=f"{best:.3g}")
    top = float(np.clip(rises.max(initial=0.0) * 1.05, 2.0, _HIGHEST))
    axes.set(xlabel=label, ylabel="rise of the loss [noise]", ylim=(0, top))
    axes.legend()
    return figure


def _human(columns: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    """Return x, z, pitch in mm, mm, deg."""
    x, z, pitch = columns
    return millimetres(x), millimetres(z), degrees(pitch)
