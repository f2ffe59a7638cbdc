"""Trigger volumes: fire events when a robot or object enters, leaves or stays in them.

"An event is casted when an object, like a robot, comes in contact with a trigger, that is an
invisible volume that can be placed anywhere in the map" (Zaratti et al. 2006, section 4). A volume
has no geom: it has no contacts, is invisible to rays and cameras, and costs no physics time.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, Strict, model_validator

from grouser.description import Description, mistake
from grouser.frames import Array, radians
from grouser.world.field_types import Length, Name, Point

GROUPS = ("any", "robots", "objects")
"""Names of groups in a trigger's `by`."""

Names = Annotated[tuple[str, ...], Strict(False)]
Lines = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=500)], ...], Strict(False)]
"""Console lines, interpreted by the simulation."""


class Trigger(Description):
    """Base class of trigger volumes; a subclass adds the shape."""

    name: Name
    """Unique among triggers."""
    position: Point
    """Centre of the volume in the world, m."""
    on: Literal["enter", "leave", "stay"] = "enter"
    """Condition: a body enters, leaves, or has stayed inside for `seconds`."""
    seconds: Annotated[float, Field(gt=0, le=100_000)] | None = None
    """Time to stay, s, above 0; the trigger fires again after each such period. Only for stay."""
    by: Annotated[Names, Field(min_length=1)] = ("any",)
    """Robots and objects that activate the trigger: names, kinds or patterns (``red*``), robots,
    objects or any. Fixed objects never do."""
    counts: Literal["centre", "touch", "whole"] = "centre"
    """Part that must be inside: the centre, any part, or the whole body. Parts are represented by
    their bounding spheres, which is exact for balls."""
    once: bool = False
    """True: the trigger fires once per run."""
    rearm: Annotated[float, Field(ge=0, le=100_000)] = 0.0
    """Shortest time between two firings, s; at least 0."""
    fires: Names = ()
    """Events to fire, in this order."""
    do: Lines = ()
    """Console lines to execute; ``{who}`` is replaced by the name of the robot or object."""

    @model_validator(mode="after")
    def _agrees(self) -> Trigger:
        if (self.on == "stay") != (self.seconds is not None):
            raise mistake("must be given for stay, and only then", "seconds")
        if not self.fires and not self.do:
            raise mistake("must name an event unless 'do' is given", "fires")
        return self

    def depth(self, points: Array) -> Array:
        """Return the signed depth of ``points`` (n, 3; world, m) in the volume, m; outside: < 0."""
        return self._depth(points - np.asarray(self.position))

    @abstractmethod
    def _depth(self, local: Array) -> Array: ...

    @property
    @abstractmethod
    def smallest(self) -> float:
        """Smallest extent of the volume through its centre, m."""

    @property
    @abstractmethod
    def reach(self) -> float:
        """Radius of the bounding sphere, m."""


class BoxTrigger(Trigger):
    """An upright cuboid."""

    kind: Literal["box"] = "box"
    size: Annotated[tuple[Length, Length, Length], Strict(False)]
    """Edge lengths along its x, y, z, m; each above 0."""
    yaw_deg: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Rotation about z, deg."""

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
        radial = np.hypot(local[:, 0], local[:, 1]) - self.radius
        return _inside(np.stack([radial, np.abs(local[:, 2]) - self.length / 2], axis=1))

    @property
    def smallest(self) -> float:
        """Its diameter or height, m."""
        return min(2 * self.radius, self.length)

    @property
    def reach(self) -> float:
        """Distance from its centre to its rim, m."""
        return math.hypot(self.radius, self.length / 2)


def _inside(beyond: Array) -> Array:
    """Return the signed depth of points from their distances ``beyond`` faces (n, k; m)."""
    # Inside: distance to the nearest face; outside: minus the distance to the solid.
    # Inside: distance to the nearest face; outside: minus the distance to the solid.
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return np.asarray(-np.minimum(beyond.max(axis=1), 0.0) - outside)


AnyTrigger = Annotated[BoxTrigger | SphereTrigger | CylinderTrigger, Field(discriminator="kind")]
"""Union of all kinds, discriminated by ``kind``."""

TRIGGERS: dict[str, type[Trigger]] = {
    "box": BoxTrigger,
    "sphere": SphereTrigger,
    "cylinder": CylinderTrigger,
}
"""Kinds of trigger volume by their name in world files."""
