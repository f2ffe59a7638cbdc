"""Rigs of `closed_forms`: crawlers nobody tuned to, and what is measured of them.

Every rig builds a small world, lets time pass and returns one number. Sizes in m, N, rad inside;
the names of what is returned say their unit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.frames import Array, Pose, degrees, millimetres, radians, to_rpy
from grouser.physics.contacts import BELT
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.objects import Ball, Box
from grouser.world.physics_settings import STANDARD, PhysicsSettings
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import Terrain
from grouser.world.terrain.step import Step

GRAVITY = STANDARD.gravity
ROBOT = "robot"
SETTLED = 0.6
"""s until a robot that is put down stands still."""
BAR = (0.006, 0.010)
"""m; length and height of a grouser."""
CREEP = 0.05
"""m/s; slow enough for statics."""

Belts = Literal["grousers", "smooth", "surface", "wheels"]


@dataclass(frozen=True, kw_only=True)
class CrawlerCase:
    """A crawler, its ground and the time step."""

    length: float
    """Between the axles."""
    gauge: float
    radius: float = 0.08
    """Of the pulleys, to the grousers' tips."""
    belts: Belts = "grousers"
    bar_pitch: float = 0.035
    """From one grouser to the next."""
    mass: float = 15.0
    friction: float = 0.6
    timestep: float = 0.001
    centre_z: float = 0.0
    """Centre of mass over the line through the axles."""

    @property
    def x(self) -> float:
        """Centre of mass before the rear axle."""
        return self.length / 2

    @property
    def wheels(self) -> int:
        """How many stand for a belt."""
        return max(2, round(self.length / 0.06))

    @property
    def weight(self) -> float:
        """N."""
        return self.mass * GRAVITY

    @property
    def described(self) -> dict[str, Any]:
        """What a table says about it."""
        belts: str = self.belts
        if self.belts == "grousers" and self.bar_pitch != CrawlerCase.bar_pitch:
            belts += f" every {millimetres(self.bar_pitch):g} mm"
        if self.centre_z:
            belts += f", centre at {millimetres(self.radius + self.centre_z):g} mm"
        return {
            "belts": belts,
            "L/B": round(self.length / self.gauge, 2),
            "friction": round(self.friction, 3),
            "step_ms": 1000 * self.timestep,
        }

    def options(self) -> dict[str, Any]:
        """Return the crawler's options in a world file."""
        radius = self.radius - (BAR[1] if self.belts == "grousers" else 0.0)
        around = 2 * self.length + 2 * math.pi * radius
        bar = {"shape": "rounded", "length": BAR[0], "height": BAR[1]}
        return {
            "mass": self.mass,
            "gauge": self.gauge,
            "width": 0.08,
            "pulleys": [[side * self.length / 2, 0.0, radius] for side in (-1, 1)],
            "grouser": bar if self.belts == "grousers" else None,
            "count": round(around / self.bar_pitch),
            "method": "segments" if self.belts in ("grousers", "smooth") else self.belts,
            "wheels": self.wheels,
            "force": 3 * self.weight,
            "centre_z": self.centre_z,
        }

    def stand(self, *, slope: float = 0.0, height: float = 0.0, wall: Terrain | None = None) -> Rig:
        """Return it standing on a slope (rad), or ``height`` above level ground."""
        terrain: tuple[Terrain, ...] = (Flat(friction=self.friction, slope_deg=degrees(slope)),)
        options, pitch = self.options(), -degrees(slope)
        terrain += (wall,) if wall else ()
        return Rig("crawler", options, terrain, self.timestep, height=height, pitch_deg=pitch)


class Rig:
    """One robot in a world of its own, in motion."""

    def __init__(
        self,
        kind: str,
        options: dict[str, Any],
        terrain: tuple[Terrain, ...],
        timestep: float,
        *,
        height: float = 0.0,
        pitch_deg: float = 0.0,
    ) -> None:
        entry = RobotEntry(
            name=ROBOT,
            kind=kind,
            position=(0.0, 0.0, height),
            pitch_deg=pitch_deg,
            options=options,
        )
        world = World(
            name="closed form", physics=_physics(timestep), terrain=terrain, robots=(entry,)
        )
        self.simulation = Simulation(world)
        self.model, self.data = self.simulation.model, self.simulation.data
        robot = self.simulation.scene.robots[ROBOT]
        self.root = self.model.body(f"{ROBOT}/{robot.root}").id

    def run(self, seconds: float, **command: float) -> None:
        """Tell the robot ``command`` if there is any, and let time pass."""
        if command:
            self.simulation.command(ROBOT, command)
        self.simulation.step(seconds)

    @property
    def pose(self) -> Pose:
        """Of the robot's root in the world."""
        return self.simulation.pose(ROBOT)

    @property
    def roll_pitch_yaw(self) -> Array:
        """Of the robot's root, rad."""
        return to_rpy(self.pose.wxyz)

    @property
    def work(self) -> float:
        """Signed work of all drives so far, J."""
        return float(self.simulation.state.memory.work.sum())

    def rolling_loads(self, samples: int = 24) -> tuple[Array, Array]:
        """Return the same of many moments in which its belts roll slowly on by two pitches.

        Which grousers touch, and how hard, depends on where they are.
        """
        way = 2 * max(belt.pitch for belt in self.simulation.scene.belts)
        self.run(SETTLED, forward=CREEP)
        moments = []
        for _ in range(samples):
            self.run(way / CREEP / samples)
            moments.append(self.loads())
        points, loads = zip(*moments, strict=True)
        return np.concatenate(points), np.concatenate(loads)

    def loads(self) -> tuple[Array, Array]:
        """Return where belts touch, in the robot's frame (n, 3), and the normal forces there."""
        mujoco.mj_forward(self.model, self.data)
        back = self.pose.inverse()
        points, loads, force = [], [], np.zeros(6)
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            belts = self.model.geom_contype[contact.geom] == BELT
            if belts.any() and contact.dim == 3:
                mujoco.mj_contactForce(self.model, self.data, number, force)
                points.append(back.apply(contact.pos))
                loads.append(force[0])
        return np.array(points).reshape(-1, 3), np.array(loads)


def _physics(timestep: float) -> PhysicsSettings:
    return STANDARD.model_copy(update={"timestep": timestep})


def turning(rig: Rig, rate: float, seconds: float = 1.5) -> float:
    """Return the turning rate reached over ``rate`` (rad/s)."""
    rig.run(SETTLED)
    rig.run(SETTLED, turn=rate)
    turned, before = 0.0, float(rig.roll_pitch_yaw[2])
    for _ in range(round(seconds / 0.1)):
        rig.run(0.1)
        now = float(rig.roll_pitch_yaw[2])
        turned += math.remainder(now - before, 2 * math.pi)
        before = now
    return turned / seconds / rate


def slip_angle_deg(case: CrawlerCase) -> float:
    """Return the slope on which it would begin to slide, from how it speeds up on a steeper one."""
    slope = math.atan(case.friction) + radians(4)
    rig = case.stand(slope=slope)
    times, ways = [], []
    for _ in range(8):
        rig.run(0.1)
        times.append(rig.simulation.time)
        ways.append(-rig.pose.position[0] / math.cos(slope))
    acceleration = 2 * np.polyfit(times[2:], ways[2:], 2)[0]
    return float(degrees(math.atan(math.tan(slope) - acceleration / (GRAVITY * math.cos(slope)))))


def pull(case: CrawlerCase) -> float:
    """Return what it pulls (N) at a rope on axle height that grows taut, while its belts slip."""
    rig = case.stand()
    rig.run(SETTLED)
    start, stiff = float(rig.pose.position[0]), 20 * case.weight
    rig.run(0.0, forward=0.1)
    pulled = []
    for _ in range(300):
        taut = stiff * (float(rig.pose.position[0]) - start)
        rig.data.xfrc_applied[rig.root, 0] = -taut
        rig.run(0.005)
        pulled.append(taut)
    return float(np.mean(pulled[-100:]))


def creep_mm_per_minute(rig: Rig, seconds: float = 3.0) -> float:
    """Return how fast a parked robot goes down its slope."""
    rig.run(2 * SETTLED)
    start = rig.pose.position
    rig.run(seconds)
    way = float(np.linalg.norm(rig.pose.position - start))
    return millimetres(way) * 60 / seconds


def climbing_work(case: CrawlerCase, slope: float) -> float:
    """Return the drives' work on a slope over the potential energy that was gained."""
    rig = case.stand(slope=slope)
    rig.run(SETTLED, forward=0.2)
    work, height = rig.work, float(rig.pose.position[2])
    rig.run(2.0)
    return (rig.work - work) / (case.weight * (float(rig.pose.position[2]) - height))


def rebound_mm(rig: Rig) -> float:
    """Return how high a dropped robot is again after it has touched the ground."""
    standing = rig.simulation.scene.robots[ROBOT].standing
    heights = []
    for _ in range(70):
        rig.run(0.005)
        heights.append(float(rig.pose.position[2]) - standing)
    touched = int(np.argmax(np.array(heights) < 0))
    return float(millimetres(max(0.0, max(heights[touched:]))))


def flight(case: CrawlerCase) -> tuple[float, float]:
    """Return energy and angular momentum of a spinning body after a flight, over those before."""
    rig = case.stand(height=3.0)
    rig.data.qvel[:6] = [0.5, 0.2, 1.0, 1.0, 2.0, 3.0]

    def state() -> tuple[float, float]:
        mujoco.mj_forward(rig.model, rig.data)
        mujoco.mj_energyPos(rig.model, rig.data)
        mujoco.mj_energyVel(rig.model, rig.data)
        mujoco.mj_subtreeVel(rig.model, rig.data)
        spin = float(np.linalg.norm(rig.data.subtree_angmom[rig.root]))
        return float(rig.data.energy.sum()), spin

    energy, spin = state()
    rig.run(0.5)
    energy_then, spin_then = state()
    return energy_then / energy, spin_then / spin


def dragged_height_mm(shape: Literal["sphere", "box"], friction: float, speed: float) -> float:
    """Return how far above where it stands a 1 kg body gets while it is dragged along."""
    thing: Ball | Box = (
        Ball(name="thing", position=(0, 0, 0.05), radius=0.05, mass=1.0, friction=friction)
        if shape == "sphere"
        else Box(name="thing", position=(0, 0, 0.05), size=(0.1,) * 3, mass=1.0, friction=friction)
    )
    world = World(
        name="dragged", physics=STANDARD, terrain=(Flat(friction=friction),), objects=(thing,)
    )
    simulation = Simulation(world)
    simulation.step(0.5)
    standing, highest = float(simulation.data.qpos[2]), -math.inf
    for number in range(600):
        simulation.data.qvel[[0, 1]] = speed, 0.0
        simulation.data.qvel[3:6] = 0.0
        simulation.step(0.001)
        if number > 200:
            highest = max(highest, float(simulation.data.qpos[2]))
    return float(millimetres(highest - standing))


def climbs(case: CrawlerCase, height: float) -> bool:
    """Say whether it gets up a step, creeping."""
    edge = case.length / 2 + case.radius + 0.03
    rig = case.stand(wall=Step(x=edge, height=height, friction=case.friction))
    rig.run(0.2, forward=CREEP)
    for _ in range(76):
        rig.run(0.25)
        x, _, z = rig.pose.position
        pitch = -float(rig.roll_pitch_yaw[1])
        if x > edge + 0.02 and z > height and pitch < radians(10):
            return True
        if pitch > radians(75):
            return False
    return False


def starts_up(case: CrawlerCase) -> bool:
    """Say whether it raises its nose along a wall."""
    edge = case.length / 2 + case.radius + 0.01
    rig = case.stand(wall=Step(x=edge, height=1.0, friction=case.friction))
    rig.run(0.2, forward=0.15)
    for _ in range(32):  # near the limit it starts only after seconds
        rig.run(0.25)
        if -float(rig.roll_pitch_yaw[1]) > radians(8):
            return True
    return False


def tip_back_deg(case: CrawlerCase, near_deg: float) -> float:
    """Return the slope on which it falls over backwards: gravity turns, half a degree a second.

    Nothing else moves, so neither the drop on to a slope nor any speed helps it over.
    """
    rig = case.stand()

    def turn_gravity(slope_deg: float) -> None:
        slope = radians(slope_deg)
        rig.model.opt.gravity[:] = [-GRAVITY * math.sin(slope), 0, -GRAVITY * math.cos(slope)]
        rig.run(0.02)

    start = near_deg - 5
    for part in np.linspace(0, 1, 51):
        turn_gravity(float(part) * start)
    rig.run(0.3)
    for slope_deg in np.arange(start, near_deg + 4, 0.01):
        turn_gravity(float(slope_deg))
        if -float(rig.roll_pitch_yaw[1]) > radians(6):
            return float(slope_deg)
    return math.inf


def bracket(
    passes: Callable[[float], bool], truth: float, tolerance: float, runs: int
) -> tuple[float, float]:
    """Return the largest value that passes and the smallest that fails, near ``truth``.

    Two runs try ``truth`` -+ ``tolerance``; more look where in between, or further out, it turns.
    """
    low, high = truth - tolerance, truth + tolerance
    low_passes, high_passes = passes(low), passes(high)
    step, used = 2 * tolerance, 2
    while not low_passes and used < runs:
        high, high_passes = low, False
        low -= step
        low_passes, used = passes(low), used + 1
    while high_passes and used < runs:
        low, low_passes = high, True
        high += step
        high_passes, used = passes(high), used + 1
    while low_passes and not high_passes and used < runs:
        middle, used = (low + high) / 2, used + 1
        low, high = (middle, high) if passes(middle) else (low, middle)
    return (low if low_passes else -math.inf), (high if not high_passes else math.inf)
