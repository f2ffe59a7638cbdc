"""Least-squares fits: a line through points, a plane through a point cloud (roach, sec. 3.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array


@dataclass(frozen=True)
class LineFit:
    """Line y = slope x + offset."""

    slope: float
    offset: float
    r2: float
    """Coefficient of determination; 1 if all points are on the line."""

    def at(self, x: Array) -> Array:
        """Return y at ``x`` of any shape."""
        return np.asarray(self.slope * x + self.offset)


def fit_line(x: Array, y: Array) -> LineFit:
    """Return the least-squares line through points ``x``, ``y``, both (n,)."""
    if x.shape != y.shape or len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        raise BadValue(f"line: {len(x)} and {len(y)} values; needs 3 or more points, not all alike")
    slope, offset = np.polyfit(x, y, 1)
    rest = y - (slope * x + offset)
    return LineFit(float(slope), float(offset), float(1 - rest.var() / y.var()))


@dataclass(frozen=True)
class PlaneFit:
    """Plane through a point cloud."""

    middle: Array
    """Mean of the points, (3,), m."""
    normal: Array
    """Unit normal, (3,)."""
    kept: int
    """Number of points that are not outliers."""
    error: float
    """Standard error of the distances from the plane, m."""


def fit_plane(points: Array, outliers: float = 5.0) -> PlaneFit:
    """Fit a plane by orthogonal least squares and remove outliers until there are none.

    Outliers are points further from the plane than ``outliers`` standard errors.

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
