"""Skin: the geoms of a robot that feel, and what presses on them from outside.

Contacts and their forces are those of the physics step that has just been made.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from grouser.sensors.sensor import SensorContext


class Skin:
    """Some geoms of one robot; its other parts' touching them is not felt."""

    def __init__(self, geoms: npt.NDArray[np.bool_]) -> None:
        """Let ``geoms`` (one truth value per geom of the scene) feel."""
        self._geoms = np.flatnonzero(geoms).tolist()

    def contact_forces(self, context: SensorContext) -> Iterator[tuple[int, float]]:
        """Yield each contact with something that is not the robot, and its normal force, N."""
        presses = context.contact_forces
        for geom in self._geoms:
            yield from presses.get(geom, ())
