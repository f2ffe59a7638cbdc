"""GPS sensor: latitude and longitude from the visible satellites.

The world's x points north, its y west; its origin is a place on Earth (USARSim's by default).
Twelve satellites have fixed directions; occluded ones are not used. With fewer than four there is
no fix; with four the error is 2.5 m, with all twelve 0.75 m (USARSim).
"""

from __future__ import annotations

import math
from typing import Literal

import mujoco
import numpy as np

from grouser.description import NotNegative
from grouser.frames import Array, radians
from grouser.sensors.rays import RayOrigin
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Values

EARTH_RADIUS = 6_371_000.0
"""m, spherical Earth."""
SATELLITES = 12
FEWEST_SATELLITES = 4
"""Smallest number of satellites for a fix."""
SKY_DISTANCE = 1000.0
"""Range of the occlusion rays, m."""
LOWEST_ELEVATION = radians(15.0)
"""Elevation of the lowest satellite, rad; estimate."""


class Gps(MountedSensor):
    """GPS receiver."""

    kind: Literal["gps"] = "gps"
    name: str = "gps"
    rate_hz: Rate = 5.0
    """Readings per second (USARSim: every 0.2 s)."""
    latitude: float = radians(39 + 8.0273 / 60)
    """Latitude of the world's origin, rad, north positive (USARSim: 39° 8.0273' N)."""
    longitude: float = -radians(77 + 12.998 / 60)
    """Longitude of the world's origin, rad, east positive (USARSim: 77° 12.998' W)."""
    noise: NotNegative = 0.75
    """Standard deviation along each axis with all satellites in view, m (USARSim)."""
    noise_worst: NotNegative = 2.5
    """Standard deviation with four satellites, m (USARSim); linear in between."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundGps:
        """Return the receiver of the robot whose names begin with ``prefix``."""
        site = self.site(model, prefix)
        return BoundGps(self, site, RayOrigin(model, site))

    def metres(self, latitude: float, longitude: float) -> tuple[float, float]:
        """Return x (north) and y (west) in the world, m, of a place on Earth (rad)."""
        around = EARTH_RADIUS * math.cos(self.latitude)
        return (latitude - self.latitude) * EARTH_RADIUS, (self.longitude - longitude) * around


class BoundGps:
    """GPS receiver bound to its site."""

    needs = Needs.POSES

    def __init__(self, description: Gps, site: int, rays: RayOrigin) -> None:
        self._description, self._site, self._rays = description, site, rays
        self._sky = satellite_directions()

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return fix (1, 0), satellites, latitude, longitude (rad), altitude (m); nan: no fix."""
        description, data = self._description, context.data
        R_WS = data.site_xmat[self._site].reshape(3, 3)
        hits = self._rays.cast(context, self._sky @ R_WS, SKY_DISTANCE)
        satellites = int(np.isinf(hits.distances).sum())
        if satellites < FEWEST_SATELLITES:
            nowhere = dict.fromkeys(("latitude", "longitude", "altitude"), math.nan)
            return {"fix": 0.0, "satellites": float(satellites), **nowhere}
        noises = [description.noise_worst, description.noise]
        spread = np.interp(satellites, [FEWEST_SATELLITES, SATELLITES], noises)
        x, y, z = (data.site_xpos[self._site] + rng.normal(0.0, spread, 3)).tolist()
        around = EARTH_RADIUS * math.cos(description.latitude)
        return {
            "fix": 1.0,
            "satellites": float(satellites),
            "latitude": description.latitude + x / EARTH_RADIUS,
            "longitude": description.longitude - y / around,
            "altitude": z,
        }


def satellite_directions() -> Array:
    """Return the satellites' directions in the world frame, (12, 3), evenly spread."""
    heights = np.linspace(math.sin(LOWEST_ELEVATION), 1.0, SATELLITES)
    turns = np.arange(SATELLITES) * math.pi * (3 - math.sqrt(5))  # the golden angle
    sideways = np.sqrt(1 - heights**2)
    return np.stack([sideways * np.cos(turns), sideways * np.sin(turns), heights], axis=1)
