"""Clients and a real server over a network connection."""

import asyncio
from collections.abc import Iterator

import numpy as np
import pytest
from support.client_helpers import instance_of, read_until

from grouser.client import asynchronous
from grouser.client.address import Address
from grouser.client.connection import RemoteRobot, connect, control, join
from grouser.client.conversation import LockstepTurn
from grouser.client.launch import Ports, serving
from grouser.client.pictures import PictureConnection, watch
from grouser.errors import BadValue, Disconnected, Refused
from grouser.protocol.usarsim.geo_conf import (
    PackageGeometry,
    RobotConfiguration,
    RobotGeometry,
    SensorConfiguration,
    SensorGeometry,
)
from grouser.protocol.usarsim.message import UnknownMessage
from grouser.protocol.usarsim.package import PackageState
from grouser.protocol.usarsim.sensor_messages import GroundTruth, Odometry, RangeScan
from grouser.protocol.usarsim.setting import ResetSensor


@pytest.fixture(scope="module")
def ports() -> Iterator[Ports]:
    options = ("--picture-type", "raw", "--speed", "2")
    with serving("pioneer_room", *options) as ports:
        yield ports


@pytest.fixture
def robot(ports: Ports) -> Iterator[RemoteRobot]:
    with join("P3AT", "R1", port=ports.control, timeout=60) as robot:
        yield robot


def test_robot_follows_drive_commands(robot: RemoteRobot) -> None:
    assert robot.level == "pioneer_room"
    begin = instance_of(GroundTruth, robot.reading("GroundTruth"))
    assert begin.time is not None
    start = begin.time
    robot.drive(3.0, 3.0)
    read_until(robot, lambda: robot.time is not None and robot.time >= start + 2)
    robot.stop()
    now = instance_of(GroundTruth, robot.newest("GroundTruth"))
    assert now.location[0] > begin.location[0] + 0.3
    scan = robot.newest("RangeScanner")
    assert isinstance(scan, RangeScan)
    assert len(scan.ranges) == 181
    assert robot.state is not None
    assert robot.state.type == "GroundVehicle"
    assert {"F1", "F8", "Scanner1", "Odometry", "INS"} <= set(robot.sensors)
    assert not robot.conversation.faults


def test_server_without_opengl_rejects_image_requests_with_a_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "glfw")  # which needs a display
    for display in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(display, raising=False)
    with (
        serving("pioneer_room") as ports,
        join("P3AT", "R1", port=ports.control, timeout=60) as robot,
        watch(robot, port=ports.images) as own,
        PictureConnection(Address(port=ports.images)) as mosaic,
    ):
        for pictures in (own, mosaic):
            with pytest.raises(Disconnected, match=r"no image, .* OpenGL .*tried glfw.*libegl1"):
                pictures.take(timeout=60)


def test_queries_return_the_answers_of_their_type(robot: RemoteRobot) -> None:
    assert instance_of(RobotGeometry, robot.geometry()).name == "P3AT"
    assert instance_of(RobotConfiguration, robot.configuration()).steering == "SkidSteered"
    scanner = instance_of(SensorGeometry, robot.geometry("RangeScanner"))
    assert scanner.sensors[0].name == "Scanner1"
    assert len(instance_of(SensorConfiguration, robot.configuration("Sonar")).sensors) >= 8
    assert instance_of(PackageGeometry, robot.geometry("MisPkg", "CameraPanTilt")).links
    assert isinstance(robot.start_poses(), tuple)
    assert robot.response(ResetSensor("Odometry")).results[0].status == "OK"


def test_mission_package_turns(robot: RemoteRobot) -> None:
    robot.package("CameraPanTilt", {0: 0.4})

    def pan() -> float:
        return instance_of(PackageState, robot.packages["CameraPanTilt"]).links[0].value

    read_until(robot, lambda: abs(pan() - 0.4) <= 0.02)


def test_rejections_are_raised_with_their_text(ports: Ports, robot: RemoteRobot) -> None:
    with pytest.raises(Refused, match="no robot of class 'P3TA'.*did you mean 'p3at'"):
        join("P3TA", port=ports.control)
    robot.joint("NoSuchJoint", 1.0)
    with pytest.raises(Refused, match="NoSuchJoint"):
        robot.geometry()
    assert robot.geometry()  # the connection stays usable
    robot.send(UnknownMessage("DRIV", (("Left", "1"),)))
    with pytest.raises(Refused, match="no command 'DRIV'; did you mean 'DRIVE'"):
        robot.start_poses()
    robot.lockstep(-1)
    with pytest.raises(Refused, match="LOCKSTEP: Every is -1 s, must be 0 .no more. to 3600"):
        robot.turn()


def test_occupied_start_pose_raises_refused(ports: Ports) -> None:
    with pytest.raises(Refused, match="INIT: Location is '0,1', must be three numbers"):
        join("P3AT", port=ports.control, at=(0, 1))  # type: ignore[arg-type]
    with pytest.raises(Refused, match="Location is 99999, 0, 0, must be within 1000 m of the"):
        join("P3AT", port=ports.control, at=(99999, 0, 0))


def test_console_and_world_controller(ports: Ports) -> None:
    with connect(port=ports.control) as connection:
        assert connection.console("help")
        with pytest.raises(BadValue):
            connection.console("no such word")
    with control(port=ports.control) as referee:
        referee.create("USARBotAPI.Box", "Box1", at=(-1.5, -1.5, -0.6), scale=[0.2])
        referee.put("Box1", at=(-1.0, -1.5, -0.6))
        found = referee.object_state("box1", timeout=120)
        assert found.size == pytest.approx((0.06, 0.06, 0.06), abs=1e-3)
        with pytest.raises(Refused, match="CONTROL 'Box2' .*did you mean 'Box1'"):
            referee.object_state("Box2")
        assert found.location[:2] == (-1.0, -1.5)
        referee.kill("Box1")
        referee.kill("Box1")
        with pytest.raises(Refused, match="there is no object that was made by CONTROL 'Box1'"):
            referee.start_poses(timeout=120)


def test_image_is_of_the_own_camera(robot: RemoteRobot, ports: Ports) -> None:
    with watch(robot, port=ports.images) as pictures:
        picture = pictures.take(timeout=60)
    assert picture.shape == (240, 320, 3)
    assert np.ptp(picture) > 30


def test_two_async_robots_in_lockstep(ports: Ports) -> None:
    async def drive(name: str, y: float, spin: float) -> list[LockstepTurn]:
        async with await asynchronous.async_join(
            "P2DX", name, at=(-1, y, 0), port=ports.control, timeout=60
        ) as robot:
            robot.lockstep(0.1)
            turns = []
            async for turn in robot.turns():
                turns.append(turn)
                if len(turns) == 11:
                    break
                robot.drive(spin, spin)
            return turns

    async def both() -> list[list[LockstepTurn]]:
        return list(await asyncio.gather(drive("A", -0.5, 2.0), drive("B", 0.5, 4.0)))

    for turns in asyncio.run(both()):
        times = [turn.time for turn in turns]
        np.testing.assert_allclose(np.diff(times), 0.1, atol=2e-3)
        assert any(
            isinstance(message, Odometry) for message in turns[-1].messages + turns[-2].messages
        )


def test_server_start_failure_raises_disconnected() -> None:
    with (
        pytest.raises(Disconnected, match="exited with code 2 before it listened"),
        serving("no_such_world"),
    ):
        pass


def test_ports_are_parsed_from_address_and_announcement() -> None:
    assert Ports.from_address("there") == Ports("there")
    assert Ports.from_address("there:3001") == Ports("there", 3001)
    assert Ports.from_address("[::1]:3001") == Ports("::1", 3001)
    assert Ports.from_address("[::1]") == Ports("::1")
    for nonsense in ("there:port", "there:0", "there:65536", ":3000", "", "::1", "http://there"):
        with pytest.raises(BadValue, match="must be HOST or HOST:PORT"):
            Ports.from_address(nonsense)
    announcement = "listening control=1 control2=2 truth=3 images=4 eyes=5\n"
    assert Ports.from_announcement(announcement) == Ports(control=1, images=4, truth=3, rosbridge=0)
    for nonsense in ("", "hello control=1", "listening truth=3", "listening control=x"):
        with pytest.raises(BadValue, match="must be 'listening control=PORT"):
            Ports.from_announcement(nonsense)
