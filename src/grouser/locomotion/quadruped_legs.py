"""Exact forward and inverse kinematics of four legs with three joints each, for many robots.

A leg has two joints at the shoulder and one at the knee: the rotor swings it fore and aft, the
elevator lifts it outwards, the knee bends it. Arrays have the shape (…, 4, 3): four legs in the
order of `LEGS`, and for each leg three angles (rad) or the position of the paw (m) in the body
frame: x forward, y left, z up.

Signs (docs/how-to/legged.md): rotor **forward positive for all four legs**, elevator outwards
positive, knee bending positive (fore shins swing forwards, hind shins backwards). With all angles
zero the legs are straight.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grouser.frames import Array

Vector = tuple[float, float, float]

LEGS = ("lf", "lh", "rf", "rh")
"""Left fore, left hind, right fore, right hind: the order of OPEN-R's r2 to r5."""
JOINTS = ("rotor", "elevator", "knee")
"""Joints of a leg from the body outwards."""

SIDE = np.array([1.0, 1.0, -1.0, -1.0])
"""Side of each leg: +1 left, -1 right."""
END = np.array([1.0, -1.0, 1.0, -1.0])
"""End of each leg: +1 fore, -1 hind."""
MIRROR = (2, 3, 0, 1)
"""Index in `LEGS` of the leg on the other side, for each leg."""


@dataclass(frozen=True, kw_only=True)
class Limb:
    """Dimensions of a straight, vertical leg, m; x forward, y outwards, z up."""

    shoulder: Vector
    """Position of the left shoulder in the body frame."""
    upper: Vector
    """Offset of the knee from the shoulder."""
    lower: Vector
    """Offset of the paw, the point that gaits move, from the knee; no offset sideways."""


@dataclass(frozen=True, kw_only=True)
class Stance:
    """Positions of the left paws in the body frame of the standing robot, m."""

    fore: Vector
    hind: Vector

    def paws(self) -> Array:
        """Return the positions of all four paws, (4, 3)."""
        left = np.array([self.fore, self.hind])
        return np.concatenate([left, left * [1.0, -1.0, 1.0]])

    def pitched(self, pitch: float) -> Stance:
        """Return the stance in the frame of a body that is pitched nose down by ``pitch`` (rad)."""
        if pitch == 0.0:
            return self
        fore, hind = (
            tuple(to_pitched_frame(np.array(paw), pitch).tolist()) for paw in (self.fore, self.hind)
        )
        return Stance(fore=fore, hind=hind)


@dataclass(frozen=True, kw_only=True)
class Legs:
    """Forward and inverse kinematics of four legs."""

    fore: Limb
    hind: Limb

    def paws(self, angles: Array) -> Array:
        """Return the positions of the paws, (…, 4, 3), at joint ``angles`` (…, 4, 3)."""
        ahead, down = self._lower
        return self.points(angles, ahead, 0.0, down)

    def points(self, angles: Array, ahead: Array, out: Array | float, down: Array) -> Array:
        """Return the positions of points fixed to the lower legs, (…, 4, 3).

        Args:
            angles: joint angles, (…, 4, 3).
            ahead: offset from the knee of a straight leg, m, forwards, (…, 4) or (…, 1).
            out: offset outwards, likewise.
            down: offset downwards, likewise.
        """
        rotor, elevator, knee = angles[..., 0], angles[..., 1], angles[..., 2]
        ahead, down = _swing(ahead, down, END * knee)
        ahead, down = self._upper[0] + ahead, self._upper[2] + down
        out = self._upper[1] + out
        # The elevator lifts outwards as the rotor swings forwards: one rotation in another plane.
        out, down = _swing(out, down, elevator)
        ahead, down = _swing(ahead, down, rotor)
        return self.shoulders + np.stack([ahead, SIDE * out, -down], axis=-1)

    def angles(self, paws: Array) -> Array:
        """Return the joint angles, (…, 4, 3), for positions of the paws.

        Of the two solutions for the knee, the positive one is returned. For a position out of reach
        the leg is straight (or fully bent) and points to it.
        """
        place = paws - self.shoulders
        ahead, out, down = place[..., 0], SIDE * place[..., 1], -place[..., 2]
        across = self._upper[1]
        reach = ahead**2 + out**2 + down**2
        cosine = (reach - self._constant) / self._product
        bend = np.arccos(np.minimum(np.maximum(cosine, -1.0), 1.0))
        knee = bend + END * self._straight
        shin_ahead, shin_down = _swing(*self._lower, END * knee)
        leg_ahead, leg_down = self._upper[0] + shin_ahead, self._upper[2] + shin_down
        width = np.hypot(across, leg_down)
        sine = np.minimum(np.maximum(out / width, -1.0), 1.0)
        elevator = np.arcsin(sine) - np.arctan2(across, leg_down)
        hanging = np.sqrt(np.maximum(width**2 - out**2, 0.0))
        rotor = np.arctan2(ahead, down) - np.arctan2(leg_ahead, hanging)
        return np.stack([rotor, elevator, knee], axis=-1)

    @cached_property
    def shoulders(self) -> Array:
        """Positions of the four shoulders in the body frame, m, (4, 3)."""
        limbs = [self._limb(end) for end in END]
        return np.array(
            [
                (limb.shoulder[0], side * limb.shoulder[1], limb.shoulder[2])
                for limb, side in zip(limbs, SIDE, strict=True)
            ]
        )

    @cached_property
    def _upper(self) -> tuple[Array, Array, Array]:
        """Offsets from shoulder to knee: ahead, outwards, down; (4,) each."""
        ahead, out, up = np.array([self._limb(end).upper for end in END]).T
        return ahead, out, -up

    @cached_property
    def _lower(self) -> tuple[Array, Array]:
        """Offsets from knee to paw: ahead, down; (4,) each."""
        ahead, _, up = np.array([self._limb(end).lower for end in END]).T
        return ahead, -up

    @cached_property
    def _constant(self) -> Array:
        """Sum of the squared lengths of the two links, for the law of cosines at the knee."""
        return np.asarray(np.square([*self._upper, *self._lower]).sum(axis=0))

    @cached_property
    def _product(self) -> Array:
        """Twice the product of the lengths of the two links in side view."""
        upper_ahead, _, upper_down = self._upper
        return 2 * np.hypot(upper_ahead, upper_down) * np.hypot(*self._lower)

    @cached_property
    def _straight(self) -> Array:
        """Knee angle at which the shin is in line with the upper leg, forwards positive, rad."""
        upper_ahead, _, upper_down = self._upper
        lower_ahead, lower_down = self._lower
        return np.arctan2(upper_ahead, upper_down) - np.arctan2(lower_ahead, lower_down)

    def _limb(self, end: float) -> Limb:
        return self.fore if end > 0 else self.hind


def to_pitched_frame(paws: Array, pitch: float) -> Array:
    """Return points ``(…, 3)`` of a level frame in a frame pitched nose down by ``pitch`` (rad)."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    x, y, z = paws[..., 0], paws[..., 1], paws[..., 2]
    return np.stack([x * cos - z * sin, y, z * cos + x * sin], axis=-1)


def _swing(ahead: Array, down: Array, angle: Array) -> tuple[Array, Array]:
    """Rotate a vector (``ahead``, ``down``) forwards by ``angle`` (rad)."""
    cos, sin = np.cos(angle), np.sin(angle)
    return ahead * cos + down * sin, down * cos - ahead * sin
