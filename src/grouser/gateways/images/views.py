"""MultiView: what all cameras of a simulation see, in one mosaic and each for its own robot.

Zaratti et al. 2006, sec. 3: every robot with a camera has a number when it joins, and its view is
that tile of one picture. Here a robot's own client also gets a key, with which the image port gives
it its own pictures and nothing else.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Iterator
from dataclasses import asdict, astuple
from itertools import count

import mujoco

from grouser.errors import BadValue
from grouser.gateways.images.latest_frames import LatestFrames, ShotRequest
from grouser.gateways.images.render_pool import RenderPool
from grouser.gateways.images.snapshot_codec import encode_appearance, encode_shot
from grouser.gateways.images.tiles import (
    UDK_LAYOUT,
    CameraName,
    CameraSlot,
    CameraTile,
    Layout,
)
from grouser.gateways.images.world_transfer import encode_world
from grouser.protocol.rendering import Looks, NewWorld, Shoot
from grouser.sensors.camera import Camera, CameraFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.scene import Scene
from grouser.world.file import RobotEntry

NO_TILE = -1
"""Number of somebody who has no camera (``STA {View -1}``)."""

_KEY_BYTES = 16


class Views:
    """The views of a simulation's cameras: tiles, keys, and the pictures as they are drawn."""

    def __init__(
        self, pool: RenderPool, layout: Layout = UDK_LAYOUT, *, fps: float = math.inf
    ) -> None:
        """Start without a scene; `rebind` gives one.

        Args:
            pool: draws the pictures.
            layout: of the mosaic.
            fps: pictures per simulated second of each camera, at most.
        """
        if not fps > 0:
            raise BadValue(f"views: {fps} pictures per second, must be above 0")
        self.pool = pool
        self.frames = LatestFrames(pool, layout)
        """The newest picture of every camera, and who watches it."""
        self._fps = fps
        self._beats: dict[CameraName, int] = {}
        self._entries: dict[str, RobotEntry] = {}
        self._model: mujoco.MjModel | None = None
        self._appearance: Looks | None = None

    def rebind(self, scene: Scene) -> None:
        """Rebind to a recomposed scene and send it to the render pool.

        Who was there keeps tile, key and picture; the lowest free tile goes to a new camera, and is
        free again when it leaves.
        """
        self._model, self._appearance = scene.model, encode_appearance(scene.model)
        cameras = {
            name: sensor
            for name, (sensor, _) in scene.sensors.items()
            if isinstance(sensor, Camera)
        }
        self._beats = {name: beat for name, beat in self._beats.items() if name in cameras}
        entries = {entry.name: entry for entry in scene.world.robots}
        stay = {name for name, entry in entries.items() if self._entries.get(name) is entry}
        self._entries = entries
        self.frames.set_cameras(self._assign_slots(cameras, stay))
        slots = [asdict(slot) for slot in self.frames.slots]
        layout = list(astuple(self.frames.mosaic.layout))
        world = encode_world(scene.world)
        self.pool.load_world(NewWorld(slots, layout, int(self.pool.type), [], world))

    def tile(self, robot: str) -> int:
        """Return the tile of a robot's first camera; -1: it has none."""
        tiles = [slot.tile for slot in self.frames.slots if slot.robot == robot]
        return min(tiles, default=NO_TILE)

    def tiles(self, robot: str) -> dict[str, CameraTile]:
        """Return where each camera of a robot is in the mosaic."""
        return self.frames.tiles(robot)

    def key(self, robot: str) -> str:
        """Return the key to a robot's pictures, lower-case hexadecimal; empty: it has none."""
        return next((slot.key for slot in self.frames.slots if slot.robot == robot), "")

    def offer(self, robot: str, reading: Reading) -> None:
        """Have a camera's new reading drawn if somebody watches; ignore other sensors' readings.

        It never waits. A reading of the scene before this one comes too late and is not drawn.
        """
        frame, name = reading.values, (robot, reading.sensor)
        if not isinstance(frame, CameraFrame) or frame.shot.snapshot.model is not self._model:
            return
        if math.isfinite(self._fps):
            beat = math.floor(reading.time * self._fps + 1e-6)
            if self._beats.get(name) == beat:
                return
            self._beats[name] = beat
        shot, quality = frame.shot, self.pool.quality

        def order(wanted: bool) -> Shoot:
            self._update_appearance()
            return encode_shot(
                shot,
                reading.time,
                robot=robot,
                camera=reading.sensor,
                quality=quality,
                back=wanted,
            )

        self.frames.offer(name, ShotRequest(order))

    def _update_appearance(self) -> None:
        """Tell the render pool if lights or colours are not as they were."""
        appearance = encode_appearance(self._model)
        if appearance != self._appearance:
            self._appearance = appearance
            self.pool.update_appearance(appearance)

    def _assign_slots(
        self, cameras: dict[CameraName, Camera], stay: set[str]
    ) -> Iterator[CameraSlot]:
        """Give every camera a slot: its old one, or the one with the lowest free tile.

        Args:
            cameras: all there are.
            stay: robots that were there before; another one may have the name of one that left.
        """
        old = {slot.name: slot for slot in self.frames.slots if slot.robot in stay}
        keys = {slot.robot: slot.key for slot in old.values()}
        taken = {old[name].tile for name in cameras if name in old}
        free = (tile for tile in count() if tile not in taken)
        for name, camera in cameras.items():
            if name in old:
                yield old[name]
            else:
                robot, sensor = name
                key = keys.setdefault(robot, secrets.token_hex(_KEY_BYTES))
                lens = camera.lens
                yield CameraSlot(robot, sensor, lens.width, lens.height, next(free), key)
