"""Grousers: the bars across a belt that grip the ground (Okada et al. 2020, sec. III-B).

A grouser is a convex outline in the plane of the belt's motion, extruded across the belt. "Any
shape is acceptable, provided it is supported by the simulator": a box, a trapezoid, any convex
polygon, or a bar with a rounded tip, which has two contact points on flat ground instead of four
and is therefore the fastest. Compliance belongs to the robot (`grouser.physics.compliance`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.frames import Pose
from grouser.tracks.geoms import GeomBuilder

ROOT = 0.004
"""m; depth of a grouser inside its belt, which closes the gap between them."""


class PathElement(Protocol):
    """Element that is repeated along a path: a grouser, a lug, an aircraft."""

    @property
    def height(self) -> float:
        """Height above the belt, m."""
        ...

    @property
    def round_tip(self) -> bool:
        """True: two contact points on level ground instead of four."""
        ...

    def add(
        self,
        body: mujoco.MjsBody,
        X_BF: Pose,
        *,
        belt_width: float,
        name: str,
        builder: GeomBuilder,
    ) -> None:
        """Add its geoms to ``body``, with its footprint at ``X_BF``."""
        ...


@dataclass(frozen=True)
class Grouser:
    """One bar across the belt: its outline."""

    outline: tuple[tuple[float, float], ...]
    """Convex outline, (along the belt, height above it) in m, counter-clockwise or clockwise."""
    round_tip: bool = False
    """True: the flat top is a half cylinder, with two contact points instead of four."""

    def __post_init__(self) -> None:
        _check_convex(self.outline)
        if self.round_tip and not 0 < self._tip_radius < self.height:
            raise BadValue(
                f"grouser: a round tip needs a flat top narrower than twice its height, "
                f"{2 * self._tip_radius:g} m on {self.height:g} m given"
            )

    @property
    def height(self) -> float:
        """Height above the belt, m."""
        return max(height for _, height in self.outline)

    @property
    def _tip_radius(self) -> float:
        """Half the length of the flat top, m."""
        top = [along for along, height in self.outline if height == self.height]
        return (max(top) - min(top)) / 2

    @staticmethod
    def box(length: float, height: float) -> Grouser:
        """Return a cuboid bar, ``length`` along the belt (m)."""
        return Grouser.trapezoid(length, length, height)

    @staticmethod
    def rounded(length: float, height: float) -> Grouser:
        """Return a bar of ``length`` along the belt whose tip is a half cylinder."""
        return Grouser.trapezoid(length, length, height, round_tip=True)

    @staticmethod
    def trapezoid(top: float, base: float, height: float, *, round_tip: bool = False) -> Grouser:
        """Return a bar with a ``base`` on the belt and a ``top`` (m)."""
        corners = ((-base / 2, 0.0), (base / 2, 0.0), (top / 2, height), (-top / 2, height))
        return Grouser(corners, round_tip)

    def add(
        self,
        body: mujoco.MjsBody,
        X_BF: Pose,
        *,
        belt_width: float,
        name: str,
        builder: GeomBuilder,
    ) -> None:
        """Add the bar's geoms to ``body``, with its footprint at ``X_BF``."""
        half_width = belt_width / 2
        points = np.array(self.outline, float)
        top = points[:, 1] == self.height
        if self.round_tip:
            # The web ends at the tip's centre: flat ground touches only the round tip, while an
            # edge between two bars still touches a wall.
            radius, middle = self._tip_radius, float(points[top, 0].mean())
            points[top, 1] -= radius
            tip = X_BF @ Pose.at(middle, 0, self.height - radius)
            size = (radius, half_width - radius)
            builder.bar(body, tip, size, name=f"{name}/tip")
        points[points[:, 1] <= 1e-12, 1] -= ROOT
        low, high = points.min(axis=0), points.max(axis=0)
        if len(points) == 4 and bool(((points == low) | (points == high)).all()):
            (x, z), (half_x, half_z) = (low + high) / 2, (high - low) / 2
            half = (float(half_x), half_width, float(half_z))
            builder.box(body, X_BF @ Pose.at(x, 0, z), half, name=name)
        else:
            builder.prism(body, X_BF, points, half_width, name=name)


def _check_convex(outline: tuple[tuple[float, float], ...]) -> None:
    points = np.array(outline, float)
    if points.ndim != 2 or len(points) < 3 or not np.isfinite(points).all():
        raise BadValue(f"grouser: outline {outline} needs at least 3 finite (along, height) points")
    edges = np.roll(points, -1, axis=0) - points
    following = np.roll(edges, -1, axis=0)
    turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
    if not ((turns > 0).all() or (turns < 0).all()):
        raise BadValue(f"grouser: outline {outline} is not convex")
    if points[:, 1].max() <= 0 or math.isclose(points[:, 1].max(), 0.0):
        raise BadValue(f"grouser: outline {outline} does not rise above the belt")
