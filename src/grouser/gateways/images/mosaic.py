"""Camera mosaic (MultiView): raw pictures, tile layout, and all cameras in one picture.

Zaratti et al. 2006, sec. 3. Camera ``i`` has the tile at ``((i mod columns) * width,
(i div columns) * height)``, as in UDK with its 2 x 2 tiles of 320 x 240. The number of columns is
fixed and rows are added, so that a tile never moves. A picture is in the upper left corner of its
tile at full resolution; a larger one is subsampled by an integer factor, the same in both
directions.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.protocol.images import Region

Rows = npt.NDArray[np.uint8]
"""(height, bytes): three bytes per pixel, then optional padding."""

CameraName = tuple[str, str]
"""Names of a robot and of a camera on it."""

_SIZE = struct.Struct(">HH")
_PIXEL = 3


def stride(width: int) -> int:
    """Return the length of a row of ``width`` pixels with padding, bytes."""
    return -(-width * _PIXEL // 4) * 4


@dataclass(frozen=True)
class Raster:
    """Raw picture as in a frame of the image server: rows of BGR, padded to four bytes.

    It may be a view into another picture.
    """

    width: int
    """Pixels."""
    rows: Rows

    @property
    def height(self) -> int:
        """Pixels."""
        return len(self.rows)

    @staticmethod
    def of(payload: bytes) -> Raster:
        """Return the picture in the payload of a raw frame; raise `BadValue` if it is malformed."""
        width, height = _SIZE.unpack_from(payload) if len(payload) >= _SIZE.size else (0, -1)
        if len(payload) - _SIZE.size != stride(width) * height:
            raise BadValue(
                f"{len(payload)} bytes do not match a picture of {width} x {height} pixels"
            )
        rows = np.frombuffer(payload, np.uint8, offset=_SIZE.size)
        return Raster(width, rows.reshape(height, stride(width)))

    @staticmethod
    def of_rgb(image: npt.NDArray[np.uint8]) -> Raster:
        """Convert an RGB image (height, width, 3)."""
        height, width, _ = image.shape
        rows = np.zeros((height, stride(width)), np.uint8)
        rows[:, : width * _PIXEL].reshape(height, width, _PIXEL)[:] = image[..., ::-1]
        return Raster(width, rows)

    @staticmethod
    def black(width: int, height: int) -> Raster:
        """Return a black picture."""
        return Raster(width, np.zeros((height, stride(width)), np.uint8))

    def bgr(self) -> npt.NDArray[np.uint8]:
        """Return the pixels (height, width, 3)."""
        return self.rows[:, : self.width * _PIXEL].reshape(self.height, self.width, _PIXEL)

    def crop(self, region: Region) -> Raster:
        """Return the part inside ``region``; it shares the memory."""
        part = region.clipped(self.width, self.height)
        across = slice(part.x * _PIXEL, (part.x + part.width) * _PIXEL)
        return Raster(part.width, self.rows[part.y : part.y + part.height, across])

    def subsample(self, factor: int) -> Raster:
        """Return every ``factor``-th pixel of every ``factor``-th row."""
        if factor == 1:
            return self
        few = np.ascontiguousarray(self.bgr()[::factor, ::factor])
        return Raster(few.shape[1], few.reshape(few.shape[0], -1))

    def paste(self, picture: Raster, x: int, y: int) -> None:
        """Copy ``picture`` with its upper left corner to x, y."""
        across = slice(x * _PIXEL, (x + picture.width) * _PIXEL)
        self.rows[y : y + picture.height, across] = picture.rows[:, : picture.width * _PIXEL]

    def payload(self) -> bytes:
        """Return the payload of a raw frame: size, then rows."""
        size, row = _SIZE.pack(self.width, self.height), stride(self.width)
        if self.rows.shape[1] == row:
            return size + self.rows.tobytes()
        padded = np.zeros((self.height, row), np.uint8)
        padded[:, : self.width * _PIXEL] = self.rows[:, : self.width * _PIXEL]
        return size + padded.tobytes()


@dataclass(frozen=True)
class CameraSlot:
    """Served camera: size, tile number in the mosaic, key."""

    robot: str
    camera: str
    width: int
    """Width of its own pictures, pixels."""
    height: int
    tile: int
    key: str = field(repr=False)
    """Key of its robot, lower-case hexadecimal; gives access to these pictures."""

    @property
    def name(self) -> CameraName:
        """Names of robot and camera."""
        return self.robot, self.camera


@dataclass(frozen=True)
class CameraTile:
    """Position of a camera's picture in the mosaic, pixels (``CONF {Type Camera}``)."""

    number: int
    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True)
class Layout:
    """Division of the mosaic into tiles."""

    columns: int = 2
    """Tiles per row."""
    rows: int = 2
    """Minimum number of rows; more are added as needed."""
    width: int = 320
    """Width of a tile, pixels."""
    height: int = 240

    def __post_init__(self) -> None:
        if min(self.columns, self.rows, self.width, self.height) < 1:
            raise BadValue(f"mosaic: {self}, all four must be at least 1")

    def factor(self, slot: CameraSlot) -> int:
        """Return the subsampling factor that fits a camera's picture into its tile."""
        return max(-(-slot.width // self.width), -(-slot.height // self.height))

    def place(self, slot: CameraSlot) -> CameraTile:
        """Return the position of a camera's picture."""
        row, column = divmod(slot.tile, self.columns)
        factor = self.factor(slot)
        width, height = -(-slot.width // factor), -(-slot.height // factor)
        return CameraTile(slot.tile, column * self.width, row * self.height, width, height)

    def size(self, slots: Iterable[CameraSlot]) -> tuple[int, int]:
        """Return width and height of a mosaic of these cameras, pixels."""
        last = max((slot.tile for slot in slots), default=-1)
        rows = max(self.rows, last // self.columns + 1)
        return self.columns * self.width, rows * self.height


UDK_LAYOUT = Layout()
"""Two columns of tiles of 320 x 240, as in UDK."""


class Mosaic:
    """Picture of all cameras; a tile is always replaced as a whole."""

    def __init__(self, layout: Layout) -> None:
        """Start with black tiles."""
        self.layout = layout
        self.version = 0
        """Incremented with every change."""
        self.raster = Raster.black(*layout.size(()))
        """The picture; the next change overwrites it."""
        self._payload: bytes | None = None

    def payload(self) -> bytes:
        """Return the present picture as the payload of a raw frame."""
        if self._payload is None:
            self._payload = self.raster.payload()
        return self._payload

    def arrange(self, before: Collection[CameraSlot], after: Collection[CameraSlot]) -> None:
        """Replace the cameras; tiles of removed cameras become black."""
        size = self.layout.size(after)
        if size != (self.raster.width, self.raster.height):
            old, self.raster = self.raster, Raster.black(*size)
            rows = min(old.height, self.raster.height)
            self.raster.rows[:rows] = old.rows[:rows]
        for slot in set(before) - set(after):
            place = self.layout.place(slot)
            if place.y < self.raster.height:
                self.raster.paste(Raster.black(place.width, place.height), place.x, place.y)
        self._mark_changed()

    def show(self, slot: CameraSlot, picture: Raster) -> None:
        """Replace the tile of a camera."""
        place = self.layout.place(slot)
        self.raster.paste(picture.subsample(self.layout.factor(slot)), place.x, place.y)
        self._mark_changed()

    def _mark_changed(self) -> None:
        self.version += 1
        self._payload = None
