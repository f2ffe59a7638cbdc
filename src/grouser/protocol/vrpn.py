"""VRPN, version 7: poses of rigid bodies from a motion capture system, over one TCP connection.

Both ends send a cookie of 24 bytes first. A message is a header of 24 bytes (length of header and
body, seconds, microseconds, sender, type, sequence number; big endian) and a body, padded to 8
bytes. Senders and types have numbers that each end announces with their names (types -1 and -2).
A tracker sends ``vrpn_Tracker Pos_Quat``: sensor, position (m) and quaternion x, y, z, w.

Facts of the format: the public description of the vrpn-rs project, checked against the C++ library
(`docs/how-to/motion-capture.md`).
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterable
from dataclasses import dataclass, field

from grouser.errors import BadValue

PORT = 3883
"""Default TCP port of VRPN servers."""

_MAGIC = b"vrpn: ver. 07."
_COOKIE = _MAGIC.ljust(14) + b"35  0"
COOKIE_SIZE = 24

POSE = "vrpn_Tracker Pos_Quat"
PING = "vrpn_Base ping_message"
PONG = "vrpn_Base pong_message"

LONGEST_BODY = 64_000
"""Most bytes of a message's body."""
LONGEST_NAME = 100
"""Most bytes of the name of a sender or type."""
MOST_NAMES = 2000
"""Most senders, and most types, of one connection."""

_HEADER = struct.Struct("!IIIiiI")
_LENGTH = struct.Struct("!I")
_POSE = struct.Struct("!ii3d4d")
_SENDER, _TYPE = -1, -2
_UNIT_TOLERANCE = 0.01


@dataclass(frozen=True, slots=True)
class TrackerPose:
    """Pose of one rigid body in the frame of the motion capture system."""

    tracker: str
    """Name of the sender."""
    sensor: int
    """Number of the body at its sender."""
    time: float
    """Time of the measurement by the sender's clock, s."""
    position: tuple[float, float, float]
    """m."""
    wxyz: tuple[float, float, float, float]
    """Unit quaternion."""


@dataclass(frozen=True, slots=True)
class _Message:
    sender: int
    type: int
    time: float
    body: bytes


@dataclass
class _Stream:
    """Cookie, and messages of the other end."""

    pending: bytearray = field(default_factory=bytearray)
    greeted: bool = False
    """True after a valid cookie."""

    def receive(self, data: bytes) -> list[_Message]:
        """Return the completed messages.

        Raises:
            BadValue: the other end does not use this protocol.
        """
        self.pending += data
        if not self.greeted:
            if not _MAGIC.startswith(bytes(self.pending[: len(_MAGIC)])):
                raise BadValue(
                    f"VRPN: the other end begins with {bytes(self.pending[:16])!r}, must be "
                    f"'{_MAGIC.decode()}…'"
                )
            if len(self.pending) < COOKIE_SIZE:
                return []
            del self.pending[:COOKIE_SIZE]
            self.greeted = True
        found = []
        while (message := self._next()) is not None:
            found.append(message)
        return found

    def _next(self) -> _Message | None:
        if len(self.pending) < _HEADER.size:
            return None
        length, seconds, micros, sender, kind, _ = _HEADER.unpack_from(self.pending)
        size = length - _HEADER.size
        if not 0 <= size <= LONGEST_BODY:
            raise BadValue(
                f"VRPN: a message has a body of {size} bytes, must be 0 to {LONGEST_BODY}"
            )
        end = _HEADER.size + _padded_size(size)
        if len(self.pending) < end:
            return None
        body = bytes(self.pending[_HEADER.size : _HEADER.size + size])
        del self.pending[:end]
        return _Message(sender, kind, seconds + micros * 1e-6, body)


@dataclass
class _Names:
    """Names that the other end has announced, by number."""

    senders: dict[int, str] = field(default_factory=dict)
    types: dict[int, str] = field(default_factory=dict)

    def add(self, message: _Message) -> bool:
        """Store the name if the message announces one; return False if it does not."""
        if message.type not in (_SENDER, _TYPE):
            return False
        names = self.senders if message.type == _SENDER else self.types
        if len(names) >= MOST_NAMES:
            raise BadValue(f"VRPN: the other end announces more than {MOST_NAMES} names")
        body = message.body
        length = _LENGTH.unpack_from(body)[0] if len(body) >= _LENGTH.size else 0
        name = body[_LENGTH.size : _LENGTH.size + length].rstrip(b"\0")
        if not 0 < length <= min(LONGEST_NAME, len(body) - _LENGTH.size) or not name:
            raise BadValue("VRPN: a name is announced that is empty or too long")
        names[message.sender] = name.decode("utf-8", "replace")
        return True


class VrpnClientSide:
    """Client of a motion capture system, without a socket."""

    def __init__(self) -> None:
        self._stream, self._names, self._opened = _Stream(), _Names(), False

    @property
    def trackers(self) -> tuple[str, ...]:
        """Names that the server has announced so far, among them those of its trackers."""
        return tuple(self._names.senders.values())

    def opened(self) -> bytes:
        """Return the first bytes of the connection."""
        return _cookie()

    def receive(self, data: bytes) -> list[TrackerPose]:
        """Return the poses in the next bytes; others of its messages are skipped.

        Poses that are not finite are skipped: the system has lost the body.

        Raises:
            BadValue: the server does not use this protocol.
        """
        poses = []
        for message in self._stream.receive(data):
            if self._names.add(message) or self._names.types.get(message.type) != POSE:
                continue
            pose = _read_pose(self._names.senders.get(message.sender, ""), message)
            if pose is not None:
                poses.append(pose)
        return poses


class VrpnServerSide:
    """One connection of a motion capture system's server, without a socket.

    Args:
        trackers: names of the rigid bodies; each is a sender with the sensor 0.
    """

    def __init__(self, trackers: Iterable[str]) -> None:
        self._stream, self._names = _Stream(), _Names()
        self._senders = {name: number for number, name in enumerate(trackers)}
        self._types = {name: number for number, name in enumerate((POSE, PING, PONG))}
        self._sequence = 0
        self.ready = False
        """True after the client has shown its version: poses may be sent."""

    def opened(self) -> bytes:
        """Return the first bytes of the connection."""
        return _cookie()

    def receive(self, data: bytes) -> bytes:
        """Process the client's bytes; return the answer: names after its cookie, pongs.

        Raises:
            BadValue: the client does not use this protocol.
        """
        messages, answer = self._stream.receive(data), b""
        if self._stream.greeted and not self.ready:
            self.ready = True
            answer = b"".join(
                self._message(_LENGTH.pack(len(name) + 1) + name.encode() + b"\0", number, kind)
                for kind, names in ((_SENDER, self._senders), (_TYPE, self._types))
                for name, number in names.items()
            )
        for message in messages:
            if self._names.add(message) or self._names.types.get(message.type) != PING:
                continue
            sender = self._names.senders.get(message.sender, "")
            if sender in self._senders:
                answer += self._message(b"", self._senders[sender], self._types[PONG])
        return answer

    def add_tracker(self, name: str) -> bytes:
        """Announce another rigid body; return the message, empty before the client is ready."""
        number = self._senders.setdefault(name, len(self._senders))
        if not self.ready:
            return b""
        return self._message(_LENGTH.pack(len(name) + 1) + name.encode() + b"\0", number, _SENDER)

    def pose(self, pose: TrackerPose) -> bytes:
        """Return the message with a pose; nothing if its tracker is unknown."""
        if not self.ready or pose.tracker not in self._senders:
            return b""
        w, x, y, z = pose.wxyz
        body = _POSE.pack(pose.sensor, 0, *pose.position, x, y, z, w)
        return self._message(body, self._senders[pose.tracker], self._types[POSE], pose.time)

    def _message(self, body: bytes, sender: int, kind: int, time: float = 0.0) -> bytes:
        length, (seconds, micros) = _HEADER.size + len(body), divmod(round(time * 1e6), 1_000_000)
        self._sequence = (self._sequence + 1) % 2**32
        header = _HEADER.pack(length, seconds % 2**32, micros, sender, kind, self._sequence)
        return header + body.ljust(_padded_size(len(body)), b"\0")


def _cookie() -> bytes:
    return _COOKIE.ljust(COOKIE_SIZE, b"\0")


def _padded_size(size: int) -> int:
    return -(-size // 8) * 8


def _read_pose(tracker: str, message: _Message) -> TrackerPose | None:
    """Return the pose of a message; None if its numbers are no pose."""
    if len(message.body) < _POSE.size:
        raise BadValue(
            f"VRPN: the pose of '{tracker}' has {len(message.body)} bytes, must be {_POSE.size}"
        )
    sensor, _, px, py, pz, x, y, z, w = _POSE.unpack_from(message.body)
    norm = math.sqrt(w * w + x * x + y * y + z * z) if all(map(math.isfinite, (w, x, y, z))) else 0
    if not all(map(math.isfinite, (px, py, pz))) or abs(norm - 1.0) > _UNIT_TOLERANCE:
        return None
    wxyz = w / norm, x / norm, y / norm, z / norm
    return TrackerPose(tracker, sensor, message.time, (px, py, pz), wxyz)
