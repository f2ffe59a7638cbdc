"""How large may an apparatus be before a robot fails? The limit, with chance in it.

A repetition has its own start phase, heading and friction (`draw_variation`), drawn from a
generator of its own name, so that it is the same whatever else is run. For each, the largest size
that is passed is found from coarse to fine:

1. once, for a run without variation: outwards from the middle of the usual sizes in doubling steps,
   then inwards by bisection until the sizes next to the limit on both sides are known
   (`search_bracket`);
2. for every repetition in the same way, outwards from that limit;
3. if the limits of all repetitions are nearly the same, they are bisected further until they
   differ (`FINER` halvings at most): where half of the runs pass is only known if limits are told
   apart.

`grouser.mobility.pass_curve` makes the sizes at which 50 % and 95 % pass of it. All this supposes
that a robot which passes a size passes smaller ones. Whether that holds is checked: fresh
repetitions are run at both sizes, and how many of them pass is told beside how many the curve lets
expect.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from grouser.cores import Progress, parallel_map
from grouser.errors import BadValue
from grouser.mobility.apparatus import Apparatus
from grouser.mobility.pass_curve import PassCount, PassCurve, SizeEstimate, fit_pass_curve
from grouser.mobility.suite import (
    NOMINAL,
    Candidate,
    Variation,
    apparatus_named,
    mobility_trial,
    run_alone,
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

Bracket = tuple[float, float]
"""The largest size passed and the smallest failed; -inf, inf: there is none."""
VariedSize = tuple[Variation, float]
"""A run: its variation and its size, mm or deg."""


@dataclass(frozen=True)
class FreshRuns:
    """Fresh runs at a size, and how many of them should pass."""

    share: PassCount
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
    brackets: tuple[Bracket, ...]
    """Per repetition."""
    pass_50: SizeEstimate | None = None
    """Size at which 50 % pass, mm or deg; None: all limits are out of the span at one end."""
    pass_95: SizeEstimate | None = None
    """Size at which 95 % pass."""
    checked_50: FreshRuns | None = None
    """Fresh runs at the size where 50 % should pass."""
    checked_95: FreshRuns | None = None
    """Fresh runs at the size where 95 % should pass."""

    def share(self, size: float) -> PassCount:
        """Return how many repetitions' limits are at ``size`` or above."""
        return PassCount(sum(low >= size for low, _ in self.brackets), len(self.brackets))

    @property
    def no_estimate_text(self) -> str:
        """Say what there is to say when there is no estimate."""
        unit, span = apparatus_named(self.test).unit, apparatus_named(self.test).span
        if self.pass_50 is not None:
            return ""
        passes = self.brackets[0][0] > -math.inf
        return f"passes all up to {span[1]:g} {unit}" if passes else f"fails at {span[0]:g} {unit}"


def draw_variation(seed: int, name: str) -> Variation:
    """Return the variation of the repetition ``name``."""
    rng = generator(seed, f"mobility/{name}")
    return Variation(
        back=float(rng.uniform(0, BACK)),
        heading_deg=float(rng.uniform(-HEADING_DEG, HEADING_DEG)),
        friction=float(rng.uniform(1 - FRICTION, 1 + FRICTION)),
    )


def find_limit(
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
        seed: decides their variations.
        progress: told about finished repetitions, in each round anew.
    """
    if repeats < 2:
        raise BadValue(f"mobility: {repeats} repeats, at least 2 are needed for a limit")
    apparatus = apparatus_named(test)
    arrived = partial(_arrived, who, test, progress=progress)
    variations = [draw_variation(seed, f"{test}/{number}") for number in range(repeats)]
    near = min(_find(who, test, NOMINAL), key=abs)  # the finite one, if only one is
    coarse = parallel_map(partial(_find, who, test, near=near), variations, progress=progress)
    brackets, resolution = refine_brackets(arrived, variations, coarse, apparatus.resolution)
    rng = generator(seed, f"mobility/{test}/bootstrap")
    curve = fit_pass_curve(brackets, resolution, rng)
    if curve is None:
        return Limit(test=test, brackets=tuple(brackets))
    fresh = [draw_variation(seed, f"{test}/fresh/{number}") for number in range(repeats)]
    pass_50, pass_95 = curve.size(0.5), curve.size(0.95)
    return Limit(
        test=test,
        brackets=tuple(brackets),
        pass_50=pass_50,
        pass_95=pass_95,
        checked_50=_check(arrived, curve, apparatus.within(pass_50.value), fresh, rng),
        checked_95=_check(arrived, curve, apparatus.within(pass_95.value), fresh, rng),
    )


def search_bracket(
    passes: Callable[[float], bool], apparatus: Apparatus, *, near: float | None = None
) -> Bracket:
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


def refine_brackets(
    arrived: Callable[[Sequence[VariedSize]], list[bool]],
    variations: Sequence[Variation],
    brackets: Sequence[Bracket],
    resolution: float,
) -> tuple[list[Bracket], float]:
    """Bisect limits further while they lie in few neighbouring sizes.

    Args:
        arrived: runs cases and says which of them passed.
        variations: of the repetitions.
        brackets: their limits, to ``resolution``.
        resolution: of these.

    Returns:
        The limits, and to what resolution they are known now.
    """
    brackets = list(brackets)
    inside = [i for i, bounds in enumerate(brackets) if np.isfinite(bounds).all()]
    for _ in range(FINER):
        if not inside or np.std([sum(brackets[i]) / 2 for i in inside]) > resolution:
            break
        middles = [sum(brackets[i]) / 2 for i in inside]
        passed = arrived([(variations[i], size) for i, size in zip(inside, middles, strict=True)])
        for i, size, yes in zip(inside, middles, passed, strict=True):
            low, high = brackets[i]
            brackets[i] = (size, high) if yes else (low, size)
        resolution /= 2
    return brackets, resolution


def _arrived(
    who: Candidate, test: str, cases: Sequence[VariedSize], *, progress: Progress | None = None
) -> list[bool]:
    """Run every case and say which of them passed."""
    trials = [mobility_trial(who, test, size, variation) for variation, size in cases]
    return [outcome.arrived for outcome in threads.run_trials(trials, progress=progress)]


def _find(who: Candidate, test: str, variation: Variation, *, near: float | None = None) -> Bracket:
    def passes(size: float) -> bool:
        return run_alone(mobility_trial(who, test, size, variation)).arrived

    return search_bracket(passes, apparatus_named(test), near=near)


def _check(
    arrived: Callable[[Sequence[VariedSize]], list[bool]],
    curve: PassCurve,
    size: float,
    fresh: Sequence[Variation],
    rng: np.random.Generator,
) -> FreshRuns:
    passed = sum(arrived([(variation, size) for variation in fresh]))
    return FreshRuns(PassCount(passed, len(fresh)), curve.expected(size, len(fresh), rng))
