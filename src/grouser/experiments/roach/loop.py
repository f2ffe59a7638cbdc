"""Does physics teach the planner? Three rounds of the loop against one round of as many trials.

The report plans on geometry, drives, and picks the path whose trials went best: one round. Ours
goes on: what the trials cost becomes a map of the ground, by which paths are judged and the next
round plans. What of this helps? Three ways of choosing get the same planner, the same number of
trials and the same draws on terrain after terrain:

``loop``    three rounds
``single``  one round, its paths judged with the map's help, as the loop judges
``report``  the same round, its paths judged by their own trials alone, as in the report

The path that each of them chooses is then judged by fresh trials, the same for all, by the energy
spent per success, failures included. Ways are compared terrain by terrain.
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
from grouser.trials.plan import PathRecord, PlanProgress, PlanResult, PlanSettings, plan
from grouser.trials.plan_task import PlanTask, plan_task
from grouser.trials.trial import Outcome
from grouser.world.physics_settings import STANDARD

KEEPS_PARTS = True
"""A terrain that is finished is kept, see `grouser.experiments.roach.kept_parts`."""
TERRAINS, QUICK_TERRAINS = 10, 1
JUDGED, QUICK_JUDGED = 100, 2
"""Fresh trials of a chosen path."""
FULL = PlanSettings(candidates=12, trials=2, rounds=3)
"""As `make demo` plans, and a round more."""
QUICK = PlanSettings(candidates=2, trials=1, rounds=2)
PHYSICS = STANDARD.model_copy(update={"integrator": "discrete", "timestep": 0.002})
"""Steps as long as the demo's, springs as MuJoCo takes them: paths are compared with each other,
and verdicts agree with those at 1 ms."""
BOUNDS = (-1.0, -1.8, 1.0, 1.8)
"""Ways are looked for over the bridges, m: the floor around them is a third way, and no test."""
FRESH = 1_000_000
"""Added to a terrain's seed for the draws of the judging trials."""
WAYS = ("loop", "single", "report")
AGAINST = {"report": "a single round as in the report", "single": "a single round with our map"}
"""What the loop is compared with, in words."""


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
class JudgedTerrain:
    """What the ways of choosing chose on one terrain."""

    number: int
    choices: dict[str, JudgedChoice]
    """By way of choosing."""

    def gain(self, way: str) -> float:
        """Return the logarithm of another way's energy per success over the loop's."""
        return math.log(self.choices[way].per_success / self.choices["loop"].per_success)


def run(run_options: RunOptions) -> Report:
    """Plan all ways on every terrain, and judge what they chose."""
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
            "physics": str(PHYSICS),
            "drawn": str(settings.spread),
            "law": str(LegLaw()),
        },
    )
    judged_terrains = []
    for terrain in range(run_options.seed, run_options.seed + terrains):
        run_options.progress(f"terrain {terrain}", 0, 1)
        part = kept.part(
            f"terrain{terrain}",
            partial(_judged, run_options, terrain, settings, judged),
        )
        choices = {way: JudgedChoice(**part[way]) for way in WAYS}
        judged_terrains.append(JudgedTerrain(terrain, choices))
    claims = [_claim(judged_terrains, way) for way in AGAINST]
    table = Table(
        "roach-loop",
        "Physics in the planning loop (roach): the loop itself",
        "Three rounds against one" + (" (quick: one terrain, few trials)" if quick else ""),
        (*(row for row, _ in claims), *map(_row, judged_terrains)),
        {
            "terrains": len(judged_terrains),
            "trials_each": total,
            "judged": judged,
            **{name: value for _, figures in claims for name, value in figures.items()},
            **{
                f"{way}_arrived": sum(one.choices[way].arrived for one in judged_terrains)
                for way in WAYS
            },
        },
        (
            f"All ways drive {total} trials on a terrain with bumps up to "
            f"{millimetres(BUMPS[0]):g} and {millimetres(BUMPS[1]):g} mm, physics in steps of "
            f"{milliseconds(PHYSICS.timestep):g} ms: the loop "
            f"{settings.rounds} rounds of {settings.candidates} paths, the single round "
            f"{settings.candidates * settings.rounds} of PRM's paths, {settings.trials} trials of "
            "each path a round. The report picks by a path's own trials; the loop, and the single "
            "round with our map, by these and what all trials say about the ground. All choices "
            f"are judged by the same {judged} fresh draws. Drawn: {settings.spread}.",
        ),
    )
    return Report(table)


def _claim(terrains: list[JudgedTerrain], way: str) -> tuple[Row, dict[str, float]]:
    """Return whether the loop beats another way, and the figures."""
    gains = np.array([terrain.gain(way) for terrain in terrains])
    chance, ratio = signs_p(gains), math.exp(-float(gains.mean()))
    row = Row(
        {"what": f"energy per success, loop over {AGAINST[way]}"},
        "below 1",
        f"{ratio:.3f}",
        bool(ratio < 1 and chance < SIGNIFICANT),
        f"one-sided p {chance:.4f} over {len(gains)} terrains, {int((gains > 0).sum())} that way",
    )
    return row, {f"over_{way}": ratio, f"over_{way}_p": chance}


def _judged(
    run_options: RunOptions, terrain: int, settings: PlanSettings, judged: int
) -> dict[str, Any]:
    """Plan all ways on one terrain and judge what they chose with the same fresh draws."""
    world = bridge_world(BUMPS, terrain, physics=PHYSICS)
    task = plan_task(world, ROBOT, START, GOAL, bounds=BOUNDS)
    loop = replace(settings, seed=terrain)
    single = replace(loop, candidates=settings.candidates * settings.rounds, rounds=1)
    three, one = (
        _planned(run_options, task, way, f"terrain {terrain}, {name}")
        for name, way in zip(WAYS, (loop, single), strict=False)
    )
    assert three.best  # there is a way over this bridge
    assert one.best
    chosen = three.best, one.best, best_by_own_trials(one)
    draws = settings.spread.draws(FRESH + terrain, judged)
    outcomes = drive(
        task.course.trials([record.path.waypoints for record in chosen], draws),
        lambda done, of: run_options.progress(f"terrain {terrain}, judged", done, of),
    )
    parts = (outcomes[first : first + judged] for first in range(0, len(outcomes), judged))
    return {
        way: asdict(JudgedChoice.of_trials(record, part))
        for way, record, part in zip(WAYS, chosen, parts, strict=True)
    }


def _planned(
    run_options: RunOptions, task: PlanTask, settings: PlanSettings, what: str
) -> PlanResult:
    """Return what a plan finds."""

    def watch(at: PlanProgress) -> None:
        run_options.progress(f"{what}, round {at.round}", at.finished, at.of)

    return plan(task, settings, watch=watch)


def best_by_own_trials(result: PlanResult) -> PathRecord:
    """Return the candidate whose own trials spent least per success, as the report picks."""
    return min(result.records, key=lambda one: (one.energy_per_success, one.number))


def _row(terrain: JudgedTerrain) -> Row:
    """Return one terrain by itself."""
    loop, single, report = (terrain.choices[way] for way in WAYS)
    return Row(
        {"what": f"terrain {terrain.number}"},
        None,
        f"{math.exp(-terrain.gain('report')):.3f}, {math.exp(-terrain.gain('single')):.3f}",
        None,
        f"loop {loop} (found in round {loop.found_in}); as in the report {report}; "
        f"single round with our map {single}",
    )
