"""Image server protocol of USARSim (port 5003): requests and frames.

A client requests the whole picture with ``OK``, or a region with ``U`` and four 32-bit integers;
any other byte is skipped. A frame is one byte of type, four bytes of length and the picture: raw
pixels or a JPEG file. In legacy mode the server sends one frame before the first request.

Two extensions of Grouser:

- Credentials before the first request, one per line: ``token <token>`` if the server requires one,
  ``key <key>`` or ``key <key> <camera>`` for the pictures of one robot only. Other servers skip
  these lines, since they contain no request.
- A frame of type 255, sent to an admitted client when no picture is available, before the
  connection is closed; its payload is the reason. A client that accepts only types 0 to 5 treats it
  as a malformed header and closes the connection itself.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal, Self

from grouser.errors import BadValue
from grouser.protocol.lines import SHOWN, Fault

PORT = 5003

LARGEST_FRAME = 127 * 2**24 - 1
"""Maximum size of a picture, bytes: some clients reject a length whose first byte is above 126."""
LARGEST_SIDE = 2**16 - 1
"""Maximum width and height, pixels: raw pictures have 16-bit sizes."""
LONGEST_CREDENTIAL = 512
"""Maximum length of a credential line, bytes."""

LONGEST_REASON = 2048
"""Maximum length of the reason in a `NoPicture` frame, bytes."""

_NO_PICTURE = 255  # type of a frame that carries a reason instead of a picture
_HEADER = struct.Struct(">BI")
_SIZE = struct.Struct(">HH")
_REGION = struct.Struct(">IIII")
_PIXEL = 3
_ROW_ALIGNMENT = 4


class ImageType(IntEnum):
    """First byte of a frame: raw pixels, or the quality of the JPEG."""

    RAW = 0
    SUPER = 1
    GOOD = 2
    NORMAL = 3
    FAIR = 4
    BAD = 5


JPEG_QUALITY: dict[ImageType, int] = {
    ImageType.SUPER: 100,
    ImageType.GOOD: 75,
    ImageType.NORMAL: 50,
    ImageType.FAIR: 25,
    ImageType.BAD: 10,
}
"""Type → quality setting of the JPEG encoder, 0..100."""


@dataclass(frozen=True, slots=True)
class WholeFrame:
    """Request for the whole picture."""

    def encode(self) -> bytes:
        """Return the request as bytes."""
        return b"OK"


@dataclass(frozen=True, slots=True)
class Region:
    """Request for a rectangle of the picture, pixels from its upper left corner."""

    x: int
    y: int
    width: int
    height: int

    def encode(self) -> bytes:
        """Return the request as bytes."""
        numbers = (self.x, self.y, self.width, self.height)
        if not all(0 <= number < 2**32 for number in numbers):
            raise BadValue(
                f"region {', '.join(map(str, numbers))}: each must be from 0 to 2**32 - 1"
            )
        return b"U" + _REGION.pack(*numbers)

    def clipped(self, width: int, height: int) -> Region:
        """Return the intersection with a picture; width and height may become 0."""
        x, y = min(self.x, width), min(self.y, height)
        return Region(x, y, min(self.width, width - x), min(self.height, height - y))


Request = WholeFrame | Region


@dataclass(frozen=True, slots=True)
class Credential:
    """Token or key, sent by a client before its first request."""

    kind: Literal["token", "key"]
    secret: str
    camera: str = ""
    """With a key: camera of the robot; empty: the first."""

    def encode(self) -> bytes:
        """Return the credential as a line."""
        words = [self.kind, self.secret] + ([self.camera] if self.camera else [])
        if any(not word or set(word) & set(" \r\n") for word in words):
            raise BadValue(f"{self.kind}: must be one word without blanks")
        return " ".join(words).encode() + b"\n"


class Preamble:
    """Parser of the credential lines before the first request."""

    def __init__(self) -> None:
        self._pending = b""
        self.over = False
        """True once the requests have begun."""

    def receive(self, data: bytes) -> tuple[list[Credential], bytes]:
        """Append received bytes; return credentials, and the bytes that belong to requests."""
        if self.over:
            return [], data
        data, credentials = self._pending + data, []
        while (begun := _may_be_credential(data)) and b"\n" in data[:LONGEST_CREDENTIAL]:
            line, _, data = data.partition(b"\n")
            credentials.append(_read_credential(line))
        self.over = not begun and bool(data)
        if begun and len(data) >= LONGEST_CREDENTIAL:
            raise BadValue(f"credential line is longer than {LONGEST_CREDENTIAL} bytes")
        self._pending = b"" if self.over else data
        return credentials, data if self.over else b""


def _may_be_credential(data: bytes) -> bool:
    """Return True if ``data`` begins with a credential, or with a prefix of one."""
    return bool(data) and any(
        data[: len(kind)] == kind[: len(data)] for kind in (b"key ", b"token ")
    )


def _read_credential(line: bytes) -> Credential:
    words = line.decode("utf-8", "replace").split()
    match words:
        case ["token", secret]:
            return Credential("token", secret)
        case ["key", secret]:
            return Credential("key", secret.lower())
        case ["key", secret, camera]:
            return Credential("key", secret.lower(), camera)
    raise BadValue("'token <token>', 'key <key>' or 'key <key> <camera>' is needed")


class ImageServerSide:
    """Server side of an image connection.

    Args:
        legacy: send one frame on connect, as UT2004's servers did.
    """

    def __init__(self, legacy: bool = False) -> None:
        self._legacy = legacy
        self._pending = b""
        self.skipped = 0
        """Number of bytes that were not part of a request."""

    def opened(self) -> list[Request]:
        """Return the implicit requests on connect: one `WholeFrame` in legacy mode, else none."""
        return [WholeFrame()] if self._legacy else []

    def receive(self, data: bytes) -> list[Request]:
        """Append received bytes; return the completed requests."""
        data = self._pending + data
        requests: list[Request] = []
        at = 0
        while at < len(data):
            end = at + 1
            if data[at : at + 1] == b"U":
                end += _REGION.size
                if end > len(data):
                    break
                requests.append(Region(*_REGION.unpack_from(data, at + 1)))
            elif data[at : at + 2] == b"OK":
                end += 1
                requests.append(WholeFrame())
            elif data[at:] == b"O":
                break
            else:
                self.skipped += 1
            at = end
        self._pending = data[at:]
        return requests


@dataclass(frozen=True, slots=True)
class Frame:
    """Encoded picture with its type."""

    type: ImageType
    payload: bytes
    """JPEG file, or size and rows of a raw picture."""

    @classmethod
    def raw(cls, width: int, height: int, rgb: bytes) -> Self:
        """Return a raw frame of ``rgb``: rows from the top, three bytes per pixel, no padding."""
        if not (0 <= width <= LARGEST_SIDE and 0 <= height <= LARGEST_SIDE):
            raise BadValue(f"raw picture of {width} x {height}: sides must be up to {LARGEST_SIDE}")
        if len(rgb) != width * height * _PIXEL:
            needed = width * height * _PIXEL
            raise BadValue(f"raw picture of {width} x {height}: {len(rgb)} bytes, must be {needed}")
        row = width * _PIXEL
        padding = bytes(_padding(row))
        bgr = _swap_red_blue(rgb)
        rows = (bgr[y * row : (y + 1) * row] + padding for y in range(height))
        return cls(ImageType.RAW, _SIZE.pack(width, height) + b"".join(rows))

    def pixels(self) -> tuple[int, int, bytes]:
        """Return width, height and RGB bytes without padding of a raw frame of valid size."""
        if self.type is not ImageType.RAW or len(self.payload) < _SIZE.size:
            raise BadValue(f"frame of type {self.type.name} holds no raw picture")
        width, height = _SIZE.unpack_from(self.payload)
        row = width * _PIXEL
        stride = row + _padding(row)
        if len(self.payload) != _SIZE.size + stride * height:
            raise BadValue(
                f"{len(self.payload)} bytes do not match a picture of {width} x {height}"
            )
        starts = range(_SIZE.size, len(self.payload), stride) if stride else ()
        bgr = b"".join(self.payload[start : start + row] for start in starts)
        return width, height, _swap_red_blue(bgr)

    def encode(self) -> bytes:
        """Return the frame as bytes with its header."""
        if len(self.payload) > LARGEST_FRAME:
            raise BadValue(f"frame of {len(self.payload)} bytes, must be at most {LARGEST_FRAME}")
        return _HEADER.pack(self.type, len(self.payload)) + self.payload


@dataclass(frozen=True, slots=True)
class NoPicture:
    """Reason why no picture is available; the server closes the connection after it."""

    reason: str

    def encode(self) -> bytes:
        """Return the frame as bytes; the reason is truncated to `LONGEST_REASON`."""
        reason = self.reason.encode()[:LONGEST_REASON].decode("utf-8", "ignore").encode()
        return _HEADER.pack(_NO_PICTURE, len(reason)) + reason


def _padding(row: int) -> int:
    return -row % _ROW_ALIGNMENT


def _swap_red_blue(pixels: bytes) -> bytes:
    """Convert RGB to BGR, or BGR to RGB."""
    swapped = bytearray(pixels)
    swapped[0::_PIXEL], swapped[2::_PIXEL] = pixels[2::_PIXEL], pixels[0::_PIXEL]
    return bytes(swapped)


class ImageClientSide:
    """Client side of an image connection.

    Args:
        largest: maximum size of an accepted picture, bytes.
    """

    def __init__(self, largest: int = 2**26) -> None:
        self._largest = largest
        self._pending = bytearray()
        self.broken = False
        """True after a malformed header: frame boundaries are lost."""

    def receive(self, data: bytes) -> list[Frame | NoPicture | Fault]:
        """Append received bytes; return the completed frames.

        A malformed header returns one Fault; all later bytes are ignored, so reconnect.
        """
        if self.broken:
            return []
        self._pending += data
        frames: list[Frame | NoPicture | Fault] = []
        at = 0
        while len(self._pending) - at >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._pending, at)
            is_reason = kind == _NO_PICTURE and length <= LONGEST_REASON
            if not is_reason and (kind > max(ImageType) or length > self._largest):
                frames.append(self._break(kind, length, bytes(self._pending[at : at + SHOWN])))
                return frames
            end = at + _HEADER.size + length
            if end > len(self._pending):
                break
            payload = bytes(self._pending[at + _HEADER.size : end])
            if is_reason:
                frames.append(NoPicture(payload.decode("utf-8", "replace")))
            else:
                frames.append(Frame(ImageType(kind), payload))
            at = end
        del self._pending[:at]
        return frames

    def _break(self, kind: int, length: int, beginning: bytes) -> Fault:
        self.broken = True
        self._pending.clear()
        reason = (
            f"frame of type {kind} with {length} bytes, must be type 0 to {max(ImageType)} "
            f"and at most {self._largest} bytes"
        )
        return Fault(reason, beginning)
