"""Roach report, Table 7.3: the plywood bridge as a depth camera sees it, 2 m, 25 paths (6.3).

The report's planner is STRIDE, which OMPL's Python bindings lack; ours is written after its paper.
Lowest in energy and safest, says the report, are paths near the middle of the bridge; what comes
close to its edge fails. So paths are sorted by how far from the middle they lead.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grouser.experiments.roach.driven_paths import (
    Tally,
    course_trials,
    drive,
    energy_figures,
    settings,
    verdicts,
)
from grouser.experiments.roach.path_pictures import add_paths
from grouser.experiments.roach.plywood_world import BOUNDS, plywood_course, plywood_paths
from grouser.experiments.run_options import RunOptions
from grouser.frames import millimetres
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.trials.trial import Outcome

PAPER = {"mean": 0.938, "sd": 0.329, "min": 0.656, "max": 2.061}  # Table 7.3
TRIALS, SUCCESSES = 25, 20  # Table 7.3
WITHIN_SHARE = 0.15  # a bound of ours: 80 % +- 15
THIRDS = ("nearest to the middle", "between", "farthest from the middle")


def run(run_options: RunOptions) -> Report:
    """Scan, plan, drive and compare."""
    quick, seed = run_options.quick, run_options.seed
    run_options.progress("scanning", 0, 1)
    course = plywood_course(seed)
    run_options.progress("planning", 0, 1)
    count = 6 if quick else TRIALS
    paths = plywood_paths(course, range(seed * TRIALS, seed * TRIALS + count))
    outcomes = drive(
        course_trials(course, paths, seed=seed, case={}),
        lambda done, of: run_options.progress("driving", done, of),
    )
    tally = Tally.of(outcomes)
    low, high = tally.interval
    near, far = SUCCESSES / TRIALS - WITHIN_SHARE, SUCCESSES / TRIALS + WITHIN_SHARE
    rows = [
        Row(
            {"what": "successful traversals"},
            f"{SUCCESSES} of {TRIALS}",
            f"{tally.successes} of {tally.trials}",
            near <= tally.share <= far,
            f"{near:.0%} to {far:.0%}; 95 % interval {low:.2f} to {high:.2f}; {verdicts(outcomes)}",
        ),
        *_energy_rows(tally),
        *_offset_rows(outcomes),
    ]
    table = Table(
        "roach-table73",
        "Physics in the planning loop (roach), Table 7.3",
        "Plywood bridge as a scan" + (" (quick: few paths)" if quick else ""),
        tuple(rows),
        {
            "trials": tally.trials,
            "successes": tally.successes,
            "mean_time_s": float(tally.times.mean()) if tally.successes else float("nan"),
            **{f"work_{name}": value for name, value in energy_figures(tally.work).items()},
            **{f"effort_{name}": value for name, value in energy_figures(tally.effort).items()},
        },
        (
            "The ground is a scan: a simulated Kinect 2 (512 x 424, its noise) on a tripod sees a "
            "bridge of plywood sheets, `grouser.scan` rebuilds the surface, and the robot drives "
            "over its height map. The report's bridge is shown in pictures only.",
            "Paths are STRIDE's. The report prints neither which way the robot looks at its start "
            "nor where on the bridge that is: ours looks at the goal, both are on the level part.",
            settings(course),
        ),
    )
    report = Report(table)
    add_paths(report, outcomes, BOUNDS)
    return report


def offset_of(outcome: Outcome) -> float:
    """Return how far from the middle of the bridge the planned path leads at most, m."""
    return float(np.abs(np.asarray(outcome.trial.fleet_task)[:, 1]).max())


def _energy_rows(tally: Tally) -> list[Row]:
    work, effort = energy_figures(tally.work), energy_figures(tally.effort)
    rows = [
        Row(
            {"what": f"{name} energy"},
            PAPER[name],
            f"{work[name]:.3f} J",
            None,
            f"effort {effort[name]:.3f} J; theirs is a relative unit",
        )
        for name in ("mean", "sd", "min", "max")
    ]
    for name, theirs in (
        ("max_over_min", PAPER["max"] / PAPER["min"]),
        ("sd_over_mean", PAPER["sd"] / PAPER["mean"]),
    ):
        what = name.replace("_", " ")
        note = f"effort {effort[name]:.3f}"
        rows.append(Row({"what": what}, round(theirs, 3), f"{work[name]:.3f}", None, note))
    return rows


def _offset_rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return success by thirds of the paths, from those in the middle to those at the edge."""
    ordered = sorted(outcomes, key=offset_of)
    rows = []
    for name, part in zip(THIRDS, np.array_split(np.arange(len(ordered)), 3), strict=True):
        some = [ordered[number] for number in part]
        tally = Tally.of(some)
        clear = [float(str(outcome.trial.case["clearance"])) for outcome in some]
        rows.append(
            Row(
                {"what": f"success, third {name}"},
                "safest" if name == THIRDS[0] else "tend to fail" if name == THIRDS[2] else None,
                f"{tally.successes} of {tally.trials}",
                None,
                f"up to {millimetres(max(map(offset_of, some), default=0)):.0f} mm from the "
                f"middle, least clearance {millimetres(min(clear, default=0)):.0f} mm",
            )
        )
    return rows
