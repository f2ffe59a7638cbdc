"""Typed readings and bounded waiting for tests of clients."""

import time
from collections.abc import Callable
from typing import TypeVar

from grouser.client.connection import RemoteRobot

Kind = TypeVar("Kind")


def instance_of(kind: type[Kind], value: object) -> Kind:
    """Return ``value``; fail if it is not an instance of ``kind``."""
    assert isinstance(value, kind), value
    return value


def read_until(
    robot: RemoteRobot,
    condition: Callable[[], object],
    sensor: str = "Odometry",
    seconds: float = 60.0,
) -> None:
    """Receive readings of a sensor until ``condition()`` is true; fail after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not become true in time"
        robot.reading(sensor)
