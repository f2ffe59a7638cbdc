"""Sensor of the moon: a clock, for which Grouser has no wire message."""

from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.sensors.sensor import Needs, SensorContext, Values


@dataclass(frozen=True, kw_only=True)
class Clock:
    """Clock that also counts whole seconds, minutes and hours."""

    name: str = "clock"
    rate_hz: float = 10.0
    delay_s: float = 0.0
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
