"""Small valid recordings, and readers of their damaged copies."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from mcap.writer import CompressionType, Writer

from grouser.errors import GrouserError
from grouser.evaluation.bags import bag_columns
from grouser.frames import Pose
from grouser.recording.playback import Playback
from grouser.recording.recording import Recording
from grouser.recording.repair import recover
from grouser.recording.tables import robot_tables
from grouser.ros import messages
from grouser.ros.definitions import definition_text, message_type, serialize
from grouser.simulation import references
from grouser.simulation.changes.actions import SendMessage
from grouser.simulation.world_content import sha256, world_content
from grouser.world.file import as_world
from support.damaged_files import FileKind

ODOMETRY = "/rex/odom"
FILE_NAME = "run_0.mcap"
METADATA = {"timestep": "0.002", "passed": "0", "seed": "1", "scheduled": "0", "fresh": "true"}
POSE = Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]))
WORLD = {"name": "flat", "terrain": [{"kind": "flat"}], "robots": []}


def small_recording() -> bytes:
    """Return a file with each kind of message that a replay reads, in chunks without checksums."""
    stream = BytesIO()
    writer: Any = Writer(
        stream, compression=CompressionType.NONE, enable_crcs=False, chunk_size=2000
    )
    writer.start("ros2", "grouser")
    writer.add_metadata("grouser", METADATA)
    writer.add_metadata("grouser/end", {"time": "1", "passed": "10", "dropped": "0"})
    note = b"a file"
    writer.add_attachment(0, 0, f"files/{sha256(note)}/note.txt", "text/plain", note)
    channels: dict[str, int] = {}
    for time, (topic, message) in enumerate(_messages()):
        kind = message.__msgtype__
        if topic not in channels:
            schema = writer.register_schema(kind, "ros2msg", definition_text(kind).encode())
            channels[topic] = writer.register_channel(topic, "cdr", schema)
        writer.add_message(channels[topic], time, serialize(message), time)
    writer.finish()
    return stream.getvalue()


def _messages() -> list[tuple[str, Any]]:
    """Return topics and messages."""
    head = messages.header(0)
    world = np.frombuffer(world_content(as_world(WORLD)).description, np.uint8)
    action = references.dump(SendMessage("on"), lambda _: None)
    energy = message_type("std_msgs/msg/Float64")
    return [
        ("/grouser/scene", message_type("grouser_msgs/msg/Scene")(head, 0, "flat", world)),
        (
            "/grouser/state",
            message_type("grouser_msgs/msg/State")(head, 0, np.zeros(2), np.zeros(0)),
        ),
        (
            "/grouser/state_hash",
            message_type("grouser_msgs/msg/StateHash")(
                head, 0, 0, "0f", ["world/time"], np.array([1], np.uint64)
            ),
        ),
        (
            "/grouser/action",
            message_type("grouser_msgs/msg/Action")(
                *(head, 1, 1, 0, False, "console", "SendMessage", "on"),
                np.frombuffer(action, np.uint8),
            ),
        ),
        (ODOMETRY, messages.odometry(0, "map", "rex/base_link", POSE)),
        ("/rex/joint_states", messages.joint_state(0, ["left"], [0.5], [1.0], [0.0])),
        ("/rex/energy", energy(1.5)),
    ]


CONTENT = small_recording()
YAML = json.dumps(
    {
        "rosbag2_bagfile_information": {
            "version": 9,
            "storage_identifier": "mcap",
            "duration": {"nanoseconds": 6},
            "starting_time": {"nanoseconds_since_epoch": 0},
            "message_count": 1,
            "topics_with_message_count": [
                {
                    "topic_metadata": {
                        "name": ODOMETRY,
                        "type": "nav_msgs/msg/Odometry",
                        "serialization_format": "cdr",
                        "offered_qos_profiles": [],
                        "type_description_hash": "",
                    },
                    "message_count": 1,
                }
            ],
            "compression_format": "",
            "compression_mode": "",
            "relative_file_paths": [FILE_NAME],
            "files": [],
            "custom_data": None,
            "ros_distro": "jazzy",
        }
    }
).encode()
"""``metadata.yaml`` of the recording; JSON is YAML."""


def read_recording(path: Path) -> None:
    """Read everything that a replay reads; raise the first `GrouserError`."""
    with Recording(path) as recording:
        works: tuple[Callable[[], object], ...] = (
            lambda: (recording.timestep, recording.begin, recording.seed, recording.scheduled),
            lambda: (recording.end, recording.dropped, recording.topics),
            lambda: list(recording.state_hashes()),
            recording.action_records,
            lambda: recording.world,
            lambda: list(recording.snapshots()),
            lambda: robot_tables(recording),
            lambda: Playback(recording),
        )
        errors = [error for work in works if (error := _error_of(work)) is not None]
    if errors:
        raise errors[0]


def _error_of(work: Callable[[], object]) -> GrouserError | None:
    try:
        work()
    except GrouserError as error:
        return error
    return None


def recover_and_read(path: Path) -> None:
    """Repair a recording, then read it; what was repaired must be readable as a file."""
    recover(path)
    assert recover(path).complete
    read_recording(path)


def read_bag(path: Path) -> None:
    """Read a topic of a bag as `grouser compare` does."""
    bag_columns(path, ODOMETRY)


def read_bag_metadata(path: Path) -> None:
    """Read a bag with this ``metadata.yaml``, and repair it."""
    with tempfile.TemporaryDirectory(dir=path.parent) as name:
        folder = Path(name)
        (folder / FILE_NAME).write_bytes(CONTENT)
        (folder / "metadata.yaml").write_bytes(path.read_bytes())
        with suppress(GrouserError):
            recover(folder)
        read_bag(folder)


RECORDINGS: dict[str, FileKind] = {
    "recording": FileKind("a.mcap", CONTENT, read_recording),
    "recovered recording": FileKind("a.mcap", CONTENT, recover_and_read),
    "bag": FileKind("a.mcap", CONTENT, read_bag),
    "bag metadata": FileKind("metadata.yaml", YAML, read_bag_metadata),
}
