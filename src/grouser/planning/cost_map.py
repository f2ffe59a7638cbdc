"""What driving over the ground costs, learned from trials: energy and failures, place by place.

A trial tells what its path cost where it went. Every place keeps three sums: metres of path that
were driven there, energy spent on them, failures that ended there. What was driven is known; what
was not is guessed from its region and from places like it (as close to an edge, as rough) and kept
apart: `known` says how much is knowledge. Unknown ground is not bad ground, but beside a slope that
was driven it is a slope as well: without regions, paths would leave it for what nobody has tried.

Failures that repeat at one place say much about that place and little about others: for the guess
every place counts once, however often it was driven, and one way that did not fail with them.

Whoever leaves the ground has strayed further from the path than there was room. Falls are rare and
strays are seen at every moment, so falls are expected by them: in proportion to the share of all
strays that is larger than the room.

A path costs energy and may fail. The energy spent per success is the energy of a path over the
probability that it succeeds; its logarithm grows along the path by energy over the whole way's
energy, plus failures, per metre. That sum is what `CostMap.per_metre` gives to a roadmap.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.planning.paths import Path, even
from grouser.planning.scipy_parts import scipy_part
from grouser.planning.validity import FINENESS, STEP, ValidityMap

RADIUS = FINENESS / STEP
"""The robot's radius in steps of the map."""
BLUR = 0.75 * RADIUS
"""What was felt at a place is felt around it, with this standard deviation, in steps of the map."""
REGION = 4 * RADIUS
"""Energy of places around says what to expect of a place, with this standard deviation, in steps of
the map: two robots."""
TRUST = 2.0
"""Trials that pass a place and count as much as what is known of places like it: as many as in
Laplace's rule of succession."""
BLAME = 2 * RADIUS
"""A failure is blamed on so many steps of path before its end: one of the robot's lengths."""
SHARES = (0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95)
"""Where clearance and roughness are cut into levels, by how much was driven: finely at both ends,
since it is beside edges and on the roughest ground that robots fail."""
MOST_FAIL = 0.95
"""Share of failing trials beyond which a place is not told apart from a worse one: nobody ever
drives as often as it takes to know."""
FALLS = 0.5
"""Falls at a place that count as much as what strays say of it: Jeffreys' prior of a rate."""
DOUBT = 2.0
"""Failures (or as many metres' energy) by which a level is drawn to the mean of all."""


@dataclass(frozen=True, eq=False)
class DrivenTrial:
    """What a trial says about the ground."""

    path: Path
    """What was to be driven."""
    positions: Array
    """Where the robot was, at even times (k, 2), m."""
    spent: Array
    """Energy up to each of these times, J, (k,)."""
    arrived: bool

    @property
    def energy(self) -> float:
        """Spent in all, J."""
        return float(self.spent[-1]) if len(self.spent) else 0.0


class CostMap:
    """Metres, energy and failures by place, and what they say about every other place."""

    def __init__(self, validity: ValidityMap) -> None:
        """Begin with nothing known."""
        self._validity = validity
        shape = validity.height.shape
        self._metres, self._energy, self._failures, self._falls = (
            np.zeros(shape) for _ in range(4)
        )
        self._strays: list[Array] = []
        self._arrivals: list[float] = []
        self._rates: dict[str, Array] = {}
        self._longest = 0.0  # of the paths, m
        self.trials = 0
        """How many it was told about."""

    def learn(self, trial: DrivenTrial) -> None:
        """Add what a trial says: energy was spent where the robot was at that time."""
        points = even(trial.path.waypoints, self._validity.step)
        reached = furthest(points, trial.positions)
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
        self._strays.append(np.hypot(*(trial.positions - points[reached]).T))
        if not trial.arrived:
            end = int(reached.max(initial=0))
            blamed = np.arange(max(0, end - int(BLAME)), end + 1)
            blamed = blamed[inside[blamed]]
            failures = self._falls if self._fell(trial) else self._failures
            np.add.at(failures, (row[blamed], column[blamed]), 1 / max(1, len(blamed)))

    def _fell(self, trial: DrivenTrial) -> bool:
        """Say whether a trial ended where the robot cannot stand."""
        if not len(trial.positions):
            return False
        row, column = self._validity.cells(trial.positions[-1])
        return bool(row < 0 or not self._validity.anywhere[row, column])

    @property
    def reference(self) -> float:
        """Energy (J) of a way that arrives, on average; without any, what one would take."""
        if self._arrivals:
            return float(np.mean(self._arrivals))
        return self._mean_energy() * self._longest

    @property
    def known(self) -> Array:
        """How much of what is said of each place was felt there (rows, columns), 0 to 1."""
        metres = _blurred(self._metres, BLUR)
        return np.asarray(metres / (metres + self._trust(BLUR)))

    def energy_per_metre(self) -> Array:
        """Return the energy of driving (rows, columns), J/m."""
        if "energy" not in self._rates:
            self._rates["energy"] = self._energy_rate()
        return self._rates["energy"]

    def failures_per_metre(self) -> Array:
        """Return how often driving fails (rows, columns), 1/m: a hazard.

        Of those who come to a stretch a share p fails; the hazard h of its length l is that for
        which exp(-h l) = 1 - p get through. Where few fail that is p/l, where most fail far more.
        """
        if "failures" not in self._rates:
            length = BLAME * self._validity.step
            share = length * (self._failure_rate() + self._fall_rate())
            self._rates["failures"] = -np.log1p(-np.minimum(share, MOST_FAIL)) / length
        return self._rates["failures"]

    def per_metre(self, *, curiosity: float = 0.0) -> Array:
        """Return what driving costs (rows, columns), 1/m: see the module's text.

        Args:
            curiosity: part by which unknown ground is taken for cheaper than it is guessed.

        Raises:
            BadValue: no trial has been driven yet.
        """
        if not self.trials or not self.reference > 0:
            raise BadValue("cost map: nothing has been driven yet")
        cost = self.energy_per_metre() / self.reference + self.failures_per_metre()
        return np.asarray(cost * (1 - curiosity * (1 - self.known)))

    def expect(self, path: Path) -> tuple[float, float]:
        """Return the energy (J) and the probability of success that the map expects of a path."""
        points = even(path.waypoints, self._validity.step)
        row, column = self._validity.cells(points)
        inside = row >= 0
        step = path.length / max(1, len(points) - 1)
        energy = self.energy_per_metre()[row[inside], column[inside]].sum() * step
        failures = self.failures_per_metre()[row[inside], column[inside]].sum() * step
        return float(energy), float(np.exp(-failures))

    def _mean_energy(self) -> float:
        """Return energy over metres of all that was driven, J/m."""
        return float(self._energy.sum()) / max(1e-9, float(self._metres.sum()))

    def _trust(self, blur: float) -> float:
        """Return the metres that `TRUST` passes leave in a place, blurred across their way, m."""
        return float(TRUST * self._validity.step / (np.sqrt(2 * np.pi) * blur))

    def _energy_rate(self) -> Array:
        """Return energy per metre of places, else of their region, else of all, J/m."""
        metres, energy = self._metres, self._energy
        mean = self._mean_energy()
        trust = self._trust(REGION)
        around = _blurred(energy, REGION) + trust * mean
        guess = around / (_blurred(metres, REGION) + trust)
        guess *= self._likeness(energy, metres, metres * guess, mean * DOUBT)
        return self._known_or(guess, energy)

    def _failure_rate(self) -> Array:
        """Return failures per metre of places, else of places like them, 1/m.

        For the guess every place counts once, and one way without any failure.
        """
        driven = np.minimum(self._metres, self._validity.step)
        felt = self._failures * driven / np.maximum(self._metres, 1e-9)
        mean = (float(felt.sum()) + 1e-12) / max(1e-9, float(driven.sum()) + self._longest)
        due = driven * float(felt.sum()) / max(1e-9, float(driven.sum()))
        guess = mean * self._likeness(felt, driven, due, DOUBT)
        return self._known_or(guess, self._failures)

    def _fall_rate(self) -> Array:
        """Return falls per metre of places, else what all strays say of the room there, 1/m."""
        falls = float(self._falls.sum())
        strays = np.sort(np.concatenate([np.zeros(1), *self._strays]))
        beyond = 1 - np.searchsorted(strays, self._clearance) / len(strays)
        length = BLAME * self._validity.step
        # One fall more, in a robot's length without room: what is expected before anybody falls.
        guess = beyond * (falls + 1) / (float((self._metres * beyond).sum()) + length)
        due = self._metres * guess
        guess *= _levels(self._roughness, self._metres, self._falls, due, DOUBT)
        few = FALLS / (np.sqrt(2 * np.pi) * BLUR * BLAME)
        felt, driven = _blurred(self._falls, BLUR), _blurred(self._metres, BLUR)
        return np.asarray((felt + few) * guess / (driven * guess + few))

    def _known_or(self, guess: Array, amount: Array) -> Array:
        """Return ``amount`` per metre where it was felt, a ``guess`` of it as far as it was not."""
        trust = self._trust(BLUR)
        return np.asarray(
            (_blurred(amount, BLUR) + trust * guess) / (_blurred(self._metres, BLUR) + trust)
        )

    def _likeness(self, amount: Array, metres: Array, due: Array, doubt: float) -> Array:
        """Return by which factor places like each one had more of an ``amount`` than was ``due``.

        Args:
            amount: of every place.
            metres: driven there.
            due: the amount to expect of them, of every place.
            doubt: amount by which levels are drawn to a factor of 1.
        """
        factor = np.ones_like(amount)
        for feature in (self._clearance, self._roughness):
            factor *= _levels(feature, metres, amount, due, doubt)
        return factor

    @cached_property
    def _clearance(self) -> Array:
        """How far places are from where the robot cannot stand, m."""
        distance = scipy_part("ndimage").distance_transform_edt(self._validity.anywhere)
        return np.asarray(distance * self._validity.step)

    @cached_property
    def _roughness(self) -> Array:
        """How much the ground differs from its mean around each place, rms, m."""
        blur = scipy_part("ndimage").gaussian_filter
        height = self._validity.height
        level = np.where(np.isfinite(height), height, 0.0)
        rest = level - blur(level, RADIUS, mode="nearest")
        return np.asarray(np.sqrt(blur(rest**2, RADIUS, mode="nearest")))


def furthest(points: Array, positions: Array) -> npt.NDArray[np.int64]:
    """Return how far along a path (n, 2) a robot has come at its ``positions`` (k, 2), by number.

    It never goes back, and at every look only what is near in the path is looked at: where a path
    comes close to itself nobody jumps ahead.
    """
    found, at, ahead = np.zeros(len(positions), np.int64), 0, int(6 * RADIUS)
    for number, position in enumerate(positions):
        near = points[at : at + ahead]
        at += int(np.hypot(*(near - position).T).argmin())
        found[number] = at
    return found


def _blurred(values: Array, blur: float) -> Array:
    return np.asarray(scipy_part("ndimage").gaussian_filter(values, blur, mode="constant"))


def _levels(feature: Array, metres: Array, amount: Array, due: Array, doubt: float) -> Array:
    """Return by which factor places of each level of a feature had more than was ``due``."""
    driven = metres > 0
    if not driven.any():
        return np.ones_like(feature)
    order = np.argsort(feature[driven], kind="stable")
    passed = np.cumsum(metres[driven][order])
    cut = np.searchsorted(passed, np.array(SHARES) * passed[-1])
    edges = feature[driven][order][np.minimum(cut, len(order) - 1)]
    level, levels = np.searchsorted(edges, feature, side="right"), len(SHARES) + 1
    had, owed = (
        np.bincount(level[driven], what[driven], minlength=levels) for what in (amount, due)
    )
    factor = (had + doubt) / (owed + doubt)
    return np.asarray(factor[level])
