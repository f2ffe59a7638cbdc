"""The referee as a machine: states, goals, balls that go out, penalties, halves."""

import math

import pytest
from support.match_worlds import SHORT, kinds

import grouser
from grouser.errors import BadValue, UnknownName
from grouser.frames import Pose
from grouser.simulation.changes.actions import Delayed, Move, RefereeCall, Restart, SendMessage
from grouser.simulation.script.referee import Referee
from grouser.world.terrain.league_field import WIDTH


class Table:
    """A referee without a world: clocks are wound by hand, places are made up."""

    def __init__(self, world="match_1v3", *more) -> None:
        self.match = grouser.load(world, [*SHORT, *more]).match
        self.referee = Referee(self.match)
        self.time, self.said, self.moved, self.agenda = 0.0, [], [], []
        spots = self.match.formation(self.match.first, changed=False)
        self.places = {name: Pose.at(x, y, 0.12) for name, (x, y, _) in spots.items()}
        self.places["ball"] = Pose.at(0, 0, 0.04)
        self._do(self.referee.start())

    @property
    def game(self):
        return self.referee.game

    def hear(self, order, who="", **more) -> None:
        self._do(self.referee.handle(RefereeCall(order, who, **more), self.time, self.places))

    def wait(self, seconds) -> None:
        end = self.time + seconds
        while due := [one for one in self.agenda if one[0] <= end + 1e-9]:
            first = min(due, key=lambda one: one[0])
            self.agenda.remove(first)
            self.time = first[0]
            self._do(self.referee.handle(first[1], self.time, self.places))
        self.time = end

    def play(self) -> None:
        self.hear("start")
        self.wait(self.match.ready + self.match.hold)
        assert self.game.state == "playing"

    def _do(self, actions) -> None:
        for action in actions:
            match action:
                case SendMessage(text, by):
                    assert by == "referee"
                    self.said.append(text)
                case Delayed(seconds, whistle):
                    self.agenda.append((self.time + seconds, whistle))
                case Move(name, x, y, _, yaw):
                    self.moved.append(name)
                    self.places[name] = Pose.at(x, y, 0.12, yaw=yaw or 0.0)
                case Restart():
                    pass
                case _:
                    raise AssertionError(action)


def test_a_game_goes_from_initial_to_finished_by_its_own_clocks() -> None:
    table = Table("match_1v3", "match.begins=3.0")
    table.wait(2.9)
    assert table.game.state == "initial"
    assert not table.said
    table.wait(0.2)
    assert table.game.state == "ready"
    assert not table.moved
    table.wait(1.0)
    assert table.game.state == "set"
    assert "red_attacker" in table.moved
    table.wait(100)
    states = ["ready", "set", "playing", "initial", "ready", "set", "playing", "finished"]
    assert kinds(table.said) == states
    assert not table.agenda


def test_a_match_without_a_time_waits_for_somebody_to_start_it() -> None:
    table = Table()
    table.wait(1000)
    assert table.game.state == "initial"
    table.hear("start")
    assert table.game.state == "ready"
    table.hear("start")
    table.hear("start")
    assert table.game.state == "playing"
    with pytest.raises(BadValue, match="on already"):
        table.hear("start")


def test_a_goal_counts_once_and_the_others_kick_off() -> None:
    table = Table()
    table.play()
    table.hear("ball", "sky_blue")
    table.hear("ball", "sky_blue")  # it bounces about in there
    assert dict(table.game.score) == {"red": 1, "blue": 0}
    assert (table.game.state, table.game.kicking) == ("ready", "blue")
    table.wait(1.5)
    assert table.game.state == "playing"
    assert table.places["blue_middle"].position[0] == pytest.approx(0.3)
    assert table.places["red_attacker"].position[0] == pytest.approx(-0.6)
    assert table.places["ball"].position[:2].tolist() == [0, 0]


def test_an_own_goal_counts_for_the_others() -> None:
    table = Table()
    table.play()
    table.hear("ball", "yellow")  # red's own, whoever pushed it
    assert dict(table.game.score) == {"red": 0, "blue": 1}
    assert table.game.kicking == "red"


def test_ends_change_at_half_time() -> None:
    table = Table()
    table.play()
    table.wait(20)
    assert (table.game.state, table.game.half, table.game.kicking) == ("initial", 2, "blue")
    table.wait(2 + 1.5)
    assert table.game.state == "playing"
    assert table.places["red_attacker"].position[0] == pytest.approx(0.6)
    assert table.places["blue_goalie"].position[0] == pytest.approx(-1.9)
    table.hear("ball", "yellow")
    assert dict(table.game.score) == {"red": 1, "blue": 0}


def test_the_clock_stands_still_when_the_game_does() -> None:
    table = Table()
    table.play()
    table.wait(5)
    table.hear("stop")
    assert table.game.state == "set"
    assert table.said[-1] == "set: the game is stopped, half 1, red 0 : 0 blue"
    assert not table.moved[5 + 1 :]  # nobody was put anywhere after the line-up
    table.wait(50)
    assert (table.game.state, table.game.elapsed(table.time)) == ("set", pytest.approx(5))
    table.hear("start")
    table.wait(14.9)
    assert table.game.state == "playing"
    table.wait(0.2)
    assert (table.game.state, table.game.half) == ("initial", 2)


@pytest.mark.parametrize(
    ("out", "back"),
    [((0.5, 1.5), (0.5, 1.05)), ((-2.3, -0.8), (-1.8, -0.8)), ((2.1, -1.35), (1.67574, -1.05))],
)
def test_a_ball_that_goes_out_is_put_back_near_there(out, back) -> None:
    table = Table()
    table.play()
    table.places["ball"] = Pose.at(*out, 0.04)
    table.hear("ball", "out")
    x, y, _ = table.places["ball"].position
    assert (x, y) == pytest.approx(back, abs=1e-4)
    assert table.game.state == "playing"
    table.hear("ball", "out")  # a second volume has seen the same
    assert kinds(table.said).count("throw-in") == 1


def test_a_ball_is_not_put_into_a_robot() -> None:
    table = Table()
    table.play()
    table.places["red_attacker"] = Pose.at(0.5, 1.05, 0.12)
    table.places["ball"] = Pose.at(0.5, 1.5, 0.04)
    table.hear("ball", "out")
    away = table.places["ball"].position - table.places["red_attacker"].position
    assert math.hypot(*away[:2]) >= 0.39


def test_a_penalty_takes_a_robot_out_and_brings_it_back_at_the_side_line() -> None:
    table = Table()
    table.play()
    table.places["ball"] = Pose.at(0.5, 0.4, 0.04)
    table.hear("penalty", "blue_left")
    assert abs(table.places["blue_left"].position[1]) > WIDTH / 2 + 0.2
    table.wait(10)
    table.hear("goal", "red")  # a kick-off does not bring it back
    table.wait(1.5)
    assert abs(table.places["blue_left"].position[1]) > WIDTH / 2 + 0.2
    table.wait(18.4)
    assert "blue_left" in table.game.out
    table.wait(0.2)
    x, y, _ = table.places["blue_left"].position
    assert not table.game.out
    assert x == 0
    assert -WIDTH / 2 < y < -1.0
    assert kinds(table.said)[-1] == "back"


def test_a_second_penalty_starts_the_time_anew_and_a_pardon_ends_it() -> None:
    table = Table()
    table.play()
    table.hear("penalty", "red_attacker")
    table.wait(10)
    table.hear("penalty", "red_attacker", seconds=25.0)
    table.wait(21)
    assert "red_attacker" in table.game.out
    table.hear("pardon", "red_attacker")
    assert not table.game.out
    with pytest.raises(BadValue, match="is not out"):
        table.hear("pardon", "red_attacker")
    table.moved.clear()
    table.agenda = [one for one in table.agenda if one[1].order == "pardon"]
    table.wait(100)  # the clock of the second penalty rings for nobody
    assert not table.moved


def test_two_who_come_back_stand_apart() -> None:
    table = Table()
    table.play()
    for name in ("blue_left", "blue_right", "blue_middle"):
        table.hear("penalty", name)
    table.wait(31)
    spots = [table.places[name].position[:2] for name in ("blue_left", "blue_right", "blue_middle")]
    assert all(math.dist(a, b) >= 0.39 for i, a in enumerate(spots) for b in spots[:i])


def test_who_lies_is_stood_up() -> None:
    table = Table("match_1v3", "match.lift_after=2.0")
    table.places["blue_left"] = Pose.at(1.0, -0.6, 0.05, roll=2.0)
    table.wait(2.0)
    assert not table.said
    table.wait(0.6)
    assert table.said == ["lifted: blue_left stands again"]
    table.wait(10)
    assert len(table.said) == 1


def test_after_the_end_nothing_counts() -> None:
    table = Table()
    table.play()
    table.hear("finish")
    table.hear("ball", "yellow")
    assert table.said[-1] == "finished: red 0 : 0 blue"
    for order, who in (("start", ""), ("kickoff", "red"), ("goal", "red"), ("half", "")):
        with pytest.raises(BadValue, match="over"):
            table.hear(order, who)
    with pytest.raises(UnknownName, match="red_attacker"):
        table.hear("penalty", "red_atacker")
    with pytest.raises(UnknownName, match="blue"):
        Table().hear("kickoff", "blu")
