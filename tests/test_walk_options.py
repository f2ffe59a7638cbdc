"""Gait parameters of the AIBOs: in a world file, during a walk, and over the wire."""

import math
import socket
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from support.server_fixtures import TIMEOUT, ServerProcess

from grouser.errors import BadValue, UnknownName
from grouser.frames import degrees, to_rpy
from grouser.locomotion.trot import LIFT, PHASE, WIDTH
from grouser.robots.ers7 import ERS7, Ers7
from grouser.robots.ers210 import ERS210, Ers210
from grouser.simulation.changes.actions import SetGaitParameters
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, parse


def aibo_world(kind: str, **options: float) -> World:
    numbers = ", ".join(f"{key}: {value}" for key, value in options.items())
    return parse(
        f"""
name: yard
physics: {{timestep: 0.002}}
terrain: [{{kind: flat, friction: 0.8}}]
robots: [{{name: rex, kind: {kind}, position: [0, 0], options: {{sensors: false, {numbers}}}}}]
""",
        where="yard",
    )


def displacement(simulation: Simulation, seconds: float) -> float:
    before = simulation.pose("rex").position.copy()
    simulation.step(seconds)
    return math.dist(simulation.pose("rex").position[:2], before[:2])


def test_default_walk_is_the_robots_own() -> None:
    assert Ers7().apply_to(ERS7) is ERS7
    assert Ers210(period=0.4).apply_to(ERS210).gait == ERS210.gait


def test_walk_parameters_are_applied() -> None:
    numbers: dict[str, Any] = {"period": 0.5, "stance_share": 0.6, "lift": 0.02, "locus": "box"}
    trot = Ers7(**numbers, fore_x=0.09, fore_y=0.08, hind_x=-0.06, hind_y=0.09).apply_to(ERS7).gait
    assert (trot.cycle, trot.grounded, trot.height, trot.locus) == (0.5, 0.6, 0.02, "box")
    assert trot.stance.fore[:2] == (0.09, 0.08)
    assert trot.stance.hind[:2] == (-0.06, 0.09)


def test_speed_limits_follow_from_joints_or_stride_length() -> None:
    """Longer legs turn faster; a requested stride is limited by the joints."""
    low, high = (Ers210(height=h).apply_to(ERS210).gait.fastest[2] for h in (0.110, 0.120))
    assert high > low > 1.0
    short = Ers210(stride=0.01, turn_stride_deg=3.0).apply_to(ERS210).gait
    ground = short.cycle * short.grounded
    assert short.fastest[0] == pytest.approx(0.01 / ground)
    assert short.fastest[2] == pytest.approx(math.radians(3) / ground)
    assert Ers210(stride=0.2).apply_to(ERS210).gait.fastest == ERS210.gait.fastest


@pytest.mark.parametrize("locus", ["arch", "box"])
def test_paw_trajectory_is_continuous(locus: Literal["arch", "box"]) -> None:
    gait = Ers7(locus=locus, lift=0.02).apply_to(ERS7).gait
    states = np.zeros((2001, WIDTH))
    states[:, PHASE], states[:, LIFT] = np.linspace(0, 1, 2001) % 1.0, 1.0
    heights = gait.paws(states)[:, 0, 2] - gait.standing[0, 2]
    assert heights.max() == pytest.approx(0.02, rel=1e-3)
    assert np.abs(np.diff(heights)).max() < 0.001


@pytest.mark.parametrize(("kind", "pitch"), [("ers7", 6.0), ("ers210", -4.0)])
def test_body_pitch_is_kept_standing_and_walking(kind: str, pitch: float) -> None:
    simulation = Simulation(aibo_world(kind, pitch_deg=pitch, height=0.118))
    assert simulation.pose("rex").position[2] == pytest.approx(0.118)
    simulation.step(0.4)
    stands = simulation.pose("rex")
    assert stands.position[2] == pytest.approx(0.118, abs=0.002)
    assert degrees(float(to_rpy(stands.wxyz)[1])) == pytest.approx(pitch, abs=1.0)
    simulation.command("rex", forward=0.1)
    simulation.step(1.0)
    assert displacement(simulation, 1.0) == pytest.approx(0.1, abs=0.03)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"period": 0.0}, "period is 0.0, must be at least 0.1"),
        ({"lift": "high"}, "lift is 'high', a number is needed"),
        ({"height": 0.19}, "do not reach the ground"),
        ({"locus": "bow"}, "bow"),
    ],
)
def test_invalid_walks_are_rejected_with_a_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises((BadValue, UnknownName), match=message):
        Ers7(**options).build()


def test_gait_parameters_change_while_walking() -> None:
    simulation = Simulation(aibo_world("ers7"))
    simulation.command("rex", forward=0.15)
    simulation.step(1.5)
    before, time = simulation.pose("rex").position.copy(), simulation.time
    simulation.apply(SetGaitParameters("rex", {"stride": 0.010}))
    assert simulation.time == time
    assert simulation.pose("rex").position == pytest.approx(before, abs=1e-12)
    simulation.step(0.5)
    slower = 0.010 / (ERS7.gait.cycle * ERS7.gait.grounded)
    assert displacement(simulation, 1.0) == pytest.approx(slower, rel=0.3)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"perod": 0.3}, "period"),
        ({"team": "red"}, "no number 'team'"),
        ({"period": 99.0}, "must be at most 5"),
    ],
)
def test_rejected_gait_parameters_change_nothing(
    numbers: dict[str, str | float], message: str
) -> None:
    simulation = Simulation(aibo_world("ers7"))
    world = simulation.world
    with pytest.raises((BadValue, UnknownName), match=message):
        simulation.apply(SetGaitParameters("rex", numbers))
    assert simulation.world is world


def test_gait_parameters_are_set_over_the_wire(tmp_path: Path) -> None:
    world = tmp_path / "yard.yaml"
    world.write_text("name: yard\nterrain: [{kind: flat}]\n")
    with ServerProcess(tmp_path, world, "--images", "-1", "--truth", "0", "--speed", "4") as server:
        client = server.open_socket("control")
        client.settimeout(TIMEOUT)
        client.sendall(b"INIT {ClassName USARBot.ERS7} {Name Rex} {Location 0,0,-0.2}\r\n")
        client.sendall(b"SET {Type Gait} {Opcode Walk} {Params period 0.4 lift 0.02}\r\n")
        assert b"{Name period} {Status OK}" in _line(client, b"RES")
        client.sendall(b"SET {Type Gait} {Opcode Walk} {Params period -4}\r\n")
        assert b"Failed" in _line(client, b"RES")
        client.close()


def _line(client: socket.socket, head: bytes) -> bytes:
    """Return the next line that begins with ``head``."""
    text = b""
    while True:
        text += client.recv(65536)
        *whole, text = text.split(b"\r\n")
        for line in whole:
            if line.startswith(head):
                return line
