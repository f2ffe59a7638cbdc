"""Pictures of `closed_forms`: the load along a belt, standing, turning and at an edge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.experiments.closed_form_rigs import SETTLED, Rig
from grouser.frames import Array, millimetres
from grouser.reports.report import Report
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROBOTS = ("packbot", "quince", "kenaf")
BIN = 0.02
"""m of belt that one bar of the picture stands for."""


def add_pressure(report: Report) -> None:
    """Add a picture of each robot's pressure to ``report``."""
    for kind in ROBOTS:
        report.add_plot(
            pressure(kind),
            f"{kind}: normal load along its belts, left up, right down; the standing one is even",
        )


def pressure(kind: str) -> Figure:
    """Return the load along the belts of one robot: standing, turning, at an edge."""
    from matplotlib.figure import Figure  # slow to import, and few need it

    states = _states(kind)
    figure = Figure(figsize=(9.0, 2.2 * len(states)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(states), 1, sharex=True))
    for place, (name, (points, loads)) in zip(axes, states.items(), strict=True):
        for side, sign in (("left", 1), ("right", -1)):
            mine = points[:, 1] * sign > 0
            x, summed = _binned(points[mine, 0], loads[mine])
            place.bar(millimetres(x), sign * summed, width=0.9 * millimetres(BIN), label=side)
        place.axhline(0, color="#222222", linewidth=0.7)
        place.set(ylabel="load [N]", title=name)
    axes[-1].set_xlabel("x before the root [mm]")
    axes[0].legend()
    return figure


def _states(kind: str) -> dict[str, tuple[Array, Array]]:
    level = Rig(kind, {}, (Flat(friction=0.6),), 0.001)
    level.run(SETTLED)
    states = {"standing": level.loads()}
    level.run(2.0, turn=0.5)
    states["turning at 0.5 rad/s"] = level.loads()
    step = Step(x=0.5, height=0.06, friction=0.6)
    edge = Rig(kind, {}, (Flat(friction=0.6), step), 0.001)
    edge.run(SETTLED)
    for _ in range(60):
        edge.run(0.1, forward=0.15)
        if float(edge.pose.position[0]) > 0.30:
            break
    states["on the edge of a step of 60 mm"] = edge.loads()
    return states


def _binned(x: Array, loads: Array) -> tuple[Array, Array]:
    """Return the middles of the bins along x and the load in each."""
    if not len(x):
        return np.zeros(0), np.zeros(0)
    place = np.round(x / BIN).astype(int)
    bins = np.arange(place.min(), place.max() + 1)
    return bins * BIN, np.array([loads[place == number].sum() for number in bins])
