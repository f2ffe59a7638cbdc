"""URBI gateway: a program for AIBO drives joints, and reads sensors and pictures."""

import io
import math
import re
import socket
from collections.abc import Iterator
from typing import Any, Self

import pytest
from PIL import Image
from support.server_fixtures import TIMEOUT, wait_until
from support.threaded_server import ThreadedServer

from grouser.errors import BadValue
from grouser.gateways.server import PictureOptions
from grouser.gateways.urbi.devices import JOINTS, SENSORS
from grouser.gateways.urbi.gateway import UrbiGateway, only_aibo
from grouser.protocol import urbi
from grouser.protocol.urbi import (
    Assign,
    Echo,
    Invalid,
    Motors,
    Read,
    ShowToken,
    StopTag,
    UrbiServerSide,
    Wait,
)
from grouser.robots.ers7 import ERS7
from grouser.robots.ers210 import ERS210
from grouser.service.access import Role
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, parse

WORLD = """
name: an AIBO
physics: {timestep: 0.002}
terrain: [{kind: flat}]
robots: [{name: rex, kind: ers7, position: [0, 0]}]
"""


@pytest.mark.parametrize(
    ("text", "tag", "action"),
    [
        ("motors on", "notag", Motors(True)),
        ("motor off", "notag", Motors(False)),
        ("headPan.val = 30", "notag", Assign("headPan", "val", 30.0)),
        (
            "a: headPan.val=-1.5e1  time:500 speed:20",
            "a",
            Assign("headPan", "val", -15.0, modifiers=(("time", 500.0), ("speed", 20.0))),
        ),
        ("legLF1.val'n = 0.5", "notag", Assign("legLF1", "val", 0.5, True)),
        ("legLF1.valn = 0.5", "notag", Assign("legLF1", "val", 0.5, True)),
        ("headPan.val = headPan.val - 4", "notag", Assign("headPan", "val", -4.0, base="headPan")),
        ("legLF1.val->blend = cancel", "notag", Invalid("parse error: legLF1.val->blend = cancel")),
        ("camera.format = 1", "notag", Assign("camera", "format", 1.0)),
        ("headPan.blend = mix", "notag", Assign("headPan", "blend", "mix")),
        ("headPan", "notag", Read("headPan", "val")),
        ("accelX.val", "notag", Read("accelX", "val")),
        ("cam << camera.val", "cam", Read("camera", "val")),
        ("loop joint << headPan.val", "joint", Read("headPan", "val", False, True)),
        ("loop{ j << headPan.val }", "notag", Invalid("parse error: loop{ j << headPan.val }")),
        ("stop joint", "notag", StopTag("joint")),
        ("wait(250)", "notag", Wait(0.25)),
        ('t: echo "a;b"', "t", Echo("a;b")),
        ("headPan.val = up", "notag", Invalid("the value of headPan is 'up', must be a number")),
        ("token se-cret", "notag", ShowToken("se-cret")),
        ("1 + 1", "notag", Invalid("parse error: 1 + 1")),
    ],
)
def test_commands_are_read(text: str, tag: str, action: urbi.Action) -> None:
    side = UrbiServerSide()
    data = f"{text};".encode()
    commands = [c for part in (data[:3], data[3:]) for c in side.receive(part)]
    assert commands == [urbi.UrbiCommand(tag, action, ";")]


def test_separators_and_commands_that_are_too_long() -> None:
    side = UrbiServerSide()
    found = side.receive(b"headPan.val=1 & headTilt.val=2 | neck;;,\r\n wait(1),")
    assert [command.separator for command in found] == ["&", "|", ";", ","]
    assert [command.waits for command in found] == [False, True, True, False]
    found = side.receive(b"x" * 10_000 + b";neck;")
    assert [type(command.action) for command in found] == [Invalid, Read]


@pytest.mark.parametrize(("kind", "robot"), [("ers7", ERS7), ("ers210", ERS210)])
def test_every_device_is_a_joint_or_sensor_of_the_robot(kind: str, robot: Any) -> None:
    built = robot.build()
    assert set(JOINTS[kind].values()) == set(built.drives)
    assert {sensor for sensor, _ in SENSORS[kind].values()} <= {s.name for s in built.sensors}


class Program:
    """Program for AIBO with a plain socket."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), TIMEOUT)
        self._socket.settimeout(TIMEOUT)
        self._file = self._socket.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._socket.close()

    def send(self, text: str) -> None:
        self._socket.sendall(text.encode())

    def receive(self, tag: str) -> tuple[float, str]:
        """Return time (s) and text of the next message with a tag."""
        while True:
            line = self._file.readline().decode()
            found = re.fullmatch(r"\[(\d+):(\w+)\] (.*)\n", line)
            assert found, line
            if found[2] == tag:
                return int(found[1]) / 1000, found[3]

    def read(self, device: str) -> float:
        """Return the value of a device."""
        self.send(f"now: {device}.val;")
        return float(self.receive("now")[1])

    def take_picture(self) -> Image.Image:
        self.send("cam << camera.val;")
        _, size, kind, width, height = self.receive("cam")[1].split()
        assert kind == "jpeg"
        image = Image.open(io.BytesIO(self._file.read(int(size))))
        assert image.size == (int(width), int(height))
        assert self._file.read(1) == b"\n"
        return image


@pytest.fixture(scope="module")
def world() -> World:
    return parse(WORLD, where="test")


@pytest.fixture(scope="module")
def server(world: World) -> Iterator[ThreadedServer]:
    with ThreadedServer(world, UrbiGateway(port=0), speed=4.0) as served:
        yield served


def test_program_moves_joints_in_time_and_reads_them(server: ThreadedServer) -> None:
    with Program(server.server.ports["urbi"]) as program:
        assert program.receive("ident")[1] == "*** ID: rex"
        program.send("motors on; a: echo begin; headPan.val = 40 time:800; b: echo end;")
        begin, _ = program.receive("a")
        end, _ = program.receive("b")
        assert end - begin == pytest.approx(0.8, abs=0.02)
        program.send("wait(300); mouth.val'n = 0.5, headPan.val = headPan.val - 10; wait(600);")
        assert program.read("headPan") == pytest.approx(30, abs=3)
        assert program.read("mouth") == pytest.approx(-29, abs=3)
        limits = server.server.host.simulation.scene.robots["rex"].limits["nod"]
        program.send("headTilt.val = 500; wait(800);")
        assert program.read("headTilt") == pytest.approx(math.degrees(limits[1]), abs=3)
        program.send("loop fast << accelZ.val, ")
        times = [program.receive("fast")[0] for _ in range(4)]
        assert times[3] - times[0] == pytest.approx(3 * 0.032, abs=0.02)
        program.send("stop fast; accelZ.val; distanceChest;")
        assert program.read("accelZ") == pytest.approx(9.8, abs=2)
        for wrong, sentence in (
            ("haedPan.val = 3", "did you mean 'headPan'"),
            ("headPan.val = ", "parse error"),
            ("loop nothing.val", "'nothing'"),
            ("camera.val", "draws no pictures"),
        ):
            program.send(f"e: {wrong};")
            text = program.receive("e")[1]
            assert text.startswith("!!! ")
            assert sentence in text
    host = server.server.host
    wait_until(lambda: server.call(lambda: not host.owners))  # the robot is released


@pytest.mark.slow
def test_camera_sends_pictures(world: World) -> None:
    with (
        ThreadedServer(world, UrbiGateway(port=0), pictures=PictureOptions()) as served,
        Program(served.server.ports["urbi"]) as program,
    ):
        assert program.take_picture().size == (208, 160)


def test_world_without_an_aibo_and_clients_without_rights_are_refused(world: World) -> None:
    with pytest.raises(BadValue, match="no single AIBO"):
        only_aibo(Simulation(world.changed(robots=())))
    watch = frozenset({Role.WATCH})
    with (
        ThreadedServer(world, UrbiGateway(port=0), open_roles=watch) as served,
        Program(served.server.ports["urbi"]) as program,
    ):
        program.send("headPan.val = 3;")
        assert "!!! this needs a token with the role 'drive'" in program.receive("notag")[1]
