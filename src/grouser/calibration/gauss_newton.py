"""Gauss-Newton least squares by regression, for simulators that are rough functions.

A simulation with contacts is a rough function of its parameters: a change of one thousandth may let
another grouser meet an edge, so finite differences with small steps differentiate noise. Here each
generation is a star-shaped stencil as wide as the trust region, simulated in one batch. A
plane is fitted to the *residual vectors* of all nearby points, which averages the roughness; the
minimum of its robust loss is the centre of the next stencil. The deviation of the points from the
plane estimates, per sample, the part that the simulator cannot reproduce (mostly after impacts);
such samples get less weight. The stencil shrinks to `SMALLEST`.

Before the first stencil, one generation is spread over the whole box (Latin hypercube), to avoid
the local minimum next to the start, and `ROUNDS` more generations are drawn like its best quarter
(cross-entropy method).

All numbers are in the unit box: 0 and 1 are the ends of the plausible range.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from grouser.evaluation.log_fit import robust_weights
from grouser.frames import Array

ROUNDS = 2
"""Cross-entropy rounds before the first stencil."""
WIDEST = 0.1
"""Radius of the first stencil, as a part of the range."""
SMALLEST = 0.03
"""Smallest radius of a stencil."""
DRAWS = 40
"""Number of bootstrap draws."""
GENERATIONS = 6
"""Largest number of stencils."""


@dataclass(frozen=True, eq=False)
class ResidualPlane:
    """Linear model of the residuals near a point: ``middle + slope @ (u - at)``."""

    at: Array
    """Centre, (p,)."""
    middle: Array
    """Residuals at the centre, in scales, (n,)."""
    slope: Array
    """Jacobian, scales per range, (n, p)."""
    rough: Array
    """Standard deviation of points from the plane, in scales, (n,)."""

    def at_point(self, point: Array) -> Array:
        """Return the residuals at ``point`` (p,), in scales, (n,)."""
        residuals: Array = self.middle + self.slope @ (point - self.at)
        return residuals

    def information(self) -> Array:
        """Return the curvature of half the loss, (p, p)."""
        information: Array = (self.slope.T * robust_weights(self.middle)) @ self.slope
        return information


def latin_hypercube(count: int, parameters: int, rng: np.random.Generator) -> Array:
    """Return ``count`` points (count, p) of a Latin hypercube: one in every slice of the box."""
    slices = np.stack([rng.permutation(count) for _ in range(parameters)], axis=1)
    points: Array = (slices + rng.random((count, parameters))) / count
    return points


def cross_entropy_round(
    points: Array, losses: Array, count: int, rng: np.random.Generator
) -> Array:
    """Return ``count`` points (count, p) of the next round of the cross-entropy method."""
    # Normally distributed with the rank-weighted mean and spread of the best quarter of
    # ``points`` (m, p).
    best = points[losses.argsort()[: max(3, len(points) // 4)]]
    counts = 1.0 / np.arange(1, len(best) + 1)
    middle = np.average(best, axis=0, weights=counts)
    wide = np.sqrt(np.average((best - middle) ** 2, axis=0, weights=counts)) + SMALLEST
    others: Array = np.clip(middle + wide * rng.standard_normal((count, len(middle))), 0.0, 1.0)
    return others


def star_stencil(middle: Array, radius: float) -> Array:
    """Return the stencil: ``middle`` and a point to either side along every axis, (2p + 1, p)."""
    arms = radius * np.eye(len(middle))
    points: Array = np.clip(np.vstack([middle, middle + arms, middle - arms]), 0.0, 1.0)
    return points


def fit_residuals(
    points: Array, residuals: Array, at: Array, radius: float, trust: Array | None = None
) -> ResidualPlane:
    """Fit a plane to the residuals (m, n) of the ``points`` (m, p) near ``at``.

    Weights fall from 1 at the centre to 0 at 1.5 times ``radius``, times ``trust`` (m,).
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
    # Iteratively reweighted least squares with coordinate descent.
    low = np.maximum(-fitted.at, -reach)
    high = np.minimum(1 - fitted.at, reach)
    moved = np.zeros_like(fitted.at)
    for _ in range(20):  # reweighting
        standard = fitted.middle + fitted.slope @ moved
        counts = robust_weights(standard)
        curve = (fitted.slope.T * counts) @ fitted.slope
        down = (fitted.slope.T * counts) @ fitted.middle
        for _ in range(20):  # coordinate descent within the bounds
            for j in range(len(moved)):
                rest = down[j] + curve[j] @ moved - curve[j, j] * moved[j]
                if curve[j, j] > 0:
                    moved[j] = np.clip(-rest / curve[j, j], low[j], high[j])
    return fitted.at + moved


def bootstrap_deviation(
    points: Array, residuals: Array, at: Array, rng: np.random.Generator
) -> Array:
    """Return the standard deviation (p,) of the result under a Bayesian bootstrap.

    Simulations get random weights and the fit a random radius; the deviation measures the influence
    of the roughness of single simulations.
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
    """Source of simulations for `descend`."""

    def run(self, points: Array) -> None:
        """Simulate ``points`` (m, p) and store the results."""
        ...

    def evaluations(self) -> tuple[Array, Array, Array]:
        """Return all points (m, p), their residuals in scales (m, n) and their losses (m,)."""
        ...

    def note_roughness(self, rough: Array) -> None:
        """Store the scatter of simulations about a plane, in scales (n,)."""
        ...


def descend(begin: Array, runs: SimulationRuns) -> tuple[Array, ResidualPlane]:
    """Minimise from ``begin`` (p,), stencil by stencil; return the minimum and the plane there."""
    middle, radius = begin, WIDEST
    for _ in range(GENERATIONS):
        runs.run(star_stencil(middle, radius))
        points, residuals, losses = runs.evaluations()
        near = np.abs(points - middle).max(axis=1) < 1.5 * radius
        best = points[near][losses[near].argmin()]
        runs.note_roughness(fit_residuals(points, residuals, best, 1.5 * radius).rough)
        points, residuals, _ = runs.evaluations()
        towards = least_loss_point(fit_residuals(points, residuals, best, 1.5 * radius), 2 * radius)
        far = float(np.abs(towards - middle).max())
        middle = towards
        if radius <= SMALLEST and far < radius:
            break
        if far < 1.5 * radius:
            radius = max(radius / 2.3, SMALLEST)
    return middle, fit_residuals(points, residuals, middle, 2 * radius)
