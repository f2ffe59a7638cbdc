"""The sensor contract: a frozen description, bound to a model, that measures first and errs after.

A sensor has three moments: ``add`` puts what it needs into a robot's spec, ``bind`` looks it up in
the compiled model once, ``read`` measures the true value and then corrupts it with the sensor's
own generator. A sensor does not know who reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np


@dataclass(frozen=True)
class Reading:
    """What a sensor said at one time."""

    sensor: str
    """Name of the sensor on its robot."""
    time: float
    """Simulated time of the measurement, s."""
    values: Mapping[str, float]
    """Named numbers, SI and radians."""

    def __getitem__(self, name: str) -> float:
        return self.values[name]


@dataclass(frozen=True)
class Moment:
    """The world at one instant, as a sensor may see it."""

    model: mujoco.MjModel
    data: mujoco.MjData
    travel: Mapping[str, float]
    """Position of every drive by its full name (m or rad), counted through roll-backs."""


class BoundSensor(Protocol):
    """A sensor that knows where it is in a compiled model."""

    @property
    def derived(self) -> bool:
        """Whether it reads what MuJoCo derives from the state (places of bodies, speeds)."""
        ...

    def read(self, moment: Moment, rng: np.random.Generator) -> Mapping[str, float]:
        """Measure, then corrupt with ``rng``; return named numbers."""
        ...


class Sensor(Protocol):
    """The description every sensor gives."""

    @property
    def name(self) -> str:
        """Name on its robot."""
        ...

    @property
    def rate_hz(self) -> float:
        """Readings per simulated second, > 0."""
        ...

    def add(self, spec: mujoco.MjSpec) -> None:
        """Put into the robot's spec what ``read`` will need."""
        ...

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundSensor:
        """Look everything up in ``model``, where the robot's names begin with ``prefix``."""
        ...


SENSORS: dict[str, str] = {
    "encoder": "grouser.sensors.encoder:Encoder",
    "truth": "grouser.sensors.truth:Truth",
}
"""Kind of sensor → where it is described; imported on use."""
