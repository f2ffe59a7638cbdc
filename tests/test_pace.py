"""Real-time pacing and lockstep turns."""

import math

import pytest

from grouser.service.lockstep import Lockstep
from grouser.service.pace import MAX_LAG, RealTimePacer


class Clock:
    """Wall clock that advances by `sleep` and by the test."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class TestRealTimePacer:
    def test_rounding_of_waits_does_not_accumulate(self) -> None:
        clock = Clock(100.0)
        pacer, simulated = RealTimePacer(1.0, clock=clock), 0.0
        for _ in range(30_000):  # a minute of ticks, each begun up to a millisecond late
            wait = pacer.wait(simulated)
            clock.now += max(0.0, math.ceil(wait * 1e3) * 1e-3)
            simulated += 0.002
        assert abs(simulated - (clock.now - 100.0)) < 0.004

    @pytest.mark.parametrize("factor", [0.1, 2.0, 10.0])
    def test_pace_follows_any_factor(self, factor: float) -> None:
        clock = Clock(5.0)
        pacer = RealTimePacer(factor, 3.0, clock=clock, sleep=clock.sleep)
        assert pacer.wait(3.0 + factor) == pytest.approx(1.0)
        pacer.sleep(3.0 + factor)
        assert clock.now == pytest.approx(6.0)
        assert pacer.drift(3.0 + factor) == pytest.approx(0.0)
        assert pacer.due(3.0) == pytest.approx(factor)

    def test_infinite_factor_never_waits_and_never_loses(self) -> None:
        clock = Clock(1000.0)
        pacer = RealTimePacer(math.inf, clock=clock)
        assert pacer.wait(0.0) == 0.0
        assert pacer.due(0.0) == math.inf
        clock.now = 0.0
        assert pacer.wait(1000.0) == 0.0
        assert pacer.lost == 0.0

    def test_lag_below_the_limit_is_caught_up(self) -> None:
        clock = Clock()
        pacer = RealTimePacer(1.0, clock=clock)
        clock.now = 0.9 * MAX_LAG
        assert pacer.wait(0.0) < 0
        assert pacer.wait(0.5) == pytest.approx(0.5 - 0.9 * MAX_LAG)
        assert pacer.lost == 0.0

    def test_lag_above_the_limit_is_dropped_and_counted(self) -> None:
        clock = Clock()
        pacer = RealTimePacer(1.0, clock=clock)
        clock.now = MAX_LAG + 1.0
        assert pacer.wait(0.0) == 0.0
        assert pacer.lost == pytest.approx(MAX_LAG + 1.0)
        assert pacer.wait(0.25) == pytest.approx(0.25)

    def test_due_time_is_limited_to_the_lag_that_may_be_caught_up(self) -> None:
        clock = Clock()
        pacer = RealTimePacer(2.0, max_lag=0.1, clock=clock)
        clock.now = 1.0
        assert pacer.due(0.0) == pytest.approx(0.2)
        assert pacer.lost == pytest.approx(0.9)
        assert pacer.due(0.2) == pytest.approx(0.0)

    def test_restart_changes_the_factor_and_forgets_the_lag(self) -> None:
        clock = Clock()
        pacer = RealTimePacer(1.0, clock=clock)
        clock.now = 1.0
        pacer.restart(0.5, factor=2.0)
        assert pacer.due(0.5) == 0.0
        clock.now = 2.0
        assert pacer.due(0.5) == pytest.approx(2.0)


class TestLockstep:
    def test_time_passes_without_clients_in_lockstep(self) -> None:
        lockstep = Lockstep()
        assert lockstep.open
        assert lockstep.next_turn() is None

    def test_time_stands_still_during_any_turn(self) -> None:
        lockstep = Lockstep()
        lockstep.enter("a", 10, 0)
        lockstep.enter("b", 25, 0)
        assert not lockstep.open
        lockstep.end_turn("a")
        assert not lockstep.open
        lockstep.end_turn("b")
        assert lockstep.open
        assert lockstep.next_turn() == 10
        assert lockstep.begin_turns(9) == []
        assert lockstep.begin_turns(10) == ["a"]
        assert lockstep.has_turn("a")
        assert not lockstep.has_turn("b")
        lockstep.end_turn("a")
        assert lockstep.next_turn() == 20

    def test_turns_do_not_drift_with_late_answers(self) -> None:
        lockstep = Lockstep()
        lockstep.enter("a", 7, 3)
        for turn in range(1, 100):
            lockstep.end_turn("a")
            assert lockstep.next_turn() == 3 + 7 * turn
            assert lockstep.begin_turns(3 + 7 * turn) == ["a"]

    def test_turns_that_begin_together_are_sorted_by_name(self) -> None:
        lockstep = Lockstep()
        for name in ("zoe", "adam", "kim"):
            lockstep.enter(name, 5, 0)
            lockstep.end_turn(name)
        assert lockstep.begin_turns(5) == ["adam", "kim", "zoe"]

    def test_time_begins_when_all_players_have_entered(self) -> None:
        lockstep = Lockstep(players=2)
        lockstep.enter("a", 10, 0)
        lockstep.end_turn("a")
        assert not lockstep.open
        lockstep.enter("b", 10, 0)
        lockstep.end_turn("b")
        assert lockstep.open
        lockstep.leave("b")  # the game has begun
        assert lockstep.open

    def test_client_that_left_is_not_waited_for(self) -> None:
        lockstep = Lockstep()
        lockstep.enter("a", 10, 0)
        lockstep.leave("a")
        lockstep.leave("a")
        assert lockstep.open
        assert "a" not in lockstep

    def test_restart_begins_every_turn(self) -> None:
        lockstep = Lockstep()
        lockstep.enter("a", 10, 0)
        lockstep.end_turn("a")
        lockstep.restart(0)
        assert lockstep.begin_turns(0) == ["a"]
