"""ROS 2 over zenoh against a foreign implementation, zenoh-ros2-sdk."""

import socket
from collections import defaultdict
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess, wait_until
from support.server_world import WORLD

from grouser.errors import BadValue
from grouser.gateways.gateway import describe_gateway
from grouser.gateways.ros2.zenoh_names import (
    NO_HASH,
    QOS_LATCHED,
    QOS_VOLATILE,
    EndpointName,
    NodeName,
    attachment,
    identifier,
    mangle,
    read_attachment,
)
from grouser.ros.definitions import definition_text, deserialize, type_hash
from grouser.ros.services import service_hash
from grouser.service.access import AccessControl, Token

HASHES = {
    "std_srvs/srv/Trigger": "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
    "example_interfaces/srv/AddTwoInts": (
        "e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    ),
}
"""Hashes of services as ROS 2 Jazzy has them."""
MESSAGES = 1000


def test_hashes_of_services_are_those_of_ros() -> None:
    assert service_hash("std_srvs/srv/Trigger") == f"RIHS01_{HASHES['std_srvs/srv/Trigger']}"
    added = service_hash("example_interfaces/srv/AddTwoInts", "int64 a\nint64 b", "int64 sum")
    assert added == f"RIHS01_{HASHES['example_interfaces/srv/AddTwoInts']}"


def test_keys_and_tokens_are_those_of_a_foreign_implementation() -> None:
    sdk = pytest.importorskip("zenoh_ros2_sdk")
    keyexpr, entity = sdk.keyexpr, sdk.entity
    topic = EndpointName(7, "/one/scan", "sensor_msgs/msg/LaserScan", "RIHS01_0")
    assert topic.key == keyexpr.topic_keyexpr(7, topic.name, topic.dds_type, topic.hash)
    node = NodeName(7, "abc", "grouser")
    other = entity.NodeEntity(7, "abc", 0, "grouser", "/")
    assert node.token == keyexpr.node_liveliness_keyexpr(other)
    for kind in entity.EntityKind:
        if kind is entity.EntityKind.NODE:
            continue
        endpoint = entity.EndpointEntity(
            other, 3, kind, topic.name, topic.dds_type, topic.hash, QOS_VOLATILE
        )
        token = keyexpr.endpoint_liveliness_keyexpr(endpoint)
        assert node.endpoint_token(3, kind.value, topic, QOS_VOLATILE) == token
    qos = sdk.qos
    assert qos.QosProfile().encode() == QOS_VOLATILE
    latched = qos.QosProfile(durability=qos.QosDurability.TRANSIENT_LOCAL, history_depth=1)
    assert latched.encode() == QOS_LATCHED
    found = sdk.attachment.Attachment.from_bytes(attachment(5, 6, identifier("x")))
    assert (found.sequence_id, found.timestamp_ns, found.gid) == (5, 6, identifier("x"))


def test_attachments_are_read_back() -> None:
    gid = identifier("x")
    assert read_attachment(attachment(1, -2, gid)) == (1, -2, gid)
    for wrong in (b"", attachment(1, 2, gid)[:-1], attachment(1, 2, gid)[:16] + b"\7" + gid):
        assert read_attachment(wrong) is None
    assert mangle("/a/b") == "%a%b"


def test_address_beyond_this_machine_needs_a_configuration() -> None:
    gateway: Any = describe_gateway("ros2", {"address": "0.0.0.0"}, "here")
    with pytest.raises(BadValue, match="ROS 2 has no tokens"):
        gateway.start(None)
    missing: Any = describe_gateway("ros2", {"config": "/no/such/file.json5"}, "here")
    with pytest.raises(BadValue, match="there is no file"):
        missing.start(None)


def test_server_with_tokens_needs_a_configuration() -> None:
    access = AccessControl((Token("open-sesame-12345"),), "127.0.0.1", clock=lambda: 0.0)
    context: Any = SimpleNamespace(registry=SimpleNamespace(access=access))
    gateway: Any = describe_gateway("ros2", {}, "here")
    with pytest.raises(BadValue, match="this server needs tokens, and ROS 2 has none"):
        gateway.start(context)


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


class Peer:
    """Foreign ROS 2 program."""

    def __init__(self, port: int, domain: int) -> None:
        from zenoh_ros2_sdk import session

        session.ZenohSession._instance = None  # one session for each server
        self.session = session.ZenohSession.get_instance("127.0.0.1", port)
        self.more: dict[str, Any] = {"router_port": port, "domain_id": domain}
        self.last: dict[str, Any] = {}

    def close(self) -> None:
        self.session.session.close()

    def tokens(self) -> list[str]:
        """Return all tokens of the network."""
        replies = self.session.liveliness.get("@ros2_lv/**", timeout=5.0)
        return [str(reply.ok.key_expr) for reply in replies if reply.ok is not None]

    def subscribe(self, name: str, kind: str) -> Any:
        """Subscribe to a topic; its last message is in `last`."""
        from zenoh_ros2_sdk import subscriber

        def receive(message: Any) -> None:
            self.last[name] = message

        self.register(kind)
        return subscriber.ROS2Subscriber(
            name, kind, receive, msg_definition=main_part(kind), type_hash=foreign_hash(kind),
            **self.more,
        )  # fmt: skip

    def late_subscriber(self, name: str, kind: str, receive: Any) -> Any:
        """Subscribe to a topic and its last message, as rmw_zenoh does."""
        import zenoh.ext

        return zenoh.ext.declare_advanced_subscriber(
            self.session.session,
            EndpointName(7, name, kind, foreign_hash(kind)).key,
            receive,
            history=zenoh.ext.HistoryConfig(detect_late_publishers=True, max_samples=1),
        )

    def publisher(self, name: str, kind: str) -> Any:
        from zenoh_ros2_sdk import publisher

        self.register(kind)
        return publisher.ROS2Publisher(
            name, kind, msg_definition=main_part(kind), type_hash=foreign_hash(kind), **self.more
        )

    def register(self, kind: str) -> None:
        """Register a type and those that it contains."""
        for name, text in {**parts(kind), kind: main_part(kind)}.items():
            self.session.register_message_type(text, name)

    def call(self, name: str) -> Any:
        """Call a Trigger."""
        from zenoh_ros2_sdk import service_client

        kind = "std_srvs/srv/Trigger"
        client = service_client.ROS2ServiceClient(
            name, kind, request_definition="uint8 structure_needs_at_least_one_member",
            response_definition="bool success\nstring message", timeout=TIMEOUT,
            type_hash=f"RIHS01_{HASHES[kind]}", **self.more,
        )  # fmt: skip
        try:
            return client.call(structure_needs_at_least_one_member=0)
        finally:
            client.close()


def parts(kind: str) -> dict[str, str]:
    """Return the definitions of the types that ``kind`` contains."""
    _, *others = definition_text(kind).split("=" * 80 + "\nMSG: ")
    found = {}
    for other in others:
        name, _, text = other.partition("\n")
        found[name.replace("/", "/msg/") if "/msg/" not in name else name] = text
    return found


def main_part(kind: str) -> str:
    return definition_text(kind).split("=" * 80)[0]


def foreign_hash(kind: str) -> str:
    """Return the hash of a type by the foreign implementation."""
    from zenoh_ros2_sdk.utils import compute_type_hash_from_msg

    found: str = compute_type_hash_from_msg(kind, main_part(kind), parts(kind))
    return found


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, Peer]]:
    pytest.importorskip("zenoh_ros2_sdk")
    folder, port = tmp_path_factory.mktemp("ros2"), free_port()
    sensors = "sensors: standard"
    (world := folder / "yard.yaml").write_text(
        WORLD.replace("position: [-5, 3]", f"position: [-5, 3], {sensors}")
    )
    gateway = ("--gateway", f"ros2:port={port},domain=7")
    with ServerProcess(folder, world, *CONTROL_ONLY, *gateway) as server:
        peer = Peer(port, 7)
        yield server, peer
        peer.close()


@pytest.mark.slow
def test_foreign_node_discovers_topics_drives_and_calls(served: tuple[ServerProcess, Peer]) -> None:
    server, peer = served
    wait_until(lambda: any("%own%odom" in token for token in peer.tokens()))
    tokens = peer.tokens()
    assert any(token.endswith("/NN/%/%/grouser") for token in tokens)
    assert {token.split("/")[5] for token in tokens} == {"NN", "MP", "MS", "SS"}
    odometry = peer.subscribe("/own/odom", "nav_msgs/msg/Odometry")
    wait_until(lambda: "/own/odom" in peer.last)
    start = peer.last["/own/odom"].pose.pose.position.x
    drive = peer.publisher("/own/cmd_vel", "geometry_msgs/msg/Twist")
    twist, vector = (
        peer.session.store.types[f"geometry_msgs/msg/{n}"] for n in ("Twist", "Vector3")
    )
    moving = twist(linear=vector(x=0.3, y=0.0, z=0.0), angular=vector(x=0.0, y=0.0, z=0.0))

    def driven() -> bool:
        drive.publish(linear=moving.linear, angular=moving.angular)
        return bool(peer.last["/own/odom"].pose.pose.position.x > start + 0.3)

    wait_until(driven)
    refused = peer.call("/own/reset_pose")
    assert (refused.success, "belongs to another client" in refused.message) == (False, True)
    drive.close()  # its robot stops and is free again
    wait_until(lambda: peer.call("/own/reset_pose").success)
    texts: list[Any] = []
    latched = peer.late_subscriber("/own/robot_description", "std_msgs/msg/String", texts.append)
    wait_until(lambda: texts)
    content = deserialize(texts[0].payload.to_bytes(), "std_msgs/msg/String")
    assert content.data.startswith("<robot")
    odometry.close()
    latched.undeclare()
    assert "Traceback" not in server.log


@pytest.mark.slow
def test_every_message_of_every_type_arrives_and_hashes_are_equal(
    served: tuple[ServerProcess, Peer],
) -> None:
    _, peer = served
    wait_until(lambda: any("%own%odom" in token for token in peer.tokens()))
    topics: dict[str, str] = {}
    for token in peer.tokens():
        kind, name, dds, found = token.split("/")[5], *token.split("/")[9:12]
        if kind == "MP" and "/7/" in token:
            type_ = dds.removesuffix("_").replace("::dds_::", "/").replace("::", "/")
            assert found == type_hash(type_) == foreign_hash(type_)
            topics.setdefault(type_, name.replace("%", "/"))
    assert len(topics) > 8
    numbers: dict[str, list[int]] = defaultdict(list)
    subscriptions = []
    for type_, name in topics.items():
        key = EndpointName(7, name, type_, foreign_hash(type_)).key

        def receive(sample: Any, name: str = name) -> None:
            found = read_attachment(sample.attachment.to_bytes())
            assert found is not None
            numbers[name].append(found[0])

        subscriptions.append(peer.session.session.declare_subscriber(key, receive))
    often = {name for kind, name in topics.items() if kind in FAST}
    wait_until(lambda: all(len(numbers[name]) >= MESSAGES for name in often))
    for received in numbers.values():
        assert received == list(range(received[0], received[0] + len(received)))
    for subscription in subscriptions:
        subscription.undeclare()


FAST = {
    "nav_msgs/msg/Odometry", "sensor_msgs/msg/JointState", "tf2_msgs/msg/TFMessage",
    "rosgraph_msgs/msg/Clock", "sensor_msgs/msg/LaserScan", "std_msgs/msg/Float64",
}  # fmt: skip
"""Types of periodic messages."""


@pytest.mark.slow
def test_humble_has_no_hashes_and_a_peer_connects_to_a_router(tmp_path: Path) -> None:
    zenoh, port = pytest.importorskip("zenoh"), free_port()
    config = zenoh.Config()
    for key, value in (
        ("mode", '"router"'),
        ("listen/endpoints", f'["tcp/127.0.0.1:{port}"]'),
        ("scouting/multicast/enabled", "false"),
    ):
        config.insert_json5(key, value)
    (world := tmp_path / "yard.yaml").write_text(WORLD)
    with zenoh.open(config) as router:
        for mode in ("peer", "client"):
            gateway = ("--gateway", f"ros2:mode={mode},port={port},hashes=false")
            received: list[Any] = []
            key = f"0/clock/rosgraph_msgs::msg::dds_::Clock_/{NO_HASH}"
            subscriber = router.declare_subscriber(key, received.append)
            with ServerProcess(tmp_path, world, *CONTROL_ONLY, *gateway):
                wait_until(partial(_holds, received, 4))
            subscriber.undeclare()


def _holds(received: list[Any], count: int) -> bool:
    return len(received) >= count
