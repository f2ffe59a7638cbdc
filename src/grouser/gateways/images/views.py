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
from grouser.gateways.images.gallery import Gallery, Offer
from grouser.gateways.images.render_pool import Eyes
from grouser.gateways.images.snapshot_codec import looks, shoot
from grouser.gateways.images.tiles import UDK, Layout, Name, Seat
from grouser.gateways.images.world_transfer import told
from grouser.protocol.rendering import Looks, NewWorld, Shoot
from grouser.sensors.camera import Camera, CameraFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.scene import Scene
from grouser.world.file import RobotEntry

NO_TILE = -1
"""Number of somebody who has no camera (``STA {View -1}``)."""

_KEY_BYTES = 16


class Views(Gallery):
    """The views of a simulation that others may look at."""

    def __init__(self, eyes: Eyes, layout: Layout = UDK, *, fps: float = math.inf) -> None:
        """Show what ``eyes`` draw.

        Args:
            eyes: those who draw.
            layout: of the mosaic.
            fps: pictures per simulated second of each camera, at most.
        """
        super().__init__(eyes, layout)
        if not fps > 0:
            raise BadValue(f"views: {fps} pictures per second, must be above 0")
        self._fps = fps
        self._beats: dict[Name, int] = {}
        self._entries: dict[str, RobotEntry] = {}
        self._model: mujoco.MjModel | None = None
        self._looks: Looks | None = None

    def take(self, scene: Scene) -> None:
        """Go on in a scene that was composed anew.

        Who was there keeps tile, key and picture; the lowest free tile goes to a new camera, and is
        free again when it leaves.
        """
        self._model, self._looks = scene.model, looks(scene.model)
        cameras = {
            name: sensor
            for name, (sensor, _) in scene.sensors.items()
            if isinstance(sensor, Camera)
        }
        self._beats = {name: beat for name, beat in self._beats.items() if name in cameras}
        entries = {entry.name: entry for entry in scene.world.robots}
        stay = {name for name, entry in entries.items() if self._entries.get(name) is entry}
        self._entries = entries
        self.seat(self._seated(cameras, stay))
        seats = [asdict(seat) for seat in self.seats]
        layout = list(astuple(self.mosaic.layout))
        self.eyes.take(NewWorld(seats, layout, int(self.eyes.type), [], told(scene.world)))

    def tile(self, robot: str) -> int:
        """Return the tile of a robot's first camera; -1: it has none."""
        tiles = [seat.tile for seat in self.seats if seat.robot == robot]
        return min(tiles, default=NO_TILE)

    def key(self, robot: str) -> str:
        """Return the key to a robot's pictures, lower-case hexadecimal; empty: it has none."""
        return next((seat.key for seat in self.seats if seat.robot == robot), "")

    def offer(self, robot: str, reading: Reading) -> None:
        """Take a camera's fresh reading; others are not looked at. Never waits.

        A reading of the scene before this one comes too late and is not drawn.
        """
        frame, name = reading.values, (robot, reading.sensor)
        if not isinstance(frame, CameraFrame) or frame.shot.snapshot.model is not self._model:
            return
        if math.isfinite(self._fps):
            beat = math.floor(reading.time * self._fps + 1e-6)
            if self._beats.get(name) == beat:
                return
            self._beats[name] = beat
        taken, quality = frame.shot, self.eyes.quality

        def order(wanted: bool) -> Shoot:
            self._keep_up()
            return shoot(
                taken,
                reading.time,
                robot=robot,
                camera=reading.sensor,
                quality=quality,
                back=wanted,
            )

        self.show(name, Offer(order))

    def _keep_up(self) -> None:
        """Tell the eyes if something looks otherwise than before."""
        now = looks(self._model)
        if now != self._looks:
            self._looks = now
            self.eyes.look(now)

    def _seated(self, cameras: dict[Name, Camera], stay: set[str]) -> Iterator[Seat]:
        """Give every camera a seat: its old one, or the lowest that is free.

        Args:
            cameras: all there are.
            stay: robots that were there before; another one may have the name of one that left.
        """
        old = {seat.name: seat for seat in self.seats if seat.robot in stay}
        keys = {seat.robot: seat.key for seat in old.values()}
        taken = {old[name].tile for name in cameras if name in old}
        free = (tile for tile in count() if tile not in taken)
        for name, camera in cameras.items():
            if name in old:
                yield old[name]
            else:
                robot, sensor = name
                key = keys.setdefault(robot, secrets.token_hex(_KEY_BYTES))
                yield Seat(robot, sensor, camera.lens.width, camera.lens.height, next(free), key)
