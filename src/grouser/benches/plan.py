"""How fast are paths found, driven and judged?

The report takes about a minute for one trial, three on a scan (section 8.1).

``trials_per_minute``             smooth double bridge, PRM's paths, on all cores
``bumpy_trials_per_minute``       the same with bumps up to 15 and 10 mm
``scan_world_trials_per_minute``  the plywood bridge as a height map, as a scan gives it
``…_by_processor``                the same by processor time: what an idle machine of as many cores
                                  would do, where others use this one as well
``crossing_s``                    simulated time of a smooth crossing, mean; the report: under 30
``seconds_to_first_path``         from a world in memory to PRM's first path
``seconds_to_answer``             what one round of `grouser plan` takes: 20 candidates x 1 trial
``batch_over_single``             trials of a batch over trials as single simulations, both on one
                                  core, by processor time
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from grouser.cores import cores
from grouser.experiments.roach.bridge_world import BOUNDS, GOAL, ROBOT, START, WITHIN, bridge_world
from grouser.experiments.roach.driven_paths import SLOTS, course_trials, planned, validity_of
from grouser.experiments.roach.plywood_world import plywood_course, plywood_paths
from grouser.experiments.roach.table72 import BUMPS
from grouser.planning.paths import Path
from grouser.simulation.simulation import Simulation
from grouser.trials import threads
from grouser.trials.path_trials import PathCourse
from grouser.trials.plan import PlanResult, PlanSettings, plan
from grouser.trials.plan_task import plan_task
from grouser.trials.simulation_lane import samples
from grouser.trials.trial import Outcome, Place, Trial
from grouser.trials.trial_run import TrialRun
from grouser.world.file import World

TRIALS, BUMPY_TRIALS, SCAN_TRIALS = 64, 48, 16
CANDIDATES = 20
SINGLES, SINGLE_SECONDS = 16, 3.0
"""Trials that are run singly and in a batch, and how long each is, simulated."""

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> Iterator[dict[str, float]]:
    """Measure one thing after another and yield the figures as they come."""
    smooth = bridge_world()
    progress("first path", 0, 6)
    yield {"seconds_to_first_path": _seconds(lambda: _paths(smooth, 1))}
    progress("answer", 1, 6)
    yield {"seconds_to_answer": _seconds(lambda: _answer(smooth))}
    progress("smooth", 2, 6)
    outcomes, figures = _rates("trials_per_minute", _trials(smooth, TRIALS))
    crossing = float(np.mean([outcome.time for outcome in outcomes if outcome.arrived]))
    yield {**figures, "crossing_s": crossing}
    progress("bumpy", 3, 6)
    yield _rates("bumpy_trials_per_minute", _trials(bridge_world(BUMPS), BUMPY_TRIALS))[1]
    progress("scan", 4, 6)
    course = plywood_course()
    scan = course_trials(course, plywood_paths(course, range(SCAN_TRIALS)), seed=0, case={})
    yield _rates("scan_world_trials_per_minute", scan)[1]
    progress("single", 5, 6)
    yield {"batch_over_single": _batch_over_single(smooth)}


def _course(world: World, limit: float = 60.0) -> PathCourse:
    return PathCourse(world, ROBOT, Place(x=GOAL[0], y=GOAL[1], within=WITHIN), limit=limit)


def _paths(world: World, count: int) -> list[Path]:
    """Return PRM's paths of the first seeds, from nothing but the world."""
    validity = validity_of(world, ROBOT, BOUNDS)
    return planned(validity, START, GOAL, planner="PRM", seeds=range(count))


def _trials(world: World, count: int, limit: float = 60.0) -> list[Trial]:
    return course_trials(_course(world, limit), _paths(world, count), seed=0, case={})


def _answer(world: World) -> PlanResult:
    """Return what one round of `CANDIDATES`, driven once each, answers."""
    task = plan_task(world, ROBOT, START, GOAL, bounds=BOUNDS)
    return plan(task, PlanSettings(candidates=CANDIDATES, trials=1, rounds=1))


def _rates(name: str, trials: Sequence[Trial]) -> tuple[list[Outcome], dict[str, float]]:
    """Drive all ``trials``; return how they went, and trials a minute by clock and processor."""
    begun, spent = time.perf_counter(), time.process_time()
    outcomes = threads.run_trials(trials, slots=SLOTS)
    spent, taken = time.process_time() - spent, time.perf_counter() - begun
    minutes = 60 * len(trials)
    return outcomes, {name: minutes / taken, f"{name}_by_processor": minutes * cores() / spent}


def _batch_over_single(world: World) -> float:
    """Return how much cheaper trials are in a batch than each in a simulation of its own."""
    trials = _trials(world, SINGLES, SINGLE_SECONDS)
    begun = time.process_time()
    for trial in trials[:4]:
        for _ in samples(Simulation(trial.world, crash_folder=None), TrialRun(trial)):
            pass
    single = (time.process_time() - begun) / 4
    begun = time.process_time()
    threads.run_trials(trials, threads=1, slots=len(trials))
    return single / ((time.process_time() - begun) / len(trials))


def _seconds(job: Callable[[], object]) -> float:
    begun = time.perf_counter()
    job()
    return time.perf_counter() - begun
