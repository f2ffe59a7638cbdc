"""Eyes: processes of their own that draw what cameras see, while physics goes on.

Pictures cost more than physics, and a renderer keeps its process busy. An eye composes the same
world for itself, is sent the state at the moment of each shot, and sends the picture back: the same
bytes as if the simulation had drawn it itself.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Self

import mujoco

from grouser.cores import cores
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.sensors.camera import Aim, BoundCamera, Frame, Shot
from grouser.sensors.render import Image
from grouser.sensors.sensor import Reading
from grouser.sensors.snapshot import Snapshot
from grouser.simulation.scene import Scene, compose
from grouser.world.file import World

Key = tuple[str, str]
"""Names of a robot and of a camera on it."""

ONE_THREAD = {"LP_NUM_THREADS": "1"}
"""Environment that keeps Mesa's software renderer from taking every core for one picture."""


class Eyes:
    """Some processes that draw; use it in a ``with`` block."""

    def __init__(self, world: World, *, workers: int = 0) -> None:
        """Open the eyes of ``world``.

        Args:
            world: as it is now; when somebody joins or leaves, open others.
            workers: how many processes; 0: one for every core.
        """
        self._pool = ProcessPoolExecutor(
            workers or cores(),
            mp_context=multiprocessing.get_context("spawn"),  # OpenGL does not survive a fork
            initializer=_open,
            initargs=(world,),
        )

    def draw(self, robot: str, reading: Reading) -> Future[Image]:
        """Let somebody draw a camera's ``reading``; the picture is there when it is done."""
        frame = reading.values
        if not isinstance(frame, Frame):
            raise BadValue(f"eyes: '{reading.sensor}' of '{robot}' is no camera")
        shot = frame.shot
        return self._pool.submit(_draw, (robot, reading.sensor), _Sent.of(shot))

    def close(self) -> None:
        """Let them finish what they were sent, and end."""
        self._pool.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class _Sent:
    """A shot on its way to another process: all but the model, which that has composed itself."""

    qpos: Array
    qvel: Array
    mocap_pos: Array
    mocap_quat: Array
    aim: Aim
    seed: int

    @staticmethod
    def of(shot: Shot) -> _Sent:
        seen = shot.snapshot
        return _Sent(seen.qpos, seen.qvel, seen.mocap_pos, seen.mocap_quat, shot.aim, shot.seed)

    def shot(self, model: mujoco.MjModel) -> Shot:
        snapshot = Snapshot(model, self.qpos, self.qvel, self.mocap_pos, self.mocap_quat)
        return Shot(snapshot, self.aim, self.seed)


_scene: Scene | None = None
"""In an eye's process: the world it draws."""


def _open(world: World) -> None:
    """Compose the world, in an eye's process."""
    global _scene
    os.environ.update(ONE_THREAD)
    _scene = compose(world)


def _draw(key: Key, sent: _Sent) -> Image:
    """Draw one picture, in an eye's process."""
    assert _scene is not None  # `_open` has run
    sensors: Mapping[Key, object] = {name: bound for name, (_, bound) in _scene.sensors.items()}
    camera = sensors[key]
    assert isinstance(camera, BoundCamera)  # `Eyes.draw` has seen to it
    return camera.draw(sent.shot(_scene.model))
