"""Between a server and its render workers, the processes that draw, on this machine or another.

Everything is a parcel: two 32-bit big-endian lengths, a header in JSON and a body of bytes. The
header's ``what`` names the message, its other keys are the message's fields. Nothing in a parcel
is ever run or unpickled.

::

    worker → server    Hello, then one answer per order: Picture, Skipped, Failed
    server → worker    Welcome or Refusal, NewWorld, Looks; orders: Shoot, Film, Encode

A worker on the server's own machine is not asked who it is: no Hello, no Welcome.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, fields
from typing import Any

from grouser.errors import BadValue

PORT = 5004
"""Where a server waits for workers on other machines; no port of USARSim's."""

LARGEST = 2**28
"""Bytes of a parcel: a world with its meshes."""
LARGEST_STRANGER = 2**12
"""Bytes of a parcel from somebody who has not shown a token yet."""

_SIZES = struct.Struct(">II")


@dataclass(frozen=True, slots=True)
class Hello:
    """The first message of a worker on another machine."""

    token: str
    """In plain text: over strange networks, use TLS. Empty: none."""
    window: int
    """Orders that it takes before it has answered the first."""
    jpeg: bool
    """It can encode JPEG."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The server takes the worker."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The server does not take the worker, and closes."""

    reason: str


@dataclass(frozen=True, slots=True)
class NewWorld:
    """From now on this is the world; orders of earlier ones are skipped."""

    seats: list[dict[str, Any]]
    """Every camera, as `grouser.gateways.images.tiles.CameraSlot` has it."""
    layout: list[int]
    """Of the mosaic: columns, rows, width and height of a tile."""
    type: int
    """What pictures are served as: an `ImageType`."""
    files: list[int]
    """Bytes of each mesh file that comes along, in the world's order; none within a machine."""
    body: bytes
    """The files, then the world as JSON."""


@dataclass(frozen=True, slots=True)
class Looks:
    """How things look from now on: lights, colours."""

    sizes: dict[str, int]
    """Field of the model → bytes of it, in the order of the body."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Shoot:
    """Draw what a camera sees."""

    number: int
    """Of the order; the answer has the same."""
    robot: str
    camera: str
    time: float
    """Simulated, s."""
    model: int
    """MuJoCo's signature of the model whose state this is."""
    aim: list[float]
    """Pan and tilt (rad), zoom."""
    seed: int
    """Of the picture's noise."""
    sizes: list[int]
    """Numbers in qpos and in qvel, and mocap bodies."""
    quality: int
    """Of a JPEG to be made as well, 1..100; 0: none."""
    back: bool
    """Send the picture back; else it is only for those who ask the worker itself."""
    body: bytes
    """qpos, qvel, mocap positions and quaternions: 64-bit floats, little endian."""


@dataclass(frozen=True, slots=True)
class Film:
    """Draw a frame of a film, seen by nobody's camera; answered by its pixels or its code."""

    number: int
    """Of the order; the answer has the same."""
    model: int
    """MuJoCo's signature of the model whose state this is."""
    view: list[float]
    """What is looked at (m), from how far (m), azimuth, elevation, vertical opening (deg)."""
    size: list[int]
    """Width and height, pixels."""
    quality: str
    """By its name on the command line."""
    coded: bool
    """Send it back as a VP8 key frame; else its pixels, red, green, blue, top row first."""
    sizes: list[int]
    """Numbers in qpos and in qvel, and mocap bodies."""
    body: bytes
    """qpos, qvel, mocap positions and quaternions: 64-bit floats, little endian."""


@dataclass(frozen=True, slots=True)
class Encode:
    """Make a JPEG."""

    number: int
    quality: int
    """1..100"""
    body: bytes
    """The picture as in a raw frame: size, rows of BGR padded to four bytes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What was drawn or encoded."""

    number: int
    raw: int
    """Bytes of the raw frame's payload, at the beginning of the body; 0: only a JPEG."""
    body: bytes
    """Payload of a raw frame, then a JPEG file."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The order was of another world, or a newer one has overtaken it."""

    number: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The order cannot be carried out."""

    number: int
    """-1: no order but the world itself."""
    reason: str


Message = (
    Hello
    | Welcome
    | Refusal
    | NewWorld
    | Looks
    | Shoot
    | Film
    | Encode
    | Picture
    | Skipped
    | Failed
)

_MESSAGES: dict[str, type[Message]] = {
    kind.__name__: kind
    for kind in (
        Hello,
        Welcome,
        Refusal,
        NewWorld,
        Looks,
        Shoot,
        Film,
        Encode,
        Picture,
        Skipped,
        Failed,
    )
}

_TYPES: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "bool": bool,
    "str": str,
    "float": (int, float),
    "list": list,
    "dict": dict,
}


def encode(message: Message) -> bytes:
    """Return a message as a parcel."""
    head: dict[str, Any] = {
        each.name: getattr(message, each.name) for each in fields(message) if each.name != "body"
    }
    body: bytes = getattr(message, "body", b"")
    text = json.dumps({"what": type(message).__name__} | head, separators=(",", ":")).encode()
    return b"".join((_SIZES.pack(len(text), len(body)), text, body))


class ParcelReader:
    """One direction of a connection: bytes in, messages out."""

    def __init__(self, largest: int = LARGEST) -> None:
        """Accept parcels of up to ``largest`` bytes."""
        self.largest = largest
        self._pending = bytearray()

    def receive(self, data: bytes) -> list[Message]:
        """Take the next bytes; return the messages they complete.

        Raises:
            BadValue: this is no parcel; nothing after it can be understood.
        """
        self._pending += data
        messages: list[Message] = []
        at = 0
        while len(self._pending) - at >= _SIZES.size:
            head, body = _SIZES.unpack_from(self._pending, at)
            if head + body > self.largest:
                raise BadValue(f"a parcel of {head + body} bytes, at most {self.largest} may come")
            start, end = at + _SIZES.size, at + _SIZES.size + head + body
            if end > len(self._pending):
                break
            with memoryview(self._pending) as view:
                messages.append(
                    _decode(bytes(view[start : start + head]), view[start + head : end])
                )
            at = end
        del self._pending[:at]
        return messages


def _decode(text: bytes, body: memoryview) -> Message:
    with body:
        try:
            head = json.loads(text)
            kind = _MESSAGES[head.pop("what")]
        except (ValueError, LookupError, AttributeError, TypeError, RecursionError):
            raise BadValue(f"a parcel begins with {text[:40]!r}, no header of a message") from None
        wanted = {each.name: str(each.type).partition("[")[0] for each in fields(kind)}
        if wanted.pop("body", None):
            head["body"] = bytes(body)
        for name, type_ in wanted.items():
            if not _fits(head.get(name), type_):
                raise BadValue(f"{kind.__name__}: {name} is {head.get(name)!r}, must be {type_}")
        if len(head) != len(fields(kind)):
            raise BadValue(f"{kind.__name__}: has keys {', '.join(head)}")
    return kind(**head)


def _fits(value: object, type_: str) -> bool:
    if isinstance(value, bool) and type_ != "bool":
        return False
    return isinstance(value, _TYPES[type_])
