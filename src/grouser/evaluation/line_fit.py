"""A straight line through points, by least squares, and how well it fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array


@dataclass(frozen=True)
class LineFit:
    """y = slope x + offset."""

    slope: float
    offset: float
    r2: float
    """Share of the variance of y that the line explains; 1: all points lie on it."""

    def at(self, x: Array) -> Array:
        """Return y at ``x``, any shape."""
        return np.asarray(self.slope * x + self.offset)


def fit_line(x: Array, y: Array) -> LineFit:
    """Return the line of least squares through points ``x``, ``y``, both (n,)."""
    if x.shape != y.shape or len(x) < 3 or np.ptp(x) == 0 or np.ptp(y) == 0:
        raise BadValue(f"line: {len(x)} and {len(y)} values; needs 3 or more points, not all alike")
    slope, offset = np.polyfit(x, y, 1)
    rest = y - (slope * x + offset)
    return LineFit(float(slope), float(offset), float(1 - rest.var() / y.var()))
