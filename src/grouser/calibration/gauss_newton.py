"""Least squares for simulators that are rough: Gauss-Newton by regression over populations.

A simulation with contacts is a rough function of its parameters: two values a thousandth apart
may let another grouser meet an edge. Finite differences with small steps differentiate that
roughness. Here every generation is a star of points as wide as the trust region, run at once;
a plane is fitted through the *residual vectors* of all points near by, which averages roughness
out; the step to that plane's least robust loss is the next star's middle. How far the points are
off the plane says, sample by sample, what the simulator cannot reproduce (what comes after an
impact, mostly): such samples count less. The star shrinks to `SMALLEST` and no further.

Before the first star, one generation is spread over the whole box, so that the search is not
caught by the minimum next to the start, and `ROUNDS` more are drawn like its best quarter
(cross-entropy method), which finds the funnel that the roughness is in.

All numbers here are in the unit box: 0 and 1 are the ends of the plausible range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grouser.evaluation.log_fit import robust_weights
from grouser.frames import Array

ROUNDS = 2
"""Of narrowing down before the first star."""
WIDEST = 0.1
"""Radius of the first star, of the range."""
SMALLEST = 0.03
"""Radius below which a star does not shrink."""
DRAWS = 40
"""Of the bootstrap."""
GENERATIONS = 6
"""Stars at most."""


@dataclass(frozen=True, eq=False)
class ResidualPlane:
    """Residuals near a point: ``middle + slope @ (u - at)``."""

    at: Array
    """(p,)."""
    middle: Array
    """In scales, (n,)."""
    slope: Array
    """Scales per range, (n, p)."""
    rough: Array
    """How far points are off the plane, standard deviation in scales, (n,)."""

    def at_point(self, point: Array) -> Array:
        """Return the residuals at ``point`` (p,), in scales, (n,)."""
        residuals: Array = self.middle + self.slope @ (point - self.at)
        return residuals

    def information(self) -> Array:
        """Return the curvature of half the loss, (p, p)."""
        information: Array = (self.slope.T * robust_weights(self.middle)) @ self.slope
        return information


def latin_hypercube(count: int, parameters: int, rng: np.random.Generator) -> Array:
    """Return ``count`` points (count, p) of a Latin hypercube: every slice of the box has one."""
    slices = np.stack([rng.permutation(count) for _ in range(parameters)], axis=1)
    points: Array = (slices + rng.random((count, parameters))) / count
    return points


def cross_entropy_round(
    points: Array, losses: Array, count: int, rng: np.random.Generator
) -> Array:
    """Return ``count`` points (count, p) like the best of ``points`` (m, p), with some spread.

    One round of the cross-entropy method: mean and spread of the best quarter, weighted by rank.
    """
    best = points[losses.argsort()[: max(3, len(points) // 4)]]
    counts = 1.0 / np.arange(1, len(best) + 1)
    middle = np.average(best, axis=0, weights=counts)
    wide = np.sqrt(np.average((best - middle) ** 2, axis=0, weights=counts)) + SMALLEST
    others: Array = np.clip(middle + wide * rng.standard_normal((count, len(middle))), 0.0, 1.0)
    return others


def star(middle: Array, radius: float) -> Array:
    """Return ``middle`` and a point to either side along every axis, in the box, (2p + 1, p)."""
    arms = radius * np.eye(len(middle))
    points: Array = np.clip(np.vstack([middle, middle + arms, middle - arms]), 0.0, 1.0)
    return points


def fit_residuals(
    points: Array, residuals: Array, at: Array, radius: float, trust: Array | None = None
) -> ResidualPlane:
    """Fit a plane to the residuals (m, n) of those ``points`` (m, p) within ``radius`` of ``at``.

    Points at the middle count most, those at 1.5 radii not at all; each times its ``trust`` (m,).
    """
    away = np.abs(points - at).max(axis=1) / (1.5 * radius)
    near = np.clip(1 - away**2, 0.0, None)
    counts = np.sqrt(near if trust is None else near * trust)[:, None]
    sides = np.hstack([np.ones((len(points), 1)), points - at])
    solved, *_ = np.linalg.lstsq(sides * counts, residuals * counts, rcond=1e-9)
    off = (residuals - sides @ solved) * counts
    spare = float((counts > 0).sum()) - sides.shape[1]
    rough = np.sqrt((off**2).sum(axis=0) / max(spare, 1.0))
    return ResidualPlane(at, solved[0], solved[1:].T, rough)


def least_loss_point(fitted: ResidualPlane, reach: float) -> Array:
    """Return the point (p,) of least robust loss on the plane, within ``reach`` and the box."""
    low = np.maximum(-fitted.at, -reach)
    high = np.minimum(1 - fitted.at, reach)
    moved = np.zeros_like(fitted.at)
    for _ in range(20):  # weights follow the residuals
        standard = fitted.middle + fitted.slope @ moved
        counts = robust_weights(standard)
        curve = (fitted.slope.T * counts) @ fitted.slope
        down = (fitted.slope.T * counts) @ fitted.middle
        for _ in range(20):  # one coordinate at a time, never outside
            for j in range(len(moved)):
                rest = down[j] + curve[j] @ moved - curve[j, j] * moved[j]
                if curve[j, j] > 0:
                    moved[j] = np.clip(-rest / curve[j, j], low[j], high[j])
    return fitted.at + moved


def bootstrap_deviation(
    points: Array, residuals: Array, at: Array, rng: np.random.Generator
) -> Array:
    """Return the standard deviation (p,) of the result when points count at random.

    A Bayesian bootstrap over simulations and over how far away they may be: how much the result
    owes to the roughness of a few of them.
    """
    results = []
    for radius in rng.uniform(2 * SMALLEST, 1.5 * WIDEST, DRAWS):
        trust = rng.exponential(size=len(points))
        results.append(
            least_loss_point(fit_residuals(points, residuals, at, radius, trust), WIDEST)
        )
    deviation: Array = np.std(results, axis=0)
    return deviation


class SimulationRuns(Protocol):
    """Simulations that can be asked for more."""

    def run(self, points: Array) -> None:
        """Run ``points`` (m, p) and keep what comes out."""
        ...

    def evaluated(self) -> tuple[Array, Array, Array]:
        """Return all points (m, p), their residuals in scales (m, n) and their losses (m,)."""
        ...

    def note_roughness(self, rough: Array) -> None:
        """Take note how far simulations scatter about a plane, in scales (n,)."""
        ...


def descend(begin: Array, runs: SimulationRuns) -> tuple[Array, ResidualPlane]:
    """Go down from ``begin`` (p,), star by star; return where to and the plane there."""
    middle, radius = begin, WIDEST
    for _ in range(GENERATIONS):
        runs.run(star(middle, radius))
        points, residuals, losses = runs.evaluated()
        near = np.abs(points - middle).max(axis=1) < 1.5 * radius
        best = points[near][losses[near].argmin()]
        runs.note_roughness(fit_residuals(points, residuals, best, 1.5 * radius).rough)
        points, residuals, _ = runs.evaluated()
        towards = least_loss_point(fit_residuals(points, residuals, best, 1.5 * radius), 2 * radius)
        far = float(np.abs(towards - middle).max())
        middle = towards
        if radius <= SMALLEST and far < radius:
            break
        if far < 1.5 * radius:
            radius = max(radius / 2.3, SMALLEST)
    return middle, fit_residuals(points, residuals, middle, 2 * radius)
