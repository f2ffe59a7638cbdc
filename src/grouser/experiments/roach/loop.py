"""Planning loop with feedback from physics: three rounds against one with as many trials.

The report plans on geometry, drives, and selects the path with the best trials: one round. Our loop
continues: the costs of the trials become a cost map of the ground, with which paths are rated and
the next round plans. Three selection methods use the same planner, the same number of trials and
the same draws on every terrain:

``loop``    three rounds
``single``  one round, its paths rated with the cost map as in the loop
``report``  the same round, its paths rated by their own trials alone as in the report

The selected paths are then evaluated with fresh trials, the same for all methods, by the energy
spent per success including failures. Methods are compared terrain by terrain.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grouser.errors import BadValue
from grouser.experiments.roach.bridge_world import GOAL, ROBOT, START, bridge_world
from grouser.experiments.roach.driven_paths import drive
from grouser.experiments.roach.table72 import BUMPS, SIGNIFICANT, sign_flip_p
from grouser.experiments.run_options import FinishedParts, RunOptions
from grouser.frames import millimetres, milliseconds
from grouser.planning.driver import LegLaw
from grouser.reports.report import Report
from grouser.reports.rules import Rule
from grouser.reports.table import Row, Table
from grouser.trials.plan import PathRecord, PlanProgress, PlanResult, PlanSettings, plan
from grouser.trials.plan_task import PlanTask, plan_task
from grouser.trials.trial import Outcome
from grouser.world.physics_settings import STANDARD

RUNS_TRIALS = True

KEEPS_PARTS = True
"""Every finished terrain is a part, see `grouser.experiments.run_options.FinishedParts`."""
TERRAINS, QUICK_TERRAINS = 10, 1
EVALUATED, QUICK_EVALUATED = 100, 2
"""Number of fresh trials of a selected path."""
FULL = PlanSettings(candidates=12, trials=2, rounds=3)
"""Settings of `make demo` with one more round."""
QUICK = PlanSettings(candidates=2, trials=1, rounds=2)
PHYSICS = STANDARD.model_copy(update={"integrator": "discrete", "timestep": 0.002})
"""Time step of the demo and MuJoCo's default springs. Paths are compared only with each other, and
verdicts agree with those at 1 ms."""
BOUNDS = (-1.0, -1.8, 1.0, 1.8)
"""Planning region over the bridges, m; excludes the floor, a third path without bumps."""
FRESH = 1_000_000
"""Offset of the seed of the evaluation trials from the seed of the terrain."""
METHODS = ("loop", "single", "report")
CHEAPER = Rule(
    f"below 1, p below {SIGNIFICANT:g}",
    lambda _, found: bool(found[0] < 1 and found[1] < SIGNIFICANT),
)
"""Values are a ratio of energies and its one-sided p-value."""
COMPARED = {"report": "a single round as in the report", "single": "a single round with our map"}
"""Methods that the loop is compared with → description."""


@dataclass(frozen=True)
class EvaluatedPath:
    """Path selected by one method on a terrain, and the results of its fresh trials."""

    arrived: int
    of: int
    """Number of trials."""
    spent: float
    """Energy of all trials, J."""
    found_in: int
    """Round in which the path was found."""
    source: str
    """Planner that found the path."""
    expected: float
    """Expected energy per success at the time of the selection, J."""
    waypoints: list[list[float]]
    """x, y of the waypoints, m."""

    @staticmethod
    def of_trials(chosen: PathRecord, outcomes: list[Outcome]) -> EvaluatedPath:
        """Return the summary of the trials of a selected path."""
        return EvaluatedPath(
            arrived=sum(outcome.arrived for outcome in outcomes),
            of=len(outcomes),
            spent=sum(outcome.effort for outcome in outcomes),
            found_in=chosen.found_in,
            source=chosen.source,
            expected=chosen.score,
            waypoints=chosen.path.waypoints.round(4).tolist(),
        )

    @property
    def per_success(self) -> float:
        """Energy spent per success, J; a path without a success counts as half a success."""
        return self.spent / max(self.arrived, 0.5)

    def __str__(self) -> str:
        """Return successes and energy per success as text."""
        return f"{self.arrived} of {self.of}, {self.per_success:.3g} J per success"


@dataclass(frozen=True)
class EvaluatedTerrain:
    """Selections of all methods on one terrain."""

    number: int
    choices: dict[str, EvaluatedPath]
    """Selection by method."""

    def gain(self, method: str) -> float:
        """Return ln(energy per success of a method / that of the loop)."""
        return math.log(self.choices[method].per_success / self.choices["loop"].per_success)


def run(run_options: RunOptions) -> Report:
    """Plan with all methods on every terrain and evaluate their selections."""
    quick = run_options.quick
    settings, evaluated = (QUICK, QUICK_EVALUATED) if quick else (FULL, EVALUATED)
    terrains = QUICK_TERRAINS if quick else TERRAINS
    total = settings.candidates * settings.trials * settings.rounds
    parts = FinishedParts(
        run_options.resume,
        "roach-loop",
        {
            "candidates": settings.candidates,
            "trials": settings.trials,
            "rounds": settings.rounds,
            "judged": evaluated,
            "physics": str(PHYSICS),
            "drawn": str(settings.spread),
            "law": str(LegLaw()),
        },
    )
    results = []
    for terrain in range(run_options.seed, run_options.seed + terrains):
        run_options.progress(f"terrain {terrain}", 0, 1)
        part = parts.part(
            f"terrain{terrain}", partial(_evaluate, run_options, terrain, settings, evaluated)
        )
        choices = {method: EvaluatedPath(**part[method]) for method in METHODS}
        results.append(EvaluatedTerrain(terrain, choices))
    claims = [claim(results, method) for method in COMPARED]
    table = Table(
        "roach-loop",
        "Physics in the planning loop (roach): the loop itself",
        "Three rounds against one" + (" (quick: one terrain, few trials)" if quick else ""),
        (*(row for row, _ in claims), *map(_row, results)),
        {
            "terrains": len(results),
            "trials_each": total,
            "judged": evaluated,
            **{name: value for _, figures in claims for name, value in figures.items()},
            **{
                f"{method}_arrived": sum(one.choices[method].arrived for one in results)
                for method in METHODS
            },
        },
        (
            f"All ways drive {total} trials on a terrain with bumps up to "
            f"{millimetres(BUMPS[0]):g} and {millimetres(BUMPS[1]):g} mm, physics in steps of "
            f"{milliseconds(PHYSICS.timestep):g} ms: the loop "
            f"{settings.rounds} rounds of {settings.candidates} paths, the single round "
            f"{settings.candidates * settings.rounds} of PRM's paths, {settings.trials} trials of "
            "each path a round. The report picks by a path's own trials; the loop, and the single "
            "round with our map, by these and the cost map of all trials. All choices "
            f"are judged by the same {evaluated} fresh draws. Drawn: {settings.spread}.",
        ),
    )
    return Report(table)


def claim(terrains: list[EvaluatedTerrain], method: str) -> tuple[Row, dict[str, float]]:
    """Return the row that tests whether the loop is better than a method, and its figures."""
    gains = np.array([terrain.gain(method) for terrain in terrains])
    p, ratio = sign_flip_p(gains), math.exp(-float(gains.mean()))
    row = Row(
        {"what": f"energy per success, loop over {COMPARED[method]}"},
        "below 1",
        f"{ratio:.3f}",
        CHEAPER.judge((0.5, 0.0), (ratio, p)),
        f"one-sided p {p:.4f} over {len(gains)} terrains, {int((gains > 0).sum())} that way",
    )
    return row, {f"over_{method}": ratio, f"over_{method}_p": p}


def _evaluate(
    run_options: RunOptions, terrain: int, settings: PlanSettings, evaluated: int
) -> dict[str, Any]:
    """Plan with all methods on one terrain and evaluate the selections with the same draws."""
    world = bridge_world(BUMPS, terrain, physics=PHYSICS)
    task = plan_task(world, ROBOT, START, GOAL, bounds=BOUNDS)
    loop = replace(settings, seed=terrain)
    single = replace(loop, candidates=settings.candidates * settings.rounds, rounds=1)
    three, one = (
        _plan(run_options, task, one_plan, f"terrain {terrain}, {name}")
        for name, one_plan in zip(METHODS, (loop, single), strict=False)
    )
    if three.best is None or one.best is None:
        raise BadValue(f"terrain {terrain}: the planner has found no path")
    chosen = three.best, one.best, best_by_own_trials(one)
    draws = settings.spread.draws(FRESH + terrain, evaluated)
    outcomes = drive(
        run_options,
        f"terrain {terrain}, evaluation",
        task.course.trials([record.path.waypoints for record in chosen], draws),
    )
    parts = (outcomes[first : first + evaluated] for first in range(0, len(outcomes), evaluated))
    return {
        method: asdict(EvaluatedPath.of_trials(record, part))
        for method, record, part in zip(METHODS, chosen, parts, strict=True)
    }


def _plan(run_options: RunOptions, task: PlanTask, settings: PlanSettings, what: str) -> PlanResult:
    """Run a plan and report its progress."""

    def report_progress(at: PlanProgress) -> None:
        run_options.progress(f"{what}, round {at.round}", at.finished, at.of)

    return plan(task, settings, runner=run_options.runner, watch=report_progress)


def best_by_own_trials(result: PlanResult) -> PathRecord:
    """Return the candidate with the least energy per success in its own trials."""
    return min(result.records, key=lambda one: (one.energy_per_success, one.number))


def _row(terrain: EvaluatedTerrain) -> Row:
    """Return the row of one terrain."""
    loop, single, report = (terrain.choices[method] for method in METHODS)
    return Row(
        {"what": f"terrain {terrain.number}"},
        None,
        f"{math.exp(-terrain.gain('report')):.3f}, {math.exp(-terrain.gain('single')):.3f}",
        None,
        f"loop {loop} (found in round {loop.found_in}); as in the report {report}; "
        f"single round with our map {single}",
    )
