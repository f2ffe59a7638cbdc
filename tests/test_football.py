"""Players of the four-legged league: skills, sight, radio, games, tournament."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from support.narrowing import not_none

import grouser
from grouser.cli.tournament_report import to_json, tournament_page
from grouser.errors import BadValue, UnknownName
from grouser.football import skills
from grouser.football.game import FootballGame, GameStatistics, field_map, player_setups
from grouser.football.own_motion import OwnMotion, moved_point
from grouser.football.player import PERIOD, Footballer, RadioReport, Tactics
from grouser.football.player_io import Paw, PlayerInput, PlayerSetup, Whistle
from grouser.football.sight import BallTrack
from grouser.football.survey import FieldSurvey
from grouser.football.teams import TEAMS, find_team
from grouser.football.tournament import (
    Fixture,
    GameResult,
    TournamentResult,
    fixtures,
    match_world,
    play,
    run_tournament,
)
from grouser.football.whistle import WhistleReader
from grouser.perception.landmarks import LandmarkSighting
from grouser.perception.localise import wrap_angle
from grouser.service.console import Console
from grouser.simulation.simulation import Simulation
from grouser.world.terrain.league_field import LeagueField

FIELD = field_map(LeagueField(year=2004))
AHEAD = {"neck": -0.35, "pan": 0.0, "nod": 0.35}


def setup(robot: str = "red_left", world: str = "match_2v2") -> PlayerSetup:
    return player_setups(not_none(grouser.load(world).match), FIELD, 0)[robot]


def sighting(name: str, pose: tuple[float, float, float], *, far: bool = True) -> LandmarkSighting:
    x, y, heading = pose
    dx, dy = FIELD.landmarks[name][0] - x, FIELD.landmarks[name][1] - y
    bearing = float(wrap_angle(np.array(math.atan2(dy, dx) - heading)))
    return LandmarkSighting(name, bearing, math.hypot(dx, dy) if far else None, (0.0, 0.0))


@pytest.mark.parametrize("pose", [(0.6, -0.3, 0.7), (-1.5, 1.0, -2.0), (1.9, 0.0, math.pi - 0.1)])
def test_two_beacons_and_a_post_give_the_pose(pose: tuple[float, float, float]) -> None:
    survey = FieldSurvey(FIELD, np.random.default_rng(1))
    seen = [
        sighting("sky_blue/pink", pose),
        sighting("pink/yellow", pose),
        sighting("yellow goal left", pose, far=False),
    ]
    assert survey.pose() is None
    survey.see(seen, 0.0)
    x, y, heading = not_none(survey.pose())
    assert math.hypot(x - pose[0], y - pose[1]) < 0.05
    assert abs(float(wrap_angle(np.array(heading - pose[2])))) < 0.05


def test_sightings_before_a_walk_count_at_their_place() -> None:
    survey = FieldSurvey(FIELD, np.random.default_rng(2))
    survey.see([sighting("sky_blue/pink", (0.0, 0.0, 0.0))], 0.0)
    survey.move((0.5, 0.0, 1.0))
    survey.see([sighting("yellow/pink", (0.5, 0.0, 1.0))], 1.0)
    x, y, heading = not_none(survey.pose())
    assert (x, y, heading) == pytest.approx((0.5, 0.0, 1.0), abs=0.07)


def test_one_beacon_does_not_give_a_pose() -> None:
    survey = FieldSurvey(FIELD, np.random.default_rng(3))
    survey.see([sighting("sky_blue/pink", (0.0, 0.0, 0.0))], 0.0)
    assert survey.pose() is None


def test_the_ball_moves_in_the_axes_of_a_walking_robot() -> None:
    ball = BallTrack()
    ball.see((1.0, 0.0), 0.0)
    ball.move((0.5, 0.0, math.pi / 2), 0.1)
    assert not_none(ball.place) == pytest.approx((0.0, -0.5))
    assert moved_point((1.0, 0.0), (0.0, 0.0, math.pi)) == pytest.approx((-1.0, 0.0))


def test_the_speed_of_a_rolling_ball_is_estimated() -> None:
    ball = BallTrack()
    for number in range(30):
        time = number * PERIOD
        ball.move((0.0, 0.0, 0.0), PERIOD)
        ball.see((2.0 - 0.6 * time, 0.3), time)
    assert ball.velocity[0] == pytest.approx(-0.6, abs=0.12)


def test_odometry_follows_the_gait_s_acceleration() -> None:
    motion, ahead = OwnMotion(), 0.0
    for number in range(20):
        ahead += motion.advance((0.2, 0.0, 0.0), number * 0.1, 0.1)[0]
    assert motion.speed[0] == pytest.approx(0.2)
    assert ahead == pytest.approx(0.2 * 2.0 - 0.2**2 / 0.4 / 2, abs=1e-6)
    assert motion.since(1.7, 1.9)[0] == pytest.approx(0.04, abs=1e-6)


@pytest.mark.parametrize("paw", skills.PAWS)
def test_a_robot_in_the_kick_pose_is_ready(paw: Paw) -> None:
    side = 1.0 if paw == "left" else -1.0
    ball = (skills.BALL_AHEAD, side * skills.BALL_LEFT)
    assert skills.approach(ball, -side * skills.VEER, paw) is None
    assert skills.chance(ball, 0.0) == paw
    assert skills.chance(ball, 2.0) is None
    assert skills.better_paw(ball, -side * skills.VEER, None) == paw


def test_the_way_around_the_ball_keeps_away_from_it() -> None:
    ball, place = (0.5, 0.0), (0.0, 0.0)
    for _ in range(80):
        seen = ball[0] - place[0], ball[1] - place[1]
        there = skills.around(seen, (1.0 - place[0], -place[1]))
        assert math.hypot(*seen) > 0.8 * skills.CLEARANCE
        length = max(0.02, math.hypot(*there))
        place = place[0] + 0.02 * there[0] / length, place[1] + 0.02 * there[1] / length
    assert math.dist(place, (1.0, 0.0)) < 0.1


def test_reports_over_radio_are_read_as_written() -> None:
    report = RadioReport(0.0, (0.5, -0.25), (1.0, 0.0), 3.5, "red_right")
    assert RadioReport.decode(report.encode(), 0.0) == report
    for data in (b"", b"{}", b"[1]", b'{"place": 3}', b"\xff"):
        assert RadioReport.decode(data, 0.0) is None


def test_the_referee_s_messages_are_understood() -> None:
    reader = WhistleReader("blue_left", "blue")
    reader.read("set: blue kicks off, half 2, red 0 : 0 blue")
    assert reader.whistle == Whistle("set", 2, own_kickoff=True)
    reader.read("playing: half 2, 240 s left")
    reader.read("penalty: blue_left is out for 30 s")
    assert reader.whistle == Whistle("playing", 2, own_kickoff=True, penalized=True)
    reader.read("penalty: red_left is out for 30 s")
    reader.read("back: blue_left may play")
    assert not reader.whistle.penalized


def test_players_know_their_side() -> None:
    red, blue = setup("red_left"), setup("blue_goalie")
    assert (red.attacks, red.kicks, red.role) == ("sky_blue", (-0.3, 0.0), "attacker")
    assert (blue.attacks, blue.kicks, blue.role) == ("yellow", (-1.9, 0.0), "goalie")
    assert blue.mates == ("blue_left", "blue_right")


def test_a_player_stands_until_the_game_begins_and_when_it_is_out() -> None:
    player = Footballer(setup())
    for whistle in (Whistle("ready"), Whistle("set"), Whistle("playing", penalized=True)):
        command = player.act(PlayerInput(time=1.0, joints=AHEAD, whistle=whistle))
        assert (command.forward, command.left, command.turn, command.kick) == (0, 0, 0, None)


def test_a_player_without_the_ball_searches_it() -> None:
    player = Footballer(setup())
    player.act(PlayerInput(time=0.0, joints=AHEAD, whistle=Whistle("playing")))
    command = player.act(PlayerInput(time=3.0, joints=AHEAD, whistle=Whistle("playing")))
    assert player.doing == "search"
    assert command.turn != 0


def test_the_nearer_player_attacks() -> None:
    """Radio reports decide; both players see the ball."""
    players = {name: Footballer(setup(name)) for name in ("red_left", "red_right")}
    inbox: dict[str, list[tuple[str, bytes]]] = {name: [] for name in players}
    for turn in range(8):
        time = turn * PERIOD
        whistle = Whistle("set" if turn == 0 else "playing")
        for name, player in players.items():
            command = player.act(
                PlayerInput(time=time, joints=AHEAD, whistle=whistle, radio=inbox[name])
            )
            inbox[name] = []
            for other in inbox:
                if other != name and command.radio is not None:
                    inbox[other].append((name, command.radio))
    assert players["red_left"].doing == "approach"  # it kicks off
    assert players["red_right"].doing == "support"


# -- tournament ------------------------------------------------------------------------------


def result(number: int, red: int, blue: int) -> GameResult:
    fixture = fixtures(("a", "b"), 10, "match_2v2", (), 0)[number]
    counts = GameStatistics(
        goals={"red": red, "blue": blue},
        falls={"red": 1, "blue": 0},
        possession={"red": 30.0, "blue": 10.0},
        kicks={"red": 2, "blue": 3},
    )
    return GameResult(fixture, ("red", "blue"), counts, True)


def test_teams_change_colours_and_sums_follow_them() -> None:
    games = (result(0, 2, 0), result(1, 0, 1), result(2, 1, 1), result(3, 0, 0))
    done = TournamentResult(("a", "b"), games)
    assert [game.fixture.teams for game in games[:2]] == [("a", "b"), ("b", "a")]
    assert [game.goals(0) for game in games] == [2, 1, 1, 0]
    a, b = done.standing(0), done.standing(1)
    assert (a.wins, b.wins, done.draws, done.with_goals) == (2, 0, 2, 3)
    assert (a.goals, b.goals) == (4, 1)
    assert a.possession + b.possession == pytest.approx(1.0)
    assert (a.falls, b.falls) == (2, 2)
    mean, interval = done.difference
    assert mean == pytest.approx(0.75)
    low, high = not_none(interval)
    assert low < 0.75 < high
    assert json.loads(json.dumps(to_json(done)))["games_with_goals"] == 3
    assert "2 draws" in tournament_page(done, "grouser tournament a b").html()


def test_games_of_a_tournament_have_consecutive_seeds() -> None:
    played: list[Fixture] = []

    def work(fixture: Fixture) -> GameResult:
        played.append(fixture)
        return result(fixture.number, 1, 0)

    steps: list[tuple[int, int]] = []
    run_tournament(
        ("passers", "pressers"),
        3,
        seed=7,
        processes=1,
        progress=lambda done, of: steps.append((done, of)),
        work=work,
    )
    assert [(one.number, one.seed, one.teams[0]) for one in played] == [
        (0, 7, "passers"), (1, 8, "pressers"), (2, 9, "passers"),
    ]  # fmt: skip
    assert steps == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_teams_of_files_and_wrong_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(
        "from grouser.football.player import Tactics\n"
        "def team():\n    return Tactics(passes=False)\n"
        "def wrong():\n    return 3\n"
    )
    assert find_team("mine.py:team") == Tactics(passes=False)
    assert find_team("passers") == TEAMS["passers"]
    with pytest.raises(UnknownName, match="did you mean 'passers'"):
        find_team("passer")
    with pytest.raises(BadValue, match="value of type int, must be Tactics"):
        find_team("mine.py:wrong")
    with pytest.raises(BadValue, match="has no match"):
        match_world("league_field", ())


@pytest.mark.slow
def test_a_game_has_the_same_course_twice_and_ends() -> None:
    fixture = fixtures(("passers", "hasty"), 1, "match_2v2", ("match.half=12",), 3)[0]
    first, again = play(fixture), play(fixture)
    assert first.finished
    assert first.statistics == again.statistics
    assert first.statistics.played == pytest.approx(12.0, abs=2 * PERIOD)
    assert sum(first.statistics.kicks.values()) > 0


@pytest.mark.slow
def test_an_attacker_finds_ball_and_goal_and_scores() -> None:
    """Nothing but camera, joint angles and announcements; placed without being told where."""
    simulation = Simulation(grouser.load("match_1v3", ["match.begins=0.1", "match.ready=0.5"]))
    game = FootballGame(simulation, robots=["red_attacker"])
    while not any(text.startswith("playing") for _, text in game.messages):
        game.step()
    console = Console(simulation)
    console.execute("penalty blue_goalie")
    console.execute("move ball to 1.2 -0.3 0.0425")
    console.execute("move red_attacker to 0.6 -0.3 0")
    game.players["red_attacker"].sight.displace()
    while simulation.time < 40.0 and not game.statistics.scored_at:
        game.step()
    assert [team for _, team in game.statistics.scored_at] == ["red"]
