"""How large may an apparatus be before a robot fails? The limit, with chance in it.

A repetition has its own start phase, heading and friction (`draw`), drawn from a generator of its
own name, so that it is the same whatever else is run. For each, the largest size that is passed is
found from coarse to fine:

1. once, for a run without chance: outwards from the middle of the usual sizes in doubling steps,
   then inwards by bisection until the sizes next to the limit on both sides are known (`search`);
2. for every repetition in the same way, outwards from that limit;
3. if the limits of all repetitions are nearly the same, they are bisected further until they
   differ (`FINER` halvings at most): where half of the runs pass is only known if limits are told
   apart.

`grouser.mobility.curve` makes the sizes at which 50 % and 95 % pass of it. All this supposes that a
robot which passes a size passes smaller ones. Whether that holds is checked: fresh repetitions are
run at both sizes, and how many of them pass is told beside how many the curve lets expect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from grouser.errors import BadValue
from grouser.mobility.apparatus import Apparatus
from grouser.mobility.curve import Curve, Estimate, Share, fit
from grouser.mobility.suite import (
    NOMINAL,
    Candidate,
    Chance,
    Progress,
    alone,
    known,
    on_all_cores,
    trial,
)
from grouser.simulation.schedule import generator
from grouser.trials import threads

BACK = 0.05
"""Starts lie up to so much further back, m: more than a grouser's pitch."""
HEADING_DEG = 5.0
"""Headings at the start are up to so much to either side."""
FRICTION = 0.1
"""Friction differs by up to this part of itself."""
FINER = 3
"""How often the resolution is halved at most while limits cannot be told apart."""

Found = tuple[float, float]
"""The largest size passed and the smallest failed; -inf, inf: there is none."""
Case = tuple[Chance, float]
"""A run: its chances and its size, mm or deg."""


@dataclass(frozen=True)
class Check:
    """Fresh runs at a size, and how many of them should pass."""

    share: Share
    expected: tuple[int, int]
    """Least and most that pass in 95 % of cases, if larger is harder."""

    @property
    def explained(self) -> bool:
        """Whether the curve explains what the fresh runs did."""
        low, high = self.expected
        return low <= self.share.passed <= high


@dataclass(frozen=True, kw_only=True)
class Limit:
    """How far a robot gets on one apparatus."""

    test: str
    found: tuple[Found, ...]
    """Per repetition."""
    half: Estimate | None = None
    """Size at which 50 % pass, mm or deg; None: all limits are out of the span at one end."""
    most: Estimate | None = None
    """Size at which 95 % pass."""
    checked_half: Check | None = None
    """Fresh runs at the size where 50 % should pass."""
    checked_most: Check | None = None
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
        progress: told about finished repetitions, in each round anew.
    """
    if repeats < 2:
        raise BadValue(f"mobility: {repeats} repeats, at least 2 are needed for a limit")
    apparatus = known(test)
    arrived = partial(_arrived, who, test, progress=progress)
    chances = [draw(seed, f"{test}/{number}") for number in range(repeats)]
    near = min(_find(who, test, NOMINAL), key=abs)  # the finite one, if only one is
    coarse = on_all_cores(partial(_find, who, test, near=near), chances, progress=progress)
    found, resolution = told_apart(arrived, chances, coarse, apparatus.resolution)
    rng = generator(seed, f"mobility/{test}/bootstrap")
    curve = fit(found, resolution, rng)
    if curve is None:
        return Limit(test=test, found=tuple(found))
    fresh = [draw(seed, f"{test}/fresh/{number}") for number in range(repeats)]
    half, most = curve.size(0.5), curve.size(0.95)
    return Limit(
        test=test,
        found=tuple(found),
        half=half,
        most=most,
        checked_half=_check(arrived, curve, apparatus.within(half.value), fresh, rng),
        checked_most=_check(arrived, curve, apparatus.within(most.value), fresh, rng),
    )


def search(
    passes: Callable[[float], bool], apparatus: Apparatus, *, near: float | None = None
) -> Found:
    """Return the largest size passed and the smallest failed, neighbours on the grid of sizes.

    ``(-inf, smallest)`` if none of the span passes, ``(largest, inf)`` if all do.

    Args:
        passes: asked for every size at most once.
        apparatus: whose sizes these are.
        near: a size near which the limit should be; None: it may be anywhere.
    """
    step = apparatus.resolution
    least, most = math.ceil(apparatus.span[0] / step), math.floor(apparatus.span[1] / step)
    low, high = -math.inf, math.inf
    if near is None:
        probe = round((apparatus.sizes[0] + apparatus.sizes[-1]) / 2 / step)
        stride = max(1, round((apparatus.sizes[-1] - apparatus.sizes[0]) / 4 / step))
    else:
        probe, stride = min(most, max(least, round(near / step))), 1
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


def told_apart(
    arrived: Callable[[Sequence[Case]], list[bool]],
    chances: Sequence[Chance],
    found: Sequence[Found],
    resolution: float,
) -> tuple[list[Found], float]:
    """Bisect limits further while they lie in few neighbouring sizes.

    Args:
        arrived: runs cases and says which of them passed.
        chances: of the repetitions.
        found: their limits, to ``resolution``.
        resolution: of these.

    Returns:
        The limits, and to what resolution they are known now.
    """
    found = list(found)
    inside = [i for i, bounds in enumerate(found) if np.isfinite(bounds).all()]
    for _ in range(FINER):
        if not inside or np.std([sum(found[i]) / 2 for i in inside]) > resolution:
            break
        middles = [sum(found[i]) / 2 for i in inside]
        passed = arrived([(chances[i], size) for i, size in zip(inside, middles, strict=True)])
        for i, size, yes in zip(inside, middles, passed, strict=True):
            low, high = found[i]
            found[i] = (size, high) if yes else (low, size)
        resolution /= 2
    return found, resolution


def _arrived(
    who: Candidate, test: str, cases: Sequence[Case], *, progress: Progress | None = None
) -> list[bool]:
    """Run every case and say which of them passed."""
    trials = [trial(who, test, size, chance) for chance, size in cases]
    return [outcome.arrived for outcome in threads.run(trials, progress=progress)]


def _find(who: Candidate, test: str, chance: Chance, *, near: float | None = None) -> Found:
    def passes(size: float) -> bool:
        return alone(trial(who, test, size, chance)).arrived

    return search(passes, known(test), near=near)


def _check(
    arrived: Callable[[Sequence[Case]], list[bool]],
    curve: Curve,
    size: float,
    fresh: Sequence[Chance],
    rng: np.random.Generator,
) -> Check:
    passed = sum(arrived([(chance, size) for chance in fresh]))
    return Check(Share(passed, len(fresh)), curve.expected(size, len(fresh), rng))
