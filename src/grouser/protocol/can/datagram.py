"""UDP datagrams of CAN frames, between a controller and the bridge.

A datagram is a header and up to `MOST_FRAMES` frames, little-endian (docs/how-to/can.md)::

    0   4 bytes   "HRT1"
    4   1 byte    version, 1
    5   1 byte    kind: 1 commands, 2 status
    6   1 byte    number of frames
    7   1 byte    flags: bit 0, the sender requests status
    8   4 bytes   counter, incremented for each datagram of this sender
    12  12 bytes  for each frame: identifier (2), length (1), 0 (1), data (8, padded with 0)
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from grouser.errors import BadValue
from grouser.protocol.can.messages import LARGEST_ID, LONGEST, CanFrame, FrameFault

PORT = 3010
"""Default UDP port of the bridge."""

MAGIC: Final = b"HRT1"
VERSION: Final = 1
MOST_FRAMES = 64
"""Maximum number of frames in a datagram; it fits into an Ethernet packet."""

STATUS_WANTED = 1
"""Flag: the sender requests the newest status."""

_HEADER = struct.Struct("<4sBBBBI")
_FRAME = struct.Struct("<HBB8s")

HALF_RANGE = 2**31
"""Largest counter increment that counts as newer; a larger one is a datagram of the past."""


class DatagramKind(IntEnum):
    """Direction of a datagram."""

    COMMANDS = 1
    STATUS = 2


@dataclass(frozen=True, slots=True)
class Datagram:
    """Decoded datagram."""

    kind: DatagramKind
    counter: int
    """Modulo 2**32."""
    frames: tuple[CanFrame, ...] = ()
    status_wanted: bool = False


def pack(datagram: Datagram) -> bytes:
    """Encode a datagram, or raise `BadValue`."""
    frames = datagram.frames
    if len(frames) > MOST_FRAMES:
        raise BadValue(f"datagram has {len(frames)} frames, must be at most {MOST_FRAMES}")
    for frame in frames:
        if frame.extended or frame.id > LARGEST_ID or len(frame.data) > LONGEST:
            raise BadValue(
                f"datagram: {frame} must have an identifier of 11 bits and up to 8 bytes"
            )
    flags = STATUS_WANTED if datagram.status_wanted else 0
    counter = datagram.counter % 2**32
    head = _HEADER.pack(MAGIC, VERSION, datagram.kind, len(frames), flags, counter)
    return head + b"".join(_FRAME.pack(f.id, len(f.data), 0, f.data) for f in frames)


def unpack(data: bytes) -> Datagram:
    """Decode a datagram, or raise `FrameFault`; the data of its frames is not checked."""
    if len(data) < _HEADER.size:
        raise FrameFault(
            "datagram", f"datagram of {len(data)} bytes, the header has {_HEADER.size}"
        )
    magic, version, kind, count, flags, counter = _HEADER.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        raise FrameFault("datagram", f"datagram begins with {magic!r}, version {version}")
    if kind not in (DatagramKind.COMMANDS, DatagramKind.STATUS) or flags > STATUS_WANTED:
        raise FrameFault("datagram", f"datagram of kind {kind} with flags {flags}")
    if count > MOST_FRAMES or len(data) != _HEADER.size + count * _FRAME.size:
        raise FrameFault("datagram", f"datagram of {len(data)} bytes for {count} frames")
    frames = tuple(_frames(data[_HEADER.size :]))
    return Datagram(DatagramKind(kind), counter, frames, bool(flags & STATUS_WANTED))


def _frames(data: bytes) -> Iterable[CanFrame]:
    for id, length, zero, content in _FRAME.iter_unpack(data):
        if id > LARGEST_ID or length > LONGEST or zero or any(content[length:]):
            raise FrameFault("datagram", f"datagram with a frame {id:#x} of {length} bytes")
        yield CanFrame(id, content[:length])


def is_newer(counter: int, than: int) -> bool:
    """Return True if ``counter`` is ahead of ``than``, modulo 2**32."""
    return 0 < (counter - than) % 2**32 < HALF_RANGE
