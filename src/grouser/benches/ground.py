"""Real-time factors of robots on height maps, and rate of ground queries.

``quince_heightmap_rtf``  Quince over a step of 190 mm as a map of 20 mm cells (planes only)
``quince_solids_rtf``     the same step as a box on a plane, for comparison
``quince_uneven_rtf``     Quince on a map of 20 mm cells without planes (20 mm waves, noise)
``roach_heightmap_rtf``   VelociRoACH on bumps of 12.5 mm cells
``poses_per_s``           ground queries (height, normal, geom) per second on a map

Real-time factors are simulated time over processor time of one thread. Every interval is run by
several identical simulations with bit-identical results, and the fastest counts because other load
on the machine only increases times.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

import numpy as np

from grouser.benches.machine import processor_seconds
from grouser.experiments.run_options import Progress
from grouser.frames import Array
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.kinds import Terrain
from grouser.world.terrain.step import Step

FRICTION = 0.6
CELL = 0.02
"""Cell size, m."""
EDGE, RISE = 0.8, 0.19
"""Position and height of the step, m; Okada et al. 2020, Table IV."""
SETTLE, SECONDS = 0.5, 0.25
"""Simulated time before the first interval, and of one interval, s."""
TURNS = 40
"""Number of intervals."""
COPIES = 3
"""Number of identical simulations."""
POSES = 200_000
REPEATS = 10


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("Quince", 0, 5)
    climb, ahead = {"front_deg": 45.0}, {"forward": 0.1}
    solids = Flat(friction=FRICTION), Step(x=EDGE, height=RISE, friction=FRICTION)
    step = _factor("quince", (step_map(),), ahead, climb)
    progress("Quince on solids", 1, 5)
    boxes = _factor("quince", solids, ahead, climb)
    progress("Quince on uneven ground", 2, 5)
    uneven = _factor("quince", (uneven_map(),), ahead, {}, 0.02)
    progress("roach", 3, 5)
    walk = {"left_speed": 15.7, "right_speed": 15.7}
    roach = _factor("velociroach", (bumps_map(),), walk, {}, 0.01)
    progress("poses", 4, 5)
    return {
        "quince_heightmap_rtf": step,
        "quince_solids_rtf": boxes,
        "quince_uneven_rtf": uneven,
        "roach_heightmap_rtf": roach,
        "poses_per_s": _poses_per_second(),
    }


def step_map() -> HeightMap:
    """Return the step as a height map."""
    x = CELL * np.arange(-50, 151)
    return _map(np.where(x >= EDGE - 1e-9, RISE, 0.0) * np.ones((81, 1)), CELL)


def uneven_map() -> HeightMap:
    """Return ground without planes: waves of 20 mm with noise of 1 mm."""
    x, y = CELL * np.arange(-50, 151), CELL * np.arange(-40, 41)
    waves = 0.01 * np.sin(2 * np.pi * x) * np.cos(2 * np.pi * y)[:, None]
    return _map(waves + np.random.default_rng(0).normal(0, 0.001, waves.shape), CELL)


def bumps_map() -> HeightMap:
    """Return bumps of up to 10 mm with cells of 12.5 mm."""
    return _map(np.random.default_rng(0).uniform(0, 0.01, (81, 161)), 0.0125)


def _map(heights: Array, cell: float) -> HeightMap:
    return HeightMap.of(heights, cell, x=-1.0, friction=FRICTION)


def _factor(
    kind: str,
    terrain: tuple[Terrain, ...],
    command: dict[str, float],
    options: Mapping[str, float],
    start: float = 0.0,
) -> float:
    """Return the real-time factor of a robot with a constant ``command``."""
    entry = RobotEntry(
        name=kind, kind=kind, position=(0.0, 0.0, start), command=command, options=dict(options)
    )
    world = World(name="ground", physics=STANDARD, terrain=terrain, robots=(entry,))
    simulations = [Simulation(world) for _ in range(COPIES)]
    for simulation in simulations:
        simulation.step(SETTLE)
    steps = [partial(simulation.step, SECONDS) for simulation in simulations]
    fastest = sum(min(map(processor_seconds, steps)) for _ in range(TURNS))
    return TURNS * SECONDS / fastest


def _poses_per_second() -> float:
    """Return the rate of ground queries, 1/s."""
    world = World(name="ground", physics=STANDARD, terrain=(uneven_map(),))
    ground = Ground(compose(world))
    points = np.random.default_rng(0).uniform((-0.99, -0.79), (2.99, 0.79), (POSES, 2))
    return POSES / min(processor_seconds(lambda: ground.below(points)) for _ in range(REPEATS))
