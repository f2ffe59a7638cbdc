"""Encoder: items of a recorder as ROS messages in a bag."""

from __future__ import annotations

import fnmatch
import hashlib
import logging
import pickle
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from grouser.errors import GrouserError
from grouser.recording.bag_writer import BagWriter
from grouser.recording.channel import Channel
from grouser.recording.items import (
    OWN,
    ActionItem,
    Beginning,
    Ending,
    EventItem,
    Item,
    LogItem,
    PictureItem,
    ReadingItem,
    RenderedPicture,
    SceneItem,
    SnapshotItem,
    StateItem,
)
from grouser.recording.picture_queue import PictureQueue
from grouser.recording.recorded_cameras import RecordedCameras
from grouser.recording.state_parts import StateLayout
from grouser.ros import messages
from grouser.ros.body_frames import BodyFrames
from grouser.ros.definitions import message_type
from grouser.ros.markers import marker_array
from grouser.ros.messages import header, ros_name, sensor_topics
from grouser.ros.state_messages import Sample, robot_messages
from grouser.sensors.sensor import Sensor
from grouser.simulation.changes.actions import Command
from grouser.simulation.world_content import world_content
from grouser.world.file import world_text

LEVELS = {logging.DEBUG: 10, logging.INFO: 20, logging.WARNING: 30, logging.ERROR: 40}
"""Python's log levels → those of rcl_interfaces/Log; above: fatal."""
FATAL = 50
_LOG = logging.getLogger(__name__)


class Encoder:
    """Writes items to a bag."""

    def __init__(self, beginning: Beginning) -> None:
        """Open the bag."""
        self._options = beginning.options
        self.bag = BagWriter(beginning.folder, beginning.options.compress)
        self.bag.add_metadata("grouser", beginning.metadata)
        self.bag.flush()
        self._wanted: dict[str, bool] = {}
        self._scenes: dict[int, _RecordedScene] = {}
        self._scene: _RecordedScene | None = None
        self._attached: set[str] = set()
        self._content = b""
        self._pictures = PictureQueue(
            *(self._put_picture, self._wants, self._add_renderer), waits=self._options.wait > 0
        )

    def write(self, item: Item) -> None:
        """Write an item."""
        match item:
            case StateItem():
                self._write_state(item)
            case ReadingItem():
                self._write_reading(item)
            case PictureItem():
                self._write_picture(item)
            case ActionItem():
                self._write_action(item)
            case EventItem():
                self._write_event(item)
            case LogItem():
                self._write_log(item)
            case SceneItem():
                self._write_scene(item)
            case SnapshotItem(time, passed, scheduled, actions, snapshot):
                content = np.frombuffer(pickle.dumps(snapshot), np.uint8)
                kind = message_type("grouser_msgs/msg/Snapshot")
                message = kind(header(time), passed, scheduled, actions, content)
                self._put(f"{OWN}snapshot", message, time)
            case Ending(time, passed, dropped):
                self._pictures.finish()
                lost = dropped + self.dropped
                end = {"time": str(time), "passed": str(passed), "dropped": str(lost)}
                self.bag.add_metadata("grouser/end", end)

    def close(self) -> None:
        """Complete the bag."""
        self._pictures.finish()
        self.bag.close()

    def abort(self) -> None:
        """Close the bag as it is."""
        self._pictures.close()
        self.bag.abort()

    @property
    def renderer(self) -> Channel | None:
        """Channel of the process that renders pictures, if it runs."""
        return self._pictures.channel

    @property
    def dropped(self) -> int:
        """Number of pictures that were dropped."""
        return self._pictures.dropped

    def receive_pictures(self) -> None:
        """Write the pictures that were rendered, and order others."""
        self._pictures.pump()

    def take_warnings(self) -> list[str]:
        """Return what is to be reported and was not returned before."""
        warnings, self._pictures.warnings = self._pictures.warnings, []
        return warnings

    def _put_picture(self, picture: RenderedPicture) -> None:
        for topic, kind, content in picture.messages:
            if self._wants(topic):
                self.bag.write_content(topic, kind, content, picture.time)

    def _add_renderer(self, renderer: Mapping[str, str]) -> None:
        """Add the renderer to the metadata: only its own pictures can be compared."""
        self.bag.add_metadata("grouser/renderer", renderer)

    def _put(self, topic: str, message: Any, time: int, *, latched: bool = False) -> None:
        if self._wants(topic):
            self.bag.write(topic, message, time, latched=latched)

    def _wants(self, topic: str) -> bool:
        """Return True if a topic is recorded."""
        if topic not in self._wanted:
            patterns = self._options.topics
            self._wanted[topic] = (
                not patterns
                or topic.startswith(OWN)
                or any(fnmatch.fnmatchcase(topic, pattern) for pattern in patterns)
            )
        return self._wanted[topic]

    # -- scene -------------------------------------------------------------------------------

    def _write_scene(self, item: SceneItem) -> None:
        if item.model is None and self._scene is not None:
            item = replace(item, model=self._scene.model)
        self._scene = self._scenes[item.number] = _RecordedScene(item)
        for number in [number for number in self._scenes if number < item.number - 2]:
            del self._scenes[number]
        self._attach_files(item)
        content = np.frombuffer(self._content, np.uint8)
        kind = message_type("grouser_msgs/msg/Scene")
        scene = kind(header(item.time), item.number, item.world.name, content)
        self._put(f"{OWN}scene", scene, item.time, latched=True)
        frames = self._scene.frames
        tree = message_type("tf2_msgs/msg/TFMessage")(frames.fixed(item.time))
        self._put("/tf_static", tree, item.time, latched=True)
        if self._wants("/markers"):
            made = marker_array(self._scene.model, frames.names, item.time)
            self._put("/markers", made, item.time, latched=True)
        self._pictures.load_scene(item, self._scene.cameras)

    def _attach_files(self, item: SceneItem) -> None:
        """Attach the world and the files that it names, those with new contents only."""
        try:
            content = world_content(item.world)
            self._content = content.description
            sources = dict(content.sources)
        except (GrouserError, OSError) as error:
            _LOG.warning("recording: files of world '%s' are missing (%s)", item.world.name, error)
            self._content, sources = pickle.dumps((item.world, {})), {}
        for digest, path in sources.items():
            if digest not in self._attached:
                self._attached.add(digest)
                name = f"files/{digest}/{path.name}"
                media = "application/octet-stream"
                self.bag.attach(name, path.read_bytes(), media, item.time)
        text = world_text(item.world)
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest not in self._attached:
            self._attached.add(digest)
            name = f"world_{item.number}.yaml"
            self.bag.attach(name, text.encode(), "application/yaml", item.time)

    # -- state -------------------------------------------------------------------------------

    def _write_state(self, item: StateItem) -> None:
        scene = self._scene
        if scene is None:
            return
        layout, time = scene.layout, item.time
        if item.sample is not None:
            self._write_sample(scene, item, item.sample)
            return
        if item.columns is None:
            scene.vector = np.array(item.vector)
        else:
            scene.vector[item.columns] = item.vector
        hashes = layout.hashes(scene.vector)
        message = message_type("grouser_msgs/msg/StateHash")(
            *(header(time), item.step, item.passed, layout.fingerprint(scene.vector)),
            *(list(hashes), np.array(list(hashes.values()), np.uint64)),
        )
        self._put(f"{OWN}state_hash", message, time)

    def _write_sample(self, scene: _RecordedScene, item: StateItem, sample: Sample) -> None:
        time, frames = item.time, scene.frames
        clock = message_type("rosgraph_msgs/msg/Clock")(messages.time_message(time))
        self._put("/clock", clock, time)
        data = frames.load(item.vector)
        mocap = np.concatenate([data.mocap_pos.ravel(), data.mocap_quat.ravel()])
        state = message_type("grouser_msgs/msg/State")(
            header(time), scene.item.number, data.qpos.copy(), mocap
        )
        self._put(f"{OWN}state", state, time)
        if self._wants("/tf"):
            moving = message_type("tf2_msgs/msg/TFMessage")(frames.moving(time))
            self._put("/tf", moving, time)
        for robot, drives in scene.item.drives.items():
            for topic, message in robot_messages(frames, robot, drives, sample, time):
                self._put(topic, message, time)

    # -- readings ----------------------------------------------------------------------------

    def _write_reading(self, item: ReadingItem) -> None:
        key = item.robot, item.reading.sensor
        known = self._sensor(key)
        if known is None:
            return
        topic, sensor = known
        if self._wants(topic):
            message = messages.reading_message(item.robot, sensor, item.reading, item.stamp)
            self._put(topic, message, item.time)

    def _sensor(self, key: tuple[str, str]) -> tuple[str, Sensor] | None:
        """Return topic and description of a sensor; a delayed reading may outlive its sensor."""
        for number in sorted(self._scenes, reverse=True):
            if key in self._scenes[number].topics:
                return self._scenes[number].topics[key], self._scenes[number].item.sensors[key]
        return None

    def _write_picture(self, item: PictureItem) -> None:
        if (scene := self._scenes.get(item.scene)) is not None:
            self._pictures.add(item, scene.cameras)

    # -- actions, events, log ----------------------------------------------------------------

    def _write_action(self, item: ActionItem) -> None:
        record, time = item.record, item.time
        action = record.action
        text = repr(action)
        message = message_type("grouser_msgs/msg/Action")(
            *(header(time), record.step, record.passed, record.scheduled, record.internal),
            *(record.source, type(action).__name__, text[:MOST_TEXT]),
            np.frombuffer(pickle.dumps(action), np.uint8),
        )
        self._put(f"{OWN}action", message, time)
        if isinstance(action, Command):
            command = messages.command_message(time, record.source, action.command)
            self._put(ros_name(f"/{action.robot}/cmd"), command, time)
            if (velocity := messages.velocity_of(action.command)) is not None:
                base = ros_name(f"{action.robot}/{messages.BASE}")
                moving = messages.twist_stamped(time, base, *velocity)
                self._put(ros_name(f"/{action.robot}/cmd_vel"), moving, time)

    def _write_event(self, item: EventItem) -> None:
        self._put("/events", messages.event_message(item.time, item.entry), item.time)

    def _write_log(self, item: LogItem) -> None:
        level = LEVELS.get(item.level, FATAL)
        place = item.file, item.function, item.line
        message = messages.log_message(item.time, level, item.name, item.text, place)
        self._put("/rosout", message, item.time)


MOST_TEXT = 2000
"""Longest text of an action, characters."""


class _RecordedScene:
    """A scene in the writer process."""

    def __init__(self, item: SceneItem) -> None:
        if item.model is None:
            raise TypeError("the first scene has a model")
        self.item, self.model = item, item.model
        self.layout = StateLayout.of(item.model, item.layout)
        self.frames = BodyFrames(item.model, item.roots, item.sensors)
        self.topics: dict[tuple[str, str], str] = {}
        for robot in item.roots:
            sensors = [sensor for (owner, _), sensor in item.sensors.items() if owner == robot]
            for name, topic in sensor_topics(robot, sensors).items():
                self.topics[robot, name] = topic
        self.cameras = RecordedCameras(item.model, item, self.topics)
        self.vector = np.zeros(0)
        """Present state, as `state_vector`."""
