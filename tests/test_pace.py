"""When beats are due, and whom the world waits for."""

import math

import pytest

from grouser.service.lockstep import Lockstep
from grouser.service.pace import LATEST, Pace


class TestPace:
    def test_simulated_time_follows_the_clock_and_rounding_never_adds_up(self):
        pace = Pace(1.0, wall=100.0, simulated=0.0)
        simulated, wall = 0.0, 100.0
        for _ in range(30_000):  # a minute of beats, each begun up to a millisecond late
            wait = pace.wait(wall, simulated)
            wall += max(0.0, math.ceil(wait * 1e3) * 1e-3)
            simulated += 0.002
        assert abs(simulated - (wall - 100.0)) < 0.004

    @pytest.mark.parametrize("factor", [0.1, 2.0, 10.0])
    def test_any_factor(self, factor):
        pace = Pace(factor, wall=5.0, simulated=3.0)
        assert pace.wait(5.0, 3.0 + factor) == pytest.approx(1.0)
        assert pace.drift(6.0, 3.0 + factor) == pytest.approx(0.0)

    def test_as_fast_as_possible_never_waits_and_never_loses(self):
        pace = Pace(math.inf, wall=0.0, simulated=0.0)
        assert pace.wait(1000.0, 0.0) == pace.wait(0.0, 1000.0) == 0.0
        assert pace.lost == 0.0

    def test_a_halt_is_caught_up(self):
        pace = Pace(1.0, wall=0.0, simulated=0.0)
        assert pace.wait(0.9 * LATEST, 0.0) < 0
        assert pace.wait(0.9 * LATEST, 0.5) == pytest.approx(0.5 - 0.9 * LATEST)
        assert pace.lost == 0.0

    def test_a_machine_that_cannot_keep_up_gives_up_time_and_says_how_much(self):
        pace = Pace(1.0, wall=0.0, simulated=0.0)
        assert pace.wait(LATEST + 1.0, 0.0) == 0.0
        assert pace.lost == pytest.approx(LATEST + 1.0)
        assert pace.wait(LATEST + 1.0, 0.25) == pytest.approx(0.25)


class TestLockstep:
    def test_time_passes_when_nobody_asked_for_turns(self):
        lockstep = Lockstep()
        assert lockstep.open
        assert lockstep.next_turn() is None

    def test_the_world_waits_for_everybody_whose_turn_it_is(self):
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

    def test_turns_do_not_drift_with_late_answers(self):
        lockstep = Lockstep()
        lockstep.enter("a", 7, 3)
        for turn in range(1, 100):
            lockstep.end_turn("a")
            assert lockstep.next_turn() == 3 + 7 * turn
            assert lockstep.begin_turns(3 + 7 * turn) == ["a"]

    def test_those_whose_turns_begin_together_are_told_by_name(self):
        lockstep = Lockstep()
        for name in ("zoe", "adam", "kim"):
            lockstep.enter(name, 5, 0)
            lockstep.end_turn(name)
        assert lockstep.begin_turns(5) == ["adam", "kim", "zoe"]

    def test_time_begins_when_all_players_are_there(self):
        lockstep = Lockstep(players=2)
        lockstep.enter("a", 10, 0)
        lockstep.end_turn("a")
        assert not lockstep.open
        lockstep.enter("b", 10, 0)
        lockstep.end_turn("b")
        assert lockstep.open
        lockstep.leave("b")  # the game has begun
        assert lockstep.open

    def test_nobody_waits_for_those_who_left(self):
        lockstep = Lockstep()
        lockstep.enter("a", 10, 0)
        lockstep.leave("a")
        lockstep.leave("a")
        assert lockstep.open
        assert "a" not in lockstep

    def test_when_the_world_starts_over_every_turn_begins(self):
        lockstep = Lockstep()
        lockstep.enter("a", 10, 0)
        lockstep.end_turn("a")
        lockstep.restart(0)
        assert lockstep.begin_turns(0) == ["a"]
