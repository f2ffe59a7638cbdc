"""Legs with three joints: joint angles to paws and back, exactly, for one robot or many.

A leg turns about the shoulder's two axes and the knee: the rotor swings it fore and aft, the
elevator lifts it outwards, the knee bends it. Arrays end in (…, 4, 3): four legs in the order of
`LEGS`, and per leg three angles (rad) or a paw's place (m) in the body's frame: x forward, y left,
z up.

Signs (docs/how-to/legged.md): rotor **forward positive for all four legs**, elevator outwards positive,
knee bending positive (fore shins swing forwards, hind shins backwards). All zero: straight legs.
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
"""A leg's joints from the body outwards."""

SIDE = np.array([1.0, 1.0, -1.0, -1.0])
"""+1: on the left."""
END = np.array([1.0, -1.0, 1.0, -1.0])
"""+1: in front."""
MIRROR = (2, 3, 0, 1)
"""Where each leg's opposite number stands in `LEGS`."""


@dataclass(frozen=True, kw_only=True)
class Limb:
    """Lengths of a leg that hangs straight, m; x forward, y outwards, z up."""

    shoulder: Vector
    """From the body's origin to the shoulder of the left leg."""
    upper: Vector
    """From the shoulder to the knee."""
    lower: Vector
    """From the knee to the middle of the paw's ball; no offset sideways."""


@dataclass(frozen=True, kw_only=True)
class Stance:
    """Where the middles of the left paws are in the body's frame when the robot stands, m."""

    fore: Vector
    hind: Vector

    def paws(self) -> Array:
        """Return the places of all four paws, (4, 3)."""
        left = np.array([self.fore, self.hind])
        return np.concatenate([left, left * [1.0, -1.0, 1.0]])

    def pitched(self, pitch: float) -> Stance:
        """Return the stance of a body that is tilted nose down by ``pitch`` (rad) over it."""
        if pitch == 0.0:
            return self
        fore, hind = (
            tuple(pitched(np.array(paw), pitch).tolist()) for paw in (self.fore, self.hind)
        )
        return Stance(fore=fore, hind=hind)


@dataclass(frozen=True, kw_only=True)
class Legs:
    """Kinematics of four legs."""

    fore: Limb
    hind: Limb

    def paws(self, angles: Array) -> Array:
        """Return where the paws are, (…, 4, 3), at these ``angles``."""
        rotor, elevator, knee = angles[..., 0], angles[..., 1], angles[..., 2]
        ahead, down = _swing(*self._lower, END * knee)
        ahead, down = self._upper[0] + ahead, self._upper[2] + down
        out = self._upper[1]
        # The elevator lifts outwards as the rotor swings forwards: the same turn, in another plane.
        out, down = _swing(out, down, elevator)
        ahead, down = _swing(ahead, down, rotor)
        return self.shoulders + np.stack([ahead, SIDE * out, -down], axis=-1)

    def angles(self, paws: Array) -> Array:
        """Return the joint angles, (…, 4, 3), that bring the paws there.

        Of the two ways to bend a knee it is the one a knee can: positive. A paw out of reach is
        reached for with a straight (or fully bent) leg.
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
        """Where the four shoulders are in the body's frame, m, (4, 3)."""
        limbs = [self._limb(end) for end in END]
        return np.array(
            [
                (limb.shoulder[0], side * limb.shoulder[1], limb.shoulder[2])
                for limb, side in zip(limbs, SIDE, strict=True)
            ]
        )

    @cached_property
    def _upper(self) -> tuple[Array, Array, Array]:
        """Shoulder to knee: ahead, outwards, down; (4,) each."""
        ahead, out, up = np.array([self._limb(end).upper for end in END]).T
        return ahead, out, -up

    @cached_property
    def _lower(self) -> tuple[Array, Array]:
        """Knee to paw: ahead, down; (4,) each."""
        ahead, _, up = np.array([self._limb(end).lower for end in END]).T
        return ahead, -up

    @cached_property
    def _constant(self) -> Array:
        """Squares of the two lengths, in the law of cosines at the knee."""
        return np.asarray(np.square([*self._upper, *self._lower]).sum(axis=0))

    @cached_property
    def _product(self) -> Array:
        """Twice the product of the two lengths, seen from the side."""
        upper_ahead, _, upper_down = self._upper
        return 2 * np.hypot(upper_ahead, upper_down) * np.hypot(*self._lower)

    @cached_property
    def _straight(self) -> Array:
        """How far the shin must swing forwards to be in line with the upper leg, rad."""
        upper_ahead, _, upper_down = self._upper
        lower_ahead, lower_down = self._lower
        return np.arctan2(upper_ahead, upper_down) - np.arctan2(lower_ahead, lower_down)

    def _limb(self, end: float) -> Limb:
        return self.fore if end > 0 else self.hind


def pitched(paws: Array, pitch: float) -> Array:
    """Return places ``(…, 3)`` of a level frame in one tilted nose down by ``pitch`` (rad)."""
    cos, sin = np.cos(pitch), np.sin(pitch)
    x, y, z = paws[..., 0], paws[..., 1], paws[..., 2]
    return np.stack([x * cos - z * sin, y, z * cos + x * sin], axis=-1)


def _swing(ahead: Array, down: Array, angle: Array) -> tuple[Array, Array]:
    """Turn what hangs ``down`` by ``angle`` (rad) forwards."""
    cos, sin = np.cos(angle), np.sin(angle)
    return ahead * cos + down * sin, down * cos - ahead * sin
