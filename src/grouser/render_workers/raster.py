"""Raw pictures as the image server sends them: rows of BGR, padded to four bytes."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.protocol.images import Region

Rows = npt.NDArray[np.uint8]
"""(height, bytes): three bytes per pixel, then optional padding."""

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
