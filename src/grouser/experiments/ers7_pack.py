"""Worlds with several ERS-7 and the time per frame (Zaratti et al. 2006, sec. 5).

A frame is the work of the paper's machine 30 times per second: step the simulation by 1/30 s and
draw one view. Everything runs on one core.
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
"""Frame rate of the paper's simulator, Hz."""
TIMESTEP = 0.002
"""Time step, s; physics at 500 Hz."""
CARPET = 0.8
"""Friction coefficient of rubber paws on a carpet; estimate."""
PIXELS = 320, 240
"""Width and height of the view; not printed in the paper."""

PHYSICS = PhysicsSettings(**STANDARD.model_dump() | {"timestep": TIMESTEP})


def pack_world(*robots: RobotEntry, objects: tuple[AnyObject, ...] = ()) -> World:
    """Return a world with the robots and objects on a carpet."""
    return World(
        name="pack",
        physics=PHYSICS,
        terrain=(Flat(friction=CARPET),),
        robots=robots,
        objects=objects,
    )


def ers7_entry(name: str, x: float, y: float, heading: float, **command: float) -> RobotEntry:
    """Return an ERS-7 at x, y (m) with a ``heading`` (rad) and an initial command."""
    return RobotEntry(
        name=name,
        kind="ers7",
        position=(x, y, 0.0),
        yaw_deg=degrees(heading) % 360,
        command=command,
    )


class TimedFrames:
    """Simulation that is stepped frame by frame; every frame ends with a picture."""

    def __init__(self, simulation: Simulation, view: Viewpoint, renderer: Renderer) -> None:
        self.simulation, self._view, self._renderer = simulation, view, renderer
        self._start, self._count = simulation.time, 0

    def next(self) -> float:
        """Step the simulation by a frame, draw it and return the processor time, s."""
        # On one core it is the wall time minus the time of other programs.
        self._count += 1
        start = time.process_time()
        missing = max(0.0, self._start + self._count / RATE - self.simulation.time)
        self.simulation.step(self.simulation.round_to_steps(missing))
        model, data = self.simulation.model, self.simulation.data
        self._renderer.picture(model, data, self._view)
        return time.process_time() - start


@contextmanager
def one_core() -> Iterator[None]:
    """Pin this process and its new threads, such as a software renderer, to one core."""
    if not hasattr(os, "sched_setaffinity"):  # the system cannot pin processes
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
