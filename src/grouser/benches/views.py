"""Can eight robots walk and see in real time, without a GPU?

Eight ERS-7 walk in one world; each has its camera of 208 x 160 pixels, with lens and CMOS chip.
Physics, sensors and pictures run at once: the simulation steps from frame to frame, while eyes
(processes of their own) draw the last one. A frame counts when all eight pictures are there.

``real_time_factor``         simulated over wall-clock time at 25 frames per second
``real_time_factor_30fps``   the same at 30
``view_ms``                  one view with its CMOS filter, on one core, median
``physics_share``            time of one core that physics and sensors take, at 25 frames per second
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import Future

import numpy as np

from grouser.sensors.camera import Frame
from grouser.sensors.render import Image
from grouser.server.eyes import Eyes
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics import STANDARD, Physics
from grouser.world.terrain import Flat

ROBOTS = 8
SECONDS = 6.0
"""Simulated, per rate."""
TIMESTEP = 0.002  # s
CAMERA = "camera"

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    figures: dict[str, float] = {}
    with Eyes(world()) as eyes:
        for number, rate in enumerate((25.0, 30.0)):
            progress(f"{rate:g} frames per second", number, 3)
            name = "real_time_factor" + ("" if number == 0 else f"_{rate:g}fps")
            figures[name] = _factor(eyes, rate)
    progress("one view", 2, 3)
    simulation = walking()
    figures["view_ms"] = _view(simulation) * 1e3
    figures["physics_share"] = _physics(simulation)
    return figures


def world() -> World:
    """Return eight robots that walk round in circles, each in sight of others."""
    around = [math.tau * number / ROBOTS for number in range(ROBOTS)]
    robots = tuple(
        RobotEntry(
            name=f"dog{number}",
            kind="ers7",
            position=(1.2 * math.cos(angle), 1.2 * math.sin(angle), 0.0),
            yaw_deg=math.degrees(angle + math.pi / 2) % 360,
            command={"forward": 0.15, "turn": 0.15 / 1.2},
        )
        for number, angle in enumerate(around)
    )
    physics = Physics(**STANDARD.model_dump() | {"timestep": TIMESTEP})
    return World(name="views", physics=physics, terrain=(Flat(friction=0.8),), robots=robots)


def walking() -> Simulation:
    """Return the robots after their first steps."""
    simulation = Simulation(world())
    simulation.step(1.0)
    return simulation


def _factor(eyes: Eyes, rate: float) -> float:
    """Return how many times faster than real time frames come at ``rate`` per second."""
    simulation = walking()
    _drawn(_ask(eyes, simulation))  # opens the eyes: compiles, builds buffers
    begun, start = time.perf_counter(), simulation.time
    asked: list[Future[Image]] = []
    for frame in range(1, round(SECONDS * rate) + 1):
        simulation.step(max(0.0, start + frame / rate - simulation.time))
        _drawn(asked)  # the last frame must be there before the next is asked for
        asked = _ask(eyes, simulation)
    _drawn(asked)
    return (simulation.time - start) / (time.perf_counter() - begun)


def _ask(eyes: Eyes, simulation: Simulation) -> list[Future[Image]]:
    """Let all robots' views of this moment be drawn."""
    return [eyes.draw(name, simulation.read(name, CAMERA)) for name in simulation.scene.robots]


def _drawn(asked: list[Future[Image]]) -> None:
    """Wait for the pictures."""
    for picture in asked:
        picture.result()


def _view(simulation: Simulation, repeats: int = 40) -> float:
    """Return the processor time (s) of one view, drawn here."""
    times = []
    for number in range(repeats):
        if number % ROBOTS == 0:
            simulation.step(0.1)  # else the pictures are there already
        frame = simulation.read(f"dog{number % ROBOTS}", CAMERA).values
        assert isinstance(frame, Frame)
        begun = time.process_time()
        _ = frame.image
        times.append(time.process_time() - begun)
    return float(np.median(times))


def _physics(simulation: Simulation) -> float:
    """Return what part of real time physics and sensors take of one core."""
    begun, start = time.process_time(), simulation.time
    simulation.step(2.0)
    return (time.process_time() - begun) / (simulation.time - start)
