"""How fast a trot may be told to go: as fast as the legs' joints can follow.

On the ground a joint has to keep up with its paw; in the air it has as long as the swing to be
back. Lifting the paw is left out: a joint that is late lifts it less, and that costs no ground.
Walks in physics end where this does: an ERS-210 told 0.18 m/s at its 0.175 goes 0.18, at 0.25 it
drags its paws.
"""

from __future__ import annotations

import numpy as np

from grouser.frames import Array
from grouser.locomotion.quadruped_legs import Vector
from grouser.locomotion.trot import OFFSETS, PHASE, SPEED, WIDTH, Trot

SAMPLES = 240
"""Moments of a step at which the joints are looked at."""
HIGHEST = (2.0, 2.0, 12.0)
"""m/s, m/s, rad/s; beyond what any such robot walks."""


def fastest_speeds(trot: Trot, limits: Array, speeds: Array) -> Vector:
    """Return the largest forward, sideways (m/s) and turning (rad/s) speed, each on its own.

    Args:
        trot: the walk; its own `fastest` does not count.
        limits: from, to of the legs' joints, rad, (12, 2).
        speeds: the fastest each of them turns, rad/s, (12,).
    """
    forward, sideways, turn = (_largest(trot, limits, speeds, axis) for axis in range(3))
    return forward, sideways, turn


def _largest(trot: Trot, limits: Array, speeds: Array, axis: int) -> float:
    """Halve the range of speeds along one axis until a thousandth of it is left."""
    low, high = 0.0, HIGHEST[axis]
    for _ in range(10):
        middle = (low + high) / 2
        if _follows(trot, limits, speeds, axis, middle):
            low = middle
        else:
            high = middle
    return low


def _follows(trot: Trot, limits: Array, speeds: Array, axis: int, speed: float) -> bool:
    """Return whether all joints follow both ways, and reach where the paws go on the ground."""
    for way in (speed, -speed):
        states = np.zeros((SAMPLES, WIDTH))
        states[:, PHASE] = np.arange(SAMPLES) / SAMPLES
        states[:, SPEED][:, axis] = way
        angles = trot.angles(states)
        if (angles < limits[:, 0]).any() or (angles > limits[:, 1]).any():
            return False
        moved = np.abs(np.roll(angles, -1, axis=0) - angles)
        air = (states[:, PHASE, None] + OFFSETS) % 1.0 >= trot.grounded
        aloft = np.repeat(air, 3, axis=1)
        on_ground = np.where(aloft, 0.0, moved).max(axis=0) * (SAMPLES / trot.cycle)
        in_air = np.where(aloft, moved, 0.0).sum(axis=0) / ((1.0 - trot.grounded) * trot.cycle)
        if (np.maximum(on_ground, in_air) > speeds).any():
            return False
    return True
