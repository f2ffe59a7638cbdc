"""Paths from a planner, driven in physics: what the report's three tables share (chapter 7)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array, milliseconds
from grouser.mobility.pass_curve import PassCount
from grouser.planning.driver import LegLaw
from grouser.planning.paths import Path, plan_path
from grouser.planning.validity import Bounds, ValidityMap, map_validity
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.trials import threads
from grouser.trials.draws import Spread
from grouser.trials.footprint import footprint_of
from grouser.trials.path_trials import PathCourse
from grouser.trials.trial import Outcome, Trial
from grouser.trials.trial_run import SAMPLE_PERIOD
from grouser.world.file import World

AS_PRINTED = Spread(place=0.0, heading=0.0, friction=0.0, mass=0.0)
"""The report's robot starts at the printed pose; only where its legs are is drawn."""

SLOTS = 128
"""Simulations in flight: the more, the less of a step is Python."""

Progress = Callable[[int, int], None]


def validity_of(world: World, robot: str, bounds: Bounds) -> ValidityMap:
    """Return where ``robot`` can stand in ``world``, by geometry alone."""
    scene = compose(world)
    return map_validity(Ground(scene), footprint_of(scene, robot), bounds)


def planned(
    validity: ValidityMap,
    start: tuple[float, float],
    goal: tuple[float, float],
    *,
    planner: str,
    seeds: Sequence[int],
) -> list[Path]:
    """Return the paths that ``planner`` finds with ``seeds``; a seed without a path is left out."""
    found = (plan_path(validity, start, goal, planner=planner, seed=seed) for seed in seeds)
    return [path for path in found if path is not None]


def course_trials(
    course: PathCourse, paths: Sequence[Path], *, seed: int, case: dict[str, object]
) -> list[Trial]:
    """Return one trial of each path, as in the report; the legs' phase is drawn."""
    return [
        course.trial(
            path.waypoints,
            AS_PRINTED.draw(seed, number),
            {**case, "path": number, "length": path.length, "clearance": path.clearance},
        )
        for number, path in enumerate(paths)
    ]


def drive(trials: Sequence[Trial], progress: Progress) -> list[Outcome]:
    """Drive them all."""
    return threads.run_trials(trials, slots=SLOTS, progress=progress)


@dataclass(frozen=True)
class Tally:
    """Some trials together, as the report's tables have them: energies of successes only."""

    trials: int
    successes: int
    work: Array
    """Signed work of each success, J: the report's sum times its time step."""
    effort: Array
    """Effort of each success, J."""
    times: Array
    """Of each success, s."""

    @staticmethod
    def of(outcomes: Sequence[Outcome]) -> Tally:
        """Add ``outcomes`` up."""
        good = [outcome for outcome in outcomes if outcome.arrived]
        work, effort, times = (
            np.array([getattr(outcome, name) for outcome in good])
            for name in ("work", "effort", "time")
        )
        return Tally(len(outcomes), len(good), work, effort, times)

    @property
    def share(self) -> float:
        """Part of the trials that succeeded."""
        return self.successes / self.trials if self.trials else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the probability to succeed."""
        return PassCount(self.successes, self.trials).interval()


def energy_figures(energy: Array) -> dict[str, float]:
    """Return mean, sd, min, max (J) and what the report's relative units can be compared by."""
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


def fisher_p(passed_a: int, of_a: int, passed_b: int, of_b: int) -> float:
    """Return Fisher's exact two-sided p of two shares being one."""
    passed, total = passed_a + passed_b, of_a + of_b

    def chance(k: int) -> float:
        return math.comb(of_a, k) * math.comb(of_b, passed - k) / math.comb(total, passed)

    low, high = max(0, passed - of_b), min(of_a, passed)
    here = chance(passed_a)
    return sum(p for k in range(low, high + 1) if (p := chance(k)) <= here * (1 + 1e-9))


def verdicts(outcomes: Sequence[Outcome]) -> str:
    """Return how trials ended, in words: ``18 arrived, 2 fell``."""
    names = [outcome.verdict for outcome in outcomes]
    counts = sorted(((names.count(name), name) for name in set(names)), reverse=True)
    return ", ".join(f"{count} {name}" for count, name in counts)


def settings(course: PathCourse) -> str:
    """Return what the report leaves open and we chose, one set for all three tables."""
    driver = course.driver
    law = driver.law
    assert isinstance(law, LegLaw)
    return (
        f"What the report leaves open, one set for all three tables: p = {law.gain:g} /rad, "
        f"w0 = {law.base_speed:.4g} rad/s, at most a ratio of {law.top_ratio:g}, r_path = "
        f"{driver.r_path:g} m; r_end = {driver.r_end:g} m is printed. The driver acts about every "
        f"{milliseconds(SAMPLE_PERIOD):g} ms, physics is in steps of "
        f"{milliseconds(course.world.physics.timestep):g} ms. Drawn: {AS_PRINTED}."
    )
