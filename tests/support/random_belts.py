"""Random crawlers with convex belts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, rotate
from grouser.simulation.simulation import Simulation
from grouser.tracks.path import ArcSegment, BeltPath
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

FRICTION = 0.7
GRAVITY = STANDARD.gravity
BENDS_DEG = 3.0, 90.0
"""Smallest and largest bend between two runs that face the ground."""
RISE_DEG = 80.0
"""Largest slope of a run."""
OFF_CENTRE = 0.7
"""Largest distance of the centre of mass from the middle of the run on the ground, over half of
its length."""


@dataclass(frozen=True)
class RandomBelt:
    """A crawler on level ground: options, speed and time step."""

    options: dict[str, Any]
    speed: float
    """m/s."""
    timestep: float
    """s."""

    @staticmethod
    def draw(seed: int) -> RandomBelt:
        """Draw a crawler whose belts are convex, with 3 to 6 pulleys."""
        rng = np.random.default_rng(seed)
        while True:
            pulleys, reach = _draw_pulleys(rng)
            try:
                path = BeltPath.around(pulleys)
            except ValueError:
                continue
            if len(path.arcs) == len(pulleys) and path.bottom() > 0.1:
                break
        mass = float(10 ** rng.uniform(0.9, 2.3))
        pitch = float(rng.uniform(0.02, 0.1))
        shape = str(rng.choice(["rounded", "box"]))
        return RandomBelt(
            options={
                "mass": round(mass, 3),
                "gauge": 0.5,
                "width": 0.1,
                "pulleys": pulleys,
                "grouser": {
                    "shape": shape,
                    "length": 0.006,
                    "height": round(float(10 ** rng.uniform(-2.3, -1.5)), 5),
                },
                "count": max(4, round(path.length / pitch)),
                "force": round(mass * GRAVITY, 3),
                "speed": 1.2,
                "centre_x": round(reach * float(rng.uniform(-OFF_CENTRE, OFF_CENTRE)), 5),
                "centre_z": round(reach * float(rng.uniform(0.3, 1.0)), 5),
            },
            speed=round(float(rng.uniform(0.1, 1.0)), 4),
            timestep=float(rng.choice([0.001, 0.0005])),
        )

    @property
    def path(self) -> BeltPath:
        """Path of its belts."""
        return BeltPath.around(self.options["pulleys"])

    @property
    def pitch(self) -> float:
        """Distance between grousers, m."""
        return self.path.length / float(self.options["count"])

    def simulation(self) -> Simulation:
        """Return it at rest on level ground."""
        physics = STANDARD.model_copy(update={"timestep": self.timestep})
        entry = RobotEntry(
            name="crawler", kind="crawler", position=(0.0, 0.0, 0.0), options=self.options
        )
        flat = (Flat(friction=FRICTION),)
        return Simulation(World(name="flat", physics=physics, terrain=flat, robots=(entry,)))

    def drive(self, simulation: Simulation, settling: float) -> None:
        """Accelerate to the speed at 1 m/s² and drive for ``settling`` seconds."""
        steps = math.ceil(self.speed / 0.02)
        for step in range(1, steps + 1):
            simulation.command("crawler", forward=self.speed * step / steps)
            simulation.step(0.02)
        simulation.step(settling)


def _draw_pulleys(rng: np.random.Generator) -> tuple[list[tuple[float, float, float]], float]:
    """Draw pulleys below a chain of runs, one of them on the ground around the origin.

    Return them and half of the length of that run, m.
    """
    count = int(rng.integers(3, 7))
    least, largest = np.log(BENDS_DEG)
    while True:
        bends = np.radians(np.exp(rng.uniform(least, largest, count - 2)))
        level = int(rng.integers(0, count - 1))
        # Slopes rise towards the front: runs before the one on the ground are negative.
        slopes = np.concatenate([[0.0], np.cumsum(bends)])
        slopes -= slopes[level]
        if abs(slopes).max() < math.radians(RISE_DEG):
            break
    radii = rng.uniform(0.02, 0.09, count)
    spare = np.concatenate([[0.0], radii[1:-1] * np.tan(bends / 2), [0.0]])
    lengths = rng.uniform(0.02, 0.3, count - 1)
    lengths[level] = rng.uniform(0.15, 0.6)
    corners = [np.zeros(2)]
    for slope, length, (before, after) in zip(slopes, lengths, pairwise(spare), strict=True):
        direction = np.array([math.cos(slope), math.sin(slope)])
        corners.append(corners[-1] + direction * (length + before + after))
    ground = corners[level] + [spare[level] + lengths[level] / 2, 0.0]
    corners = [corner - ground for corner in corners]
    normals = np.column_stack([-np.sin(slopes), np.cos(slopes)])
    pulleys = []
    for number, corner in enumerate(corners):
        around = [n for n in (number - 1, number) if 0 <= n < count - 1]
        inward = normals[around].sum(axis=0)
        inward /= inward @ normals[around[0]]  # both lines are at the distance of 1
        x, z = corner + radii[number] * inward
        pulleys.append((round(float(x), 6), round(float(z), 6), round(float(radii[number]), 6)))
    return pulleys, float(lengths[level]) / 2


def path_points(path: BeltPath, distances: npt.NDArray[Any], height: float) -> Array:
    """Return the points (x, z) ``height`` above a planar ``path`` at ``distances`` along it, m."""
    along = distances % path.length
    numbers = np.searchsorted(path.starts, along, side="right") - 1
    points = np.zeros((len(along), 2))
    for index, segment in enumerate(path.segments):
        here = numbers == index
        into = (along[here] - path.starts[index])[:, None]
        start, (tangent, normal) = (
            segment.X_TF.position[[0, 2]],
            (rotate(segment.X_TF.wxyz, axis)[[0, 2]] for axis in ((1, 0, 0), (0, 0, 1))),
        )
        if isinstance(segment, ArcSegment):
            turn = into / segment.radius
            outward = normal * np.cos(turn) + tangent * np.sin(turn)
            points[here] = segment.centre[[0, 2]] + (segment.radius + height) * outward
        else:
            points[here] = start + into * tangent + height * normal
    return points
