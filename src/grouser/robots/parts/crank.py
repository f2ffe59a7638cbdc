"""Crank linkage of VelociRoACH: two motors move six legs (roach, sec. 4.3).

Each side has one motor. The phase of its crank moves the three legs of that side along a closed
curve of two angles, protraction (fore and aft) and abduction (outwards, which lifts the foot):

    protraction = P s(phase)        abduction = A0 + A cos(phase)

so a foot is on the ground while cos(phase) < 0 and moves backwards there. With a long rod between
crank and leg s is a sine; with a short one (slider-crank) the feet move backwards and return at
different speeds. The middle leg of a side is half a turn apart from the fore and the hind one, and
the sides start half a turn apart: an alternating tripod gait, which equal speeds keep and unequal
speeds lose, as on the real robot.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array

SIDES = ("left", "right")
ENDS = ("fore", "middle", "hind")
LEGS = tuple(f"{end}_{side}" for side in SIDES for end in ENDS)
"""All legs, left ones first."""
MOTIONS = ("protraction", "abduction")
"""The two angles of each leg."""

_OFFSETS = np.array([0.0, math.pi, 0.0])  # of fore, middle and hind against their side's crank
_START = (0.0, math.pi)  # one tripod is vertical, the other lifted: no sideways load


@dataclass(frozen=True, kw_only=True)
class Cranks:
    """Both cranks and their legs; a `grouser.robots.robot.Gait`."""

    protraction: float
    """P: amplitude of the swing fore and aft, rad."""
    abduction: float
    """A: amplitude of the outward swing, rad."""
    abduction_middle: float
    """A0: centre of the outward swing, rad; equal to A: the inner end is vertical."""
    rod_ratio: float = 0.0
    """Crank radius over rod length, 0 to below 1; 0: protraction is a sine."""
    top_speed: float
    """Speed limit of a crank, rad/s."""
    acceleration: float
    """Acceleration limit of a crank, rad/s²."""
    period: float
    """Longest time between two setpoints, s."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """Return the names of the cranks' speeds, rad/s; forwards is positive."""
        return tuple(f"{side}_speed" for side in SIDES)

    @property
    def drives(self) -> tuple[str, ...]:
        """Return the names of the legs' joints: all protractions, then all abductions."""
        return tuple(f"{leg}_{motion}" for motion in MOTIONS for leg in LEGS)

    def start(self) -> Array:
        """Return the phases (rad) and speeds (rad/s) of cranks at rest, (4,)."""
        return np.array([*_START, 0.0, 0.0])

    def at_phase(self, phase: float) -> Array:
        """Return `start` with both cranks advanced by ``phase`` (rad), (4,)."""
        left, right = (at + phase for at in _START)
        return np.array([math.remainder(left, math.tau), math.remainder(right, math.tau), 0.0, 0.0])

    def advance(self, state: Array, inputs: Array, dt: float) -> Array:
        """Return ``state`` (n, 4) after ``dt`` (s) at the commanded speeds ``inputs`` (n, 2).

        Phases stay between -pi and pi, so that long runs lose no precision.
        """
        phase, speed = state[:, :2], state[:, 2:]
        # Called at every step: np.clip is several times slower.
        wanted = np.minimum(np.maximum(inputs, -self.top_speed), self.top_speed)
        most = self.acceleration * dt
        after = speed + np.minimum(np.maximum(wanted - speed, -most), most)
        turned = phase + (speed + after) / 2 * dt
        turned -= math.tau * np.rint(turned / math.tau)
        return np.concatenate([turned, after], axis=1)

    def angles(self, state: Array) -> Array:
        """Return every leg's protraction, then every leg's abduction (rad), (n, 12)."""
        phase = (state[:, :2, None] + _OFFSETS).reshape(len(state), -1)
        sine, cosine = np.sin(phase), np.cos(phase)
        protraction = self.protraction * self._swing(sine, cosine)
        abduction = self.abduction * (self.abduction_middle / self.abduction + cosine)
        return np.concatenate([protraction, abduction], axis=1)

    def _swing(self, sine: Array, cosine: Array) -> Array:
        """Return s, about -1 to 1: position of the slider over the crank radius."""
        if self.rod_ratio == 0.0:
            return sine
        rod = 1 / self.rod_ratio
        return np.asarray(sine + np.sqrt(rod**2 - cosine**2) - rod)
