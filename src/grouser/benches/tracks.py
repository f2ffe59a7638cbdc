"""How fast are tracks with grousers, what does the framework add, and does it scale?

``segments_rtf``      PackBot on flat ground, 0.3 m/s, 1 ms, through `Simulation`, one thread
``bare_rtf``          the same compiled model stepped by ``mj_step`` and the roll-back alone
``overhead``          1 - segments_rtf / bare_rtf
``robots_32_over_1``  cost per robot and step of 32 PackBots in one world over that of one
``threads_2_over_1``  throughput of 32 trials on two threads over one
``batch_2_over_1``    the same of a bare ``mujoco.batch`` with the same model, in the same turns:
                      what the machine itself gives for its second core
``…_over_old``, ``…_contact_alone``   our contact's speed over the near-rigid one's it replaced
                      (`old_contact`)
"""

from __future__ import annotations

import time
from collections.abc import Callable

import mujoco
import mujoco.batch
import numpy as np

from grouser.benches.old_contact import speeds_over_old
from grouser.physics.state import StateArrays
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.tracks.segments import RollBack
from grouser.trials import threads
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

SPEED = 0.3
"""m/s, as in Okada et al. 2020, sec. IV-A."""
SECONDS = 0.12
"""Simulated time of one turn: short, so that both of a pair see the same machine."""
REPEATS = 400
TRIALS = 32

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("one robot", 0, 4)
    through, bare = _one_robot()
    progress("32 robots", 1, 4)
    crowd = _crowd()
    progress("32 trials", 2, 4)
    ours, batch = _threads()
    progress("the old contact", 3, 4)
    over_old = speeds_over_old()
    return {
        "segments_rtf": through,
        "bare_rtf": bare,
        "overhead": 1 - through / bare,
        "robots_32_over_1": crowd,
        "threads_2_over_1": ours,
        "batch_2_over_1": batch,
        **over_old,
    }


def _world(robots: int) -> World:
    """Return flat ground with PackBots 2 m apart, all driving forwards."""
    entries = tuple(
        RobotEntry(
            name=f"packbot{number}",
            kind="packbot",
            position=(2.0 * (number % 8), 2.0 * (number // 8), 0.0),
            command={"forward": SPEED},
        )
        for number in range(robots)
    )
    return World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=entries)


def _timed(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _one_robot() -> tuple[float, float]:
    """Return the real-time factors through the framework and bare, measured in turns.

    Both step the same model and data: where in memory they lie makes a difference of 2 %.
    """
    simulation = Simulation(_world(1))
    simulation.step(1.0)
    model, data = simulation.model, simulation.data
    rows, roll_back = StateArrays.one(model, data), RollBack(model, simulation.scene.belts)
    turns, stride = simulation.state.memory.turns, simulation.scene.control_interval
    steps = round(SECONDS / float(model.opt.timestep))

    def bare() -> None:
        for _ in range(0, steps, stride):
            mujoco.mj_step(model, data, stride)
            roll_back.apply(rows, turns)

    def through() -> None:
        simulation.step(SECONDS)

    pairs = []
    for turn in range(REPEATS):
        both = (through, bare) if turn % 2 else (bare, through)
        times = {work: _timed(work) for work in both}
        pairs.append((times[through], times[bare]))
    framework, alone = np.array(pairs).T
    # The median of pairs: a machine that is busy for a moment slows both of a pair alike, and one
    # that grows slower or faster all pairs.
    bare_rtf = SECONDS / float(np.median(alone))
    return bare_rtf * float(np.median(alone / framework)), bare_rtf


def _crowd() -> float:
    """Return cost per robot of 32 in one world over one alone, measured in turns."""
    one, many = Simulation(_world(1)), Simulation(_world(32))
    for simulation in (one, many):
        simulation.step(0.5)
    pairs = [(_timed(lambda: one.step(0.5)), _timed(lambda: many.step(0.1))) for _ in range(5)]
    alone, together = (float(np.min(column)) for column in zip(*pairs, strict=True))
    return (together / 0.1 / 32) / (alone / 0.5)


def _threads() -> tuple[float, float]:
    """Return throughput of 32 trials on two threads over one, and of a bare batch."""
    trials = [Trial(world=_world(1), robot="packbot0", limit=1.0) for _ in range(TRIALS)]
    model = compose(_world(1)).model
    works = (
        lambda: _run(trials, 1),
        lambda: _run(trials, 2),
        lambda: _step(model, 1),
        lambda: _step(model, 2),
    )
    turns = [[_timed(work) for work in works] for _ in range(20)]
    # The fastest of each: a neighbour on the machine takes a core from two threads, not from one.
    one, two, batch_one, batch_two = np.min(turns, axis=0).tolist()
    return one / two, batch_one / batch_two


def _step(model: mujoco.MjModel, count: int) -> None:
    """Step as many simulations as there are trials, half as long, on ``count`` threads."""
    batch = mujoco.batch.Batch(model, nsim=TRIALS, nthread=count)
    batch.step(nstep=round(0.5 / float(model.opt.timestep)))


def _run(trials: list[Trial], count: int) -> None:
    threads.run_trials(trials, threads=count)
