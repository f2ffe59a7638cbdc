"""DP matching of two trajectories: how far the simulated robot is from the real one.

Kurose et al. 2008, sec. III-A: samples of the two are paired so that the sum of an index over
all pairs is least. A pairing begins with both first samples, ends with both last ones, and in
each step advances one of the two or both (dynamic time warping without weights or window)::

    D(i, j) = c(i, j) + min(D(i-1, j-1), D(i-1, j), D(i, j-1))

The paper names its index "the norm (norm = √(x² + z²)) of the position". Read as the position
error, which its Fig. 16 calls norm error, c is the length of the difference (``"difference"``,
the default); read as a number that each trajectory has by itself, c is the difference of the
two lengths (``"distance"``). Only x and z are matched; pitch follows along.

MatchErrors *before* matching compare equal times since the start, *after* matching the pairs; both
are simulated minus real. Clocks may differ in rate and offset. The logs must be clean.
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
"""What is matched: the difference of positions, or how far each is from the origin."""
INDICES: tuple[Index, ...] = ("difference", "distance")

MOST_CELLS = 400_000_000
"""Largest table of moves, bytes; about 14,000 samples against as many."""

_BOTH, _FIRST, _SECOND = 0, 1, 2  # which of the two advanced into a cell


@dataclass(frozen=True, eq=False)
class MatchErrors:
    """Simulated minus real, frame by frame, (f,) each."""

    x: Array
    """m."""
    z: Array
    """m."""
    norm: Array
    """Length of the difference of positions, m."""
    pitch: Array
    """rad, the short way round."""

    def mean(self, name: str) -> float:
        """Return the mean size of ``"x"``, ``"z"``, ``"norm"`` or ``"pitch"`` (m or rad)."""
        return float(np.abs(getattr(self, name)).mean())

    def largest(self, name: str) -> float:
        """Return the largest size of ``"x"``, ``"z"``, ``"norm"`` or ``"pitch"`` (m or rad)."""
        return float(np.abs(getattr(self, name)).max())

    def figures(self) -> dict[str, float]:
        """Return means and maxima by the names tables use, in mm and deg."""
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
    """Two trajectories and which of their samples belong together."""

    real: Trajectory
    """As matched: from t = 0, and from x = z = 0 if the starts were aligned."""
    simulated: Trajectory
    """In the same way."""
    index: Index
    """What was matched."""
    pairs: npt.NDArray[np.intp]
    """Samples that belong together, real and simulated, (p, 2), in order."""
    cost: float
    """Sum of the index over all pairs, m; no other pairing has less."""
    before: MatchErrors
    """At equal times since the start, one per real sample as long as both run."""
    after: MatchErrors
    """One per pair."""


def match(
    real: Trajectory,
    simulated: Trajectory,
    *,
    index: Index = "difference",
    align_starts: bool = False,
) -> TrajectoryMatch:
    """Match two clean trajectories.

    Args:
        real: the one to compare with.
        simulated: the one to judge.
        index: what is matched.
        align_starts: move both to x = z = 0 at their first sample, which removes a constant
            offset between the two logs' origins.

    Raises:
        BadValue: a log has one sample only, values that are not finite or times that do not
            increase, or the two are too long.
        UnknownName: there is no such index.
    """
    if index not in INDICES:
        raise unknown("match", "index", str(index), INDICES)
    real, simulated = (
        _ready(name, trajectory, align_starts)
        for name, trajectory in (("real", real), ("simulated", simulated))
    )
    pairs, cost = warp(_matched(real, index), _matched(simulated, index))
    frames = real.times <= simulated.duration
    return TrajectoryMatch(
        real=real,
        simulated=simulated,
        index=index,
        pairs=pairs,
        cost=cost,
        before=_errors(real.taken(frames), simulated.at(real.times[frames])),
        after=_errors(real.taken(pairs[:, 0]), simulated.taken(pairs[:, 1])),
    )


def cost_table(match: TrajectoryMatch, most: int = 400) -> Array:
    """Return the index of real (rows) against simulated (columns) samples, m.

    Args:
        match: whose samples.
        most: rows and columns at most; of longer logs, evenly spread samples are taken.
    """
    real, simulated = (
        _matched(t.taken(np.linspace(0, len(t) - 1, min(len(t), most)).astype(int)), match.index)
        for t in (match.real, match.simulated)
    )
    difference = real[:, :, None] - simulated[:, None, :]
    return np.asarray(np.sqrt((difference**2).sum(axis=0)))


def warp(first: Array, second: Array) -> tuple[npt.NDArray[np.intp], float]:
    """Pair the samples of two series so that the sum of their distances is least.

    Args:
        first: (d, n), finite.
        second: (d, m), finite.

    Returns:
        The pairs (p, 2) in order, and the sum over them.
    """
    n, m = first.shape[1], second.shape[1]
    if (n + m) * n > MOST_CELLS:
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
    """Fill the table diagonal by diagonal: cells with equal i + j do not need each other.

    Returns:
        What led to cell (i, j), at [i + j, i]; and D at the last cell.
    """
    n, m = first.shape[1], second.shape[1]
    reverse = np.ascontiguousarray(second[:, ::-1])  # so that i + j = const runs forward in both
    moves = np.zeros((n + m - 1, n), np.int8)
    # D along three diagonals, cell i at [i + 1]; [0] and all that is outside the table: inf.
    ago2, ago1, now = (np.full(n + 1, np.inf) for _ in range(3))
    ago2[0] = 0.0  # lets the first cell begin
    for diagonal in range(n + m - 1):
        low, high = max(0, diagonal - m + 1), min(n, diagonal + 1)
        shift = m - 1 - diagonal
        difference = first[:, low:high] - reverse[:, low + shift : high + shift]
        step = np.sqrt(np.einsum("ij,ij->j", difference, difference))
        both, one, two = ago2[low:high], ago1[low:high], ago1[low + 1 : high + 1]
        best = np.minimum(one, two)
        # Where all is equal both advance, so a log matched with itself is matched one to one.
        np.multiply(1 + (two < one), best < both, out=moves[diagonal, low:high], casting="unsafe")
        np.add(step, np.minimum(both, best), out=now[low + 1 : high + 1])
        now[low] = np.inf
        ago2, ago1, now = ago1, now, ago2
    return moves, float(ago1[n])


def _ready(name: str, trajectory: Trajectory, align: bool) -> Trajectory:
    """Return ``trajectory`` from its start, after a look whether it can be matched."""
    t = trajectory
    lost = int((~np.isfinite([t.times, t.x, t.z, t.pitch]).all(axis=0)).sum())
    if lost:
        raise BadValue(f"match: {lost} samples of {name} are not finite; clean() leaves them out")
    if len(t) < 2:
        raise BadValue(f"match: {name} has {len(t)} sample, at least 2 are needed")
    if not (np.diff(t.times) > 0).all():
        raise BadValue(f"match: the times of {name} do not increase; clean() sorts them")
    x, z = (-float(t.x[0]), -float(t.z[0])) if align else (0.0, 0.0)
    return t.shifted(times=-float(t.times[0]), x=x, z=z)


def _matched(trajectory: Trajectory, index: Index) -> Array:
    """Return the series that are matched, (d, k)."""
    position = np.stack([trajectory.x, trajectory.z])
    return position if index == "difference" else np.hypot(*position)[None]


def _errors(real: Trajectory, simulated: Trajectory) -> MatchErrors:
    x, z = simulated.x - real.x, simulated.z - real.z
    turn = simulated.pitch - real.pitch
    pitch = turn - 2 * np.pi * np.round(turn / (2 * np.pi))
    return MatchErrors(x=x, z=z, norm=np.hypot(x, z), pitch=pitch)
