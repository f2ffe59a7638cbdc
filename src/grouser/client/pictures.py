"""What a robot's camera sees, from a server's image port, as arrays.

::

    with join("P3AT") as robot, watch(robot) as pictures:
        rgb = pictures.take()

A robot's own pictures come for the key that GETCONF {Type Camera} gives it; without one a
connection gets the mosaic of all. Old servers know nothing else: there the robot's tile is asked
for.
"""

from __future__ import annotations

import io
import time
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from grouser.client.address import Address
from grouser.client.connection import PACKET, RemoteRobot, open_socket
from grouser.errors import BadValue, Disconnected, NoAnswer
from grouser.protocol import images
from grouser.protocol.images import (
    Credential,
    Frame,
    ImageClientSide,
    ImageType,
    NoPicture,
    Region,
    Request,
    WholeFrame,
)
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.geo_conf import Configuration, SensorConfiguration

Picture = npt.NDArray[np.uint8]
"""Rows from the top, columns from the left, red, green, blue."""

KEY = "ImageKey"
"""Setting of a camera that is ours alone."""


class PictureConnection:
    """A connection to an image port, through a blocking socket.

    Args:
        address: the image port; the address's dialect does not matter.
        access: a robot's key, for its pictures alone, or a token, for the mosaic of all; None: the
            mosaic, of a server that demands no token.
        part: what `take` returns if it gets no region; None: the whole picture.
    """

    def __init__(
        self, address: Address, access: Credential | None = None, part: Region | None = None
    ) -> None:
        self.address = address
        self._part: Request = part or WholeFrame()
        self._side = ImageClientSide()
        self._first = b"" if access is None else access.encode()
        self._socket = open_socket(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Look no more."""
        self._socket.close()

    def take(self, region: Region | None = None, timeout: float | None = None) -> Picture:
        """Return the newest picture, or a part of it.

        Args:
            region: the part, pixels from the upper left corner; None: as usual.
            timeout: longest wait, s; None: the address's.
        """
        return decode_frame(self.frame(region or self._part, timeout))

    def frame(self, request: Request, timeout: float | None = None) -> Frame:
        """Ask for a picture and return it as it came."""
        limit = self.address.timeout if timeout is None else timeout
        until = time.monotonic() + limit
        try:
            self._socket.settimeout(limit)
            self._socket.sendall(self._first + request.encode())
            self._first = b""
            while True:
                self._socket.settimeout(max(1e-3, until - time.monotonic()))
                data = self._socket.recv(PACKET)
                if not data:
                    raise ConnectionResetError("it was closed")
                for frame in self._side.receive(data):
                    return self._checked(frame)
        except TimeoutError:
            # Half a picture may have come: what follows could not be told from the next one.
            self.close()
            raise NoAnswer(f"{self.address.peer}: no picture within {limit:g} s") from None
        except Disconnected:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise Disconnected(
                f"{self.address.peer}: the image server gives no picture, "
                f"{error.strerror or error} (does it demand a key or a token? Its log says why)"
            ) from None

    def _checked(self, frame: Frame | NoPicture | Fault) -> Frame:
        if isinstance(frame, NoPicture):
            raise Disconnected(f"{self.address.peer}: no picture, {frame.reason}")
        if isinstance(frame, Fault):
            raise BadValue(f"the image server sent {frame.reason}")
        return frame


@dataclass(frozen=True, slots=True)
class Tile:
    """A robot's place in the mosaic, and what opens its pictures."""

    region: Region
    key: str | None
    """None: an old server, where everybody sees everything."""


def camera_tile(configuration: Configuration, camera: str | None = None) -> Tile:
    """Read a camera's tile from what GETCONF {Type Camera} answered.

    Raises `BadValue` if the robot has no such camera.
    """
    cameras = configuration.sensors if isinstance(configuration, SensorConfiguration) else ()
    for each in cameras:
        settings = dict(each.settings)
        if camera is None or each.name.lower() == camera.lower():
            region = Region(
                int(settings.get("TextureOffsetX", 0)),
                int(settings.get("TextureOffsetY", 0)),
                int(settings.get("TextureResolutionX", 0)),
                int(settings.get("TextureResolutionY", 0)),
            )
            return Tile(region, str(settings[KEY]) if KEY in settings else None)
    known = ", ".join(each.name for each in cameras) or "none"
    raise BadValue(f"the robot has no camera '{camera or ''}' (there are: {known})")


def watch(
    robot: RemoteRobot, camera: str | None = None, port: int = images.PORT
) -> PictureConnection:
    """Connect to the pictures of a robot's camera, on the machine of its server.

    Args:
        robot: whose.
        camera: which, if it has several; None: the first.
        port: the server's image port.
    """
    tile = camera_tile(robot.configuration("Camera"), camera)
    where = robot.address
    address = Address(host=where.host, port=port, tls=where.tls, timeout=where.timeout)
    if tile.key is None:
        return PictureConnection(address, part=tile.region)
    return PictureConnection(address, Credential("key", tile.key, camera or ""))


def decode_frame(frame: Frame) -> Picture:
    """Return the pixels of a frame, raw or JPEG."""
    if frame.type is ImageType.RAW:
        width, height, rgb = frame.pixels()
        return np.frombuffer(rgb, np.uint8).reshape(height, width, 3)
    return _decode_jpeg(frame.payload)


def _decode_jpeg(file: bytes) -> Picture:
    from PIL import Image as Pillow  # only whoever is sent JPEG waits for it

    try:
        with Pillow.open(io.BytesIO(file), formats=("JPEG",)) as picture:
            return np.array(picture.convert("RGB"))
    except (OSError, SyntaxError, Pillow.DecompressionBombError):  # cut short, or something else
        raise BadValue(f"{len(file)} bytes of the image server are no JPEG file") from None
