"""Confidence intervals (95 %) of probabilities and means."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

Z95 = 1.959964
"""Two-sided 95 % quantile of the normal distribution, in standard deviations."""

T95 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Two-sided 95 % quantiles of Student's t for means of 2, 3, … 11 numbers. For more numbers, the
first term of its series is accurate to 0.5 %."""


def wilson(passed: int, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a probability from ``passed`` successes of ``of``."""
    if not of:
        return 0.0, 1.0
    p, z2 = passed / of, Z95**2
    middle = (p + z2 / (2 * of)) / (1 + z2 / of)
    half = Z95 / (1 + z2 / of) * math.sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    return max(0.0, middle - half), min(1.0, middle + half)


def mean_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean of ``values``; None: fewer than two values."""
    count = len(values)
    if count < 2:
        return None
    t = T95[count - 2] if count - 2 < len(T95) else Z95 * (1 + 1.35 / (count - 1))
    half = t * float(np.std(values, ddof=1)) / math.sqrt(count)
    mean = float(np.mean(values))
    return mean - half, mean + half
