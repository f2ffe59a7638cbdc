"""How closely a simulated trajectory follows a log, whose clock may be early or late.

The log's samples are compared where they are; the simulation is read there by straight lines
between its own, much denser samples. When the log began is not known, so the shift of its clock
that fits best is found by a search over one number. A robot stands still before its simulation
begins. Where the log's x and z are measured from another origin, `LogAlignment.align` takes
the best shift of both out, too.

Residuals count by a loss that is quadratic for small and linear for large ones (pseudo-Huber)::

    loss = sum 2 d² (sqrt(1 + (r / d)²) - 1),    r = residual / scale,  d = 2

so that one impact which the simulator gets a little wrong does not outweigh all the rest. Where
all residuals are noise of that scale, the loss is nearly a sum of squares of normal numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array

CHANNELS = ("x", "z", "pitch")
"""Rows of residuals; m, m, rad."""
TURN = 2.0
"""Residuals beyond so many scales count linearly."""
_COARSE = 0.02  # s; spacing of the first search for the offset
_FINE = 8  # halvings of that spacing: better than 0.1 ms


@dataclass(frozen=True, kw_only=True)
class LogAlignment:
    """How far the log's clock and origin may be off."""

    earliest: float
    """The log's first sample is at this simulated time or later, s."""
    latest: float
    """… or earlier, s."""
    align: bool = False
    """Whether x and z have an unknown origin, too."""


@dataclass(frozen=True, eq=False)
class LogFit:
    """A log beside the simulation, sample by sample."""

    offset: float
    """Simulated time at the log's first sample, s."""
    residuals: Array
    """Simulated minus real, m, m, rad, (3, k)."""
    shift: tuple[float, float]
    """Added to the log's x and z, m; zero unless they were aligned."""


def fit_log(
    real: Trajectory, simulated: Trajectory, scales: Array, alignment: LogAlignment
) -> LogFit:
    """Compare a clean log with a simulation, at the clock's best offset.

    Args:
        real: the log, k samples from t = 0.
        simulated: the same run, sampled more densely.
        scales: of every residual, (3, k): m, m, rad.
        alignment: how far its clock may be off.
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
    """Return the loss of residuals in scales, of any shape."""
    return float(_loss(standard).sum())


def robust_weights(standard: Array) -> Array:
    """Return by how much each residual (in scales) counts less than in a sum of squares."""
    counts: Array = 1 / np.sqrt(1 + (standard / TURN) ** 2)
    return counts


def scales_of(residuals: Array, rough: Array, least: Array, most: Array) -> Array:
    """Return the scale of every residual: noise of its channel, and what is rough besides.

    Args:
        residuals: of the best run, (3, k); their middle size gives the noise.
        rough: how far simulations scatter by themselves at each sample, (3, k).
        least: noise of each channel, (3,).
        most: the same.
    """
    low, high = least.copy(), most.copy()
    for _ in range(20):  # halving: more noise makes residuals smaller in scales
        noise = np.sqrt(low * high)
        scales = np.hypot(noise[:, None], rough)
        large = 1.4826 * np.median(np.abs(residuals) / scales, axis=1) > 1
        low, high = np.where(large, noise, low), np.where(large, high, noise)
    return np.hypot(np.sqrt(low * high)[:, None], rough)


def correlation(standard: Array) -> float:
    """Return how many neighbouring samples say the same: 1 for white noise.

    The sum of the rows' autocorrelation up to its first zero; residuals (3, k) in scales.
    """
    count = standard.shape[1]
    kept = np.clip(standard, -3 * TURN, 3 * TURN)
    power = float((kept**2).sum())
    total = 1.0
    for lag in range(1, count // 2):
        again = float((kept[:, lag:] * kept[:, :-lag]).sum()) / power if power else 0.0
        if again <= 1 / np.sqrt(count):
            break
        total += 2 * again
    return total


def _loss(standard: Array) -> Array:
    lost: Array = 2 * TURN**2 * (np.sqrt(1 + (standard / TURN) ** 2) - 1)
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
        for _ in range(3):  # a mean in which outliers count less
            counts = robust_weights(residuals[:, :2] / scales[:2]) / scales[:2] ** 2
            more = (counts * residuals[:, :2]).sum(axis=2) / counts.sum(axis=2)
            shifts += more
            residuals[:, :2] -= more[:, :, None]
    return residuals, shifts
