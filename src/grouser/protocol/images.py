"""The image server (port 5003): requests and frames.

A client asks with ``OK`` for the whole picture or with ``U`` and four 32-bit integers for a part
of it; any other byte is skipped. A frame is one byte of type, four bytes of length and the
picture: raw pixels or a JPEG file. In legacy mode the server sends one frame before it is asked.

Before its first request a client may show who it is, each in a line of its own (ours; a server that
does not know them skips them, since they hold no request): ``token <token>`` where a server demands
one, ``key <key>`` or ``key <key> <camera>`` for its own robot's pictures and nothing else.

Where no picture can come, whoever may look gets a frame of type 255 before the connection is closed
(ours, too): its payload is the reason, a sentence. A client that knows types 0 to 5 alone gives up
a little earlier than it would without.
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
"""Bytes of a picture: some clients take a length whose first byte is 127 or more for garbage."""
LARGEST_SIDE = 2**16 - 1
"""Pixels: sizes of raw pictures have 16 bits."""
LONGEST_CREDENTIAL = 512
"""Bytes of a line with a token or a key."""

LONGEST_REASON = 2048
"""Bytes of the sentence that says why there is no picture."""

_NO_PICTURE = 255  # first byte of a frame that is a sentence
_HEADER = struct.Struct(">BI")
_SIZE = struct.Struct(">HH")
_REGION = struct.Struct(">IIII")
_PIXEL = 3
_ROW_ALIGNMENT = 4


class ImageType(IntEnum):
    """First byte of a frame: raw, or how good the JPEG is."""

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
"""Type → quality of the JPEG encoder, 0..100."""


@dataclass(frozen=True, slots=True)
class WholeFrame:
    """Send me the whole picture."""

    def encode(self) -> bytes:
        """Return the request as bytes."""
        return b"OK"


@dataclass(frozen=True, slots=True)
class Region:
    """Send me this rectangle of the picture, pixels from its upper left corner."""

    x: int
    y: int
    width: int
    height: int

    def encode(self) -> bytes:
        """Return the request as bytes."""
        numbers = (self.x, self.y, self.width, self.height)
        if not all(0 <= number < 2**32 for number in numbers):
            raise BadValue(f"a region of {', '.join(map(str, numbers))}: each has 32 bits")
        return b"U" + _REGION.pack(*numbers)

    def clipped(self, width: int, height: int) -> Region:
        """Return the part of it that lies inside a picture; its sides may become 0."""
        x, y = min(self.x, width), min(self.y, height)
        return Region(x, y, min(self.width, width - x), min(self.height, height - y))


Request = WholeFrame | Region


@dataclass(frozen=True, slots=True)
class Credential:
    """What a client shows before its first request."""

    kind: Literal["token", "key"]
    secret: str
    camera: str = ""
    """With a key: which of the robot's cameras; empty: the first."""

    def encode(self) -> bytes:
        """Return it as a line."""
        words = [self.kind, self.secret] + ([self.camera] if self.camera else [])
        if any(not word or set(word) & set(" \r\n") for word in words):
            raise BadValue(f"a {self.kind} must be one word without blanks")
        return " ".join(words).encode() + b"\n"


class Preamble:
    """The lines before the first request."""

    def __init__(self) -> None:
        self._pending = b""
        self.over = False
        """The requests have begun."""

    def receive(self, data: bytes) -> tuple[list[Credential], bytes]:
        """Take the next bytes; return what was shown and what belongs to the requests.

        Raises `BadValue` for a line that shows nothing.
        """
        if self.over:
            return [], data
        data, credentials = self._pending + data, []
        while (begun := _begun(data)) and b"\n" in data[:LONGEST_CREDENTIAL]:
            line, _, data = data.partition(b"\n")
            credentials.append(_read_credential(line))
        self.over = not begun and bool(data)
        if begun and len(data) >= LONGEST_CREDENTIAL:
            raise BadValue(f"a line of more than {LONGEST_CREDENTIAL} bytes is no token and no key")
        self._pending = b"" if self.over else data
        return credentials, data if self.over else b""


def _begun(data: bytes) -> bool:
    """Say whether ``data`` is the beginning of a credential, or may become one."""
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
    """The server's end of an image connection.

    Args:
        legacy: one frame is due as soon as the client is there (the UT2004 habit).
    """

    def __init__(self, legacy: bool = False) -> None:
        self._legacy = legacy
        self._pending = b""
        self.skipped = 0
        """Bytes that were no request."""

    def opened(self) -> list[Request]:
        """Return what is due on connect: the whole picture in legacy mode, otherwise nothing."""
        return [WholeFrame()] if self._legacy else []

    def receive(self, data: bytes) -> list[Request]:
        """Take the next bytes; return the requests they complete."""
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
    """One picture, as it is sent."""

    type: ImageType
    payload: bytes
    """A JPEG file, or the size and the rows of a raw picture."""

    @classmethod
    def raw(cls, width: int, height: int, rgb: bytes) -> Self:
        """Return a raw frame of ``rgb``: rows from the top, three bytes per pixel, no padding."""
        if not (0 <= width <= LARGEST_SIDE and 0 <= height <= LARGEST_SIDE):
            raise BadValue(f"a raw picture of {width} x {height}: sides go up to {LARGEST_SIDE}")
        if len(rgb) != width * height * _PIXEL:
            needed = width * height * _PIXEL
            raise BadValue(
                f"a raw picture of {width} x {height} needs {needed} bytes, not {len(rgb)}"
            )
        row = width * _PIXEL
        padding = bytes(_padding(row))
        bgr = _swapped(rgb)
        rows = (bgr[y * row : (y + 1) * row] + padding for y in range(height))
        return cls(ImageType.RAW, _SIZE.pack(width, height) + b"".join(rows))

    def pixels(self) -> tuple[int, int, bytes]:
        """Return width, height and RGB bytes without padding of a raw frame.

        Raises `BadValue` if the frame is not raw or its size does not fit.
        """
        if self.type is not ImageType.RAW or len(self.payload) < _SIZE.size:
            raise BadValue("the frame holds no raw picture")
        width, height = _SIZE.unpack_from(self.payload)
        row = width * _PIXEL
        stride = row + _padding(row)
        if len(self.payload) != _SIZE.size + stride * height:
            raise BadValue(f"{len(self.payload)} bytes are no picture of {width} x {height}")
        starts = range(_SIZE.size, len(self.payload), stride) if stride else ()
        bgr = b"".join(self.payload[start : start + row] for start in starts)
        return width, height, _swapped(bgr)

    def encode(self) -> bytes:
        """Return the frame as bytes, header first."""
        if len(self.payload) > LARGEST_FRAME:
            raise BadValue(f"a frame of {len(self.payload)} bytes: at most {LARGEST_FRAME} fit")
        return _HEADER.pack(self.type, len(self.payload)) + self.payload


@dataclass(frozen=True, slots=True)
class NoPicture:
    """Why there is no picture, and none will come; the connection ends with it."""

    reason: str

    def encode(self) -> bytes:
        """Return it as a frame; what is too long is cut."""
        sentence = self.reason.encode()[:LONGEST_REASON].decode("utf-8", "ignore").encode()
        return _HEADER.pack(_NO_PICTURE, len(sentence)) + sentence


def _padding(row: int) -> int:
    return -row % _ROW_ALIGNMENT


def _swapped(pixels: bytes) -> bytes:
    """Return RGB for BGR, and BGR for RGB."""
    swapped = bytearray(pixels)
    swapped[0::_PIXEL], swapped[2::_PIXEL] = pixels[2::_PIXEL], pixels[0::_PIXEL]
    return bytes(swapped)


class ImageClientSide:
    """The client's end of an image connection.

    Args:
        largest: bytes of a picture that is accepted.
    """

    def __init__(self, largest: int = 2**26) -> None:
        self._largest = largest
        self._pending = bytearray()
        self.broken = False
        """A header made no sense: what follows cannot be told apart any more."""

    def receive(self, data: bytes) -> list[Frame | NoPicture | Fault]:
        """Take the next bytes; return the frames they complete.

        A bad header is one Fault, after which nothing is heard any more: connect again.
        """
        if self.broken:
            return []
        self._pending += data
        frames: list[Frame | NoPicture | Fault] = []
        at = 0
        while len(self._pending) - at >= _HEADER.size:
            kind, length = _HEADER.unpack_from(self._pending, at)
            said = kind == _NO_PICTURE and length <= LONGEST_REASON
            if not said and (kind > max(ImageType) or length > self._largest):
                frames.append(self._break(kind, length, bytes(self._pending[at : at + SHOWN])))
                return frames
            end = at + _HEADER.size + length
            if end > len(self._pending):
                break
            payload = bytes(self._pending[at + _HEADER.size : end])
            if said:
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
            f"a frame of type {kind} with {length} bytes, must be type 0 to {max(ImageType)} "
            f"and at most {self._largest} bytes"
        )
        return Fault(reason, beginning)
