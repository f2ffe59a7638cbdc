"""Keys, tokens and attachments of rmw_zenoh: how ROS 2 nodes find each other over zenoh.

A topic or service has the key ``DOMAIN/NAME/PACKAGE::msg::dds_::TYPE_/HASH``. Every node and
endpoint declares a liveliness token ``@ros2_lv/…`` with its name, type and quality of service. A
message carries an attachment: its number, its time and the identifier of its publisher.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import Literal

SPACE = "@ros2_lv"
"""Beginning of all tokens."""
NO_HASH = "TypeHashNotSupported"
"""Hash of all types in ROS 2 Humble."""
ENCLAVE = NAMESPACE = "%"
"""Root: no enclave, no namespace."""
QOS_VOLATILE = "::,10:,:,:,,"
"""Quality of service in a token: reliable, volatile, keep last 10."""
QOS_LATCHED = ":1:,1:,:,:,,"
"""Reliable, transient local, keep last 1."""

EndpointKind = Literal["MP", "MS", "SS", "SC"]
"""Publisher, subscription, service, client of a service."""

_ATTACHMENT = struct.Struct("<qqB16s")


@dataclass(frozen=True)
class EndpointName:
    """Topic or service of a domain."""

    domain: int
    name: str
    """With leading slash."""
    type: str
    """Such as ``sensor_msgs/msg/Imu``."""
    hash: str
    """``RIHS01_…``, or `NO_HASH`."""

    @property
    def dds_type(self) -> str:
        """Type as in keys."""
        package, kind, name = self.type.split("/")
        return f"{package}::{kind}::dds_::{name}_"

    @property
    def key(self) -> str:
        """Key of its messages."""
        return f"{self.domain}/{self.name.strip('/')}/{self.dds_type}/{self.hash}"


@dataclass(frozen=True)
class NodeName:
    """Node of a zenoh session."""

    domain: int
    session: str
    """Identifier of the session."""
    name: str

    @property
    def token(self) -> str:
        """Token of the node, which has the number 0 in its session."""
        path = f"{SPACE}/{self.domain}/{self.session}/0/0/NN"
        return f"{path}/{ENCLAVE}/{NAMESPACE}/{mangle(self.name)}"

    def endpoint_token(
        self, number: int, kind: EndpointKind, endpoint: EndpointName, qos: str
    ) -> str:
        """Return the token of the endpoint ``number`` of the session."""
        path = f"{SPACE}/{self.domain}/{self.session}/0/{number}/{kind}"
        node = f"{ENCLAVE}/{NAMESPACE}/{mangle(self.name)}"
        named = f"{mangle(endpoint.name)}/{endpoint.dds_type}/{endpoint.hash}"
        return f"{path}/{node}/{named}/{qos}"


def mangle(name: str) -> str:
    """Return a name with ``%`` for ``/``."""
    return name.replace("/", "%")


def publishers_of(endpoint: EndpointName) -> str:
    """Return the key expression of the tokens of all publishers of a topic."""
    # session, node, endpoint, MP, enclave, namespace, node name, topic, type, hash, qos
    named = f"{mangle(endpoint.name)}/{endpoint.dds_type}/{endpoint.hash}"
    return f"{SPACE}/{endpoint.domain}/*/*/*/MP/*/*/*/{named}/*"


def identifier(token: str) -> bytes:
    """Return the identifier of an endpoint, 16 bytes."""
    return hashlib.sha256(token.encode()).digest()[:16]


def attachment(number: int, time: int, gid: bytes) -> bytes:
    """Return the attachment of a message.

    Args:
        number: of the message.
        time: ns.
        gid: identifier of its publisher.
    """
    return _ATTACHMENT.pack(number, time, 16, gid)


def read_attachment(data: bytes) -> tuple[int, int, bytes] | None:
    """Return number, time (ns) and identifier in an attachment; None: it is malformed."""
    if len(data) != _ATTACHMENT.size:
        return None
    number, time, length, gid = _ATTACHMENT.unpack(data)
    return (number, time, gid) if length == len(gid) else None
