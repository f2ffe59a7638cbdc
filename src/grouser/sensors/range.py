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

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.sensors.rays import RayBundle, RayOrigin
from grouser.sensors.sensor import MountedSensor, Needs, SensorContext, Values, check_numbers

_AHEAD = np.array([[1.0, 0.0, 0.0]])


def check_span(name: str, near: float, far: float) -> None:
    """Raise `BadValue` unless 0 <= near < far."""
    if not 0 <= near < far:
        raise BadValue(f"sensor '{name}': near {near} m and far {far} m, 0 <= near < far is needed")


@dataclass(frozen=True, kw_only=True)
class Infrared(MountedSensor):
    """Narrow infrared beam along the sensor's x."""

    name: str = "infrared"
    near: float = 0.2
    """Shortest measurable distance, m (USARSim's default)."""
    far: float = 1.5
    """Largest measurable distance, m (USARSim's default)."""
    bound: tuple[tuple[float, float], ...] = ((0.0, 0.0),)
    """Error bound by distance: (distance, error) in m, distances increasing, linear interpolation,
    constant outside; a single (0, 0): exact."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_span(self.name, self.near, self.far)
        distances = [distance for distance, _ in self.bound]
        rising = all(a < b for a, b in pairwise(distances))
        if not (self.bound and rising and all(error >= 0 for _, error in self.bound)):
            raise BadValue(
                f"sensor '{self.name}': bound is {self.bound}, pairs of an increasing distance and "
                "an error of at least 0 are needed"
            )

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


@dataclass(frozen=True, kw_only=True)
class Sonar(MountedSensor):
    """Sound cone along the sensor's x."""

    name: str = "sonar"
    near: float = 0.1
    """Shortest measurable distance, m (USARSim's default)."""
    far: float = 5.0
    """Largest measurable distance, m (USARSim's default)."""
    beam: float = 0.349
    """Opening angle of the cone, rad (USARSim: 0.349)."""
    cones: int = 10
    """Number of nested cones of 16 rays that fill the beam, plus one central ray (USARSim: 10).
    Fewer cones are faster and miss thin distant objects."""
    incidence: float = 0.1745
    """Largest angle between the beam and a surface's normal that gives an echo, rad (USARSim)."""
    noise: float = 0.0
    """Constant part of the standard deviation, m."""
    noise_part: float = 0.0
    """Part of the standard deviation proportional to the distance."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(self, noise=self.noise, noise_part=self.noise_part, incidence=self.incidence)
        check_span(self.name, self.near, self.far)
        if not 1 <= self.cones <= 100:
            raise BadValue(f"sensor '{self.name}': cones is {self.cones}, 1 to 100 is allowed")
        if not 0 <= self.beam < math.pi:
            raise BadValue(f"sensor '{self.name}': beam is {self.beam} rad, 0 to pi is allowed")

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
