"""Packs of ERS-7 in one world, and how long a frame of them takes (Zaratti et al. 2006, sec. 5).

A frame is what the paper's machine had to do 30 times a second: let that much time pass and draw
one view. Everything runs on one core.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from grouser.frames import degrees
from grouser.rendering.renderer import Renderer
from grouser.rendering.viewpoint import Viewpoint
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import AnyObject
from grouser.world.physics_settings import STANDARD, PhysicsSettings
from grouser.world.terrain.flat import Flat

RATE = 30.0
"""Frames per second at which the paper's simulator ran."""
TIMESTEP = 0.002
"""s; physics at 500 Hz."""
CARPET = 0.8
"""Friction of a carpet under rubber paws, -; estimate."""
PIXELS = 320, 240
"""Of the view, width and height; the paper does not print its own."""

PHYSICS = PhysicsSettings(**STANDARD.model_dump() | {"timestep": TIMESTEP})


def pack_world(*robots: RobotEntry, objects: tuple[AnyObject, ...] = ()) -> World:
    """Return a carpet with these robots and things on it."""
    return World(
        name="pack",
        physics=PHYSICS,
        terrain=(Flat(friction=CARPET),),
        robots=robots,
        objects=objects,
    )


def ers7_entry(name: str, x: float, y: float, heading: float, **command: float) -> RobotEntry:
    """Return an ERS-7 at x, y (m) that looks along ``heading`` (rad) and has a command."""
    return RobotEntry(
        name=name,
        kind="ers7",
        position=(x, y, 0.0),
        yaw_deg=degrees(heading) % 360,
        command=command,
    )


class TimedFrames:
    """A simulation that is watched: time passes in frames, each ends with a picture."""

    def __init__(self, simulation: Simulation, view: Viewpoint, renderer: Renderer) -> None:
        self.simulation, self._view, self._renderer = simulation, view, renderer
        self._begun, self._count = simulation.time, 0

    def next(self) -> float:
        """Let the next frame pass and draw it; return the seconds it took one core.

        Processor time of this process: on one core that is the time on the clock, less what other
        programs took of it.
        """
        self._count += 1
        begun = time.process_time()
        self.simulation.step(max(0.0, self._begun + self._count / RATE - self.simulation.time))
        model, data = self.simulation.model, self.simulation.data
        self._renderer.picture(model, data, self._view)
        return time.process_time() - begun


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this process and what it starts, such as a software renderer, on one core."""
    if not hasattr(os, "sched_setaffinity"):  # not Linux: the machine decides
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
