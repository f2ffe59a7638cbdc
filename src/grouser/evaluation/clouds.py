"""Clouds of points: how well a plane fits them (roach, sec. 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array


@dataclass(frozen=True)
class PlaneFit:
    """A plane through a cloud."""

    middle: Array
    """A point of the plane, (3,), m."""
    normal: Array
    """Unit vector across it, (3,)."""
    kept: int
    """Points that were not outliers."""
    error: float
    """Standard error of their distance from the plane, m."""


def fit_plane(points: Array, outliers: float = 5.0) -> PlaneFit:
    """Fit a plane, leave out what is further than ``outliers`` standard errors, and so on.

    Distances are taken across the plane; it ends when nothing more is left out.

    Raises:
        BadValue: fewer than four points are left.
    """
    while True:
        if len(points) < 4:
            raise BadValue(f"plane: {len(points)} points are left, at least 4 are needed")
        middle = points.mean(axis=0)
        normal = np.linalg.eigh(np.cov(points.T))[1][:, 0]
        off = np.abs((points - middle) @ normal)
        error = float(np.sqrt((off**2).sum() / (len(points) - 3)))
        inside = off <= outliers * error
        if inside.all():
            return PlaneFit(middle, normal, len(points), error)
        points = points[inside]
