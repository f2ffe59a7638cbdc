"""Sensor of the moon: a thermometer."""

from typing import Literal

import mujoco
import numpy as np

from grouser.description import Positive
from grouser.sensors.sensor import MountedSensor, Needs, SensorContext, Values


class Thermometer(MountedSensor):
    """Thermometer of the ground, which cools down at night."""

    kind: Literal["moon_thermometer"] = "moon_thermometer"
    name: str = "thermometer"
    noon: Positive = 390.0
    """Temperature at the start, K."""
    cooling: float = 1.0
    """Loss of temperature, K/s."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> "BoundThermometer":
        """Return the thermometer."""
        return BoundThermometer(self)


class BoundThermometer:
    """Running thermometer."""

    needs = Needs.STATE

    def __init__(self, description: Thermometer) -> None:
        self._description = description

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return the temperature, K."""
        return {"kelvin": self._description.noon - self._description.cooling * context.time}
