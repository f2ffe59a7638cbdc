"""How fast are robots on height maps, and how fast can ground be asked?

``quince_heightmap_rtf``  Quince over a step of 190 mm that is a map of 20 mm cells
``quince_solids_rtf``     the same step as a box on a plane: the yardstick, in the same turns
``quince_uneven_rtf``     Quince on a map of 20 mm cells that is plane nowhere (20 mm waves, noise)
``roach_heightmap_rtf``   VelociRoACH on bumps of 12.5 mm cells
``poses_per_s``           poses a second whose ground (height, normal, geom) is found on a map

Real-time factors are simulated time over processor time of one thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import numpy as np

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
"""m."""
EDGE, RISE = 0.8, 0.19
"""Where the step is and how high, m: Okada et al. 2020, Table IV."""
SECONDS = 0.5
"""Simulated time of one turn."""
TURNS = 20
POSES = 200_000
REPEATS = 10

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("Quince", 0, 4)
    quince = {"front_deg": 45.0}
    level = Flat(friction=FRICTION), Step(x=EDGE, height=RISE, friction=FRICTION)
    grounds: dict[str, tuple[Terrain, ...]] = {"heightmap": (step_map(),), "solids": level}
    simulations = [
        _driving("quince", terrain, {"forward": 0.1}, quince) for terrain in grounds.values()
    ]
    step = dict(zip(grounds, _factors(simulations, TURNS), strict=True))
    progress("Quince on uneven ground", 1, 4)
    uneven = _factors([_driving("quince", (uneven_map(),), {"forward": 0.1}, {}, 0.02)], TURNS // 2)
    progress("roach", 2, 4)
    walk = {"left_speed": 15.7, "right_speed": 15.7}
    roach = _factors([_driving("velociroach", (bumps_map(),), walk, {}, 0.01)], TURNS // 2)
    progress("poses", 3, 4)
    return {
        "quince_heightmap_rtf": step["heightmap"],
        "quince_solids_rtf": step["solids"],
        "quince_uneven_rtf": uneven[0],
        "roach_heightmap_rtf": roach[0],
        "poses_per_s": _poses_per_second(),
    }


def step_map() -> HeightMap:
    """Return the step as a map."""
    x = CELL * np.arange(-50, 151)
    return _map(np.where(x >= EDGE - 1e-9, RISE, 0.0) * np.ones((81, 1)), CELL)


def uneven_map() -> HeightMap:
    """Return ground that is plane nowhere: waves of 20 mm with noise of 1 mm."""
    x, y = CELL * np.arange(-50, 151), CELL * np.arange(-40, 41)
    waves = 0.01 * np.sin(2 * np.pi * x) * np.cos(2 * np.pi * y)[:, None]
    return _map(waves + np.random.default_rng(0).normal(0, 0.001, waves.shape), CELL)


def bumps_map() -> HeightMap:
    """Return bumps of up to 10 mm, one per 12.5 mm cell."""
    return _map(np.random.default_rng(0).uniform(0, 0.01, (81, 161)), 0.0125)


def _map(heights: Array, cell: float) -> HeightMap:
    return HeightMap.of(heights, cell, x=-1.0, friction=FRICTION)


def _driving(
    kind: str,
    terrain: tuple[Terrain, ...],
    command: dict[str, float],
    options: Mapping[str, float],
    start: float = 0.0,
) -> Simulation:
    entry = RobotEntry(
        name=kind,
        kind=kind,
        position=(0.0, 0.0, start),
        command=command,
        options=dict(options),
    )
    world = World(name="ground", physics=STANDARD, terrain=terrain, robots=(entry,))
    simulation = Simulation(world)
    simulation.step(SECONDS)
    return simulation


def _factors(simulations: list[Simulation], turns: int) -> list[float]:
    """Return the real-time factors of simulations that take turns."""
    spent = np.zeros(len(simulations))
    for _ in range(turns):
        for number, simulation in enumerate(simulations):
            begun = time.process_time()
            simulation.step(SECONDS)
            spent[number] += time.process_time() - begun
    return [turns * SECONDS / seconds for seconds in spent.tolist()]


def _poses_per_second() -> float:
    world = World(name="ground", physics=STANDARD, terrain=(uneven_map(),))
    ground = Ground(compose(world))
    points = np.random.default_rng(0).uniform((-0.99, -0.79), (2.99, 0.79), (POSES, 2))
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        ground.below(points)
        times.append(time.process_time() - begun)
    return POSES / float(np.median(times))
