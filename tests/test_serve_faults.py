"""Faults of clients and robots on a running server; other clients are not affected."""

import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.server_fixtures import LockstepClient, ServerProcess, ground_truth, wait_until
from typer.testing import CliRunner

from grouser.cli import app
from grouser.client.address import Address
from grouser.client.connection import Connection, RemoteRobot
from grouser.errors import BadValue
from grouser.protocol.usarsim.commands import Init
from grouser.protocol.usarsim.sensor_messages import GroundTruth
from grouser.protocol.usarsim.state import NO_BATTERY
from grouser.protocol.usarsim.truth import TruthClientSide, TruthRequest, TruthRow

OPTIONS = ("--images", "-1", "--truth", "0")
FAST = 4
"""Simulated over wall time, where only simulated time matters."""


@pytest.fixture(scope="module")
def server(yard_file: Path) -> Iterator[ServerProcess]:
    options = ("--speed", str(FAST), "--command-timeout", "1.5")
    with ServerProcess(yard_file.parent, yard_file, *OPTIONS, *options) as server:
        yield server


def pass_time(robot: RemoteRobot, seconds: float) -> GroundTruth:
    """Wait for a simulated time without sending; return the last ground truth."""
    newest = begin = ground_truth(robot)
    while not_none(newest.time) < not_none(begin.time) + seconds:
        newest = ground_truth(robot)
    return newest


def kinds(robot: RemoteRobot | Connection) -> list[str]:
    return [notice.kind for notice in robot.notices]


# -- clients that vanish ------------------------------------------------------------------------


def test_killed_client_is_removed_and_others_miss_no_reading(yard_file: Path) -> None:
    with (
        ServerProcess(yard_file.parent, yard_file, *OPTIONS) as server,  # at real time
        server.join("P3AT", "Stays", at=(0, 0, 0)) as stays,
        server.connect() as console,
    ):
        with LockstepClient(server, "Dies", "P3AT", 0, 2, 0, 10**6, 0.02, 0.0) as dies:
            assert dies.read_line() == "joined"
            pass_time(stays, 0.5)
            assert "Dies" in console.console("list robots")
            dies.kill()
            took = wait_until(lambda: "Dies" not in console.console("list robots"))
        received = [not_none(m.time) for m in stays.listen(1.0) if isinstance(m, GroundTruth)]
        received.pop(0)  # the first reading has no fixed phase
        assert len(received) > 5
        assert np.diff(received) == pytest.approx(0.2, abs=1e-6), "a reading is missing"
        print(f"removed after {1000 * took:.0f} ms")


def test_robot_of_a_silent_client_is_stopped(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(0, 0, 0)) as robot:
        robot.drive(4.0, 4.0)
        moving = pass_time(robot, 1.0)
        still = pass_time(robot, 2.0)
        assert 0.2 < moving.location[0] < still.location[0]
        assert pass_time(robot, 1.0).location == pytest.approx(still.location, abs=0.01)
        assert kinds(robot) == ["Stopped"]
        robot.drive(4.0, 4.0)
        assert pass_time(robot, 1.0).location[0] > still.location[0] + 0.1
        for _ in range(6):
            robot.geometry()  # a query resets the time-out
            pass_time(robot, 0.6)
        assert kinds(robot) == ["Stopped"]


def test_strict_server_keeps_the_last_command(yard_file: Path) -> None:
    options = ("--speed", str(FAST), "--command-timeout", "1", "--strict")
    with (
        ServerProcess(yard_file.parent, yard_file, *OPTIONS, *options) as server,
        server.join("P3AT", "A", at=(0, 0, 0)) as robot,
    ):
        robot.drive(4.0, 4.0)
        before = pass_time(robot, 3.0)
        assert pass_time(robot, 1.0).location[0] > before.location[0] + 0.2
        assert not robot.notices


# -- robots that fail ---------------------------------------------------------------------------


def test_battery_is_reported(server: ServerProcess) -> None:
    with server.connect() as wire:
        wire.send(Init("USARBot.P3AT", "A", (0, 0, 0), battery_s=2))
        wire.conversation.latest.state = None
        wait_until(lambda: wire.poll().state is not None)
        assert 0 < not_none(wire.poll().state).battery <= 2
    with server.join("P3AT", "B", at=(0, 3, 0)) as robot:
        assert not_none(robot.state).battery == NO_BATTERY


def test_empty_battery_stops_robot_and_sensors_but_not_its_state(server: ServerProcess) -> None:
    with RemoteRobot(Address(**server.address())) as robot:
        robot.send(Init("USARBot.P3AT", "A", (0, 0, 0), battery_s=2))
        robot.drive(4.0, 4.0)
        wait_until(lambda: "Empty" in kinds(robot))
        last = instance_of(GroundTruth, robot.newest("GroundTruth"))
        assert last.location[0] > 0.2
        robot.drive(4.0, 4.0)
        wait_until(lambda: not_none(robot.state).time > not_none(last.time) + 1)
        assert robot.newest("GroundTruth") is last, "no readings"
        assert not_none(robot.state).battery == 0
        x = server.console("where A").split()[2]
        time.sleep(0.2)
        assert server.console("where A").split()[2] == x


def test_diverged_robot_is_reset_and_notified(server: ServerProcess) -> None:
    with (
        server.join("P3AT", "Flies", at=(0, 0, 0)) as flies,
        server.join("P3AT", "Stays", at=(0, 3, 0)) as stays,
    ):
        flies.drive(4.0, 4.0)
        pass_time(flies, 1.0)
        before = pass_time(stays, 0.2)
        server.console("move Flies to 4 0 6")  # from this height it hits the ground with 59 J/kg
        wait_until(lambda: "Reset" in kinds(flies))
        assert pass_time(flies, 0.5).location[:2] == pytest.approx((0, 0), abs=0.6)
        after = pass_time(stays, 0.2)
        assert after.location == pytest.approx(before.location, abs=0.01)
        assert not_none(after.time) > not_none(before.time)
        assert "Reset" not in kinds(stays)


def test_impossible_objects_are_removed(server: ServerProcess) -> None:
    with server.join("P3AT", "Stays", at=(0, 3, 0)) as stays, server.control() as referee:
        before = pass_time(stays, 0.2)
        referee.create("Box", "stuck", at=(6, 6, 0), scale=(2,))
        wait_until(lambda: "stuck" not in server.console("list objects"))
        with server.connect() as upside:
            upside.console("time")  # enables notices
            upside.send(Init("USARBot.P3AT", "Upside", (0, 0, 0), (math.pi, 0, 0)))
            wait_until(
                lambda: "Moved" in kinds(upside)
            )  # otherwise its mast would be in the ground
            assert "Upside" in server.console("list robots")
        after = pass_time(stays, 0.4)
        assert not_none(after.time) > not_none(before.time), "time passed"
        assert after.location == pytest.approx(before.location, abs=0.01)


# -- the world changes --------------------------------------------------------------------------


def test_time_stands_still_while_paused(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(0, 0, 0)) as robot, server.connect() as console:
        pass_time(robot, 0.2)
        console.console("pause")
        output = console.console("time")
        assert output.endswith("paused")
        time.sleep(0.2)
        assert console.console("time") == output
        console.console("resume")
        pass_time(robot, 0.2)
        with pytest.raises(BadValue, match="there is no word 'dance'"):
            console.console("dance")


def test_robot_of_a_client_survives_a_reset(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(0, 0, 0)) as robot:
        pass_time(robot, 2.0)
        begin = not_none(robot.state).time
        server.console("reset")
        wait_until(lambda: not_none(robot.state).time < begin)
        first = not_none(robot.state).time
        wait_until(lambda: not_none(robot.state).time > first)  # states are sent again at once
        assert ground_truth(robot).location[:2] == pytest.approx((0, 0), abs=0.05)


def test_client_of_a_removed_robot_is_notified(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(0, 0, 0)) as robot:
        server.console("remove A")
        wait_until(lambda: kinds(robot) == ["Removed"])
        robot.send(Init("USARBot.P3AT", "A2", (0, 0, 0)))  # it may join again
        wait_until(lambda: "A2" in server.console("list robots"))


def test_truth_port_returns_poses(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(1, 2, 0)), server.join("Kenaf", "K", at=(1, 4, 0)):
        assert {row.name for row in _truth(server, TruthRequest())} == {"own", "A", "K"}
        (row,) = _truth(server, TruthRequest(class_name="P3AT"))
        assert (row.name, row.class_name) == ("A", "P3AT")
        assert row.location[:2] == pytest.approx((1, 2), abs=0.05)
        assert [row.name for row in _truth(server, TruthRequest(name="k"))] == ["K"]
        assert _truth(server, TruthRequest(name="nobody")) == []


def _truth(server: ServerProcess, question: TruthRequest) -> list[TruthRow]:
    side = TruthClientSide()
    rows: list[TruthRow] = []
    with server.open_socket("truth") as wire:
        wire.sendall(side.send(question))
        while True:
            for received in side.receive(wire.recv(4096)):
                if not isinstance(received, TruthRow):
                    return rows
                rows.append(received)


# -- a server that cannot start -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--port", "65536"), "--port is 65536, must be from 0"),
        (("--dialect", "ut2003"), "--dialect is 'ut2003', allowed: ut2004"),
        (("--axes", "z_up"), "--axes is 'z_up'"),
        (("--also", "udk"), "--also is 'udk'"),
        (("--also", "0:udk:z-up:si:more"), "--also is '0:udk:z-up:si:more'"),
        (("--speed", "0"), "speed"),
        (("--command-timeout", "-1"), "--command-timeout is -1, must be 0 or above"),
        (("--beat-ms", "0"), "--beat-ms is 0, must be above 0"),
        (("--picture-type", "best"), "--picture-type is 'best'"),
        (("--beat-ms", "inf"), "--beat-ms is inf, must be above 0, at most 1000"),
        (
            ("--images", "-7"),
            "--images is -7, must be from 0 (any free port) to 65535, or -1 (none)",
        ),
        (("--eyes", "0"), "--eyes is 0, but --images is -1"),
        (("--also", "0:udkk"), "DIALECT is 'udkk', allowed: ut2004, ut3, udk, ut2004-early; did"),
        (("--lines-per-second", "0"), "--lines-per-second is 0, must be above 0"),
        (("--certificate", "/no/such.pem"), "/no/such.pem"),
        (("--key", "some.key"), "--key is 'some.key', but --certificate is missing"),
        (("--token-file", "/no/such"), "/no/such: cannot be read as a token file"),
        (("--set", "terrain.0.slope=3"), "slope"),
    ],
)
def test_invalid_option_is_reported_in_one_sentence(
    yard_file: Path, options: tuple[str, str], sentence: str
) -> None:
    ended = CliRunner().invoke(app, ["serve", str(yard_file), *OPTIONS, "--port", "0", *options])
    assert ended.exit_code == 2
    assert sentence in " ".join(ended.stderr.split())
    assert ended.stderr.count("\n") <= 3  # one sentence, folded


def test_port_in_use_is_reported(yard_file: Path, server: ServerProcess) -> None:
    taken = str(server.ports["control"])
    ended = CliRunner().invoke(app, ["serve", str(yard_file), *OPTIONS, "--port", taken])
    assert ended.exit_code == 2
    output = " ".join(ended.stderr.split())
    assert f"port {taken} at 127.0.0.1 cannot be opened for control: it is in use already" in output
