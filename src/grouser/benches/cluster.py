"""Throughput of trials on a Ray cluster of this machine, compared with the thread runner.

``efficiency``       trials per second of the Ray runner over those of the thread runner, on the
                     same cores; measured alternately, medians of the repetitions
``trials_per_s``     trials of the Ray runner per second
``thread_trials_per_s``   trials of the thread runner per second
``overhead_ms``      wall time of one short trial in the Ray runner beyond that in the thread runner
``start_s``          wall time until Ray and all workers are ready, paid once per program
``world_mb``         size of the world that is sent to each node once

The trials are PackBots on flat ground with different speeds and lengths. Ray has started before
they are measured: its start is a figure of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from grouser.benches.machine import wall_seconds
from grouser.experiments.run_options import Progress
from grouser.frames import milliseconds
from grouser.trials.packing import TrialPacker
from grouser.trials.ray_runner import RayRunner
from grouser.trials.runner import Runner, run_trials
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

TRIALS, REPEATS = 128, 3
"""Number of trials of a measurement, and number of measurements of each runner."""
SHORT = 0.1
"""Simulated time of a short trial, s."""


def run(progress: Progress) -> dict[str, float]:
    """Measure both runners alternately and return the figures."""
    trials, short = bench_trials(TRIALS), bench_trials(1, longest=SHORT)
    packer = TrialPacker()
    packer.pack(0, trials[0])
    with RayRunner() as ray:
        progress("start of Ray", 0, REPEATS)
        start = wall_seconds(lambda: run_trials(bench_trials(4 * ray.workers), runner=ray))
        threads = ThreadRunner()
        pairs, overheads = [], []
        for number in range(REPEATS):
            progress("trials", number, REPEATS)
            pairs.append((_seconds(threads, trials), _seconds(ray, trials)))
            overheads.append(_seconds(ray, short) - _seconds(threads, short))
    alone, there = np.median(pairs, axis=0)
    return {
        "efficiency": float(alone / there),
        "trials_per_s": TRIALS / float(there),
        "thread_trials_per_s": TRIALS / float(alone),
        "overhead_ms": milliseconds(float(np.median(overheads))),
        "start_s": start,
        "world_mb": sum(len(part.content) for part in packer.parts.values()) / (1 << 20),
    }


def bench_trials(count: int, longest: float = 4.0) -> list[Trial]:
    """Return trials of a PackBot on flat ground that last half to all of ``longest`` (s)."""
    robot = RobotEntry(name="packbot", kind="packbot", position=(0.0, 0.0, 0.0))
    world = World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=(robot,))
    return [
        Trial(
            world=world,
            robot="packbot",
            limit=longest * (1 + number / count) / 2,
            schedule=((0.0, {"forward": 0.1 + 0.3 * number / count}),),
        )
        for number in range(count)
    ]


def _seconds(runner: Runner, trials: Sequence[Trial]) -> float:
    """Return the wall time of all trials, s."""
    return wall_seconds(lambda: run_trials(trials, runner=runner))
