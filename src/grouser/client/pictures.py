"""Client of the image port: camera images as arrays.

::

    with join("P3AT") as robot, watch(robot) as pictures:
        rgb = pictures.take()

The images of one robot need the key from GETCONF {Type Camera}; without a key a connection gets the
mosaic of all cameras. The original servers have the mosaic only, of which the robot's tile is
requested.
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
from grouser.protocol import images as wire
from grouser.protocol.lines import Fault
from grouser.protocol.usarsim.geo_conf import Configuration, SensorConfiguration

Picture = npt.NDArray[np.uint8]
"""Rows from the top, columns from the left, red, green, blue."""

KEY = "ImageKey"
"""Camera setting with the key; Grouser servers only."""


class PictureConnection:
    """Connection to an image port, through a blocking socket.

    Args:
        address: the image port; the dialect is ignored.
        access: key of a robot for its images, or token for the mosaic; None: the mosaic of a
            server without tokens.
        part: default region of `take`; None: the whole image.
    """

    def __init__(
        self,
        address: Address,
        access: wire.Credential | None = None,
        part: wire.Region | None = None,
    ) -> None:
        self.address = address
        self._part: wire.Request = part or wire.WholeFrame()
        self._side = wire.ImageClientSide()
        self._first = b"" if access is None else access.encode()
        self._socket = open_socket(address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()

    def take(self, region: wire.Region | None = None, timeout: float | None = None) -> Picture:
        """Return the newest image, or a region of it.

        Args:
            region: pixels from the upper left corner; None: the default region.
            timeout: time-out, s; None: that of the address.
        """
        return decode_frame(self.frame(region or self._part, timeout))

    def frame(self, request: wire.Request, timeout: float | None = None) -> wire.Frame:
        """Request an image and return it undecoded."""
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
                    raise ConnectionResetError("connection closed")
                for frame in self._side.receive(data):
                    return self._require_frame(frame)
        except TimeoutError:
            # A partial image may have been received, so the stream is out of sync.
            self.close()
            raise NoAnswer(f"{self.address.peer}: no image within {limit:g} s") from None
        except Disconnected:
            self.close()
            raise
        except OSError as error:
            self.close()
            raise Disconnected(
                f"{self.address.peer}: no image, {error.strerror or error} "
                "(a key or a token may be required; see the log of the server)"
            ) from None

    def _require_frame(self, frame: wire.Frame | wire.NoPicture | Fault) -> wire.Frame:
        if isinstance(frame, wire.NoPicture):
            raise Disconnected(f"{self.address.peer}: no image, {frame.reason}")
        if isinstance(frame, Fault):
            raise BadValue(f"invalid data of the image server: {frame.reason}")
        return frame


@dataclass(frozen=True, slots=True)
class Tile:
    """Region of a camera in the mosaic, and the key of its images."""

    region: wire.Region
    key: str | None
    """None for servers without keys."""


def camera_tile(configuration: Configuration, camera: str | None = None) -> Tile:
    """Return the tile of a camera from the answer to GETCONF {Type Camera}.

    Raises:
        BadValue: the robot has no such camera.
    """
    cameras = configuration.sensors if isinstance(configuration, SensorConfiguration) else ()
    for each in cameras:
        settings = dict(each.settings)
        if camera is None or each.name.lower() == camera.lower():
            region = wire.Region(
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
    """Connect to the images of a robot's camera, on the host of its server.

    Args:
        robot: the robot.
        camera: name of the camera; None: the first.
        port: image port of the server.
    """
    tile = camera_tile(robot.configuration("Camera"), camera)
    where = robot.address
    address = Address(host=where.host, port=port, tls=where.tls, timeout=where.timeout)
    if tile.key is None:
        return PictureConnection(address, part=tile.region)
    return PictureConnection(address, wire.Credential("key", tile.key, camera or ""))


def decode_frame(frame: wire.Frame) -> Picture:
    """Return the pixels of a frame, raw or JPEG."""
    if frame.type is wire.ImageType.RAW:
        width, height, rgb = frame.pixels()
        return np.frombuffer(rgb, np.uint8).reshape(height, width, 3)
    return _decode_jpeg(frame.payload)


def _decode_jpeg(file: bytes) -> Picture:
    from PIL import Image as Pillow  # imported for JPEG only

    try:
        with Pillow.open(io.BytesIO(file), formats=("JPEG",)) as picture:
            return np.array(picture.convert("RGB"))
    except (OSError, SyntaxError, Pillow.DecompressionBombError):  # truncated or invalid
        raise BadValue(f"{len(file)} bytes of the image server are not a JPEG file") from None
