"""State machine of the referee: states, goals, throw-ins, penalties, halves."""

import math
from typing import Any

import pytest
from support.match_worlds import SHORT, kinds
from support.narrowing import not_none

import grouser
from grouser.errors import BadValue, UnknownName
from grouser.frames import Pose
from grouser.simulation.changes.actions import Delayed, Move, RefereeCall, Restart, SendMessage
from grouser.simulation.script.referee import Game, Referee
from grouser.world.terrain.league_field import WIDTH


class RefereeRig:
    """Referee without a world; the test advances the clocks and sets positions."""

    def __init__(self, world: str = "match_1v3", *more: str) -> None:
        self.match = not_none(grouser.load(world, [*SHORT, *more]).match)
        self.referee = Referee(self.match)
        self.time = 0.0
        self.messages: list[str] = []
        self.moved: list[str] = []
        self.agenda: list[tuple[float, Any]] = []
        spots = self.match.formation(self.match.first, changed=False)
        self.places = {name: Pose.at(x, y, 0.12) for name, (x, y, _) in spots.items()}
        self.places["ball"] = Pose.at(0, 0, 0.04)
        self._do(self.referee.start())

    @property
    def game(self) -> Game:
        return self.referee.game

    @property
    def state(self) -> str:
        """State of the game; `Game.state` narrows at the first comparison."""
        return self.referee.game.state

    def send(self, order: Any, robot: str = "", **more: Any) -> None:
        self._do(self.referee.handle(RefereeCall(order, robot, **more), self.time, self.places))

    def pass_time(self, seconds: float) -> None:
        end = self.time + seconds
        while due := [one for one in self.agenda if one[0] <= end + 1e-9]:
            first = min(due, key=lambda one: one[0])
            self.agenda.remove(first)
            self.time = first[0]
            self._do(self.referee.handle(first[1], self.time, self.places))
        self.time = end

    def play(self) -> None:
        self.send("start")
        self.pass_time(self.match.ready + self.match.hold)
        assert self.game.state == "playing"

    def _do(self, actions: list[Any]) -> None:
        for action in actions:
            match action:
                case SendMessage(text, by):
                    assert by == "referee"
                    self.messages.append(text)
                case Delayed(seconds, whistle):
                    self.agenda.append((self.time + seconds, whistle))
                case Move(name, x, y, _, yaw):
                    self.moved.append(name)
                    self.places[name] = Pose.at(x, y, 0.12, yaw=yaw or 0.0)
                case Restart():
                    pass
                case _:
                    raise AssertionError(action)


def test_game_runs_from_initial_to_finished_on_its_clocks() -> None:
    table = RefereeRig("match_1v3", "match.begins=3.0")
    table.pass_time(2.9)
    assert table.state == "initial"
    assert not table.messages
    table.pass_time(0.2)
    assert table.state == "ready"
    assert not table.moved
    table.pass_time(1.0)
    assert table.state == "set"
    assert "red_attacker" in table.moved
    table.pass_time(100)
    states = ["ready", "set", "playing", "initial", "ready", "set", "playing", "finished"]
    assert kinds(table.messages) == states
    assert not table.agenda


def test_match_without_a_start_time_waits_for_the_start_command() -> None:
    table = RefereeRig()
    table.pass_time(1000)
    assert table.state == "initial"
    table.send("start")
    assert table.state == "ready"
    table.send("start")
    table.send("start")
    assert table.state == "playing"
    with pytest.raises(BadValue, match="on already"):
        table.send("start")


def test_goal_counts_once_and_the_other_team_kicks_off() -> None:
    table = RefereeRig()
    table.play()
    table.send("ball", "sky_blue")
    table.send("ball", "sky_blue")  # it bounces inside the goal
    assert dict(table.game.score) == {"red": 1, "blue": 0}
    assert (table.state, table.game.kicking) == ("ready", "blue")
    table.pass_time(1.5)
    assert table.state == "playing"
    assert table.places["blue_middle"].position[0] == pytest.approx(0.3)
    assert table.places["red_attacker"].position[0] == pytest.approx(-0.6)
    assert table.places["ball"].position[:2].tolist() == [0, 0]


def test_own_goal_counts_for_the_other_team() -> None:
    table = RefereeRig()
    table.play()
    table.send("ball", "yellow")  # red's own goal, regardless of the last touch
    assert dict(table.game.score) == {"red": 0, "blue": 1}
    assert table.game.kicking == "red"


def test_ends_change_at_half_time() -> None:
    table = RefereeRig()
    table.play()
    table.pass_time(20)
    assert (table.state, table.game.half, table.game.kicking) == ("initial", 2, "blue")
    table.pass_time(2 + 1.5)
    assert table.state == "playing"
    assert table.places["red_attacker"].position[0] == pytest.approx(0.6)
    assert table.places["blue_goalie"].position[0] == pytest.approx(-1.9)
    table.send("ball", "yellow")
    assert dict(table.game.score) == {"red": 1, "blue": 0}


def test_clock_stops_while_the_game_is_stopped() -> None:
    table = RefereeRig()
    table.play()
    table.pass_time(5)
    table.send("stop")
    assert table.state == "set"
    assert table.messages[-1] == "set: the game is stopped, half 1, red 0 : 0 blue"
    assert not table.moved[5 + 1 :]  # no robot was placed after the line-up
    table.pass_time(50)
    assert table.state == "set"
    assert table.game.elapsed(table.time) == pytest.approx(5)
    table.send("start")
    table.pass_time(14.9)
    assert table.state == "playing"
    table.pass_time(0.2)
    assert (table.state, table.game.half) == ("initial", 2)


@pytest.mark.parametrize(
    ("out", "back"),
    [((0.5, 1.5), (0.5, 1.05)), ((-2.3, -0.8), (-1.8, -0.8)), ((2.1, -1.35), (1.67574, -1.05))],
)
def test_ball_that_goes_out_is_put_back_nearby(
    out: tuple[float, float], back: tuple[float, float]
) -> None:
    table = RefereeRig()
    table.play()
    table.places["ball"] = Pose.at(*out, 0.04)
    table.send("ball", "out")
    x, y, _ = table.places["ball"].position
    assert (x, y) == pytest.approx(back, abs=1e-4)
    assert table.state == "playing"
    table.send("ball", "out")  # a second volume reports the same ball
    assert kinds(table.messages).count("throw-in") == 1


def test_ball_is_not_placed_inside_a_robot() -> None:
    table = RefereeRig()
    table.play()
    table.places["red_attacker"] = Pose.at(0.5, 1.05, 0.12)
    table.places["ball"] = Pose.at(0.5, 1.5, 0.04)
    table.send("ball", "out")
    away = table.places["ball"].position - table.places["red_attacker"].position
    assert math.hypot(*away[:2]) >= 0.39


def test_penalized_robot_returns_at_the_side_line() -> None:
    table = RefereeRig()
    table.play()
    table.places["ball"] = Pose.at(0.5, 0.4, 0.04)
    table.send("penalty", "blue_left")
    assert abs(table.places["blue_left"].position[1]) > WIDTH / 2 + 0.2
    table.pass_time(10)
    table.send("goal", "red")  # a kick-off does not bring it back
    table.pass_time(1.5)
    assert abs(table.places["blue_left"].position[1]) > WIDTH / 2 + 0.2
    table.pass_time(18.4)
    assert "blue_left" in table.game.out
    table.pass_time(0.2)
    x, y, _ = table.places["blue_left"].position
    assert not table.game.out
    assert x == 0
    assert -WIDTH / 2 < y < -1.0
    assert kinds(table.messages)[-1] == "back"


def test_second_penalty_restarts_its_time_and_a_pardon_ends_it() -> None:
    table = RefereeRig()
    table.play()
    table.send("penalty", "red_attacker")
    table.pass_time(10)
    table.send("penalty", "red_attacker", seconds=25.0)
    table.pass_time(21)
    assert "red_attacker" in table.game.out
    table.send("pardon", "red_attacker")
    assert not table.game.out
    with pytest.raises(BadValue, match="is not out"):
        table.send("pardon", "red_attacker")
    table.moved.clear()
    table.agenda = [one for one in table.agenda if one[1].order == "pardon"]
    table.pass_time(100)  # the clock of the second penalty has no effect
    assert not table.moved


def test_two_returning_robots_stand_apart() -> None:
    table = RefereeRig()
    table.play()
    for name in ("blue_left", "blue_right", "blue_middle"):
        table.send("penalty", name)
    table.pass_time(31)
    spots = [table.places[name].position[:2] for name in ("blue_left", "blue_right", "blue_middle")]
    assert all(math.dist(a, b) >= 0.39 for i, a in enumerate(spots) for b in spots[:i])


def test_fallen_robot_is_placed_upright() -> None:
    table = RefereeRig("match_1v3", "match.lift_after=2.0")
    table.places["blue_left"] = Pose.at(1.0, -0.6, 0.05, roll=2.0)
    table.pass_time(2.0)
    assert not table.messages
    table.pass_time(0.6)
    assert table.messages == ["lifted: blue_left stands again"]
    table.pass_time(10)
    assert len(table.messages) == 1


def test_goals_after_the_end_do_not_count() -> None:
    table = RefereeRig()
    table.play()
    table.send("finish")
    table.send("ball", "yellow")
    assert table.messages[-1] == "finished: red 0 : 0 blue"
    for order, robot in (("start", ""), ("kickoff", "red"), ("goal", "red"), ("half", "")):
        with pytest.raises(BadValue, match="over"):
            table.send(order, robot)
    with pytest.raises(UnknownName, match="red_attacker"):
        table.send("penalty", "red_atacker")
    with pytest.raises(UnknownName, match="blue"):
        RefereeRig().send("kickoff", "blu")


def test_the_ball_of_a_stuck_game_is_dropped_on_the_halfway_line() -> None:
    rig = RefereeRig("match_1v3", "match.stuck_after=5.0", "match.half=600.0")
    rig.play()
    rig.places["ball"] = Pose.at(1.0, 0.4, 0.04)
    rig.pass_time(4.0)
    rig.places["ball"] = Pose.at(1.5, 0.4, 0.04)  # it moves
    rig.pass_time(4.0)
    assert "dropped" not in kinds(rig.messages)
    rig.pass_time(2.0)
    assert kinds(rig.messages)[-1] == "dropped"
    assert "x 0.00" in rig.messages[-1]
    assert "ball" in rig.moved
    rig.send("stop")
    rig.pass_time(20.0)
    assert kinds(rig.messages).count("dropped") == 1
