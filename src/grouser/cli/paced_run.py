"""A simulation driven slice by slice: paced by the clock, watched by a camera, ended by Ctrl-C.

The simulation itself knows no clock. Here every slice of simulated time waits for its own moment,
``start + simulated / factor``, so that a late one is caught up and nothing drifts.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from grouser.cli.terminal import ProgressBar
from grouser.errors import BadValue
from grouser.gateways.images.run_camera import FPS, RunCamera
from grouser.simulation.run_log import RunLog
from grouser.simulation.simulation import Simulation

LOG_RATE = 50.0
"""A log's samples per simulated second, unless somebody says otherwise."""


@dataclass
class RunSummary:
    """How the time went, and how far everybody came in it."""

    simulated: float = 0.0
    """Simulated, s."""
    clock: float = 0.0
    """On the clock, s."""
    physics: float = 0.0
    """On the clock, s, without pictures and waiting."""
    interrupted: bool = False
    """Somebody pressed Ctrl-C."""
    trips: dict[str, Trip] = field(default_factory=dict)
    """By robot or object."""


@dataclass
class Trip:
    """The way of one body."""

    position: tuple[float, ...]
    """Where it is, world frame, m."""
    distance: float = 0.0
    """Length of its way so far, m."""
    speed: float = 0.0
    """Over the last slice of time, m/s."""

    def go(self, position: tuple[float, ...], seconds: float) -> None:
        """Note where it got to within ``seconds``."""
        way = math.dist(self.position, position)
        self.position, self.distance, self.speed = position, self.distance + way, way / seconds


def run_paced(
    sim: Simulation,
    seconds: float,
    *,
    factor: float | None,
    camera: RunCamera | None,
    bar: ProgressBar,
    log: RunLog | None = None,
    log_rate: float = LOG_RATE,
) -> RunSummary:
    """Let ``seconds`` pass, or as much as Ctrl-C allows.

    Args:
        sim: a simulation that was not stepped yet.
        seconds: simulated time, at least one step.
        factor: simulated seconds per second of the clock; None: as many as possible.
        camera: films it.
        bar: told how far it is.
        log: notes what everybody does.
        log_rate: how often, Hz.
    """
    if seconds < sim.model.opt.timestep:
        raise BadValue(
            f"--seconds is {seconds:g}, less than one step of {sim.model.opt.timestep:g} s"
        )
    summary, start = begin_summary(sim), time.perf_counter()
    try:
        if camera is not None:
            camera.film(sim)
        noted = Samples(sim, log, log_rate)
        for number in range(1, math.ceil(seconds * FPS - 1e-9) + 1):
            advance(sim, summary, min(number / FPS, seconds), noted)
            if camera is not None:
                camera.film(sim)
            if factor is not None:
                time.sleep(max(0.0, start + summary.simulated / factor - time.perf_counter()))
            summary.clock = time.perf_counter() - start
            factor_text = real_time_text(summary.simulated, summary.clock)
            words = f"{summary.simulated:.1f} of {seconds:g} s  {factor_text}"
            bar(sim.world.name, summary.simulated, seconds, words)
    except KeyboardInterrupt:
        summary.interrupted = True
    summary.clock = time.perf_counter() - start
    return summary


def begin_summary(sim: Simulation) -> RunSummary:
    """Return the summary of a run that begins now."""
    everybody = [entry.name for entry in (*sim.world.robots, *sim.world.objects)]
    return RunSummary(trips={name: Trip(_position(sim, name)) for name in everybody})


def real_time_text(simulated: float, clock: float) -> str:
    """Return the real-time factor in words."""
    factor = simulated / max(clock, 1e-9)
    return f"{factor:.{0 if factor >= 100 else 1 if factor >= 10 else 2}f} × real time"


class Samples:
    """Steps up to every moment at which a log wants a sample; the steps are the same without."""

    def __init__(self, sim: Simulation, log: RunLog | None, rate: float) -> None:
        self._sim, self._log, self._rate = sim, log, rate
        self._taken = 0
        self._note()

    def step_to(self, until: float) -> None:
        """Let time pass until ``until``, with the samples on the way."""
        while self._log is not None and self._taken / self._rate <= until + 1e-9:
            self._sim.step(max(0.0, self._taken / self._rate - self._sim.time))
            self._note()
        self._sim.step(max(0.0, until - self._sim.time))

    def _note(self) -> None:
        self._taken += 1
        if self._log is not None:
            self._log.note()


def advance(sim: Simulation, summary: RunSummary, until: float, samples: Samples) -> None:
    """Let time pass until ``until``, rounded to whole steps but never drifting away from it."""
    began = time.perf_counter()
    samples.step_to(until)
    summary.physics += time.perf_counter() - began
    passed, summary.simulated = sim.time - summary.simulated, sim.time
    if passed > 0:
        for name, trip in summary.trips.items():
            trip.go(_position(sim, name), passed)


def _position(sim: Simulation, name: str) -> tuple[float, ...]:
    return tuple(sim.pose(name).position.tolist())
