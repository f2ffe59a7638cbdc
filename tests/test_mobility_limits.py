"""Size limits of a robot: bisection, pass curves and their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from support.narrowing import not_none

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.mobility import limits, pass_curve, suite
from grouser.mobility.apparatus import APPARATUS
from grouser.mobility.suite import Variation
from grouser.simulation.schedule import generator

PACKBOT = suite.measure_candidate("packbot", {})


def test_draws_depend_on_seed_and_name_only() -> None:
    assert limits.draw_variation(3, "step/0") == limits.draw_variation(3, "step/0")
    draws = [limits.draw_variation(seed, f"step/{i}") for seed in (0, 1) for i in range(200)]
    assert len(set(draws)) == 400
    assert all(0 <= d.back <= 0.05 and abs(d.heading_deg) <= 5 for d in draws)
    frictions = [d.friction for d in draws]
    assert 0.9 <= min(frictions) < 0.92
    assert 1.08 < max(frictions) <= 1.1


@pytest.mark.parametrize("near", [None, 5, 110, 1000])
@pytest.mark.parametrize("true", [3, 5, 7, 60, 112, 225, 349, 777, 999, 1000, 4000])
def test_bisection_finds_the_two_sizes_around_the_limit(true: int, near: int | None) -> None:
    asked: list[float] = []

    def passes_below(cases: Sequence[tuple[Variation, float]]) -> list[bool]:
        asked.extend(size for _, size in cases)
        return [size <= true for _, size in cases]

    [(low, high)] = limits.search_brackets(
        passes_below, [suite.NOMINAL], APPARATUS["step"], near=near
    )
    assert len(asked) == len(set(asked)) <= (12 if near is None else 16)
    assert low <= true or low == -math.inf
    assert true < high
    assert high - low == 5 or (low, high) in ((-math.inf, 5), (1000, math.inf))
    if near is not None and abs(true - near) < 5:
        assert len(asked) <= 2


def cells_around(true: list[float] | Array, resolution: int = 5) -> list[tuple[int, int]]:
    """Return the two sizes around each of the limits ``true``."""
    low = [resolution * math.floor(t / resolution) for t in true]
    return [(size, size + resolution) for size in low]


def arrival_runs(cases: Sequence[tuple[Variation, float]]) -> list[bool]:
    """Return runs whose only random quantity is their limit, recorded as their start."""
    return [size <= chance.back for chance, size in cases]


def test_nearly_equal_limits_are_resolved() -> None:
    true = np.random.default_rng(0).logistic(111, 0.3, 20).tolist()
    chances = [suite.Variation(back=limit) for limit in true]
    found, resolution = limits.refine_brackets(arrival_runs, chances, cells_around(true), 5)
    assert resolution == 5 / 2**limits.FINER
    assert all(low <= t < high for t, (low, high) in zip(true, found, strict=True))
    assert all(high - low == resolution for low, high in found)
    rough, fine = (
        not_none(pass_curve.fit_pass_curve(f, r, generator(0, "a")))
        for f, r in ((cells_around(true), 5), (found, resolution))
    )
    assert abs(fine.size(0.5).value - 111) < 0.5 < abs(rough.size(0.5).value - 111)


def test_distinct_limits_are_not_refined() -> None:
    true = [30.0, 60.0, 90.0, 2000.0]
    chances = [suite.Variation(back=limit) for limit in true]
    found = [*cells_around(true[:3]), (1000.0, math.inf)]
    assert limits.refine_brackets(arrival_runs, chances, found, 5) == (found, 5)
    beyond = [(1000.0, math.inf)] * 4
    assert limits.refine_brackets(arrival_runs, chances, beyond, 5) == (beyond, 5)


def test_fit_recovers_a_known_curve() -> None:
    found = cells_around(np.random.default_rng(0).logistic(200, 12, 400))
    synthetic = not_none(pass_curve.fit_pass_curve(found, 5, generator(0, "test")))
    half, most = synthetic.size(0.5), synthetic.size(0.95)
    assert half.value == pytest.approx(200, abs=3)
    assert most.value == pytest.approx(200 - 12 * math.log(19), abs=6)
    assert half.low < 200 < half.high
    assert most.low < 200 - 12 * math.log(19) < most.high
    assert half.high - half.low < 12


def test_confidence_intervals_have_their_nominal_coverage() -> None:
    covered = explained = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        found = cells_around(rng.logistic(200, 12, 20))
        fit = not_none(pass_curve.fit_pass_curve(found, 5, generator(seed, "test")))
        half = fit.size(0.5)
        covered += half.low < 200 < half.high
        fresh = pass_curve.PassCount(int((rng.logistic(200, 12, 20) >= half.value).sum()), 20)
        expected = fit.prediction_interval(half.value, 20, generator(seed, "fresh"))
        explained += limits.FreshRuns(fresh, expected).explained
    assert covered >= 35
    assert explained >= 35


def test_unexplained_scatter_is_reported() -> None:
    found = cells_around(np.random.default_rng(0).logistic(200, 12, 20))
    fit = not_none(pass_curve.fit_pass_curve(found, 5, generator(0, "test")))
    low, high = fit.prediction_interval(fit.size(0.5).value, 20, generator(0, "fresh"))
    assert 2 <= low < 8
    assert 12 < high <= 18
    assert not limits.FreshRuns(pass_curve.PassCount(0, 20), (low, high)).explained
    assert not limits.FreshRuns(pass_curve.PassCount(20, 20), (low, high)).explained


def test_equal_limits_have_half_a_size_of_uncertainty() -> None:
    same = not_none(pass_curve.fit_pass_curve([(110, 115)] * 20, 5, generator(0, "test")))
    half, most = same.size(0.5), same.size(0.95)
    assert half.value == pytest.approx(112.5, abs=1)
    assert half.low <= 110.5
    assert half.high >= 114.5
    assert 105 < most.value < half.value


def test_limits_beyond_the_range_are_described_in_words() -> None:
    all_pass = [(70.0, math.inf)] * 3
    assert pass_curve.fit_pass_curve(all_pass, 1, generator(0, "test")) is None
    limit = limits.Limit(test="tipping_up", brackets=tuple(all_pass))
    assert limit.no_estimate_text == "passes all up to 70 deg"
    some = [(60.0, 61.0), (70.0, math.inf), (-math.inf, 1.0)]
    fit = not_none(pass_curve.fit_pass_curve(some, 1, generator(0, "test")))
    assert 30 < fit.size(0.5).value < 70


def test_wilson_interval_matches_the_printed_values() -> None:
    assert pass_curve.PassCount(0, 20).interval() == pytest.approx((0.0, 0.1611), abs=1e-4)
    assert pass_curve.PassCount(10, 20).interval() == pytest.approx((0.2993, 0.7007), abs=1e-4)


def test_limit_needs_two_repetitions() -> None:
    with pytest.raises(BadValue, match="at least 2"):
        limits.find_limit(PACKBOT, "step", repeats=1)


@pytest.mark.slow
def test_packbot_step_limit_agrees_with_single_runs() -> None:
    limit = limits.find_limit(PACKBOT, "step", repeats=2)
    assert not_none(limit.pass_50).value == pytest.approx(111, abs=8)
    assert limit.share(100) == pass_curve.PassCount(2, 2)
    assert limit.share(200) == pass_curve.PassCount(0, 2)
    assert not_none(limit.checked_95).share.of == 2
