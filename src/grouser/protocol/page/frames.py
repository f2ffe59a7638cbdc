"""Binary frames of the browser page: poses, meshes, pictures. Little-endian throughout.

A pose takes 12 bytes and one bit of a mask: position in steps of the scene's quantum (20 bits per
axis), orientation as the three smallest components of its quaternion (11 bits each). Only bodies
that have moved since the last frame to the same client are in a frame.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from grouser.errors import BadValue

POSITION_BITS = 20
"""Bits of a coordinate; the origin of the world is in the middle of its range."""
TURN_BITS = 11
"""Bits of a component of a quaternion."""
QUANTUM = 1e-4
"""Smallest step of a coordinate, m: its range is then ±52 m."""
MOST_BODIES = 65_535
"""Largest number of bodies in a frame."""
MOST_VERTICES = 4_000_000
"""Largest number of vertices of a mesh."""

_HALF = 1 << (POSITION_BITS - 1)
_TURN = (1 << TURN_BITS) - 1
_ROOT = math.sqrt(0.5)
_HEADER = struct.Struct("<BBHIId")
_MESH = struct.Struct("<BB2xII32s")
_PICTURE = struct.Struct("<BBHHd")
_WORDS = struct.Struct("<3I")

Words = tuple[int, int, int]
"""Quantised pose: three 32-bit words."""


class FrameKind(IntEnum):
    """First byte of a binary frame."""

    POSES = 1
    MESH = 2
    PICTURE = 3


class PoseFlag(IntFlag):
    """Second byte of a frame of poses."""

    NONE = 0
    KEY = 1
    """All bodies are in the frame: it depends on no earlier one."""
    PAST = 2
    """The poses are of an earlier time, or of a recording."""
    GHOST = 4
    """The poses are of the second of two recordings."""


@dataclass(frozen=True)
class BodyPose:
    """Pose of a body in the world frame."""

    position: tuple[float, float, float]
    """m."""
    wxyz: tuple[float, float, float, float]
    """Unit quaternion."""


def pack_pose(pose: BodyPose, quantum: float = QUANTUM) -> Words:
    """Return a quantised pose; coordinates out of range are clamped."""
    x, y, z = (_quantise(value, quantum) for value in pose.position)
    largest, parts = _smallest_three(pose.wxyz)
    a, b, c = (min(_TURN, max(0, round((part / _ROOT + 1) / 2 * _TURN))) for part in parts)
    first = x | (y & 0xFFF) << 20
    second = y >> 12 | z << 8 | largest << 28 | (c >> 10) << 30
    return first, second, a | b << 11 | (c & 0x3FF) << 22


def unpack_pose(words: Words, quantum: float = QUANTUM) -> BodyPose:
    """Return the pose of three words."""
    first, second, third = words
    x, z = first & 0xFFFFF, second >> 8 & 0xFFFFF
    y = first >> 20 | (second & 0xFF) << 12
    largest = second >> 28 & 3
    raw = third & 0x7FF, third >> 11 & 0x7FF, third >> 22 | (second >> 30 & 1) << 10
    parts = [(2 * value / _TURN - 1) * _ROOT for value in raw]
    parts.insert(largest, math.sqrt(max(0.0, 1.0 - sum(part * part for part in parts))))
    length = math.hypot(*parts)
    w, i, j, k = (part / length for part in parts)
    px, py, pz = ((value - _HALF) * quantum for value in (x, y, z))
    return BodyPose((px, py, pz), (w, i, j, k))


def _quantise(value: float, quantum: float) -> int:
    return min(2 * _HALF - 1, max(0, round(value / quantum) + _HALF))


def _smallest_three(wxyz: tuple[float, ...]) -> tuple[int, list[float]]:
    """Return the index of the largest component, and the others with the sign that makes it +."""
    largest = max(range(4), key=lambda index: abs(wxyz[index]))
    sign = -1.0 if wxyz[largest] < 0 else 1.0
    return largest, [sign * value for index, value in enumerate(wxyz) if index != largest]


@dataclass(frozen=True)
class PoseFrame:
    """Poses of the bodies that have moved."""

    number: int
    """Number of the frame; the client acknowledges it."""
    scene: int
    """Number of the scene to which the bodies belong."""
    time: float
    """Simulated time, s."""
    bodies: int
    """Number of bodies of the scene."""
    moved: Mapping[int, Words]
    """Index of a body -> its pose."""
    flags: PoseFlag = PoseFlag.NONE

    def encode(self) -> bytes:
        """Return the frame as bytes."""
        mask = bytearray(mask_bytes(self.bodies))
        for body in self.moved:
            mask[body >> 3] |= 1 << (body & 7)
        words = b"".join(_WORDS.pack(*self.moved[body]) for body in sorted(self.moved))
        head = pose_header(self.number, self.scene, self.time, self.bodies, self.flags)
        return head + bytes(mask) + words


def mask_bytes(bodies: int) -> int:
    """Return the length of the mask: a bit per body, whole 32-bit words."""
    return (bodies + 31) // 32 * 4


def pose_header(
    number: int, scene: int, time: float, bodies: int, flags: PoseFlag = PoseFlag.NONE
) -> bytes:
    """Return the 20 bytes before the mask."""
    return _HEADER.pack(FrameKind.POSES, flags, bodies, number & 0xFFFFFFFF, scene, time)


@dataclass(frozen=True)
class MeshFrame:
    """Triangles of a mesh."""

    digest: str
    """SHA-256 of vertices and faces, 64 hexadecimal digits."""
    vertices: bytes
    """float32 x, y, z, m."""
    faces: bytes
    """uint32, three indices per triangle."""

    def encode(self) -> bytes:
        """Return the frame as bytes."""
        counts = len(self.vertices) // 12, len(self.faces) // 12
        head = _MESH.pack(FrameKind.MESH, 0, *counts, bytes.fromhex(self.digest))
        return head + self.vertices + self.faces


@dataclass(frozen=True)
class PictureFrame:
    """Picture of a robot's camera, or of a camera of the world."""

    robot: str
    camera: str
    time: float
    """Simulated time, s."""
    jpeg: bytes

    def encode(self) -> bytes:
        """Return the frame as bytes."""
        robot, camera = self.robot.encode(), self.camera.encode()
        head = _PICTURE.pack(FrameKind.PICTURE, 0, len(robot), len(camera), self.time)
        return head + robot + camera + self.jpeg


PageFrame = PoseFrame | MeshFrame | PictureFrame


def decode(data: bytes) -> PageFrame:
    """Return the frame of a binary message.

    Raises:
        BadValue: it is cut off, or not a frame.
    """
    readers: dict[FrameKind, Callable[[bytes], PageFrame]] = {
        FrameKind.POSES: _read_poses,
        FrameKind.MESH: _read_mesh,
        FrameKind.PICTURE: _read_picture,
    }
    try:
        kind = FrameKind(data[0])
        return readers[kind](data)
    except (IndexError, ValueError, struct.error) as error:
        raise BadValue(f"page: {len(data)} bytes are no frame ({error})") from None


def _read_poses(data: bytes) -> PoseFrame:
    _, flags, bodies, number, scene, time = _HEADER.unpack_from(data)
    begin = _HEADER.size + mask_bytes(bodies)
    mask = int.from_bytes(data[_HEADER.size : begin], "little")
    there = [body for body in range(bodies) if mask >> body & 1]
    if mask >> bodies or len(data) != begin + _WORDS.size * len(there):
        raise ValueError("its length differs from its mask")
    moved: dict[int, Words] = dict(zip(there, _WORDS.iter_unpack(data[begin:]), strict=True))
    return PoseFrame(number, scene, time, bodies, moved, PoseFlag(flags))


def _read_mesh(data: bytes) -> MeshFrame:
    _, _, vertices, faces, digest = _MESH.unpack_from(data)
    middle = _MESH.size + 12 * vertices
    if vertices > MOST_VERTICES or len(data) != middle + 12 * faces:
        raise ValueError("its length differs from its counts")
    return MeshFrame(digest.hex(), data[_MESH.size : middle], data[middle:])


def _read_picture(data: bytes) -> PictureFrame:
    _, _, robot, camera, time = _PICTURE.unpack_from(data)
    middle = _PICTURE.size + robot
    end = middle + camera
    if len(data) < end:
        raise ValueError("its names are cut off")
    names = data[_PICTURE.size : middle].decode(), data[middle:end].decode()
    return PictureFrame(*names, time, data[end:])
