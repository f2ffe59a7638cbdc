"""Foreign ROS 2 program over zenoh: zenoh-ros2-sdk."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grouser.gateways.ros2.zenoh_names import EndpointName
from grouser.ros.definitions import definition_text
from grouser.ros.services import service_hash
from support.server_fixtures import TIMEOUT

HASHES = {
    "std_srvs/srv/Trigger": "eeff2cd6fa5ad9d27cdf4dec64818317839b62f212a91e6b5304b634b2062c5f",
    "example_interfaces/srv/AddTwoInts": (
        "e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    ),
}
"""Hashes of services as ROS 2 Jazzy has them."""


def free_port() -> int:
    """Return a port that was free a moment ago."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


TRIGGER, EMPTY = "std_srvs/srv/Trigger", "std_srvs/srv/Empty"
EMPTY_DEFINITION = "uint8 structure_needs_at_least_one_member"
NO_ARGUMENTS = {"structure_needs_at_least_one_member": 0}
RESPONSES = {TRIGGER: "bool success\nstring message", EMPTY: EMPTY_DEFINITION}
"""Definitions of the responses of services."""


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
        with self.client(name, TRIGGER) as client:
            return client.call(**NO_ARGUMENTS)

    @contextmanager
    def client(self, name: str, kind: str) -> Iterator[Any]:
        """Return a client of a service."""
        from zenoh_ros2_sdk import service_client

        client = service_client.ROS2ServiceClient(
            name, kind, request_definition=EMPTY_DEFINITION,
            response_definition=RESPONSES[kind], timeout=TIMEOUT, type_hash=service_hash(kind),
            **self.more,
        )  # fmt: skip
        try:
            yield client
        finally:
            client.close()

    def call_often(self, name: str, kind: str, count: int) -> list[Any]:
        """Call a service ``count`` times, one after the other; return the responses."""
        with self.client(name, kind) as client:
            return [client.call(**NO_ARGUMENTS) for _ in range(count)]

    def another_session(self) -> Any:
        """Return a session of zenoh of its own, with a small buffer."""
        import zenoh

        config = zenoh.Config()
        address = f'["tcp/127.0.0.1:{self.more["router_port"]}#so_rcvbuf=65536"]'
        for key, value in (("mode", '"client"'), ("connect/endpoints", address)):
            config.insert_json5(key, value)
        return zenoh.open(config)


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
