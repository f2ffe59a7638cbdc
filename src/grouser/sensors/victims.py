"""Victim sensor: visible body parts of victims and their positions (USARSim's ``VictSensor``).

A part is detected if its centre is in range and in the field of view and not occluded, neither by
a wall nor by another part of the same victim. Parts of victims are marked in the model
(`grouser.physics.labels`).
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import NotNegative, Positive
from grouser.frames import Array
from grouser.physics.labels import PARTS, MarkedGeom, find_marked
from grouser.sensors.rays import RayOrigin
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Values, in_site_frame


class VictimSensor(MountedSensor):
    """Victim detector along the sensor's x."""

    kind: Literal["victims"] = "victims"
    name: str = "victims"
    rate_hz: Rate = 1.25
    """Readings per second (USARSim: about every 0.8 s)."""
    far: Positive = 6.0
    """Range, m (USARSim)."""
    fov: Annotated[float, Field(gt=0, le=math.tau)] = 0.6981
    """Horizontal field of view, rad (USARSim)."""
    fov_vertical: Annotated[float, Field(gt=0, le=math.pi)] = 0.6981
    """Vertical field of view, rad (USARSim)."""
    noise: NotNegative = 0.0
    """Standard deviation of each position along each axis, m."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundVictimSensor:
        """Return the sensor of the robot whose names begin with ``prefix``."""
        site = self.site(model, prefix)
        return BoundVictimSensor(self, site, RayOrigin(model, site), find_marked(model, "victim"))


class BoundVictimSensor:
    """Victim sensor bound to its site and the victims of the scene."""

    needs = Needs.POSES

    def __init__(
        self, description: VictimSensor, site: int, rays: RayOrigin, parts: tuple[MarkedGeom, ...]
    ) -> None:
        self._description, self._site, self._rays = description, site, rays
        self._geoms = np.array([part.geom for part in parts], int)
        self._parts = np.array([PARTS[part.number] for part in parts], dtype="U8")
        self._owners = np.array([part.owner for part in parts], dtype="U40")

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return parts (k,), their victims (k,) and positions (k, 3), nearest first.

        Positions are in the sensor frame, m.
        """
        p_S = in_site_frame(context.data, self._site, context.data.geom_xpos[self._geoms])
        indices = self._in_view(p_S)
        indices = indices[self._is_unoccluded(context, p_S, indices)]
        indices = indices[np.argsort(np.linalg.norm(p_S[indices], axis=1), kind="stable")]
        positions = p_S[indices]
        if self._description.noise:
            positions = positions + rng.normal(0.0, self._description.noise, positions.shape)
        return {
            "parts": self._parts[indices],
            "victims": self._owners[indices],
            "positions": positions,
        }

    def _in_view(self, p_S: Array) -> np.ndarray:
        """Return the indices of the points (n, 3) in range and in the field of view."""
        description = self._description
        x, y, z = p_S.T
        sideways, upwards = np.arctan2(y, x), np.arctan2(z, np.hypot(x, y))
        near = np.linalg.norm(p_S, axis=1) <= description.far
        beside = np.abs(sideways) <= description.fov / 2
        inside = beside & (np.abs(upwards) <= description.fov_vertical / 2)
        return np.flatnonzero(near & inside)

    def _is_unoccluded(self, context: SensorContext, p_S: Array, which: np.ndarray) -> np.ndarray:
        """Return for each of ``which`` whether it is not occluded."""
        if not len(which):
            return np.zeros(0, bool)
        directions = p_S[which] / np.linalg.norm(p_S[which], axis=1, keepdims=True)
        hits = self._rays.cast(context, directions, self._description.far)
        return np.asarray(hits.geoms == self._geoms[which])
