"""Okada et al. 2020, Table IV: windows of the parameters that the paper leaves open.

The paper gives neither the angle of the rear sub-tracks nor the centre of mass, the compliance, the
shape of the tips of the grousers or the start. Each of them, and the friction, is varied by itself:
once with the rear sub-tracks as they are shipped (six rows), once with level ones, as the paper's
text reads (the three rows of level front sub-tracks). The window of a parameter is the range around
the usual value in which all rows agree with the real robot from every start.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from grouser.experiments.friction_margin import success_letter
from grouser.experiments.okada.table4 import FRICTION, LEVEL, PAPER, REAR_DEG, StepCase, trial
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array
from grouser.physics.compliance import Compliance
from grouser.reports.plots import new_figure
from grouser.reports.report import Report
from grouser.reports.table import NOTHING, Row, Table
from grouser.robots.quince import ARM_LEAD
from grouser.trials.trial import Trial

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RUNS_TRIALS = True

STARTS = (0.0, 0.5)
"""Starts of each drive, fractions of a grouser pitch; all must agree."""


@dataclass(frozen=True)
class FreeParameter:
    """A parameter that the paper leaves open, and the values that are driven."""

    name: str
    """Name with its unit."""
    condition: str
    """Option of Quince, or ``friction``, ``frequency`` (of contacts) or ``start``."""
    usual: float
    """Value in Table IV."""
    values: tuple[float, ...]
    """Values in ascending order; the usual one is among them."""
    scale: float = 1.0
    """Unit of the name in units of the condition."""


PARAMETERS = (
    FreeParameter("rear sub-tracks, deg", "rear_deg", REAR_DEG, (0, 1, 2, 3, 4, 5, 6, 7, 8)),
    FreeParameter("centre of mass x, mm", "centre_x", 0, (-60, -40, -20, 0, 20, 40, 60), 1e-3),
    FreeParameter("centre of mass z, mm", "centre_z", 0, (-60, -40, -20, 0, 20, 40, 60), 1e-3),
    FreeParameter("contact, rad/s", "frequency", Compliance().frequency, (100, 150, 200, 300, 400)),
    FreeParameter("start, pitches", "start", 0, tuple(number / 8 for number in range(8))),
    FreeParameter("arm error at full torque, deg", "arm_lead", ARM_LEAD, (1, 2, 5, 10, 20, 40)),
    FreeParameter("round tips (0: flat)", "round_tips", 1, (0, 1)),
    FreeParameter(
        "friction", "friction", FRICTION, (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
    ),
)


@dataclass(frozen=True)
class ParameterDrives:
    """One parameter, varied with one angle of the rear sub-tracks."""

    parameter: FreeParameter
    cases: tuple[StepCase, ...]
    rear_deg: float
    starts: tuple[float, ...] = STARTS

    def trials(self) -> list[Trial]:
        """Return the trials of all rows, values and starts, in this order."""
        return [
            self._trial(case, value * self.parameter.scale, start)
            for case in self.cases
            for value in self.parameter.values
            for start in self.starts
        ]

    def _trial(self, case: StepCase, value: float, start: float) -> Trial:
        conditions: dict[str, Any] = {"rear_deg": self.rear_deg, "start": start}
        if self.parameter.condition != "frequency":
            if self.parameter.condition == "round_tips":
                value = bool(value)
            return trial(case, **conditions | {self.parameter.condition: value})
        one = trial(case, **conditions)
        contact = Compliance(frequency=value)
        physics = one.world.physics.model_copy(update={"contact": contact})
        return dataclasses.replace(one, world=one.world.changed(physics=physics))

    def agreement(self, shares: Array) -> list[bool]:
        """Return for each value whether all rows agree."""
        return [bool((column == 1.0).all()) for column in shares.T]

    def shares(self, successes: Sequence[bool]) -> Array:
        """Return the share of starts that agree, one row per case, one column per value."""
        shape = len(self.cases), len(self.parameter.values), len(self.starts)
        real = np.array([case.real == "S" for case in self.cases])
        agrees = np.reshape(successes, shape) == real[:, None, None]
        return np.asarray(np.mean(agrees, axis=2))

    def window(self, shares: Array) -> tuple[float, float] | None:
        """Return the range around the usual value in which all rows agree; None: not there."""
        agree = self.agreement(shares)
        low = high = self.parameter.values.index(self.parameter.usual)
        if not agree[low]:
            return None
        while low > 0 and agree[low - 1]:
            low -= 1
        while high + 1 < len(agree) and agree[high + 1]:
            high += 1
        return self.parameter.values[low], self.parameter.values[high]

    def row(self, shares: Array) -> Row:
        """Return the row of the table."""
        window = self.window(shares)
        where = zip(self.parameter.values, self.agreement(shares), strict=True)
        return Row(
            {"parameter": self.parameter.name, "rear": f"{self.rear_deg:g} deg"},
            None,
            {
                "usual": f"{self.parameter.usual:g}",
                "window": f"{window[0]:g} to {window[1]:g}" if window else NOTHING,
                "all rows agree at": ", ".join(f"{value:g}" for value, agrees in where if agrees)
                or NOTHING,
            },
        )


def variations(quick: bool) -> list[ParameterDrives]:
    """Return all variations, or the first one with one start."""
    raised = [ParameterDrives(parameter, PAPER, REAR_DEG) for parameter in PARAMETERS]
    level = [ParameterDrives(parameter, LEVEL, 0.0) for parameter in PARAMETERS[1:]]
    if quick:
        few = dataclasses.replace(PARAMETERS[0], values=(0, REAR_DEG))
        return [ParameterDrives(few, LEVEL[1:], REAR_DEG, STARTS[:1])]
    return [
        dataclasses.replace(one, starts=STARTS[:1]) if one.parameter.condition == "start" else one
        for one in raised + level
    ]


def run(run_options: RunOptions) -> Report:
    """Drive every row at every value of each parameter."""
    varied = variations(run_options.quick)
    trials = [one.trials() for one in varied]
    everything = [one for some in trials for one in some]
    outcomes = iter(run_options.run_trials("driving against steps", everything))
    shares = [
        one.shares([success_letter(outcome) == "S" for outcome in islice(outcomes, len(some))])
        for one, some in zip(varied, trials, strict=True)
    ]
    report = Report(
        Table(
            "okada-window",
            "Okada et al. 2020, Table IV",
            "Values of parameters that the paper leaves open with which its rows agree",
            tuple(one.row(share) for one, share in zip(varied, shares, strict=True)),
            {"drives": len(everything)},
            (
                "Window: range around the usual value in which all starts of all rows have the "
                "result of the real robot. Rear 0 deg: the three rows of level front sub-tracks.",
            ),
        )
    )
    report.add_plot(
        picture(varied, shares),
        "Share of starts that agree with the real robot; framed: the usual value. Right: with "
        "level rear sub-tracks",
    )
    return report


def picture(varied: Sequence[ParameterDrives], shares: Sequence[Array]) -> Figure:
    """Draw a panel for each variation: values across, rows of the table down."""
    names = list(dict.fromkeys(one.parameter for one in varied))
    columns = sorted({one.rear_deg for one in varied}, reverse=True)
    figure = new_figure(5.2 * len(columns), 0.5 + 1.5 * len(names), "")
    grid = figure.subplots(len(names), len(columns), squeeze=False)
    for axes in grid.flat:
        axes.set_axis_off()
    for one, share in zip(varied, shares, strict=True):
        axes = grid[names.index(one.parameter), columns.index(one.rear_deg)]
        axes.set_axis_on()
        axes.imshow(share, cmap="RdYlGn", vmin=0, vmax=1, aspect="auto")
        values = one.parameter.values
        axes.set_xticks(range(len(values)), [f"{value:g}" for value in values], fontsize=7)
        cases = [
            f"{case.angle_deg:g} deg, {case.height_mm:g} mm: {case.real}" for case in one.cases
        ]
        axes.set_yticks(range(len(cases)), cases, fontsize=7)
        axes.set_xlabel(one.parameter.name, fontsize=8)
        axes.axvspan(
            values.index(one.parameter.usual) - 0.48,
            values.index(one.parameter.usual) + 0.48,
            fill=False,
            edgecolor="black",
            linewidth=1.5,
        )
    for axes, rear in zip(grid[0], columns, strict=True):
        axes.set_title(f"rear sub-tracks at {rear:g} deg", fontsize=9)
    return figure
