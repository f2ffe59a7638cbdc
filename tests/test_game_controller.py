"""RoboCup's GameController: packets, the referee that follows them, the UDP port."""

import asyncio
import contextlib
import socket
import struct
import time

import pytest
from support.match_worlds import kinds
from support.narrowing import not_none
from support.threaded_server import ThreadedServer

import grouser
from grouser.errors import BadValue
from grouser.gateways import Server, ServerOptions
from grouser.gateways.game_controller import GameControllerGateway, GameFollower
from grouser.protocol.game_controller import (
    STATES,
    VERSIONS,
    GameControlData,
    ReturnData,
    TeamData,
    parse,
    parse_return,
)
from grouser.service.host import Host, HostRules
from grouser.simulation.script.referee import Game
from grouser.simulation.simulation import Simulation

BARE = [f"robots.{number}.options.sensors=false" for number in range(5)]


def packet(version: int = 7, **more: object) -> GameControlData:
    teams = (
        TeamData(number=12, colour="blue", score=int(str(more.pop("blue", 0)))),
        TeamData(number=3, colour="red", score=int(str(more.pop("red", 0)))),
    )
    return GameControlData(version=version, **{"teams": teams, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize("version", VERSIONS)
def test_packets_of_every_version_are_read_as_written(version: int) -> None:
    out = ((0, 0), (4, 17))
    data = packet(
        version,
        state="playing",
        first_half=False,
        kickoff="red",
        seconds=431,
        teams=(
            TeamData(number=12, colour="red", score=2, penalties=out),
            TeamData(number=3, colour="blue", score=1),
        ),
    )
    read = parse(data.encode())
    assert (read.version, read.state, read.first_half, read.kickoff) == (
        version, "playing", False, "red",
    )  # fmt: skip
    assert read.seconds == 431
    assert [(t.number, t.colour, t.score) for t in read.teams] == [(12, "red", 2), (3, "blue", 1)]
    assert read.teams[0].penalties[:2] == out
    assert set(read.teams[1].penalties) == {(0, 0)}


def test_version_7_has_the_published_layout() -> None:
    """A packet assembled by the C structure's offsets, not by our encoder."""
    data = bytearray(116)
    data[:8] = struct.pack("<4sI", b"RGme", 7)
    data[8:20] = struct.pack("<BBBBBBHI", 4, 2, 1, 1, 0, 0, 0xFFFF, 587)
    data[20:24] = bytes([12, 0, 0, 3])
    data[68:72] = bytes([8, 1, 1, 5])
    struct.pack_into("<HH", data, 72 + 2 * 4, 2, 25)  # the red team's third player
    read = parse(bytes(data))
    assert (read.state, read.first_half, read.kickoff, read.seconds) == ("set", True, "red", 587)
    assert [team.score for team in read.teams] == [3, 5]
    assert read.teams[1].penalties[2] == (2, 25)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data[:-1], "115 bytes, version 7 has 116"),
        (lambda data: b"RGxx" + data[4:], "begins with b'RGxx'"),
        (lambda data: data[:4] + b"\x09\0\0\0" + data[8:], "version is 9, allowed: 4, 6, 7"),
        (lambda data: data[:9] + b"\x05" + data[10:], "state is 5, must be from 0 to 4"),
        (lambda data: data[:69] + b"\x00" + data[70:], "both teams are blue"),
        (lambda data: b"", "0 bytes, must be a packet of 116 or 120 bytes"),
    ],
)
def test_other_data_is_refused(change: object, says: str) -> None:
    assert callable(change)
    with pytest.raises(BadValue, match=says):
        parse(change(packet().encode()))


def test_return_packets_are_read_as_written() -> None:
    data = ReturnData(team=12, player=3).encode()
    assert data == struct.pack("<4sIHHI", b"RGrt", 1, 12, 3, 2)
    assert parse_return(data) == ReturnData(team=12, player=3)
    with pytest.raises(BadValue, match="15 bytes"):
        parse_return(data[:-1])


class Rig:
    """A match that follows packets."""

    def __init__(self) -> None:
        self.simulation = Simulation(grouser.load("match_2v2", BARE))
        self.host = Host(self.simulation, HostRules())
        self.follower = GameFollower(self.host, not_none(self.simulation.world.match))

    @property
    def game(self) -> Game:
        return not_none(self.simulation.events.referee).game

    def send(self, **more: object) -> None:
        self.follower.follow(parse(packet(**more).encode()))  # type: ignore[arg-type]

    def messages(self) -> list[str]:
        log = self.simulation.event_log
        return kinds(entry.text for entry in log if entry.kind == "message")


def test_packets_drive_the_states_of_the_referee() -> None:
    rig = Rig()
    for state in STATES:
        rig.send(state=state, kickoff="red", seconds=600)
        rig.send(state=state, kickoff="red", seconds=600)  # the same one every 500 ms
        assert (rig.game.state, rig.game.kicking) == (state, "red")
    assert rig.messages() == ["ready", "set", "playing", "finished"]  # initial from the start
    rig.send(state="playing", first_half=False, seconds=200)
    rig.host.advance(0.01)
    assert rig.game.half == 2
    assert rig.game.elapsed(rig.simulation.time) == pytest.approx(400.0, abs=0.1)


def test_no_clock_ends_a_state_that_a_packet_has_set() -> None:
    rig = Rig()
    rig.send(state="playing", seconds=1)
    rig.simulation.step(1.2)
    assert rig.game.state == "playing"


def test_robots_are_placed_for_the_kick_off() -> None:
    rig = Rig()
    rig.host.console("move red_left to -1.5 0.8")
    rig.send(state="set", kickoff="red")
    assert rig.simulation.pose("red_left").position[:2].tolist() == pytest.approx([-0.3, 0.0])


def test_the_operator_decides_on_goals_and_penalties() -> None:
    rig = Rig()
    rig.send(state="playing", seconds=600)
    rig.host.console("judge sky_blue")
    assert dict(rig.game.score) == {"red": 0, "blue": 0}
    rig.send(state="playing", seconds=600, red=1)
    assert dict(rig.game.score) == {"red": 1, "blue": 0}
    teams = (
        TeamData(number=1, colour="blue", score=0, penalties=((3, 20),)),
        TeamData(number=2, colour="red", score=1),
    )
    rig.send(state="playing", seconds=600, teams=teams)
    assert set(rig.game.out) == {"blue_goalie"}
    assert abs(rig.simulation.pose("blue_goalie").position[1]) > 1.5
    rig.send(state="playing", seconds=600, red=1)
    assert not rig.game.out
    assert rig.messages() == ["playing", "in goal", "goal", "penalty", "back"]


def free_udp_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_a_game_is_driven_over_udp_and_robots_answer() -> None:
    port = free_udp_port()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
        program.bind(("127.0.0.1", 0))
        program.settimeout(10.0)
        gateway = GameControllerGateway(port=port, return_port=program.getsockname()[1])
        with ThreadedServer(grouser.load("match_2v2", BARE), gateway) as served:
            answers: list[ReturnData] = []
            until = time.monotonic() + 10.0
            while not answers and time.monotonic() < until:
                program.sendto(b"no packet", ("127.0.0.1", port))
                program.sendto(packet(state="ready").encode(), ("127.0.0.1", port))
                program.settimeout(0.1)
                with contextlib.suppress(TimeoutError):
                    answers = [parse_return(program.recv(100)) for _ in range(5)]
            assert {(one.team, one.player) for one in answers} == {
                (12, 1), (12, 2), (12, 3), (3, 1), (3, 2),
            }  # fmt: skip
            events = served.server.host.simulation.events
            assert served.call(lambda: not_none(events.referee).game.state) == "ready"


def test_packets_from_another_machine_are_ignored() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as program:
        program.bind(("127.0.0.1", 0))
        gateway = GameControllerGateway(port=free_udp_port(), controller="10.0.0.5")
        with ThreadedServer(grouser.load("match_2v2", BARE), gateway) as served:
            program.settimeout(0.3)
            program.sendto(packet(state="ready").encode(), ("127.0.0.1", gateway.port))
            with pytest.raises(TimeoutError):
                program.recv(100)
            events = served.server.host.simulation.events
            assert served.call(lambda: not_none(events.referee).game.state) == "initial"


@pytest.mark.parametrize(
    ("world", "gateway", "says"),
    [
        ("league_field", GameControllerGateway(port=0), "this world has no match"),
        ("match_2v2", GameControllerGateway(port=0, address="0.0.0.0"), "with controller=IP"),
    ],
)
def test_gateway_is_refused_in_one_sentence(
    world: str, gateway: GameControllerGateway, says: str
) -> None:
    simulation = Simulation(grouser.load(world, BARE if world.startswith("match") else []))
    options = ServerOptions(gateways=(gateway,), pictures=None)

    async def open_server() -> None:
        async with Server(simulation, options):
            pass

    with pytest.raises(BadValue, match=says):
        asyncio.run(open_server())
