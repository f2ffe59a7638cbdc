"""Protocol between a server and its render workers, on the same machine or on another.

A message is two 32-bit big-endian lengths, a JSON header and a binary body. The header's ``what``
is the kind of message, its other keys are the fields. Nothing is unpickled or executed.

::

    worker → server    Hello, then one answer per order: Picture, Skipped, Failed
    server → worker    Welcome or Refusal, NewWorld, Looks; orders: Shoot, Film, Encode

A local worker process skips the handshake (Hello, Welcome).
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, fields
from typing import Any, get_args

from grouser.errors import BadValue

PORT = 5004
"""Default TCP port for workers on other machines; not used by USARSim."""

LARGEST = 2**28
"""Maximum size of a message, bytes: a world with its meshes."""
LARGEST_UNAUTHENTICATED = 2**12
"""Maximum size of a message before authentication, bytes."""

_SIZES = struct.Struct(">II")


@dataclass(frozen=True, slots=True)
class Hello:
    """First message of a worker on another machine."""

    token: str
    """Access token in plain text (use TLS on untrusted networks); empty: none."""
    window: int
    """Number of orders that may be outstanding."""
    jpeg: bool
    """True if the worker can encode JPEG."""


@dataclass(frozen=True, slots=True)
class Welcome:
    """The server accepts the worker."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The server rejects the worker and closes the connection."""

    reason: str


@dataclass(frozen=True, slots=True)
class NewWorld:
    """World of all following orders; outstanding orders of earlier worlds are skipped."""

    seats: list[dict[str, Any]]
    """Every camera, with the fields of `grouser.gateways.images.mosaic.CameraSlot`."""
    layout: list[int]
    """Mosaic layout: columns, rows, width and height of a tile."""
    type: int
    """Encoding of served pictures, an `ImageType`."""
    files: list[int]
    """Size of each attached mesh file, bytes, in the order of the world; local workers get none."""
    body: bytes
    """Mesh files, then the world as JSON."""


@dataclass(frozen=True, slots=True)
class Looks:
    """Appearance of all following orders: lights and colours."""

    sizes: dict[str, int]
    """Field of the model → size in bytes, in the order of the body."""
    body: bytes


@dataclass(frozen=True, slots=True)
class Shoot:
    """Order to render the picture of a robot's camera."""

    number: int
    """Number of the order, repeated in the answer."""
    robot: str
    camera: str
    time: float
    """Simulated, s."""
    model: int
    """Signature of the MuJoCo model that the state belongs to."""
    aim: list[float]
    """Pan and tilt (rad), zoom."""
    seed: int
    """Seed of the picture noise."""
    sizes: list[int]
    """Lengths of qpos and qvel, and number of mocap bodies."""
    quality: int
    """Quality of an additional JPEG, 1..100; 0: none."""
    back: bool
    """Return the picture to the server; else only serve it from the worker's own image port."""
    body: bytes
    """qpos, qvel, mocap positions and quaternions: 64-bit floats, little endian."""


@dataclass(frozen=True, slots=True)
class Film:
    """Order to render one video frame from a free viewpoint; returns pixels or a VP8 key frame."""

    number: int
    """Number of the order, repeated in the answer."""
    model: int
    """Signature of the MuJoCo model that the state belongs to."""
    view: list[float]
    """Look-at point x, y, z (m), distance (m), azimuth, elevation, vertical field of view (deg)."""
    size: list[int]
    """Width and height, pixels."""
    quality: str
    """Rendering quality, by its name on the command line."""
    coded: bool
    """Return a VP8 key frame; else pixels: red, green, blue, top row first."""
    sizes: list[int]
    """Lengths of qpos and qvel, and number of mocap bodies."""
    body: bytes
    """qpos, qvel, mocap positions and quaternions: 64-bit floats, little endian."""


@dataclass(frozen=True, slots=True)
class Encode:
    """Order to encode a JPEG."""

    number: int
    quality: int
    """1..100"""
    body: bytes
    """Picture as in a raw frame: size, rows of BGR padded to four bytes."""


@dataclass(frozen=True, slots=True)
class Picture:
    """Rendered or encoded picture."""

    number: int
    raw: int
    """Size of the raw payload at the beginning of the body, bytes; 0: the body is encoded."""
    body: bytes
    """Raw payload, then a JPEG file."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """The order belongs to another world, or was replaced by a newer one."""

    number: int


@dataclass(frozen=True, slots=True)
class Failed:
    """The order failed."""

    number: int
    """Number of the order; -1: the world could not be built."""
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

_MESSAGES: dict[str, type[Message]] = {kind.__name__: kind for kind in get_args(Message)}

_TYPES: dict[str, type | tuple[type, ...]] = {
    "int": int,
    "bool": bool,
    "str": str,
    "float": (int, float),
    "list": list,
    "dict": dict,
}


def encode(message: Message) -> bytes:
    """Return a message as bytes."""
    head: dict[str, Any] = {
        each.name: getattr(message, each.name) for each in fields(message) if each.name != "body"
    }
    body: bytes = getattr(message, "body", b"")
    text = json.dumps({"what": type(message).__name__} | head, separators=(",", ":")).encode()
    return b"".join((_SIZES.pack(len(text), len(body)), text, body))


class MessageReader:
    """Decoder of one direction of a connection."""

    def __init__(self, largest: int = LARGEST) -> None:
        """Accept messages of up to ``largest`` bytes."""
        self.largest = largest
        self._pending = bytearray()

    def receive(self, data: bytes) -> list[Message]:
        """Append bytes; return the completed messages; `BadValue` ends the stream."""
        self._pending += data
        messages: list[Message] = []
        at = 0
        while len(self._pending) - at >= _SIZES.size:
            head, body = _SIZES.unpack_from(self._pending, at)
            if head + body > self.largest:
                raise BadValue(f"message of {head + body} bytes, must be at most {self.largest}")
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
            raise BadValue(f"message begins with {text[:40]!r}, which is not a header") from None
        wanted = {each.name: str(each.type).partition("[")[0] for each in fields(kind)}
        if wanted.pop("body", None):
            head["body"] = bytes(body)
        for name, type_ in wanted.items():
            if not _fits(head.get(name), type_):
                raise BadValue(f"{kind.__name__}: {name} is {head.get(name)!r}, must be {type_}")
        if len(head) != len(fields(kind)):
            raise BadValue(f"{kind.__name__}: unknown keys among {', '.join(head)}")
    return kind(**head)


def _fits(value: object, type_: str) -> bool:
    if isinstance(value, bool) and type_ != "bool":
        return False
    return isinstance(value, _TYPES[type_])
