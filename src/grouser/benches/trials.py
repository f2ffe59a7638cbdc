"""Speed of many trials with a runner: ``grouser bench trials --runner warp:cuda:0``.

``packbot_steps``             physics steps of all PackBots per second, on flat ground
``packbot_trials_per_minute`` trials of 2 s of them per minute
``roach_trials_per_minute``   trials per minute on the smooth double bridge, a path each
``roach_success``             share of them that arrived
``trials``                    number of trials of each kind: two for each slot of the runner

Both kinds run once before they are measured with fewer steps, so that the time in which MuJoCo Warp
compiles its kernels is not included. Without ``--runner``, threads are measured.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from grouser.benches.machine import wall_seconds
from grouser.experiments.roach.bridge_world import BOUNDS, GOAL, ROBOT, START, WITHIN, bridge_world
from grouser.experiments.roach.driven_paths import course_trials, plan_paths, validity_of
from grouser.experiments.run_options import Progress
from grouser.trials.path_trials import PathCourse
from grouser.trials.runner import Runner, RunnerChoice, find_runner, run_trials
from grouser.trials.threads import SLOTS
from grouser.trials.trial import Outcome, Place, Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

TAKES_RUNNER = True

PACKBOT_SECONDS, CROSSING_LIMIT = 2.0, 60.0
WARM_UP = 0.1
"""Simulated time of the trials before the measurement, s."""
PLANNER, PATHS = "PRM", 16
"""Planner of the roaches' paths, and number of its seeds."""


def run(progress: Progress, runner: RunnerChoice = None) -> Iterator[dict[str, float]]:
    """Measure both kinds of trials and yield their figures."""
    chosen = find_runner(runner)
    count = 2 * int(getattr(chosen, "slots", 0) or SLOTS)
    progress("PackBot", 0, 2)
    outcomes, wall = _measure(_packbots(count), chosen)
    steps = sum(outcome.time / STANDARD.timestep for outcome in outcomes)
    yield {"trials": count, "packbot_steps": steps / wall}
    yield {"packbot_trials_per_minute": 60 * count / wall}
    progress("roach", 1, 2)
    outcomes, wall = _measure(bridge_roaches(count), chosen)
    arrived = np.mean([outcome.arrived for outcome in outcomes])
    yield {"roach_trials_per_minute": 60 * count / wall, "roach_success": float(arrived)}


def _measure(trials: Sequence[Trial], runner: Runner) -> tuple[list[Outcome], float]:
    """Return the outcomes of ``trials`` and the wall time that they take, s."""
    run_trials([replace(trial, limit=WARM_UP) for trial in trials], runner=runner)
    outcomes: list[Outcome] = []
    wall = wall_seconds(lambda: outcomes.extend(run_trials(trials, runner=runner)))
    return outcomes, wall


def _packbots(count: int) -> list[Trial]:
    """Return PackBots that drive curves on flat ground."""
    robot = RobotEntry(name="packbot", kind="packbot", position=(0.0, 0.0, 0.0))
    ground = (Flat(friction=0.6),)
    world = World(name="flat", physics=STANDARD, terrain=ground, robots=(robot,))
    return [
        Trial(
            world=world,
            robot="packbot",
            limit=PACKBOT_SECONDS,
            schedule=((0.0, {"forward": 0.3, "turn": turn}),),
        )
        for turn in np.linspace(-0.5, 0.5, count).tolist()
    ]


def bridge_roaches(count: int) -> list[Trial]:
    """Return crossings of the double bridge, on several paths in turn."""
    world = bridge_world()
    validity = validity_of(world, ROBOT, BOUNDS)
    paths = plan_paths(validity, START, GOAL, planner=PLANNER, seeds=range(PATHS))
    goal = Place(x=GOAL[0], y=GOAL[1], within=WITHIN)
    course = PathCourse(world, ROBOT, goal, limit=CROSSING_LIMIT)
    chosen = list(itertools.islice(itertools.cycle(paths), count))
    return course_trials(course, chosen, seed=0, case={})
