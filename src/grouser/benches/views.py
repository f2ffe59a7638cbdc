"""Real-time factor of eight walking robots with cameras, without a GPU.

Eight ERS-7 walk in one world; each has a camera of 208 x 160 pixels with lens and CMOS chip.
Physics, sensors and rendering run concurrently: the simulation steps from frame to frame while
render workers (separate processes) render the previous frame. A frame is complete when all eight
pictures are available.

``real_time_factor``         simulated over wall time at 25 frames per second
``real_time_factor_30fps``   the same at 30
``view_ms``                  time of one view with its CMOS filter on one core, median
``physics_share``            share of one core used by physics and sensors
``render_share_10fps``       share of one core used by render workers for seven cameras at 10 frames
                             per second: five ERS-7, a QRIO and a Kenaf
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from functools import partial
from pathlib import Path

import numpy as np

from grouser.benches.machine import processor_seconds
from grouser.cores import cores
from grouser.experiments.run_options import Progress
from grouser.frames import degrees, milliseconds
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.sensors.camera import Camera
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD, PhysicsSettings
from grouser.world.terrain.flat import Flat

ROBOTS = 8
SECONDS = 6.0
"""Simulated time per rate, s."""
TIMESTEP = 0.002  # s
CAMERA = "camera"
TICK = 0.01
"""Simulated time between two turns of the event loop, s; shorter in a server."""


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    figures: dict[str, float] = {}
    for number, rate in enumerate((25.0, 30.0)):
        progress(f"{rate:g} frames per second", number, 4)
        name = "real_time_factor" + ("" if number == 0 else f"_{rate:g}fps")
        figures[name] = asyncio.run(_factor(rate))
    progress("one view", 2, 4)
    simulation = walking_simulation()
    figures["view_ms"] = milliseconds(_view(simulation))
    figures["physics_share"] = _physics(simulation)
    progress("seven cameras", 3, 4)
    figures["render_share_10fps"] = asyncio.run(_render_share(10.0))
    return figures


def world() -> World:
    """Return a world of eight robots that walk in circles, each in view of others."""
    around = [math.tau * number / ROBOTS for number in range(ROBOTS)]
    robots = tuple(
        RobotEntry(
            name=f"dog{number}",
            kind="ers7",
            position=(1.2 * math.cos(angle), 1.2 * math.sin(angle), 0.0),
            yaw_deg=degrees(angle + math.pi / 2) % 360,
            command={"forward": 0.15, "turn": 0.15 / 1.2},
        )
        for number, angle in enumerate(around)
    )
    physics = PhysicsSettings(**STANDARD.model_dump() | {"timestep": TIMESTEP})
    return World(name="views", physics=physics, terrain=(Flat(friction=0.8),), robots=robots)


def walking_simulation() -> Simulation:
    """Return a simulation of the robots after one second."""
    simulation = Simulation(world())
    simulation.step(1.0)
    return simulation


def mixed_world() -> World:
    """Return a world of five walking ERS-7, a QRIO and a Kenaf that face them."""
    dogs = world().robots[:5]
    qrio = RobotEntry(name="qrio", kind="qrio", position=(-1.5, 0.0, 0.0))
    camera = {"kind": "camera", "mount": "body", "at": [0.2, 0.0, 0.3], "camera": "ers7"}
    kenaf = RobotEntry(name="kenaf", kind="kenaf", position=(0.0, -2.0, 0.0), sensors=(camera,))
    return world().changed(robots=(*dogs, qrio, kenaf))


def subscribe_all(pool: RenderPool, simulation: Simulation) -> Views:
    """Return the views of a simulation, all with a subscriber."""
    views = Views(pool)
    views.rebind(simulation.scene)
    views.frames.watch(None)
    return views


async def _factor(rate: float) -> float:
    """Return the real-time factor at ``rate`` frames per second."""
    simulation = walking_simulation()
    async with RenderPool(workers=cores()) as pool:
        views = subscribe_all(pool, simulation)
        # The first frame starts the workers, which compile the model and allocate buffers.
        await _wait_for_pictures(views, _request_pictures(views, simulation))
        began, start, requested = time.perf_counter(), simulation.time, views.frames.drawn.total()
        for frame in range(1, round(SECONDS * rate) + 1):
            while simulation.time < start + frame / rate - TIMESTEP / 2:
                simulation.step(TICK)
                await asyncio.sleep(0)  # receive pictures
            # The next frame is requested when the previous one is complete.
            await _wait_for_pictures(views, requested)
            requested = _request_pictures(views, simulation)
        await _wait_for_pictures(views, requested)
        return (simulation.time - start) / (time.perf_counter() - began)


def _request_pictures(views: Views, simulation: Simulation) -> int:
    """Request the views of all robots; return the number of pictures when they are complete."""
    for name in simulation.scene.robots:
        views.offer(name, simulation.read(name, CAMERA))
    return views.frames.drawn.total() + len(simulation.scene.robots)


async def _wait_for_pictures(views: Views, number: int) -> None:
    """Wait until a total ``number`` of pictures is available."""
    while views.frames.drawn.total() < number:
        await asyncio.sleep(0.0005)


async def _render_share(rate: float) -> float:
    """Return the share of one core that one worker uses for seven cameras, one per robot."""
    simulation = Simulation(mixed_world())
    simulation.step(1.0)
    cameras = {name: _first_camera(simulation, name) for name in simulation.scene.robots}
    async with RenderPool(workers=1) as pool:
        views = subscribe_all(pool, simulation)
        spent = 0.0
        for frame in range(round(SECONDS * rate)):
            simulation.step(simulation.round_to_steps(1 / rate))
            expected = views.frames.drawn.total() + len(cameras)
            for name, camera in cameras.items():
                views.offer(name, simulation.read(name, camera))
            await _wait_for_pictures(views, expected)
            if frame == 0:
                spent = _worker_time(pool)  # without the start: composing, compiling, allocating
        return (_worker_time(pool) - spent) / (SECONDS - 1 / rate)


def _first_camera(simulation: Simulation, robot: str) -> str:
    """Return the name of a robot's first camera."""
    cameras = (
        name
        for (owner, name), (sensor, _) in simulation.scene.sensors.items()
        if owner == robot and isinstance(sensor, Camera)
    )
    return next(cameras)


def _worker_time(pool: RenderPool) -> float:
    """Return the processor time of the workers, s; nan if the system does not provide it."""
    total = 0.0
    for process in pool.process_ids:
        try:
            words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return math.nan
        total += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return total


def _view(simulation: Simulation, repeats: int = 40) -> float:
    """Return the processor time of one view rendered in this process, s."""
    times = []
    for number in range(repeats):
        if number % ROBOTS == 0:
            simulation.step(0.1)  # otherwise the pictures are cached
        frame = simulation.read(f"dog{number % ROBOTS}", CAMERA).values
        times.append(processor_seconds(partial(getattr, frame, "image")))
    return float(np.median(times))


def _physics(simulation: Simulation) -> float:
    """Return the share of one core used by physics and sensors in real time."""
    start = simulation.time
    spent = processor_seconds(lambda: simulation.step(2.0))
    return spent / (simulation.time - start)
