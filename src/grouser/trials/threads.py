"""Thread runner: trials on threads of this process.

Each thread has its own lanes (`grouser.trials.batch_lane`). MuJoCo releases the GIL while it steps,
so that one thread runs Python while others run physics. Results have the same bits at any number of
threads.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Event

from grouser.cores import cores
from grouser.errors import BadValue
from grouser.simulation.divergence.watch import log_warnings
from grouser.simulation.scene import Scene, compose
from grouser.trials.batch_lane import BatchLane
from grouser.trials.layout import layout
from grouser.trials.simulation_lane import SimulationLane, check_trial, needs_simulation
from grouser.trials.trial import Outcome, Trial
from grouser.trials.trial_run import Entry
from grouser.trials.warp.physics import PhysicsFactory

SLOTS = 32
"""Default number of concurrent simulations of one layout."""
WORLDS = 128
"""Most different worlds that are compiled at the same time; one of a tracked robot takes 5 MB."""


@dataclass(frozen=True)
class ThreadRunner:
    """Runs trials on threads of this process."""

    threads: int = 0
    """Number of threads; 0: one per core."""
    slots: int = SLOTS
    """Concurrent simulations of one layout, for all threads together."""

    def __post_init__(self) -> None:
        for name, least in (("threads", 0), ("slots", 1)):
            if getattr(self, name) < least:
                raise BadValue(f"{name} is {getattr(self, name)}, must be at least {least}")

    @classmethod
    def parse(cls, text: str) -> ThreadRunner:
        """Return the runner of ``--runner threads:text``."""
        return cls(parse_workers("threads", text))

    def run(
        self, trials: Sequence[Trial], *, stop: Callable[[], bool] | None = None
    ) -> Generator[tuple[int, Outcome], None, None]:
        """Yield index and outcome of each trial as soon as it has finished.

        Args:
            trials: trials to run.
            stop: called by all threads at every sample; True cancels all running trials.
        """
        yield from run_lanes(trials, stop=stop, workers=self.threads or cores(), slots=self.slots)


def run_lanes(
    trials: Sequence[Trial],
    *,
    stop: Callable[[], bool] | None,
    workers: int,
    slots: int,
    physics: PhysicsFactory | None = None,
) -> Generator[tuple[int, Outcome], None, None]:
    """Yield index and outcome of each trial as soon as it has finished.

    Args:
        trials: trials to run.
        stop: called by all threads at every sample; True cancels all running trials.
        workers: number of threads.
        slots: concurrent simulations of one layout, for all threads together.
        physics: as in `BatchLane`; None: MuJoCo.
    """
    log_warnings()
    over = Event()
    results: SimpleQueue[tuple[int, Outcome] | Future[None]] = SimpleQueue()

    def report(number: int, outcome: Outcome) -> None:
        results.put((number, outcome))

    def cancelled() -> bool:
        return over.is_set() or (stop is not None and stop())

    with ThreadPoolExecutor(workers) as pool:
        try:
            for window in _windows(trials):
                lanes = 0
                for group in _groups(window, cancelled):
                    waiting = deque(group)
                    for share in _shares(min(slots, len(group)), workers):
                        lane = pool.submit(
                            _run_lane, group, waiting, share, report, cancelled, physics
                        )
                        lane.add_done_callback(results.put)
                        lanes += 1
                while lanes:
                    result = results.get()
                    if isinstance(result, Future):
                        result.result()  # raises the error of a lane
                        lanes -= 1
                    else:
                        yield result
        finally:
            over.set()
            pool.shutdown(cancel_futures=True)


def parse_workers(name: str, text: str) -> int:
    """Return the number of workers of ``--runner name:text``; 0: one per core."""
    if not text:
        return 0
    if not (text.isascii() and text.isdecimal() and int(text) >= 1):
        raise BadValue(f"must be {name}:N with a whole number N of at least 1, such as {name}:4")
    return int(text)


def _run_lane(
    group: list[Entry],
    waiting: deque[Entry],
    share: int,
    report: Callable[[int, Outcome], None],
    cancelled: Callable[[], bool],
    physics: PhysicsFactory | None,
) -> None:
    """Run trials of ``waiting``, the queue of ``group``, in ``share`` slots until it is empty."""
    if not waiting or cancelled():
        return
    lane: BatchLane | SimulationLane
    if needs_simulation(group[0].trial):
        lane = SimulationLane(waiting)
    else:
        scenes = list({id(entry.scene): entry.scene for entry in group}.values())
        starts = [entry.trial.start for entry in group]
        drawn = any(start is not None and start.draws_physics for start in starts)
        period = group[0].trial.sample_period
        lane = BatchLane(
            scenes, waiting, slots=share, sample_period=period, drawn=drawn, physics=physics
        )
    lane.run(report, cancelled)


def _shares(slots: int, workers: int) -> list[int]:
    """Return the number of slots of each worker's lane; each has at least one."""
    lanes = min(slots, workers)
    return [slots // lanes + (number < slots % lanes) for number in range(lanes)]


@dataclass(frozen=True)
class _NumberedTrial:
    number: int
    trial: Trial
    world: str
    """Complete text of its world, with all digits."""


def _windows(trials: Sequence[Trial]) -> Iterator[list[_NumberedTrial]]:
    """Yield consecutive trials with at most `WORLDS` different worlds."""
    texts: dict[int, str] = {}
    window: list[_NumberedTrial] = []
    worlds = set[str]()
    for number, trial in enumerate(trials):
        text = texts.get(id(trial.world)) or repr(trial.world)
        texts[id(trial.world)] = text
        if text not in worlds and len(worlds) == WORLDS:
            yield window
            window, worlds = [], set()
        worlds.add(text)
        window.append(_NumberedTrial(number, trial, text))
    if window:
        yield window


def _groups(
    window: Sequence[_NumberedTrial], cancelled: Callable[[], bool]
) -> Iterable[list[Entry]]:
    """Compile every trial's scene and group the trials that can share a lane.

    Trials of one layout and sample period share a lane; those that need a `Simulation` each may
    have any layout.
    """
    groups: dict[tuple[bytes, float], list[Entry]] = {}
    scenes: dict[str, tuple[Scene, bytes]] = {}
    for one in window:
        if cancelled():
            break
        if one.world not in scenes:
            scene = compose(one.trial.world)
            scenes[one.world] = scene, layout(scene)
        scene, key = scenes[one.world]
        entry = Entry(one.number, one.trial, scene)
        check_trial(entry)
        shared = b"" if needs_simulation(one.trial) else key
        groups.setdefault((shared, one.trial.sample_period), []).append(entry)
    return groups.values()
