"""Motion capture over the network: VRPN, PoseStamped over rosbridge, path following."""

import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from support.threaded_server import ThreadedServer

from grouser.client import PathFollower, join
from grouser.client.pose_sources import (
    Y_UP,
    Frames,
    MeasuredPose,
    PoseSource,
    RosPoses,
    VrpnPoses,
    stamped_pose,
)
from grouser.errors import BadValue, Disconnected, NoAnswer
from grouser.frames import Pose, to_rpy
from grouser.gateways.rosbridge.gateway import RosbridgeGateway
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.gateways.vrpn.gateway import VrpnGateway
from grouser.planning import PathDriver
from grouser.planning.driver import SkidLaw
from grouser.protocol.vrpn import LONGEST_BODY, TrackerPose, VrpnClientSide, VrpnServerSide
from grouser.service.access import Role
from grouser.world.file import parse

COOKIE = b"vrpn: ver. 07.35  0\0\0\0\0\0"
HALF = math.sqrt(0.5)
POSE = TrackerPose("roach", 0, 12.25, (1.0, -2.0, 0.05), (HALF, 0.0, 0.0, HALF))
"""Yaw of 90 deg."""
WORLD = """
name: level ground with motion capture
physics: {timestep: 0.002}
terrain: [{kind: flat}]
robots: [{name: rover, kind: p2dx, position: [0.1, 0.2], sensors: [{kind: mocap, body: body}]}]
"""
RADIUS, TRACK = 0.0825, 0.34  # m, of the P2DX
PATH = [[0.5, 0.2], [0.9, 0.4]]


def message(kind: int, sender: int, body: bytes, *, sec: int = 0, usec: int = 0) -> bytes:
    """Return a message as the public description of the format has it."""
    header = struct.pack("!5iI", 24 + len(body), sec, usec, sender, kind, 7)
    return header + body + bytes(-len(body) % 8)


def name(text: bytes) -> bytes:
    return struct.pack("!i", len(text) + 1) + text + b"\0"


def stream_by_hand() -> bytes:
    """Return a server's stream with two trackers, an unknown message and a pose of each."""
    pose = struct.pack("!2i7d", 0, 0, 1.0, -2.0, 0.05, 0.0, 0.0, HALF, HALF)
    other = struct.pack("!2i7d", 3, 0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    return b"".join(
        (
            COOKIE,
            message(-1, 4, name(b"roach")),
            message(-1, 5, name(b"crate")),
            message(-2, 9, name(b"vrpn_Tracker Pos_Quat")),
            message(-2, 2, name(b"vrpn_Base pong_message")),
            message(2, 4, b""),
            message(-4, 0, b"12345678\0\0"),
            message(9, 4, pose, sec=12, usec=250_000),
            message(9, 5, other),
        )
    )


@pytest.mark.parametrize("size", [1, 7, 4096])
def test_poses_of_a_server_are_read_in_pieces_of_any_size(size: int) -> None:
    side, data = VrpnClientSide(), stream_by_hand()
    assert side.opened() == COOKIE
    poses = [
        pose
        for start in range(0, len(data), size)
        for pose in side.receive(data[start : start + size])
    ]
    assert poses[0] == POSE
    assert poses[1] == TrackerPose("crate", 3, 0.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert side.trackers == ("roach", "crate")


def test_server_answers_names_pings_and_sends_poses_after_the_cookie() -> None:
    server, client = VrpnServerSide(["roach"]), VrpnClientSide()
    assert server.pose(POSE) == b""
    assert server.add_tracker("crate") == b""
    described = server.receive(client.opened())
    assert client.receive(server.opened() + described) == []
    assert client.trackers == ("roach", "crate")
    assert client.receive(server.pose(POSE)) == [POSE]
    assert client.receive(server.add_tracker("late")) == []
    late = TrackerPose("late", 0, 1.0, (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
    assert client.receive(server.pose(late)) == [late]
    assert server.pose(TrackerPose("nothing", 0, 1.0, (0, 0, 0), (1, 0, 0, 0))) == b""
    ping = (
        message(-2, 3, name(b"vrpn_Base ping_message"))
        + message(-1, 8, name(b"roach"))
        + message(3, 8, b"")
    )
    (length, *_, sender, kind, _) = struct.unpack("!5iI", server.receive(ping))
    assert (length, sender, kind) == (24, 0, 2)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"HTTP/1.1 400", "begins with b'HTTP/1.1 400'"),
        (b"vrpn: ver. 06.05  0", "begins with"),
        (COOKIE + struct.pack("!5iI", 24 + LONGEST_BODY + 1, 0, 0, 0, 0, 0), "has a body of 64001"),
        (COOKIE + struct.pack("!5iI", 3, 0, 0, 0, 0, 0), "must be 0 to"),
        (COOKIE + message(-1, 0, struct.pack("!i", 900) + b"x\0"), "empty or too long"),
        (COOKIE + message(-1, 0, b""), "empty or too long"),
        (
            COOKIE + message(-2, 0, name(b"vrpn_Tracker Pos_Quat")) + message(0, 0, b"short"),
            "has 5 bytes, must be 64",
        ),
    ],
)
def test_malformed_stream_is_reported(data: bytes, sentence: str) -> None:
    with pytest.raises(BadValue, match=sentence):
        VrpnClientSide().receive(data)


@pytest.mark.parametrize("wrong", [math.nan, 5.0])
def test_pose_of_a_lost_body_is_skipped(wrong: float) -> None:
    pose = struct.pack("!2i7d", 0, 0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, wrong)
    data = COOKIE + message(-2, 9, name(b"vrpn_Tracker Pos_Quat")) + message(9, 0, pose)
    assert VrpnClientSide().receive(data) == []


def test_frames_of_cameras_and_body_give_the_pose_of_the_robot() -> None:
    frames = Frames(cameras=Y_UP, body=Y_UP.inverse())
    turned_left = Pose(np.array([1.0, 0.05, -2.0]), np.array([HALF, 0.0, HALF, 0.0]))
    pose = frames.measured(3.0, turned_left)
    assert pose.position == pytest.approx((1.0, 2.0, 0.05))
    assert to_rpy(np.array(pose.wxyz)) == pytest.approx((0.0, 0.0, math.pi / 2), abs=1e-9)


@pytest.mark.parametrize("stamp", [{"sec": 5, "nanosec": 500000000}, {"secs": 5, "nsecs": 5e8}])
def test_stamped_poses_of_both_versions_of_ros_are_read(stamp: dict[str, float]) -> None:
    position, turn = {"x": 1, "y": 2, "z": 0.5}, {"x": 0, "y": 0, "z": 0, "w": 1}
    content: dict[str, Any] = {
        "header": {"stamp": stamp},
        "pose": {"position": position, "orientation": turn},
    }
    time, pose = stamped_pose(content) or (0.0, Pose())
    assert time == 5.5
    assert pose.position.tolist() == [1.0, 2.0, 0.5]
    content["pose"]["orientation"] = {"x": 0, "y": 0, "z": 0, "w": 0}
    assert stamped_pose(content) is None
    assert stamped_pose({"pose": 3}) is None


def drive_along(source: PoseSource, port: int) -> MeasuredPose:
    """Drive the rover along the path by the poses of ``source``; return the last pose."""
    follower = PathFollower(PATH, PathDriver(law=SkidLaw(speed=0.3)))
    with join("P2DX", "rover", port=port, timeout=60) as robot:
        robot.lockstep(0.1)
        for turn in robot.turns():
            pose = source.newest(timeout=20.0)
            command = follower.steer(pose.position, pose.wxyz)
            turning = 0.5 * TRACK * command["turn"]
            robot.drive(
                (command["forward"] - turning) / RADIUS, (command["forward"] + turning) / RADIUS
            )
            if follower.arrived or turn.time > 30.0:
                break
    assert follower.arrived
    return pose


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadedServer]:
    """Serve the world with VRPN and rosbridge, as fast as lockstep permits."""
    control = UsarsimGateway(ports=((0, PortProfile()),))
    gateways = control, VrpnGateway(port=0), RosbridgeGateway(port=0)
    with ThreadedServer(parse(WORLD, where="test"), *gateways, speed=math.inf) as served:
        yield served


@pytest.mark.parametrize("kind", ["vrpn", "rosbridge"])
def test_measured_poses_lead_a_robot_along_a_path(server: ThreadedServer, kind: str) -> None:
    ports, control = server.server.ports, server.server.ports["control"]
    source: VrpnPoses | RosPoses
    if kind == "vrpn":
        source = VrpnPoses("rover", port=ports["vrpn"])
    else:
        source = RosPoses("/rover/mocap", port=ports["rosbridge"])
    with source:
        last = drive_along(source, control)
    assert math.dist(last.position[:2], PATH[-1]) < 0.06, "5 cm, and the cameras' noise"
    server.call(lambda: server.server.console("reset"))


def test_absent_tracker_topic_and_server_are_reported(server: ThreadedServer) -> None:
    ports = server.server.ports
    with (
        VrpnPoses("rovr", port=ports["vrpn"]) as poses,
        pytest.raises(NoAnswer, match="no pose of tracker 'rovr'.*announced: rover"),
    ):
        poses.newest(timeout=0.2)
    with (
        RosPoses("/rovr/mocap", port=ports["rosbridge"]) as poses,
        pytest.raises(BadValue, match="did you mean '/rover/mocap'"),
    ):
        poses.newest(timeout=5.0)
    with pytest.raises(Disconnected, match="refused"):
        VrpnPoses("rover", port=1)
    with pytest.raises(Disconnected, match="refused"):
        RosPoses("/rover/mocap", port=1)
    with (
        VrpnPoses("rover", port=ports["control"]) as poses,
        pytest.raises(Disconnected, match="VRPN: the other end begins with"),
    ):
        poses.newest(timeout=20.0)


def test_clients_that_may_not_watch_get_no_poses() -> None:
    closed = frozenset({Role.DRIVE})
    with (
        ThreadedServer(
            parse(WORLD, where="test"), VrpnGateway(port=0), open_roles=closed
        ) as served,
        VrpnPoses("rover", port=served.server.ports["vrpn"]) as poses,
        pytest.raises(Disconnected, match="closed the connection|reset"),
    ):
        poses.newest(timeout=20.0)
