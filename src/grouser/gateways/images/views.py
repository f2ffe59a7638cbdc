"""MultiView: tiles, keys and pictures of the cameras of a simulation.

Zaratti et al. 2006, sec. 3: every robot with a camera gets a number when it joins, and its view is
that tile of the mosaic. Here a robot's client also gets a key, with which the image port serves
only the pictures of that robot.
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
from grouser.gateways.images.mosaic import UDK_LAYOUT, CameraName, CameraSlot, CameraTile, Layout
from grouser.gateways.images.render_pool import RenderPool
from grouser.protocol.rendering import Looks, NewWorld, Shoot
from grouser.render_workers.render_codec import encode_appearance, encode_shot, encode_world
from grouser.sensors.camera import Camera, CameraFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.scene import Scene
from grouser.world.file import RobotEntry

NO_TILE = -1
"""Tile number of a robot without camera (``STA {View -1}``)."""

_KEY_BYTES = 16


class Views:
    """Tiles, keys and pictures of the cameras of a simulation."""

    def __init__(
        self, pool: RenderPool, layout: Layout = UDK_LAYOUT, *, fps: float = math.inf
    ) -> None:
        """Start without a scene; call `rebind`.

        Args:
            pool: draws the pictures.
            layout: layout of the mosaic.
            fps: maximum number of pictures of each camera per simulated second.
        """
        if not fps > 0:
            raise BadValue(f"views: fps is {fps}, must be above 0")
        self.pool = pool
        self.frames = LatestFrames(pool, layout)
        """Latest picture of every camera, with its watchers."""
        self._fps = fps
        self._periods: dict[CameraName, int] = {}
        self._entries: dict[str, RobotEntry] = {}
        self._model: mujoco.MjModel | None = None
        self._appearance: Looks | None = None

    def rebind(self, scene: Scene) -> None:
        """Switch to a rebuilt scene and send it to the render pool.

        Robots that stay keep tile, key and picture; a new camera gets the lowest free tile.
        """
        self._model, self._appearance = scene.model, encode_appearance(scene.model)
        cameras = {
            name: sensor
            for name, (sensor, _) in scene.sensors.items()
            if isinstance(sensor, Camera)
        }
        self._periods = {name: n for name, n in self._periods.items() if name in cameras}
        entries = {entry.name: entry for entry in scene.world.robots}
        stay = {name for name, entry in entries.items() if self._entries.get(name) is entry}
        self._entries = entries
        self.frames.set_cameras(self._assign_slots(cameras, stay))
        slots = [asdict(slot) for slot in self.frames.slots]
        layout = list(astuple(self.frames.mosaic.layout))
        world = encode_world(scene.world)
        self.pool.load_world(NewWorld(slots, layout, int(self.pool.type), [], world))

    def tile(self, robot: str) -> int:
        """Return the tile number of a robot's first camera; -1: none."""
        tiles = [slot.tile for slot in self.frames.slots if slot.robot == robot]
        return min(tiles, default=NO_TILE)

    def tiles(self, robot: str) -> dict[str, CameraTile]:
        """Return the position of each camera of a robot in the mosaic."""
        place = self.frames.mosaic.layout.place
        return {slot.camera: place(slot) for slot in self.frames.slots if slot.robot == robot}

    def key(self, robot: str) -> str:
        """Return the key to a robot's pictures, lower-case hexadecimal; empty: no camera."""
        return next((slot.key for slot in self.frames.slots if slot.robot == robot), "")

    def offer(self, robot: str, reading: Reading) -> None:
        """Draw a camera's new reading if it is watched; ignore readings of other sensors.

        Does not block. A reading of an earlier scene is ignored.
        """
        frame, name = reading.values, (robot, reading.sensor)
        if not isinstance(frame, CameraFrame) or frame.shot.state.model is not self._model:
            return
        if math.isfinite(self._fps):
            period = math.floor(reading.time * self._fps + 1e-6)
            if self._periods.get(name) == period:
                return
            self._periods[name] = period
        shot, quality = frame.shot, self.pool.quality

        def order(wanted: bool) -> Shoot:
            self._update_appearance()
            return encode_shot(
                shot, reading.time, robot=robot, camera=reading.sensor, quality=quality, back=wanted
            )

        self.frames.offer(name, ShotRequest(order))

    def _update_appearance(self) -> None:
        """Send the appearance to the render pool if lights or colours have changed."""
        appearance = encode_appearance(self._model)
        if appearance != self._appearance:
            self._appearance = appearance
            self.pool.update_appearance(appearance)

    def _assign_slots(
        self, cameras: dict[CameraName, Camera], stay: set[str]
    ) -> Iterator[CameraSlot]:
        """Assign a slot to every camera: the previous one, or one with the lowest free tile.

        Args:
            cameras: all cameras.
            stay: robots that were in the previous scene; a new robot may reuse a name.
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
