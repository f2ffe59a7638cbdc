"""Motor temperature sensor: winding temperatures of drives (`grouser.physics.losses`)."""

from __future__ import annotations

from typing import Literal

import mujoco
import numpy as np

from grouser.description import Items, NotNegative
from grouser.physics.losses import AMBIENT
from grouser.sensors.sensor import (
    Needs,
    Rate,
    SensorContext,
    SensorDescription,
    Values,
    check_drives,
)


class MotorTemperature(SensorDescription):
    """One thermometer per drive; a motor without a thermal model has the temperature around it."""

    kind: Literal["motor_temperature"] = "motor_temperature"
    drives: Items[str]
    """Names of the drives on this robot."""
    name: str = "motor_temperature"
    noise: NotNegative = 0.0
    """Standard deviation, K."""
    rate_hz: Rate = 1.0
    """Readings per second."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the drives exist; nothing is added."""
        check_drives(self, spec, self.drives)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundMotorTemperature:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        return BoundMotorTemperature(self, prefix)


class BoundMotorTemperature:
    """Motor temperature sensor bound to a robot."""

    needs = Needs.STATE

    def __init__(self, description: MotorTemperature, prefix: str) -> None:
        self._description, self._prefix = description, prefix

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return each motor's temperature, degrees Celsius, by the name of its drive."""
        known, noise = context.power().temperatures, self._description.noise
        drives = self._description.drives
        errors = rng.normal(0.0, noise, len(drives)) if noise else np.zeros(len(drives))
        return {
            drive: known.get(self._prefix + drive, AMBIENT) + error
            for drive, error in zip(drives, errors.tolist(), strict=True)
        }
