"""Render worker: a process that draws and encodes pictures of a world.

It builds the same model as the server and receives the state of each shot, so that its pictures are
equal bit for bit to those of the simulation's own process. It exits when its socket is closed.

Run as ``python -m grouser.render_workers.worker FD``, with the descriptor of an open socket.
"""

from __future__ import annotations

import io
import logging
import os
import select
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress

import numpy as np

from grouser.errors import GrouserError
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Film,
    Looks,
    Message,
    MessageReader,
    NewWorld,
    Picture,
    Shoot,
    Skipped,
    encode,
)
from grouser.render_workers.raster import Raster
from grouser.render_workers.render_codec import (
    apply_appearance,
    decode_frame,
    decode_shot,
    decode_world,
    fits,
)
from grouser.rendering.filament import FilamentRenderer
from grouser.rendering.quality import quality_named
from grouser.rendering.render_state import shared_loader
from grouser.rendering.renderer import Renderer
from grouser.rendering.webm import vp8_key_frame
from grouser.sensors.camera import BoundCamera
from grouser.simulation.scene import Scene, compose

NICE = 5
"""Increment of the process's niceness: physics has priority."""

Drawer = Renderer | FilamentRenderer

_LOG = logging.getLogger("grouser.render_workers.worker")
_CHUNK = 2**18


class RenderWorker:
    """Executor of render orders, one at a time."""

    def __init__(self) -> None:
        """Start without a world."""
        self._scene: Scene | None = None
        self._video_renderer: tuple[tuple[int, int, str], Drawer] | None = None

    def handle(self, message: Message) -> Message | None:
        """Process a message; return the answer, or None if it has none."""
        number = getattr(message, "number", -1)
        try:
            match message:
                case NewWorld():
                    self._scene = None
                    self._scene = compose(decode_world(message.body))
                case Looks() if self._scene:
                    apply_appearance(self._scene.model, message)
                case Shoot():
                    return self._draw_shot(message)
                case Film():
                    return self._draw_video_frame(message)
                case Encode():
                    jpeg = encode_jpeg(Raster.of(message.body), message.quality)
                    return Picture(number, 0, jpeg)
        except GrouserError as error:
            return Failed(number, str(error))
        except Exception as error:  # one failed picture must not stop the worker
            _LOG.exception("order failed")
            return Failed(number, f"{type(error).__name__}: {error}")
        return None

    def _draw_shot(self, order: Shoot) -> Picture | Skipped:
        """Draw a camera picture; an order for another world is skipped."""
        scene, name = self._scene, (order.robot, order.camera)
        if scene is None or not fits(scene.model, order) or name not in scene.sensors:
            return Skipped(order.number)
        camera = scene.sensors[name][1]
        if not isinstance(camera, BoundCamera):
            return Skipped(order.number)
        raster = Raster.of_rgb(camera.draw(decode_shot(scene.model, order)))
        raw = raster.payload()
        jpeg = encode_jpeg(raster, order.quality) if order.quality else b""
        return Picture(order.number, len(raw), raw + jpeg)

    def _draw_video_frame(self, order: Film) -> Picture | Skipped:
        """Draw a video frame; an order for another world is skipped."""
        if self._scene is None or not fits(self._scene.model, order):
            return Skipped(order.number)
        model = self._scene.model
        state, view = decode_frame(model, order)
        renderer = self._renderer(order.size[0], order.size[1], order.quality)
        picture = renderer.picture(model, shared_loader().load(state), view)
        if order.coded:
            return Picture(order.number, 0, vp8_key_frame(picture))
        return Picture(order.number, picture.nbytes, picture.tobytes())

    def _renderer(self, width: int, height: int, quality: str) -> Drawer:
        """Return the renderer for video frames, created on first use."""
        wanted = (width, height, quality)
        if self._video_renderer is None or self._video_renderer[0] != wanted:
            self._video_renderer = wanted, quality_named(quality).renderer(width, height)
        return self._video_renderer[1]


def encode_jpeg(raster: Raster, quality: int) -> bytes:
    """Return a JPEG file; ``quality`` 1..100."""
    from PIL import Image as Pillow  # slow import, needed for JPEG only

    file, size = io.BytesIO(), (raster.width, raster.height)
    rgb = np.ascontiguousarray(raster.bgr()[..., ::-1])
    Pillow.frombuffer("RGB", size, rgb, "raw", "RGB", 0, 1).save(file, "JPEG", quality=quality)
    return file.getvalue()


def answers(worker: RenderWorker, messages: list[Message]) -> Iterator[Message]:
    """Process a batch of messages; yield the answers.

    Of several new worlds only the last is built, so that the worker does not lag behind when robots
    join and leave; shots of the others are skipped. Video frames are never skipped.
    """
    has_video = any(isinstance(each, Film) for each in messages)
    worlds = [n for n, each in enumerate(messages) if isinstance(each, NewWorld)]
    last = -1 if has_video else max(worlds, default=-1)
    outdated = False
    for number, message in enumerate(messages):
        if number < last and isinstance(message, NewWorld | Looks):
            outdated = True
        elif number < last and outdated and isinstance(message, Shoot):
            yield Skipped(message.number)
        elif answer := worker.handle(message):
            yield answer


def main(descriptor: int) -> None:
    """Process orders from an open socket until it is closed."""
    logging.basicConfig(level=logging.WARNING)
    if hasattr(os, "nice"):
        os.nice(NICE)
    worker, parcels = RenderWorker(), MessageReader()
    with socket.socket(fileno=descriptor) as server, suppress(ConnectionError, KeyboardInterrupt):
        while data := server.recv(_CHUNK):
            messages = parcels.receive(data)
            while select.select([server], [], [], 0)[0] and (data := server.recv(_CHUNK)):
                messages += parcels.receive(data)
            for answer in answers(worker, messages):
                server.sendall(encode(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]))
