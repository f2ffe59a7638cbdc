"""A render worker: a process that draws what cameras see, and nothing else.

It composes the same world for itself and is sent the state at the moment of each shot: its pictures
are the same bytes as if the simulation had drawn them itself. JPEG is made here, too. It ends when
its socket does.

Run as ``python -m grouser.gateways.images.worker FD``, with the number of an open socket.
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
from grouser.gateways.images.raster import Raster
from grouser.gateways.images.snapshot_codec import (
    apply_appearance,
    decode_frame,
    decode_shot,
    fits,
)
from grouser.gateways.images.world_transfer import decode_world
from grouser.protocol.rendering import (
    Encode,
    Failed,
    Film,
    Looks,
    Message,
    NewWorld,
    ParcelReader,
    Picture,
    Shoot,
    Skipped,
    encode,
)
from grouser.rendering.filament import FilamentRenderer
from grouser.rendering.quality import quality_named
from grouser.rendering.renderer import Renderer
from grouser.rendering.snapshot import shared_loader
from grouser.rendering.webm import vp8_key_frame
from grouser.sensors.camera import BoundCamera
from grouser.simulation.scene import Scene, compose

NICE = 5
"""Niceness of a worker: physics, which must not be late, comes first."""

Drawer = Renderer | FilamentRenderer

_LOG = logging.getLogger("grouser.gateways.images.worker")
_CHUNK = 2**18


class RenderWorker:
    """Carries out a server's orders, one at a time."""

    def __init__(self) -> None:
        """Start without a world."""
        self._scene: Scene | None = None
        self._film_renderer: tuple[tuple[int, int, str], Drawer] | None = None

    def handle(self, message: Message) -> Message | None:
        """Carry out a message; return the answer, None where none is due."""
        number = getattr(message, "number", -1)
        try:
            match message:
                case NewWorld():
                    self._scene = None
                    self._scene = compose(decode_world(message.body))
                case Looks() if self._scene:
                    apply_appearance(self._scene.model, message)
                case Shoot():
                    return self._shoot(message)
                case Film():
                    return self._film(message)
                case Encode():
                    jpeg = encode_jpeg(Raster.of(message.body), message.quality)
                    return Picture(number, 0, jpeg)
        except GrouserError as error:
            return Failed(number, str(error))
        except Exception as error:  # a worker goes on, whatever one picture did to it
            _LOG.exception("an order failed")
            return Failed(number, f"{type(error).__name__}: {error}")
        return None

    def _shoot(self, order: Shoot) -> Picture | Skipped:
        """Draw a picture; an order for another world than this one's is skipped."""
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

    def _film(self, order: Film) -> Picture | Skipped:
        """Draw a frame of a film; one of another world than this one's is skipped."""
        if self._scene is None or not fits(self._scene.model, order):
            return Skipped(order.number)
        model = self._scene.model
        snapshot, view = decode_frame(model, order)
        renderer = self._renderer(order.size[0], order.size[1], order.quality)
        picture = renderer.picture(model, shared_loader().load(snapshot), view)
        if order.coded:
            return Picture(order.number, 0, vp8_key_frame(picture))
        return Picture(order.number, picture.nbytes, picture.tobytes())

    def _renderer(self, width: int, height: int, quality: str) -> Drawer:
        """Return the renderer of the film, opened at its first frame."""
        wanted = (width, height, quality)
        if self._film_renderer is None or self._film_renderer[0] != wanted:
            self._film_renderer = wanted, quality_named(quality).renderer(width, height)
        return self._film_renderer[1]


def encode_jpeg(raster: Raster, quality: int) -> bytes:
    """Return a JPEG file; ``quality`` 1..100."""
    from PIL import Image as Pillow  # only whoever wants JPEG waits for it

    file, size = io.BytesIO(), (raster.width, raster.height)
    rgb = np.ascontiguousarray(raster.bgr()[..., ::-1])
    Pillow.frombuffer("RGB", size, rgb, "raw", "RGB", 0, 1).save(file, "JPEG", quality=quality)
    return file.getvalue()


def answers(worker: RenderWorker, messages: list[Message]) -> Iterator[Message]:
    """Carry out messages that came together; yield the answers.

    Of several new worlds only the last is composed: where people come and go, a worker would lag
    behind else. Shots of those that are left out are skipped; a film lacks no frame.
    """
    filming = any(isinstance(each, Film) for each in messages)
    worlds = [n for n, each in enumerate(messages) if isinstance(each, NewWorld)]
    last = -1 if filming else max(worlds, default=-1)
    outdated = False
    for number, message in enumerate(messages):
        if number < last and isinstance(message, NewWorld | Looks):
            outdated = True
        elif number < last and outdated and isinstance(message, Shoot):
            yield Skipped(message.number)
        elif answer := worker.handle(message):
            yield answer


def main(descriptor: int) -> None:
    """Carry out the orders that come on an open socket, until it is closed."""
    logging.basicConfig(level=logging.WARNING)
    if hasattr(os, "nice"):
        os.nice(NICE)
    worker, parcels = RenderWorker(), ParcelReader()
    with socket.socket(fileno=descriptor) as server, suppress(ConnectionError, KeyboardInterrupt):
        while data := server.recv(_CHUNK):
            messages = parcels.receive(data)
            while select.select([server], [], [], 0)[0] and (data := server.recv(_CHUNK)):
                messages += parcels.receive(data)
            for answer in answers(worker, messages):
                server.sendall(encode(answer))


if __name__ == "__main__":
    main(int(sys.argv[1]))
