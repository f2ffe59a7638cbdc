"""Runner warp: the same trials and verdicts in MuJoCo Warp, in float32 on its CPU device."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import grouser
from grouser.benches.trials import bridge_roaches
from grouser.errors import BadValue, MissingDependency
from grouser.trials.intervals import wilson
from grouser.trials.runner import find_runner, run_trials
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.trials.warp.physics import Buffers, WarpPhysics
from grouser.trials.warp.runner import WarpRunner


def climbs(heights: list[float], limit: float = 10.0, spread: float = 0.0) -> list[Trial]:
    """Return Quinces in front of steps of ``heights`` (m), 0.62 m away, give or take ``spread``."""
    places = 0.62 + np.random.default_rng(0).uniform(-spread, spread, len(heights))
    return [
        Trial(
            world=grouser.load("quince_step", [f"terrain.1.height={height}", f"terrain.1.x={x}"]),
            robot="quince",
            limit=limit,
            goal=Goal(x=x, z=height),
            stuck_after=3.0,
        )
        for height, x in zip(heights, places.tolist(), strict=True)
    ]


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "warp", None)
    with pytest.raises(MissingDependency, match=r'pip install "grouser\[gpu\]"'):
        find_runner("warp:cpu")


def test_number_of_slots_is_checked() -> None:
    with pytest.raises(BadValue, match="slots is 0"):
        WarpRunner("cpu", slots=0)


def test_trial_that_needs_a_simulation_is_refused() -> None:
    trial = replace(climbs([0.05])[0], sensors=("encoder",))
    with pytest.raises(BadValue, match="trial 0 cannot run in MuJoCo Warp: its policy reads"):
        next(WarpRunner("cpu").run([trial]))


@pytest.fixture
def _warp() -> None:
    pytest.importorskip("mujoco_warp", reason="the extra 'gpu' is not installed")


@pytest.mark.slow
@pytest.mark.usefixtures("_warp")
def test_unknown_device_is_named() -> None:
    with pytest.raises(BadValue, match="device is 'cuda:99', this machine has cpu"):
        find_runner("warp:cuda:99")


@pytest.mark.slow
@pytest.mark.usefixtures("_warp")
def test_trials_agree_with_threads_and_slots_are_used_again() -> None:
    trials = climbs([0.03, 0.09, 0.15], limit=1.2)  # each robot is at its own step after 0.8 s
    ours = run_trials(trials)
    theirs = run_trials(trials, runner=WarpRunner("cpu", slots=2))
    for one, other in zip(ours, theirs, strict=True):
        assert (one.verdict, len(one.times)) == (other.verdict, len(other.times))
        np.testing.assert_allclose(other.positions, one.positions, atol=0.002)
        assert other.effort == pytest.approx(one.effort, rel=0.05)
        assert one.fingerprint != other.fingerprint, "float32 has other bits"


@pytest.mark.slow
@pytest.mark.usefixtures("_warp")
def test_small_buffers_grow_without_losing_contacts(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = climbs([0.05], limit=0.1)
    runner = WarpRunner("cpu", slots=1)
    expected = run_trials(trials, runner=runner)[0]
    reserve = WarpPhysics._reserve
    sizes: list[Buffers] = []

    def small(self: WarpPhysics, needed: Buffers) -> None:
        sizes.append(needed)
        reserve(self, Buffers(1, 1) if len(sizes) == 1 else needed)

    monkeypatch.setattr(WarpPhysics, "_reserve", small)
    assert run_trials(trials, runner=runner)[0].fingerprint == expected.fingerprint
    assert len(sizes) > 1, "the buffers of the start were too small"


@pytest.mark.slow
@pytest.mark.usefixtures("_warp")
def test_success_rates_and_energies_agree_around_the_limit() -> None:
    # The distance decides which grouser catches the edge: with equal ones, trials are not
    # independent, and 1 um changes 8 of 20 successes.
    trials = climbs(np.linspace(0.08, 0.16, 20).tolist(), limit=12.0, spread=0.02)
    ours, theirs = run_trials(trials), run_trials(trials, runner=WarpRunner("cpu", slots=20))
    assert 0 < sum(outcome.arrived for outcome in ours) < len(ours)
    check_agreement(ours, theirs)


@pytest.mark.slow
@pytest.mark.usefixtures("_warp")
def test_roaches_agree_on_the_double_bridge() -> None:
    trials = bridge_roaches(20)
    check_agreement(run_trials(trials), run_trials(trials, runner=WarpRunner("cpu", slots=20)))


def check_agreement(ours: list[Outcome], theirs: list[Outcome]) -> None:
    """Assert that success rates and mean efforts of two runners agree."""
    for one, other in ((ours, theirs), (theirs, ours)):
        low, high = wilson(sum(outcome.arrived for outcome in one), len(one))
        assert low <= np.mean([outcome.arrived for outcome in other]) <= high
    assert mean_effort(theirs) == pytest.approx(mean_effort(ours), rel=0.05)


def mean_effort(outcomes: list[Outcome]) -> float:
    """Return the mean effort of the trials that arrived, J."""
    return float(np.mean([outcome.effort for outcome in outcomes if outcome.arrived]))
