"""Speed of planning, driving and rating of paths.

The report needs about one minute per trial, three on a scan (section 8.1).

``trials_per_minute``             smooth double bridge, paths of PRM, on all cores
``bumpy_trials_per_minute``       the same with bumps up to 15 and 10 mm
``scan_world_trials_per_minute``  the plywood bridge as the height map of a scan
``…_by_processor``                the same by processor time: the rate of an idle machine with as
                                  many cores
``crossing_s``                    simulated time of a smooth crossing, mean; the report: under 30
``seconds_to_first_path``         time from a world in memory to the first path of PRM
``seconds_to_answer``             time of one round of `grouser plan`: 20 candidates x 1 trial
``batch_over_single``             rate of trials in a batch over that of single simulations, both on
                                  one core, by processor time
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from grouser.benches.machine import processor_seconds, wall_seconds
from grouser.cores import cores
from grouser.experiments.roach.bridge_world import BOUNDS, GOAL, ROBOT, START, WITHIN, bridge_world
from grouser.experiments.roach.driven_paths import SLOTS, course_trials, plan_paths, validity_of
from grouser.experiments.roach.table72 import BUMPS
from grouser.experiments.roach.table73 import plywood_course, plywood_paths
from grouser.experiments.run_options import Progress
from grouser.planning.paths import Path
from grouser.simulation.simulation import Simulation
from grouser.trials.path_trials import PathCourse
from grouser.trials.plan import PlanResult, PlanSettings, plan
from grouser.trials.plan_task import plan_task
from grouser.trials.runner import run_trials
from grouser.trials.simulation_lane import samples
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Outcome, Place, Trial
from grouser.trials.trial_run import TrialRun
from grouser.world.file import World

TRIALS, BUMPY_TRIALS, SCAN_TRIALS = 64, 48, 16
CANDIDATES = 20
SINGLES, SINGLE_SECONDS = 16, 3.0
"""Number of trials that run singly and in a batch, and their simulated time, s."""


def run(progress: Progress) -> Iterator[dict[str, float]]:
    """Measure in sequence and yield the figures of each measurement."""
    smooth = bridge_world()
    progress("first path", 0, 6)
    yield {"seconds_to_first_path": wall_seconds(lambda: _paths(smooth, 1))}
    progress("answer", 1, 6)
    yield {"seconds_to_answer": wall_seconds(lambda: _plan_once(smooth))}
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
    """Plan with PRM and the first ``count`` seeds, including the map of valid positions."""
    validity = validity_of(world, ROBOT, BOUNDS)
    return plan_paths(validity, START, GOAL, planner="PRM", seeds=range(count))


def _trials(world: World, count: int, limit: float = 60.0) -> list[Trial]:
    return course_trials(_course(world, limit), _paths(world, count), seed=0, case={})


def _plan_once(world: World) -> PlanResult:
    """Return the result of one round of `CANDIDATES` with one trial each."""
    task = plan_task(world, ROBOT, START, GOAL, bounds=BOUNDS)
    return plan(task, PlanSettings(candidates=CANDIDATES, trials=1, rounds=1))


def _rates(name: str, trials: Sequence[Trial]) -> tuple[list[Outcome], dict[str, float]]:
    """Run ``trials``; return outcomes, and trials per minute of wall and processor time."""
    start, cpu = time.perf_counter(), time.process_time()
    outcomes = run_trials(trials, runner=ThreadRunner(slots=SLOTS))
    cpu, wall = time.process_time() - cpu, time.perf_counter() - start
    minutes = 60 * len(trials)
    return outcomes, {name: minutes / wall, f"{name}_by_processor": minutes * cores() / cpu}


def _batch_over_single(world: World) -> float:
    """Return the ratio of processor times of a trial in a single simulation and in a batch."""
    trials = _trials(world, SINGLES, SINGLE_SECONDS)

    def run_singly() -> None:
        for trial in trials[:4]:
            for _ in samples(Simulation(trial.world, crash_folder=None), TrialRun(trial)):
                pass

    single = processor_seconds(run_singly) / 4
    runner = ThreadRunner(threads=1, slots=len(trials))
    batch = processor_seconds(lambda: run_trials(trials, runner=runner))
    return single / (batch / len(trials))
