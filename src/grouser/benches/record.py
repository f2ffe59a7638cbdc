"""Cost of recording a run, and size of a recording.

Three Quinces with a camera of 10 Hz each drive on flat ground; ``_light`` figures are of three P3AT
with all their sensors, whose physics takes a tenth of the time.

``cost``  ``cost_light``  additional processor time of the simulation's thread while it is
                          recorded, as a share; bound of the first: 0.03
``cost_wall``             additional wall time, as a share; near ``cost`` if another core is free
``ten_minutes_mb``        size of ten minutes, MB; bound: 300
``writer_share``          processor time of the writer process over simulated time
``dropped``               items that the writer was too slow for
``served_p99_ms``         latency of commands as in the bench ``server``, 99th percentile, without
                          and with a recording; bound of the ratio: 1.1
``served_p99_recorded_ms``
``served_p99_ratio``
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from grouser.benches import server
from grouser.experiments.run_options import Progress
from grouser.recording.items import RecordOptions
from grouser.recording.recorder import Recorder
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, as_world

SECONDS = 5.0
"""Simulated time of one measurement, s."""
TURNS = 3
"""Measurements with and without a recording, of which the fastest count."""
TEN_MINUTES = 600.0  # s
PICTURE_RATE = 10.0  # Hz
SERVED_SECONDS = 15.0
"""Wall time of one measurement of the served world, s."""
SERVED_TURNS = 2
"""Measurements with and without a recording, of which the best count."""


@dataclass(frozen=True)
class Measurement:
    """Times of one run."""

    thread: float
    """Processor time of the simulation's thread, s."""
    wall: float
    size: int = 0
    """Bytes of the recording."""
    writer: float = 0.0
    """Processor time of the writer process, s."""
    dropped: int = 0


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    figures: dict[str, float] = {}
    for number, (suffix, world) in enumerate((("", quinces()), ("_light", pioneers()))):
        pairs = []
        for turn in range(TURNS):
            progress("record", number * TURNS + turn, 2 * TURNS + SERVED_TURNS)
            with TemporaryDirectory() as folder:
                pairs.append((measure(world, None), measure(world, Path(folder) / "run")))
        alone = min(one.thread for one, _ in pairs)
        figures[f"cost{suffix}"] = min(two.thread for _, two in pairs) / alone - 1
        if not suffix:
            walls = min(two.wall for _, two in pairs) / min(one.wall for one, _ in pairs)
            last = pairs[-1][1]
            figures |= {
                "cost_wall": walls - 1,
                "ten_minutes_mb": last.size / SECONDS * TEN_MINUTES / 1e6,
                "writer_share": min(two.writer for _, two in pairs) / SECONDS,
                "dropped": float(sum(two.dropped for _, two in pairs)),
            }
    latencies: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(SERVED_TURNS):
        progress("serve", 2 * TURNS + turn, 2 * TURNS + SERVED_TURNS)
        for recorded, found in latencies.items():
            found.append(server.crowd_figures(SERVED_SECONDS, recorded=recorded)["p99_ms"])
    without, during = min(latencies[False]), min(latencies[True])
    return figures | {
        "served_p99_ms": without,
        "served_p99_recorded_ms": during,
        "served_p99_ratio": during / without,
    }


def measure(world: World, folder: Path | None) -> Measurement:
    """Run a world for `SECONDS`, recorded to ``folder``; None: not recorded."""
    simulation = Simulation(world, crash_folder=None)
    for robot in simulation.robots:
        simulation.command(robot, forward=0.1)
    options = RecordOptions(wait=0.0)
    recorder = None if folder is None else Recorder(simulation, folder, options)
    simulation.step(0.1)
    thread, wall, before = time.thread_time(), time.perf_counter(), os.times()
    simulation.step(SECONDS)
    thread, wall = time.thread_time() - thread, time.perf_counter() - wall
    if recorder is None:
        return Measurement(thread, wall)
    recorder.close()
    after = os.times()
    children = after.children_user + after.children_system
    writer = children - before.children_user - before.children_system
    size = sum(file.stat().st_size for file in recorder.folder.iterdir())
    return Measurement(thread, wall, size, writer, recorder.dropped)


def quinces() -> World:
    """Return a world of three Quinces with cameras."""
    camera = {"kind": "camera", "mount": "body", "camera": "ers210", "rate_hz": PICTURE_RATE}
    return _world("quince", [{**camera, "at": [0.2, 0.0, 0.2]}])


def pioneers() -> World:
    """Return a world of three P3AT with their standard sensors."""
    return _world("p3at", "standard")


def _world(kind: str, sensors: Any) -> World:
    robots = [
        {"name": f"{kind}{number}", "kind": kind, "position": [0, 2 * number], "sensors": sensors}
        for number in range(3)
    ]
    return as_world({"name": f"three {kind}", "terrain": [{"kind": "flat"}], "robots": robots})
