"""Trigger volumes: invisible, untouchable, and something happens when somebody is in them.

"An event is casted when an object, like a robot, comes in contact with a trigger, that is an
invisible volume that can be placed anywhere in the map" (Zaratti et al. 2006, section 4). A volume
has no geom: no ray hits it, no camera sees it, and it costs physics nothing.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict, model_validator

from grouser.frames import Array, radians
from grouser.world.field_types import Description, Length, Name, Point, mistake

ANYBODY = ("any", "robots", "objects")
"""Words for whole groups in a trigger's `by`."""

Names = Annotated[tuple[str, ...], Strict(False)]
Lines = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Strict(False)]
"""Lines of the console; the simulation knows the words."""


class Trigger(Description):
    """What all volumes share: where, who, and what then happens. A kind adds its shape."""

    name: Name
    """Unique among triggers."""
    position: Point
    """The volume's middle in the world, m."""
    on: Literal["enter", "leave", "stay"] = "enter"
    """When somebody comes in, goes out, or has stayed inside for `seconds`."""
    seconds: Annotated[float, Field(gt=0, le=100_000)] | None = None
    """How long somebody must stay, s, above 0; it happens again after as long. Only for stay."""
    by: Annotated[Names, Field(min_length=1)] = ("any",)
    """Who counts: names or kinds of robots and objects (``red*`` for all that begin so), robots,
    objects or any. What is fixed never counts."""
    counts: Literal["centre", "touch", "whole"] = "centre"
    """What must be inside: its middle, any part of it, or all of it. A part is the sphere around
    it, which is exact for balls."""
    once: bool = False
    """True: it happens a single time in a run."""
    rearm: Annotated[float, Field(ge=0, le=100_000)] = 0.0
    """Shortest time from one firing to the next, s; at least 0."""
    fires: Names = ()
    """Events that are then fired, in this order."""
    do: Lines = ()
    """Console lines that are then carried out; ``{who}`` is whoever it was."""

    @model_validator(mode="after")
    def _agrees(self) -> Trigger:
        if (self.on == "stay") != (self.seconds is not None):
            raise mistake("must be given for stay, and only then", "seconds")
        if not self.fires and not self.do:
            raise mistake("must name an event, or 'do' must say something", "fires")
        return self

    def depth(self, points: Array) -> Array:
        """Return how far inside each of ``points`` (n, 3; world, m) is, m; negative: outside."""
        return self._depth(points - np.asarray(self.position))

    @abstractmethod
    def _depth(self, local: Array) -> Array: ...

    @property
    @abstractmethod
    def smallest(self) -> float:
        """The volume's shortest way through its middle, m."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """Radius of the sphere around the volume, m."""


class BoxTrigger(Trigger):
    """A cuboid, upright."""

    kind: Literal["box"] = "box"
    size: Annotated[tuple[Length, Length, Length], Strict(False)]
    """Full edges along its own x, y, z, m; each above 0."""
    yaw_deg: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Turn about z, deg."""

    def _depth(self, local: Array) -> Array:
        c, s = math.cos(radians(self.yaw_deg)), math.sin(radians(self.yaw_deg))
        x, y, z = local.T
        own = np.abs(np.stack([c * x + s * y, c * y - s * x, z], axis=1))
        return _inside(own - np.asarray(self.size) / 2)

    @property
    def smallest(self) -> float:
        """Its shortest edge, m."""
        return min(self.size)

    @property
    def reach(self) -> float:
        """Half its diagonal, m."""
        return math.hypot(*self.size) / 2


class SphereTrigger(Trigger):
    """A sphere."""

    kind: Literal["sphere"] = "sphere"
    radius: Length
    """Radius, m; above 0."""

    def _depth(self, local: Array) -> Array:
        return np.asarray(self.radius - np.linalg.norm(local, axis=1))

    @property
    def smallest(self) -> float:
        """Its diameter, m."""
        return 2 * self.radius

    @property
    def reach(self) -> float:
        """Its radius, m."""
        return self.radius


class CylinderTrigger(Trigger):
    """An upright cylinder."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Length
    """Radius, m; above 0."""
    length: Length
    """Full height, m; above 0."""

    def _depth(self, local: Array) -> Array:
        aside = np.hypot(local[:, 0], local[:, 1]) - self.radius
        return _inside(np.stack([aside, np.abs(local[:, 2]) - self.length / 2], axis=1))

    @property
    def smallest(self) -> float:
        """Its diameter or height, m."""
        return min(2 * self.radius, self.length)

    @property
    def reach(self) -> float:
        """From its middle to its rim, m."""
        return math.hypot(self.radius, self.length / 2)


def _inside(beyond: Array) -> Array:
    """Return the depth of points that are ``beyond`` (n, k; m) each of a solid's k pairs of faces.

    Inside it is the way to the nearest face, outside minus the way to the solid.
    """
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return np.asarray(-np.minimum(beyond.max(axis=1), 0.0) - outside)


AnyTrigger = Annotated[BoxTrigger | SphereTrigger | CylinderTrigger, Field(discriminator="kind")]
"""Any of the kinds, told apart by ``kind``."""

TRIGGERS: dict[str, type[Trigger]] = {
    "box": BoxTrigger,
    "sphere": SphereTrigger,
    "cylinder": CylinderTrigger,
}
"""What a world file may call each kind of volume."""
