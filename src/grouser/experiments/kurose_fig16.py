"""Kurose et al. 2008, figs 9-16: DP matching of the trajectories of two Kenafs.

The paper matches its simulated Kenaf with the real one. No log of the real robot is available, so
**the reference is our other variant**: belts with lugs (``segments``) replace the real robot, and
the paper's own wheels are the simulated one. The comparison is therefore between two models of one
machine. `grouser compare` compares a simulation with the log of a real robot.

All tests of Table I are driven once with each variant, with the same strategy and ground. The
groups of passed and failed tests contain those that both variants pass or both fail. In the paper,
too, the one test with unequal results is in neither group.
"""

from __future__ import annotations

from collections.abc import Mapping

from grouser.evaluation.matching import TrajectoryMatch, match
from grouser.evaluation.trajectory import Trajectory
from grouser.experiments.kurose_table1 import FIG8, PAPER, ObstacleCase, trial
from grouser.experiments.run_options import RunOptions
from grouser.frames import degrees, millimetres, to_rpy
from grouser.reports import plots
from grouser.reports.report import Report
from grouser.reports.rules import above, within_factor
from grouser.reports.table import Row, Table
from grouser.trials.trial import Outcome

RUNS_TRIALS = True

PRINTED = {  # sec. III-A
    "passes_max_mean_norm_error_mm": 132.2,
    "passes_max_mean_pitch_error_deg": 11.4,
    "failures_max_mean_norm_error_mm": 88.1,
    "failures_max_mean_pitch_error_deg": 18.2,
    "fig15_max_x_error_mm": 83.8,
    "fig15_max_z_error_mm": 38.4,
    "fig15_max_pitch_error_deg": 11.0,
}
SAME_SIZE = 2.0  # largest factor between two figures that agree
RATE = 50.0  # Hz   samples are 0.1 s (30 mm) apart and are interpolated linearly
QUICK = (FIG8, PAPER[1], PAPER[11])  # two passes and a failure


def run(run_options: RunOptions) -> Report:
    """Drive every test with both variants and match their trajectories."""
    cases = QUICK if run_options.quick else PAPER
    drives = [trial(case, variant=variant) for case in cases for variant in ("segments", "wheels")]
    outcomes = run_options.run_trials("driving both variants", drives)
    pairs = {case: (outcomes[2 * i], outcomes[2 * i + 1]) for i, case in enumerate(cases)}
    matches = {
        case: match(trajectory(reference), trajectory(simulated))
        for case, (reference, simulated) in pairs.items()
    }
    groups = {
        "passes": [case for case, pair in pairs.items() if all(o.arrived for o in pair)],
        "failures": [case for case, pair in pairs.items() if not any(o.arrived for o in pair)],
    }
    figures = _figures(matches, groups)
    table = Table(
        "kurose-fig16",
        "Kurose et al. 2008, figs 15 and 16",
        "DP matching of two Kenafs" + (" (quick: three tests)" if run_options.quick else ""),
        (
            *(_row(name, printed, figures[name]) for name, printed in PRINTED.items()),
            _failures_row(figures),
        ),
        figures
        | {"tests_passed_by_both": len(groups["passes"])}
        | {"tests_failed_by_both": len(groups["failures"]), "tests": len(cases)},
        (
            "The reference trajectory is NOT the real robot: it is our segments variant, matched "
            "with our wheels variant. The paper's numbers are simulation against the real robot.",
            "According to the paper variances are larger in the failed tests than in the passed "
            "ones: the last row compares their largest mean pitch errors.",
            "Tests that only one variant passes are in neither group: "
            + (
                ", ".join(c.name for c in cases if not any(c in g for g in groups.values()))
                or "none"
            )
            + ".",
        ),
    )
    report = Report(table)
    _add_plots(report, pairs, matches)
    return report


def trajectory(outcome: Outcome) -> Trajectory:
    """Return the trajectory of a drive's root, resampled at `RATE`."""
    x, _, z = outcome.positions.T
    return Trajectory(outcome.times, x, z, to_rpy(outcome.wxyz)[:, 1]).resample(RATE)


def _figures(
    matches: Mapping[ObstacleCase, TrajectoryMatch], groups: Mapping[str, list[ObstacleCase]]
) -> dict[str, float | None]:
    """Return our figures by the names of `PRINTED`; None if a group has no test."""
    figures: dict[str, float | None] = {}
    for group, cases in groups.items():
        for name, unit, by in (("norm", "mm", millimetres(1.0)), ("pitch", "deg", degrees(1.0))):
            means = [matches[case].after.mean(name) * by for case in cases]
            figures[f"{group}_max_mean_{name}_error_{unit}"] = max(means) if means else None
    after = matches[FIG8].after.figures()
    for name in ("max_x_error_mm", "max_z_error_mm", "max_pitch_error_deg"):
        figures[f"fig15_{name}"] = after[name]
    return figures


def _row(name: str, printed: float, ours: float | None) -> Row:
    return Row({"figure": name}, printed, ours, within_factor(SAME_SIZE).judge(printed, ours))


def _failures_row(figures: Mapping[str, float | None]) -> Row:
    """Return the row of the statement that failed tests vary more than passed ones."""
    group = "{}_max_mean_pitch_error_deg".format
    passes, failures = group("passes"), group("failures")
    ours, ours_passed = figures[failures], figures[passes]
    ratio = None if ours is None or ours_passed is None else ours / ours_passed
    return Row(
        {"figure": "pitch error, failures over passes"},
        PRINTED[failures] / PRINTED[passes],
        ratio,
        above("1, as the paper's").judge(1.0, ratio),
    )


def _add_plots(
    report: Report,
    pairs: Mapping[ObstacleCase, tuple[Outcome, Outcome]],
    matches: Mapping[ObstacleCase, TrajectoryMatch],
) -> None:
    """Add figs 9-16 for the variants ``segments`` and ``wheels``."""
    fig8 = matches[FIG8]
    report.add_text(
        "In all plots the black curve is our Kenaf on belts with lugs, the orange one our Kenaf on "
        "wheels; neither is the real robot."
    )
    both = ("belts with lugs", "wheels")
    report.add_plot(
        plots.paths(fig8, names=both), f"{FIG8.name}: both ways and their matched samples"
    )
    report.add_plot(
        plots.components(fig8, names=both), f"{FIG8.name}: before and after matching (figs 9-14)"
    )
    report.add_plot(plots.errors(fig8), f"{FIG8.name}: errors per frame (Fig. 15)")
    by_name = {case.name: result for case, result in matches.items()}
    passed = {case.name: all(o.arrived for o in pair) for case, pair in pairs.items()}
    report.add_plot(
        plots.bars(by_name, passed),
        "Mean errors of every test (Fig. 16); red: one variant fails, or both",
    )
    report.add_rows(
        "Every test",
        ("test", "segments", "wheels", "mean norm error mm", "mean pitch error deg"),
        [
            (
                case.name,
                pairs[case][0].verdict,
                pairs[case][1].verdict,
                millimetres(result.after.mean("norm")),
                float(degrees(result.after.mean("pitch"))),
            )
            for case, result in matches.items()
        ],
    )
