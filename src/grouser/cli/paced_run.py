"""Paced run of a simulation with a camera, and the table of its results."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text

from grouser.cli.terminal import ProgressBar, plain_table
from grouser.errors import BadValue, PolicyFailed
from grouser.frames import degrees, to_rpy
from grouser.render_workers.run_camera import FPS, RunCamera
from grouser.service.pace import RealTimePacer
from grouser.simulation.simulation import Simulation

MOVED = 1e-3
"""Objects that travelled less than this (m) are not in the table."""

_WIDTH = 100  # a narrow terminal wraps lines instead of truncating numbers
_HEADINGS = {
    "x": "m",
    "y": "m",
    "z": "m",
    "roll": "deg",
    "pitch": "deg",
    "yaw": "deg",
    "speed": "m/s",
    "distance": "m",
    "energy": "J",
    "electric": "J",
}


@dataclass
class RunSummary:
    """Times of a run, and the travel of every robot and object."""

    begin: float = 0.0
    """Simulated time at which the run began, s."""
    simulated: float = 0.0
    """Simulated time since then, s."""
    clock: float = 0.0
    """Wall time, s."""
    physics: float = 0.0
    """Wall time of the physics alone, s."""
    interrupted: bool = False
    """True if Ctrl-C ended the run."""
    trips: dict[str, Trip] = field(default_factory=dict)
    """By name of robot or object."""


@dataclass
class Trip:
    """Travel of one body."""

    position: tuple[float, ...]
    """Present position, world frame, m."""
    distance: float = 0.0
    """Length of the path so far, m."""
    speed: float = 0.0
    """Mean speed over the last slice of time, m/s."""

    def extend(self, position: tuple[float, ...], seconds: float) -> None:
        """Append ``position``, reached after another ``seconds``."""
        length = math.dist(self.position, position)
        self.position, self.distance, self.speed = (
            position,
            self.distance + length,
            length / seconds,
        )


def whole_steps(sim: Simulation, seconds: float) -> float:
    """Return ``seconds`` rounded to whole time steps, at least one; infinity stays."""
    timestep = sim.scene.timestep
    if seconds < timestep:
        raise BadValue(
            f"--seconds is {seconds:g}, must be at least one time step of {timestep:g} s"
        )
    return seconds if math.isinf(seconds) else round(seconds / timestep) * timestep


def run_paced(
    sim: Simulation,
    seconds: float,
    *,
    factor: float | None,
    camera: RunCamera | None,
    bar: ProgressBar,
) -> RunSummary:
    """Simulate ``seconds``, or until Ctrl-C.

    Args:
        sim: the simulation, at its start or continued.
        seconds: simulated time, rounded to whole time steps.
        factor: real-time factor; None: as fast as possible.
        camera: records the run; None: no recording.
        bar: progress bar.
    """
    end = whole_steps(sim, seconds)
    summary, start = begin_summary(sim), time.perf_counter()
    pacer = RealTimePacer(math.inf if factor is None else factor, max_lag=math.inf)
    try:
        if camera is not None:
            camera.film(sim)
        for number in range(1, math.ceil(seconds * FPS - 1e-9) + 1):
            advance(sim, summary, min(number / FPS, end))
            if camera is not None:
                camera.film(sim)
            pacer.sleep(summary.simulated)
            summary.clock = time.perf_counter() - start
            factor_text = real_time_text(summary.simulated, summary.clock)
            words = f"{summary.simulated:.1f} of {seconds:g} s  {factor_text}"
            bar(sim.world.name, summary.simulated, seconds, words)
    except KeyboardInterrupt:
        summary.interrupted = True
    except PolicyFailed:
        pass  # stored in the control of the policy; the results up to then are printed
    summary.clock = time.perf_counter() - start
    return summary


def begin_summary(sim: Simulation) -> RunSummary:
    """Return the summary at the start of a run."""
    names = [entry.name for entry in (*sim.world.robots, *sim.world.objects)]
    return RunSummary(begin=sim.time, trips={name: Trip(_position(sim, name)) for name in names})


def real_time_text(simulated: float, clock: float) -> str:
    """Return the real-time factor as text."""
    factor = simulated / max(clock, 1e-9)
    return f"{factor:.{0 if factor >= 100 else 1 if factor >= 10 else 2}f} × real time"


def advance(sim: Simulation, summary: RunSummary, until: float) -> None:
    """Step until the run lasts ``until`` (s), in whole steps, and update the summary."""
    began = time.perf_counter()
    sim.step(max(0.0, sim.round_to_steps(summary.begin + until - sim.time)))
    summary.physics += time.perf_counter() - began
    simulated = sim.time - summary.begin
    passed, summary.simulated = simulated - summary.simulated, simulated
    if passed > 0:
        for name, trip in summary.trips.items():
            trip.extend(_position(sim, name), passed)


def print_run(sim: Simulation, summary: RunSummary, console: Console) -> None:
    """Print the table of a run: final pose, speed, distance and energy of robots and objects."""
    console.print(_title(sim, summary))
    robots = [entry.name for entry in sim.world.robots]
    objects = [
        entry.name for entry in sim.world.objects if summary.trips[entry.name].distance > MOVED
    ]
    if not (robots or objects):
        console.print(Text("the world has no robots, and no object moved", "dim"))
        return
    grid = plain_table("", no_wrap=True)
    for name, unit in _HEADINGS.items():
        heading = Text.assemble((name, "bold"), "\n", (unit, "dim"), justify="right")
        grid.add_column(heading, justify="right", no_wrap=True)
    for name in robots:
        work = sum(sim.energy(name).values())
        grid.add_row(
            Text(name, "bold cyan"),
            *_cells(sim, summary, name),
            _energy(work),
            _energy(sum(electric.values()))
            if (electric := sim.state.electric_energy(name))
            else "-",
        )
    for name in objects:
        grid.add_row(Text(name, "dim"), *_cells(sim, summary, name), "-", "-")
    console.width = max(console.width, _WIDTH)
    console.print("", grid, "", sep="\n")


def _energy(joules: float) -> str:
    return _number(joules, 1 if abs(joules) >= 10 else 3)


def _title(sim: Simulation, summary: RunSummary) -> Text:
    times = f"{summary.simulated:.2f} s simulated in {summary.clock:.2f} s, "
    title = Text.assemble((sim.world.name, "bold"), "  ", times)
    title.append(real_time_text(summary.simulated, summary.clock), "bold")
    if summary.clock > 1.1 * summary.physics:  # waiting or rendering took time
        title.append(
            f"\nphysics alone: {real_time_text(summary.simulated, summary.physics)}", "dim"
        )
    return title


def _cells(sim: Simulation, summary: RunSummary, name: str) -> list[str]:
    pose, trip = sim.pose(name), summary.trips[name]
    position = [_number(value, 3) for value in pose.position]
    angles = [_number(value, 1) for value in degrees(to_rpy(pose.wxyz))]
    return [*position, *angles, _number(trip.speed, 3), _number(trip.distance, 3)]


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"  # adding zero removes the sign of -0.0


def _position(sim: Simulation, name: str) -> tuple[float, ...]:
    return tuple(sim.pose(name).position.tolist())
