"""Picture encoder: renders the pictures of a recording and makes ROS messages of them.

Pictures take long; they wait in a queue, so that all else is written first.
"""

from __future__ import annotations

import hashlib
import logging
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import mujoco

from grouser.recording.items import OWN, PictureItem, SceneItem
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.render_state import APPEARANCE_FIELDS, RenderState
from grouser.ros import camera_messages
from grouser.sensors.camera import BoundCamera, Camera, Shot
from grouser.sensors.depth import BoundDepthCamera, DepthCamera, DepthShot
from grouser.sensors.imaging.lens import Lens

MOST_PICTURES = 200
"""Longest queue; beyond it nothing else is written before a picture was rendered."""

_LOG = logging.getLogger(__name__)


class RecordedCameras:
    """Cameras and depth cameras of a recorded scene.

    Args:
        model: the compiled scene; its appearance is overwritten.
        item: description of the scene.
        topics: topic of every sensor by robot and name.
    """

    def __init__(
        self, model: mujoco.MjModel, item: SceneItem, topics: Mapping[tuple[str, str], str]
    ) -> None:
        self.model = model
        self._cameras = {
            key: (topics[key], sensor)
            for key, sensor in item.sensors.items()
            if isinstance(sensor, Camera | DepthCamera)
        }
        self._bound: dict[tuple[str, str], BoundCamera | BoundDepthCamera] = {}

    def get(self, robot: str, name: str) -> tuple[str, Camera | DepthCamera] | None:
        """Return topic and description of a camera; None: there is no such one."""
        return self._cameras.get((robot, name))

    def bound(self, robot: str, camera: Camera | DepthCamera) -> BoundCamera | BoundDepthCamera:
        """Return a camera, bound to the model."""
        key = robot, camera.name
        if key not in self._bound:
            self._bound[key] = camera.bind(self.model, f"{robot}/")
        return self._bound[key]

    def __iter__(self) -> Iterator[tuple[str, str, Camera | DepthCamera]]:
        """Yield robot, topic and description of every camera."""
        return ((robot, *known) for (robot, _), known in self._cameras.items())


class PictureEncoder:
    """Queue of pictures.

    Args:
        put: writes a message: topic, message, time (ns).
        wants: returns True for the topics that are recorded.
        add_renderer: adds the renderer to the metadata; called after the first picture.
    """

    def __init__(
        self,
        put: Callable[[str, Any, int], None],
        wants: Callable[[str], bool],
        add_renderer: Callable[[], None],
    ) -> None:
        self._put, self._wants, self._add_renderer = put, wants, add_renderer
        self._queue: deque[tuple[RecordedCameras, PictureItem]] = deque()
        self._failed = False

    def __len__(self) -> int:
        return len(self._queue)

    def add(self, cameras: RecordedCameras, item: PictureItem) -> None:
        """Add a picture of a scene's camera."""
        self._queue.append((cameras, item))
        while len(self._queue) > MOST_PICTURES:
            self.draw_next()

    def prepare(self, cameras: RecordedCameras) -> None:
        """Start the renderer, so that the first picture does not take long."""
        for robot, topic, camera in cameras:
            if any(map(self._wants, topics(topic, camera)[:2])):
                state = RenderState.of(cameras.model, mujoco.MjData(cameras.model))
                if isinstance(camera, Camera):
                    self._draw(cameras, robot, camera, Shot(state, camera.aim, 0))
                else:
                    self._draw(cameras, robot, camera, DepthShot(state, 0, 0))

    def draw_next(self) -> None:
        """Render and write the oldest picture."""
        cameras, item = self._queue.popleft()
        if item.appearance is not None:
            for field in APPEARANCE_FIELDS:
                getattr(cameras.model, field)[...] = item.appearance[field]
        known = cameras.get(item.robot, item.sensor)
        if known is None or self._failed:
            return
        names = topics(*known)
        if not any(map(self._wants, names[:2])):
            return
        made = self._draw(cameras, item.robot, known[1], item.shot(cameras.model), item.stamp)
        for name, message in zip(names, made, strict=False):
            self._put(name, message, item.time)

    def _draw(
        self,
        cameras: RecordedCameras,
        robot: str,
        camera: Camera | DepthCamera,
        shot: Shot | DepthShot,
        stamp: int = 0,
    ) -> Sequence[Any]:
        """Return the messages of `topics`; none if nothing can be rendered here."""
        frame, bound = camera_messages.optical_frame(robot, camera), cameras.bound(robot, camera)
        picture: Any
        try:
            match bound, shot:
                case BoundCamera(), Shot():
                    picture = bound.draw(shot)
                    message = camera_messages.compressed_image(stamp, frame, picture)
                case BoundDepthCamera(), DepthShot():
                    picture = bound.draw(shot)
                    message = camera_messages.depth_image(stamp, frame, picture)
        except Exception as error:  # without OpenGL all else is still recorded
            self._failed = True
            _LOG.warning("recording: pictures are not recorded (%s)", error)
            return ()
        self._add_renderer()
        optics: Lens | ImagePlane
        if isinstance(camera, Camera):
            optics = camera.lens.with_zoom(shot.aim.zoom if isinstance(shot, Shot) else camera.zoom)
        else:
            optics = camera.optics.output_plane
        digest = hashlib.sha256(picture.tobytes()).hexdigest()
        return (
            message,
            camera_messages.camera_info(stamp, frame, optics),
            camera_messages.picture_hash(stamp, frame, picture, digest),
        )


def topics(topic: str, camera: Camera | DepthCamera) -> tuple[str, str, str]:
    """Return the topics of the pictures of a camera, of its intrinsics, and of hashes."""
    kind = "image/compressed" if isinstance(camera, Camera) else "image"
    return f"{topic}/{kind}", f"{topic}/camera_info", f"{OWN}pictures{topic}"
