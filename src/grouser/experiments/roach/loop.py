"""Does physics teach the planner? Three rounds of the loop against one round of as many trials.

The report plans on geometry, drives, and picks the best: one round. Ours goes on: what the trials
cost is what the next round plans by. On terrain after terrain both get the same planner, the same
number of trials and the same draws; the path that each of them chooses is then judged by fresh
trials, the same for both, by the energy spent per success, failures included. A terrain is a pair.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.experiments.roach.bridge_world import GOAL, ROBOT, START, bridge_world
from grouser.experiments.roach.driven_paths import drive
from grouser.experiments.roach.table72 import BUMPS, SIGNIFICANT, signs_p
from grouser.experiments.run_options import RunOptions
from grouser.frames import millimetres
from grouser.planning.paths import Path
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.trials.path_record import spent_per_success
from grouser.trials.plan import PlanProgress, PlanSettings, plan
from grouser.trials.plan_task import PlanTask, plan_task
from grouser.trials.trial import Outcome

TERRAINS, QUICK_TERRAINS = 10, 1
JUDGED, QUICK_JUDGED = 100, 2
"""Fresh trials of a chosen path."""
FULL = PlanSettings(candidates=20, trials=5, rounds=3)
QUICK = PlanSettings(candidates=2, trials=1, rounds=2)
BOUNDS = (-1.0, -1.8, 1.0, 1.8)
"""Ways are looked for over the bridges, m: the floor around them is a third way, and no test."""
FRESH = 1_000_000
"""Added to a terrain's seed for the draws of the judging trials."""


@dataclass(frozen=True)
class JudgedPair:
    """What the two ways of choosing chose on one terrain, and how that went afterwards."""

    terrain: int
    loop: list[Outcome]
    single: list[Outcome]

    @property
    def ratio(self) -> float:
        """Energy per success of the loop's choice over the single round's; nan: one never came."""
        ours, theirs = spent_per_success(self.loop), spent_per_success(self.single)
        return ours / theirs if math.isfinite(ours) and math.isfinite(theirs) else math.nan


def run(run_options: RunOptions) -> Report:
    """Plan both ways on every terrain, and judge what they chose."""
    quick = run_options.quick
    settings, judged = (QUICK, QUICK_JUDGED) if quick else (FULL, JUDGED)
    terrains = QUICK_TERRAINS if quick else TERRAINS
    pairs = [
        _pair(run_options, run_options.seed + number, settings, judged)
        for number in range(terrains)
    ]
    counted = [pair for pair in pairs if not math.isnan(pair.ratio)]
    gains = np.array([-math.log(pair.ratio) for pair in counted])
    chance = signs_p(gains)
    ratio = math.exp(-float(gains.mean())) if len(gains) else math.nan
    claim = Row(
        {"what": "energy per success, loop over single round"},
        "below 1",
        f"{ratio:.3f}",
        bool(ratio < 1 and chance < SIGNIFICANT),
        f"one-sided p {chance:.4f} over {len(gains)} terrains, {int((gains > 0).sum())} that way",
    )
    total = settings.candidates * settings.trials * settings.rounds
    table = Table(
        "roach-loop",
        "Physics in the planning loop (roach): the loop itself",
        "Three rounds against one" + (" (quick: one terrain, few trials)" if quick else ""),
        (claim, *(_row(pair) for pair in pairs)),
        {
            "terrains": len(pairs),
            "trials_each": total,
            "judged": judged,
            "energy_per_success_ratio": ratio,
            "p": chance,
        },
        (
            f"Both ways drive {total} trials on a terrain with bumps up to "
            f"{millimetres(BUMPS[0]):g} and {millimetres(BUMPS[1]):g} mm: the loop "
            f"{settings.rounds} rounds of {settings.candidates} paths, the single round "
            f"{settings.candidates * settings.rounds} of PRM's paths, {settings.trials} trials of "
            "each path a round. Both choose by the same rule. "
            f"Drawn: {settings.spread}.",
        ),
    )
    return Report(table)


def _pair(run_options: RunOptions, terrain: int, settings: PlanSettings, judged: int) -> JudgedPair:
    """Plan both ways on one terrain and judge what they chose with the same fresh draws."""
    task = plan_task(bridge_world(BUMPS, terrain), ROBOT, START, GOAL, bounds=BOUNDS)
    single = PlanSettings(
        candidates=settings.candidates * settings.rounds,
        trials=settings.trials,
        rounds=1,
        seed=settings.seed,
    )
    chosen = [
        _chosen(run_options, task, way, f"terrain {terrain}, {name}")
        for name, way in (("loop", settings), ("single round", single))
    ]
    draws = settings.spread.draws(FRESH + terrain, judged)
    trials = task.course.trials([path.waypoints for path in chosen], draws)
    outcomes = drive(
        trials, lambda done, of: run_options.progress(f"terrain {terrain}, judged", done, of)
    )
    return JudgedPair(terrain, outcomes[:judged], outcomes[judged:])


def _chosen(run_options: RunOptions, task: PlanTask, settings: PlanSettings, what: str) -> Path:
    """Return the path that a plan chooses."""

    def watch(at: PlanProgress) -> None:
        run_options.progress(f"{what}, round {at.round}", at.finished, at.of)

    best = plan(task, settings, watch=watch).best
    assert best is not None
    return best.path


def _row(pair: JudgedPair) -> Row:
    """Return one terrain by itself."""

    def said(outcomes: Sequence[Outcome]) -> str:
        arrived = sum(outcome.arrived for outcome in outcomes)
        return f"{arrived} of {len(outcomes)}, {spent_per_success(outcomes):.3g} J per success"

    return Row(
        {"what": f"terrain {pair.terrain}"},
        None,
        f"{pair.ratio:.3f}",
        None,
        f"loop {said(pair.loop)}; single round {said(pair.single)}",
    )
