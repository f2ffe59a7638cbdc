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
from grouser.service.walls import Walls
from grouser.simulation.schedule import generator
from grouser.simulation.simulation import Simulation

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

        To be called after every beat: it is how a start over is noticed as well.
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
