"""Inverse kinematics of a humanoid's leg with six joints.

Joints from the pelvis down: hip yaw, hip pitch, hip roll, knee, ankle pitch, ankle roll. Pitch and
roll axes intersect in one point at the hip and in one at the ankle. The hip's yaw axis may be
offset from the hip, and the ankle need not be straight below the knee. Right legs are mirror
images.

Angles have the signs of QRIO's table (sources.md B3): yaw and hip roll turn outwards, hip pitch
swings the leg forwards, the knee bends, ankle pitch raises the toes, ankle roll the inner edge.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array

JOINTS = ("hip_yaw", "hip_pitch", "hip_roll", "knee", "ankle_pitch", "ankle_roll")

SIGNS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
"""Signs of the left leg's angles relative to right-handed rotations about z, y, x, y, y, x."""

PASSES = 4
"""Iterations for the hip yaw; each reduces the error of a walk a hundredfold, to 1e-8 rad."""


@dataclass(frozen=True, kw_only=True)
class BipedLeg:
    """Dimensions of the left leg with all joints at 0, m; x forward, y left, z up."""

    hip: tuple[float, float, float]
    """Position of the hip yaw axis in the pelvis frame."""
    offset: tuple[float, float]
    """Offset of the hip's centre from the hip yaw axis: x and z."""
    thigh: float
    """Length of the thigh, from the hip's centre straight down to the knee."""
    shin: tuple[float, float]
    """Offset of the ankle from the knee: x and z."""
    foot: tuple[float, float]
    """Offset of the middle of the sole's underside from the ankle: x and z."""

    @property
    def height(self) -> float:
        """Height (m) of the pelvis above the ground with a straight leg."""
        return self.thigh - (self.hip[2] + self.offset[1] + self.shin[1] + self.foot[1])

    def angles(self, sole: Array, yaw: Array) -> Array:
        """Return the joint angles (…, 6; order of `JOINTS`) for a level sole below a level pelvis.

        ``sole`` is the middle of its underside in the pelvis frame of a left leg (m),
        ``yaw`` its heading. Out of reach the leg is straight and points to it.
        """
        cos, sin = np.cos(yaw), np.sin(yaw)
        x = sole[..., 0] - self.hip[0] - self.foot[0] * cos
        y = sole[..., 1] - self.hip[1] - self.foot[0] * sin
        up = self.offset[1] + self.hip[2] + self.foot[1] - sole[..., 2]
        hip_yaw = yaw
        for _ in range(PASSES):
            # The yaw axis is offset from the hip: the hip's position depends on the yaw, and the
            # yaw on the lean of the leg. A Newton step with the dominant part of the slope.
            dx, dy = self.offset[0] * np.cos(hip_yaw) - x, self.offset[0] * np.sin(hip_yaw) - y
            ahead, left = cos * dx + sin * dy, cos * dy - sin * dx
            across = left * left + up * up
            square, height = self._within_reach(across + ahead * ahead), np.sqrt(across)
            lean = self._lean(square) - np.arctan2(ahead, height)
            tilt = np.tan(lean) / height
            missing = yaw + np.arctan(tilt * left) - hip_yaw
            hip_yaw = hip_yaw + missing / (1 - self.offset[0] * tilt)
        roll, knee = np.arctan2(left, up), self._knee(square)
        turns = np.empty((*sole.shape[:-1], len(JOINTS)))
        turns[..., 0] = hip_yaw
        turns[..., 1] = -np.arcsin(np.sin(lean) * np.cos(roll))
        turns[..., 2] = np.arctan2(-np.sin(roll), np.cos(lean) * np.cos(roll))
        turns[..., 3] = knee
        turns[..., 4] = lean - knee
        turns[..., 5] = roll
        turns *= SIGNS
        return turns

    def _within_reach(self, square: Array) -> Array:
        """Return a squared distance from hip to ankle, clipped to the leg's range, m²."""
        thigh, shin = self.thigh, math.hypot(*self.shin)
        return np.minimum(np.maximum(square, (thigh - shin) ** 2), (thigh + shin) ** 2)

    def _lean(self, square: Array) -> Array:
        """Return the angle (rad) between the thigh and the line from hip to ankle."""
        thigh, rest = self.thigh, self.thigh**2 - self.shin[0] ** 2 - self.shin[1] ** 2
        cosine = (square + rest) / (2 * thigh * np.sqrt(square))
        return np.arccos(np.minimum(cosine, 1.0))

    def _knee(self, square: Array) -> Array:
        """Return the knee angle (rad); at 0 the ankle is ahead of the thigh's axis."""
        thigh, shin = self.thigh, math.hypot(*self.shin)
        cosine = (square - thigh**2 - shin**2) / (2 * thigh * shin)
        bent = np.arccos(np.minimum(np.maximum(cosine, -1.0), 1.0))
        return np.asarray(bent + math.atan2(self.shin[0], -self.shin[1]))
