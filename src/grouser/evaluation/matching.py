"""DP matching of two trajectories: distance of a simulated robot from the real one.

Kurose et al. 2008, sec. III-A: samples of the two trajectories are paired such that the sum of an
index over all pairs is least. A pairing begins with both first samples, ends with both last samples
and advances one of the two or both in each step (dynamic time warping without weights or window)::

    D(i, j) = c(i, j) + min(D(i-1, j-1), D(i-1, j), D(i, j-1))

The paper names its index "the norm (norm = √(x² + z²)) of the position". There are two readings.
As the position error, which its Fig. 16 calls norm error, c is the length of the difference
(``"difference"``, the default). As a property of each trajectory, c is the difference of the two
lengths (``"distance"``). Only x and z are matched; pitch does not influence the pairing.

Errors *before* matching compare samples at equal times since the start. Errors *after* matching
compare the pairs. Both are simulated minus real. Clocks may differ in rate and offset. The logs
must be clean (`Trajectory.clean`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, unknown
from grouser.evaluation.trajectory import Trajectory
from grouser.frames import Array, degrees, millimetres

Index = Literal["difference", "distance"]
"""Matching index: length of the difference of positions, or difference of their lengths."""
INDICES: tuple[Index, ...] = ("difference", "distance")

MAX_CELLS = 400_000_000
"""Largest table of moves, bytes; about 14,000 samples of each trajectory."""

_BOTH, _FIRST, _SECOND = 0, 1, 2  # trajectory that advanced into a cell


@dataclass(frozen=True, eq=False)
class MatchErrors:
    """Errors (simulated minus real) of each frame, (f,) each."""

    x: Array
    """Error of x, m."""
    z: Array
    """Error of z, m."""
    norm: Array
    """Length of the difference of positions, m."""
    pitch: Array
    """Error of pitch, wrapped to the interval from -pi to pi, rad."""

    def mean(self, name: str) -> float:
        """Return the mean absolute error ``"x"``, ``"z"``, ``"norm"`` or ``"pitch"`` (m or rad)."""
        return float(np.abs(getattr(self, name)).mean())

    def largest(self, name: str) -> float:
        """Return the largest absolute error ``"x"``, ``"z"``, ``"norm"`` or ``"pitch"``."""
        return float(np.abs(getattr(self, name)).max())

    def figures(self) -> dict[str, float]:
        """Return means and maxima in mm and deg, by their names in tables."""
        units = {
            "x": ("mm", millimetres(1.0)),
            "z": ("mm", millimetres(1.0)),
            "norm": ("mm", millimetres(1.0)),
        }
        units["pitch"] = ("deg", degrees(1.0))
        figures = {
            f"mean_{name}_error_{unit}": self.mean(name) * by for name, (unit, by) in units.items()
        }
        return figures | {
            f"max_{name}_error_{unit}": self.largest(name) * by
            for name, (unit, by) in units.items()
        }


@dataclass(frozen=True, kw_only=True, eq=False)
class TrajectoryMatch:
    """Two trajectories and the pairs of their samples."""

    real: Trajectory
    """Real trajectory from t = 0, and from x = z = 0 if the starts were aligned."""
    simulated: Trajectory
    """Simulated trajectory, shifted in the same way."""
    index: Index
    """Matching index."""
    pairs: npt.NDArray[np.intp]
    """Indices of paired samples, real and simulated, (p, 2), in order."""
    cost: float
    """Sum of the index over all pairs, m; the least of all pairings."""
    before: MatchErrors
    """Errors at equal times since the start, for every real sample within the simulation."""
    after: MatchErrors
    """Errors of the pairs."""


def match(
    real: Trajectory,
    simulated: Trajectory,
    *,
    index: Index = "difference",
    align_starts: bool = False,
) -> TrajectoryMatch:
    """Match two clean trajectories.

    Args:
        real: reference.
        simulated: trajectory to be compared with the reference.
        index: matching index.
        align_starts: shift both to x = z = 0 at their first sample, which removes a constant
            offset between the origins of the two logs.

    Raises:
        BadValue: a log has one sample only, values that are not finite or times that do not
            increase, or both are too long.
        UnknownName: the index does not exist.
    """
    if index not in INDICES:
        raise unknown("match", "index", str(index), INDICES)
    real, simulated = (
        _prepare(name, trajectory, align_starts)
        for name, trajectory in (("real", real), ("simulated", simulated))
    )
    pairs, cost = warp(_matched_series(real, index), _matched_series(simulated, index))
    frames = real.times <= simulated.duration
    return TrajectoryMatch(
        real=real,
        simulated=simulated,
        index=index,
        pairs=pairs,
        cost=cost,
        before=_errors(real.select(frames), simulated.at(real.times[frames])),
        after=_errors(real.select(pairs[:, 0]), simulated.select(pairs[:, 1])),
    )


def cost_table(match: TrajectoryMatch, most: int = 400) -> Array:
    """Return the index for pairs of (at most ``most``) real rows and simulated columns, m."""
    real, simulated = (
        _matched_series(
            t.select(np.linspace(0, len(t) - 1, min(len(t), most)).astype(int)), match.index
        )
        for t in (match.real, match.simulated)
    )
    difference = real[:, :, None] - simulated[:, None, :]
    return np.asarray(np.sqrt((difference**2).sum(axis=0)))


def warp(first: Array, second: Array) -> tuple[npt.NDArray[np.intp], float]:
    """Pair the samples of two series (d, n) and (d, m) with the least sum of their distances.

    Returns pairs of indices (p, 2) in order, and the sum over all pairs.
    """
    n, m = first.shape[1], second.shape[1]
    if (n + m) * n > MAX_CELLS:
        raise BadValue(
            f"match: {n} against {m} samples are too many, resample them to at most 14,000 each"
        )
    moves, cost = _moves(first, second)
    i, j = n - 1, m - 1
    path = [(i, j)]
    while i or j:
        move = moves[i + j, i]
        i, j = i - (move != _SECOND), j - (move != _FIRST)
        path.append((i, j))
    return np.array(path[::-1], np.intp), cost


def _moves(first: Array, second: Array) -> tuple[npt.NDArray[np.int8], float]:
    """Return the move into cell (i, j), at [i + j, i], and D at the last cell."""
    # Filled by diagonals, because cells with equal i + j are independent.
    n, m = first.shape[1], second.shape[1]
    reverse = np.ascontiguousarray(second[:, ::-1])  # a diagonal is a forward slice of both
    moves = np.zeros((n + m - 1, n), np.int8)
    # D along three diagonals, cell i at [i + 1]; [0] and cells outside the table are inf.
    ago2, ago1, now = (np.full(n + 1, np.inf) for _ in range(3))
    ago2[0] = 0.0  # initial cost of the first cell
    for diagonal in range(n + m - 1):
        low, high = max(0, diagonal - m + 1), min(n, diagonal + 1)
        shift = m - 1 - diagonal
        difference = first[:, low:high] - reverse[:, low + shift : high + shift]
        step = np.sqrt(np.einsum("ij,ij->j", difference, difference))
        both, one, two = ago2[low:high], ago1[low:high], ago1[low + 1 : high + 1]
        best = np.minimum(one, two)
        # For equal costs both advance, so that identical logs are matched one to one.
        np.multiply(1 + (two < one), best < both, out=moves[diagonal, low:high], casting="unsafe")
        np.add(step, np.minimum(both, best), out=now[low + 1 : high + 1])
        now[low] = np.inf
        ago2, ago1, now = ago1, now, ago2
    return moves, float(ago1[n])


def _prepare(name: str, trajectory: Trajectory, align: bool) -> Trajectory:
    """Check ``trajectory`` and return it shifted to t = 0, and to x = z = 0 with ``align``."""
    t = trajectory
    lost = int((~np.isfinite([t.times, t.x, t.z, t.pitch]).all(axis=0)).sum())
    if lost:
        raise BadValue(f"match: {lost} samples of {name} are not finite; clean() leaves them out")
    if len(t) < 2:
        raise BadValue(f"match: {name} has {len(t)} sample, at least 2 are needed")
    if not (np.diff(t.times) > 0).all():
        raise BadValue(f"match: the times of {name} do not increase; clean() sorts them")
    x, z = (-float(t.x[0]), -float(t.z[0])) if align else (0.0, 0.0)
    return t.shift(times=-float(t.times[0]), x=x, z=z)


def _matched_series(trajectory: Trajectory, index: Index) -> Array:
    """Return the series that the index compares, (d, k)."""
    position = np.stack([trajectory.x, trajectory.z])
    return position if index == "difference" else np.hypot(*position)[None]


def _errors(real: Trajectory, simulated: Trajectory) -> MatchErrors:
    x, z = simulated.x - real.x, simulated.z - real.z
    turn = simulated.pitch - real.pitch
    pitch = turn - 2 * np.pi * np.round(turn / (2 * np.pi))
    return MatchErrors(x=x, z=z, norm=np.hypot(x, z), pitch=pitch)
