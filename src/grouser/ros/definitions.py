"""ROS 2 message definitions, their type hashes, and CDR serialisation, by the package rosbags.

The definitions are those of ROS 2 Jazzy and the ones in `DEFINITIONS`, which have no counterpart
there.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from grouser.errors import MissingDependency

DEFINITIONS = {
    "grouser_msgs/msg/Action": """
        std_msgs/Header header
        uint64 step
        uint64 passed
        uint64 scheduled
        bool internal
        string source
        string kind
        string text
        uint8[] content
    """,
    "grouser_msgs/msg/Command": """
        std_msgs/Header header
        string source
        string[] names
        string[] modes
        float64[] values
    """,
    "grouser_msgs/msg/PictureHash": """
        std_msgs/Header header
        string sha256
        uint32 width
        uint32 height
    """,
    "grouser_msgs/msg/Reading": """
        std_msgs/Header header
        string kind
        string[] names
        uint32[] sizes
        float64[] values
    """,
    "grouser_msgs/msg/Scene": """
        std_msgs/Header header
        uint32 scene
        string name
        uint8[] content
    """,
    "grouser_msgs/msg/Snapshot": """
        std_msgs/Header header
        uint64 passed
        uint64 scheduled
        uint64 actions
        uint8[] content
    """,
    "grouser_msgs/msg/State": """
        std_msgs/Header header
        uint32 scene
        float64[] qpos
        float64[] mocap
    """,
    "grouser_msgs/msg/StateHash": """
        std_msgs/Header header
        uint64 step
        uint64 passed
        string fingerprint
        string[] parts
        uint64[] hashes
    """,
}
"""Definitions beside those of ROS 2, by type name."""

EXTRA = "pip install 'grouser[record]'"
"""Command that installs the optional packages."""


@cache
def type_store() -> Any:
    """Return the store of all message types.

    Raises:
        MissingDependency: rosbags is not installed.
    """
    try:
        from rosbags.typesys import Stores, get_types_from_msg, get_typestore
    except ImportError as error:
        raise MissingDependency(f"ROS messages need the package rosbags: {EXTRA}") from error
    store = get_typestore(Stores.ROS2_JAZZY)
    for name, text in DEFINITIONS.items():
        store.register(get_types_from_msg("\n".join(map(str.strip, text.split("\n"))), name))
    return store


@cache
def message_type(name: str) -> Any:
    """Return the class of messages of type ``name``, such as ``sensor_msgs/msg/Imu``."""
    return type_store().types[name]


@cache
def definition_text(name: str) -> str:
    """Return the definition of a type and of all types that it contains."""
    text: str = type_store().generate_msgdef(name, ros_version=2)[0]
    return text


@cache
def type_hash(name: str) -> str:
    """Return the hash of a type, ``RIHS01_…``."""
    found: str = type_store().hash_rihs01(name)
    return found


def known_hash(name: str) -> str:
    """Return the `type_hash`; empty for an unknown type."""
    return type_hash(name) if name in type_store().types else ""


def serialize(message: Any) -> bytes:
    """Return a message as CDR."""
    return bytes(type_store().serialize_cdr(message, message.__msgtype__))


def deserialize(content: bytes, name: str) -> Any:
    """Return the message of type ``name`` in ``content``, CDR."""
    return type_store().deserialize_cdr(content, name)
