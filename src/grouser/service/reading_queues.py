"""Queues of sensor readings per robot, sent to the owners one robot after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator
from typing import Protocol

from grouser.sensors.camera import Camera
from grouser.sensors.sensor import Reading, Sensor
from grouser.simulation.scene import Scene
from grouser.simulation.simulation import Simulation

SensorReading = tuple[Sensor, Reading]
"""A sensor and its reading."""


class CameraListener(Protocol):
    """Receiver of camera readings."""

    def rebind(self, scene: Scene) -> None:
        """Rebind to a recomposed scene."""

    def offer(self, robot: str, reading: Reading) -> None:
        """Receive a new camera reading; non-blocking."""


class ReadingQueues:
    """Readings of each robot that were not sent yet, and the order of the robots."""

    def __init__(self, simulation: Simulation, cameras: CameraListener | None) -> None:
        """Collect readings of ``simulation`` from now on; those of cameras go to ``cameras``."""
        self._simulation, self._cameras = simulation, cameras
        self._readings: dict[str, list[SensorReading]] = {}
        self._order: deque[str] = deque()
        simulation.drain_readings()  # drop earlier ones

    def collect(self, robots: Container[str]) -> None:
        """Queue new readings of ``robots``; pass the readings of all cameras to the listener."""
        # A robot without queued readings is appended to the order.
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
        """Queue the newest reading of every sensor of a robot without a queued one."""
        queue = self._readings.setdefault(robot, [])
        there = {reading.sensor for _, reading in queue}
        for (name, key), (sensor, _) in self._simulation.scene.sensors.items():
            if name == robot and key not in there and not isinstance(sensor, Camera):
                queue.append((sensor, self._simulation.read(robot, key)))
        if robot not in self._order:
            self._order.append(robot)

    def pop(self, robot: str) -> list[SensorReading]:
        """Remove and return a robot's readings."""
        return self._readings.pop(robot, [])

    def in_order(self) -> Iterator[str]:
        """Remove and yield the robots in their order; some have no readings left."""
        while self._order:
            yield self._order.popleft()
