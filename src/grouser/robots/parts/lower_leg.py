"""Shape of a quadruped's lower leg: where it touches the ground decides how far a step carries.

A robot with its paws on a flat path walks as fast as the material of its legs moves at the points
of contact. On a round sole these points roll, and in a crouched walk they are not below the
paws: an ERS-7 stands on its forearms and on its hind toes (docs/appendix/zaratti.md). The shape is
the convex hull of arcs in side view, extruded to a width.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array, radians
from grouser.robots.parts.hull import Vector
from grouser.robots.parts.linkage import ORIGIN, PartShape, ball, capsule, convex

ARC_STEP_DEG = 5.0
"""Angle between two corners of the hull; on a radius of 65 mm an edge sags by 0.06 mm."""
SHIN_SHARE = 0.8
"""Fraction of the way from the knee to the paw that a round shin reaches."""


@dataclass(frozen=True, kw_only=True)
class Arc:
    """Arc of an outline in side view, in the frame of the knee of a straight leg."""

    centre: tuple[float, float]
    """x (forwards) and z (up), m."""
    radius: float
    """m."""
    from_deg: float = 0.0
    """Beginning; 0 is down, 90 is forwards, deg."""
    to_deg: float = 360.0
    """End, deg."""

    def points(self) -> Array:
        """Return points on the arc, x and z, (n, 2)."""
        count = math.ceil((self.to_deg - self.from_deg) / ARC_STEP_DEG) + 1
        angles = np.linspace(radians(self.from_deg), radians(self.to_deg), count)
        directions = np.column_stack([np.sin(angles), -np.cos(angles)])
        return np.asarray(np.array(self.centre) + self.radius * directions)


@dataclass(frozen=True, kw_only=True)
class LowerLeg:
    """Collision shape of a lower leg, in the frame of its knee."""

    paw: Vector
    """Middle of the paw's ball, m."""
    radius: float
    """Radius of the paw's ball and of the knee, m."""
    outline: tuple[Arc, ...] = ()
    """Further arcs of the side view. Empty: a ball on a round shin."""
    half_width: float = 0.0
    """Half the width of a leg with an outline, m."""

    def shapes(self, name: str, rgb: Vector) -> tuple[PartShape, ...]:
        """Return the collision shapes; the one that stands on the ground is called ``name``."""
        if self.outline:
            corners = [(x, y, z) for x, y, z in self.corners().tolist()]
            return (convex(corners, name=name),)
        x, y, z = self.paw
        shin = (x * SHIN_SHARE, y * SHIN_SHARE, z * SHIN_SHARE)
        return capsule(self.radius, ORIGIN, shin), ball(self.radius, self.paw, name=name, rgb=rgb)

    def corners(self) -> Array:
        """Return the corners of a leg with an outline, (n, 3)."""
        arcs = (
            Arc(centre=(0.0, 0.0), radius=self.radius),
            Arc(centre=(self.paw[0], self.paw[2]), radius=self.radius),
            *self.outline,
        )
        side = np.concatenate([arc.points() for arc in arcs])
        return np.concatenate(
            [np.insert(side, 1, y, axis=1) for y in (-self.half_width, self.half_width)]
        )
