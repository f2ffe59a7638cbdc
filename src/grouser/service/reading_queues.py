"""Fresh readings on their way to whoever owns the robot: robots are served one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from grouser.sensors.sensor import Reading, Sensor

SensorReading = tuple[Sensor, Reading]
"""A sensor and what it measured."""


class ReadingQueues:
    """Each robot's readings that nobody has been sent yet, and the order of the robots."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._readings: dict[str, list[SensorReading]] = {}
        self._order: deque[str] = deque()

    def put(self, robot: str, sensor: Sensor, reading: Reading) -> None:
        """Add a fresh reading; a robot without any comes last."""
        queue = self._readings.get(robot)
        if queue is None:
            queue = self._readings[robot] = []
            self._order.append(robot)
        queue.append((sensor, reading))

    def put_again(self, robot: str, readings: list[SensorReading]) -> None:
        """Add readings of the past, for somebody who came after them."""
        if readings:
            self._readings.setdefault(robot, []).extend(readings)
        if robot in self._readings and robot not in self._order:
            self._order.append(robot)

    def take(self, robot: str) -> list[SensorReading]:
        """Return and forget a robot's readings."""
        return self._readings.pop(robot, [])

    def in_order(self) -> Iterator[str]:
        """Yield, and take out of the queue, the robots whose turn it is; some have nothing left."""
        while self._order:
            yield self._order.popleft()
