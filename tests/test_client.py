"""Blocking and asynchronous clients over real sockets: commands, queries, time-outs, errors."""

import asyncio
import socket
import time

import pytest
from support.client_helpers import instance_of
from support.scripted_server import (
    POSES,
    STATE,
    ScriptedServer,
    answer_as_one_robot,
    wait_for_odometry,
)

from grouser.client import asynchronous, connection
from grouser.client.address import Address
from grouser.client.connection import RemoteRobot, connect, control, join
from grouser.errors import BadValue, Disconnected, NoAnswer, Refused, UnknownName
from grouser.protocol.usarsim import commands, setting
from grouser.protocol.usarsim.commands import Greeting, StartPoses
from grouser.protocol.usarsim.control import AbsMove, Create
from grouser.protocol.usarsim.dialects import UT2004
from grouser.protocol.usarsim.drive import SkidDrive
from grouser.protocol.usarsim.extensions import Lockstep, Notice, RadioMessage, Step
from grouser.protocol.usarsim.geo_conf import RobotGeometry, SensorConfiguration
from grouser.protocol.usarsim.message import Message, UnknownMessage
from grouser.protocol.usarsim.sensor_messages import Odometry
from grouser.protocol.usarsim.setting import Result
from grouser.protocol.usarsim.state import State


def test_robot_joins_drives_and_receives_readings(scripted_server: ScriptedServer) -> None:
    with join("P3AT", name="R1", at=(4.5, 1.9, 1.8), port=scripted_server.port) as robot:
        assert robot.level == "peer"
        assert robot.state == STATE
        robot.drive(left=2.0, right=2.0)
        assert wait_for_odometry(robot, 2.0)
        assert robot.time == 1.6
    assert scripted_server.left.wait(5)
    init = commands.Init("USARBot.P3AT", "R1", (4.5, 1.9, 1.8))
    assert scripted_server.received == [Lockstep(0.0), init, SkidDrive(2.0, 2.0)]
    # Received messages stay available.
    assert instance_of(Odometry, robot.newest("Odometry")).pose == (2.0, 0.0, 0.0)


def test_listen_yields_every_message_once_and_ends_in_time(scripted_robot: RemoteRobot) -> None:
    scripted_robot.drive(1.0, 1.0)
    scripted_robot.start_poses()  # all earlier messages have arrived
    kinds = [type(message) for message in scripted_robot.listen(seconds=0.1)]
    assert kinds == [Greeting, State, Odometry, Odometry, StartPoses]
    assert list(scripted_robot.listen(seconds=0)) == []


def test_queries_return_answers(scripted_robot: RemoteRobot) -> None:
    assert scripted_robot.start_poses() == POSES
    geometry = instance_of(RobotGeometry, scripted_robot.geometry())
    assert geometry.dimensions == (0.5, 0.4, 0.2)
    camera = instance_of(SensorConfiguration, scripted_robot.configuration("Camera"))
    assert camera.sensors[0].name == "Camera"
    assert scripted_robot.console("open door") == "the door is open"
    with pytest.raises(BadValue, match="no 'dor'"):
        scripted_robot.console("open dor")


def test_missing_answer_raises_no_answer(
    scripted_robot: RemoteRobot, scripted_server: ScriptedServer
) -> None:
    peer = f"127.0.0.1:{scripted_server.port}"
    sentence = f"{peer}: 0.1 s passed without GEO {{Type Laser}} {{Name L1}}"
    with pytest.raises(NoAnswer) as raised:
        scripted_robot.geometry("Laser", "L1", timeout=0.1)
    assert str(raised.value) == sentence
    with pytest.raises(NoAnswer, match="without a reading of 'Sonr' .received from: Odometry"):
        scripted_robot.reading("Sonr", timeout=0.1)
    assert scripted_robot.start_poses() == POSES  # the connection stays usable


def test_response_needs_a_dialect_with_res() -> None:
    with (
        ScriptedServer(answer_as_one_robot, dialect=UT2004) as scripted_server,
        join("P3AT", port=scripted_server.port, dialect="ut2004") as robot,
    ):
        answer = robot.response(setting.ResetSensor("Odometry"))
        assert answer.results == (Result("Name", "Odometry", "OK"),)


def test_radio_messages_stay_in_the_inbox_until_read(scripted_robot: RemoteRobot) -> None:
    scripted_robot.transmit(b"one")
    scripted_robot.transmit(b"two")
    assert scripted_robot.start_poses()  # both have arrived
    assert scripted_robot.receive() == RadioMessage("fido", b"eno", -61.2)
    assert scripted_robot.receive().data == b"owt"
    with pytest.raises(NoAnswer, match="radio"):
        scripted_robot.receive(timeout=0.05)


def test_lockstep_turn_contains_all_readings(
    scripted_robot: RemoteRobot, scripted_server: ScriptedServer
) -> None:
    scripted_robot.lockstep(0.1)
    turn = scripted_robot.step()  # the first turn is received before it is ended
    assert turn.time == 2.1
    assert turn.messages == (Odometry(2.1, "Odometry", (1.0, 0.0, 0.0)),)
    rounds = [turn.time for turn, _ in zip(scripted_robot.turns(), range(3), strict=False)]
    assert rounds == [2.1, 2.1, 2.1]
    assert sum(isinstance(message, Step) for message in scripted_server.received) == 4


def test_command_ends_the_turn_by_option(
    scripted_robot: RemoteRobot, scripted_server: ScriptedServer
) -> None:
    scripted_robot.lockstep(0.1, by_command=True)
    scripted_robot.turn()
    scripted_robot.drive(1.0, 1.0)
    with pytest.raises(NoAnswer, match="a turn"):
        scripted_robot.turn(timeout=0.05)


def test_rejection_is_raised_independent_of_packet_boundaries() -> None:
    def strict(message: Message) -> list[Message]:
        if isinstance(message, commands.GetStartPoses):
            return [Notice("Refused", "not now"), StartPoses(POSES)]
        return []

    async def program(port: int) -> None:
        async with await asynchronous.async_connect(port=port) as connection:
            with pytest.raises(Refused, match="not now"):
                await connection.start_poses()

    with (
        ScriptedServer(strict) as scripted_server,
        connect(port=scripted_server.port) as connection,
    ):
        with pytest.raises(Refused, match="not now"):
            connection.start_poses()
        asyncio.run(program(scripted_server.port))


def drive_until(robot: RemoteRobot, until: float) -> None:
    while time.monotonic() < until:
        robot.drive(1.0, 1.0)


def test_commands_raise_rejections_and_properties_are_up_to_date() -> None:
    def strict(message: Message) -> list[Message]:
        match message:
            case commands.Init():
                return [STATE]
            case setting.SetJoint():
                return [Notice("Refused", "no such joint")]
            case SkidDrive():
                return [Odometry(2.0, "Odometry", (7.0, 0.0, 0.0))]
        return []

    with (
        ScriptedServer(strict) as scripted_server,
        join("P3AT", port=scripted_server.port) as robot,
    ):
        robot.drive(1.0, 1.0)
        until = time.monotonic() + 60
        while robot.newest("Odometry") is None:
            assert time.monotonic() < until
        robot.joint("Tail", 1.0)
        with pytest.raises(Refused, match="no such joint"):
            drive_until(robot, until)


def test_rejection_text_is_raised(scripted_server: ScriptedServer) -> None:
    with pytest.raises(Refused, match=r"127.0.0.1:\d+: there is no robot 'Nobody'"):
        join("Nobody", port=scripted_server.port)


def test_ignored_robot_class_raises_no_answer(scripted_server: ScriptedServer) -> None:
    with pytest.raises(NoAnswer, match="message of a robot 'Ghost' .does the server have"):
        join("Ghost", port=scripted_server.port, timeout=0.2)


def test_closed_server_raises_disconnected_at_every_call(scripted_robot: RemoteRobot) -> None:
    scripted_robot.send(UnknownMessage("CRASH"))
    with pytest.raises(Disconnected, match="the server closed the connection"):
        list(scripted_robot.listen(seconds=5))
    for call in (
        lambda: scripted_robot.drive(1, 1),
        scripted_robot.start_poses,
        lambda: scripted_robot.state,
    ):
        with pytest.raises(Disconnected, match="the server closed the connection"):
            call()


def test_missing_server_raises_disconnected() -> None:
    with socket.socket() as unserved:
        unserved.bind(("127.0.0.1", 0))
        port = unserved.getsockname()[1]
        with pytest.raises(Disconnected, match="connection refused; 'grouser serve WORLD'"):
            connect(port=port)
        unserved.listen()
        with pytest.raises(NoAnswer, match="without the greeting"):
            connect(port=port, timeout=0.1)


def test_calls_after_close_raise_disconnected(scripted_server: ScriptedServer) -> None:
    with join("P3AT", port=scripted_server.port) as robot:
        pass
    with pytest.raises(Disconnected, match="closed by this program"):
        robot.drive(1.0, 1.0)


def test_token_is_the_first_message(scripted_server: ScriptedServer) -> None:
    with connect(port=scripted_server.port, token="secret") as connection:
        connection.start_poses()
    assert scripted_server.received[0] == commands.Login("secret")


def test_addresses_are_checked() -> None:
    with pytest.raises(BadValue, match="port is '3000', must be a whole number"):
        connect(port="3000")  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="port is 0"):
        Address(port=0)
    with pytest.raises(BadValue, match="timeout is 0 s"):
        Address(timeout=0)
    with pytest.raises(UnknownName, match="dialect 'udx'.*did you mean 'udk'"):
        connect(dialect="udx")


def test_world_controller_changes_the_world(scripted_server: ScriptedServer) -> None:
    with control("referee", port=scripted_server.port) as referee:
        referee.create("USARBotAPI.Box", "Box1", at=(1, 2, -0.5), scale=[2.0], permanent=True)
        referee.put("Box1", at=(0, 0, -1))
        referee.start_poses()
    init, _, create, move, _ = scripted_server.received[1:]
    assert init.class_name == "USARBotAPI.WorldController"
    assert create == Create(
        "USARBotAPI.Box", "Box1", location=(1, 2, -0.5), scale=(2.0,), permanent=True
    )
    assert move == AbsMove("Box1", (0, 0, -1))


def test_newest_values_are_up_to_date_without_listening(scripted_robot: RemoteRobot) -> None:
    for speed in range(50):
        scripted_robot.drive(float(speed), float(speed))
    scripted_robot.start_poses()
    assert instance_of(Odometry, scripted_robot.newest("Odometry")).pose[0] == 49.0


# asyncio


def test_async_robots_share_one_loop(scripted_server: ScriptedServer) -> None:
    async def odometry(robot: asynchronous.AsyncRobot) -> float:
        return instance_of(Odometry, await robot.reading("Odometry", timeout=5)).pose[0]

    async def drive_one(name: str, speed: float) -> float:
        async with await asynchronous.async_join("P3AT", name, port=scripted_server.port) as robot:
            robot.drive(speed, speed)
            while await odometry(robot) != speed:
                pass
            # Two queries at once on one connection: each receives its own answer.
            await asyncio.gather(robot.start_poses(), robot.start_poses(), robot.geometry())
            return speed

    async def everyone() -> list[float]:
        return await asyncio.gather(*(drive_one(f"R{i}", float(i)) for i in range(1, 6)))

    assert asyncio.run(everyone()) == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_async_calls_raise_the_same_errors(scripted_server: ScriptedServer) -> None:
    async def program() -> None:
        async with await asynchronous.async_join("P3AT", port=scripted_server.port) as robot:
            await robot.start_poses()
            kinds = [type(message) async for message in robot.listen(seconds=0.1)]
            assert kinds == [Greeting, State, Odometry, StartPoses]
            with pytest.raises(NoAnswer, match="0.05 s passed without a radio message"):
                await robot.receive(timeout=0.05)
            assert await robot.console("open door") == "the door is open"
            robot.lockstep(0.1)
            assert (await robot.step()).time == 2.1
            async for turn in robot.turns():
                assert turn.time == 2.1
                break
            robot.send(UnknownMessage("CRASH"))
            with pytest.raises(Disconnected, match="the server closed the connection"):
                await robot.receive()
            with pytest.raises(Disconnected, match="the server closed the connection"):
                robot.drive(1, 1)
        with pytest.raises(Refused, match="no robot 'Nobody'"):
            await asynchronous.async_join("Nobody", port=scripted_server.port)
        async with await asynchronous.async_control(port=scripted_server.port) as referee:
            referee.kill_all()
            assert await referee.start_poses() == POSES

    asyncio.run(program())


def test_blocking_and_async_client_have_the_same_methods() -> None:
    def calls(kind: type[object]) -> set[str]:
        return {name for name in dir(kind) if not name.startswith("_")}

    assert calls(connection.RemoteRobot) == calls(asynchronous.AsyncRobot) - {"open", "closed"}
    assert calls(connection.Controller) == calls(asynchronous.AsyncController) - {"open", "closed"}


def test_call_returns_before_its_timeout(scripted_robot: RemoteRobot) -> None:
    begin = time.monotonic()
    list(scripted_robot.listen(seconds=0.2))
    assert time.monotonic() - begin >= 0.2
