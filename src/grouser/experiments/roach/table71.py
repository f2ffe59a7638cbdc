"""Roach report, Table 7.1: the smooth double bridge, 20 paths over each of its bridges (6.1).

A geometric planner (OMPL's PRM) runs until each bridge has its number of paths, and every path is
driven once. The bridges are mirror images, so any difference between them is random.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from grouser.experiments.roach import driven_paths
from grouser.experiments.roach.bridge_world import (
    BOUNDS,
    BRIDGES,
    GOAL,
    ROBOT,
    START,
    WITHIN,
    bridge_of,
    bridge_world,
)
from grouser.experiments.run_options import RunOptions
from grouser.mobility.pass_curve import PassCount
from grouser.planning.paths import Path
from grouser.reports.report import Report
from grouser.reports.rules import Rule, at_most, between
from grouser.reports.table import Row, Table
from grouser.trials.path_trials import PathCourse
from grouser.trials.trial import Outcome, Place

RUNS_TRIALS = True

PAPER: dict[str, dict[str, float]] = {  # Table 7.1
    "top": {"trials": 20, "successes": 18, "mean": 1.082, "sd": 0.0596, "min": 1.009, "max": 1.192},
    "bottom": {
        "trials": 20,
        "successes": 19,
        "mean": 1.111,
        "sd": 0.0909,
        "min": 1.009,
        "max": 1.371,
    },
}
PER_BRIDGE, PLANS = 20, 200  # Table 7.1; our number of plans for the share of each bridge
MEANS_WITHIN = 0.05  # our bound of the difference of the means, twice that of the report
WORST_COSTS = (1.10, 1.40)  # a factor of two on either side of the text's "roughly 20 % higher"
ALONG_DEG = 90.0
"""Heading of the robot at the start of the control: along the path, degrees."""
SIGNIFICANCE = 0.05
"""Two shares agree unless the p-value of their difference is below this level."""


def alike_p(counts: tuple[PassCount, PassCount]) -> float:
    """Return the p-value of Fisher's exact test that two counts have one share."""
    first, second = counts
    return driven_paths.fisher_p(first.passed, first.of, second.passed, second.of)


ALIKE = Rule(
    f"Fisher's p at least {SIGNIFICANCE:g}", lambda _, counts: alike_p(counts) >= SIGNIFICANCE
)
"""Values are two counts whose shares are compared with each other."""


def run(run_options: RunOptions) -> Report:
    """Plan, drive and compare with the report."""
    quick, seed = run_options.quick, run_options.seed
    world = bridge_world()
    validity = driven_paths.validity_of(world, ROBOT, BOUNDS)
    run_options.progress("planning", 0, 1)
    plans = driven_paths.plan_paths(
        validity, START, GOAL, planner="PRM", seeds=range(seed, seed + (16 if quick else PLANS))
    )
    groups = group_by_bridge(plans, 2 if quick else PER_BRIDGE)
    course = PathCourse(world, ROBOT, Place(x=GOAL[0], y=GOAL[1], within=WITHIN))
    along = PathCourse(bridge_world(yaw_deg=ALONG_DEG), ROBOT, course.goal)
    trials = [
        trial
        for start in (course, along)
        for name, paths in groups.items()
        for trial in driven_paths.course_trials(start, paths, seed=seed, case={"bridge": name})
    ]
    driven = driven_paths.drive(run_options, "driving", trials)
    outcomes, control = driven[: len(trials) // 2], driven[len(trials) // 2 :]
    table = Table(
        "roach-table71",
        "Physics in the planning loop (roach), Table 7.1",
        "Smooth double bridge" + (" (quick: few paths)" if quick else ""),
        (
            share_row(plans_over_top(plans)),
            *claims(outcomes),
            *_control_rows(control),
            *printed_rows(PAPER, outcomes),
        ),
        _figures(outcomes),
        (
            "The report's energies are in a relative unit, so maximum over minimum and standard "
            "deviation over mean are compared. Its sum of torque x speed is signed: ours is work "
            "(J; the same sum times the time step). Effort adds up its amount: braking costs too.",
            "Paths are OMPL's PRM; start and goal as printed, the robot starts 90 deg off its way, "
            "looking towards the bottom bridge: over the top one it begins with the larger turn. "
            "Every path is driven once. As a control the same paths are driven from a start that "
            "looks along the way, to neither bridge: what then differs is chance.",
            driven_paths.open_settings(course),
        ),
    )
    report = Report(table)
    driven_paths.add_paths(report, outcomes, BOUNDS)
    return report


def group_by_bridge(plans: Sequence[Path], most: int) -> dict[str, list[Path]]:
    """Return the first ``most`` plans over each bridge by the name of the bridge."""
    groups: dict[str, list[Path]] = {name: [] for name in BRIDGES}
    for plan in plans:
        group = groups[crossed_bridge(plan)]
        if len(group) < most:
            group.append(plan)
    return groups


def crossed_bridge(plan: Path) -> str:
    """Return the name of the bridge that a plan crosses."""
    middle = int(np.abs(plan.waypoints[:, 1]).argmin())
    return bridge_of(float(plan.waypoints[middle, 0]))


def outcomes_over(outcomes: Sequence[Outcome], name: str) -> list[Outcome]:
    """Return the outcomes over one bridge."""
    return [outcome for outcome in outcomes if outcome.trial.case["bridge"] == name]


def printed_rows(
    paper: Mapping[str, Mapping[str, float]], outcomes: Sequence[Outcome]
) -> list[Row]:
    """Return one row for each printed figure of each bridge, with our value."""
    rows = []
    for name, theirs in paper.items():
        tally = driven_paths.Tally.of(outcomes_over(outcomes, name))
        rows.append(
            Row(
                {"bridge": name, "what": "successful traversals"},
                f"{theirs['successes']:.0f} of {theirs['trials']:.0f}",
                f"{tally.successes} of {tally.trials}",
                None,
                driven_paths.count_verdicts(outcomes_over(outcomes, name)),
            )
        )
        work, effort = (
            driven_paths.energy_figures(tally.work),
            driven_paths.energy_figures(tally.effort),
        )
        for what, key in (("mean", "mean"), ("sd", "sd"), ("minimum", "min"), ("maximum", "max")):
            rows.append(
                Row(
                    {"bridge": name, "what": f"{what} energy"},
                    theirs[key],
                    f"{work[key]:.3f} J",
                    None,
                    f"effort {effort[key]:.3f} J; theirs is a relative unit",
                )
            )
        rows += driven_paths.spread_rows({"bridge": name}, theirs, tally.work, tally.effort)
    return rows


def claims(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return the rows that test the report's statements about the table."""
    printed_means = relative_difference(*(PAPER[name]["mean"] for name in BRIDGES))
    top, bottom = (driven_paths.Tally.of(outcomes_over(outcomes, name)) for name in BRIDGES)
    everything = driven_paths.Tally.of(outcomes)
    printed, both = _printed_counts(), (top.count, bottom.count)
    rows = [
        Row(
            {"what": "success, top against bottom"},
            "functionally identical: 18 and 19 of 20",
            f"{top.successes} and {bottom.successes} of {top.trials}, {bottom.trials}",
            ALIKE.judge(printed, both),
            f"Fisher's exact p {alike_p(both):.2f}",
        )
    ]
    low, high = everything.interval
    theirs = PassCount(sum(one.passed for one in printed), sum(one.of for one in printed))
    rows.append(
        Row(
            {"what": "success, both"},
            str(theirs),
            str(everything.count),
            ALIKE.judge((theirs, theirs), (theirs, everything.count)),
            f"95 % interval {low:.2f} to {high:.2f}; against the report's: p "
            f"{alike_p((theirs, everything.count)):.2f}",
        )
    )
    for name in ("work", "effort"):
        means, difference = _means(top, bottom, name)
        rows.append(
            Row(
                {"what": f"mean {name}, top against bottom"},
                f"differ by {printed_means:.1%}",
                means,
                at_most(100 * MEANS_WITHIN, "% apart").judge(100 * printed_means, 100 * difference),
            )
        )
    for name in ("work", "effort"):
        for bridge, tally in zip(BRIDGES, (top, bottom), strict=True):
            spread, printed_cost = driven_paths.energy_figures(getattr(tally, name)), PAPER[bridge]
            cost = printed_cost["max"] / printed_cost["min"]
            rows.append(
                Row(
                    {"bridge": bridge, "what": f"worst over best {name}"},
                    round(cost, 3),
                    round(spread["max_over_min"], 3),
                    between(*WORST_COSTS).judge(cost, spread["max_over_min"]),
                    "text: roughly 20 % higher",
                )
            )
    return rows


def _printed_counts() -> tuple[PassCount, PassCount]:
    """Return the report's successes over the top and the bottom bridge."""
    top, bottom = (
        PassCount(int(printed["successes"]), int(printed["trials"])) for printed in PAPER.values()
    )
    return top, bottom


def _means(top: driven_paths.Tally, bottom: driven_paths.Tally, name: str) -> tuple[str, float]:
    """Return both bridges' means of an energy as text, and their relative difference."""
    a, b = (float(np.mean(getattr(tally, name))) for tally in (top, bottom))
    difference = relative_difference(a, b)
    return f"{a:.3f} and {b:.3f} J, differ by {difference:.1%}", difference


def relative_difference(a: float, b: float) -> float:
    """Return the difference of two values relative to their mean."""
    return abs(a - b) / ((a + b) / 2)


def _control_rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return the means for a start that favours no bridge; the report has no such trials."""
    top, bottom = (driven_paths.Tally.of(outcomes_over(outcomes, name)) for name in BRIDGES)
    spread = [driven_paths.energy_figures(tally.effort)["max_over_min"] for tally in (top, bottom)]
    return [
        Row(
            {"what": f"mean {name}, top against bottom, starting along the way"},
            None,
            _means(top, bottom, name)[0],
            None,
            f"a control: {top.successes} and {bottom.successes} of {top.trials}, {bottom.trials}; "
            f"worst over best effort {spread[0]:.3f} and {spread[1]:.3f}",
        )
        for name in ("work", "effort")
    ]


def plans_over_top(plans: Sequence[Path]) -> PassCount:
    """Return how many plans cross the top bridge."""
    return PassCount(sum(crossed_bridge(plan) == "top" for plan in plans), len(plans))


def share_row(count: PassCount) -> Row:
    """Return the row with the share of plans over the top bridge; section 6.1: about half."""
    low, high = count.interval()
    return Row(
        {"what": "plans over the top bridge"},
        "roughly equal",
        str(count),
        driven_paths.SHARE_IN_INTERVAL.judge(PassCount(1, 2), count),
        f"95 % interval {low:.2f} to {high:.2f}",
    )


def _figures(outcomes: Sequence[Outcome]) -> dict[str, float | int]:
    """Return the figures of the whole table for programs."""
    everything = driven_paths.Tally.of(outcomes)
    figures: dict[str, float | int] = {
        "trials": everything.trials,
        "successes": everything.successes,
        "mean_time_s": float(everything.times.mean()),
        "longest_time_s": float(everything.times.max()),
    }
    for name in BRIDGES:
        tally = driven_paths.Tally.of(outcomes_over(outcomes, name))
        figures |= {
            f"{name}_successes": tally.successes,
            f"{name}_mean_work_j": float(tally.work.mean()),
            f"{name}_mean_effort_j": float(tally.effort.mean()),
        }
    return figures
