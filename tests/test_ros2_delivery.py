"""ROS 2 over zenoh: every message of every type arrives, whatever other clients do."""

import signal
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.ros2_peer import EMPTY, TRIGGER, Peer, foreign_hash, free_port
from support.server_fixtures import TIMEOUT, ServerProcess, wait_until
from support.server_world import WORLD

from grouser.gateways.ros2.zenoh_names import EndpointName, read_attachment
from grouser.ros.definitions import type_hash

MESSAGES = 1000
DOMAIN = 7
MOUNTED = ("laser", "sonar", "gyroscope", "gps", "ins", "rfid")
"""Kinds of sensors; with `FURTHER`, their messages have all types."""
FURTHER = (
    "{kind: battery}, {kind: mocap, body: body}, "
    "{kind: camera, camera: ers210, mount: body, at: [0, 0, 0.3]}, "
    "{kind: depth, camera: kinect1, mount: body, at: [0, 0, 0.4]}"
)
LARGE_SCANS = "{kind: laser, resolution: 0.0006, mount: body, at: [0, 0, 0.3]}"
"""Scanner of 5,237 beams: soon, the buffers of a connection hold no more of its messages."""
ON_RESET = {
    "std_msgs/msg/String": "/own/robot_description",
    "visualization_msgs/msg/MarkerArray": "/markers",
    "rcl_interfaces/msg/Log": "/events",
}
"""Types of messages that a reset causes."""
FAST = {
    "nav_msgs/msg/Odometry": "/own/odom",
    "sensor_msgs/msg/JointState": "/own/joint_states",
    "sensor_msgs/msg/LaserScan": "/own/scan/laser",
    "sensor_msgs/msg/Range": "/own/range/sonar",
    "geometry_msgs/msg/PoseWithCovarianceStamped": "/own/ins/ins",
    "sensor_msgs/msg/CompressedImage": "/own/camera/camera/image/compressed",
    "sensor_msgs/msg/CameraInfo": "/own/camera/camera/camera_info",
    "tf2_msgs/msg/TFMessage": "/tf",
    "nav_msgs/msg/Path": "/own/plan",
}
"""The topic of 50 Hz of types with several topics: robots have slower sensors of their own, too."""
ODOMETRY, SCAN = "nav_msgs/msg/Odometry", "sensor_msgs/msg/LaserScan"
LONGEST = 3 * TIMEOUT
"""Longest wait for `MESSAGES` pictures, wall s: a busy machine renders fewer of them."""
LEASE = 10.0
"""zenoh's own lease, s: a client of a node that is silent for longer connects again."""


def sensors_of_all_kinds() -> str:
    """Return sensors of all kinds in YAML."""
    mounted = [f"{{kind: {kind}, mount: body, at: [0, 0, 0.3]}}" for kind in MOUNTED]
    return ", ".join([*mounted, FURTHER])


@contextmanager
def serve(folder: Path, sensors: str) -> Iterator[tuple[ServerProcess, Peer]]:
    """Serve a world with a robot that has sensors of 50 Hz."""
    pytest.importorskip("zenoh_ros2_sdk")
    port, fast = free_port(), sensors.replace("}", ", rate_hz: 50}")
    (world := folder / "yard.yaml").write_text(
        WORLD.replace("position: [-5, 3]", f"position: [-5, 3], sensors: [{fast}]")
    )
    options = ("--truth", "-1", "--goal", "own:-4,3", "--gateway", f"ros2:port={port},domain=7")
    small = ("--plan", "candidates=1", "--plan", "trials=1", "--plan", "rounds=1")
    with ServerProcess(folder, world, *options, *small) as server:
        peer = Peer(port, DOMAIN)
        wait_until(lambda: any("%own%odom" in token for token in peer.tokens()))
        yield server, peer
        peer.close()


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    """Return a foreign program, connected to a server with large scans."""
    with serve(tmp_path, LARGE_SCANS) as (_, peer):
        yield peer


class Numbers:
    """Numbers of received messages by type."""

    def __init__(self, peer: Peer) -> None:
        self.peer = peer
        self.of: dict[str, list[int]] = defaultdict(list)
        self._subscriptions: list[Any] = []

    def receive(self, type_: str, name: str) -> None:
        """Receive a topic."""
        key = EndpointName(DOMAIN, name, type_, foreign_hash(type_)).key

        def note(sample: Any) -> None:
            self.of[type_].append(number_of(sample))

        session = self.peer.session.session
        self._subscriptions.append(session.declare_subscriber(key, note))

    def close(self) -> None:
        for subscription in self._subscriptions:
            subscription.undeclare()

    def check(self) -> None:
        """Check that no message is missing between the first and the last one."""
        for received in self.of.values():
            assert received == list(range(received[0], received[0] + len(received)))


def topic_of_each_type(peer: Peer) -> dict[str, str]:
    """Return a topic of every published type; all hashes are those of the foreign program."""
    topics: dict[str, str] = {}
    names = set()
    for token in peer.tokens():
        if token.split("/")[5] == "MP":
            name, dds, found = token.split("/")[9:12]
            type_ = dds.removesuffix("_").replace("::dds_::", "/").replace("::", "/")
            assert found == type_hash(type_) == foreign_hash(type_)
            topics[type_] = name.replace("%", "/")
            names.add(topics[type_])
    assert names >= {*FAST.values(), *ON_RESET.values()}
    return topics | FAST | ON_RESET


@pytest.mark.slow
def test_every_message_of_every_type_arrives_and_hashes_are_equal(tmp_path: Path) -> None:
    with serve(tmp_path, sensors_of_all_kinds()) as (server, peer):
        check_all(peer)
        assert "Traceback" not in server.log


def check_all(peer: Peer) -> None:
    """Check that a foreign program receives `MESSAGES` of every type, and all of them."""
    topics = topic_of_each_type(peer)
    assert len(topics) == 21
    numbers = Numbers(peer)
    for type_ in ON_RESET:
        numbers.receive(type_, topics.pop(type_))
    peer.call_often("/reset", EMPTY, MESSAGES)
    wait_until(lambda: all(len(numbers.of[type_]) >= MESSAGES for type_ in ON_RESET))
    assert peer.call("/own/path_plan").success
    for type_, name in topics.items():
        numbers.receive(type_, name)
    assert all(answer.success for answer in peer.call_often("/own/best_path", TRIGGER, MESSAGES))
    needed = dict.fromkeys(topics, MESSAGES)
    wait_until(lambda: all(len(numbers.of[type_]) >= n for type_, n in needed.items()), LONGEST)
    numbers.check()
    numbers.close()


@pytest.mark.slow
def test_client_that_does_not_read_costs_others_no_message(peer: Peer) -> None:
    from zenoh.handlers import FifoChannel

    numbers = Numbers(peer)
    numbers.receive(ODOMETRY, "/own/odom")
    stalled, late = peer.another_session(), list[int]()
    key = EndpointName(DOMAIN, "/own/scan/laser", SCAN, foreign_hash(SCAN)).key
    subscription = stalled.declare_subscriber(key, FifoChannel(1))
    wait_until(lambda: len(numbers.of[ODOMETRY]) >= MESSAGES)
    numbers.check()
    # It has lost messages, so that others would have had to wait for it; then it goes on.
    while not late or late[-1] - late[0] + 1 == len(late):
        late.append(number_of(subscription.recv()))
        assert len(late) < MESSAGES
    assert number_of(subscription.recv()) > late[-1]
    subscription.undeclare()
    numbers.close()
    stalled.close()


def number_of(sample: Any) -> int:
    found = read_attachment(sample.attachment.to_bytes())
    assert found is not None
    return found[0]


@pytest.mark.slow
def test_server_that_is_silent_for_a_while_keeps_its_clients(tmp_path: Path) -> None:
    with serve(tmp_path, LARGE_SCANS) as (server, peer):
        check_silence(server, peer)


def check_silence(server: ServerProcess, peer: Peer) -> None:
    """Check that no message is lost while a server stands still for longer than `LEASE`."""
    numbers = Numbers(peer)
    numbers.receive(ODOMETRY, "/own/odom")
    wait_until(lambda: len(numbers.of[ODOMETRY]) >= 10)
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(1.3 * LEASE)
    server.process.send_signal(signal.SIGCONT)
    count = len(numbers.of[ODOMETRY])
    wait_until(lambda: len(numbers.of[ODOMETRY]) >= count + 100)
    numbers.check()
    numbers.close()
