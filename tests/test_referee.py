"""The referee: states, goals, balls that go out, penalties, halves; as a machine and in physics."""

import contextlib
import math
import socket

import pytest

import grouser
from grouser.client.connection import connect, join
from grouser.client.launch import serving
from grouser.errors import BadValue, GrouserError, UnknownName, WorldFileError
from grouser.frames import Pose, rotate
from grouser.server.console import Console
from grouser.simulation.actions import Later, Move, Restart, Say, Whistle
from grouser.simulation.phrases import parse
from grouser.simulation.referee import Referee
from grouser.simulation.simulation import Simulation
from grouser.simulation.words import Names
from grouser.world.field import LENGTH, WIDTH
from grouser.world.file import shipped

SHORT = ("match.ready=1.0", "match.hold=0.5", "match.half=20.0", "match.half_time=2.0")
MATCHES = sorted(name for name in shipped() if name.startswith("match_"))


class Table:
    """A referee without a world: clocks are wound by hand, places are made up."""

    def __init__(self, world="match_1v3", *more):
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

    def hear(self, order, who="", **more):
        self._do(self.referee.hear(Whistle(order, who, **more), self.time, self.places))

    def wait(self, seconds):
        end = self.time + seconds
        while due := [one for one in self.agenda if one[0] <= end + 1e-9]:
            first = min(due, key=lambda one: one[0])
            self.agenda.remove(first)
            self.time = first[0]
            self._do(self.referee.hear(first[1], self.time, self.places))
        self.time = end

    def play(self):
        self.hear("start")
        self.wait(self.match.ready + self.match.hold)
        assert self.game.state == "playing"

    def _do(self, actions):
        for action in actions:
            match action:
                case Say(text, by):
                    assert by == "referee"
                    self.said.append(text)
                case Later(seconds, whistle):
                    self.agenda.append((self.time + seconds, whistle))
                case Move(name, x, y, _, yaw):
                    self.moved.append(name)
                    self.places[name] = Pose.at(x, y, 0.12, yaw=yaw or 0.0)
                case Restart():
                    pass
                case _:
                    raise AssertionError(action)


def kinds(said):
    return [text.partition(":")[0] for text in said]


# -- the machine ---------------------------------------------------------------------------------


def test_a_game_goes_from_initial_to_finished_by_its_own_clocks():
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


def test_a_match_without_a_time_waits_for_somebody_to_start_it():
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


def test_a_goal_counts_once_and_the_others_kick_off():
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


def test_an_own_goal_counts_for_the_others():
    table = Table()
    table.play()
    table.hear("ball", "yellow")  # red's own, whoever pushed it
    assert dict(table.game.score) == {"red": 0, "blue": 1}
    assert table.game.kicking == "red"


def test_ends_change_at_half_time():
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


def test_the_clock_stands_still_when_the_game_does():
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
def test_a_ball_that_goes_out_is_put_back_near_there(out, back):
    table = Table()
    table.play()
    table.places["ball"] = Pose.at(*out, 0.04)
    table.hear("ball", "out")
    x, y, _ = table.places["ball"].position
    assert (x, y) == pytest.approx(back, abs=1e-4)
    assert table.game.state == "playing"
    table.hear("ball", "out")  # a second volume has seen the same
    assert kinds(table.said).count("throw-in") == 1


def test_a_ball_is_not_put_into_a_robot():
    table = Table()
    table.play()
    table.places["red_attacker"] = Pose.at(0.5, 1.05, 0.12)
    table.places["ball"] = Pose.at(0.5, 1.5, 0.04)
    table.hear("ball", "out")
    away = table.places["ball"].position - table.places["red_attacker"].position
    assert math.hypot(*away[:2]) >= 0.39


def test_a_penalty_takes_a_robot_out_and_brings_it_back_at_the_side_line():
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


def test_a_second_penalty_starts_the_time_anew_and_a_pardon_ends_it():
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


def test_two_who_come_back_stand_apart():
    table = Table()
    table.play()
    for name in ("blue_left", "blue_right", "blue_middle"):
        table.hear("penalty", name)
    table.wait(31)
    spots = [table.places[name].position[:2] for name in ("blue_left", "blue_right", "blue_middle")]
    assert all(math.dist(a, b) >= 0.39 for i, a in enumerate(spots) for b in spots[:i])


def test_who_lies_is_stood_up():
    table = Table("match_1v3", "match.lift_after=2.0")
    table.places["blue_left"] = Pose.at(1.0, -0.6, 0.05, roll=2.0)
    table.wait(2.0)
    assert not table.said
    table.wait(0.6)
    assert table.said == ["lifted: blue_left stands again"]
    table.wait(10)
    assert len(table.said) == 1


def test_after_the_end_nothing_counts():
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


# -- in a world ----------------------------------------------------------------------------------


def crowd(name, *more):
    """Return a shipped match's overrides that let it run fast."""
    entries = grouser.load(name).robots
    bare = [f"robots.{entry.name}.options.sensors=false" for entry in entries]
    return Simulation(grouser.load(name, [*SHORT, *bare, *more]))


def said(simulation):
    return [entry.text for entry in simulation.happened if entry.kind == "said"]


@pytest.mark.parametrize("name", MATCHES)
def test_everybody_stands_on_the_field_and_nobody_in_another(name):
    simulation = crowd(name, "match.begins=0.0", "match.ready=0.1")
    heights = {one.name: simulation.pose(one.name).position[2] for one in simulation.world.robots}
    simulation.step(0.5)
    for who, (x, y, yaw) in simulation.world.match.formation("red", changed=False).items():
        pose = simulation.pose(who)
        assert pose.position[:2].tolist() == pytest.approx([x, y], abs=0.005)
        assert pose.position[2] == pytest.approx(heights[who], abs=0.005)
        assert rotate(pose.wxyz, [1, 0, 0])[0] == pytest.approx(math.cos(yaw), abs=0.01)
    model, data = simulation.model, simulation.data
    pairs = model.body_rootid[model.geom_bodyid[data.contact.geom.reshape(-1, 2)]]
    movers = pairs[(pairs != 0).all(axis=1)]
    assert (movers[:, 0] == movers[:, 1]).all()


def test_a_match_in_physics_goal_kickoff_out_and_penalty():
    simulation = crowd("match_1v3", "match.half=1000.0")
    console = Console(simulation)
    with pytest.raises(GrouserError, match="nobody plays"):
        console.say("stop")
    console.say("start")
    simulation.step(1.6)
    assert console.say("score").startswith("playing: half 1")
    roll(simulation, (1.7, 0.25), (1.5, 0.0))
    simulation.step(0.6)
    assert console.say("score") == "ready: half 1, 1 s played, red 1 : 0 blue, blue kicks off"
    simulation.step(1.6)
    assert said(simulation)[3].startswith("goal: red scores")
    assert simulation.pose("ball").position == pytest.approx([0, 0, 0.0425], abs=0.002)
    assert simulation.pose("blue_middle").position[0] == pytest.approx(0.3, abs=0.02)

    roll(simulation, (0.4, 1.2), (0.0, 1.0), up=2.5)  # over the border
    simulation.step(0.6)
    assert said(simulation)[-1].startswith("throw-in")
    x, y, _ = simulation.pose("ball").position
    assert y == pytest.approx(1.05, abs=0.01)
    assert abs(x - 0.4) < 0.45

    console.say("penalty blue_left 1.0")
    simulation.step(0.5)
    assert simulation.pose("blue_left").position[1] < -WIDTH / 2 - 0.3
    assert simulation.pose("blue_left").position[2] == pytest.approx(0.122, abs=0.006)
    simulation.step(0.6)
    place = simulation.pose("blue_left").position
    assert abs(place[0]) < 0.9
    assert -WIDTH / 2 < place[1] < -1.0
    assert said(simulation)[-1] == "back: blue_left may play"


@pytest.mark.parametrize(
    "at", [(LENGTH / 2, WIDTH / 2), (-2.02, 1.27), (-2.1, -1.35), (2.02, -1.27)]
)
def test_a_ball_behind_a_cut_corner_is_out(at):
    simulation = crowd("match_1v3")
    for _ in range(3):
        Console(simulation).say("start")
    roll(simulation, (1.6 * at[0] / abs(at[0]), 0.8 * at[1] / abs(at[1])), (0, 0))
    simulation.step(0.05)
    assert not any("throw-in" in text for text in said(simulation))
    simulation.data.joint("ball/free").qpos[:3] = [*at, 0.06]
    simulation.step(0.05)
    assert sum("throw-in" in text for text in said(simulation)) == 1


def test_a_robot_is_no_ball():
    simulation = crowd("match_1v3")
    for _ in range(3):
        Console(simulation).say("start")
    Console(simulation).say("move red_attacker to 2.25 0 0")
    simulation.step(0.1)
    assert dict(simulation.events.referee.game.score) == {"red": 0, "blue": 0}


def test_the_same_seed_is_the_same_match_and_reset_starts_anew():
    simulation = crowd("match_1v3", "match.begins=0.1")
    runs = []
    for _ in range(2):
        simulation.fresh_events()
        simulation.step(1.7)
        roll(simulation, (1.7, 0.25), (1.5, 0.0))
        simulation.step(1.0)
        heard = [str(entry) for entry in simulation.fresh_events()]
        runs.append((heard, simulation.fingerprint()))
        simulation.reset()
        assert dict(simulation.events.referee.game.score) == {"red": 0, "blue": 0}
    assert runs[0] == runs[1]
    assert any("goal: red" in line for line in runs[0][0])


def test_a_world_without_a_match_has_no_referee():
    simulation = Simulation(grouser.load("quince_step"))
    for line in ("start", "stop", "judge out"):
        with pytest.raises(BadValue, match="no match"):
            simulation.do(parse(line, Names.of(simulation.world)))
    with pytest.raises(BadValue, match="no match"):
        Console(simulation).say("score")


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("match.ball=bal", "match.ball is 'bal', allowed: ball"),
        ("match.kickoff=green", "match.kickoff is 'green', allowed: red, blue"),
        ("match.teams.1.defends=yellow", "the other team does not defend"),
        ("match.teams.1.name=red", "another name"),
        ("match.teams.0.players.0.robot=rex", "allowed: red_attacker"),
        ("match.teams.0.players.0.robot=blue_left", "one place only"),
        ("match.teams.0.players.0.kicks=[0.3, 0]", "own half"),
        ("match.teams.0.players.0.waits=[-0.1, 0]", "outside the centre circle"),
        ("match.teams.0.players.0.waits=[-2.2, 0]", "on the field"),
        ("match.teams.1.players.1.waits=[1.9, 0.1]", "apart"),
        ("match.halfs=1", "half"),
        ("match.half=0", "more than 0"),
        ("objects.ball.radius=0.1", "of radius 0.0425 m"),
        ("objects.ball.fixed=true", "free to roll"),
    ],
)
def test_a_wrong_match_is_told_in_one_sentence(override, sentence):
    with pytest.raises(WorldFileError) as caught:
        grouser.load("match_1v3", [override])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def roll(simulation, at, speed, up=0.0):
    """Let the ball roll (or fly) from a place, as if somebody had kicked it there."""
    Console(simulation).say(f"move ball to {at[0]} {at[1]} 0.0425")
    simulation.data.joint("ball/free").qvel[:3] = [*speed, up]


# -- over the wire -------------------------------------------------------------------------------


def test_players_hear_the_referee_and_old_clients_do_not():
    with serving("match_1v3", "--images", "-1", "--truth", "-1") as ports:
        where = {"port": ports.control, "timeout": 60}
        old = socket.create_connection(("127.0.0.1", ports.control), 60)
        old.sendall(b"INIT {ClassName USARBot.ERS7} {Name blue_left}\r\n")
        with old, join("ERS7", "red_attacker", **where) as robot, connect(**where) as console:
            robot.lockstep(0.1)
            robot.turn()
            assert console.console("list robots").count("\n") == 4  # it has taken one over
            for _ in range(3):
                console.console("start")
            console.console("goal red")
            for _ in range(3):
                robot.step()
            heard = [notice.text for notice in robot.notices if notice.kind == "Referee"]
            assert kinds(heard) == ["initial", "ready", "set", "playing", "goal", "ready"]
            old.settimeout(60)
            lines = b""
            while b"SEN " not in lines:
                lines += old.recv(65536)
            old.settimeout(0.5)
            with contextlib.suppress(TimeoutError):
                lines += old.recv(1 << 20)
            assert b"NOTICE" not in lines
