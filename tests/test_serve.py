"""Server process with several clients in the same world, over sockets."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.client_helpers import instance_of
from support.narrowing import not_none
from support.server_fixtures import ServerProcess, ground_truth, wait_until

from grouser.client.connection import Controller, RemoteRobot
from grouser.errors import Refused
from grouser.protocol.usarsim.commands import Greeting, Init
from grouser.protocol.usarsim.control import Create
from grouser.protocol.usarsim.geo_conf import RobotGeometry
from grouser.protocol.usarsim.package import PackageState
from grouser.protocol.usarsim.sensor_messages import GroundTruth, RangeScan
from grouser.protocol.usarsim.setting import Response, SetJoint
from grouser.protocol.usarsim.state import ObjectStates
from grouser.robots.kinds import ROBOTS

SPEED = 4
"""Simulated over wall time."""


@pytest.fixture(scope="module")
def server(yard_file: Path) -> Iterator[ServerProcess]:
    also = ("--also", "0:udk:z-up", "--also", "0:ut3:z-down:unreal")
    options = ("--images", "-1", "--truth", "0", "--speed", str(SPEED), "--ground-truth")
    with ServerProcess(yard_file.parent, yard_file, *also, *options) as server:
        yield server


def truth(robot: RemoteRobot, seconds: float = 0.0) -> GroundTruth:
    """Return the ground truth of ``robot`` after a simulated time."""
    begin = ground_truth(robot)
    while not_none((now := ground_truth(robot)).time) < not_none(begin.time) + seconds:
        pass
    return now


def robots(server: ServerProcess) -> dict[str, tuple[str, float, float, float]]:
    """Return name -> kind, x, y, z of every robot, from the console."""
    lines = [line.split() for line in server.console("list robots").splitlines()]
    return {w[0]: (w[1].strip("()"), float(w[3]), float(w[5]), float(w[7])) for w in lines}


# -- joining ------------------------------------------------------------------------------------


def test_each_port_has_its_own_dialect_axes_and_units(server: ServerProcess) -> None:
    with (
        server.join("P3AT", "Down", at=(1, 2, 0)) as down,
        server.join("P3AT", "Up", port="control2", dialect="udk", at=(1, -2, 0)) as up,
        server.join("P3AT", "Big", port="control3", dialect="ut3", at=(250, 1000, 0)) as big,
    ):
        x, y, z = truth(down).location
        assert (x, y) == pytest.approx((1, 2), abs=0.05)
        assert z < -0.1
        x, y, z = truth(up).location
        assert (x, y) == pytest.approx((1, -2), abs=0.05)
        assert z > 0.1
        x, y, _ = truth(big).location
        assert (x, y) == pytest.approx((250, 1000), abs=10)
        there = robots(server)
        places = {name: there[name][1:3] for name in ("Down", "Up", "Big")}
        assert places["Down"] == pytest.approx((1, -2), abs=0.05)
        assert places["Up"] == pytest.approx((1, 2), abs=0.05)
        assert places["Big"] == pytest.approx((1, -4), abs=0.05)


def test_start_places_are_listed_and_used(server: ServerProcess) -> None:
    with server.connect() as client:
        poses = {pose.name: pose for pose in client.start_poses()}
    assert set(poses) == {"PlayerStart", "West", "East"}
    assert poses["West"].location == pytest.approx((-2, -1, 0))
    with server.join("P3AT", "A", start="west", at=(9, 9, 0)) as robot:
        now = truth(robot)
        assert now.location[:2] == pytest.approx((-2, -1), abs=0.05)
        assert now.orientation[2] == pytest.approx(3 / 2 * math.pi, abs=0.05)
    with server.join("P3AT", "B", start="nowhere", at=(9, 9, 0)) as robot:
        assert truth(robot).location[:2] == pytest.approx((0, 0), abs=0.05)


def test_location_is_that_of_the_middle_and_above_the_ground(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(0, 0, 5), rotation=(0, 0, 1.0)) as robot:
        low = truth(robot)
        assert low.orientation[2] == pytest.approx(1.0, abs=0.05)
    with server.join("P3AT", "A", at=(0, 0, low.location[2])) as robot:
        assert truth(robot).location[2] == pytest.approx(low.location[2], abs=0.02)


def test_duplicate_and_invalid_names_are_replaced(server: ServerProcess) -> None:
    with server.join("P3AT", "Twin", at=(0, 0, 0)), server.join("P3AT", "Twin", at=(0, 2, 0)):
        assert {"Twin", "Twin_1"} <= set(robots(server))
    with server.join("P3AT", "a b/c;ü", at=(0, 0, 0)):
        assert any(name.startswith("a_b_c") for name in robots(server))
    with server.join("P3AT", at=(0, 0, 0)):
        assert "P3AT" in robots(server)


def test_unknown_class_and_second_init_are_refused(server: ServerProcess) -> None:
    with pytest.raises(Refused, match="no robot of class 'P3TA'"):
        server.join("P3TA")
    with server.join("P3AT", "A", at=(0, 0, 0)) as robot:
        robot.send(Init("USARBot.P3AT", "B"))
        with pytest.raises(Refused, match="INIT was already received"):
            truth(robot, 1.0)
        assert "B" not in robots(server)


def test_robot_of_the_world_is_taken_over_and_stays(server: ServerProcess) -> None:
    with server.join("P2DX", "own") as robot:
        assert truth(robot).location[:2] == pytest.approx((-5, -3), abs=0.1)
        robot.drive(4.0, 4.0)
        assert truth(robot, 1.0).location[0] > -4.95
    wait_until(
        lambda: (first := robots(server)["own"][1]) == robots(server)["own"][1] and first > -4.95
    )
    with pytest.raises(Refused, match="is a p2dx, not a p3at"):
        server.join("P3AT", "own")
    server.console("spawn p3at stray at 7 7")
    with server.join("P3AT", "stray"):  # also a robot spawned by the console
        pass
    assert "stray" in robots(server)
    server.console("remove stray")
    with server.join("P3AT", "stray", at=(1, 0, 0)):
        assert robots(server)["stray"][1] == pytest.approx(1, abs=0.05)
    wait_until(lambda: "stray" not in robots(server))


def test_each_client_receives_readings_of_its_own_robot_only(server: ServerProcess) -> None:
    with server.join("P3AT", "A", at=(0, 0, 0)) as a, server.join("Kenaf", "B", at=(0, 3, 0)) as b:
        for robot, y in ((a, 0), (b, 3)):
            received = [m for m in robot.listen(0.5) if isinstance(m, GroundTruth)]
            assert received
            assert all(abs(m.location[1] - y) < 0.2 for m in received)
        assert {"F1", "F8", "Odometry"} <= set(a.sensors)
        assert not {"F1", "F8", "Odometry"} & set(b.sensors)
        assert [
            len(instance_of(RangeScan, robot.newest("Scanner1")).ranges) for robot in (a, b)
        ] == [181, 228]
        with server.connect() as client:
            assert [type(m) for m in client.listen(0.2)] == [Greeting]


# -- commands -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [kind for kind in ROBOTS if kind != "p3at"])
def test_every_kind_joins_and_moves(server: ServerProcess, kind: str) -> None:
    with server.join(kind, "Any", at=(0, 0, 0)) as robot:
        assert instance_of(RobotGeometry, robot.geometry()).name
        assert robot.configuration()
        begin = server.console("where Any")
        if kind in ("conveyor", "air_traffic"):
            robot.joint("AllJoints", 0.1)
            wait_until(lambda: robot.state is not None)
        else:

            def moved() -> bool:
                robot.drive(60.0, 60.0, normalized=True)  # repeated, before the command time-out
                return server.console("where Any") != begin

            wait_until(moved)
        assert not robot.notices


def test_joints_and_packages_move_as_commanded(server: ServerProcess) -> None:
    with server.join("Kenaf", "K", at=(0, 0, 0)) as robot:
        robot.joints({"FRFlipper": 0.4, "RLFlipper": 0.3})
        wait_until(lambda: _flippers(robot)["FRFlipper"] == pytest.approx(0.4, abs=0.05))
        assert _flippers(robot)["RLFlipper"] == pytest.approx(0.3, abs=0.05)
        answer = robot.response(SetJoint("FLFlipper", (-0.5,)))
        assert answer.results[0].status == "OK"
        wait_until(lambda: _flippers(robot)["FLFlipper"] == pytest.approx(-0.5, abs=0.05))
        robot.joint("NoSuch", 0.5)
        with pytest.raises(Refused, match="NoSuch"):
            truth(robot, 1.0)
        failed = [m for m in robot.listen(0.1) if isinstance(m, Response)]
        assert failed[-1].results[0].status == "Failed"
    with server.join("P3AT", "P", port="control2", dialect="udk", at=(0, 0, 0)) as robot:
        robot.package("CameraPanTilt", {0: 0.4, 1: 0.2})  # ACT and ASTA in UDK

        def pans() -> list[float]:
            package = instance_of(PackageState, robot.packages["CameraPanTilt"])
            return [link.value for link in package.links]

        wait_until(lambda: pans() == pytest.approx([0.4, 0.2], abs=0.03))


def _flippers(robot: RemoteRobot) -> dict[str, float]:
    return dict(not_none(robot.state).joints)


def test_flip_command_rights_a_robot_on_its_back(server: ServerProcess) -> None:
    with server.join("Kenaf", "A", at=(0, 0, -0.5), rotation=(math.pi, 0, 0)) as robot:
        assert math.cos(truth(robot, 1.0).orientation[0]) < -0.9
        robot.drive(flip=True)
        wait_until(lambda: math.cos(ground_truth(robot).orientation[0]) > 0.99)


def test_radio_messages_between_robots(server: ServerProcess) -> None:
    with (
        server.join("P3AT", "A", at=(0, 0, 0)) as a,
        server.join("P3AT", "B", at=(0, 2, 0)) as b,
        server.join("P3AT", "C", at=(0, 4, 0)) as c,
    ):
        a.transmit(b"hello \x00\xff{}\r\n", "B")
        received = b.receive()
        assert (received.sender, received.data) == ("A", b"hello \x00\xff{}\r\n")
        c.transmit(b"all")
        assert [a.receive().data, b.receive().data] == [b"all", b"all"]
        assert not c.poll().radio_inbox


def test_world_controller_creates_moves_and_removes_objects(server: ServerProcess) -> None:
    with server.control() as referee:
        referee.create("UTPM.Box", "crate", at=(6, 6, -0.31), scale=(2,))
        referee.create("Ball", "ball", at=(6, 7, -0.15), permanent=True)
        referee.create("Barrel", "post", at=(6, 8, -0.15), physics="None")
        referee.put("crate", at=(5, 6, -0.3))
        referee.shift("post", by=(0, 1, 0))
        assert _places(referee)["crate"] == pytest.approx((5, 6, -0.3), abs=0.02)
        assert _places(referee)["post"] == pytest.approx((6, 9, -0.15), abs=0.02)
        referee.add_waypoints("crate", (4, 6, -0.3), (4, 7, -0.3))
        referee.set_waypoints("crate", speed=2.0, moving=True)
        wait_until(lambda: _places(referee)["crate"] == pytest.approx((4, 7, -0.3), abs=0.05))
        referee.kill("post")
        assert set(_places(referee)) == {"crate", "ball"}
        referee.kill("own")
        with pytest.raises(Refused, match="'own'"):
            _places(referee)
        assert "own" in robots(server)
    wait_until(lambda: "crate" not in server.console("list objects"))
    assert "ball" in server.console("list objects")
    with server.control() as referee:
        referee.kill_all()
        assert not _places(referee)
    with server.join("P3AT", "A", at=(0, 0, 0)) as robot:
        robot.send(Create("Box"))
        with pytest.raises(Refused, match=r"WorldController"):
            truth(robot, 1.0)


def _places(referee: Controller) -> dict[str, tuple[float, float, float]]:
    """Return name -> place of created objects, from CONTROL {Type GetSTA}."""
    referee.ask_states()
    referee.start_poses()  # answered after all states
    received = [m for m in referee.listen(0.01) if isinstance(m, ObjectStates)]
    return {each.name: each.location for m in received for each in m.objects}
