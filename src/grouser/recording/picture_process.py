"""Picture process: renders the pictures of a recording and makes ROS messages of them.

Run as ``python -m grouser.recording.picture_process FD PRIORITY``, with the descriptor of an open
socket and ``normal`` or ``idle``. Messages are pickles from the process that started it.
"""

from __future__ import annotations

import hashlib
import logging
import pickle
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import mujoco

from grouser.recording.channel import Channel
from grouser.recording.items import (
    PictureItem,
    RenderedPicture,
    RenderFailure,
    RenderReady,
    SceneTopics,
)
from grouser.recording.priority import become_idle, run_behind
from grouser.recording.recorded_cameras import RecordedCameras, picture_topics
from grouser.rendering.image_plane import ImagePlane
from grouser.rendering.render_state import APPEARANCE_FIELDS, RenderState
from grouser.ros import camera_messages
from grouser.ros.definitions import serialize
from grouser.sensors.camera import BoundCamera, Camera, Shot
from grouser.sensors.depth import BoundDepthCamera, DepthCamera, DepthShot
from grouser.sensors.imaging.lens import Lens

SCENES = 3
"""Number of scenes that are kept: a delayed picture may show an earlier one."""
NICE = 2
"""Increment of the process's niceness: physics has priority."""
LONGEST_WAIT = 3600.0
"""Time between two looks at the socket, wall s."""
IDLE = "idle"
"""Argument for a process that runs only while the machine has nothing else to do."""


class PictureRenderer:
    """Renders pictures of the scenes that it has received."""

    def __init__(self) -> None:
        self._scenes: dict[int, RecordedCameras] = {}

    def load_scene(self, message: SceneTopics) -> Iterator[RenderReady]:
        """Add a scene, and draw a first picture if there is none yet: that takes long."""
        item, model = message.scene, message.scene.model
        first = not self._scenes
        if model is None:  # that of the scene before
            model = self._scenes[max(self._scenes)].model
        cameras = self._scenes[item.number] = RecordedCameras(model, item, message.topics)
        for number in [number for number in self._scenes if number <= item.number - SCENES]:
            del self._scenes[number]
        if first:
            state = RenderState.of(model, mujoco.MjData(model))
            for robot, _, camera in cameras:
                if isinstance(camera, Camera):
                    _draw(cameras, robot, camera, Shot(state, camera.aim, 0))
                else:
                    _draw(cameras, robot, camera, DepthShot(state, 0, 0))
            yield RenderReady(renderer())

    def draw(self, item: PictureItem) -> RenderedPicture:
        """Return the messages of a picture; none if its scene is not known any more."""
        cameras = self._scenes.get(item.scene)
        known = cameras.get(item.robot, item.sensor) if cameras else None
        if cameras is None or known is None:
            return RenderedPicture(item.time, ())
        for field, values in (item.appearance or {}).items():
            if field in APPEARANCE_FIELDS:
                getattr(cameras.model, field)[...] = values
        topic, camera = known
        shot = item.shot(cameras.model)
        made = _draw(cameras, item.robot, camera, shot, item.stamp)
        named = zip(picture_topics(topic, camera), made, strict=True)
        return RenderedPicture(
            item.time, tuple((name, one.__msgtype__, serialize(one)) for name, one in named)
        )


def _draw(
    cameras: RecordedCameras,
    robot: str,
    camera: Camera | DepthCamera,
    shot: Shot | DepthShot,
    stamp: int = 0,
) -> tuple[Any, Any, Any]:
    """Return the messages of `picture_topics`."""
    frame, bound = camera_messages.optical_frame(robot, camera), cameras.bound(robot, camera)
    picture: Any
    optics: Lens | ImagePlane
    match bound, shot:
        case BoundCamera(), Shot():
            picture = bound.draw(shot)
            message = camera_messages.compressed_image(stamp, frame, picture)
        case BoundDepthCamera(), DepthShot():
            picture = bound.draw(shot)
            message = camera_messages.depth_image(stamp, frame, picture)
        case _:
            raise TypeError(f"camera '{camera.name}' of {robot} has another kind of picture")
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


def renderer() -> dict[str, str]:
    """Return the renderer of this process, after its first picture."""
    from grouser.rendering import gl

    return {"back end": str(gl.back_end()), "mujoco": mujoco.__version__}


def main(descriptor: int, priority: str) -> None:
    """Render what arrives on a socket until it is closed."""
    logging.basicConfig(level=logging.WARNING)
    for number in (signal.SIGINT, signal.SIGTERM):  # the end of the recorder ends this process
        signal.signal(number, signal.SIG_IGN)
    run_behind(NICE)
    channel, pictures = Channel(socket.socket(fileno=descriptor)), PictureRenderer()

    def send(answer: object) -> None:
        channel.send(pickle.dumps(answer, pickle.HIGHEST_PROTOCOL))
        channel.drain(LONGEST_WAIT)

    with suppress(OSError):  # the writer process has ended
        while True:
            channel.wait(LONGEST_WAIT)
            for message in map(pickle.loads, channel.receive()):
                try:
                    if isinstance(message, SceneTopics):
                        for ready in pictures.load_scene(message):
                            send(ready)
                            if priority == IDLE:  # to start takes long, and happens once
                                become_idle()
                    else:
                        send(pictures.draw(message))
                except OSError:
                    raise
                except Exception as error:  # without OpenGL all else is still recorded
                    send(RenderFailure(str(error)))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
