"""Fit of a simulated trajectory to a log with an unknown clock offset.

Residuals are computed at the samples of the log. The simulation, sampled much more densely, is
interpolated linearly. The start time of the log is unknown; a one-dimensional search finds the
clock offset of least loss. The simulated robot is at rest before the simulation begins. With
`LogAlignment.align` the best shift of the log's x and z, which have another origin, is removed too.

The loss is pseudo-Huber, quadratic for small residuals and linear for large ones::

    loss = sum 2 d² (sqrt(1 + (r / d)²) - 1),    r = residual / scale,  d = 2

It limits the weight of single events, such as an impact that the simulation reproduces
inaccurately. If all residuals are noise of the given scale, the loss is nearly a sum of squares of
normal numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array

CHANNELS = ("x", "z", "pitch")
"""Rows of residuals; m, m, rad."""
LINEAR_FROM = 2.0
"""Residual over scale at which the loss changes from quadratic to linear."""
_COARSE = 0.02  # s; spacing of the first search for the offset
_FINE = 8  # number of times the spacing is halved: better than 0.1 ms


@dataclass(frozen=True, kw_only=True)
class LogAlignment:
    """Search range of the log's clock offset, and alignment of its origin."""

    earliest: float
    """Earliest simulated time of the log's first sample, s."""
    latest: float
    """Latest simulated time of the log's first sample, s."""
    align: bool = False
    """True if the origin of x and z is unknown."""


@dataclass(frozen=True, eq=False)
class LogFit:
    """Residuals of a log at the best clock offset."""

    offset: float
    """Simulated time at the log's first sample, s."""
    residuals: Array
    """Simulated minus real, m, m, rad, (3, k)."""
    shift: tuple[float, float]
    """Shift added to the log's x and z, m; zero without alignment."""


def fit_log(
    real: Trajectory, simulated: Trajectory, scales: Array, alignment: LogAlignment
) -> LogFit:
    """Return the fit of a simulation to a clean log (k samples) at the best clock offset.

    ``simulated`` is sampled more densely; ``scales`` (3, k) are those of the residuals (m, m,
    rad).
    """
    tried = np.arange(alignment.earliest, alignment.latest + _COARSE / 2, _COARSE)
    best, step = float(tried[_losses(real, simulated, tried, scales, alignment).argmin()]), _COARSE
    for _ in range(_FINE):
        step /= 2
        tried = np.clip([best - step, best, best + step], alignment.earliest, alignment.latest)
        best = float(tried[_losses(real, simulated, tried, scales, alignment).argmin()])
    residuals, shift = _residuals(real, simulated, np.array([best]), scales, alignment)
    return LogFit(best, residuals[0], (float(shift[0, 0]), float(shift[0, 1])))


def loss(residuals: Array, scales: Array) -> float:
    """Return the loss of residuals (3, k) with ``scales`` (3, k)."""
    return standard_loss(residuals / scales)


def standard_loss(standard: Array) -> float:
    """Return the loss of residuals over scales, of any shape."""
    return float(_loss(standard).sum())


def robust_weights(standard: Array) -> Array:
    """Return the weight of each residual (over its scale) relative to a sum of squares."""
    counts: Array = 1 / np.sqrt(1 + (standard / LINEAR_FROM) ** 2)
    return counts


def residual_scales(residuals: Array, rough: Array, least: Array, most: Array) -> Array:
    """Return the scale of every residual (3, k): noise of its channel combined with ``rough``.

    The noise follows from the median size of the ``residuals`` of the best run, from ``least``
    to ``most`` (3,); ``rough`` (3, k) is the scatter of the simulations at each sample.
    """
    low, high = least.copy(), most.copy()
    for _ in range(20):  # bisection: residuals over scales decrease with the noise
        noise = np.sqrt(low * high)
        scales = np.hypot(noise[:, None], rough)
        large = 1.4826 * np.median(np.abs(residuals) / scales, axis=1) > 1
        low, high = np.where(large, noise, low), np.where(large, high, noise)
    return np.hypot(np.sqrt(low * high)[:, None], rough)


def correlation(standard: Array) -> float:
    """Return the correlation length of residuals (3, k) over scales, in samples.

    It is the sum of the autocorrelation of the rows up to its first zero; 1 for white noise.
    """
    count = standard.shape[1]
    kept = np.clip(standard, -3 * LINEAR_FROM, 3 * LINEAR_FROM)
    power = float((kept**2).sum())
    total = 1.0
    for lag in range(1, count // 2):
        again = float((kept[:, lag:] * kept[:, :-lag]).sum()) / power if power else 0.0
        if again <= 1 / np.sqrt(count):
            break
        total += 2 * again
    return total


def _loss(standard: Array) -> Array:
    lost: Array = 2 * LINEAR_FROM**2 * (np.sqrt(1 + (standard / LINEAR_FROM) ** 2) - 1)
    return lost


def _losses(
    real: Trajectory, simulated: Trajectory, offsets: Array, scales: Array, alignment: LogAlignment
) -> Array:
    """Return the loss at each of ``offsets`` (m,)."""
    residuals, _ = _residuals(real, simulated, offsets, scales, alignment)
    lost: Array = _loss(residuals / scales).sum(axis=(1, 2))
    return lost


def _residuals(
    real: Trajectory, simulated: Trajectory, offsets: Array, scales: Array, alignment: LogAlignment
) -> tuple[Array, Array]:
    """Return the residuals (m, 3, k) and the log's shifts in x and z (m, 2)."""
    times = real.times + offsets[:, None]
    pairs = (
        (real.x, simulated.x),
        (real.z, simulated.z),
        (np.unwrap(real.pitch), np.unwrap(simulated.pitch)),
    )
    rows = [np.interp(times, simulated.times, ours) - theirs for theirs, ours in pairs]
    residuals = np.stack(rows, axis=1)
    shifts = np.zeros((len(offsets), 2))
    if alignment.align:
        for _ in range(3):  # robust mean by iterative reweighting
            counts = robust_weights(residuals[:, :2] / scales[:2]) / scales[:2] ** 2
            more = (counts * residuals[:, :2]).sum(axis=2) / counts.sum(axis=2)
            shifts += more
            residuals[:, :2] -= more[:, :, None]
    return residuals, shifts
