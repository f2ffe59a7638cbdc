"""Zaratti et al. 2006, Fig. 8: frame rate against the number of walking AIBOs.

"Each AIBO is created and set in walking state to make full use of the physics engine." All robots
walk in one world with physics at 500 Hz, and each frame ends with one view. Everything runs on one
core.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from matplotlib.figure import Figure

from grouser.experiments.ers7_pack import (
    PIXELS,
    RATE,
    TIMESTEP,
    TimedFrames,
    ers7_entry,
    one_core,
    pack_world,
)
from grouser.experiments.run_options import RunOptions
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.reports.report import Report
from grouser.reports.rules import above, at_least
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation

COUNTS = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32)
QUICK_COUNTS = (1, 5, 12, 32)
FRAMES, QUICK_FRAMES = 60, 15
SETTLE = 1.0  # s   simulated time until all robots trot
SPEED = 0.15  # m/s
SPACING = 1.0  # m   large enough that robots do not touch
PAPER_COUNT, PAPER_RATE = 5, 25.0  # sec. 5: "acceptable with five AIBOs … greater than 25 fps"
PAPER_FULL_RATE = 5  # sec. 5: "can sustain at full frame rate five complex robots"


def run(run_options: RunOptions) -> Report:
    """Time worlds with an increasing number of robots."""
    counts, frames = (QUICK_COUNTS, QUICK_FRAMES) if run_options.quick else (COUNTS, FRAMES)
    rates: dict[int, float] = {}
    falls = 0
    with one_core(), Renderer(*PIXELS, shadows=False, smooth=False) as renderer:
        for done, count in enumerate(counts):
            run_options.progress(f"{count} walking", done, len(counts))
            rates[count], fallen = _measure(count, frames, renderer)
            falls += fallen
    figures = {
        "robots_at_30fps": most_at_full_rate(rates),
        "physics_hz": 1 / TIMESTEP,
        "fps_with_5": rates[PAPER_COUNT],
        "falls": falls,
    }
    rows = table_rows(rates)
    table = Table(
        "zaratti-fig8",
        "Zaratti et al. 2006, Fig. 8",
        "Frames per second of simulation plus one view, all robots walking, one core",
        rows,
        figures,
        (
            "The curve itself is not printed as numbers; its text states that five robots still "
            "run at more than 25 fps, and that five run at the full rate.",
            f"A frame is 1/{RATE:g} s of physics at {1 / TIMESTEP:g} Hz and one view of "
            f"{PIXELS[0]} x {PIXELS[1]} pixels; the rate is what one core here sustains.",
        ),
    )
    report = Report(table)
    report.add_plot(_plot(rates), "Frame rate against the number of walking AIBOs (Fig. 8)")
    if run_options.pictures:
        report.add_picture(_picture(max(counts)), f"{max(counts)} of them walking")
    return report


def crowd(count: int) -> Simulation:
    """Return a simulation of ``count`` ERS-7 in a square, all walking in one direction."""
    side = math.ceil(math.sqrt(count))
    robots = (
        ers7_entry(f"dog{n}", SPACING * (n // side), SPACING * (n % side), 0.0, forward=SPEED)
        for n in range(count)
    )
    return Simulation(pack_world(*robots))


def _measure(count: int, frames: int, renderer: Renderer) -> tuple[float, int]:
    """Return the frame rate with ``count`` robots, and the number of robots that fell."""
    simulation = crowd(count)
    simulation.step(SETTLE)
    timed = TimedFrames(simulation, _view(count), renderer)
    timed.next()  # uploads the model to the renderer
    seconds = float(np.mean([timed.next() for _ in range(frames)]))
    heights = [simulation.pose(name).position[2] for name in simulation.scene.robots]
    standing = simulation.scene.robots["dog0"].standing
    return 1 / seconds, sum(height < standing / 2 for height in heights)


def table_rows(rates: Mapping[int, float]) -> tuple[Row, ...]:
    """Return the rows for the frame rates by number of robots."""
    most = most_at_full_rate(rates)
    full = at_least(PAPER_FULL_RATE).judge(PAPER_FULL_RATE, most)
    full_row = Row({"walking AIBOs": "most at 30 fps"}, PAPER_FULL_RATE, most, full)
    return (*(_row(count, rate) for count, rate in rates.items()), full_row)


def most_at_full_rate(rates: Mapping[int, float]) -> int:
    """Return the largest number of robots at the full frame rate; 0 if none is."""
    return max((count for count, rate in rates.items() if rate >= RATE), default=0)


def _row(count: int, rate: float) -> Row:
    printed = count == PAPER_COUNT
    return Row(
        {"walking AIBOs": count},
        f"> {PAPER_RATE:g}" if printed else None,
        round(rate, 1),
        above().judge(PAPER_RATE, rate) if printed else None,
        f"{rate / RATE:.1f} x the full rate of {RATE:g} fps",
    )


def _view(count: int) -> Viewpoint:
    """Return a view that contains all robots."""
    width = SPACING * (math.ceil(math.sqrt(count)) - 1)
    return Viewpoint((width / 2, width / 2, 0.1), 1.5 + 1.6 * width, 60.0, -30.0)


def _plot(rates: dict[int, float]) -> Figure:
    figure = Figure(figsize=(6.4, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.plot(list(rates), list(rates.values()), "o-", color="#e07a1f", label="ours")
    axes.axhline(RATE, color="#222222", linewidth=0.8, linestyle="--", label="full rate, 30 fps")
    axes.plot([PAPER_COUNT], [PAPER_RATE], "^", color="#222222", label="the paper: more than this")
    axes.set(xlabel="walking AIBOs", ylabel="frames per second", yscale="log")
    axes.legend()
    return figure


def _picture(count: int) -> np.ndarray:
    simulation = crowd(count)
    simulation.step(SETTLE)
    with Renderer(960, 540) as renderer:
        return renderer.picture(simulation.model, simulation.data, _view(count))
