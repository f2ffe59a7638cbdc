"""Fresh readings on their way to whoever owns the robot: robots are served one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator
from typing import Protocol

from grouser.sensors.camera import Camera
from grouser.sensors.sensor import Reading, Sensor
from grouser.simulation.scene import Scene
from grouser.simulation.simulation import Simulation

SensorReading = tuple[Sensor, Reading]
"""A sensor and what it measured."""


class CameraListener(Protocol):
    """Whoever shows what cameras see."""

    def rebind(self, scene: Scene) -> None:
        """Rebind to a recomposed scene."""

    def offer(self, robot: str, reading: Reading) -> None:
        """Take a camera's fresh reading; never waits."""


class ReadingQueues:
    """Each robot's readings that nobody has been sent yet, and the order of the robots."""

    def __init__(self, simulation: Simulation, cameras: CameraListener | None) -> None:
        """Collect the readings of ``simulation`` from now on; those of ``cameras`` are offered."""
        self._simulation, self._cameras = simulation, cameras
        self._readings: dict[str, list[SensorReading]] = {}
        self._order: deque[str] = deque()
        simulation.drain_readings()  # from now on they are kept

    def collect(self, robots: Container[str]) -> None:
        """Queue what the sensors of ``robots`` have measured; offer cameras' readings, anybody's.

        A robot without any in the queue comes last.
        """
        sensors = self._simulation.scene.sensors
        for robot, reading in self._simulation.drain_readings():
            known = sensors.get((robot, reading.sensor))
            if known is None:
                continue
            sensor, _ = known
            if isinstance(sensor, Camera):
                if self._cameras:
                    self._cameras.offer(robot, reading)
                continue
            if robot not in robots:
                continue
            queue = self._readings.get(robot)
            if queue is None:
                queue = self._readings[robot] = []
                self._order.append(robot)
            queue.append((sensor, reading))

    def fill_up(self, robot: str) -> None:
        """Queue the newest reading of every sensor of a robot of which none is in the queue."""
        queue = self._readings.setdefault(robot, [])
        there = {reading.sensor for _, reading in queue}
        for (name, key), (sensor, _) in self._simulation.scene.sensors.items():
            if name == robot and key not in there and not isinstance(sensor, Camera):
                queue.append((sensor, self._simulation.read(robot, key)))
        if robot not in self._order:
            self._order.append(robot)

    def pop(self, robot: str) -> list[SensorReading]:
        """Return and forget a robot's readings."""
        return self._readings.pop(robot, [])

    def in_order(self) -> Iterator[str]:
        """Yield, and take out of the queue, the robots whose turn it is; some have nothing left."""
        while self._order:
            yield self._order.popleft()
