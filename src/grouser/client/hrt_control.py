"""How the robot library drives: straight by the encoders, round by posture. SI units, no clock.

A motion is fed with the newest status and the time, and says how fast the belts shall run; None
means that it has arrived and rests. Encoders of some links come 25 times a second in ticks of
1.3 mm, posture five times in steps of half a degree: so motions slow down towards their end, wait
until nothing changes any more, look again, and correct what is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from grouser.frames import radians

GAUGE = 0.220  # m   UDK's Kenaf: between the middles of the main tracks
PACE = 0.100  # m/s   belts on the way, unless told otherwise
TURN_SHARE = 0.5  # of the pace in turns: at half of it the body drifts half as far off its place
CREEP = 0.012  # m/s   the slowest that a motion asks for: less than a tick late at 25 Hz
ACCELERATION = 0.4  # m/s2   a fourth of what friction 0.16 could hold
STRAIGHT_GAIN = 3.0  # 1/s   speed for what is left: stable with links a tenth of a second late
TURN_GAIN = 2.0  # 1/s
SIDE_GAIN = 2.0  # 1/s   of what one belt is ahead of the other
NEAR = 0.0004  # m   close enough to stop
NEAR_ENOUGH = 0.0020  # m   close enough when at rest: encoders' ticks may be 1.3 mm
FACING = radians(0.4)  # close enough to stop
FACING_ENOUGH = radians(0.8)  # close enough when at rest: posture may come in steps of 0.57 deg
REST = 0.3  # s   belts stand for so long before a straight motion is over
LOOK = 0.5  # s   the same of a turn: posture may come five times a second
CORRECTIONS = 6  # how often a motion starts again for what is left
AHEAD = radians(15)  # encoders carry the heading on by no more than this
FIRST_GRIP = 0.5  # what of the belts' turn the body makes, before any turn was seen; estimate
GRIPS = (0.15, 1.2)  # what is believed
SEEN = radians(8)  # a turn shows its grip from here on
STALL = 5.0  # s   without any progress


@dataclass(frozen=True, slots=True)
class Look:
    """What a motion is fed with."""

    left: float
    """How far the left belt has run, m, forwards positive."""
    right: float
    yaw: float | None
    """Heading, rad, to the left positive, from -pi to pi; None: not known."""
    time: float
    """On the motors' clock, s, so that nothing here hangs on how fast a simulation runs."""


class Stalled(Exception):
    """Nothing has moved for `STALL` seconds although it was told to."""


class Sliding(Exception):
    """The belts run, and for `STALL` seconds the body has not turned."""


Belts = tuple[float, float]
"""Speeds of the left and the right belt, m/s."""


class _Approach:
    """Speeds that end in a stop at a place: ramped, proportional, with a creep at the end."""

    def __init__(self, pace: float, rest: float) -> None:
        self._pace, self._rest = pace, rest
        self._speed = 0.0
        self._time: float | None = None
        self._still_since: float | None = None
        self._progress: tuple[float, float] | None = None
        self._corrections = 0

    def rested(self, now: float) -> bool:
        """Return whether the belts have stood for long enough to see where that was."""
        return self._still_since is not None and now - self._still_since >= self._rest

    def speed(
        self, wanted: float, *, near: bool, enough: bool, progress: float, now: float
    ) -> float | None:
        """Return the belt speed to go on with; None: arrived, and at rest.

        Args:
            wanted: proportional to what is left, m/s, signed.
            near: whether it may stop here.
            enough: whether it may stay here, at rest.
            progress: what must change as long as the belts run.
            now: on the motors' clock, s.
        """
        self._watch(progress, now)
        passed = 0.0 if self._time is None else max(0.0, now - self._time)
        self._time = now
        if self._still_since is not None:
            if not self.rested(now):
                return 0.0
            if enough or self._corrections >= CORRECTIONS:
                return None
            self._corrections += 1
            self._still_since = None
        if near or self._speed * wanted < 0:
            self._speed, self._still_since = 0.0, now
            return 0.0
        fastest = min(self._pace, abs(self._speed) + ACCELERATION * passed)
        size = max(min(abs(wanted), fastest), min(CREEP, self._pace))
        self._speed = math.copysign(size, wanted)
        return self._speed

    def _watch(self, progress: float, now: float) -> None:
        moved = self._progress is None or progress != self._progress[0]
        if moved or self._still_since is not None:
            self._progress = (progress, now)
        elif self._progress is not None and now - self._progress[1] > STALL:
            raise Stalled


class Straight:
    """A distance by the encoders, m; below 0: backwards."""

    def __init__(self, distance: float, start: Look, pace: float = PACE) -> None:
        self._distance, self._start = distance, start
        self._approach = _Approach(pace, REST)
        self.travelled = 0.0
        """By the encoders' mean, m."""

    def step(self, look: Look) -> Belts | None:
        """Return the belts' speeds; None: it is there, and at rest."""
        left, right = look.left - self._start.left, look.right - self._start.right
        self.travelled = (left + right) / 2
        rest = self._distance - self.travelled
        speed = self._approach.speed(
            STRAIGHT_GAIN * rest,
            near=abs(rest) <= NEAR,
            enough=abs(rest) <= NEAR_ENOUGH,
            progress=self.travelled,
            now=look.time,
        )
        if speed is None:
            return None
        # The belt that is ahead waits for the other, never so much that it turns back.
        even = min(max(SIDE_GAIN * (right - left) / 2, -abs(speed) / 2), abs(speed) / 2)
        return speed + even, speed - even


class Turn:
    """An angle by posture, rad, to the left positive; any number of rounds.

    Between two readings of posture the heading is carried on by the belts' difference, times the
    grip: how much of the turn that the belts make is made by the body; the rest is sliding. The
    grip is learnt on the way.
    """

    def __init__(
        self, angle: float, start: Look, pace: float = PACE, grip: float = FIRST_GRIP
    ) -> None:
        assert start.yaw is not None
        self._angle = angle
        self._start = self._seen = self._carried_from = start
        self._yaw = start.yaw
        self._approach = _Approach(pace, LOOK)
        self.grip = grip
        self.turned = 0.0
        """By posture, rad."""

    def step(self, look: Look) -> Belts | None:
        """Return the belts' speeds; None: it faces there, and rests."""
        self._note(look)
        if self._approach.rested(look.time):
            self._carried_from = look  # posture is as new as the encoders are
        ahead = self.grip * (_belt_turn(look) - _belt_turn(self._carried_from))
        rest = self._angle - self.turned - min(max(ahead, -AHEAD), AHEAD)
        try:
            speed = self._approach.speed(
                TURN_GAIN * rest * GAUGE / 2 / self.grip,
                near=abs(rest) <= FACING,
                enough=abs(self._angle - self.turned) <= FACING_ENOUGH,
                progress=self.turned,
                now=look.time,
            )
        except Stalled:
            if abs(_belt_turn(look) - _belt_turn(self._seen)) > AHEAD:
                raise Sliding from None
            raise
        return None if speed is None else (-speed, speed)

    @property
    def belts_turned(self) -> float:
        """How far the body would have turned if nothing had slid, rad."""
        return _belt_turn(self._seen) - _belt_turn(self._start)

    @property
    def slid(self) -> float | None:
        """What share of the belts' turn was sliding, 0 to 1; None: too small a turn to say."""
        ideal = self.belts_turned
        return None if abs(ideal) < SEEN else 1.0 - self.turned / ideal

    def _note(self, look: Look) -> None:
        """Take in posture, if it is new."""
        if look.yaw is None or look.yaw == self._yaw:
            return
        self.turned += math.remainder(look.yaw - self._yaw, math.tau)
        self._yaw = look.yaw
        self._seen = self._carried_from = look
        if abs(self.turned) >= SEEN and abs(self.belts_turned) >= SEEN:
            low, high = GRIPS
            self.grip = min(max(self.turned / self.belts_turned, low), high)


def _belt_turn(look: Look) -> float:
    """Return the heading, rad, that the belts alone would have made."""
    return (look.right - look.left) / GAUGE
