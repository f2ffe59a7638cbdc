"""Can eight robots walk and see in real time, without a GPU?

Eight ERS-7 walk in one world; each has its camera of 208 x 160 pixels, with lens and CMOS chip.
Physics, sensors and pictures run at once: the simulation steps from frame to frame, while render
workers (processes of their own) draw the last one. A frame counts when all eight pictures are
there.

``real_time_factor``         simulated over wall-clock time at 25 frames per second
``real_time_factor_30fps``   the same at 30
``view_ms``                  one view with its CMOS filter, on one core, median
``physics_share``            time of one core that physics and sensors take, at 25 frames per second
``eye_share_10fps``          time of one core that render workers take of seven cameras at 10 per
                             second: five ERS-7, a QRIO and a Kenaf
"""

from __future__ import annotations

import asyncio
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from grouser.cores import cores
from grouser.frames import degrees, milliseconds
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.views import Views
from grouser.sensors.camera import Camera, CameraFrame
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD, PhysicsSettings
from grouser.world.terrain.flat import Flat

ROBOTS = 8
SECONDS = 6.0
"""Simulated, per rate."""
TIMESTEP = 0.002  # s
CAMERA = "camera"
TICK = 0.01
"""s; simulated between two looks at the event loop, which a server does more often."""

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    figures: dict[str, float] = {}
    for number, rate in enumerate((25.0, 30.0)):
        progress(f"{rate:g} frames per second", number, 4)
        name = "real_time_factor" + ("" if number == 0 else f"_{rate:g}fps")
        figures[name] = asyncio.run(_factor(rate))
    progress("one view", 2, 4)
    simulation = walking()
    figures["view_ms"] = milliseconds(_view(simulation))
    figures["physics_share"] = _physics(simulation)
    progress("seven cameras", 3, 4)
    figures["eye_share_10fps"] = asyncio.run(_eye_share(10.0))
    return figures


def world() -> World:
    """Return eight robots that walk round in circles, each in sight of others."""
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


def walking() -> Simulation:
    """Return the robots after their first steps."""
    simulation = Simulation(world())
    simulation.step(1.0)
    return simulation


def mixed() -> World:
    """Return five ERS-7 that walk, a QRIO and a Kenaf that watch them."""
    dogs = world().robots[:5]
    qrio = RobotEntry(name="qrio", kind="qrio", position=(-1.5, 0.0, 0.0))
    eye = {"kind": "camera", "mount": "body", "at": [0.2, 0.0, 0.3], "camera": "ers7"}
    kenaf = RobotEntry(name="kenaf", kind="kenaf", position=(0.0, -2.0, 0.0), sensors=(eye,))
    return world().changed(robots=(*dogs, qrio, kenaf))


def watched(pool: RenderPool, simulation: Simulation) -> Views:
    """Return the views of a simulation, all of them looked at."""
    views = Views(pool)
    views.rebind(simulation.scene)
    views.frames.watch(None)
    return views


async def _factor(rate: float) -> float:
    """Return how many times faster than real time frames come at ``rate`` per second."""
    simulation = walking()
    async with RenderPool(workers=cores()) as pool:
        views = watched(pool, simulation)
        await _drawn(
            views, _offer(views, simulation)
        )  # starts the workers: compiles, builds buffers
        begun, start, requested = time.perf_counter(), simulation.time, views.frames.drawn.total()
        for frame in range(1, round(SECONDS * rate) + 1):
            while simulation.time < start + frame / rate - TIMESTEP / 2:
                simulation.step(TICK)
                await asyncio.sleep(0)  # let pictures come in
            await _drawn(
                views, requested
            )  # the last frame must be there before the next is asked for
            requested = _offer(views, simulation)
        await _drawn(views, requested)
        return (simulation.time - start) / (time.perf_counter() - begun)


def _offer(views: Views, simulation: Simulation) -> int:
    """Let all robots' views of this moment be drawn; return how many there will be then."""
    for name in simulation.scene.robots:
        views.offer(name, simulation.read(name, CAMERA))
    return views.frames.drawn.total() + len(simulation.scene.robots)


async def _drawn(views: Views, number: int) -> None:
    """Wait for that many pictures."""
    while views.frames.drawn.total() < number:
        await asyncio.sleep(0.0005)


async def _eye_share(rate: float) -> float:
    """Return the part of one core that one worker takes for seven cameras, one of each robot."""
    simulation = Simulation(mixed())
    simulation.step(1.0)
    cameras = {name: _first_camera(simulation, name) for name in simulation.scene.robots}
    async with RenderPool(workers=1) as pool:
        views = watched(pool, simulation)
        spent = 0.0
        for frame in range(round(SECONDS * rate)):
            simulation.step(simulation.round_to_steps(1 / rate))
            expected = views.frames.drawn.total() + len(cameras)
            for name, camera in cameras.items():
                views.offer(name, simulation.read(name, camera))
            await _drawn(views, expected)
            if frame == 0:
                spent = _spent(pool)  # so far it composed, compiled, built buffers
        return (_spent(pool) - spent) / (SECONDS - 1 / rate)


def _first_camera(simulation: Simulation, robot: str) -> str:
    """Return the name of a robot's first camera."""
    cameras = (
        name
        for (owner, name), (sensor, _) in simulation.scene.sensors.items()
        if owner == robot and isinstance(sensor, Camera)
    )
    return next(cameras)


def _spent(pool: RenderPool) -> float:
    """Return the processor time (s) of the workers so far; nan where the system does not tell."""
    total = 0.0
    for process in pool.process_ids:
        try:
            words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return math.nan
        total += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return total


def _view(simulation: Simulation, repeats: int = 40) -> float:
    """Return the processor time (s) of one view, drawn here."""
    times = []
    for number in range(repeats):
        if number % ROBOTS == 0:
            simulation.step(0.1)  # else the pictures are there already
        frame = simulation.read(f"dog{number % ROBOTS}", CAMERA).values
        assert isinstance(frame, CameraFrame)
        begun = time.process_time()
        _ = frame.image
        times.append(time.process_time() - begun)
    return float(np.median(times))


def _physics(simulation: Simulation) -> float:
    """Return what part of real time physics and sensors take of one core."""
    begun, start = time.process_time(), simulation.time
    simulation.step(2.0)
    return (time.process_time() - begun) / (simulation.time - start)
