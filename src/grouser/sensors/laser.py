"""Laser scanner sensor: a fan of rays in the sensor's x-y plane, from right to left.

Order and number of rays are USARSim's: the first ray points to the right (-fov/2), and there are
floor(fov / resolution) + 1 of them. Ranges beyond ``far`` are reported as ``far``.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal, Self, TypedDict

import mujoco
import numpy as np
from pydantic import Field, model_validator

from grouser.description import NotNegative, Positive, mistake
from grouser.frames import Array, radians
from grouser.sensors.range import check_span
from grouser.sensors.rays import RayBundle, RayOrigin
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Values


class LaserModel(TypedDict):
    """Numbers of a known model, as arguments of `Laser`."""

    fov: float
    resolution: float
    far: float


# The SICK and the Hokuyo of USARSim.
SICK_LMS200: LaserModel = {"fov": math.pi, "resolution": radians(1.0), "far": 20.0}
HOKUYO_URG04LX: LaserModel = {"fov": 4.189, "resolution": 0.0184, "far": 4.0}


class Laser(MountedSensor):
    """Laser scanner; ``Laser(mount="body", **HOKUYO_URG04LX)`` is a known model."""

    kind: Literal["laser"] = "laser"
    name: str = "laser"
    rate_hz: Rate = 5.0
    """Scans per second (USARSim's SICK: every 0.2 s)."""
    fov: Annotated[float, Field(gt=0, le=math.tau)] = math.pi
    """Angle from the first to the last ray, rad, above 0, at most a full turn."""
    resolution: Positive = radians(1.0)
    """Angle between rays, rad, above 0."""
    near: NotNegative = 0.1
    """Shortest measurable distance, m (USARSim's default)."""
    far: Positive = 20.0
    """Largest measurable distance, m."""
    noise: NotNegative = 0.0
    """Constant part of the standard deviation, m."""
    noise_part: NotNegative = 0.0
    """Part of the standard deviation proportional to the distance."""

    @model_validator(mode="after")
    def _check_spans(self) -> Self:
        check_span(self.near, self.far)
        if self.resolution > self.fov:
            raise mistake(f"must be at most fov, {self.fov:g} rad", "resolution")
        return self

    @property
    def angles(self) -> Array:
        """Direction of every ray from the sensor's x towards its y, (n,), rad, right to left."""
        count = math.floor(round(self.fov / self.resolution, 9)) + 1
        return np.asarray(-self.fov / 2 + self.resolution * np.arange(count))

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundLaser:
        """Return the scanner of the robot whose names begin with ``prefix``."""
        angles = self.angles
        fan = np.stack([np.cos(angles), np.sin(angles), np.zeros(len(angles))], axis=1)
        return BoundLaser(self, RayOrigin(model, self.site(model, prefix)).bundle(fan, self.far))


class BoundLaser:
    """Laser scanner bound to its fan of rays."""

    needs = Needs.POSES

    def __init__(self, description: Laser, bundle: RayBundle) -> None:
        self._description, self.bundle = description, bundle

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return ranges (n,), m, right to left, between near and far."""
        ranges = self.bundle.cast(context).distances
        return {"ranges": corrupt(ranges, self._description, rng)}


def corrupt(ranges: Array, description: Laser, rng: np.random.Generator) -> Array:
    """Return ``ranges`` (n,) with noise on every hit, clipped to near and far."""
    if description.noise or description.noise_part:
        met = np.minimum(ranges, description.far)
        noise = description.noise + description.noise_part * met
        spread = np.where(ranges <= description.far, noise, 0.0)
        ranges = met + spread * rng.standard_normal(len(ranges))
    return np.asarray(np.clip(ranges, description.near, description.far))
