"""Topics that a running world publishes; a message is made only if a topic has subscribers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from grouser.errors import unknown
from grouser.frames import Array
from grouser.gateways.images.latest_frames import DrawnPicture
from grouser.gateways.images.views import Views
from grouser.gateways.ros_graph.depth_pictures import DepthOrder, DepthPictures
from grouser.gateways.ros_graph.mesh_files import MeshFiles
from grouser.ros import camera_messages, messages
from grouser.ros.body_frames import BodyFrames
from grouser.ros.definitions import message_type, serialize
from grouser.ros.markers import marker_array
from grouser.ros.messages import nanoseconds, ros_name, sensor_frame, sensor_topics
from grouser.ros.state_messages import STATE_TYPES, Sample, actuators_of, robot_message
from grouser.ros.urdf import robot_urdf
from grouser.sensors.camera import Camera
from grouser.sensors.depth import DepthCamera, DepthFrame, Depths, DepthShot
from grouser.sensors.sensor import Reading, Sensor
from grouser.simulation.observers import Observer
from grouser.simulation.scene import Scene
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation

STATE_RATE_HZ = 50.0
"""Default rate of poses, odometry, joint states and the clock, messages per simulated second."""

DEPTH_TOPICS = {
    "image": "sensor_msgs/msg/Image",
    "camera_info": "sensor_msgs/msg/CameraInfo",
    "points": "sensor_msgs/msg/PointCloud2",
}
"""Topic in the namespace of a depth camera → type of its messages."""

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Topic:
    """Topic that a world publishes."""

    name: str
    """Name with leading slash."""
    type: str
    """Type of its messages, such as ``sensor_msgs/msg/Imu``."""
    latched: bool = False
    """True: a new subscriber receives the last message."""


class Publication:
    """Message of a topic, made when it is first needed."""

    def __init__(self, topic: Topic, time: int, make: Callable[[], Any]) -> None:
        self.topic, self.time = topic, time
        """Topic, and time of publication, ns."""
        self._make = make
        self._message: Any = None
        self._encoded: dict[str, Any] = {}

    @property
    def message(self) -> Any:
        """The message."""
        if self._message is None:
            self._message = self._make()
        return self._message

    def encoded(self, form: str, encode: Callable[[Any], Any]) -> Any:
        """Return ``encode(message)``, which is called once for each ``form``."""
        if form not in self._encoded:
            self._encoded[form] = encode(self.message)
        return self._encoded[form]

    def cdr(self) -> bytes:
        """Return the message as CDR."""
        content: bytes = self.encoded("cdr", serialize)
        return content


Receive = Callable[[Publication], None]


@dataclass
class _LiveScene:
    """Frames and sensor topics of a scene."""

    scene: Scene
    frames: BodyFrames
    sensors: dict[tuple[str, str], tuple[str, Sensor]]
    """Robot and sensor → topic, description."""
    drives: Mapping[str, Mapping[str, int]]
    actuators: Any
    loaded: object = None
    """State in ``frames``."""
    cameras: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Topic of the pictures or their description → robot and camera."""

    def load(self, state: Array) -> BodyFrames:
        """Return the frames with a state."""
        if self.loaded is not state:
            self.frames.load(state)
            self.loaded = state
        return self.frames


class LiveTopics:
    """Topics of a running world; call `close` at the end.

    Args:
        simulation: the world.
        views: pictures of the cameras; None: they have no topics.
        rate_hz: rate of poses, odometry, joint states and the clock.
        meshes: files of the meshes of robots; None: a mesh is described by its bounding box.
    """

    def __init__(
        self,
        simulation: Simulation,
        views: Views | None = None,
        rate_hz: float = STATE_RATE_HZ,
        meshes: MeshFiles | None = None,
    ) -> None:
        self.topics: dict[str, Topic] = {}
        """All topics by name."""
        self.on_change: Callable[[], None] = _no_op
        """Called after the topics have changed."""
        self._simulation, self._views, self._meshes = simulation, views, meshes
        self._receivers: dict[str, list[Receive]] = {}
        self._latched: dict[str, Publication] = {}
        self._watched: dict[tuple[str, str], int] = {}
        self._pictured: dict[tuple[str, str], float] = {}
        self._depths: DepthPictures | None = None
        self._follow(simulation.scene)
        self._subscription = simulation.subscribe(_LiveObserver(self), rate_hz=rate_hz)
        if views:
            views.frames.listeners.add(self._pictures_changed)

    def close(self) -> None:
        """End all subscriptions."""
        self._subscription.close()
        for name in list(self._receivers):
            for receive in list(self._receivers[name]):
                self._remove(name, receive)
        if self._views:
            self._views.frames.listeners.discard(self._pictures_changed)
        if self._depths:
            self._depths.close()

    def find(self, name: str) -> Topic:
        """Return the topic ``name``; raise `UnknownName` if there is none."""
        if name not in self.topics:
            raise unknown("subscribe", "topic", name, self.topics)
        return self.topics[name]

    def subscribe(self, name: str, receive: Receive) -> Callable[[], None]:
        """Call ``receive`` with the messages of a topic; return a function that ends it.

        Raises:
            UnknownName: there is no such topic.
        """
        topic = self.find(name)
        self._receivers.setdefault(name, []).append(receive)
        self._watch(name, 1)
        if topic.latched:
            receive(self._latched[name])
        return lambda: self._remove(name, receive)

    def wants(self, name: str) -> bool:
        """Return True if a topic has subscribers."""
        return bool(self._receivers.get(name))

    def publish(self, name: str, make: Callable[[], Any], time: int | None = None) -> None:
        """Pass a message to the subscribers of a topic; the last one of a latched topic is kept."""
        topic = self.topics.get(name)
        if topic is None or not (topic.latched or self.wants(name)):
            return
        publication = Publication(topic, self.now() if time is None else time, make)
        if topic.latched:
            self._latched[name] = publication
        for receive in list(self._receivers.get(name, ())):
            try:
                receive(publication)
            except Exception:  # one subscriber's error must not stop the others
                _LOG.exception("%s: a subscriber failed and is removed", name)
                self._remove(name, receive)

    def description(self, robot: str, scene: Scene | None = None) -> str:
        """Return the URDF of a robot in a scene, or in the present one."""
        scene = scene or self._live.scene
        address = partial(self._meshes.address, scene.model) if self._meshes else None
        return robot_urdf(scene.model, robot, scene.robots[robot].root, address)

    def publish_path(self, robot: str, points: list[list[float]]) -> None:
        """Publish a planned path (x, y) of a robot, m."""
        now = self.now()
        self.publish(ros_name(f"/{robot}/plan"), lambda: messages.path_message(now, points))

    def now(self) -> int:
        """Return the simulated time since the simulation was created, ns."""
        return nanoseconds(self._simulation.elapsed)

    def _remove(self, name: str, receive: Receive) -> None:
        receivers = self._receivers.get(name, [])
        if receive in receivers:
            receivers.remove(receive)
            self._watch(name, -1)

    # -- scene -------------------------------------------------------------------------------

    def _follow(self, scene: Scene) -> None:
        """Replace the topics by those of a scene; subscriptions of topics that stay continue."""
        state = self._simulation.state
        sensors = {key: sensor for key, (sensor, _) in scene.sensors.items()}
        roots = {name: robot.root for name, robot in scene.robots.items()}
        self._live = _LiveScene(
            scene,
            BodyFrames(scene.model, roots, sensors),
            {},
            state.stepper.places,
            actuators_of(state),
        )
        before, self.topics = self.topics, {}
        self._add_world_topics(scene, roots)
        for robot in roots:
            self._add_robot_topics(robot, sensors)
        for name in before.keys() - self.topics.keys():
            self._latched.pop(name, None)
        self._update_watches()
        if before.keys() != self.topics.keys():
            self.on_change()

    def _add_world_topics(self, scene: Scene, roots: Mapping[str, str]) -> None:
        now, frames = self.now(), self._live.frames
        self._add(Topic("/clock", "rosgraph_msgs/msg/Clock"))
        self._add(Topic("/tf", "tf2_msgs/msg/TFMessage"))
        self._add(Topic("/events", "rcl_interfaces/msg/Log"))
        tree = message_type("tf2_msgs/msg/TFMessage")
        self._latch("/tf_static", "tf2_msgs/msg/TFMessage", lambda: tree(frames.fixed(now)))
        self._latch(
            "/markers",
            "visualization_msgs/msg/MarkerArray",
            lambda: marker_array(scene.model, frames.names, now),
        )

    def _add_robot_topics(self, robot: str, sensors: Mapping[tuple[str, str], Sensor]) -> None:
        text = message_type("std_msgs/msg/String")
        for topic, kind in STATE_TYPES.items():
            self._add(Topic(ros_name(f"/{robot}/{topic}"), kind))
        self._latch(
            ros_name(f"/{robot}/robot_description"),
            "std_msgs/msg/String",
            partial(lambda scene: text(self.description(robot, scene)), self._live.scene),
        )
        plan = ros_name(f"/{robot}/plan")
        if plan in self._latched:
            self._add(self._latched[plan].topic)
        else:
            self._latch(plan, "nav_msgs/msg/Path", lambda: messages.path_message(self.now(), []))
        own = [sensor for (owner, _), sensor in sensors.items() if owner == robot]
        for name, topic in sensor_topics(robot, own).items():
            sensor = sensors[robot, name]
            self._live.sensors[robot, name] = topic, sensor
            if isinstance(sensor, DepthCamera):
                for end, kind in DEPTH_TOPICS.items():
                    self._add(Topic(f"{topic}/{end}", kind))
            elif not isinstance(sensor, Camera):
                self._add(Topic(topic, messages.reading_type(sensor)))
            elif self._views is not None:
                image, info = f"{topic}/image/compressed", f"{topic}/camera_info"
                self._add(Topic(image, "sensor_msgs/msg/CompressedImage"))
                self._add(Topic(info, "sensor_msgs/msg/CameraInfo"))
                self._live.cameras |= {image: (robot, name), info: (robot, name)}

    def _add(self, topic: Topic) -> None:
        self.topics[topic.name] = topic

    def _latch(self, name: str, kind: str, make: Callable[[], Any]) -> None:
        """Add a latched topic and publish its message."""
        self._add(Topic(name, kind, latched=True))
        self.publish(name, make)

    # -- pictures ----------------------------------------------------------------------------

    def _watch(self, name: str, change: int) -> None:
        """Add or remove a watcher of the camera of a topic."""
        key = self._live.cameras.get(name)
        if key is not None and self._views is not None:
            self._watched[key] = self._watched.get(key, 0) + change
            (self._views.frames.watch if change > 0 else self._views.frames.unwatch)(key)

    def _update_watches(self) -> None:
        """Watch the cameras of all subscribed topics, which may be new ones of the same name."""
        if self._views is None:
            return
        wanted: dict[tuple[str, str], int] = {}
        for name, key in self._live.cameras.items():
            wanted[key] = wanted.get(key, 0) + len(self._receivers.get(name, ()))
        for key in wanted.keys() | self._watched.keys():
            for _ in range(wanted.get(key, 0) - self._watched.get(key, 0)):
                self._views.frames.watch(key)
            for _ in range(self._watched.get(key, 0) - wanted.get(key, 0)):
                self._views.frames.unwatch(key)
        self._watched = wanted

    def _pictures_changed(self) -> None:
        """Publish new pictures of watched cameras."""
        if self._views is None:
            return
        for key, count in self._watched.items():
            drawn = self._views.frames.pictures.get(key)
            if count <= 0 or drawn is None or self._pictured.get(key) == drawn.time:
                continue
            self._pictured[key] = drawn.time
            self._publish_picture(key, drawn)

    def _publish_picture(self, key: tuple[str, str], drawn: DrawnPicture) -> None:
        topic, camera = self._live.sensors[key]
        if not isinstance(camera, Camera):
            return
        stamp = self._stamp(drawn.time)
        frame = camera_messages.optical_frame(key[0], camera)

        def picture() -> Any:
            if drawn.jpeg:
                return camera_messages.jpeg_message(stamp, frame, drawn.jpeg)
            return camera_messages.compressed_image(stamp, frame, drawn.raster.bgr()[..., ::-1])

        self.publish(f"{topic}/image/compressed", picture, stamp)
        info = f"{topic}/camera_info"
        self.publish(info, lambda: camera_messages.camera_info(stamp, frame, camera.lens), stamp)

    def _order_depths(
        self, robot: str, camera: DepthCamera, reading: Reading, shot: DepthShot
    ) -> None:
        """Render a picture of a depth camera and publish it."""
        topic, stamp = self._live.sensors[robot, camera.name][0], self._stamp(reading.time)
        if self._depths is None:
            self._depths = DepthPictures()
        bound = camera.bind(shot.state.model, f"{robot}/")
        publish = partial(self._publish_depths, topic, robot, camera, stamp)
        self._depths.order(topic, DepthOrder(bound, shot, publish))

    def _publish_depths(
        self, topic: str, robot: str, camera: DepthCamera, stamp: int, depths: Depths
    ) -> None:
        optical, frame = camera_messages.optical_frame(robot, camera), sensor_frame(robot, camera)
        plane = camera.optics.output_plane
        makers: dict[str, Callable[[], Any]] = {
            "image": lambda: camera_messages.depth_image(stamp, optical, depths),
            "camera_info": lambda: camera_messages.camera_info(stamp, optical, plane),
            "points": lambda: camera_messages.point_cloud(stamp, frame, camera.points(depths)),
        }
        for end, make in makers.items():
            self.publish(f"{topic}/{end}", make, stamp)

    # -- observer ----------------------------------------------------------------------------

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Publish a reading."""
        known = self._live.sensors.get((robot, reading.sensor))
        if known is None:
            return
        topic, sensor = known
        if isinstance(reading.values, DepthFrame) and isinstance(sensor, DepthCamera):
            if any(self.wants(f"{topic}/{end}") for end in DEPTH_TOPICS):
                self._order_depths(robot, sensor, reading, reading.values.shot)
            return
        if not self.wants(topic):
            return
        stamp = self._stamp(reading.time)
        self.publish(topic, lambda: messages.reading_message(robot, sensor, reading, stamp), stamp)

    def on_scene(self, scene: Scene) -> None:
        """Follow a scene that was replaced, reset or restored."""
        self._follow(scene)

    def on_event(self, entry: LogEntry) -> None:
        """Publish an entry of the event log."""
        self.publish("/events", lambda: messages.event_message(self.now(), entry))

    def on_step(self) -> None:
        """Publish the state of the world, as far as it has subscribers."""
        now, live = self.now(), self._live
        clock = message_type("rosgraph_msgs/msg/Clock")
        self.publish("/clock", lambda: clock(messages.time_message(now)), now)
        robots = [
            (robot, topic, name)
            for robot in live.scene.robots
            for topic in STATE_TYPES
            if self.wants(name := ros_name(f"/{robot}/{topic}"))
        ]
        if not robots and not self.wants("/tf"):
            return
        state = self._simulation.state
        vector, sample = state.integration_state(), Sample.of(state, live.actuators)
        moving = message_type("tf2_msgs/msg/TFMessage")
        self.publish("/tf", lambda: moving(live.load(vector).moving(now)), now)
        for robot, topic, name in robots:

            def make(robot: str = robot, topic: str = topic) -> Any:
                frames = live.load(vector)
                return robot_message(topic, frames, robot, live.drives[robot], sample, now)

            self.publish(name, make, now)

    def _stamp(self, time: float) -> int:
        """Return a simulated time, which a reset sets back, as time since the creation, ns."""
        simulation = self._simulation
        offset = (simulation.passed - simulation.steps) * simulation.scene.timestep
        return max(0, nanoseconds(time + offset))


class _LiveObserver(Observer):
    """Observer that passes everything to `LiveTopics`; an exception is logged and passed over."""

    def __init__(self, topics: LiveTopics) -> None:
        self._topics = topics

    def on_reading(self, robot: str, reading: Reading) -> None:
        """Publish a reading."""
        self._topics.on_reading(robot, reading)

    def on_event(self, entry: LogEntry) -> None:
        """Publish an event."""
        self._topics.on_event(entry)

    def on_scene(self, scene: Scene) -> None:
        """Follow a scene."""
        self._topics.on_scene(scene)

    def on_step(self, time: float) -> None:
        """Publish the state."""
        self._topics.on_step()


def _no_op() -> None:
    """Do nothing."""
