"""Kick with a fore paw, as keyframes: lean away, swing the leg back, then forwards at full speed.

A keyframe has the displacement of the body over its standing paws and the angles of the kicking
leg. The teams of the four-legged league described their kicks in the same way. Frames are given for
the left paw and are mirrored for the right one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grouser.frames import Array, radians
from grouser.locomotion.quadruped_legs import LEGS, MIRROR, Legs, Stance, Vector


@dataclass(frozen=True, kw_only=True)
class KickFrame:
    """Keyframe of a kick with the left fore paw."""

    time: float
    """Time since the beginning of the kick, s."""
    lean: Vector = (0.0, 0.0, 0.0)
    """Displacement of the body from its stance, m."""
    leg_deg: Vector | None = None
    """Rotor, elevator and knee of the kicking leg; None: its paw stands like the others."""


def swing_frames(
    back: Vector, ahead: Vector, cocked_deg: Vector, kicked_deg: Vector, *, seconds: float
) -> tuple[KickFrame, ...]:
    """Return the keyframes of a kick: lean back, cock the leg, swing it, stand again.

    The body is displaced by ``back`` while the leg is cocked and by ``ahead`` (m) at the ball;
    rotor, elevator and knee are ``cocked_deg`` before and ``kicked_deg`` after the swing of
    ``seconds``.
    """
    hit = 1.0 + seconds
    return (
        KickFrame(time=0.0),
        KickFrame(time=0.4, lean=back),
        KickFrame(time=0.8, lean=back, leg_deg=cocked_deg),
        KickFrame(time=1.0, lean=back, leg_deg=cocked_deg),
        KickFrame(time=hit, lean=ahead, leg_deg=kicked_deg),
        KickFrame(time=hit + 0.2, lean=ahead, leg_deg=kicked_deg),
        KickFrame(time=hit + 0.6, lean=back, leg_deg=kicked_deg),
        KickFrame(time=hit + 1.0, lean=back),
        KickFrame(time=hit + 1.4),
    )


@dataclass(frozen=True, kw_only=True)
class Kick:
    """Motion through keyframes, the first of which is at time 0."""

    legs: Legs
    stance: Stance
    """Positions of the standing paws."""
    frames: tuple[KickFrame, ...]

    @property
    def duration(self) -> float:
        """Duration of the kick, s."""
        return self.frames[-1].time

    def angles(self, time: Array, side: Array) -> Array:
        """Return the legs' joint angles (rad), (n, 12), at ``time`` (s); ``side`` +1: left paw."""
        after = np.clip(np.searchsorted(self._times, time), 1, len(self._times) - 1)
        begin, end = self._times[after - 1], self._times[after]
        part = np.clip((time - begin) / (end - begin), 0.0, 1.0)[:, None, None]
        left = (1.0 - part) * self._angles[after - 1] + part * self._angles[after]
        mirrored = left[:, MIRROR]
        return np.where(side[:, None, None] > 0.0, left, mirrored).reshape(len(time), -1)

    @cached_property
    def _times(self) -> Array:
        return np.array([frame.time for frame in self.frames])

    @cached_property
    def _angles(self) -> Array:
        """Joint angles of the keyframes, rad, (frames, 4, 3)."""
        standing = self.stance.paws()
        made = []
        for frame in self.frames:
            angles = self.legs.angles(standing - np.array(frame.lean))
            if frame.leg_deg is not None:
                angles[LEGS.index("lf")] = [radians(angle) for angle in frame.leg_deg]
            made.append(angles)
        return np.array(made)
