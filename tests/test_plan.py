"""Plan loop (plan, drive, update costs) and output of ``grouser plan``."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.narrowing import not_none
from typer.testing import CliRunner, Result

import grouser
from grouser.cli import app
from grouser.errors import BadValue, UnknownName
from grouser.planning.cost_map import CostMap, DrivenTrial, progress_along_path
from grouser.planning.paths import path_from_waypoints, resample
from grouser.planning.validity import ValidityMap
from grouser.trials.intervals import mean_interval, wilson
from grouser.trials.plan import PlanProgress, PlanResult, PlanSettings, plan
from grouser.trials.plan_task import PlanTask, plan_task
from grouser.world.file import shipped

SHORT = ((0.0, 0.0), (0.45, 0.0))
COARSE = "physics.timestep=0.002"
LITTLE = PlanSettings(candidates=3, trials=2, rounds=2, seed=3)


@pytest.fixture(scope="module")
def flat_task() -> PlanTask:
    return plan_task(grouser.load("roach_circle", [COARSE]), "velociroach", *SHORT)


@pytest.fixture(scope="module")
def flat_plan(flat_task: PlanTask) -> PlanResult:
    return plan(flat_task, LITTLE)


def test_plan_runs_all_candidates_and_chooses_one_that_arrives(flat_plan: PlanResult) -> None:
    # Round 2: one of three is driven again (0.4 of 3), two are new.
    assert flat_plan.driven == 2 * 3 * 2
    assert len(flat_plan.rounds) == 2
    assert not flat_plan.ended
    best = flat_plan.best
    assert best is not None
    assert best.success == 1.0
    assert best.energy is not None
    assert best.energy > 0
    assert best.score == min(record.score for record in flat_plan.records)
    low, high = best.success_interval
    assert 0 < low < best.success
    assert high == pytest.approx(1.0)


def test_all_candidates_get_the_same_draws(flat_plan: PlanResult) -> None:
    drawn: dict[Any, Any] = {}
    for record in flat_plan.records:
        for outcome in record.outcomes:
            case = dict(outcome.trial.case)
            assert case.pop("path") == record.number
            drawn.setdefault(case.pop("draw"), []).append(case)
    assert sorted(drawn) == list(range(len(drawn)))
    for same in drawn.values():
        assert all(case == same[0] for case in same)


def test_result_is_bit_identical_on_one_thread(flat_task: PlanTask, flat_plan: PlanResult) -> None:
    alone = plan(
        flat_task, PlanSettings(candidates=3, trials=2, rounds=2, seed=3), runner="threads:1"
    )
    assert [record.score for record in alone.records] == [
        record.score for record in flat_plan.records
    ]
    for one, other in zip(alone.records, flat_plan.records, strict=True):
        assert np.array_equal(one.path.waypoints, other.path.waypoints)
        assert [o.fingerprint for o in one.outcomes] == [o.fingerprint for o in other.outcomes]
    assert np.array_equal(alone.rounds[-1].known, flat_plan.rounds[-1].known)


def test_stop_after_three_trials_returns_the_best_so_far(flat_task: PlanTask) -> None:
    seen = []

    def watch(progress: PlanProgress) -> None:
        seen.append(progress.finished)

    result = plan(flat_task, LITTLE, stop=lambda: len(seen) >= 3, watch=watch)
    assert result.ended == "out of time"
    assert 3 <= result.driven <= 6  # trials that ended at the same sample count
    assert result.best is not None


def test_interrupt_returns_the_best_so_far(flat_task: PlanTask) -> None:
    def watch(progress: PlanProgress) -> None:
        if progress.finished == 4:
            raise KeyboardInterrupt

    result = plan(flat_task, LITTLE, watch=watch)
    assert result.ended == "interrupted"
    assert result.driven >= 3
    assert result.best is not None


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"candidates": 0}, "candidates is 0, must be at least 1"),
        ({"rounds": 0}, "rounds is 0"),
        ({"seed": -1}, "seed is -1"),
    ],
)
def test_invalid_settings_are_rejected(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(BadValue, match=match):
        PlanSettings(**wrong)


def test_unknown_planner_or_robot_names_the_nearest_match() -> None:
    with pytest.raises(UnknownName, match="no planner 'RRTStar'.*did you mean 'RRTstar'"):
        PlanSettings(planner="RRTStar")
    with pytest.raises(UnknownName, match="no robot 'velociroch'.*did you mean 'velociroach'"):
        plan_task(grouser.load("double_bridge"), "velociroch", (-1.6, 0), (1.6, 0))


class TestCostMap:
    """Cost map of two paths on level ground; the right one is costly and fails."""

    @pytest.fixture
    def free(self) -> ValidityMap:
        return ValidityMap(
            np.array([0.0, -1.0]), 0.02, np.ones((16, 101, 101), bool), np.zeros((101, 101))
        )

    def drive(
        self,
        validity: ValidityMap,
        y: float,
        energy: float,
        arrived: bool = True,
        until: float = 2.0,
    ) -> DrivenTrial:
        path = path_from_waypoints(validity, [(0.0, y), (2.0, y)])
        x = np.linspace(0.0, until, 50)
        spent = np.linspace(0.0, energy, 50)
        return DrivenTrial(path, np.column_stack([x, np.full(50, y)]), spent, arrived)

    def test_energy_is_assigned_to_where_it_was_spent(self, free: ValidityMap) -> None:
        cost = CostMap(free)
        for _ in range(20):
            cost.learn(self.drive(free, 0.5, 2.0))
            cost.learn(self.drive(free, -0.5, 6.0))
        per_metre = cost.energy_per_metre()
        # 1 J/m and 3 J/m, regularized towards the mean of 2.
        assert per_metre[75, 50] == pytest.approx(1.0, abs=0.25)
        assert per_metre[25, 50] == pytest.approx(3.0, abs=0.25)
        assert cost.predict(path_from_waypoints(free, [(0.0, 0.5), (2.0, 0.5)]))[0] < 2.5

    def test_failure_cost_is_assigned_to_where_failures_happened(self, free: ValidityMap) -> None:
        cost = CostMap(free)
        for _ in range(10):
            cost.learn(self.drive(free, 0.5, 2.0))
            cost.learn(self.drive(free, -0.5, 1.0, arrived=False, until=1.0))
        failures = cost.failures_per_metre()
        assert failures[25, 45] > 5 * failures[75, 45]
        assert failures[25, 45] > 5 * failures[25, 10]
        _, good = cost.predict(path_from_waypoints(free, [(0.0, 0.5), (2.0, 0.5)]))
        _, bad = cost.predict(path_from_waypoints(free, [(0.0, -0.5), (2.0, -0.5)]))
        assert bad < 0.5 < good

    def test_unexplored_ground_costs_less_than_failed_ground(self, free: ValidityMap) -> None:
        cost = CostMap(free)
        for _ in range(10):
            cost.learn(self.drive(free, -0.5, 6.0, arrived=False, until=1.0))
            cost.learn(self.drive(free, 0.5, 2.0))
        known, price = cost.known, cost.per_metre()
        assert known[75, 50] > 0.3
        assert known[50, 99] < 0.01
        # Unexplored ground costs more than known good ground and less than known bad ground.
        assert price[75, 45] < price[50, 99] < price[25, 45]
        curious = cost.per_metre(exploration_bonus=0.2)
        assert curious[50, 99] == pytest.approx(0.8 * price[50, 99], rel=0.01)

    @pytest.mark.parametrize("times", [4, 8, 20])
    def test_repeated_failures_at_one_place_lead_to_a_detour(
        self, free: ValidityMap, times: int
    ) -> None:
        """No trial has arrived yet; the unexplored detour is 40 % longer."""
        cost = CostMap(free)
        for _ in range(times):
            cost.learn(self.drive(free, -0.5, 1.0, arrived=False, until=1.0))
        prices = []
        for way in ([(0.0, -0.5), (2.0, -0.5)], [(0.0, -0.5), (1.0, 0.5), (2.0, -0.5)]):
            points = resample(np.array(way), free.step)
            prices.append(cost.per_metre()[free.cells(points)].sum() * free.step)
        straight, round_it = prices
        assert round_it < straight
        assert cost.predict(path_from_waypoints(free, [(0.0, -0.5), (2.0, -0.5)]))[1] < 0.5

    def test_cost_of_a_slope_extends_beside_the_path(self, free: ValidityMap) -> None:
        """Three quarters of the energy were spent on the first half of the path."""
        cost = CostMap(free)
        path = path_from_waypoints(free, [(0.0, 0.0), (2.0, 0.0)])
        x = np.linspace(0.0, 2.0, 100)
        spent = np.interp(x, [0.0, 1.0, 2.0], [0.0, 1.5, 2.0])
        for _ in range(4):
            cost.learn(DrivenTrial(path, np.column_stack([x, np.zeros(100)]), spent, True))
        beside, energy = free.cells([(0.4, 0.3), (1.6, 0.3)]), cost.energy_per_metre()
        assert cost.known[beside].max() < 0.1
        assert energy[beside][0] > 1.5 * energy[beside][1]

    def test_falls_are_predicted_where_lateral_error_exceeds_clearance(self) -> None:
        """A ridge between two drops: no trial fell, but lateral errors are 0.1 m."""
        stands = np.zeros((16, 101, 101), bool)
        stands[:, 30:71] = True
        ridge = ValidityMap(np.array([0.0, -1.0]), 0.02, stands, np.zeros((101, 101)))
        cost = CostMap(ridge)
        path = path_from_waypoints(ridge, [(0.0, 0.0), (2.0, 0.0)])
        x = np.linspace(0.0, 2.0, 200)
        wander = np.column_stack([x, 0.1 * np.sin(7 * x)])
        for _ in range(6):
            cost.learn(DrivenTrial(path, wander, x, True))
        near, middle = (
            cost.predict(path_from_waypoints(ridge, [(0.0, y), (2.0, y)]))[1] for y in (0.35, 0.0)
        )
        assert middle > 0.9
        assert near < 0.8 * middle
        # Four falls from the middle of the ridge outweigh this prediction.
        over = np.column_stack([x[:100], np.append(np.zeros(99), -0.6)])
        for _ in range(4):
            cost.learn(DrivenTrial(path, over, x[:100], False))
        assert cost.predict(path)[1] < 0.8

    def test_cost_map_without_trials_is_rejected(self, free: ValidityMap) -> None:
        with pytest.raises(BadValue, match="no trial has been driven"):
            CostMap(free).per_metre()

    def test_progress_does_not_jump_where_a_path_returns(self) -> None:
        there = np.column_stack([np.linspace(0, 1, 51), np.zeros(51)])
        path = np.concatenate([there, there[::-1] + np.array([0.0, 0.02])])
        assert progress_along_path(path, there[:30]).max() <= 31


def test_wilson_interval_matches_the_printed_table() -> None:
    assert wilson(8, 10) == pytest.approx((0.490, 0.943), abs=1e-3)  # Wilson 1927, as printed
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = not_none(mean_interval([1.0, 2.0, 3.0]))
    assert (low, high) == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5))
    assert mean_interval([1.0]) is None


def run_plan(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["plan", *arguments])


BRIDGE = ("double_bridge", "--from", "-1.6,0", "--to", "1.6,0")


def output_words(result: Result) -> str:
    return " ".join(result.output.split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((*BRIDGE, "--planner", "PMR"), "no planner 'PMR'"),
        (("double_bridge", "--from", "0,0.5", "--to", "1.6,0"), "start (0, 0.5): a leg, wheel"),
        (
            ("double_bridge", "--from", "-1.6", "--to", "1.6,0"),
            "--from is '-1.6', must be 2 numbers",
        ),
        ((*BRIDGE, "--within", "-1,-1,1,1"), "start (-1.6, 0): outside the bounds"),
        ((*BRIDGE, "--robot", "roch"), "no robot 'roch'"),
        ((*BRIDGE, "--json", "plan.txt"), "plan.txt: the name must end in .json"),
    ],
)
def test_invalid_argument_is_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run_plan(*arguments)
    assert result.exit_code == 2, result.output
    assert sentence in output_words(result)
    assert list(tmp_path.iterdir()) == []


def test_start_in_the_air_is_reported(tmp_path: Path) -> None:
    text = shipped()["double_bridge"].read_text()
    (tmp_path / "holes.yaml").write_text(text.replace("- {kind: flat, friction: 0.6}\n", ""))
    result = run_plan(str(tmp_path / "holes.yaml"), "--from", "-2.5,0", "--to", "-1,0")
    assert result.exit_code == 2
    assert "start (-2.5, 0): there is no ground under the robot" in output_words(result)


def test_missing_path_across_a_hole_is_a_result(tmp_path: Path) -> None:
    report = tmp_path / "plan.json"
    result = run_plan(
        *BRIDGE[:1], "--from", "-1,0", "--to", "0,0", "--json", str(report), "--planner", "PRM"
    )  # fmt: skip
    assert result.exit_code == 1
    assert "no path from (-1, 0) to (0, 0): no ground on which" in output_words(result)
    written = json.loads(report.read_text())
    assert written["best"] is None
    assert written["no_path"].startswith("no path")


def test_robot_that_is_too_wide_is_reported() -> None:
    narrow = ("--set", "terrain.1.bridge_width=0.3")
    bounds = ("--within", "-2.6,-1,2.6,1")
    result = run_plan(
        "double_bridge", "--robot", "p3at", "--from", "-2.2,0", "--to", "2.2,0", *narrow, *bounds
    )
    assert result.exit_code == 1
    assert "the robot is too wide for the existing passages" in output_words(result)


def test_timeout_ends_the_plan() -> None:
    begun = time.monotonic()
    result = run_plan(*BRIDGE, "--timeout", "0.2", "--candidates", "400", "--planner", "RRTstar")
    assert result.exit_code == 1
    assert "out of time: no trial has finished" in output_words(result)
    assert time.monotonic() - begun < 120  # about 5 s on an idle machine, with loading


def test_ctrl_c_prints_the_best_so_far(tmp_path: Path) -> None:
    report = tmp_path / "plan.json"
    usual = signal.getsignal(signal.SIGINT)

    def interrupt_when_started() -> None:
        while signal.getsignal(signal.SIGINT) is usual:
            time.sleep(0.05)
        time.sleep(3.0)
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=interrupt_when_started, daemon=True)
    presser.start()
    result = run_plan(
        "roach_circle", "--robot", "velociroach", "--from", "0,0", "--to", "0.3,0", "--json",
        str(report), "--candidates", "100", "--trials", "40", "--set", COARSE,
    )  # fmt: skip
    presser.join(timeout=60)
    assert result.exit_code in (0, 1), result.output
    assert json.loads(report.read_text())["ended"] == "interrupted"
    assert signal.getsignal(signal.SIGINT) is usual


@pytest.mark.slow
def test_comparison_of_loop_and_single_round_has_its_columns() -> None:
    from grouser.experiments.roach import loop
    from grouser.experiments.run_options import RunOptions

    table = loop.run(RunOptions(quick=True)).table
    assert table.experiment == "roach-loop"
    assert table.figures["trials_each"] == 4
    assert table.figures["terrains"] == 1
    assert [row.case["what"] for row in table.rows][2:] == ["terrain 0"]
