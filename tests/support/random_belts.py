"""Random crawlers with convex belts, and what the polygon effect of their grousers explains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, rotate
from grouser.physics.compliance import SINK
from grouser.simulation.simulation import Simulation
from grouser.tracks.path import LEVEL, ArcSegment, BeltPath
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
PATH_SAMPLES = 200
"""Points of a belt without grousers that may touch the ground."""
PHASES = 16
"""Belt positions within a pitch at which the standing height is computed."""


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

    def standing_heights(self) -> Array:
        """Return the height (m) of the centre of mass on level ground, by the belt's position.

        The robot stands on an edge of the convex hull of belt and grouser tips that has the centre
        of mass above it. The nearer to level, the earlier in a sequence of positions it is chosen.
        """
        path, count = self.path, int(self.options["count"])
        height = float(self.options["grouser"]["height"])
        belt = _points(
            path, np.arange(PATH_SAMPLES, dtype=float) * (path.length / PATH_SAMPLES), 0.0
        )
        centre = np.array([self.options["centre_x"], self.options["centre_z"]])
        starts: Array = path.best_phase(count, height) + self.pitch * np.arange(count, dtype=float)
        heights, angle = [], 0.0
        for step in range(PHASES):
            tips = _points(path, starts + self.pitch * step / PHASES, height)
            angle, above = _stand(np.concatenate([belt, tips]) - centre, angle)
            heights.append(above)
        return np.array(heights)

    def polygon_speed(self) -> float:
        """Return the vertical speed (m/s) that follows from the standing heights.

        The rms of what it is driven at, or the speed of a fall from the highest to the lowest: a
        robot that tips from one grouser to the next does not wait for the belt.
        """
        heights = self.standing_heights()
        rises = np.diff(np.append(heights, heights[0])) / (self.pitch / PHASES)
        driven = self.speed * float(np.sqrt(np.mean(rises**2)))
        return max(driven, math.sqrt(2 * GRAVITY * float(np.ptp(heights))))

    def landing_speed(self) -> float:
        """Return the largest vertical speed (m/s) of the robot as a tip lands or lifts off.

        The robot sinks in, most at the end of its run that is nearer to the centre of mass, where
        the pressure is 1 + 6 e/L times the mean (e: distance of the centre of mass from the middle,
        L: length of the run). On the arc beyond the run a tip meets the ground at this depth, at an
        angle of acos(1 - depth/tip radius) or at the end of the bend.
        """
        path, height = self.path, float(self.options["grouser"]["height"])
        runs = [
            index
            for index, segment in enumerate(path.segments)
            if max(abs(segment.at(end).position[2]) for end in (0.0, segment.length)) < LEVEL
        ]
        run = max(runs, key=lambda index: path.segments[index].length)
        off = abs(self.options["centre_x"]) / path.segments[run].length
        depth = SINK * (1 + 6 * off)
        speeds = []
        for index in (run - 1, run + 1):
            arc = path.arcs[index % len(path.segments)]
            tip = arc.radius + height
            angle = min(arc.angle, math.acos(1 - depth / tip))
            speeds.append(self.speed * tip / arc.radius * math.sin(angle))
        return max(speeds)


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


def _points(path: BeltPath, distances: npt.NDArray[Any], height: float) -> Array:
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


def _stand(points: Array, near: float) -> tuple[float, float]:
    """Return angle (rad) and height (m) of the origin on ``points``, at the stable edge nearest."""
    hull = _lower_hull(points)
    best = (math.inf, 0.0, 0.0)
    for here, ahead in pairwise(hull):
        edge = ahead - here
        edge /= np.linalg.norm(edge)
        if -1e-9 <= -here @ edge <= (ahead - here) @ edge + 1e-9:
            angle = math.atan2(edge[1], edge[0])
            height = float(here[0] * edge[1] - here[1] * edge[0])
            best = min(best, (abs(angle - near), angle, height))
    return best[1], best[2]


def _lower_hull(points: Array) -> Array:
    """Return the lower part of the convex hull, from left to right."""
    chain: list[Array] = []
    for point in points[np.lexsort((points[:, 1], points[:, 0]))]:
        while len(chain) >= 2:
            (x1, z1), (x2, z2) = chain[-1] - chain[-2], point - chain[-2]
            if x1 * z2 - z1 * x2 > 0:
                break
            chain.pop()
        chain.append(point)
    return np.array(chain)
