"""Runner warp: the same trials and verdicts in MuJoCo Warp, in float32 on its CPU device."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import grouser
from grouser.errors import BadValue, MissingDependency
from grouser.trials.intervals import wilson
from grouser.trials.runner import find_runner, run_trials
from grouser.trials.trial import Goal, Outcome, Trial
from grouser.trials.warp.physics import Buffers, WarpPhysics
from grouser.trials.warp.runner import WarpRunner


def climbs(heights: list[float], limit: float = 10.0) -> list[Trial]:
    """Return Quinces in front of steps of ``heights`` (m)."""
    return [
        Trial(
            world=grouser.load("quince_step", [f"terrain.1.height={height}", "terrain.1.x=0.62"]),
            robot="quince",
            limit=limit,
            goal=Goal(x=0.62, z=height),
            stuck_after=3.0,
        )
        for height in heights
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
    trials = climbs(np.linspace(0.130, 0.187, 20).tolist(), limit=12.0)
    ours, theirs = run_trials(trials), run_trials(trials, runner=WarpRunner("cpu", slots=20))
    for one, other in ((ours, theirs), (theirs, ours)):
        low, high = wilson(sum(outcome.arrived for outcome in one), len(one))
        assert low <= np.mean([outcome.arrived for outcome in other]) <= high
    assert 0 < sum(outcome.arrived for outcome in ours) < len(ours)
    assert mean_effort(theirs) == pytest.approx(mean_effort(ours), rel=0.05)


def mean_effort(outcomes: list[Outcome]) -> float:
    """Return the mean effort of the trials that arrived, J."""
    return float(np.mean([outcome.effort for outcome in outcomes if outcome.arrived]))
