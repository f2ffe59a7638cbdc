"""Inertial sensors: accelerometer and gyroscope in the sensor frame.

The true value is MuJoCo's at the sensor's site. An accelerometer measures specific force: at rest
9.81 m/s² upwards. The value is instantaneous, as in Zaratti et al. (sec. 3): an impact between two
readings is missed.

Errors: constant bias, drawn once per run; bias random walk; white noise; saturation; quantisation.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import mujoco
import numpy as np

from grouser.description import MaybeInfinite, NotNegative
from grouser.frames import Array
from grouser.sensors.sensor import MountedSensor, Needs, SensorContext, Values

_Measure = Callable[[SensorContext, int, Array], Array]


class Inertial(MountedSensor):
    """Error model of accelerometers and gyroscopes, in their own unit."""

    bias: NotNegative = 0.0
    """Standard deviation of each axis' constant bias."""
    drift: NotNegative = 0.0
    """Bias random walk: standard deviation after one second, per √s."""
    noise: NotNegative = 0.0
    """Standard deviation of each reading."""
    limit: MaybeInfinite = math.inf
    """Saturation limit of each axis."""
    resolution: NotNegative = 0.0
    """Quantisation step; 0: exact."""


class Accelerometer(Inertial):
    """Three-axis accelerometer, m/s² (specific force)."""

    kind: Literal["accelerometer"] = "accelerometer"
    name: str = "accelerometer"

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundInertial:
        """Return the accelerometer of the robot whose names begin with ``prefix``."""
        needs = Needs.POSES | Needs.VELOCITIES | Needs.ACCELERATIONS
        return BoundInertial(self, self.site(model, prefix), needs, _acceleration)


class Gyroscope(Inertial):
    """Three-axis gyroscope, rad/s."""

    kind: Literal["gyroscope"] = "gyroscope"
    name: str = "gyroscope"

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundInertial:
        """Return the gyroscope of the robot whose names begin with ``prefix``."""
        needs = Needs.POSES | Needs.VELOCITIES
        return BoundInertial(self, self.site(model, prefix), needs, _angular_velocity)


class BoundInertial:
    """Accelerometer or gyroscope bound to its site."""

    def __init__(self, description: Inertial, site: int, needs: Needs, measure: _Measure) -> None:
        self._description, self._site, self.needs, self._measure = description, site, needs, measure
        self._buffer = np.zeros(6)
        self.memory: Array | None = None
        """Present bias, (3,); None before the first reading."""

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return x, y, z in the sensor's frame, m/s² or rad/s."""
        true = self._measure(context, self._site, self._buffer)
        self.memory = next_bias(self.memory, self._description, rng)
        x, y, z = corrupt(true, self.memory, self._description, rng).tolist()
        return {"x": x, "y": y, "z": z}


def _acceleration(context: SensorContext, site: int, buffer: Array) -> Array:
    """Return the specific force at the site in its frame, (3,), m/s²."""
    kind = mujoco.mjtObj.mjOBJ_SITE
    mujoco.mj_objectAcceleration(context.model, context.data, kind, site, buffer, 1)
    return buffer[3:]


def _angular_velocity(context: SensorContext, site: int, buffer: Array) -> Array:
    """Return the angular velocity of the site in its frame, (3,), rad/s."""
    kind = mujoco.mjtObj.mjOBJ_SITE
    mujoco.mj_objectVelocity(context.model, context.data, kind, site, buffer, 1)
    return buffer[:3]


def next_bias(bias: Array | None, description: Inertial, rng: np.random.Generator) -> Array:
    """Return the bias (3,) of the next reading; draw the first if None."""
    if bias is None:
        return rng.normal(0.0, description.bias, 3) if description.bias else np.zeros(3)
    if description.drift:
        return bias + rng.normal(0.0, description.drift / math.sqrt(description.rate_hz), 3)
    return bias


def corrupt(true: Array, bias: Array, description: Inertial, rng: np.random.Generator) -> Array:
    """Apply bias, noise, quantisation and saturation to three axes."""
    measured = true + bias
    if description.noise:
        measured += rng.normal(0.0, description.noise, 3)
    if description.resolution:
        measured = np.round(measured / description.resolution) * description.resolution
    return np.asarray(np.clip(measured, -description.limit, description.limit))
