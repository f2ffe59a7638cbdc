"""Teleoperation: operator program, control process on hrt, and motors or a simulator."""

import json
import math
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cli_runner import error_line
from support.cli_runner import grouser as command_line
from support.narrowing import not_none
from support.server_fixtures import TIMEOUT, wait_until
from support.threaded_server import ThreadedServer

from grouser.client import OperatorLink, start_command
from grouser.client.teleoperation import _belts
from grouser.errors import BadValue, Refused
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.gateway import Gateway
from grouser.gateways.images.gateway import ImageGateway
from grouser.gateways.server import PictureOptions
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.protocol.operation import OperatorCommand, RobotReport, read_command, read_report
from grouser.sensors.camera import BoundCamera, Camera
from grouser.sensors.zoom_range import zoom_range
from grouser.world.file import load

OPERATOR = Path(__file__).parent.parent / "examples" / "90_teleoperation.py"
FREE = ("--port", "0", "--images", "-1")


# -- the lines between operator and control process ------------------------------------------------


@given(
    st.none() | st.tuples(st.floats(-500, 500), st.floats(-180, 180)),
    st.none() | st.tuples(st.floats(-179, 179), st.floats(-179, 179)),
    st.none() | st.floats(0, 170),
    st.booleans(),
)
def test_commands_round_trip(
    drive: tuple[float, float] | None,
    flippers: tuple[float, float] | None,
    view: float | None,
    stop: bool,
) -> None:
    command = OperatorCommand(drive, flippers, view=view, stop=stop)
    assert read_command(command.encode().decode()) == command


def test_reports_round_trip() -> None:
    report = RobotReport(
        1.5, (1.0, 2.0), (3.0, 4.0), (5.0, 6.0, 7.0, 8.0), (9.0, 1.0, 2.0), 60, "x"
    )
    assert read_report(report.encode().decode()) == report
    assert read_report(RobotReport(0.0).encode().decode()) == RobotReport(0.0)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "is not JSON"),
        ("[" * 5000, "is not JSON"),
        ("[]", "must be a mapping"),
        ('{"speed": [1, 2]}', "must be a mapping with drive"),
        ('{"drive": 3}', "drive: must be 2 numbers"),
        ('{"drive": [1, true]}', "drive: must be 2 numbers"),
        ('{"drive": [NaN, 0]}', "drive: must be 2 numbers"),
        ('{"drive": [501, 0]}', "drive: 501 is out of range, must be from -500 to 500"),
        ('{"flippers": [0, 180]}', "flippers: 180 is out of range"),
        ('{"camera": [0, 91]}', "camera: 91 is out of range"),
        ('{"view": -1}', "view: -1 is out of range, must be from 0 to 170"),
        ('{"view": [20]}', "view: must be 1 numbers"),
        ('{"stop": 1}', "stop is 1, must be true or false"),
    ],
)
def test_invalid_lines_are_rejected(line: str, message: str) -> None:
    with pytest.raises(BadValue) as refusal:
        read_command(line)
    assert message in str(refusal.value)


def test_belt_speeds_of_a_curve_are_limited_with_equal_curvature() -> None:
    assert _belts(100.0, 0.0) == (100.0, 100.0)
    left, right = _belts(0.0, 90.0)
    assert left == -right < 0  # to the left
    left, right = _belts(500.0, 90.0)
    assert right == pytest.approx(500.0)  # limited speed, same curvature
    assert left / right == pytest.approx((500 - 172.8) / (500 + 172.8), rel=1e-3)


# -- the control process ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def motors() -> Iterator[str]:
    with start_command("motors", "kenaf_step", *FREE) as ports:
        yield f"socketcand://127.0.0.1:{ports['can']}/can0"


@pytest.fixture
def control(motors: str) -> Iterator[int]:
    with start_command("control", "--link", motors, "--port", "0") as ports:
        yield ports["control"]


def test_operator_drives_and_timeout_stops_the_robot(control: int) -> None:
    with OperatorLink(port=control, timeout=TIMEOUT) as link:
        begin = link.report(1.0).encoders_mm[0]
        while link.report(0.05).encoders_mm[0] < begin + 60:
            link.send(OperatorCommand(drive=(150.0, 0.0), flippers=(30.0, 0.0)))
        wait_until(lambda: abs(link.report(0.05).speeds_mm_s[0]) < 5)  # no further commands
        stands = link.report(0.1).encoders_mm[0]
        time.sleep(0.3)
        assert link.report(0.1).encoders_mm[0] == pytest.approx(stands, abs=1.5)
        wait_until(lambda: link.report(0.05).flippers_deg[0] > 28)
        with pytest.raises(Refused, match="another operator drives this robot"):
            OperatorLink(port=control)
        link.send(OperatorCommand(drive=(0.0, 0.0)))  # the first client continues
        assert not link.report(1.0).trouble
    with OperatorLink(port=control, timeout=TIMEOUT) as link:  # the next client may connect
        assert not link.report(1.0).trouble


def test_invalid_data_disconnects_the_operator_and_stops_the_robot(control: int) -> None:
    with socket.create_connection(("127.0.0.1", control), TIMEOUT) as wire:
        wire.sendall(b'{"drive": [1e9, 0]}\n')
        answer = b""
        while data := wire.recv(4096):
            answer += data
        assert "is out of range" in json.loads(answer.splitlines()[-1])["trouble"]


@pytest.mark.slow
def test_lost_robot_is_reported_and_reconnected() -> None:
    with start_command("motors", "kenaf_step", *FREE) as ports:
        port = ports["can"]
        link = f"socketcand://127.0.0.1:{port}/can0"
        with start_command("control", "--link", link, "--port", "0") as where:
            operator = OperatorLink(port=where["control"], timeout=TIMEOUT)
            assert not operator.report(1.0).trouble
            _end(ports)
            wait_until(lambda: operator.report(0.1).trouble)
            with start_command("motors", "kenaf_step", "--port", str(port), "--images", "-1"):
                wait_until(lambda: not operator.report(0.1).trouble)
            operator.close()


def _end(ports: dict[str, int]) -> None:
    """End the process that listens at a port, by its number in /proc."""
    wanted = f"{ports['can']:04X}"
    rows = (line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:])
    inode = next(row[9] for row in rows if row[1].endswith(f":{wanted}") and row[3] == "0A")
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if any(f"socket:[{inode}]" == os.readlink(fd) for fd in (process / "fd").iterdir()):
                os.kill(int(process.name), signal.SIGKILL)
                return
        except OSError:
            continue
    raise AssertionError("no process listens at the port")


def test_token_is_required_beyond_loopback(motors: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "a token is required" in error_line(
        command_line("control", "--host", "0.0.0.0", "--port", "0")
    )
    monkeypatch.setenv("GROUSER_TOKEN", "open-sesame-12345")
    with start_command("control", "--link", motors, "--port", "0") as ports:
        with OperatorLink(port=ports["control"], token="open-sesame-12345", timeout=60) as link:
            link.send(OperatorCommand(drive=(0.0, 0.0)))
            assert not link.report(1.0).trouble
        with (
            pytest.raises(Refused, match="token missing or wrong"),
            OperatorLink(port=ports["control"], token="guessed", timeout=60) as link,
        ):
            wait_until(lambda: link.report(1.0) is None)


# -- the whole way, on both libraries --------------------------------------------------------------


GATEWAYS: dict[str, tuple[Gateway, str]] = {
    "can": (CanGateway(port=0), "socketcand://127.0.0.1:{}/can0"),
    "control": (UsarsimGateway(ports=((0, PortProfile()),)), "usarsim://127.0.0.1:{}"),
}


@pytest.mark.slow
@pytest.mark.parametrize("port", GATEWAYS)
def test_operator_pans_tilts_and_zooms_on_motors_and_simulator(
    port: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HRT_NAME", "kenaf")
    gateway, link = GATEWAYS[port]
    with ThreadedServer(load("kenaf_step"), gateway, speed=4.0) as yard:
        simulation = yard.server.host.simulation
        where = link.format(yard.server.ports[port])

        def aim() -> tuple[float, float, float]:
            """Return pan and tilt of the head and the field of view of its camera, deg."""
            pan, tilt = (
                math.degrees(simulation.data.joint(f"kenaf/{joint}").qpos[0])
                for joint in ("pan", "tilt")
            )
            sensor, bound = simulation.scene.sensors["kenaf", "Camera"]
            assert isinstance(sensor, Camera)
            assert isinstance(bound, BoundCamera)
            return pan, tilt, math.degrees(zoom_range(sensor).angle(bound.memory.aim.zoom))

        with (
            start_command("control", "--link", where, "--port", "0") as control,
            OperatorLink(port=control["control"], timeout=TIMEOUT) as operator,
        ):
            for pan, tilt, view in ((20.0, 15.0, 0.0), (-30.0, -5.0, 25.0), (0.0, 60.0, 80.0)):
                wanted = pan, min(tilt, 22.9), view or 80.0

                def arrives(
                    pan: float = pan, tilt: float = tilt, view: float = view, goal: Any = wanted
                ) -> bool:
                    operator.send(OperatorCommand(camera=(pan, tilt), view=view))
                    operator.report(0.05)
                    return yard.call(aim) == pytest.approx(goal, abs=0.5)

                wait_until(arrives)


@pytest.mark.slow
@pytest.mark.parametrize("port", GATEWAYS)
def test_operator_program_climbs_200_mm_on_motors_and_simulator(
    port: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At 15 pictures a second or more; needs a machine with two cores to itself."""
    monkeypatch.setenv("HRT_NAME", "kenaf")
    gateway, link = GATEWAYS[port]
    with ThreadedServer(
        load("kenaf_step"), gateway, ImageGateway(port=0), pictures=PictureOptions()
    ) as yard:
        ports = yard.server.ports
        with start_command("control", "--link", link.format(ports[port]), "--port", "0") as control:
            words = ("--control", f"127.0.0.1:{control['control']}", "--climb")
            images = ("--images", f"127.0.0.1:{ports['images']}")
            done = subprocess.run(
                [sys.executable, str(OPERATOR), *words, *images],
                cwd=tmp_path,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=120,
            )
            x, _, z = yard.server.host.simulation.pose("kenaf").position.tolist()
    assert done.returncode == 0, done.stderr
    assert x > 1.1
    assert z == pytest.approx(0.285, abs=0.02)  # on top: 200 mm and as high as it stands
    assert float(not_none(re.search(r"([\d.]+) pictures per second", done.stdout))[1]) >= 15
    assert (tmp_path / "views.png").read_bytes().startswith(b"\x89PNG")
