"""How long does a film take, without a GPU?

Quince drives at a step for ten simulated seconds and is filmed as ``grouser run --video`` does it:
physics, drawing in processes and coding at once, at 960 x 640 and 25 frames per simulated second.
Starting the processes counts.

``frames_per_s``          of the default quality, as WebM
``film_s``                wall time of that film of 10 s
``frames_per_s_high``     with shadows and smooth edges, a shorter film
``frames_per_s_mp4``      of the default quality as MP4, a shorter film
``cpu_ms_per_frame``      processor time of one frame of the first film, all processes together
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from grouser.frames import milliseconds
from grouser.gateways.images.run_camera import FPS, RunCamera
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

WORLD = "quince_step"
WIDTH, HEIGHT = 960, 640
SECONDS = 10.0
SHORT = 3.0
"""Simulated, s."""

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    films = {
        "frames_per_s": (".webm", None, SECONDS),
        "frames_per_s_high": (".webm", "high", SHORT),
        "frames_per_s_mp4": (".mp4", None, SHORT),
    }
    figures: dict[str, float] = {}
    for number, (name, (ending, quality, seconds)) in enumerate(films.items()):
        progress(name, number, len(films))
        wall, processor = _film(ending, quality, seconds)
        figures[name] = seconds * FPS / wall
        if number == 0:
            figures["film_s"] = wall
            figures["cpu_ms_per_frame"] = milliseconds(processor / (seconds * FPS))
    return figures


def _film(ending: str, quality: str | None, seconds: float) -> tuple[float, float]:
    """Film a run; return wall and processor time, s."""
    simulation = Simulation(load(WORLD), crash_folder=None)
    with tempfile.TemporaryDirectory() as folder:
        began, used = time.perf_counter(), _processor_time()
        frames = round(seconds * FPS)
        path = Path(folder) / f"film{ending}"
        with RunCamera(WIDTH, HEIGHT, [path], quality=quality, frames=frames) as camera:
            for _ in range(frames):
                simulation.step(simulation.round_to_steps(1 / FPS))
                camera.film(simulation)
        return time.perf_counter() - began, _processor_time() - used


def _processor_time() -> float:
    """Return processor time of this process and of those it has waited for, s."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
