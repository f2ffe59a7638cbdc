"""MCAP file in a rosbag2 folder: channels, messages, attachments, and ``metadata.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from grouser import files
from grouser.errors import MissingDependency
from grouser.ros.definitions import EXTRA, definition_text, known_hash, serialize, type_hash

COMPRESSIONS = ("zstd", "lz4", "none")
CHUNK_BYTES = 1 << 20
RESERVE_BYTES = 1 << 21
"""Size of the file that is deleted when the disk is full, so that the recording can be closed."""
RESERVE = ".reserve"

LATCHED = [
    {
        "history": "keep_last",
        "depth": 1,
        "reliability": "reliable",
        "durability": "transient_local",
        "deadline": {"sec": 9223372036, "nsec": 854775807},
        "lifespan": {"sec": 9223372036, "nsec": 854775807},
        "liveliness": "automatic",
        "liveliness_lease_duration": {"sec": 9223372036, "nsec": 854775807},
        "avoid_ros_namespace_conventions": False,
    }
]
"""Quality of service of topics whose last message a late subscriber receives."""


@dataclass
class TopicCount:
    """Topic of a bag and the number of its messages."""

    name: str
    type: str
    latched: bool = False
    messages: int = 0
    channel: int = 0


class BagWriter:
    """Writer of one recording.

    Args:
        folder: new folder of the recording.
        compression: zstd, lz4 or none.

    Raises:
        MissingDependency: mcap is not installed.
        OSError: the folder cannot be written.
    """

    def __init__(self, folder: Path, compression: str = "zstd") -> None:
        try:
            from mcap.writer import CompressionType, Writer
        except ImportError as error:
            raise MissingDependency(f"recordings need the package mcap: {EXTRA}") from error
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RESERVE).write_bytes(bytes(RESERVE_BYTES))
        self.path = bag_file(folder)
        self._stream = self.path.open("wb")
        self.topics: dict[str, TopicCount] = {}
        self.first: int | None = None
        """Time of the first message, ns."""
        self.last = 0
        self._schemas: dict[str, int] = {}
        self._writer: Any = Writer(
            self._stream,
            chunk_size=CHUNK_BYTES,
            compression=CompressionType[compression.upper()],
            enable_data_crcs=True,
        )
        self._writer.start("ros2", "grouser")

    def write(self, topic: str, message: Any, time: int, *, latched: bool = False) -> None:
        """Write a message at ``time`` (ns)."""
        content = serialize(message)
        self.write_content(topic, message.__msgtype__, content, time, latched=latched)

    def write_content(
        self, topic: str, kind: str, content: bytes, time: int, *, latched: bool = False
    ) -> None:
        """Write a serialised message of type ``kind`` at ``time`` (ns)."""
        known = self.topics.get(topic) or self._add_topic(topic, kind, latched)
        known.messages += 1
        self.first = time if self.first is None else min(time, self.first)
        self.last = max(time, self.last)
        self._writer.add_message(known.channel, time, content, time, known.messages)

    def _add_topic(self, topic: str, kind: str, latched: bool) -> TopicCount:
        if kind not in self._schemas:
            self._schemas[kind] = self._writer.register_schema(
                kind, "ros2msg", definition_text(kind).encode()
            )
        quality = yaml.safe_dump(LATCHED, sort_keys=False) if latched else ""
        known = self.topics[topic] = TopicCount(topic, kind, latched)
        known.channel = self._writer.register_channel(
            topic,
            "cdr",
            self._schemas[kind],
            {"offered_qos_profiles": quality, "topic_type_hash": type_hash(kind)},
        )
        return known

    def attach(self, name: str, content: bytes, media_type: str, time: int) -> None:
        """Attach a file."""
        self.flush()
        self._writer.add_attachment(time, time, name, media_type, content)

    def add_metadata(self, name: str, values: Mapping[str, str]) -> None:
        """Add keys and values."""
        self._writer.add_metadata(name, dict(values))

    def flush(self) -> None:
        """Pass everything so far to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Complete the file and write ``metadata.yaml``."""
        self._writer.finish()
        self._stream.close()
        write_metadata(self.path, self.topics.values(), self.first, self.last)
        (self.folder / RESERVE).unlink(missing_ok=True)

    def abort(self) -> None:
        """Close the file as it is, and release the reserve."""
        with suppress(OSError):
            self._stream.close()
        with suppress(OSError):
            (self.folder / RESERVE).unlink(missing_ok=True)


def bag_file(folder: Path) -> Path:
    """Return the MCAP file of a new recording."""
    return folder / f"{folder.resolve().name}_0.mcap"


def write_metadata(path: Path, topics: Iterable[TopicCount], first: int | None, last: int) -> None:
    """Write rosbag2's ``metadata.yaml``, version 9, beside the file ``path``."""
    topics = list(topics)
    begin, total = first or 0, sum(topic.messages for topic in topics)
    span = {
        "duration": {"nanoseconds": last - begin},
        "starting_time": {"nanoseconds_since_epoch": begin},
        "message_count": total,
    }
    described = [
        {
            "topic_metadata": {
                "name": topic.name,
                "type": topic.type,
                "serialization_format": "cdr",
                "offered_qos_profiles": LATCHED if topic.latched else [],
                "type_description_hash": known_hash(topic.type),
            },
            "message_count": topic.messages,
        }
        for topic in topics
    ]
    name = path.name
    information = {
        "version": 9,
        "storage_identifier": "mcap",
        **span,
        "topics_with_message_count": described,
        "compression_format": "",
        "compression_mode": "",
        "relative_file_paths": [name],
        "files": [{"path": name, **span}],
        "custom_data": None,
        "ros_distro": "jazzy",
    }
    text = yaml.dump(
        {"rosbag2_bagfile_information": information}, Dumper=_PlainDumper, sort_keys=False
    )
    files.write_text(path.with_name("metadata.yaml"), text)


class _PlainDumper(yaml.SafeDumper):
    """Dumper without anchors, which rosbag2's reader does not expect."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True: repeat equal values."""
        return True
