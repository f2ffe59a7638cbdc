"""A kick with a fore paw: the body leans away, the leg swings back, then forwards at full speed.

Written as keyframes, as the teams wrote theirs: how far the body has moved over its standing paws,
and the kicking leg's angles. Frames are given for the left paw; the right one's mirror them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from grouser.frames import Array, radians
from grouser.locomotion.quadruped_legs import LEGS, MIRROR, Legs, Stance, Vector


@dataclass(frozen=True, kw_only=True)
class KickFrame:
    """One moment of a kick with the left fore paw."""

    time: float
    """Since the kick began, s."""
    lean: Vector = (0.0, 0.0, 0.0)
    """How far the body has moved from where it stands, m."""
    leg_deg: Vector | None = None
    """Rotor, elevator and knee of the kicking leg; None: its paw stands like the others."""


def swing(
    back: Vector, ahead: Vector, cocked_deg: Vector, kicked_deg: Vector, *, seconds: float
) -> tuple[KickFrame, ...]:
    """Return the frames of a kick: lean back, cock the leg, swing it in ``seconds``, stand again.

    Args:
        back: how far the body leans while the leg is cocked, m.
        ahead: where it has moved to when the paw meets the ball, m.
        cocked_deg: rotor, elevator and knee of the kicking leg before the swing.
        kicked_deg: the same after it.
        seconds: time of the swing, s.
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
    """A motion through frames, the first of which is at time 0."""

    legs: Legs
    stance: Stance
    """Where the paws stand."""
    frames: tuple[KickFrame, ...]

    @property
    def duration(self) -> float:
        """How long it takes, s."""
        return self.frames[-1].time

    def angles(self, time: Array, side: Array) -> Array:
        """Return the legs' joint angles (rad), (n, 12), ``time`` (s) into kicks with a paw.

        Args:
            time: (n,), s.
            side: (n,), +1 for the left fore paw, -1 for the right one.
        """
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
        """Joint angles of every frame, rad, (frames, 4, 3)."""
        standing = self.stance.paws()
        made = []
        for frame in self.frames:
            angles = self.legs.angles(standing - np.array(frame.lean))
            if frame.leg_deg is not None:
                angles[LEGS.index("lf")] = [radians(angle) for angle in frame.leg_deg]
            made.append(angles)
        return np.array(made)
