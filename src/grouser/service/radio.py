"""The radio: the only way in which robots can talk to each other.

Whoever is near enough hears it; distance and walls weaken it (`RadioModel`), and near the limit
some is lost, by generators of the run's own, one for each pair of robots: who else talks changes
nothing. Time is simulated time.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import unknown
from grouser.frames import Array
from grouser.simulation.scene import Scene
from grouser.simulation.schedule import generator
from grouser.simulation.simulation import Simulation

_MESH, _HFIELD = int(mujoco.mjtGeom.mjGEOM_MESH), int(mujoco.mjtGeom.mjGEOM_HFIELD)
_PLANE = int(mujoco.mjtGeom.mjGEOM_PLANE)


class Walls:
    """All of a scene that a signal has to pass through."""

    def __init__(self, scene: Scene) -> None:
        """Find whatever can be bumped into and is no robot's."""
        model = scene.model
        self._model = model
        roots = model.body_rootid[model.geom_bodyid]
        robots = tuple(f"{name}/" for name in scene.robots)
        free = np.array([model.body(root).name.startswith(robots) for root in roots], bool)
        solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        self._geoms = np.flatnonzero(solid & ~free)
        types = model.geom_type[self._geoms]
        # A plane has no end.
        self._reach = np.where(types == _PLANE, np.inf, model.geom_rbound[self._geoms])

    def between(self, data: mujoco.MjData, begin: Array, end: Array, most: int) -> int:
        """Return how many walls a straight line passes, ``most`` at most; each counts once.

        Args:
            data: where everything is; its places must be up to date.
            begin: one end of the line in the world, m, (3,).
            end: the other.
            most: how many are worth counting.
        """
        way = end - begin
        count = 0
        for geom in self._near(data, begin, way):
            if count >= most:
                break
            count += self._passes(data, int(geom), begin, way)
        return count

    def _near(self, data: mujoco.MjData, begin: Array, way: Array) -> Array:
        """Return the geoms whose bounding sphere the line passes."""
        to = data.geom_xpos[self._geoms] - begin
        along = np.clip(to @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
        away = np.linalg.norm(to - along[:, None] * way, axis=1)
        return np.asarray(self._geoms[away <= self._reach])

    def _passes(self, data: mujoco.MjData, geom: int, begin: Array, way: Array) -> bool:
        model, kind = self._model, int(self._model.geom_type[geom])
        if kind == _MESH:
            share = mujoco.mj_rayMesh(model, data, geom, begin, way)
        elif kind == _HFIELD:
            share = mujoco.mj_rayHfield(model, data, geom, begin, way)
        else:
            place, turn = data.geom_xpos[geom], data.geom_xmat[geom]
            share = mujoco.mju_rayGeom(place, turn, model.geom_size[geom], begin, way, kind)
        return bool(0.0 <= share <= 1.0)


MOST_WAITING = 10_000
"""Messages on their way; with more the oldest is lost, as in a crowded band."""


@dataclass(frozen=True)
class RadioSignal:
    """What a robot receives over its radio."""

    sender: str
    """Name of the robot that sent it."""
    data: bytes
    strength: float
    """Of the signal where it is received, dBm."""


Delivery = tuple[str, RadioSignal]
"""Name of the robot that receives it, and what."""


class Radio:
    """Carries messages between the robots of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        """Carry what robots in ``simulation`` send."""
        self._simulation = simulation
        self._scene = simulation.scene
        self._walls = Walls(simulation.scene)
        self._now = -1.0
        self._start_over()

    def transmit(self, sender: str, data: bytes, to: str | None = None) -> list[Delivery]:
        """Send ``data`` from robot ``sender``; return who receives it at once, in order of names.

        With a delay nobody does: `arrived` returns who does later.

        Args:
            sender: name of a robot.
            data: what it sends.
            to: name of the robot that is meant, any case; None: whoever is in reach.
        """
        self._update()
        robots = self._scene.robots
        if sender not in robots:
            raise unknown("radio", "robot", sender, robots)
        others = [name for name in sorted(robots) if name != sender]
        if to is not None:
            others = [name for name in others if name.lower() == to.lower()]
        deliveries = [
            (name, RadioSignal(sender, data, strength))
            for name in others
            if (strength := self._received(sender, name)) is not None
        ]
        delay = self._model.delay_s
        if not delay:
            return deliveries
        self._waiting.extend((self._now + delay, each) for each in deliveries)
        return []

    def arrived(self) -> list[Delivery]:
        """Return what has been on its way until now; who has left receives nothing.

        To be called after every tick: it is how a start over is noticed as well.
        """
        self._update()
        due: list[Delivery] = []
        while self._waiting and self._waiting[0][0] <= self._now + 1e-9:
            due.append(self._waiting.popleft()[1])
        return [delivery for delivery in due if delivery[0] in self._scene.robots]

    def strength(self, one: str, other: str) -> float:
        """Return the power (dBm) that each of two robots receives from the other."""
        self._update()
        pair = min(one, other), max(one, other)
        if pair not in self._strengths:
            if not self._strengths:  # no pair was worked out since time passed
                mujoco.mj_kinematics(self._simulation.model, self._simulation.data)
            begin, end = (self._place(name) for name in pair)
            walls = self._walls.between(self._simulation.data, begin, end, self._model.most_walls)
            distance = float(np.linalg.norm(end - begin))
            self._strengths[pair] = self._model.strength(distance, walls)
        return self._strengths[pair]

    def _received(self, sender: str, receiver: str) -> float | None:
        """Return with which power (dBm) something arrives; None: it does not."""
        strength = self.strength(sender, receiver)
        loss = self._model.loss(strength)
        if 0.0 < loss < 1.0:
            pair = sender, receiver
            if pair not in self._rngs:
                self._rngs[pair] = generator(self._simulation.seed, "/".join(("radio", *pair)))
            loss = float(self._rngs[pair].random() < loss)
        return None if loss else strength

    def _place(self, name: str) -> Array:
        """Return where a robot's antenna is: at its root."""
        body = self._simulation.model.body(f"{name}/{self._scene.robots[name].root}").id
        return np.array(self._simulation.data.xpos[body])

    def _update(self) -> None:
        """Notice that time has passed, that somebody has come or left, or a start over."""
        simulation, now = self._simulation, self._simulation.time
        if simulation.scene is not self._scene:
            self._scene, self._walls = simulation.scene, Walls(simulation.scene)
        elif now == self._now:
            return
        if now < self._now:
            self._start_over()
        self._now = now
        self._strengths.clear()

    def _start_over(self) -> None:
        self._model = self._scene.world.radio
        self._rngs: dict[tuple[str, str], np.random.Generator] = {}
        self._waiting: deque[tuple[float, Delivery]] = deque(maxlen=MOST_WAITING)
        self._strengths: dict[tuple[str, str], float] = {}
