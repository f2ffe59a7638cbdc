"""Does physics teach the planner? Three rounds of the loop against one round of as many trials.

The report plans on geometry, drives, and picks the best: one round. Ours goes on: what the trials
cost is what the next round plans by. On terrain after terrain both get the same planner, the same
number of trials and the same draws; the path that each of them chooses is then judged by fresh
trials, the same for both, by the energy spent per success, failures included. A terrain is a pair.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from grouser.experiments.roach.bridge_world import GOAL, ROBOT, START, bridge_world
from grouser.experiments.roach.driven_paths import drive
from grouser.experiments.roach.kept_parts import KeptParts
from grouser.experiments.roach.table72 import BUMPS, SIGNIFICANT, signs_p
from grouser.experiments.run_options import RunOptions
from grouser.frames import millimetres, milliseconds
from grouser.planning.driver import LegLaw
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.trials.path_record import PathRecord
from grouser.trials.plan import PlanProgress, PlanSettings, plan
from grouser.trials.plan_task import PlanTask, plan_task
from grouser.trials.trial import Outcome

KEEPS_PARTS = True
"""A terrain that is finished is kept, see `grouser.experiments.roach.kept_parts`."""
TERRAINS, QUICK_TERRAINS = 10, 1
JUDGED, QUICK_JUDGED = 100, 2
"""Fresh trials of a chosen path."""
FULL = PlanSettings(candidates=12, trials=2, rounds=3)
"""As `make demo` plans, and a round more."""
QUICK = PlanSettings(candidates=2, trials=1, rounds=2)
TIMESTEP = 0.002
"""s   As the demo's: paths are compared with each other, and verdicts agree with those at 1 ms."""
BOUNDS = (-1.0, -1.8, 1.0, 1.8)
"""Ways are looked for over the bridges, m: the floor around them is a third way, and no test."""
FRESH = 1_000_000
"""Added to a terrain's seed for the draws of the judging trials."""
WAYS = ("loop", "single")


@dataclass(frozen=True)
class JudgedChoice:
    """The path that one way of choosing chose on a terrain, and how its fresh trials went."""

    arrived: int
    of: int
    spent: float
    """Energy of all its trials, J."""
    found_in: int
    """Round in which it was found."""
    source: str
    """Who found it."""
    expected: float
    """Energy per success that was expected of it when it was chosen, J."""
    waypoints: list[list[float]]
    """x, y, m."""

    @staticmethod
    def of_trials(chosen: PathRecord, outcomes: list[Outcome]) -> JudgedChoice:
        """Add the trials of a chosen path up."""
        return JudgedChoice(
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
        """Energy spent per success, J; who never came is taken to come half a time."""
        return self.spent / max(self.arrived, 0.5)

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.arrived} of {self.of}, {self.per_success:.3g} J per success"


@dataclass(frozen=True)
class JudgedPair:
    """What the two ways of choosing chose on one terrain."""

    terrain: int
    loop: JudgedChoice
    single: JudgedChoice

    @property
    def gain(self) -> float:
        """Logarithm of the single round's energy per success over the loop's."""
        return math.log(self.single.per_success / self.loop.per_success)


def run(run_options: RunOptions) -> Report:
    """Plan both ways on every terrain, and judge what they chose."""
    quick = run_options.quick
    settings, judged = (QUICK, QUICK_JUDGED) if quick else (FULL, JUDGED)
    terrains = QUICK_TERRAINS if quick else TERRAINS
    total = settings.candidates * settings.trials * settings.rounds
    kept = KeptParts(
        run_options.resume,
        "roach-loop",
        {
            "candidates": settings.candidates,
            "trials": settings.trials,
            "rounds": settings.rounds,
            "judged": judged,
            "timestep": TIMESTEP,
            "drawn": str(settings.spread),
            "law": str(LegLaw()),
        },
    )
    pairs = []
    for terrain in range(run_options.seed, run_options.seed + terrains):
        run_options.progress(f"terrain {terrain}", 0, 1)
        part = kept.part(
            f"terrain{terrain}",
            partial(_judged, run_options, terrain, settings, judged),
        )
        pairs.append(JudgedPair(terrain, *(JudgedChoice(**part[way]) for way in WAYS)))
    gains = np.array([pair.gain for pair in pairs])
    chance, ratio = signs_p(gains), math.exp(-float(gains.mean()))
    claim = Row(
        {"what": "energy per success, loop over single round"},
        "below 1",
        f"{ratio:.3f}",
        bool(ratio < 1 and chance < SIGNIFICANT),
        f"one-sided p {chance:.4f} over {len(gains)} terrains, {int((gains > 0).sum())} that way",
    )
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
            "loop_arrived": sum(pair.loop.arrived for pair in pairs),
            "single_arrived": sum(pair.single.arrived for pair in pairs),
        },
        (
            f"Both ways drive {total} trials on a terrain with bumps up to "
            f"{millimetres(BUMPS[0]):g} and {millimetres(BUMPS[1]):g} mm, physics in steps of "
            f"{milliseconds(TIMESTEP):g} ms: the loop "
            f"{settings.rounds} rounds of {settings.candidates} paths, the single round "
            f"{settings.candidates * settings.rounds} of PRM's paths, {settings.trials} trials of "
            "each path a round. Both choose by the same rule, and both choices are judged by the "
            f"same {judged} fresh draws. Drawn: {settings.spread}.",
        ),
    )
    return Report(table)


def _judged(
    run_options: RunOptions, terrain: int, settings: PlanSettings, judged: int
) -> dict[str, Any]:
    """Plan both ways on one terrain and judge what they chose with the same fresh draws."""
    world = bridge_world(BUMPS, terrain, timestep=TIMESTEP)
    task = plan_task(world, ROBOT, START, GOAL, bounds=BOUNDS)
    loop = replace(settings, seed=terrain)
    single = replace(loop, candidates=settings.candidates * settings.rounds, rounds=1)
    chosen = [
        _chosen(run_options, task, way, f"terrain {terrain}, {name}")
        for name, way in zip(WAYS, (loop, single), strict=True)
    ]
    draws = settings.spread.draws(FRESH + terrain, judged)
    trials = task.course.trials([record.path.waypoints for record in chosen], draws)
    outcomes = drive(
        trials, lambda done, of: run_options.progress(f"terrain {terrain}, judged", done, of)
    )
    halves = outcomes[:judged], outcomes[judged:]
    return {
        way: asdict(JudgedChoice.of_trials(record, half))
        for way, record, half in zip(WAYS, chosen, halves, strict=True)
    }


def _chosen(
    run_options: RunOptions, task: PlanTask, settings: PlanSettings, what: str
) -> PathRecord:
    """Return the candidate that a plan chooses."""

    def watch(at: PlanProgress) -> None:
        run_options.progress(f"{what}, round {at.round}", at.finished, at.of)

    best = plan(task, settings, watch=watch).best
    assert best is not None
    return best


def _row(pair: JudgedPair) -> Row:
    """Return one terrain by itself."""
    return Row(
        {"what": f"terrain {pair.terrain}"},
        None,
        f"{math.exp(-pair.gain):.3f}",
        None,
        f"loop {pair.loop} (found in round {pair.loop.found_in}); single round {pair.single}",
    )
