"""Pass curve: logistic regression of the pass rate over the size of an apparatus.

Each repetition of a test has its own limit, which lies between the largest size passed and the
smallest failed. Limits are assumed to follow a logistic distribution, so that the share of runs
that pass at size s is the logistic curve ::

    p(s) = 1 / (1 + exp((s - m) / b))

m and b maximise the likelihood of the brackets (interval censoring; limits beyond the tested span
are censored). 50 % pass at m, and 95 % at m - b ln 19. Uncertainty is estimated by a bootstrap over
repetitions, not over runs, since the runs of one repetition are not independent. Half the
resolution is added on both sides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array
from grouser.trials.intervals import wilson

RESAMPLES = 1000
"""Number of bootstrap resamples."""
OUTSIDE = (0.025, 0.975)
"""Quantiles of the 95 % interval."""


@dataclass(frozen=True)
class SizeEstimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PassCount:
    """Number of runs that passed."""

    passed: int
    of: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.of}"

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the pass probability."""
        return wilson(self.passed, self.of)


@dataclass(frozen=True, eq=False)
class PassCurve:
    """Fitted curve p(s) with its bootstrap resamples."""

    middles: Array
    """m of the most likely curve, then of the resamples; mm or deg, (1 + RESAMPLES,)."""
    widths: Array
    """b of the same curves."""
    resolution: float
    """Resolution of the limits, mm or deg."""

    def size(self, share: float) -> SizeEstimate:
        """Return the size at which ``share`` of runs pass."""
        sizes = self.middles - self.widths * math.log(share / (1 - share))
        sizes = np.maximum(sizes, 0.0)
        low, high = np.quantile(sizes[1:], OUTSIDE)
        half = self.resolution / 2
        return SizeEstimate(float(sizes[0]), max(0.0, float(low) - half), float(high) + half)

    def prediction_interval(
        self, size: float, runs: int, rng: np.random.Generator
    ) -> tuple[int, int]:
        """Return the 95 % prediction interval of passes among ``runs`` fresh runs at ``size``.

        It contains the sampling of the runs and the uncertainty of the curve.
        """
        off = rng.uniform(-0.5, 0.5, len(self.middles) - 1) * self.resolution
        chance = 1 - _below(np.array([size]), self.middles[1:] + off, self.widths[1:])[0]
        passed = rng.binomial(runs, chance)
        low, high = np.quantile(passed, OUTSIDE, method="nearest")
        return int(low), int(high)


def fit_pass_curve(
    brackets: Sequence[tuple[float, float]], resolution: float, rng: np.random.Generator
) -> PassCurve | None:
    """Fit a curve to the ``brackets`` of limits; return None if all lie beyond one end.

    A bracket is the largest size passed and the smallest failed of a repetition; ``rng`` is for
    the bootstrap.
    """
    low, high = (np.array(side, float) for side in zip(*brackets, strict=True))
    known_sizes = np.concatenate([low, high])
    known_sizes = known_sizes[np.isfinite(known_sizes)]
    if np.isinf(low).all() or np.isinf(high).all():
        return None
    reach = max(float(np.ptp(known_sizes)), resolution)
    fine = max(resolution / 5, reach / 60)
    m = np.arange(known_sizes.min() - reach / 2, known_sizes.max() + reach / 2, fine)
    # Lower bound of b: with smaller values, m is undetermined between two sizes.
    b = np.geomspace(resolution / 4, 2 * reach, 40)
    middles, widths = (grid.ravel() for grid in np.meshgrid(m, b))
    chance = _below(high, middles, widths) - _below(low, middles, widths)  # (repeats, grid)
    likelihood = np.log(np.maximum(chance, 1e-300))
    evenly = np.full(len(brackets), 1 / len(brackets))
    again = rng.multinomial(len(brackets), evenly, RESAMPLES).astype(float)  # weights
    best = [int(likelihood.sum(axis=0).argmax()), *(again @ likelihood).argmax(axis=1).tolist()]
    return PassCurve(middles[best], widths[best], resolution)


def _below(size: Array, middle: Array, width: Array) -> Array:
    """Return the logistic distribution function at each size, (sizes, grid)."""
    return np.asarray(0.5 * (1 + np.tanh((size[:, None] - middle) / width / 2)))
