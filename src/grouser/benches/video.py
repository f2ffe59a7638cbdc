"""Time to record a video without a GPU.

Quince drives at a step for ten simulated seconds and is recorded as by ``grouser run --video``:
physics, rendering in processes and encoding run concurrently, at 960 x 640 and 25 frames per
simulated second. The start of the processes is included.

``frames_per_s``          default quality as WebM
``film_s``                wall time of that video of 10 s
``frames_per_s_high``     with shadows and smooth edges, a shorter video
``frames_per_s_mp4``      default quality as MP4, a shorter video
``cpu_ms_per_frame``      processor time per frame of the first video, sum of all processes
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from grouser.experiments.run_options import Progress
from grouser.frames import milliseconds
from grouser.render_workers.run_camera import FPS, RunCamera
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

WORLD = "quince_step"
WIDTH, HEIGHT = 960, 640
SECONDS = 10.0
SHORT = 3.0
"""Simulated time of the videos, s."""


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    videos = {
        "frames_per_s": (".webm", None, SECONDS),
        "frames_per_s_high": (".webm", "high", SHORT),
        "frames_per_s_mp4": (".mp4", None, SHORT),
    }
    figures: dict[str, float] = {}
    for number, (name, (ending, quality, seconds)) in enumerate(videos.items()):
        progress(name, number, len(videos))
        wall, processor = _record(ending, quality, seconds)
        figures[name] = seconds * FPS / wall
        if number == 0:
            figures["film_s"] = wall
            figures["cpu_ms_per_frame"] = milliseconds(processor / (seconds * FPS))
    return figures


def _record(ending: str, quality: str | None, seconds: float) -> tuple[float, float]:
    """Record a run; return wall and processor time, s."""
    simulation = Simulation(load(WORLD), crash_folder=None)
    with tempfile.TemporaryDirectory() as folder:
        start, cpu = time.perf_counter(), _processor_time()
        frames = round(seconds * FPS)
        path = Path(folder) / f"video{ending}"
        with RunCamera(WIDTH, HEIGHT, [path], quality=quality, frames=frames) as camera:
            for _ in range(frames):
                simulation.step(simulation.round_to_steps(1 / FPS))
                camera.film(simulation)
        return time.perf_counter() - start, _processor_time() - cpu


def _processor_time() -> float:
    """Return the processor time of this process and its finished children, s."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
