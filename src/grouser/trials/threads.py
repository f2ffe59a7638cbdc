"""Multithreaded runner of trials on this machine's cores.

Each thread has its own lanes (`grouser.trials.batch_lane`). MuJoCo releases the GIL while it steps,
so that one thread runs Python while others run physics. Results have the same bits at any number of
threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from threading import Event, Lock

from grouser.cores import Progress, cores, parallel_map
from grouser.simulation.divergence.watch import log_warnings
from grouser.simulation.scene import Scene, compose
from grouser.trials.batch_lane import BatchLane, layout
from grouser.trials.simulation_lane import SimulationLane, check_trial, needs_simulation
from grouser.trials.trial import Outcome, Trial
from grouser.trials.trial_run import SAMPLE_PERIOD, Entry, Finished

SLOTS = 32
"""Default number of concurrent simulations of one layout."""


def run_trials(
    trials: Sequence[Trial],
    *,
    threads: int = 0,
    slots: int = SLOTS,
    sample_period: float = SAMPLE_PERIOD,
    progress: Progress | None = None,
) -> list[Outcome]:
    """Run ``trials`` and return their outcomes in the same order.

    Args:
        trials: trials to run.
        threads: number of threads; 0: one per core.
        slots: concurrent simulations of one layout, for all threads together.
        sample_period: approximate simulated time between two samples, s; policies are called at
            each sample.
        progress: called whenever a trial is finished.
    """
    outcomes: dict[int, Outcome] = {}

    def keep(number: int, outcome: Outcome) -> None:
        outcomes[number] = outcome
        if progress:
            progress(len(outcomes), len(trials))

    run_each(trials, keep, threads=threads, slots=slots, sample_period=sample_period)
    return [outcomes[number] for number in range(len(trials))]


def run_each(
    trials: Sequence[Trial],
    finished: Finished,
    *,
    stop: Callable[[], bool] | None = None,
    threads: int = 0,
    slots: int = SLOTS,
    sample_period: float = SAMPLE_PERIOD,
) -> None:
    """Run ``trials`` and report each outcome as soon as it is available.

    Args:
        trials: trials to run.
        finished: called with the index of a trial and its outcome; calls are serialised.
        stop: called at every sample; True cancels all running trials.
        threads: see `run_trials`.
        slots: see `run_trials`.
        sample_period: see `run_trials`.
    """
    log_warnings()
    lock, failed = Lock(), Event()

    def report(number: int, outcome: Outcome) -> None:
        with lock:
            finished(number, outcome)

    def cancelled() -> bool:
        return failed.is_set() or (stop is not None and stop())

    def run_lane(job: tuple[list[Entry], deque[Entry], int]) -> None:
        group, waiting, share = job
        if not waiting or cancelled():
            return
        lane: BatchLane | SimulationLane
        if needs_simulation(group[0].trial):
            lane = SimulationLane(waiting, sample_period=sample_period)
        else:
            scenes = list({id(entry.scene): entry.scene for entry in group}.values())
            starts = [entry.trial.start for entry in group]
            drawn = any(start is not None and start.draws_physics for start in starts)
            lane = BatchLane(scenes, waiting, slots=share, sample_period=sample_period, drawn=drawn)
        lane.run(report, cancelled)

    workers = threads or cores()
    lanes = [
        (group, waiting, share)
        for group in _groups(trials)
        for waiting in [deque(group)]
        for share in _shares(min(slots, len(group)), workers)
    ]
    parallel_map(run_lane, lanes, threads=workers, on_error=failed.set)


def _shares(slots: int, workers: int) -> list[int]:
    """Return the number of slots of each worker's lane; each has at least one."""
    lanes = min(slots, workers)
    return [slots // lanes + (number < slots % lanes) for number in range(lanes)]


def _groups(trials: Sequence[Trial]) -> Iterable[list[Entry]]:
    """Compile every trial's scene and group the trials that can share a lane.

    Trials that need a `Simulation` each form one group, of any layouts.
    """
    groups: dict[bytes, list[Entry]] = {}
    scenes: dict[str, tuple[Scene, bytes]] = {}
    texts: dict[int, str] = {}
    for number, trial in enumerate(trials):
        if id(trial.world) not in texts:
            texts[id(trial.world)] = repr(trial.world)  # complete, with all digits
        text = texts[id(trial.world)]
        if text not in scenes:
            scene = compose(trial.world)
            scenes[text] = scene, layout(scene)
        scene, key = scenes[text]
        entry = Entry(number, trial, scene)
        check_trial(entry)
        groups.setdefault(b"" if needs_simulation(trial) else key, []).append(entry)
    return groups.values()
