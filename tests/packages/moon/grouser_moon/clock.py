"""Sensor of the moon: a clock, for which Grouser has no wire message."""

from typing import Literal

import mujoco
import numpy as np

from grouser.description import Positive
from grouser.sensors.sensor import Needs, SensorContext, SensorDescription, Values


class Clock(SensorDescription):
    """Clock that also counts whole seconds, minutes and hours."""

    kind: Literal["moon_clock"] = "moon_clock"
    name: str = "clock"
    rate_hz: Positive = 10.0
    zone: str = "Mare Tranquillitatis"

    def add(self, spec: mujoco.MjSpec) -> None:
        """Add nothing: the clock needs no part of the model."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> "BoundClock":
        """Return the clock."""
        return BoundClock(self)


class BoundClock:
    """Running clock."""

    needs = Needs.STATE

    def __init__(self, description: Clock) -> None:
        self._description = description

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return seconds, counts (s, min, h), zone, and drift, which is unknown."""
        seconds = int(context.time)
        return {
            "seconds": context.time,
            "counts": np.array([seconds % 60, seconds // 60 % 60, seconds // 3600]),
            "zone": np.array([self._description.zone]),
            "drift": np.nan,
        }
