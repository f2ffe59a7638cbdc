"""Radio between robots: range, walls, packet loss and delay, in simulated time.

Distance and walls attenuate a signal (`RadioModel`). Near the limit messages are lost at random;
each pair of robots has its own random generator, independent of other traffic.
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

MOST_WAITING = 10_000
"""Delayed messages; above this number the oldest is lost."""


@dataclass(frozen=True)
class RadioSignal:
    """Message as received by a robot."""

    sender: str
    """Name of the sending robot."""
    data: bytes
    strength: float
    """Signal strength at the receiver, dBm."""


Delivery = tuple[str, RadioSignal]
"""Name of the receiving robot, and its message."""


class Radio:
    """Radio channel of all robots of a simulation."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self._scene = simulation.scene
        self._walls = Walls(simulation.scene)
        self._now = -1.0
        self._reset()

    def transmit(self, sender: str, data: bytes, to: str | None = None) -> list[Delivery]:
        """Send ``data`` from robot ``sender``; return the deliveries, sorted by receiver.

        With a delay the list is empty, and `arrived` returns the deliveries later.

        Args:
            sender: name of a robot.
            data: content.
            to: name of the receiver, case-insensitive; None: all robots in range.
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
            if (strength := self._signal_at_receiver(sender, name)) is not None
        ]
        delay = self._model.delay_s
        if not delay:
            return deliveries
        self._waiting.extend((self._now + delay, each) for each in deliveries)
        return []

    def arrived(self) -> list[Delivery]:
        """Return the delayed messages that are due, without those for robots that have left."""
        # Called after every tick: it also detects a reset of the world.
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
            if not self._strengths:  # first pair since time passed
                mujoco.mj_kinematics(self._simulation.model, self._simulation.data)
            begin, end = (self._place(name) for name in pair)
            walls = self._walls.between(self._simulation.data, begin, end, self._model.most_walls)
            distance = float(np.linalg.norm(end - begin))
            self._strengths[pair] = self._model.strength(distance, walls)
        return self._strengths[pair]

    def _signal_at_receiver(self, sender: str, receiver: str) -> float | None:
        """Return the signal strength (dBm) at the receiver; None: the message is lost."""
        strength = self.strength(sender, receiver)
        loss = self._model.loss(strength)
        if 0.0 < loss < 1.0:
            pair = sender, receiver
            if pair not in self._rngs:
                self._rngs[pair] = generator(self._simulation.seed, "/".join(("radio", *pair)))
            loss = float(self._rngs[pair].random() < loss)
        return None if loss else strength

    def _place(self, name: str) -> Array:
        """Return the position of a robot's antenna: that of its root body."""
        body = self._simulation.model.body(f"{name}/{self._scene.robots[name].root}").id
        return np.array(self._simulation.data.xpos[body])

    def _update(self) -> None:
        """Update after time has passed, the scene was replaced, or the world was reset."""
        simulation, now = self._simulation, self._simulation.time
        if simulation.scene is not self._scene:
            self._scene, self._walls = simulation.scene, Walls(simulation.scene)
        elif now == self._now:
            return
        if now < self._now:
            self._reset()
        self._now = now
        self._strengths.clear()

    def _reset(self) -> None:
        self._model = self._scene.world.radio
        self._rngs: dict[tuple[str, str], np.random.Generator] = {}
        self._waiting: deque[tuple[float, Delivery]] = deque(maxlen=MOST_WAITING)
        self._strengths: dict[tuple[str, str], float] = {}


class Walls:
    """Obstacles for radio signals: colliding geoms of terrain and objects, not of robots."""

    def __init__(self, scene: Scene) -> None:
        model = scene.model
        self._model = model
        roots = model.body_rootid[model.geom_bodyid]
        robots = tuple(f"{name}/" for name in scene.robots)
        free = np.array([model.body(root).name.startswith(robots) for root in roots], bool)
        solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
        self._geoms = np.flatnonzero(solid & ~free)
        types = model.geom_type[self._geoms]
        # Planes are unbounded.
        self._reach = np.where(types == _PLANE, np.inf, model.geom_rbound[self._geoms])

    def between(self, data: mujoco.MjData, begin: Array, end: Array, most: int) -> int:
        """Return the number of walls (up to ``most``) between two points in the world."""
        way = end - begin
        count = 0
        for geom in self._near(data, begin, way):
            if count >= most:
                break
            count += self._passes(data, int(geom), begin, way)
        return count

    def _near(self, data: mujoco.MjData, begin: Array, way: Array) -> Array:
        """Return the geoms whose bounding sphere the segment meets."""
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
