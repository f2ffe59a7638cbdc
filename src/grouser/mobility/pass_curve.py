"""The share of runs that pass, as a curve over the size of an apparatus.

Every repetition of a test has a limit of its own, known to lie between the largest size passed
and the smallest failed. Limits are taken to be spread as a logistic distribution, which makes the
share of runs that pass at size s the logistic curve ::

    p(s) = 1 / (1 + exp((s - m) / b))

m and b are those that make the intervals found most likely (maximum likelihood; limits beyond the
span that was looked at count as such). The size at which 50 % pass is m, and 95 % pass at
m - b ln 19. What is not known about the curve is what comes out when repetitions are drawn anew
from those there are (bootstrap): repetitions, not runs, since the runs of one are no independent
witnesses. Half a size is added on both sides, since no limit is known better than that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array
from grouser.trials.intervals import wilson

RESAMPLES = 1000
"""Of the bootstrap."""
OUTSIDE = (0.025, 0.975)
"""Quantiles between which 95 % lie."""


@dataclass(frozen=True)
class SizeEstimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PassCount:
    """How many of some runs passed."""

    passed: int
    of: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.of}"

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the probability to pass."""
        return wilson(self.passed, self.of)


@dataclass(frozen=True, eq=False)
class PassCurve:
    """The curve p(s), and what else it might be."""

    middles: Array
    """m: of the most likely curve first, then of the bootstrap's; mm or deg, (1 + RESAMPLES,)."""
    widths: Array
    """b of the same."""
    resolution: float
    """To which limits are known."""

    def size(self, share: float) -> SizeEstimate:
        """Return the size at which ``share`` of runs pass."""
        sizes = self.middles - self.widths * math.log(share / (1 - share))
        sizes = np.maximum(sizes, 0.0)
        low, high = np.quantile(sizes[1:], OUTSIDE)
        half = self.resolution / 2
        return SizeEstimate(float(sizes[0]), max(0.0, float(low) - half), float(high) + half)

    def expected(self, size: float, runs: int, rng: np.random.Generator) -> tuple[int, int]:
        """Return between which numbers of ``runs`` fresh runs at ``size`` pass, in 95 % of cases.

        Both chances are in it: which runs they are, and how far off the curve may be.
        """
        off = rng.uniform(-0.5, 0.5, len(self.middles) - 1) * self.resolution
        chance = 1 - _below(np.array([size]), self.middles[1:] + off, self.widths[1:])[0]
        passed = rng.binomial(runs, chance)
        low, high = np.quantile(passed, OUTSIDE, method="nearest")
        return int(low), int(high)


def fit_pass_curve(
    brackets: Sequence[tuple[float, float]], resolution: float, rng: np.random.Generator
) -> PassCurve | None:
    """Return the curve through the limits' ``brackets``; None if all lie beyond one end.

    Args:
        brackets: per repetition the largest size passed and the smallest failed.
        resolution: of sizes.
        rng: for the bootstrap.
    """
    low, high = (np.array(side, float) for side in zip(*brackets, strict=True))
    known_sizes = np.concatenate([low, high])
    known_sizes = known_sizes[np.isfinite(known_sizes)]
    if np.isinf(low).all() or np.isinf(high).all():
        return None
    reach = max(float(np.ptp(known_sizes)), resolution)
    fine = max(resolution / 5, reach / 60)
    m = np.arange(known_sizes.min() - reach / 2, known_sizes.max() + reach / 2, fine)
    # Narrower than this, limits between two sizes would not tell where between them m is.
    b = np.geomspace(resolution / 4, 2 * reach, 40)
    middles, widths = (grid.ravel() for grid in np.meshgrid(m, b))
    chance = _below(high, middles, widths) - _below(low, middles, widths)  # (repeats, grid)
    likelihood = np.log(np.maximum(chance, 1e-300))
    evenly = np.full(len(brackets), 1 / len(brackets))
    again = rng.multinomial(len(brackets), evenly, RESAMPLES).astype(float)  # how often each counts
    best = [int(likelihood.sum(axis=0).argmax()), *(again @ likelihood).argmax(axis=1).tolist()]
    return PassCurve(middles[best], widths[best], resolution)


def _below(size: Array, middle: Array, width: Array) -> Array:
    """Return the part of limits below each size, (sizes, grid)."""
    return np.asarray(0.5 * (1 + np.tanh((size[:, None] - middle) / width / 2)))
