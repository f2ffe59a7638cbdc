"""Cost map: energy and failure rate per metre of driving, estimated from trials.

Each cell accumulates the metres driven in it, the energy spent there and the failures that ended
there. Cells without data are estimated from their region and from similar cells (same clearance,
same roughness); `CostMap.known` is the weight of measurements in each estimate. The regional term
makes ground beside a driven slope cost as much as the slope; without it, paths would avoid driven
ground in favour of untested ground.

Repeated failures at one cell are weak evidence about other cells: in the estimate of the failure
rate each cell counts once, however often it was driven, and one path without failure is added.

A robot falls when its lateral error exceeds the clearance. Falls are rare, but lateral errors are
observed at every sample; the expected fall rate is therefore proportional to the share of lateral
errors that exceed the clearance.

The energy spent per success is the energy of a path divided by its probability of success. Per
metre of path its logarithm grows by energy over the energy of the whole path, plus the failure
rate. This sum is `CostMap.per_metre`, the weight of the edges of a roadmap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.planning.paths import Path, resample
from grouser.planning.validity import FINENESS, STEP, ValidityMap, scipy_part

RADIUS = FINENESS / STEP
"""Radius of the robot, in steps of the map."""
BLUR = 0.75 * RADIUS
"""Standard deviation of the kernel that spreads a measurement to nearby cells, in steps."""
REGION = 4 * RADIUS
"""Standard deviation of the kernel of the regional energy estimate, in steps: two robots."""
TRUST = 2.0
"""Weight of the prior estimate of a cell, in passes of a trial; as in Laplace's rule of
succession."""
FAILURE_WINDOW = 2 * RADIUS
"""Length of path before its end to which a failure is attributed, in steps: one robot length."""
SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""Quantiles of driven distance that divide clearance and roughness into levels; fine at both ends,
since robots fail beside edges and on the roughest ground."""
MOST_FAIL = 0.95
"""Upper limit of the failure share of a cell; larger shares cannot be resolved by the number of
trials of a plan."""
FALLS = 0.5
"""Weight of the expected fall rate, in falls: Jeffreys' prior of a rate."""
DOUBT = 2.0
"""Weight with which a level is shrunk to the mean, in failures or in metres' worth of energy."""


@dataclass(frozen=True, eq=False)
class DrivenTrial:
    """Record of a trial that a `CostMap` learns from."""

    path: Path
    """Path that was commanded."""
    positions: Array
    """Positions of the robot at equal time steps (k, 2), m."""
    spent: Array
    """Cumulative energy at these times, J, (k,)."""
    arrived: bool

    @property
    def energy(self) -> float:
        """Total energy, J."""
        return float(self.spent[-1]) if len(self.spent) else 0.0


class CostMap:
    """Sums of distance, energy and failures per cell, and the cost estimate of every cell."""

    def __init__(self, validity: ValidityMap) -> None:
        """Create an empty map with the cells of ``validity``."""
        self._validity = validity
        shape = validity.height.shape
        self._metres, self._energy, self._failures, self._falls = (
            np.zeros(shape) for _ in range(4)
        )
        self._lateral_errors: list[Array] = []
        self._arrivals: list[float] = []
        self._rates: dict[str, Array] = {}
        self._longest = 0.0  # longest path, m
        self.trials = 0
        """Number of trials learned from."""

    def learn(self, trial: DrivenTrial) -> None:
        """Add a trial; its energy is attributed to the robot's position along the path."""
        points = resample(trial.path.waypoints, self._validity.step)
        reached = progress_along_path(points, trial.positions)
        self.trials += 1
        self._rates = {}
        self._longest = max(self._longest, trial.path.length)
        if trial.arrived:
            self._arrivals.append(trial.energy)
        spent = np.diff(trial.spent, prepend=0.0)
        energy = np.bincount(reached, spent, minlength=len(points))
        driven = np.arange(len(points)) <= reached.max(initial=0)
        row, column = self._validity.cells(points)
        inside = row >= 0
        np.add.at(self._metres, (row[inside], column[inside]), self._validity.step * driven[inside])
        np.add.at(self._energy, (row[inside], column[inside]), energy[inside])
        self._lateral_errors.append(np.hypot(*(trial.positions - points[reached]).T))
        if not trial.arrived:
            end = int(reached.max(initial=0))
            window = np.arange(max(0, end - int(FAILURE_WINDOW)), end + 1)
            window = window[inside[window]]
            failures = self._falls if self._fell(trial) else self._failures
            np.add.at(failures, (row[window], column[window]), 1 / max(1, len(window)))

    def _fell(self, trial: DrivenTrial) -> bool:
        """Return whether a trial ended at a position where the robot cannot stand."""
        if not len(trial.positions):
            return False
        row, column = self._validity.cells(trial.positions[-1])
        return bool(row < 0 or not self._validity.anywhere[row, column])

    @property
    def reference(self) -> float:
        """Mean energy of successful trials, J; without any, mean energy of the longest path."""
        if self._arrivals:
            return float(np.mean(self._arrivals))
        return self._mean_energy() * self._longest

    @property
    def known(self) -> Array:
        """Weight of measurements in the estimate of each cell (rows, columns), 0 to 1."""
        metres = _blur(self._metres, BLUR)
        return np.asarray(metres / (metres + self._trust(BLUR)))

    def energy_per_metre(self) -> Array:
        """Return the energy of driving (rows, columns), J/m."""
        if "energy" not in self._rates:
            self._rates["energy"] = self._energy_rate()
        return self._rates["energy"]

    def failures_per_metre(self) -> Array:
        """Return the hazard rate of driving (rows, columns), 1/m.

        If a share p of robots fails on a stretch of length l, its hazard h satisfies
        exp(-h l) = 1 - p. For small p this is p/l.
        """
        if "failures" not in self._rates:
            length = FAILURE_WINDOW * self._validity.step
            share = length * (self._failure_rate() + self._fall_rate())
            self._rates["failures"] = -np.log1p(-np.minimum(share, MOST_FAIL)) / length
        return self._rates["failures"]

    def per_metre(self, *, exploration_bonus: float = 0.0) -> Array:
        """Return the cost of driving (rows, columns), 1/m; see the module's docstring.

        Unknown ground costs less by the part ``exploration_bonus``. At least one trial is
        needed.
        """
        if not self.trials or not self.reference > 0:
            raise BadValue("cost map: no trial has been driven yet")
        cost = self.energy_per_metre() / self.reference + self.failures_per_metre()
        return np.asarray(cost * (1 - exploration_bonus * (1 - self.known)))

    def predict(self, path: Path) -> tuple[float, float]:
        """Return the energy (J) and the probability of success predicted for a path."""
        points = resample(path.waypoints, self._validity.step)
        row, column = self._validity.cells(points)
        inside = row >= 0
        step = path.length / max(1, len(points) - 1)
        energy = self.energy_per_metre()[row[inside], column[inside]].sum() * step
        failures = self.failures_per_metre()[row[inside], column[inside]].sum() * step
        return float(energy), float(np.exp(-failures))

    def _mean_energy(self) -> float:
        """Return total energy over total distance, J/m."""
        return float(self._energy.sum()) / max(1e-9, float(self._metres.sum()))

    def _trust(self, blur: float) -> float:
        """Return the distance that `TRUST` passes add to a cell after blurring, m."""
        return float(TRUST * self._validity.step / (np.sqrt(2 * np.pi) * blur))

    def _energy_rate(self) -> Array:
        """Return energy per metre from the cell, its region and the overall mean, J/m."""
        metres, energy = self._metres, self._energy
        mean = self._mean_energy()
        trust = self._trust(REGION)
        around = _blur(energy, REGION) + trust * mean
        guess = around / (_blur(metres, REGION) + trust)
        guess *= self._likeness(energy, metres, metres * guess, mean * DOUBT)
        return self._known_or(guess, energy)

    def _failure_rate(self) -> Array:
        """Return failures per metre, without falls, from the cell and from similar cells, 1/m."""
        # Each cell counts once, and one path without failure is added.
        driven = np.minimum(self._metres, self._validity.step)
        felt = self._failures * driven / np.maximum(self._metres, 1e-9)
        mean = (float(felt.sum()) + 1e-12) / max(1e-9, float(driven.sum()) + self._longest)
        due = driven * float(felt.sum()) / max(1e-9, float(driven.sum()))
        guess = mean * self._likeness(felt, driven, due, DOUBT)
        return self._known_or(guess, self._failures)

    def _fall_rate(self) -> Array:
        """Return falls per metre from the cell and from lateral errors against clearance, 1/m."""
        falls = float(self._falls.sum())
        errors = np.sort(np.concatenate([np.zeros(1), *self._lateral_errors]))
        beyond = 1 - np.searchsorted(errors, self._clearance) / len(errors)
        length = FAILURE_WINDOW * self._validity.step
        # Prior before any fall: one fall in one robot length without clearance.
        guess = beyond * (falls + 1) / (float((self._metres * beyond).sum()) + length)
        due = self._metres * guess
        guess *= _levels(self._roughness, self._metres, self._falls, due, DOUBT)
        few = FALLS / (np.sqrt(2 * np.pi) * BLUR * FAILURE_WINDOW)
        felt, driven = _blur(self._falls, BLUR), _blur(self._metres, BLUR)
        return np.asarray((felt + few) * guess / (driven * guess + few))

    def _known_or(self, guess: Array, amount: Array) -> Array:
        """Return ``amount`` per metre, blended with a prior ``guess`` by the distance driven."""
        trust = self._trust(BLUR)
        return np.asarray(
            (_blur(amount, BLUR) + trust * guess) / (_blur(self._metres, BLUR) + trust)
        )

    def _likeness(self, amount: Array, metres: Array, due: Array, doubt: float) -> Array:
        """Return the ratio of ``amount`` to the expected amount ``due`` among similar cells.

        Levels are shrunk to a ratio of 1 with the weight ``doubt``; all arrays are per
        cell.
        """
        factor = np.ones_like(amount)
        for feature in (self._clearance, self._roughness):
            factor *= _levels(feature, metres, amount, due, doubt)
        return factor

    @cached_property
    def _clearance(self) -> Array:
        """Distance of cells to the nearest position where the robot cannot stand, m."""
        distance = scipy_part("ndimage").distance_transform_edt(self._validity.anywhere)
        return np.asarray(distance * self._validity.step)

    @cached_property
    def _roughness(self) -> Array:
        """Deviation of the ground from its local mean, rms, m."""
        blur = scipy_part("ndimage").gaussian_filter
        height = self._validity.height
        level = np.where(np.isfinite(height), height, 0.0)
        rest = level - blur(level, RADIUS, mode="nearest")
        return np.asarray(np.sqrt(blur(rest**2, RADIUS, mode="nearest")))


def progress_along_path(points: Array, positions: Array) -> npt.NDArray[np.int64]:
    """Return the index of the path point (n, 2) reached at each of ``positions`` (k, 2).

    The index never decreases, and only the next points of the path are candidates, so that progress
    does not jump ahead where a path comes close to itself.
    """
    found, at, ahead = np.zeros(len(positions), np.int64), 0, int(6 * RADIUS)
    for number, position in enumerate(positions):
        near = points[at : at + ahead]
        at += int(np.hypot(*(near - position).T).argmin())
        found[number] = at
    return found


def _blur(values: Array, blur: float) -> Array:
    return np.asarray(scipy_part("ndimage").gaussian_filter(values, blur, mode="constant"))


def _levels(feature: Array, metres: Array, amount: Array, due: Array, doubt: float) -> Array:
    """Return the ratio of ``amount`` to ``due`` of each cell's level of a feature."""
    driven = metres > 0
    if not driven.any():
        return np.ones_like(feature)
    order = np.argsort(feature[driven], kind="stable")
    passed = np.cumsum(metres[driven][order])
    cut = np.searchsorted(passed, np.array(SHARES) * passed[-1])
    edges = feature[driven][order][np.minimum(cut, len(order) - 1)]
    level, levels = np.searchsorted(edges, feature, side="right"), len(SHARES) + 1
    observed, expected = (
        np.bincount(level[driven], what[driven], minlength=levels) for what in (amount, due)
    )
    factor = (observed + doubt) / (expected + doubt)
    return np.asarray(factor[level])
