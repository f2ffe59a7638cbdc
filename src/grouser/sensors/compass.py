"""Magnetic compass: the heading of the sensor's x axis. The world's x points north."""

from __future__ import annotations

import math
from typing import Literal

import mujoco
import numpy as np

from grouser.description import NotNegative
from grouser.sensors.sensor import MountedSensor, Needs, SensorContext, Values


class Compass(MountedSensor):
    """Tilt-compensated compass."""

    kind: Literal["compass"] = "compass"
    name: str = "compass"
    declination: float = 0.0
    """Direction of magnetic north, rad from the world's x towards y (west positive)."""
    bias: NotNegative = 0.0
    """Standard deviation of a constant bias, drawn once per run, rad."""
    noise: NotNegative = 0.0
    """Standard deviation of each reading, rad."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundCompass:
        """Return the compass of the robot whose names begin with ``prefix``."""
        return BoundCompass(self, self.site(model, prefix))


class BoundCompass:
    """Compass bound to its site."""

    needs = Needs.POSES

    def __init__(self, description: Compass, site: int) -> None:
        self._description, self._site = description, site
        self.memory: float | None = None
        """Bias, rad; None before the first reading."""

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return heading, rad from magnetic north towards west, -pi to pi."""
        description = self._description
        if self.memory is None:
            self.memory = rng.normal(0.0, description.bias) if description.bias else 0.0
        R_WS = context.data.site_xmat[self._site]
        heading = math.atan2(R_WS[3], R_WS[0]) - description.declination + self.memory
        if description.noise:
            heading += rng.normal(0.0, description.noise)
        return {"heading": math.remainder(heading, math.tau)}
