"""Plots of `closed_forms`: a climb above the balance limit, and the load along belts.

A smooth crawler climbs the edge of a step that is too high. With high friction its rear pulley is
unloaded steadily until the crawler pitches over backwards. With lower friction both contacts slip
and the crawler hops (flutter, see `docs/explanation/closed-forms.md`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.evaluation.closed_forms import step_limit
from grouser.experiments.closed_form_rigs import CREEP, SETTLED, CrawlerCase, Rig
from grouser.frames import Array, degrees, millimetres
from grouser.reports.report import Report
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OVER = 1.02
"""Ratio of the height of the step to the balance limit."""
SHOWN_FROM = 35.0
"""Pitch at which the plot begins, degrees."""
SHOWN_FOR = 3.0
"""Duration of the plot, s."""


def add_climb(report: Report, frictions: tuple[float, ...]) -> None:
    """Add a plot of a climb above the balance limit to ``report``."""
    report.add_plot(
        climb_figure(frictions),
        f"a step {OVER:g} times as high as balance allows, smooth belts: load on the rear pulley, "
        "and how far the centre of mass is before the edge",
    )


def climb_figure(frictions: tuple[float, ...]) -> Figure:
    """Plot rear load, centre of mass and pitch over time, for each friction."""
    from matplotlib.figure import Figure  # imported here because it is slow to import

    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    labels = ("rear load / weight", "centre before edge [mm]", "pitch [deg]")
    for friction in frictions:
        case = CrawlerCase(length=0.45, gauge=0.30, belts="smooth", friction=friction)
        time, *shown = _simulate_climb(case)
        for panel, label, values in zip(axes, labels, shown, strict=True):
            panel.plot(time, values, linewidth=0.8, label=f"friction {friction:g}")
            panel.set(ylabel=label)
    axes[1].axhline(0, color="#222222", linewidth=0.7)
    axes[1].set_ylim(-20, 30)
    axes[-1].set_xlabel(f"s after a pitch of {SHOWN_FROM:g} deg")
    axes[0].legend()
    return figure


def _simulate_climb(case: CrawlerCase) -> list[Array]:
    """Return time (s), rear load / weight, centre of mass ahead of edge (mm) and pitch (deg)."""
    edge = case.length / 2 + case.radius + 0.03
    height = OVER * step_limit(radius=case.radius, x=case.x, z=case.centre_z)
    rig = case.stand(wall=Step(x=edge, height=height, friction=case.friction))
    rig.run(0.2, forward=CREEP)
    rows: list[tuple[float, ...]] = []
    began = 0.0
    for _ in range(3000):
        rig.run(0.005)
        pitch_deg = float(degrees(-rig.roll_pitch_yaw[1]))
        if not rows and pitch_deg < SHOWN_FROM:
            continue
        points, loads = rig.loads()
        low = rig.pose.apply(points)[:, 2] < height / 2
        before = millimetres(edge - float(rig.data.subtree_com[rig.root, 0]))
        began = began or rig.simulation.time
        time = rig.simulation.time - began
        rows.append((time, float(loads[low].sum()) / case.weight, float(before), pitch_deg))
        if time > SHOWN_FOR:
            break
    return list(np.array(rows).T)


ROBOTS = ("packbot", "quince", "kenaf")
BIN = 0.02
"""Length of belt per bar of the plot, m."""


def add_pressure(report: Report) -> None:
    """Add a plot of each robot's load along its belts to ``report``."""
    for kind in ROBOTS:
        report.add_plot(
            pressure_figure(kind),
            f"{kind}: normal load along its belts, left up, right down; the standing one is even",
        )


def pressure_figure(kind: str) -> Figure:
    """Plot the load along the belts of one robot: standing, turning and on an edge."""
    from matplotlib.figure import Figure  # imported here because it is slow to import

    states = _loads_by_state(kind)
    figure = Figure(figsize=(9.0, 2.2 * len(states)), layout="constrained")
    axes = np.atleast_1d(figure.subplots(len(states), 1, sharex=True))
    for panel, (name, (points, loads)) in zip(axes, states.items(), strict=True):
        for side, sign in (("left", 1), ("right", -1)):
            on_side = points[:, 1] * sign > 0
            x, summed = _bin_loads(points[on_side, 0], loads[on_side])
            panel.bar(millimetres(x), sign * summed, width=0.9 * millimetres(BIN), label=side)
        panel.axhline(0, color="#222222", linewidth=0.7)
        panel.set(ylabel="load [N]", title=name)
    axes[-1].set_xlabel("x before the root [mm]")
    axes[0].legend()
    return figure


def _loads_by_state(kind: str) -> dict[str, tuple[Array, Array]]:
    """Return contact points and loads of a robot in three states."""
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


def _bin_loads(x: Array, loads: Array) -> tuple[Array, Array]:
    """Return the centres of the bins along x (m) and the load in each (N)."""
    if not len(x):
        return np.zeros(0), np.zeros(0)
    numbers = np.round(x / BIN).astype(int)
    bins = np.arange(numbers.min(), numbers.max() + 1)
    return bins * BIN, np.array([loads[numbers == number].sum() for number in bins])
