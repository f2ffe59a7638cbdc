"""Trials on this machine's cores.

Every core has lanes of its own (`grouser.trials.batch_lane`), and MuJoCo lets go of Python while it
steps: while one core is in physics, another may be in Python, and nobody waits for anybody. Results
are the same bits at any thread count.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from threading import Event, Lock

from grouser.cores import Progress, cores, parallel_map
from grouser.simulation.divergence.watch import log_warnings
from grouser.simulation.scene import Scene, compose
from grouser.trials.batch_lane import BatchLane
from grouser.trials.layout import layout
from grouser.trials.simulation_lane import SimulationLane, check_sensors, needs_simulation
from grouser.trials.trial import Outcome, Trial
from grouser.trials.trial_run import LOOK_EVERY, Entry, Finished

SLOTS = 32
"""Simulations in flight of one layout, if nobody says otherwise."""


def run_trials(
    trials: Sequence[Trial],
    *,
    threads: int = 0,
    slots: int = SLOTS,
    look_every: float = LOOK_EVERY,
    progress: Progress | None = None,
) -> list[Outcome]:
    """Run ``trials`` and return their outcomes in the same order.

    Args:
        trials: what is run.
        threads: how many cores to use; 0: all.
        slots: simulations in flight of one layout, whatever the number of threads.
        look_every: simulated seconds between two samples, about; policies see as often.
        progress: told about finished trials.
    """
    outcomes: dict[int, Outcome] = {}

    def keep(number: int, outcome: Outcome) -> None:
        outcomes[number] = outcome
        if progress:
            progress(len(outcomes), len(trials))

    run_each(trials, keep, threads=threads, slots=slots, look_every=look_every)
    return [outcomes[number] for number in range(len(trials))]


def run_each(
    trials: Sequence[Trial],
    finished: Finished,
    *,
    stop: Callable[[], bool] | None = None,
    threads: int = 0,
    slots: int = SLOTS,
    look_every: float = LOOK_EVERY,
) -> None:
    """Run ``trials`` and say of each how it went as soon as it is over.

    Args:
        trials: what is run.
        finished: told a trial's place in ``trials`` and its outcome, one at a time.
        stop: asked at every look; once it says so, trials that are under way are dropped.
        threads: as for `run`.
        slots: as for `run`.
        look_every: as for `run`.
    """
    log_warnings()
    lock, given_up = Lock(), Event()

    def one_at_a_time(number: int, outcome: Outcome) -> None:
        with lock:
            finished(number, outcome)

    def over() -> bool:
        return given_up.is_set() or (stop is not None and stop())

    def run_lane(job: tuple[list[Entry], deque[Entry], int]) -> None:
        group, waiting, room = job
        if not waiting or over():
            return
        lane: BatchLane | SimulationLane
        if needs_simulation(group[0].trial):
            lane = SimulationLane(waiting, look_every=look_every)
        else:
            scenes = list({id(entry.scene): entry.scene for entry in group}.values())
            starts = [entry.trial.start for entry in group]
            drawn = any(start is not None and start.draws_physics for start in starts)
            lane = BatchLane(scenes, waiting, slots=room, look_every=look_every, drawn=drawn)
        lane.run(one_at_a_time, over)

    workers = threads or cores()
    lanes = [
        (group, waiting, room)
        for group in _groups(trials)
        for waiting in [deque(group)]
        for room in _shares(min(slots, len(group)), workers)
    ]
    parallel_map(run_lane, lanes, threads=workers, on_error=given_up.set)


def _shares(slots: int, workers: int) -> list[int]:
    """Return how many slots each worker's lane gets; no lane is empty."""
    lanes = min(slots, workers)
    return [slots // lanes + (number < slots % lanes) for number in range(lanes)]


def _groups(trials: Sequence[Trial]) -> Iterable[list[Entry]]:
    """Compose every trial's scene and put those together that can share a lane.

    The only place that decides who goes where: into a batch with others of the same layout, or into
    a simulation of its own.
    """
    groups: dict[bytes, list[Entry]] = {}
    scenes: dict[str, tuple[Scene, bytes]] = {}
    said: dict[int, str] = {}
    for number, trial in enumerate(trials):
        if id(trial.world) not in said:
            said[id(trial.world)] = repr(trial.world)  # says everything, to the last digit
        text = said[id(trial.world)]
        if text not in scenes:
            scene = compose(trial.world)
            scenes[text] = scene, layout(scene)
        scene, key = scenes[text]
        entry = Entry(number, trial, scene)
        check_sensors(entry)
        # Those that need a simulation each need not be alike.
        groups.setdefault(b"" if needs_simulation(trial) else key, []).append(entry)
    return groups.values()
