"""How large may an apparatus be before a robot fails? The limit, with chance in it.

A repetition has its own start phase, heading and friction (`draw`), drawn from a generator of its
own name, so that it is the same whatever else is run. For each, the largest size that is passed is
found by bisection: first outwards from the middle of the usual sizes in doubling steps, then
inwards until the sizes next to the limit on both sides are known (`search`). A repetition's limit
thus lies between two neighbouring sizes, and repetitions differ.

Over repetitions, limits are taken to be spread as a logistic distribution, which makes the share
of runs that pass at size s the logistic curve ::

    p(s) = 1 / (1 + exp((s - m) / b))

m and b are those that make the intervals found most likely (maximum likelihood; limits beyond the
span that was looked at count as such). The size at which 50 % pass is m, and 95 % pass at
m - b ln 19. Their intervals are 95 % of what comes out when repetitions are drawn anew from those
there are (bootstrap): repetitions, not runs, since the runs of one are no independent witnesses.
Half a size is added on both sides, since no limit is known better than that.

All this supposes that a robot which passes a size passes smaller ones. Whether that holds is
checked: fresh repetitions are run at both sizes, and what share of them passes is told with
Wilson's 95 % interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation.schedule import generator
from grouser.trials.apparatus import Apparatus
from grouser.trials.mobility import (
    Candidate,
    Chance,
    Progress,
    alone,
    known,
    on_all_cores,
    spread,
    trial,
)

BACK = 0.05
"""Starts lie up to so much further back, m: more than a grouser's pitch."""
HEADING_DEG = 5.0
"""Headings at the start are up to so much to either side."""
FRICTION = 0.1
"""Friction differs by up to this part of itself."""
RESAMPLES = 1000
"""Of the bootstrap."""
Z95 = 1.959964
"""Standard deviations that hold 95 % of a normal distribution."""


@dataclass(frozen=True)
class Estimate:
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Share:
    """How many of some runs passed."""

    passed: int
    of: int

    def __str__(self) -> str:
        return f"{self.passed} of {self.of}"

    def interval(self) -> tuple[float, float]:
        """Return Wilson's 95 % interval of the probability to pass."""
        n, p, z2 = self.of, self.passed / self.of, Z95**2
        middle = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = Z95 / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        return max(0.0, middle - half), min(1.0, middle + half)


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How far a robot gets on one apparatus."""

    test: str
    found: tuple[tuple[float, float], ...]
    """Per repetition the largest size passed and the smallest failed; -inf, inf: there is none."""
    half: Estimate | None
    """Size at which 50 % pass, mm or deg; None: all limits are out of the span at one end."""
    most: Estimate | None
    """Size at which 95 % pass."""
    checked_half: Share | None
    """Fresh runs at the size where 50 % should pass."""
    checked_most: Share | None
    """Fresh runs at the size where 95 % should pass."""

    def share(self, size: float) -> Share:
        """Return how many repetitions' limits are at ``size`` or above."""
        return Share(sum(low >= size for low, _ in self.found), len(self.found))

    @property
    def words(self) -> str:
        """Say what there is to say when there is no estimate."""
        unit, span = known(self.test).unit, known(self.test).span
        if self.half is not None:
            return ""
        passes = self.found[0][0] > -math.inf
        return f"passes all up to {span[1]:g} {unit}" if passes else f"fails at {span[0]:g} {unit}"


def draw(seed: int, name: str) -> Chance:
    """Return the chances of the repetition ``name``."""
    rng = generator(seed, f"mobility/{name}")
    return Chance(
        back=float(rng.uniform(0, BACK)),
        heading_deg=float(rng.uniform(-HEADING_DEG, HEADING_DEG)),
        friction=float(rng.uniform(1 - FRICTION, 1 + FRICTION)),
    )


def limit(
    who: Candidate,
    test: str,
    *,
    repeats: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
) -> Limit:
    """Find the limit of ``who`` on ``test``.

    Args:
        who: the robot.
        test: the apparatus.
        repeats: how many repetitions; at least 2.
        seed: decides their chances.
        progress: told about finished repetitions.
    """
    if repeats < 2:
        raise BadValue(f"mobility: {repeats} repeats, at least 2 are needed for a limit")
    apparatus = known(test)
    find = partial(_find, who, test, apparatus)
    chances = [draw(seed, f"{test}/{number}") for number in range(repeats)]
    found = tuple(on_all_cores(find, chances, progress=progress))
    half, most = fit(found, apparatus.resolution, generator(seed, f"mobility/{test}/bootstrap"))
    fresh = [draw(seed, f"{test}/fresh/{number}") for number in range(repeats)]
    return Limit(
        test=test,
        found=found,
        half=half,
        most=most,
        checked_half=_check(who, test, half, fresh),
        checked_most=_check(who, test, most, fresh),
    )


def search(passes: Callable[[float], bool], apparatus: Apparatus) -> tuple[float, float]:
    """Return the largest size that ``passes`` and the smallest that does not, side by side.

    ``(-inf, smallest)`` if none of the span passes, ``(largest, inf)`` if all do.
    """
    step = apparatus.resolution
    least, most = math.ceil(apparatus.span[0] / step), math.floor(apparatus.span[1] / step)
    low, high = -math.inf, math.inf
    probe = round((apparatus.sizes[0] + apparatus.sizes[-1]) / 2 / step)
    stride = max(1, round((apparatus.sizes[-1] - apparatus.sizes[0]) / 4 / step))
    while True:
        if passes(probe * step):
            low = probe
        else:
            high = probe
        if high - low == 1 or low == most or high == least:
            return low * step, high * step
        if math.inf in (-low, high):
            probe = (
                min(most, int(low) + stride) if high == math.inf else max(least, int(high) - stride)
            )
            stride *= 2
        else:
            probe = int(low + high) // 2


def fit(
    found: Sequence[tuple[float, float]], resolution: float, rng: np.random.Generator
) -> tuple[Estimate | None, Estimate | None]:
    """Return the sizes at which 50 % and 95 % pass, or nothing if all limits are out of the span.

    Args:
        found: per repetition the largest size passed and the smallest failed.
        resolution: of sizes.
        rng: for the bootstrap.
    """
    low, high = (np.array(side, float) for side in zip(*found, strict=True))
    known_sizes = np.concatenate([low, high])
    known_sizes = known_sizes[np.isfinite(known_sizes)]
    if np.isinf(low).all() or np.isinf(high).all():
        return None, None
    reach = max(float(np.ptp(known_sizes)), resolution)
    fine = max(resolution / 5, reach / 60)
    m = np.arange(known_sizes.min() - reach / 2, known_sizes.max() + reach / 2, fine)
    # Narrower than this, limits between two sizes would not tell where between them m is.
    b = np.geomspace(resolution / 4, 2 * reach, 40)
    middles, widths = (grid.ravel() for grid in np.meshgrid(m, b))
    chance = _below(high, middles, widths) - _below(low, middles, widths)  # (repeats, grid)
    told = np.log(np.maximum(chance, 1e-300))
    evenly = np.full(len(found), 1 / len(found))
    again = rng.multinomial(len(found), evenly, RESAMPLES).astype(float)  # how often each counts
    best = [int(told.sum(axis=0).argmax()), *(again @ told).argmax(axis=1).tolist()]
    half, most = middles[best], middles[best] - widths[best] * math.log(19)
    return _estimate(half, resolution), _estimate(np.maximum(most, 0.0), resolution)


def _estimate(values: Array, resolution: float) -> Estimate:
    """Return the first of ``values`` with an interval made of the others."""
    low, high = np.quantile(values[1:], (0.025, 0.975))
    half = resolution / 2
    return Estimate(float(values[0]), max(0.0, float(low) - half), float(high) + half)


def _below(size: Array, middle: Array, width: Array) -> Array:
    """Return the part of limits below each size, (sizes, grid)."""
    return np.asarray(0.5 * (1 + np.tanh((size[:, None] - middle) / width / 2)))


def _find(who: Candidate, test: str, apparatus: Apparatus, chance: Chance) -> tuple[float, float]:
    def passes(size: float) -> bool:
        return alone(trial(who, test, size, chance)).arrived

    return search(passes, apparatus)


def _check(
    who: Candidate, test: str, where: Estimate | None, chances: Sequence[Chance]
) -> Share | None:
    if where is None:
        return None
    low, high = known(test).span
    size = min(high, max(low, where.value))
    outcomes = spread([trial(who, test, size, chance) for chance in chances])
    return Share(sum(outcome.arrived for outcome in outcomes), len(outcomes))
