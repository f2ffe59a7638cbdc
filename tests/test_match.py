"""Matches in a simulated world: referee, ball, players and messages to clients."""

import contextlib
import math
import socket
from typing import Any

import pytest
from support.match_worlds import SHORT, kinds
from support.narrowing import not_none
from support.threaded_server import ThreadedServer

import grouser
from grouser.client.connection import connect, join
from grouser.client.launch import serving
from grouser.errors import BadValue, GrouserError, Refused, WorldFileError
from grouser.frames import rotate
from grouser.gateways.images.gateway import ImageGateway
from grouser.gateways.server import PictureOptions
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.usarsim.truth_port import TruthGateway
from grouser.service.access import ALL_ROLES, MATCH_ROLES, Role, Token
from grouser.service.console import Console
from grouser.simulation.script.grammar import parse
from grouser.simulation.script.tokens import Names
from grouser.simulation.simulation import Simulation
from grouser.world.file import shipped
from grouser.world.terrain.league_field import LENGTH, WIDTH

MATCHES = sorted(name for name in shipped() if name.startswith("match_"))


def fast_match(name: str, *more: str) -> Simulation:
    """Return a shipped match with short clocks and robots without sensors."""
    entries = grouser.load(name).robots
    bare = [f"robots.{entry.name}.options.sensors=false" for entry in entries]
    return Simulation(grouser.load(name, [*SHORT, *bare, *more]))


def referee_messages(simulation: Simulation) -> list[str]:
    return [entry.text for entry in simulation.event_log if entry.kind == "message"]


@pytest.mark.parametrize("name", MATCHES)
def test_all_players_stand_on_the_field_without_overlap(name: str) -> None:
    simulation = fast_match(name, "match.begins=0.0", "match.ready=0.1")
    heights = {one.name: simulation.pose(one.name).position[2] for one in simulation.world.robots}
    simulation.step(0.5)
    for name_of_player, (x, y, yaw) in (
        not_none(simulation.world.match).formation("red", changed=False).items()
    ):
        pose = simulation.pose(name_of_player)
        assert pose.position[:2].tolist() == pytest.approx([x, y], abs=0.005)
        assert pose.position[2] == pytest.approx(heights[name_of_player], abs=0.005)
        assert rotate(pose.wxyz, [1, 0, 0])[0] == pytest.approx(math.cos(yaw), abs=0.01)
    model, data = simulation.model, simulation.data
    pairs = model.body_rootid[model.geom_bodyid[data.contact.geom.reshape(-1, 2)]]
    moving = pairs[(pairs != 0).all(axis=1)]
    assert (moving[:, 0] == moving[:, 1]).all()


def test_goal_kick_off_throw_in_and_penalty_in_simulation() -> None:
    simulation = fast_match("match_1v3", "match.half=1000.0")
    console = Console(simulation)
    with pytest.raises(GrouserError, match="not running"):
        console.execute("stop")
    console.execute("start")
    simulation.step(1.6)
    assert console.execute("score").startswith("playing: half 1")
    roll(simulation, (1.7, 0.25), (1.5, 0.0))
    simulation.step(0.6)
    assert console.execute("score") == "ready: half 1, 1 s played, red 1 : 0 blue, blue kicks off"
    simulation.step(1.6)
    assert referee_messages(simulation)[3].startswith("goal: red scores")
    assert simulation.pose("ball").position == pytest.approx([0, 0, 0.0425], abs=0.002)
    assert simulation.pose("blue_middle").position[0] == pytest.approx(0.3, abs=0.02)

    roll(simulation, (0.4, 1.2), (0.0, 1.0), up=2.5)  # over the border
    simulation.step(0.6)
    assert referee_messages(simulation)[-1].startswith("throw-in")
    x, y, _ = simulation.pose("ball").position
    assert y == pytest.approx(1.05, abs=0.01)
    assert abs(x - 0.4) < 0.45

    console.execute("penalty blue_left 1.0")
    simulation.step(0.5)
    assert simulation.pose("blue_left").position[1] < -WIDTH / 2 - 0.3
    standing = simulation.scene.robots["blue_left"].standing
    assert simulation.pose("blue_left").position[2] == pytest.approx(standing, abs=0.006)
    simulation.step(0.6)
    place = simulation.pose("blue_left").position
    assert abs(place[0]) < 0.9
    assert -WIDTH / 2 < place[1] < -1.0
    assert referee_messages(simulation)[-1] == "back: blue_left may play"


@pytest.mark.parametrize(
    "at", [(LENGTH / 2, WIDTH / 2), (-2.02, 1.27), (-2.1, -1.35), (2.02, -1.27)]
)
def test_ball_behind_a_cut_corner_is_out(at: tuple[float, float]) -> None:
    simulation = fast_match("match_1v3")
    for _ in range(3):
        Console(simulation).execute("start")
    roll(simulation, (1.6 * at[0] / abs(at[0]), 0.8 * at[1] / abs(at[1])), (0, 0))
    simulation.step(0.05)
    assert not any("throw-in" in text for text in referee_messages(simulation))
    simulation.data.joint("ball/free").qpos[:3] = [*at, 0.06]
    simulation.step(0.05)
    assert sum("throw-in" in text for text in referee_messages(simulation)) == 1


def test_robot_in_the_goal_does_not_score() -> None:
    simulation = fast_match("match_1v3")
    for _ in range(3):
        Console(simulation).execute("start")
    Console(simulation).execute("move red_attacker to 2.25 0 0")
    simulation.step(0.1)
    assert dict(not_none(simulation.events.referee).game.score) == {"red": 0, "blue": 0}


def test_same_seed_and_reset_reproduce_the_match() -> None:
    simulation = fast_match("match_1v3", "match.begins=0.1")
    runs = []
    for _ in range(2):
        simulation.drain_events()
        simulation.step(1.7)
        roll(simulation, (1.7, 0.25), (1.5, 0.0))
        simulation.step(1.0)
        received = [str(entry) for entry in simulation.drain_events()]
        runs.append((received, simulation.fingerprint()))
        simulation.reset()
        assert dict(not_none(simulation.events.referee).game.score) == {"red": 0, "blue": 0}
    assert runs[0] == runs[1]
    assert any("goal: red" in line for line in runs[0][0])


def test_world_without_a_match_has_no_referee() -> None:
    simulation = Simulation(grouser.load("quince_step"))
    for line in ("start", "stop", "judge out"):
        with pytest.raises(BadValue, match="no match"):
            simulation.apply(parse(line, Names.of(simulation.world)))
    with pytest.raises(BadValue, match="no match"):
        Console(simulation).execute("score")


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
def test_invalid_match_is_reported_in_one_sentence(override: str, sentence: str) -> None:
    with pytest.raises(WorldFileError) as caught:
        grouser.load("match_1v3", [override])
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def roll(
    simulation: Simulation, at: tuple[float, float], speed: tuple[float, float], up: float = 0.0
) -> None:
    """Place the ball and set its velocity, m/s."""
    Console(simulation).execute(f"move ball to {at[0]} {at[1]} 0.0425")
    simulation.data.joint("ball/free").qvel[:3] = [*speed, up]


OPEN = ("truth", "mosaic", "console", "player")
REFEREE = Token("the-referee-only", frozenset({Role.WATCH, Role.CONTROL}))


@pytest.mark.parametrize(
    ("options", "shown", "allowed"),
    [
        ({}, None, {"player"}),
        ({"open_roles": ALL_ROLES}, None, {*OPEN}),
        ({"tokens": (REFEREE,), "open_roles": MATCH_ROLES}, None, {"player"}),
        ({"tokens": (REFEREE,), "open_roles": MATCH_ROLES}, REFEREE.secret, {*OPEN}),
    ],
)
def test_players_get_neither_truth_nor_mosaic_nor_console_unless_a_token_or_an_option_opens_them(
    options: dict[str, Any], shown: str | None, allowed: set[str]
) -> None:
    gateways = (
        UsarsimGateway(ports=((0, PortProfile()),)),
        TruthGateway(port=0),
        ImageGateway(port=0),
    )
    world = fast_match("match_1v3").world
    pictures = PictureOptions(workers=0)
    with ThreadedServer(world, *gateways, pictures=pictures, **options) as server:
        ports = server.server.ports
        where: dict[str, Any] = {"port": ports["control"], "token": shown, "timeout": 60}

        def is_answered(port: str, *lines: bytes) -> bool:
            """Return False if the server closes the connection without an answer."""
            with socket.create_connection(("127.0.0.1", ports[port]), 60) as client:
                client.sendall(b"".join(lines))
                if port == "images":
                    client.settimeout(0.3)  # without render workers an admitted client waits
                try:
                    return bool(client.recv(4096))
                except TimeoutError:
                    return True

        token = shown.encode() if shown else b""
        with join("ERS7", "red_attacker", **where), connect(**where) as client:
            found = {"player"}
            if is_answered(
                "truth", b"{token %s}\r\n" % token if shown else b"", b"{name ball}\r\n"
            ):
                found.add("truth")
            if is_answered("images", b"token %s\n" % token if shown else b"", b"OK"):
                found.add("mosaic")
            with contextlib.suppress(Refused):
                assert "x 0.000" in client.console("where ball")
                found.add("console")
    assert found == allowed


def test_robot_outside_the_teams_cannot_join() -> None:
    gateway = UsarsimGateway(ports=((0, PortProfile()),))
    with ThreadedServer(fast_match("match_1v3").world, gateway, open_roles=ALL_ROLES) as server:
        where: dict[str, Any] = {"port": server.server.ports["control"], "timeout": 60}
        with pytest.raises(GrouserError, match="'red_atacker' is not in this match.*red_attacker'"):
            join("ERS7", "red_atacker", **where)
        with connect(**where) as console:
            assert console.console("list robots").count("\n") == 4


def test_referee_messages_are_sent_to_new_clients_only() -> None:
    with serving("match_1v3", "--open", "all", "--images", "-1", "--truth", "-1") as ports:
        where: dict[str, Any] = {"port": ports.control, "timeout": 60}
        old = socket.create_connection(("127.0.0.1", ports.control), 60)
        old.sendall(b"INIT {ClassName USARBot.ERS7} {Name blue_left}\r\n")
        with old, join("ERS7", "red_attacker", **where) as robot, connect(**where) as console:
            robot.lockstep(0.1)
            robot.turn()
            assert (
                console.console("list robots").count("\n") == 4
            )  # the old client took over one of them
            for _ in range(3):
                console.console("start")
            console.console("goal red")
            for _ in range(3):
                robot.step()
            received = [notice.text for notice in robot.notices if notice.kind == "Referee"]
            assert kinds(received) == ["initial", "ready", "set", "playing", "goal", "ready"]
            old.settimeout(60)
            lines = b""
            while b"SEN " not in lines:
                lines += old.recv(65536)
            old.settimeout(0.5)
            with contextlib.suppress(TimeoutError):
                lines += old.recv(1 << 20)
            assert b"NOTICE" not in lines


def test_unknown_uniform_is_reported_with_its_line() -> None:
    with pytest.raises(
        BadValue, match=r"match_2v2.yaml line \d+: .*team is 'green', allowed: '', red, blue"
    ):
        Simulation(grouser.load("match_2v2", ["robots.0.options.team=green"]))
