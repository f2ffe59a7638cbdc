"""Planned paths driven in physics: trials, statistics and plots of the report's chapter 7."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, milliseconds
from grouser.mobility.pass_curve import PassCount
from grouser.planning.driver import LegLaw
from grouser.planning.paths import Path, plan_path
from grouser.planning.validity import Bounds, ValidityMap, map_validity
from grouser.reports.plots import PASS
from grouser.reports.report import Report
from grouser.reports.rules import Rule, within_factor
from grouser.reports.table import Row
from grouser.simulation.ground import Ground
from grouser.simulation.policy import CONTROL_PERIOD
from grouser.simulation.scene import compose
from grouser.trials.draws import Spread
from grouser.trials.footprint import footprint_of
from grouser.trials.path_trials import PathCourse
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Outcome, Trial
from grouser.world.file import World

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AS_PRINTED = Spread(place=0.0, heading=0.0, friction=0.0, mass=0.0)
"""Random draws of a trial: the robot starts at the printed pose with random phases of its legs."""

SLOTS = 128
"""Simulations per batch; a larger batch reduces the overhead of Python per step."""


def validity_of(world: World, robot: str, bounds: Bounds) -> ValidityMap:
    """Return the map of valid positions of ``robot`` in ``world`` by geometry alone."""
    scene = compose(world)
    return map_validity(Ground(scene), footprint_of(scene, robot), bounds)


def plan_paths(
    validity: ValidityMap,
    start: tuple[float, float],
    goal: tuple[float, float],
    *,
    planner: str,
    seeds: Sequence[int],
) -> list[Path]:
    """Return the paths that ``planner`` finds with ``seeds``; seeds without a path are skipped."""
    found = (plan_path(validity, start, goal, planner=planner, seed=seed) for seed in seeds)
    return [path for path in found if path is not None]


def course_trials(
    course: PathCourse, paths: Sequence[Path], *, seed: int, case: dict[str, object]
) -> list[Trial]:
    """Return one trial of each path, as in the report, with random phases of the legs."""
    return [
        course.trial(
            path.waypoints,
            AS_PRINTED.draw(seed, number),
            {**case, "path": number, "length": path.length, "clearance": path.clearance},
        )
        for number, path in enumerate(paths)
    ]


def drive(run_options: RunOptions, what: str, trials: Sequence[Trial]) -> list[Outcome]:
    """Run all trials and return their outcomes; ``what`` describes the activity."""
    runner = run_options.runner or ThreadRunner(slots=SLOTS)
    return replace(run_options, runner=runner).run_trials(what, trials)


@dataclass(frozen=True)
class Tally:
    """Statistics of a group of trials as in the report's tables: energies of successes only."""

    trials: int
    successes: int
    work: Array
    """Signed work of each success, J; the report's sum times its time step."""
    effort: Array
    """Effort of each success, J."""
    times: Array
    """Time of each success, s."""

    @staticmethod
    def of(outcomes: Sequence[Outcome]) -> Tally:
        """Return the statistics of ``outcomes``."""
        arrived = [outcome for outcome in outcomes if outcome.arrived]
        work, effort, times = (
            np.array([getattr(outcome, name) for outcome in arrived])
            for name in ("work", "effort", "time")
        )
        return Tally(len(outcomes), len(arrived), work, effort, times)

    @property
    def count(self) -> PassCount:
        """Successes and trials."""
        return PassCount(self.successes, self.trials)

    @property
    def share(self) -> float:
        """Share of the trials that succeeded."""
        return self.successes / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the probability of success."""
        return PassCount(self.successes, self.trials).interval()


def energy_figures(energy: Array) -> dict[str, float]:
    """Return mean, sd, min and max (J), and the ratios that are independent of the unit."""
    if len(energy) < 2:
        return dict.fromkeys(("mean", "sd", "min", "max", "max_over_min", "sd_over_mean"), math.nan)
    mean, sd = float(energy.mean()), float(energy.std(ddof=1))
    low, high = float(energy.min()), float(energy.max())
    return {
        "mean": mean,
        "sd": sd,
        "min": low,
        "max": high,
        "max_over_min": high / low,
        "sd_over_mean": sd / mean,
    }


def contains_share(reference: PassCount, counted: PassCount) -> bool:
    """Return whether Wilson's 95 % interval of our count contains the share of the reference."""
    low, high = counted.interval()
    return low <= reference.passed / reference.of <= high


SHARE_IN_INTERVAL = Rule("95 % interval contains it", contains_share)
"""Rule of two counts, `PassCount`."""
SD_FACTOR = 1.6
"""95 % range of the ratio of two equal standard deviations of 20 samples each (F distribution)."""


def spread_rows(
    case: Mapping[str, str], paper: Mapping[str, float], work: Array, effort: Array
) -> list[Row]:
    """Return the rows of the ratios that are independent of the unit of energy.

    The spread is maximum over minimum less 1. Work, which is the report's sum, is judged.
    """
    ours, by_effort = energy_figures(work), energy_figures(effort)
    theirs = {
        "max_over_min": paper["max"] / paper["min"],
        "sd_over_mean": paper["sd"] / paper["mean"],
    }
    judgements = {
        "max_over_min": within_factor(2, "spread").judge(
            theirs["max_over_min"] - 1, ours["max_over_min"] - 1
        ),
        "sd_over_mean": within_factor(SD_FACTOR).judge(
            theirs["sd_over_mean"], ours["sd_over_mean"]
        ),
    }
    return [
        Row(
            {**case, "what": f"{what.replace('_', ' ')}"},
            round(theirs[what], 3),
            f"{ours[what]:.3f}",
            judgement,
            f"effort {by_effort[what]:.3f}",
        )
        for what, judgement in judgements.items()
    ]


def fisher_p(passed_a: int, of_a: int, passed_b: int, of_b: int) -> float:
    """Return the p-value of Fisher's exact two-sided test that two shares are equal."""
    passed, total = passed_a + passed_b, of_a + of_b

    def probability(k: int) -> float:
        return math.comb(of_a, k) * math.comb(of_b, passed - k) / math.comb(total, passed)

    low, high = max(0, passed - of_b), min(of_a, passed)
    observed = probability(passed_a)
    return sum(p for k in range(low, high + 1) if (p := probability(k)) <= observed * (1 + 1e-9))


def count_verdicts(outcomes: Sequence[Outcome]) -> str:
    """Return the verdicts of trials as text: ``18 arrived, 2 fell``."""
    names = [outcome.verdict for outcome in outcomes]
    counts = sorted(((names.count(name), name) for name in set(names)), reverse=True)
    return ", ".join(f"{count} {name}" for count, name in counts)


def open_settings(course: PathCourse) -> str:
    """Return the parameters that the report leaves open as text, one set for all tables."""
    driver = course.driver
    law = cast(LegLaw, driver.law)
    return (
        f"What the report leaves open, one set for all three tables: p = {law.gain:g} /rad, "
        f"w0 = {law.base_speed:.4g} rad/s, at most a ratio of {law.top_ratio:g}, r_path = "
        f"{driver.r_path:g} m; r_end = {driver.r_end:g} m is printed. The driver acts about every "
        f"{milliseconds(CONTROL_PERIOD):g} ms, physics is in steps of "
        f"{milliseconds(course.world.physics.timestep):g} ms. Drawn: {AS_PRINTED}."
    )


# -- plots from above, as in the report (Figs 7.1 to 7.4) ------------------------------------------

PLANNED, DRIVEN, FAILED = "#222222", "#3a78c2", "#b8433a"
"""Colours: planned paths are black and driven ones blue, as in the report; failures are red."""


def add_paths(report: Report, outcomes: Sequence[Outcome], bounds: Bounds) -> None:
    """Add a plot of all paths, then one path of each verdict."""
    report.add_plot(
        paths_figure(outcomes, bounds), "Planned (black) and driven (blue, red: failed)"
    )
    first = {outcome.verdict: outcome for outcome in reversed(outcomes)}
    for verdict, outcome in first.items():
        report.add_plot(paths_figure([outcome], bounds), f"One that {_ending(verdict)}")


def paths_figure(outcomes: Sequence[Outcome], bounds: Bounds) -> Figure:
    """Plot planned and driven paths and goals; the longer side of ``bounds`` is horizontal."""
    from matplotlib.figure import Figure  # imported here because it is slow to import

    west, south, east, north = bounds
    rotated = north - south > east - west
    width, height = (north - south, east - west) if rotated else (east - west, north - south)
    figure = Figure(figsize=(8.0, 8.0 * height / width + 0.6))
    axes = figure.subplots()
    for outcome in outcomes:
        plan, driven = np.asarray(outcome.trial.fleet_task), outcome.positions
        colour = DRIVEN if outcome.arrived else FAILED
        axes.plot(*_project(plan, rotated), color=PLANNED, linewidth=0.8)
        axes.plot(*_project(driven, rotated), color=colour, linewidth=0.9)
        if not outcome.arrived:
            axes.plot(*_project(driven[-1:], rotated), "x", color=FAILED, markersize=5)
        axes.plot(*_project(plan[-1:], rotated), "o", color=PASS, markersize=4)
    if rotated:
        axes.set(xlim=(south, north), ylim=(-east, -west), xlabel="y [m]", ylabel="-x [m]")
    else:
        axes.set(xlim=(west, east), ylim=(south, north), xlabel="x [m]", ylabel="y [m]")
    axes.set_aspect("equal")
    return figure


def _project(points: Array, rotated: bool) -> tuple[Array, Array]:
    """Return horizontal and vertical plot coordinates of points (n, 2 or more)."""
    return (points[:, 1], -points[:, 0]) if rotated else (points[:, 0], points[:, 1])


def _ending(verdict: str) -> str:
    """Return a verdict as a verb phrase."""
    return {"stuck": "got stuck", "out of time": "ran out of time"}.get(verdict, verdict)
