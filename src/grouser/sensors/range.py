"""Range sensors with a single value: infrared and sonar.

The error bound of an infrared sensor depends on the measured distance (Zaratti et al., sec. 3); the
error is uniform within that bound. A sonar measures the nearest surface in its cone that is
roughly perpendicular to the beam; oblique surfaces reflect the sound away.

Readings are clamped to ``near`` and ``far``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Annotated, Literal, Self

import mujoco
import numpy as np
from pydantic import Field, Strict, model_validator

from grouser.description import Items, NotNegative, Positive, mistake
from grouser.frames import Array
from grouser.sensors.rays import RayBundle, RayOrigin
from grouser.sensors.sensor import MountedSensor, Needs, SensorContext, Values

_AHEAD = np.array([[1.0, 0.0, 0.0]])


def check_span(near: float, far: float) -> None:
    """Raise a validation error unless near < far."""
    if not near < far:
        raise mistake(f"must be less than far, {far:g} m", "near")


DistanceError = Annotated[tuple[float, NotNegative], Strict(False)]
"""A distance and the error bound there, m."""


class Infrared(MountedSensor):
    """Narrow infrared beam along the sensor's x."""

    kind: Literal["infrared"] = "infrared"
    name: str = "infrared"
    near: NotNegative = 0.2
    """Shortest measurable distance, m (USARSim's default)."""
    far: Positive = 1.5
    """Largest measurable distance, m (USARSim's default)."""
    bound: Annotated[Items[DistanceError], Field(min_length=1)] = ((0.0, 0.0),)
    """Error bound by distance: (distance, error) in m, distances increasing, linear interpolation,
    constant outside; a single (0, 0): exact."""

    @model_validator(mode="after")
    def _check_spans(self) -> Self:
        check_span(self.near, self.far)
        distances = [distance for distance, _ in self.bound]
        if not all(a < b for a, b in pairwise(distances)):
            raise mistake("its distances must increase", "bound")
        return self

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundInfrared:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        rays = RayOrigin(model, self.site(model, prefix), see_through=True)
        return BoundInfrared(self, rays.bundle(_AHEAD, self.far))


@dataclass(frozen=True)
class BoundInfrared:
    """Infrared sensor bound to its ray."""

    description: Infrared
    bundle: RayBundle
    needs: Needs = Needs.POSES

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return the range, m, between near and far."""
        description = self.description
        true = float(self.bundle.cast(context).distances[0])
        distance = description.far
        if true <= distance:
            distance = with_bounded_error(true, description.bound, rng)
        return {"range": min(max(distance, description.near), description.far)}


def with_bounded_error(
    distance: float, bound: tuple[tuple[float, float], ...], rng: np.random.Generator
) -> float:
    """Return ``distance`` with a uniform error within its bound."""
    distances, errors = zip(*bound, strict=True)
    return distance + float(np.interp(distance, distances, errors)) * rng.uniform(-1.0, 1.0)


class Sonar(MountedSensor):
    """Sound cone along the sensor's x."""

    kind: Literal["sonar"] = "sonar"
    name: str = "sonar"
    near: NotNegative = 0.1
    """Shortest measurable distance, m (USARSim's default)."""
    far: Positive = 5.0
    """Largest measurable distance, m (USARSim's default)."""
    beam: Annotated[float, Field(ge=0, lt=math.pi)] = 0.349
    """Opening angle of the cone, rad (USARSim: 0.349)."""
    cones: Annotated[int, Field(ge=1, le=100)] = 10
    """Number of nested cones of 16 rays that fill the beam, plus one central ray (USARSim: 10).
    Fewer cones are faster and miss thin distant objects."""
    incidence: NotNegative = 0.1745
    """Largest angle between the beam and a surface's normal that gives an echo, rad (USARSim)."""
    noise: NotNegative = 0.0
    """Constant part of the standard deviation, m."""
    noise_part: NotNegative = 0.0
    """Part of the standard deviation proportional to the distance."""

    @model_validator(mode="after")
    def _check_span(self) -> Self:
        check_span(self.near, self.far)
        return self

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundSonar:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        fan = cone_directions(self.beam, self.cones)
        return BoundSonar(self, RayOrigin(model, self.site(model, prefix)).bundle(fan, self.far))


class BoundSonar:
    """Sonar bound to its cone of rays."""

    needs = Needs.POSES

    def __init__(self, description: Sonar, bundle: RayBundle) -> None:
        self._description, self.bundle = description, bundle
        self._least = math.cos(description.incidence)

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return the range of the nearest echo, m, between near and far."""
        description = self._description
        hits = self.bundle.cast(context)
        distance = float(hits.distances[hits.cosines >= self._least].min(initial=np.inf))
        if distance > description.far:
            return {"range": description.far}
        if description.noise or description.noise_part:
            distance += rng.normal(0.0, description.noise + description.noise_part * distance)
        return {"range": min(max(distance, description.near), description.far)}


RAYS_PER_CONE = 16  # USARSim's sonar: ten cones of sixteen rays, one in the middle


@lru_cache(maxsize=64)
def cone_directions(beam: float, cones: int) -> Array:
    """Return unit vectors (n, 3) that fill a cone about x of angle ``beam`` (rad); read-only."""
    offs = np.repeat(np.arange(1, cones + 1) / cones * beam / 2, RAYS_PER_CONE)
    turns = np.tile(np.arange(RAYS_PER_CONE) * 2 * np.pi / RAYS_PER_CONE, cones)
    sideways = np.sin(offs)
    fan = np.stack([np.cos(offs), sideways * np.cos(turns), sideways * np.sin(turns)], axis=1)
    directions = np.vstack([[1.0, 0.0, 0.0], fan])
    directions.flags.writeable = False
    return directions
