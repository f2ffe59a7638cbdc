"""Odometry of a trot: the commanded speeds, reached with a limited acceleration."""

from __future__ import annotations

import math
from collections import deque

ACCELERATION = (0.4, 0.4, 3.0)  # m/s², m/s², rad/s²   of the ERS-7's gait
HEIGHT = 0.126
"""Height of the middle of the shoulders, m. 4 mm more than the gait's own: a robot that walks over
the ball then passes, else its belly lies on the ball and its paws lose the ground."""
FASTEST = (0.285, 0.31, 3.7)  # m/s, m/s, rad/s   each alone; shares of them add up to at most 1
MEMORY = 0.5
"""Time for which speeds are stored, s."""

Step = tuple[float, float, float]
"""Displacement ahead and left (m) in the axes before it, and turn (rad)."""


class OwnMotion:
    """Speeds of a robot, from its commands."""

    def __init__(self) -> None:
        self.speed: Step = (0.0, 0.0, 0.0)
        """Present speeds, m/s, m/s, rad/s."""
        self._past: deque[tuple[float, Step]] = deque()

    def stop(self) -> None:
        """Register that the robot stands."""
        self.speed = (0.0, 0.0, 0.0)
        self._past.clear()

    def advance(self, command: Step, time: float, seconds: float) -> Step:
        """Return the displacement within ``seconds`` until ``time``, under a command."""
        share = sum(abs(c) / f for c, f in zip(command, FASTEST, strict=True))
        wanted = [c / max(1.0, share) for c in command]
        mean: list[float] = []
        now: list[float] = []
        for is_, will, most in zip(self.speed, wanted, ACCELERATION, strict=True):
            change = max(-most * seconds, min(most * seconds, will - is_))
            ramp = abs(change) / most
            now.append(is_ + change)
            mean.append(is_ + change * (1.0 - 0.5 * ramp / seconds) if seconds > 0 else is_)
        self.speed = (now[0], now[1], now[2])
        self._past.append((time, self.speed))
        while self._past and self._past[0][0] < time - MEMORY:
            self._past.popleft()
        return mean[0] * seconds, mean[1] * seconds, mean[2] * seconds

    def since(self, then: float, now: float) -> Step:
        """Return the displacement between ``then`` and ``now`` (s), by the stored speeds."""
        ahead = left = turn = 0.0
        end = now
        for time, speed in reversed(self._past):
            begin = max(then, time) if time < end else end
            seconds = end - begin
            ahead, left = ahead + speed[0] * seconds, left + speed[1] * seconds
            turn += speed[2] * seconds
            end = begin
            if time <= then:
                break
        rest = max(0.0, end - then)
        return (
            ahead + self.speed[0] * rest,
            left + self.speed[1] * rest,
            turn + self.speed[2] * rest,
        )


def moved_point(point: tuple[float, float], step: Step) -> tuple[float, float]:
    """Return a fixed point in the robot's axes after the robot has moved by ``step``."""
    ahead, left, turn = step
    x, y = point[0] - ahead, point[1] - left
    cos, sin = math.cos(turn), math.sin(turn)
    return cos * x + sin * y, -sin * x + cos * y
