"""Kenaf's CAN frames in UDP datagrams: what a controller and the bridge say to each other.

A datagram is a header and up to `MOST_FRAMES` frames, everything lowest byte first (docs/can.md)::

    0   4 bytes   "HRT1"
    4   1 byte    version, 1
    5   1 byte    kind: 1 commands, 2 status
    6   1 byte    number of frames
    7   1 byte    flags: bit 0, status is wanted back
    8   4 bytes   counter, one more with each datagram of this sender
    12  12 bytes  for each frame: identifier (2), length (1), 0 (1), data (8, padded with 0)
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from grouser.errors import BadValue
from grouser.protocol.can.frame import LARGEST_ID, LONGEST, CanFrame
from grouser.protocol.can.messages import FrameFault

PORT = 3010
"""Where the bridge listens, unless told otherwise."""

MAGIC: Final = b"HRT1"
VERSION: Final = 1
MOST_FRAMES = 64
"""Frames in a datagram: it stays below an Ethernet packet's size."""

STATUS_WANTED = 1
"""The flag that asks for the newest status."""

_HEADER = struct.Struct("<4sBBBBI")
_FRAME = struct.Struct("<HBB8s")

HALF = 2**31
"""Steps of a datagram's counter that are progress; more is one of the past."""


class DatagramKind(IntEnum):
    """Which way a datagram goes."""

    COMMANDS = 1
    STATUS = 2


@dataclass(frozen=True, slots=True)
class Datagram:
    """A datagram, unpacked."""

    kind: DatagramKind
    counter: int
    """0 to 2**32 - 1, then from 0 again."""
    frames: tuple[CanFrame, ...] = ()
    status_wanted: bool = False


def pack(datagram: Datagram) -> bytes:
    """Return the bytes of a datagram, or raise `BadValue`."""
    frames = datagram.frames
    if len(frames) > MOST_FRAMES:
        raise BadValue(f"a datagram has {len(frames)} frames, must be at most {MOST_FRAMES}")
    for frame in frames:
        if frame.extended or frame.id > LARGEST_ID or len(frame.data) > LONGEST:
            raise BadValue(f"a datagram has no room for {frame}: identifiers have 11 bits")
    flags = STATUS_WANTED if datagram.status_wanted else 0
    counter = datagram.counter % 2**32
    head = _HEADER.pack(MAGIC, VERSION, datagram.kind, len(frames), flags, counter)
    return head + b"".join(_FRAME.pack(f.id, len(f.data), 0, f.data) for f in frames)


def unpack(data: bytes) -> Datagram:
    """Return what a datagram says, or raise `FrameFault`; its frames' content is not looked at."""
    if len(data) < _HEADER.size:
        raise FrameFault("datagram", f"it has {len(data)} bytes, a header has {_HEADER.size}")
    magic, version, kind, count, flags, counter = _HEADER.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        raise FrameFault("datagram", f"it begins with {magic!r}, version {version}")
    if kind not in (DatagramKind.COMMANDS, DatagramKind.STATUS) or flags > STATUS_WANTED:
        raise FrameFault("datagram", f"it is of kind {kind} with flags {flags}")
    if count > MOST_FRAMES or len(data) != _HEADER.size + count * _FRAME.size:
        raise FrameFault("datagram", f"it has {len(data)} bytes for {count} frames")
    frames = tuple(_frames(data[_HEADER.size :]))
    return Datagram(DatagramKind(kind), counter, frames, bool(flags & STATUS_WANTED))


def _frames(data: bytes) -> Iterable[CanFrame]:
    for id, length, zero, content in _FRAME.iter_unpack(data):
        if id > LARGEST_ID or length > LONGEST or zero or any(content[length:]):
            raise FrameFault("datagram", f"it has a frame {id:#x} with {length} bytes")
        yield CanFrame(id, content[:length])


def is_newer(counter: int, than: int) -> bool:
    """Return whether a datagram's counter is ahead of another one's."""
    return 0 < (counter - than) % 2**32 < HALF
