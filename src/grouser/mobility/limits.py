"""Obstacle limits: the largest size of an apparatus that a robot passes, with uncertainty.

Each repetition has its own start offset, heading and friction (`draw_variation`), drawn from a
generator with its own name, so that it does not depend on other runs. The largest size that is
passed is bracketed from coarse to fine:

1. once for a run without variation: outwards from the middle of the nominal sizes in doubling
   steps, then inwards by bisection to neighbouring sizes of the grid (`search_brackets`);
2. for every repetition in the same way, outwards from that limit; each round of probes of all
   repetitions is one call of the runner;
3. if the limits of all repetitions are nearly equal, they are bisected further until they differ,
   with at most `FINER` halvings: the size at which half of the runs pass needs resolved limits.

`grouser.mobility.pass_curve` computes the sizes at which 50 % and 95 % pass. This assumes that a
robot which passes a size passes smaller ones. The assumption is checked: fresh repetitions are run
at both sizes, and the number that passes is reported beside the range that the curve predicts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np

from grouser.cores import Progress
from grouser.errors import BadValue
from grouser.mobility.apparatus import Apparatus
from grouser.mobility.pass_curve import PassCount, PassCurve, SizeEstimate, fit_pass_curve
from grouser.mobility.suite import NOMINAL, Candidate, Variation, apparatus_named, mobility_trial
from grouser.simulation.schedule import generator
from grouser.trials.runner import RunnerChoice, find_runner, run_trials

BACK = 0.05
"""Largest backward offset of the start, m: more than a grouser's pitch."""
HEADING_DEG = 5.0
"""Largest heading error at the start, to either side, deg."""
FRICTION = 0.1
"""Largest relative change of friction."""
FINER = 3
"""Largest number of halvings of the resolution while limits are nearly equal."""

Case = TypeVar("Case")

Bracket = tuple[float, float]
"""Largest size passed and smallest size failed; -inf, inf: there is none."""
VariedSize = tuple[Variation, float]
"""Variation and size (mm or deg) of a run."""
Passed = Callable[[Sequence[VariedSize]], list[bool]]
"""Runs cases and returns which of them passed."""


@dataclass(frozen=True)
class FreshRuns:
    """Fresh runs at a size, and the predicted number of passes."""

    share: PassCount
    expected: tuple[int, int]
    """Range of passes in 95 % of cases, if larger sizes are harder."""

    @property
    def explained(self) -> bool:
        """True if the number of passes is within the predicted range."""
        low, high = self.expected
        return low <= self.share.passed <= high


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Limit of a robot on one apparatus."""

    test: str
    brackets: tuple[Bracket, ...]
    """Bracket of the limit of each repetition."""
    pass_50: SizeEstimate | None = None
    """Size at which 50 % pass, mm or deg; None: all limits are beyond one end of the span."""
    pass_95: SizeEstimate | None = None
    """Size at which 95 % pass."""
    checked_50: FreshRuns | None = None
    """Fresh runs at the size where 50 % should pass."""
    checked_95: FreshRuns | None = None
    """Fresh runs at the size where 95 % should pass."""

    def share(self, size: float) -> PassCount:
        """Return the number of repetitions whose limits are at ``size`` or above."""
        return PassCount(sum(low >= size for low, _ in self.brackets), len(self.brackets))

    @property
    def no_estimate_text(self) -> str:
        """Text for a limit without an estimate; empty: there is one."""
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
        seed=int(rng.integers(2**31)),
    )


def find_limit(
    candidate: Candidate,
    test: str,
    *,
    repeats: int = 20,
    seed: int = 0,
    runner: RunnerChoice = None,
    progress: Progress | None = None,
) -> Limit:
    """Find the limit of ``candidate`` on ``test``.

    Args:
        candidate: robot.
        test: name of the apparatus.
        repeats: number of repetitions; at least 2.
        seed: seed of the variations.
        runner: runner of the trials, or its name; None: threads, one per core.
        progress: called for each finished run; counts restart in each round.
    """
    if repeats < 2:
        raise BadValue(f"mobility: {repeats} repeats, at least 2 are needed for a limit")
    apparatus = apparatus_named(test)
    runner = find_runner(runner)
    arrived = partial(_drive_cases, candidate, test, runner, progress)
    variations = [draw_variation(seed, f"{test}/{number}") for number in range(repeats)]
    nominal = nominal_bracket(candidate, test, runner=runner)
    near = min(nominal, key=abs)  # the finite one, if only one is
    coarse = search_brackets(arrived, variations, apparatus, near=near)
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


def nominal_bracket(candidate: Candidate, test: str, *, runner: RunnerChoice = None) -> Bracket:
    """Return the bracket of the limit of ``candidate`` without variation."""
    arrived = partial(_drive_cases, candidate, test, find_runner(runner), None)
    [bracket] = search_brackets(arrived, [NOMINAL], apparatus_named(test))
    return bracket


def search_brackets(
    arrived: Callable[[Sequence[tuple[Case, float]]], list[bool]],
    cases: Sequence[Case],
    apparatus: Apparatus,
    *,
    near: float | None = None,
) -> list[Bracket]:
    """Return the bracket of every case: the largest size passed and the smallest failed.

    A case is a `Variation`, or whatever else ``arrived`` runs at a size.

    Both are neighbours on the grid of sizes; ``(-inf, smallest)`` if no size passes, ``(largest,
    inf)`` if all do. They are found by doubling steps and bisection from ``near``; each size is run
    at most once.
    """
    searches = [_search(apparatus, near) for _ in cases]
    probes = {number: next(search) for number, search in enumerate(searches)}
    brackets: dict[int, Bracket] = {}
    while probes:
        passed = arrived([(cases[number], size) for number, size in probes.items()])
        following: dict[int, float] = {}
        for number, yes in zip(probes, passed, strict=True):
            try:
                following[number] = searches[number].send(yes)
            except StopIteration as end:
                brackets[number] = end.value
        probes = following
    return [brackets[number] for number in range(len(cases))]


def _search(apparatus: Apparatus, near: float | None) -> Generator[float, bool, Bracket]:
    """Yield sizes to run, receive whether they passed, and return the bracket."""
    step = apparatus.resolution
    least, most = math.ceil(apparatus.span[0] / step), math.floor(apparatus.span[1] / step)
    low, high = -math.inf, math.inf
    if near is None:
        probe = round((apparatus.sizes[0] + apparatus.sizes[-1]) / 2 / step)
        stride = max(1, round((apparatus.sizes[-1] - apparatus.sizes[0]) / 4 / step))
    else:
        probe, stride = min(most, max(least, round(near / step))), 1
    while True:
        if (yield probe * step):
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
    arrived: Passed, variations: Sequence[Variation], brackets: Sequence[Bracket], resolution: float
) -> tuple[list[Bracket], float]:
    """Bisect the ``brackets`` further while they are nearly equal; return them and their width."""
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


def _drive_cases(
    candidate: Candidate,
    test: str,
    runner: RunnerChoice,
    progress: Progress | None,
    cases: Sequence[VariedSize],
) -> list[bool]:
    """Run every case and return which of them passed."""
    trials = [mobility_trial(candidate, test, size, variation) for variation, size in cases]
    return [outcome.arrived for outcome in run_trials(trials, runner=runner, progress=progress)]


def _check(
    arrived: Passed,
    curve: PassCurve,
    size: float,
    fresh: Sequence[Variation],
    rng: np.random.Generator,
) -> FreshRuns:
    passed = sum(arrived([(variation, size) for variation in fresh]))
    return FreshRuns(
        PassCount(passed, len(fresh)), curve.prediction_interval(size, len(fresh), rng)
    )
