"""Okada et al. 2020, Table II: real-time factors of the track methods.

PackBot drives at 0.3 m/s on flat ground with a time step of 1 ms, on one thread. The real-time
factor is simulated time over wall time. Because machines differ, three things can be compared with
the paper: whether the proposed method is faster than real time, and the order and the ratios of the
methods in one run. A ratio agrees within `RATIO_WITHIN`, which is less than the smallest difference
of two methods in the paper (4 wheels and no grousers, constraint and 4 wheels: 22 %).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from grouser.experiments.run_options import RunOptions
from grouser.experiments.stage_timer import StageTimer
from grouser.frames import millimetres
from grouser.reports.report import Report
from grouser.reports.rules import above, same, within
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

SPEED = 0.3  # m/s   sec. IV-A
FRICTION = 0.6  # sec. IV-B; the friction of the flat drive is not printed
REPEATS = 5
SETTLE = 1.0  # s   simulated time before the measurement
RATIO_WITHIN = 0.20
"""Tolerance of a method's ratio to ``segments``."""


@dataclass(frozen=True)
class TrackMethod:
    """One column of the paper's table."""

    name: str
    paper: float | None
    """Mean real-time factor in the paper; None if not in the paper."""
    deviation: float | None
    """Standard deviation in the paper."""
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    seconds: float = 4.0
    """Simulated time of one repeat."""
    straight: float = 0.02
    """Relative tolerance of the speed of 0.3 m/s."""


PAPER_BASE = 2.79
"""Real-time factor of ``segments`` in the paper, the base of its ratios."""
METHODS = (  # Table II
    TrackMethod("segments", PAPER_BASE, 0.03, {"method": "segments"}),
    TrackMethod("segments, no grousers", 3.96, 0.02, {"method": "segments", "grousers": "none"}),
    TrackMethod("4 wheels", 4.86, 0.05, {"method": "wheels", "wheels": 4}),
    TrackMethod("13 wheels", 1.79, 0.00, {"method": "wheels", "wheels": 13}),
    TrackMethod("constraint", 5.93, 0.21, {"method": "constraint"}),  # "estimated based on … [6]"
    TrackMethod("surface", None, None, {"method": "surface"}),
    TrackMethod("plates", None, None, {"method": "plates"}, seconds=0.5, straight=0.05),
    TrackMethod("segments, three links", None, None, {"method": "segments", "without_top": True}),
    TrackMethod("segments, cuboid grousers", None, None, {"method": "segments", "grousers": "box"}),
)
RATIO = within(RATIO_WITHIN)


def world(options: dict[str, Any]) -> World:
    """Return a world of flat ground with one PackBot that drives forwards."""
    return World(
        name="flat drive",
        physics=STANDARD,
        terrain=(Flat(friction=FRICTION),),
        robots=(
            RobotEntry(
                name="packbot",
                kind="packbot",
                position=(0.0, 0.0, 0.0),
                options=options,
                command={"forward": SPEED},
            ),
        ),
    )


def run(run_options: RunOptions) -> Report:
    """Time all methods alternately, so that other load on the machine affects all of them."""
    repeats = 2 if run_options.quick else REPEATS
    simulations = {method: Simulation(world(method.options)) for method in METHODS}
    for done, (method, simulation) in enumerate(simulations.items()):
        run_options.progress(f"settling {method.name}", done, len(METHODS))
        simulation.step(SETTLE)
    factors: dict[TrackMethod, list[float]] = {method: [] for method in METHODS}
    speeds: dict[TrackMethod, list[float]] = {method: [] for method in METHODS}
    for repeat in range(repeats):
        for number, (method, simulation) in enumerate(simulations.items()):
            run_options.progress("driving", repeat * len(METHODS) + number, repeats * len(METHODS))
            seconds = min(method.seconds, 1.0) if run_options.quick else method.seconds
            factor, speed = drive(simulation, seconds)
            factors[method].append(factor)
            speeds[method].append(speed)
    rows = [*(_row(m, factors[m], speeds[m], factors[METHODS[0]]) for m in METHODS)]
    rows.append(order_row({method.name: float(np.mean(factors[method])) for method in METHODS}))
    figures = {_key(method): float(np.mean(factors[method])) for method in METHODS}
    belts = simulations[METHODS[0]].scene.belts
    figures["largest_misfit_at_seams_mm"] = millimetres(max(belt.misfit for belt in belts))
    timer = StageTimer()
    timer.step(simulations[METHODS[0]], 2.0)
    figures |= timer.shares()
    notes = (
        "Segments are judged by the side of real time, the others by their ratio to segments. A "
        f"ratio's {RATIO_WITHIN:.0%} are less than the smallest difference of two methods in the "
        "paper, 22 %.",
        "Segments use rounded grousers (two contacts each); the paper's cuboids are the last row.",
    )
    table = Table(
        "okada-table2",
        "Okada et al. 2020, Table II",
        "Real-time factor",
        tuple(rows),
        figures,
        notes,
    )
    return Report(table)


def drive(simulation: Simulation, seconds: float) -> tuple[float, float]:
    """Step by ``seconds``; return the real-time factor and the robot's mean speed (m/s)."""
    start = simulation.pose("packbot").position
    began = time.perf_counter()
    simulation.step(seconds)
    taken = time.perf_counter() - began
    moved = simulation.pose("packbot").position - start
    return seconds / taken, float(moved[0]) / seconds


def _row(
    method: TrackMethod, factors: list[float], speeds: list[float], segments: list[float]
) -> Row:
    mean, base, speed = float(np.mean(factors)), float(np.mean(segments)), float(np.mean(speeds))
    off = abs(speed / SPEED - 1)
    straight = "" if off <= method.straight else " OFF THE COMMANDED SPEED"
    relative = f"{mean / base:.2f} x segments"
    paper, judgement = None, None
    if method.paper is not None:
        ratio = method.paper / PAPER_BASE
        relative += f" (paper {ratio:.2f})"
        paper = f"{method.paper:.2f} ± {method.deviation:.2f}"
        judgement = (
            above("real time").judge(1.0, mean)
            if method is METHODS[0]
            else RATIO.judge(ratio, mean / base)
        )
    return Row(
        {"method": method.name},
        paper,
        f"{mean:.2f} ± {float(np.std(factors)):.2f}",
        judgement,
        f"{relative}; {speed:.4f} m/s, {off:.1%} off{straight}",
    )


def order_row(means: Mapping[str, float]) -> Row:
    """Return the row that compares the order of the paper's methods, slowest first."""
    printed = {method.name: method.paper for method in METHODS if method.paper is not None}
    theirs = tuple(sorted(printed, key=lambda name: printed[name]))
    ours = tuple(sorted(printed, key=lambda name: means[name]))
    return Row(
        {"method": "order"},
        " < ".join(theirs),
        " < ".join(ours),
        same("same order").judge(theirs, ours),
    )


def _key(method: TrackMethod) -> str:
    return method.name.replace(", ", "_").replace(" ", "_") + "_rtf"
