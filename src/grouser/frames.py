"""Poses, quaternions and conversions of axes and units.

Grouser uses SI units and radians, x forward, y left, z up; quaternions are ``wxyz``. ``X_WB`` is
the pose of B in W. Protocols and files with other units convert with the functions of this module
only; names of converted values carry the unit (``angle_deg``, ``distance_mm``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
"""Array of floats; docstrings state the shape."""

Triple = tuple[float, float, float]
"""x, y, z as Python floats."""
Quaternion = tuple[float, float, float, float]
"""w, x, y, z as Python floats; for a single quaternion, arrays are ten times slower."""

IDENTITY_WXYZ: Quaternion = (1.0, 0.0, 0.0, 0.0)


@overload
def radians(value_deg: float) -> float: ...
@overload
def radians(value_deg: Array) -> Array: ...
def radians(value_deg: float | Array) -> float | Array:
    """Return ``value_deg`` (degrees, scalar or array) in radians."""
    return np.radians(value_deg) if isinstance(value_deg, np.ndarray) else math.radians(value_deg)


@overload
def degrees(value: float) -> float: ...
@overload
def degrees(value: Array) -> Array: ...
def degrees(value: float | Array) -> float | Array:
    """Return ``value`` (radians, scalar or array) in degrees."""
    return np.degrees(value) if isinstance(value, np.ndarray) else math.degrees(value)


@overload
def millimetres(value: float) -> float: ...
@overload
def millimetres(value: Array) -> Array: ...
def millimetres(value: float | Array) -> float | Array:
    """Return ``value`` (metres, scalar or array) in millimetres."""
    return value * 1e3


def metres(value_mm: float) -> float:
    """Return millimetres in metres."""
    return value_mm / 1000


def kilometres(value: float) -> float:
    """Return metres in kilometres."""
    return value / 1e3


def hours(value: float) -> float:
    """Return seconds in hours."""
    return value / 3600


def milliseconds(value: float) -> float:
    """Return seconds in milliseconds."""
    return value * 1e3


def seconds(value_ms: float) -> float:
    """Return milliseconds in seconds."""
    return value_ms / 1000


def axis_angle(axis: Sequence[float], angle: float) -> Array:
    """Return the unit quaternion (4,) of a rotation by ``angle`` (rad) about ``axis`` (3,)."""
    direction = np.asarray(axis, float)
    direction = direction / np.linalg.norm(direction)
    return np.concatenate([[math.cos(angle / 2)], math.sin(angle / 2) * direction])


def multiply(a: npt.ArrayLike, b: npt.ArrayLike) -> Array:
    """Return the Hamilton product of quaternions ``(…, 4)``: first ``b``, then ``a``."""
    p, q = np.asarray(a, float), np.asarray(b, float)
    aw, ax, ay, az = p[..., 0], p[..., 1], p[..., 2], p[..., 3]
    bw, bx, by, bz = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    product = np.empty(np.broadcast_shapes(p.shape, q.shape))
    product[..., 0] = aw * bw - ax * bx - ay * by - az * bz
    product[..., 1] = aw * bx + ax * bw + ay * bz - az * by
    product[..., 2] = aw * by - ax * bz + ay * bw + az * bx
    product[..., 3] = aw * bz + ax * by - ay * bx + az * bw
    return product


def conjugate(wxyz: npt.ArrayLike) -> Array:
    """Return the inverse of unit quaternions ``(…, 4)``."""
    return np.asarray(np.asarray(wxyz, float) * np.array([1.0, -1.0, -1.0, -1.0]))


def rotate(wxyz: npt.ArrayLike, vector: npt.ArrayLike) -> Array:
    """Return vectors ``(…, 3)`` rotated by unit quaternions ``(…, 4)``."""
    q, v = np.asarray(wxyz, float), np.asarray(vector, float)
    twice = 2.0 * cross(q[..., 1:], v)
    return np.asarray(v + q[..., :1] * twice + cross(q[..., 1:], twice))


def cross(a: Array, b: Array) -> Array:
    """Return the cross product of vectors ``(…, 3)``, ten times faster than `numpy.cross`."""
    product = np.empty(np.broadcast_shapes(a.shape, b.shape))
    product[..., 0] = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    product[..., 1] = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    product[..., 2] = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return product


def from_rpy(roll: float, pitch: float, yaw: float) -> Array:
    """Return the quaternion of roll about x, then pitch about y, then yaw about z (rad)."""
    about_x, about_y = axis_angle((1, 0, 0), roll), axis_angle((0, 1, 0), pitch)
    return multiply(axis_angle((0, 0, 1), yaw), multiply(about_y, about_x))


def to_rpy(wxyz: npt.ArrayLike) -> Array:
    """Return roll, pitch, yaw (rad) ``(…, 3)`` of unit quaternions ``(…, 4)``.

    Pitch is positive nose down (about +y, which points left), as everywhere in Grouser.
    """
    w, x, y, z = np.moveaxis(np.asarray(wxyz, float), -1, 0)
    roll = np.arctan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = np.arcsin(np.clip(2 * (w * y - z * x), -1.0, 1.0))
    yaw = np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return np.stack([roll, pitch, yaw], axis=-1)


def to_rpy_one(w: float, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return `to_rpy` of a single quaternion; ten times faster than the array version."""
    roll = math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y))
    pitch = math.asin(max(-1.0, min(1.0, 2 * (w * y - z * x))))
    yaw = math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))
    return roll, pitch, yaw


def multiply_one(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return `multiply` of two single quaternions; same bits, many times faster."""
    (aw, ax, ay, az), (bw, bx, by, bz) = p, q
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def rotate_one(q: Quaternion, v: Triple) -> Triple:
    """Return `rotate` of a single vector; same bits, many times faster."""
    (w, a, b, c), (x, y, z) = q, v
    # Twice the cross product of the quaternion's vector part and ``v``.
    tx, ty, tz = 2.0 * (b * z - c * y), 2.0 * (c * x - a * z), 2.0 * (a * y - b * x)
    # The last term is the cross product of the vector part and (tx, ty, tz).
    return (
        x + w * tx + (b * tz - c * ty),
        y + w * ty + (c * tx - a * tz),
        z + w * tz + (a * ty - b * tx),
    )


def up_tilt(w: float, x: float, y: float, z: float) -> float:
    """Return the angle (rad) between a body's z axis and the vertical."""
    return math.acos(max(-1.0, min(1.0, 1 - 2 * (x * x + y * y))))


@dataclass(frozen=True)
class Pose:
    """Pose ``X_WB`` of a frame B in a frame W."""

    position: Array = field(default_factory=lambda: np.zeros(3))
    """Origin of B in W, m, shape (3,)."""
    wxyz: Array = field(default_factory=lambda: np.array(IDENTITY_WXYZ))
    """Orientation of B in W, unit quaternion, shape (4,)."""

    @staticmethod
    def at(
        x: float = 0.0,
        y: float = 0.0,
        z: float = 0.0,
        *,
        roll: float = 0.0,
        pitch: float = 0.0,
        yaw: float = 0.0,
    ) -> Pose:
        """Return the pose at x, y, z (m) with roll, pitch, yaw (rad)."""
        return Pose(np.array([x, y, z], float), from_rpy(roll, pitch, yaw))

    def __matmul__(self, other: Pose) -> Pose:
        """Compose: ``X_WB @ X_BC`` is ``X_WC``."""
        return Pose(self.apply(other.position), multiply(self.wxyz, other.wxyz))

    def apply(self, points: npt.ArrayLike) -> Array:
        """Return the coordinates in W of points ``(…, 3)`` given in B."""
        return self.position + rotate(self.wxyz, points)

    def inverse(self) -> Pose:
        """Return ``X_BW``."""
        back = conjugate(self.wxyz)
        return Pose(-rotate(back, self.position), back)

    def __eq__(self, other: Any) -> bool:
        return (
            isinstance(other, Pose)
            and np.array_equal(self.position, other.position)
            and np.array_equal(self.wxyz, other.wxyz)
        )

    def __hash__(self) -> int:
        return hash((self.position.tobytes(), self.wxyz.tobytes()))


X_CO = Pose(np.zeros(3), np.array([0.5, -0.5, 0.5, -0.5]))
"""Pose of the image axes (x right, y down, z forward) in the camera frame."""
