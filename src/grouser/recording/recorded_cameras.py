"""Cameras and depth cameras of a recorded scene, and the topics of their pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import mujoco

from grouser.recording.items import OWN, SceneItem
from grouser.sensors.camera import BoundCamera, Camera
from grouser.sensors.depth import BoundDepthCamera, DepthCamera


class RecordedCameras:
    """Cameras and depth cameras of a recorded scene.

    Args:
        model: the compiled scene.
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


def picture_topics(topic: str, camera: Camera | DepthCamera) -> tuple[str, str, str]:
    """Return the topics of the pictures of a camera, of its intrinsics, and of hashes."""
    kind = "image/compressed" if isinstance(camera, Camera) else "image"
    return f"{topic}/{kind}", f"{topic}/camera_info", f"{OWN}pictures{topic}"
