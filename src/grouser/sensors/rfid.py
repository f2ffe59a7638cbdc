"""RFID reader sensor: tags within radio range.

Radio passes through wood and people, so a tag behind a thin wall is read, unless ``line_of_sight``
is set. Tags are marked in the model (`grouser.physics.labels`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field

from grouser.description import Positive
from grouser.physics.labels import MarkedGeom, find_marked
from grouser.sensors.rays import RayOrigin
from grouser.sensors.sensor import MountedSensor, Needs, Rate, SensorContext, Values, in_site_frame


class RfidReader(MountedSensor):
    """Omnidirectional RFID reader."""

    kind: Literal["rfid"] = "rfid"
    name: str = "rfid"
    rate_hz: Rate = 5.0
    """Readings per second (USARSim: every 0.2 s)."""
    far: Positive = 2.0
    """Range, m; estimate: a small UHF reader."""
    missed: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Probability that a reading misses a tag in range, 0 to 1."""
    line_of_sight: bool = False
    """True: occluded tags are missed."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundRfidReader:
        """Return the reader of the robot whose names begin with ``prefix``."""
        site = self.site(model, prefix)
        return BoundRfidReader(self, site, RayOrigin(model, site), find_marked(model, "tag"))


class BoundRfidReader:
    """RFID reader bound to its site and the tags of the scene."""

    needs = Needs.POSES

    def __init__(
        self, description: RfidReader, site: int, rays: RayOrigin, tags: tuple[MarkedGeom, ...]
    ) -> None:
        self._description, self._site, self._rays = description, site, rays
        self._geoms = np.array([tag.geom for tag in tags], int)
        self._numbers = np.array([tag.number for tag in tags], int)

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return ids (k,), nearest first, and positions (k, 3) in the sensor's frame, m."""
        description = self._description
        p_S = in_site_frame(context.data, self._site, context.data.geom_xpos[self._geoms])
        distances = np.linalg.norm(p_S, axis=1)
        read = distances <= description.far
        if description.missed:
            read &= rng.random(len(read)) >= description.missed
        if description.line_of_sight and read.any():
            hits = self._rays.cast(context, p_S / distances[:, None], description.far)
            read &= hits.geoms == self._geoms
        indices = np.flatnonzero(read)
        indices = indices[np.argsort(distances[indices], kind="stable")]
        return {"ids": self._numbers[indices], "positions": p_S[indices]}
