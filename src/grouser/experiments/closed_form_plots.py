"""Picture of `closed_forms`: a smooth crawler on the edge of a step that is too high for it.

With grip its rear pulley is unloaded steadily until it pitches over backwards; with less, both
contacts slip and it hops (`grouser.evaluation.slip_flutter`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from grouser.evaluation.closed_forms import step_limit
from grouser.experiments.closed_form_rigs import CREEP, CrawlerCase
from grouser.frames import Array, degrees, millimetres
from grouser.reports.report import Report
from grouser.world.terrain.step import Step

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OVER = 1.02
"""Height of the step over the balance limit."""
SHOWN_FROM = 35.0
"""deg of pitch."""
SHOWN_FOR = 3.0
"""s."""


def add_climb(report: Report, frictions: tuple[float, ...]) -> None:
    """Add a picture of a climb that balance forbids to ``report``."""
    report.add_plot(
        climb(frictions),
        f"a step {OVER:g} times as high as balance allows, smooth belts: load on the rear pulley, "
        "and how far the centre of mass is before the edge",
    )


def climb(frictions: tuple[float, ...]) -> Figure:
    """Return rear load, centre of mass and pitch over time, for each friction."""
    from matplotlib.figure import Figure  # slow to import, and few need it

    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    axes = figure.subplots(3, 1, sharex=True)
    labels = ("rear load / weight", "centre before edge [mm]", "pitch [deg]")
    for friction in frictions:
        case = CrawlerCase(length=0.45, gauge=0.30, belts="smooth", friction=friction)
        time, *shown = _run(case)
        for place, label, values in zip(axes, labels, shown, strict=True):
            place.plot(time, values, linewidth=0.8, label=f"friction {friction:g}")
            place.set(ylabel=label)
    axes[1].axhline(0, color="#222222", linewidth=0.7)
    axes[1].set_ylim(-20, 30)
    axes[-1].set_xlabel(f"s after a pitch of {SHOWN_FROM:g} deg")
    axes[0].legend()
    return figure


def _run(case: CrawlerCase) -> list[Array]:
    """Return time (s), rear load over weight, centre of mass before the edge (mm), pitch (deg)."""
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
