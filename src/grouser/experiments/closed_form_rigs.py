"""Rigs of `closed_forms`: generic crawlers and the measurements made with them.

No parameter was tuned to these crawlers. Every measurement builds a small world, steps it and
returns one number. Lengths are in m, forces in N and angles in rad; a function that returns another
unit has it in its name.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import mujoco
import numpy as np

from grouser.frames import Array, Pose, degrees, millimetres, milliseconds, radians, to_rpy
from grouser.physics.contacts import BELT
from grouser.physics.slip_friction import SlipLaw
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
"""s after which a robot that was put down is at rest."""
BAR = (0.006, 0.010)
"""Length and height of a grouser, m."""
CREEP = 0.05
"""Quasi-static speed, m/s."""

Belts = Literal["grousers", "smooth", "surface", "wheels"]


@dataclass(frozen=True, kw_only=True)
class CrawlerCase:
    """Parameters of a crawler, its ground and the time step."""

    length: float
    """Distance between the axles, m."""
    gauge: float
    radius: float = 0.08
    """Radius of the pulleys including the grousers, m."""
    belts: Belts = "grousers"
    bar_pitch: float = 0.035
    """Distance between neighbouring grousers, m."""
    mass: float = 15.0
    friction: float = 0.6
    timestep: float = 0.001
    centre_z: float = 0.0
    """Height of the centre of mass above the line through the axles, m."""

    @property
    def x(self) -> float:
        """Distance of the centre of mass ahead of the rear axle, m."""
        return self.length / 2

    @property
    def wheels(self) -> int:
        """Number of wheels that replace a belt."""
        return max(2, round(self.length / 0.06))

    @property
    def weight(self) -> float:
        """Weight, N."""
        return self.mass * GRAVITY

    @property
    def table_cells(self) -> dict[str, Any]:
        """Cells that identify the case in a table."""
        belts: str = self.belts
        if self.belts == "grousers" and self.bar_pitch != CrawlerCase.bar_pitch:
            belts += f" every {millimetres(self.bar_pitch):g} mm"
        if self.centre_z:
            belts += f", centre at {millimetres(self.radius + self.centre_z):g} mm"
        return {
            "belts": belts,
            "L/B": round(self.length / self.gauge, 2),
            "friction": round(self.friction, 3),
            "step_ms": milliseconds(self.timestep),
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
            "inertia": 5.0,
            "lead": 0.005,
            "damping": 0.1,
            "centre_z": self.centre_z,
        }

    def stand(self, *, slope: float = 0.0, height: float = 0.0, wall: Terrain | None = None) -> Rig:
        """Return a rig with this crawler on a slope (rad) or ``height`` (m) above level ground."""
        terrain: tuple[Terrain, ...] = (Flat(friction=self.friction, slope_deg=degrees(slope)),)
        options, pitch = self.options(), -degrees(slope)
        terrain += (wall,) if wall else ()
        return Rig("crawler", options, terrain, self.timestep, height=height, pitch_deg=pitch)


class Rig:
    """Simulation of one robot in its own world."""

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
            name=ROBOT, kind=kind, position=(0.0, 0.0, height), pitch_deg=pitch_deg, options=options
        )
        world = World(
            name="closed form", physics=_physics(timestep), terrain=terrain, robots=(entry,)
        )
        self.simulation = Simulation(world)
        self.model, self.data = self.simulation.model, self.simulation.data
        robot = self.simulation.scene.robots[ROBOT]
        self.root = self.model.body(f"{ROBOT}/{robot.root}").id

    def run(self, seconds: float, **command: float) -> None:
        """Send ``command`` to the robot, if given, and step the simulation."""
        if command:
            self.simulation.command(ROBOT, command)
        self.simulation.step(self.simulation.round_to_steps(seconds))

    @property
    def pose(self) -> Pose:
        """Pose of the robot's root in the world."""
        return self.simulation.pose(ROBOT)

    @property
    def roll_pitch_yaw(self) -> Array:
        """Orientation of the robot's root, rad."""
        return to_rpy(self.pose.wxyz)

    @property
    def work(self) -> float:
        """Signed work of all drives since the start, J."""
        return float(self.simulation.state.memory.work.sum())

    @property
    def lost(self) -> float:
        """Work against the friction of drives and belts since the start, J."""
        return float(self.simulation.state.memory.losses.lost.sum())

    def rolling_loads(self, samples: int = 24) -> tuple[Array, Array]:
        """Return `loads` at many times while the belts advance slowly by two pitches."""
        # The grousers in contact and their loads depend on the position of the belt.
        distance = 2 * max(belt.pitch for belt in self.simulation.scene.belts)
        self.run(SETTLED, forward=CREEP)
        batches = []
        for _ in range(samples):
            self.run(distance / CREEP / samples)
            batches.append(self.loads())
        points, loads = zip(*batches, strict=True)
        return np.concatenate(points), np.concatenate(loads)

    def loads(self) -> tuple[Array, Array]:
        """Return the belts' contact points, (n, 3) in the robot frame, and normal forces, N."""
        mujoco.mj_forward(self.model, self.data)
        X_RW = self.pose.inverse()
        points, loads, force = [], [], np.zeros(6)
        for number in range(self.data.ncon):
            contact = self.data.contact[number]
            belts = self.model.geom_contype[contact.geom] == BELT
            if belts.any() and contact.dim == 3:
                mujoco.mj_contactForce(self.model, self.data, number, force)
                points.append(X_RW.apply(contact.pos))
                loads.append(force[0])
        return np.array(points).reshape(-1, 3), np.array(loads)


def _physics(timestep: float) -> PhysicsSettings:
    return STANDARD.model_copy(update={"timestep": timestep})


def turning(rig: Rig, rate: float, seconds: float = 1.5) -> float:
    """Return the ratio of the turning rate reached to the commanded ``rate`` (rad/s)."""
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
    """Return the slope at which sliding begins, from the acceleration on a steeper one, degrees."""
    slope = math.atan(case.friction) + radians(4)
    rig = case.stand(slope=slope)
    times, distances = [], []
    for _ in range(8):
        rig.run(0.1)
        times.append(rig.simulation.time)
        distances.append(-rig.pose.position[0] / math.cos(slope))
    acceleration = 2 * np.polyfit(times[2:], distances[2:], 2)[0]
    return float(degrees(math.atan(math.tan(slope) - acceleration / (GRAVITY * math.cos(slope)))))


def pull(case: CrawlerCase) -> float:
    """Return the drawbar pull (N) on a stiff rope at axle height while the belts slip."""
    rig = case.stand()
    rig.run(SETTLED)
    start, stiffness = float(rig.pose.position[0]), 20 * case.weight
    rig.run(0.0, forward=0.1)
    pulls = []
    for _ in range(300):
        tension = stiffness * (float(rig.pose.position[0]) - start)
        rig.data.xfrc_applied[rig.root, 0] = -tension
        rig.run(0.005)
        pulls.append(tension)
    return float(np.mean(pulls[-100:]))


def creep_mm_per_minute(rig: Rig, seconds: float = 3.0) -> float:
    """Return the speed at which a parked robot creeps down its slope, mm/min."""
    rig.run(2 * SETTLED)
    start = rig.pose.position
    rig.run(seconds)
    distance = float(np.linalg.norm(rig.pose.position - start))
    return millimetres(distance) * 60 / seconds


def climbing_work(case: CrawlerCase, slope: float) -> float:
    """Return the ratio of the drives' work to the potential energy gained on a slope (rad).

    Work against the friction of belts and joints is subtracted.
    """
    rig = case.stand(slope=slope)
    rig.run(SETTLED, forward=0.2)
    work, height = rig.work - rig.lost, float(rig.pose.position[2])
    rig.run(2.0)
    done = rig.work - rig.lost - work
    return done / (case.weight * (float(rig.pose.position[2]) - height))


def rebound_mm(rig: Rig) -> float:
    """Return the height of the rebound of a dropped robot after its first contact, mm."""
    standing = rig.simulation.scene.robots[ROBOT].standing
    heights = []
    for _ in range(70):
        rig.run(0.005)
        heights.append(float(rig.pose.position[2]) - standing)
    touched = int(np.argmax(np.array(heights) < 0))
    return float(millimetres(max(0.0, max(heights[touched:]))))


def flight(case: CrawlerCase) -> tuple[float, float]:
    """Return the ratios of energy and angular momentum after a flight to those before."""
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
    energy_after, spin_after = state()
    return energy_after / energy, spin_after / spin


def sliding_distance(law: SlipLaw, start: float) -> float:
    """Return the distance (m) in which a flat body stops that slides at ``start`` (m/s)."""
    plate = Box(name="plate", position=(0, 0, 0.03), size=(0.2, 0.2, 0.06), mass=1.0, friction=0.0)
    ground = Flat(
        friction=law.static,
        kinetic=law.kinetic,
        stribeck_speed=law.speed,
        stribeck_exponent=law.exponent,
    )
    world = World(name="sliding", physics=STANDARD, terrain=(ground,), objects=(plate,))
    simulation = Simulation(world)
    simulation.step(0.3)
    begin = float(simulation.data.qpos[0])
    simulation.state.data.qvel[0] = start
    simulation.step(simulation.round_to_steps(0.1 + 2 * start / (GRAVITY * law.kinetic)))
    return float(simulation.data.qpos[0]) - begin


def dragged_height_mm(shape: Literal["sphere", "box"], friction: float, speed: float) -> float:
    """Return the largest rise of a dragged 1 kg body above its height at rest, mm."""
    body: Ball | Box = (
        Ball(name="thing", position=(0, 0, 0.05), radius=0.05, mass=1.0, friction=friction)
        if shape == "sphere"
        else Box(name="thing", position=(0, 0, 0.05), size=(0.1,) * 3, mass=1.0, friction=friction)
    )
    world = World(
        name="dragged", physics=STANDARD, terrain=(Flat(friction=friction),), objects=(body,)
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
    """Return whether the crawler climbs a step of ``height`` (m) at creeping speed."""
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


def starts_up_wall(case: CrawlerCase) -> bool:
    """Return whether the crawler raises its nose along a wall."""
    edge = case.length / 2 + case.radius + 0.01
    rig = case.stand(wall=Step(x=edge, height=1.0, friction=case.friction))
    rig.run(0.2, forward=0.15)
    for _ in range(32):  # near the limit the climb starts only after seconds
        rig.run(0.25)
        if -float(rig.roll_pitch_yaw[1]) > radians(8):
            return True
    return False


def tip_back_deg(case: CrawlerCase, near_deg: float) -> float:
    """Return the slope at which the crawler tips over backwards, degrees."""
    # Only the direction of gravity changes, by half a degree per second. So neither an impact
    # on the slope nor a speed contributes to the tipping.
    rig = case.stand()

    def turn_gravity(slope_deg: float) -> None:
        slope = radians(slope_deg)
        rig.model.opt.gravity[:] = [-GRAVITY * math.sin(slope), 0, -GRAVITY * math.cos(slope)]
        rig.run(0.02)

    start = near_deg - 5
    for fraction in np.linspace(0, 1, 51):
        turn_gravity(float(fraction) * start)
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

    The first two runs are at ``truth`` -+ ``tolerance``. Further runs extend the bracket until it
    contains the limit, then bisect it.
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
