"""Recordings: contents, foreign readers, failures of the disk, repair."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import mujoco
import pytest
from mcap.exceptions import McapError
from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory
from rosbags.highlevel import AnyReader
from rosbags.typesys import Stores, get_typestore
from support.cli_runner import error_line, grouser
from support.damaged_files import FileKind, damage, random_edits
from support.damaged_recordings import RECORDINGS

from grouser.errors import BadValue, GrouserError
from grouser.recording.appearance_changes import AppearanceChanges
from grouser.recording.channel import Channel, channel_pair
from grouser.recording.repair import complete, recorded_file, recover, survey
from grouser.sensors.sensor import Reading
from grouser.simulation import references
from grouser.simulation.changes.actions import SendMessage
from grouser.simulation.observers import ActionRecord, Observer
from grouser.simulation.scene import Scene
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation
from grouser.simulation.world_content import FileTree, WorldStore, sha256
from grouser.world.file import as_world

SECONDS = 1.0
"""Simulated length of the recording that most tests share."""
TOPICS = ("/clock", "/tf*", "/markers", "/events", "/rex/[!c]*", "/rex/cmd*", "/rex/chin")
"""Everything but the camera."""
CAMERA = ("rex", "camera")


@dataclass
class Counted(Observer):
    """Counts of what observers receive."""

    readings: Counter[tuple[str, str]] = field(default_factory=Counter)
    actions: list[ActionRecord] = field(default_factory=list)
    events: list[LogEntry] = field(default_factory=list)
    scenes: int = 0

    def on_reading(self, robot: str, reading: Reading) -> None:
        self.readings[robot, reading.sensor] += 1

    def on_action(self, record: ActionRecord) -> None:
        self.actions.append(record)

    def on_event(self, entry: LogEntry) -> None:
        self.events.append(entry)

    def on_scene(self, scene: Scene) -> None:
        self.scenes += 1


@dataclass
class Recorded:
    """A recording and what was observed meanwhile."""

    folder: Path
    counted: Counted
    fingerprint: str
    position: list[float]
    messages: list[tuple[str, int, Any]]
    """Topic, time and message, as rosbags reads them."""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    """Record an ERS-7 without its camera: a picture would load numba."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    simulation, counted = Simulation("gate"), Counted()
    recorder = simulation.record(folder, topics=TOPICS)
    simulation.subscribe(counted)
    robot = next(iter(simulation.robots))
    simulation.command(robot, forward=0.2)
    simulation.step(SECONDS / 2)
    simulation.apply(SendMessage("half-way"), source="console")
    simulation.command(robot, forward=-0.1, turn=0.2)
    simulation.step(SECONDS / 2)
    recorder.close()
    position = simulation.pose(robot).position.tolist()
    read = list(messages(folder))
    return Recorded(folder, counted, simulation.fingerprint(), position, read)


def messages(folder: Path) -> Iterator[tuple[str, int, Any]]:
    """Yield topic, time and message of all messages, as rosbags reads them."""
    with AnyReader([folder]) as reader:
        for connection, time, content in reader.messages():
            yield connection.topic, time, reader.deserialize(content, connection.msgtype)


def decode_counts(folder: Path) -> Counter[str]:
    """Return the number of messages per topic that mcap-ros2-support decodes."""
    with recorded_file(folder).open("rb") as stream:
        reader = make_reader(stream, decoder_factories=[DecoderFactory()])
        return Counter(channel.topic for _, channel, _, _ in reader.iter_decoded_messages())


def test_foreign_readers_decode_every_message(recorded: Recorded) -> None:
    by_rosbags = Counter(topic for topic, _, _ in recorded.messages)
    assert by_rosbags == decode_counts(recorded.folder)
    assert by_rosbags["/clock"] == by_rosbags["/tf"] == 25 * SECONDS


def test_counts_equal_what_observers_receive(recorded: Recorded) -> None:
    found = Counter(topic for topic, _, _ in recorded.messages)
    counted = recorded.counted
    own = ("odom", "joint_states", "energy", "cmd", "cmd_vel")
    of_sensors = {
        topic: count
        for topic, count in found.items()
        if topic.startswith("/rex/") and topic.removeprefix("/rex/") not in own
    }
    received = [count for key, count in counted.readings.items() if key != CAMERA]
    assert sorted(of_sensors.values()) == sorted(received)
    assert len(received) > 5
    assert found["/grouser/action"] == len(counted.actions) == 3
    assert found["/events"] == len(counted.events)


def test_recording_holds_actions_poses_and_hashes(recorded: Recorded) -> None:
    by_topic: dict[str, list[tuple[int, Any]]] = {}
    for topic, time, message in recorded.messages:
        by_topic.setdefault(topic, []).append((time, message))
    actions = [message for _, message in by_topic["/grouser/action"]]
    assert [(one.kind, one.source) for one in actions] == [
        ("Command", "python"),
        ("SendMessage", "console"),
        ("Command", "python"),
    ]
    robot = next(iter(recorded.counted.readings))[0]
    (last, odometry) = by_topic[f"/{robot}/odom"][-1]
    assert last == round(SECONDS * 1e9)
    position = odometry.pose.pose.position
    # Poses of MuJoCo's data after a step are recomputed for the present joint positions.
    assert [position.x, position.y, position.z] == pytest.approx(recorded.position, abs=1e-9)
    assert by_topic["/grouser/state_hash"][-1][1].fingerprint == recorded.fingerprint
    velocities = [message.twist.angular.z for _, message in by_topic[f"/{robot}/cmd_vel"]]
    assert velocities == [0.0, 0.2]


def test_transforms_form_one_tree(recorded: Recorded) -> None:
    parents: dict[str, str] = {}
    for topic, _, message in recorded.messages:
        if topic in ("/tf", "/tf_static"):
            for one in message.transforms:
                parent = parents.setdefault(one.child_frame_id, one.header.frame_id)
                assert parent == one.header.frame_id
        if topic == "/markers":
            frames = {marker.header.frame_id for marker in message.markers if marker.type}
    roots = {frame for frame in parents.values() if frame not in parents}
    assert roots == {"map"}
    assert frames <= {*parents, "map"}


def test_standard_types_have_the_hashes_of_ros(recorded: Recorded) -> None:
    store = get_typestore(Stores.ROS2_JAZZY)
    with AnyReader([recorded.folder]) as reader:
        for connection in reader.connections:
            if not connection.msgtype.startswith("grouser_msgs"):
                assert connection.digest == store.hash_rihs01(connection.msgtype)


def test_metadata_names_world_seed_and_versions(recorded: Recorded) -> None:
    with recorded_file(recorded.folder).open("rb") as stream:
        reader = make_reader(stream)
        known = {record.name: record.metadata for record in reader.iter_metadata()}
        attached = {one.name: one.data.decode() for one in reader.iter_attachments()}
    assert known["grouser"]["world"] == "gate"
    assert known["grouser"]["fresh"] == "true"
    assert known["grouser/end"]["dropped"] == "0"
    assert "name: gate" in attached["world_0.yaml"]


def test_every_flipped_bit_is_found(recorded: Recorded) -> None:
    content, random_bits = recorded_file(recorded.folder).read_bytes(), random.Random(7)
    assert survey(BytesIO(content)).complete
    for _ in range(10):
        damaged, place = bytearray(content), random_bits.randrange(len(content))
        damaged[place] ^= 1 << random_bits.randrange(8)
        try:
            found = survey(BytesIO(bytes(damaged)))
        except BadValue:
            assert place < 8, "only the first bytes tell that it is another kind of file"
        else:
            assert found.damaged or not found.complete


@pytest.mark.parametrize("share", [0.35, 0.8, 0.999])
def test_cut_file_is_recovered(recorded: Recorded, share: float, tmp_path: Path) -> None:
    content = recorded_file(recorded.folder).read_bytes()
    folder = tmp_path / "cut"
    folder.mkdir()
    (folder / "cut_0.mcap").write_bytes(content[: round(share * len(content))])
    with pytest.raises((McapError, ValueError)):  # what its reader finds at a random place
        decode_counts(folder)
    found = recover(folder)
    assert not found.complete
    assert decode_counts(folder).total() == sum(found.counts.values())
    if share > 0.9:
        assert [one[:2] for one in messages(folder)] == [one[:2] for one in recorded.messages]
    assert recover(folder).complete


def test_damaged_chunk_is_skipped(recorded: Recorded, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(recorded.folder, folder)
    path = recorded_file(folder)
    with path.open("r+b") as stream:
        chunks = survey(stream).chunks
        stream.seek(chunks[-1].offset + 200)
        stream.write(b"\0\0\0")
    found = recover(folder)
    assert [damage.what.partition(" of")[0] for damage in found.damaged] == ["chunk"]
    kept = sum(sum(chunk.counts.values()) for chunk in chunks[:-1])
    assert decode_counts(folder).total() == kept


def test_file_is_completed_in_the_space_that_is_left(recorded: Recorded, tmp_path: Path) -> None:
    """The end is cut chunk by chunk until the index fits."""
    content = recorded_file(recorded.folder).read_bytes()
    path = tmp_path / "full.mcap"
    chunks = survey(BytesIO(content)).chunks
    path.write_bytes(content[: chunks[-1].end])
    found = complete(path)
    assert len(found.chunks) == len(chunks)
    with path.open("rb") as stream:
        assert survey(stream).complete


def test_channel_passes_messages_of_any_length_without_blocking() -> None:
    one, end = channel_pair()
    other = Channel(end)
    sent = [b"", b"short", bytes(range(256)) * 30_000]
    for message in sent:
        one.send(message)
    assert one.unsent > 0, "longer than the buffer of a socket"
    received: list[bytes] = []
    while len(received) < len(sent):
        received += other.receive()
        one.pump()
    assert received == sent
    other.send(b"answer")
    one.end()
    assert one.receive() == [b"answer"]
    assert other.receive() == []
    with pytest.raises(ConnectionError):
        other.receive()
    one.close()
    other.close()


def test_only_changed_appearances_are_passed_on() -> None:
    model = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom name='ball' size='1'/></worldbody></mujoco>"
    )
    changes = AppearanceChanges()
    first = changes.next(0, model)
    assert first is not None
    assert changes.next(0, model) is None
    model.geom("ball").rgba = [1.0, 0.0, 0.0, 1.0]
    second = changes.next(0, model)
    assert second is not None
    assert first["geom_rgba"][0, 0] == 0.5, "a copy"
    assert second["geom_rgba"][0].tolist() == [1.0, 0.0, 0.0, 1.0]
    assert changes.next(0, model) is None
    changes.reset()
    assert changes.next(0, model) is not None


@pytest.mark.parametrize("kind", RECORDINGS.values(), ids=RECORDINGS.keys())
def test_damaged_recordings_are_read_or_refused_in_a_sentence(
    kind: FileKind, tmp_path: Path
) -> None:
    path, chance = tmp_path / kind.name, random.Random(3)
    path.write_bytes(kind.content)
    kind.read(path)
    refusals = []
    for count in range(25):
        path.write_bytes(damage(kind.content, random_edits(chance, count % 3 + 1)))
        try:
            kind.read(path)
        except GrouserError as error:
            refusals.append(str(error))
    assert len(refusals) > 5
    assert all(text.startswith(str(tmp_path)) for text in refusals)
    assert all(len(text.splitlines()) == 1 for text in refusals)


def test_recording_may_not_write_outside_its_folder(tmp_path: Path) -> None:
    """A world whose robot has a file with a path that leads out of the folder."""
    tree = FileTree("robot.yaml", members=(("../../robot.yaml", sha256(b"x")),))
    store = WorldStore(tmp_path / "files", trusted=False)
    store.add_file(sha256(b"x"), b"x")
    described = references.dump(
        (as_world({"name": "flat", "terrain": [{"kind": "flat"}]}), {"robot": tree}), lambda _: None
    )
    with pytest.raises(BadValue, match="is outside its folder"):
        store.add_world("", described)
    assert not (tmp_path / "robot.yaml").exists()


def test_folder_with_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("mine")
    simulation = Simulation("pioneer_room")
    with pytest.raises(BadValue, match="holds files already, a recording needs a new folder"):
        simulation.record(tmp_path)
    with pytest.raises(BadValue, match="compress is 'zip', allowed: zstd, lz4, none"):
        simulation.record(tmp_path / "new", compress="zip")
    assert [path.name for path in tmp_path.iterdir()] == ["note.txt"]


def test_commands_report_what_they_did(recorded: Recorded, tmp_path: Path) -> None:
    assert "is intact" in grouser("recover", recorded.folder).stdout
    sentence = error_line(grouser("recover", tmp_path / "nothing"))
    assert sentence.endswith("there is no such recording")


def test_writer_that_cannot_open_its_file_is_reported_at_once(tmp_path: Path) -> None:
    simulation = Simulation("pioneer_room")
    with pytest.raises(BadValue, match=r"cannot be recorded to \(.*\)"):
        simulation.record(tmp_path / ("x" * 250))  # the file's name is longer than the folder's
    simulation.step(0.1)
