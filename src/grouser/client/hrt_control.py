"""Motion control of the robot library: straight motion by encoders, turns by posture.

SI units, no clock. A motion maps the newest observation to belt speeds; None means arrived and at
rest. Some links send encoders at 25 Hz in ticks of 1.3 mm and posture at 5 Hz in steps of half a
degree. Motions therefore slow down towards the end, wait until the values settle, and correct the
remaining error.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from grouser.frames import radians

GAUGE = 0.220  # m   UDK's Kenaf: between the middles of the main tracks
PACE = 0.100  # m/s   default belt speed
TURN_SHARE = 0.5  # of the pace in turns: half the speed halves the drift of the body
CREEP = 0.012  # m/s   smallest belt speed: less than a tick late at 25 Hz
ACCELERATION = 0.4  # m/s2   a fourth of what friction 0.16 could hold
STRAIGHT_GAIN = 3.0  # 1/s   speed per remaining distance: stable with a link delay of 0.1 s
TURN_GAIN = 2.0  # 1/s
SIDE_GAIN = 2.0  # 1/s   of the lead of one belt over the other
NEAR = 0.0004  # m   close enough to stop
NEAR_ENOUGH = 0.0020  # m   close enough when at rest: encoders' ticks may be 1.3 mm
FACING = radians(0.4)  # close enough to stop
FACING_ENOUGH = radians(0.8)  # close enough when at rest: posture may come in steps of 0.57 deg
REST = 0.3  # s   rest before a straight motion ends
TURN_REST = 0.5  # s   rest before a turn ends: posture may come at 5 Hz
CORRECTIONS = 6  # largest number of corrections
AHEAD = radians(15)  # largest extrapolation of the heading by encoders
FIRST_GRIP = 0.5  # initial ratio of body turn to belt turn; estimate
GRIPS = (0.15, 1.2)  # plausible range of the grip
SEEN = radians(8)  # smallest turn from which the grip is estimated
STALL = 5.0  # s   time-out without progress


@dataclass(frozen=True, slots=True)
class Observation:
    """Input of a motion."""

    left: float
    """Travel of the left belt, m, forwards positive."""
    right: float
    """Travel of the right belt, m."""
    yaw: float | None
    """Heading, rad, left positive, from -pi to pi; None: unknown."""
    time: float
    """Time on the motors' clock, s, independent of the speed of a simulation."""


class Stalled(Exception):
    """No movement for `STALL` seconds despite a command."""


class Sliding(Exception):
    """The belts run, but the body has not turned for `STALL` seconds."""


Belts = tuple[float, float]
"""Speeds of the left and the right belt, m/s."""


class _Approach:
    """Speed profile to a target: ramp, proportional, creep at the end, stop."""

    def __init__(self, pace: float, rest: float) -> None:
        self._pace, self._rest = pace, rest
        self._speed = 0.0
        self._time: float | None = None
        self._rest_since: float | None = None
        self._progress: tuple[float, float] | None = None
        self._corrections = 0

    def is_settled(self, now: float) -> bool:
        """Return True if the belts have rested for the settling time."""
        return self._rest_since is not None and now - self._rest_since >= self._rest

    def speed(
        self, wanted: float, *, near: bool, enough: bool, progress: float, now: float
    ) -> float | None:
        """Return the belt speed; None: arrived and at rest.

        ``wanted`` is proportional to the remaining distance (m/s, signed). ``near`` and ``enough``
        are True within the tolerances for stopping and at rest. ``progress`` changes while the
        belts run; ``now`` is the motors' clock, s.
        """
        self._watch(progress, now)
        passed = 0.0 if self._time is None else max(0.0, now - self._time)
        self._time = now
        if self._rest_since is not None:
            if not self.is_settled(now):
                return 0.0
            if enough or self._corrections >= CORRECTIONS:
                return None
            self._corrections += 1
            self._rest_since = None
        if near or self._speed * wanted < 0:
            self._speed, self._rest_since = 0.0, now
            return 0.0
        fastest = min(self._pace, abs(self._speed) + ACCELERATION * passed)
        size = max(min(abs(wanted), fastest), min(CREEP, self._pace))
        self._speed = math.copysign(size, wanted)
        return self._speed

    def _watch(self, progress: float, now: float) -> None:
        moved = self._progress is None or progress != self._progress[0]
        if moved or self._rest_since is not None:
            self._progress = (progress, now)
        elif self._progress is not None and now - self._progress[1] > STALL:
            raise Stalled


class Straight:
    """Straight motion by the encoders, m; backwards negative."""

    def __init__(self, distance: float, start: Observation, pace: float = PACE) -> None:
        self._distance, self._start = distance, start
        self._approach = _Approach(pace, REST)
        self.travelled = 0.0
        """Mean travel of the belts, m."""

    def step(self, seen: Observation) -> Belts | None:
        """Return the belt speeds; None: arrived and at rest."""
        left, right = seen.left - self._start.left, seen.right - self._start.right
        self.travelled = (left + right) / 2
        rest = self._distance - self.travelled
        speed = self._approach.speed(
            STRAIGHT_GAIN * rest,
            near=abs(rest) <= NEAR,
            enough=abs(rest) <= NEAR_ENOUGH,
            progress=self.travelled,
            now=seen.time,
        )
        if speed is None:
            return None
        # The leading belt is slowed down, but never reversed.
        balance = min(max(SIDE_GAIN * (right - left) / 2, -abs(speed) / 2), abs(speed) / 2)
        return speed + balance, speed - balance


class Turn:
    """Turn by the posture sensor, rad, left positive; any number of revolutions."""

    # Between two posture readings the heading is extrapolated by the difference of the belts
    # times the grip, the ratio of body turn to belt turn, which is estimated during the
    # motion.

    def __init__(
        self, angle: float, start: Observation, pace: float = PACE, grip: float = FIRST_GRIP
    ) -> None:
        if start.yaw is None:
            raise ValueError("a turn needs a known heading")
        self._angle = angle
        self._start = self._seen = self._carried_from = start
        self._yaw = start.yaw
        self._approach = _Approach(pace, TURN_REST)
        self.grip = grip
        self.turned = 0.0
        """Turned angle by posture, rad."""

    def step(self, seen: Observation) -> Belts | None:
        """Return the belt speeds; None: arrived and at rest."""
        self._update_heading(seen)
        if self._approach.is_settled(seen.time):
            self._carried_from = seen  # posture is up to date at rest
        ahead = self.grip * (_belt_turn(seen) - _belt_turn(self._carried_from))
        rest = self._angle - self.turned - min(max(ahead, -AHEAD), AHEAD)
        try:
            speed = self._approach.speed(
                TURN_GAIN * rest * GAUGE / 2 / self.grip,
                near=abs(rest) <= FACING,
                enough=abs(self._angle - self.turned) <= FACING_ENOUGH,
                progress=self.turned,
                now=seen.time,
            )
        except Stalled:
            if abs(_belt_turn(seen) - _belt_turn(self._seen)) > AHEAD:
                raise Sliding from None
            raise
        return None if speed is None else (-speed, speed)

    @property
    def belts_turned(self) -> float:
        """Turn of the body without slip, rad."""
        return _belt_turn(self._seen) - _belt_turn(self._start)

    @property
    def slid(self) -> float | None:
        """Slip of the turn, 0 to 1; None: the turn is too small."""
        ideal = self.belts_turned
        return None if abs(ideal) < SEEN else 1.0 - self.turned / ideal

    def _update_heading(self, seen: Observation) -> None:
        """Update the turned angle and the grip, if posture is new."""
        if seen.yaw is None or seen.yaw == self._yaw:
            return
        self.turned += math.remainder(seen.yaw - self._yaw, math.tau)
        self._yaw = seen.yaw
        self._seen = self._carried_from = seen
        if abs(self.turned) >= SEEN and abs(self.belts_turned) >= SEEN:
            low, high = GRIPS
            self.grip = min(max(self.turned / self.belts_turned, low), high)


def _belt_turn(seen: Observation) -> float:
    """Return the heading by the belts without slip, rad."""
    return (seen.right - seen.left) / GAUGE
