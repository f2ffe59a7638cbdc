"""ROS 2 over zenoh against a foreign implementation, zenoh-ros2-sdk."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.ros2_peer import HASHES, Peer, free_port
from support.server_fixtures import CONTROL_ONLY, ServerProcess, wait_until
from support.server_world import WORLD

from grouser.errors import BadValue
from grouser.gateways.gateway import describe_gateway
from grouser.gateways.ros2.session import NodeOptions, open_session
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
from grouser.ros.definitions import deserialize
from grouser.ros.services import service_hash
from grouser.service.access import AccessControl, Token


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
    gateway: Any = describe_gateway("ros2", {}, "here")
    with pytest.raises(BadValue, match="this server needs tokens, and ROS 2 has none"):
        gateway.start(context_of(Token("open-sesame-12345")))


USERS = """{transport: {auth: {usrpwd: {
  user: "grouser", password: "not shown to clients", dictionary_file: "FILE"}}}}"""


@pytest.fixture
def users(tmp_path: Path) -> Path:
    """Return settings of zenoh with one user."""
    (names := tmp_path / "users.txt").write_text("lab:open-sesame\n")
    (config := tmp_path / "zenoh.json5").write_text(USERS.replace("FILE", str(names)))
    return config


def context_of(*tokens: Token) -> Any:
    access = AccessControl(tokens, "127.0.0.1", clock=lambda: 0.0)
    return SimpleNamespace(registry=SimpleNamespace(access=access))


@pytest.mark.parametrize(
    ("options", "settings", "tokens"),
    [
        ({}, "{}", (Token("open-sesame-12345"),)),
        ({"address": "0.0.0.0"}, "{}", ()),
        ({}, '{listen: {endpoints: {router: ["tcp/0.0.0.0:7447"]}}}', ()),
        ({}, "{transport: {link: {tls: {enable_mtls: true}}}}", (Token("open-sesame-12345"),)),
        ({"mode": "client"}, "{}", (Token("open-sesame-12345"),)),
    ],
)
def test_configuration_that_admits_every_program_is_refused(
    tmp_path: Path, options: dict[str, Any], settings: str, tokens: tuple[Token, ...]
) -> None:
    pytest.importorskip("zenoh")
    (config := tmp_path / "zenoh.json5").write_text(settings)
    gateway: Any = describe_gateway("ros2", options | {"config": str(config)}, "here")
    with pytest.raises(BadValue, match="admits every program"):
        gateway.start(context_of(*tokens))
    config.write_text("{transport: ")
    with pytest.raises(BadValue, match="zenoh.json5"):
        gateway.start(context_of(*tokens))


def test_zenoh_admits_its_users_only(users: Path) -> None:
    zenoh, port = pytest.importorskip("zenoh"), free_port()
    gateway: Any = describe_gateway("ros2", {"port": port, "config": str(users)}, "here")
    node = open_session(NodeOptions(7, True, gateway.zenoh_settings(), str(users)))
    received: list[str] = []
    subscriber = node.declare_subscriber("a", lambda one: received.append(one.payload.to_string()))
    for name, password in (
        ("lab", "open-sesame"),
        ("lab", "wrong"),
        ("eve", "open-sesame"),
        ("", ""),
    ):
        config = zenoh.Config()
        config.insert_json5("mode", '"client"')
        config.insert_json5("connect/endpoints", f'["tcp/127.0.0.1:{port}"]')
        if name:
            config.insert_json5("transport/auth/usrpwd/user", json.dumps(name))
            config.insert_json5("transport/auth/usrpwd/password", json.dumps(password))
        if password == "open-sesame" and name == "lab":
            with zenoh.open(config) as client:
                client.put("a", name)
                wait_until(lambda: received == ["lab"])
        else:
            with pytest.raises(zenoh.ZError, match="Unable to connect"):
                zenoh.open(config)
    subscriber.undeclare()
    node.close()


@pytest.mark.slow
def test_server_with_tokens_serves_the_users_of_zenoh(tmp_path: Path, users: Path) -> None:
    zenoh, port = pytest.importorskip("zenoh"), free_port()
    (world := tmp_path / "yard.yaml").write_text(WORLD)
    gateway = ("--gateway", f"ros2:port={port},config={users},hashes=false")
    with ServerProcess(tmp_path, world, *CONTROL_ONLY, *gateway, token="open-sesame-12345"):
        config = zenoh.Config()
        for key, value in (
            ("mode", '"client"'),
            ("connect/endpoints", f'["tcp/127.0.0.1:{port}"]'),
            ("transport/auth/usrpwd/user", '"lab"'),
        ):
            config.insert_json5(key, value)
        with pytest.raises(zenoh.ZError, match="Unable to connect"):
            zenoh.open(config)
        config.insert_json5("transport/auth/usrpwd/password", '"open-sesame"')
        received: list[Any] = []
        with zenoh.open(config) as client:
            key = f"0/clock/rosgraph_msgs::msg::dds_::Clock_/{NO_HASH}"
            client.declare_subscriber(key, received.append)
            wait_until(lambda: len(received) > 3)


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
