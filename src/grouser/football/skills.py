"""Skills of a player: walking to a pose, aiming a kick, sweeping the ball, facing a point.

All points are in the robot's axes (x ahead, y left, m). A skill returns the speeds ahead, to the
left (m/s) and turning (rad/s), or None once it is done.
"""

from __future__ import annotations

import math

from grouser.football.own_motion import FASTEST, Step
from grouser.football.player_io import Paw, Point

STAND: Step = (0.0, 0.0, 0.0)

BALL_AHEAD, BALL_LEFT = 0.158, 0.063  # m, position of the ball for a kick with the left fore paw
VEER = 0.1  # rad, direction of such a kick, to the right of the heading
READY = (0.012, 0.012, 0.08)  # m, m, rad: accepted error of the pose before a kick
HURRIED = (0.025, 0.022, 0.2)  # the same, with opponents near
CHANCE = 0.5  # rad, accepted error of the direction of a kick without aiming
PAWS: tuple[Paw, Paw] = ("left", "right")
BESIDE = 0.7  # rad, error of the heading beyond which the way leads around the ball
RUN_UP = 0.30  # m, distance behind the ball of the point from which it is approached
CLEARANCE = 0.24  # m, distance from the ball on the way around it
TURN_FIRST = 0.6  # m, longer ways are walked straight ahead


def wrap(angle: float) -> float:
    """Return an angle from -pi to pi, rad."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


def limit(value: float, most: float) -> float:
    """Return ``value``, at most ``most`` in either direction."""
    return max(-most, min(most, value))


def walk_to(point: Point, heading: float, *, gain: float = 1.5, near: float = 0.0) -> Step:
    """Return the speeds towards a point and a heading; zero within ``near`` (m)."""
    x, y = point
    far = math.hypot(x, y)
    if far < near:
        return 0.0, 0.0, limit(1.5 * heading, 1.0) if abs(heading) > 0.1 else 0.0
    if far > TURN_FIRST:
        direction = math.atan2(y, x)
        ahead = FASTEST[0] * max(0.0, math.cos(direction)) ** 2
        return ahead, 0.0, limit(2.0 * direction, 1.5)
    return limit(gain * x, 0.25), limit(gain * y, 0.2), limit(1.5 * heading, 1.0)


def around(ball: Point, goal: Point, clearance: float = CLEARANCE) -> Point:
    """Return the next point of a way to ``goal`` that keeps ``clearance`` (m) from the ball."""
    length = math.hypot(*goal)
    if length < 1e-6:
        return goal
    ux, uy = goal[0] / length, goal[1] / length
    along = ball[0] * ux + ball[1] * uy
    across = -ball[0] * uy + ball[1] * ux  # distance of the ball to the left of the way
    if not 0.0 < along < length or abs(across) >= clearance:
        return goal
    side = -1.0 if across >= 0 else 1.0
    return ball[0] - uy * side * clearance * 1.2, ball[1] + ux * side * clearance * 1.2


def kick_pose(ball: Point, direction: float, paw: Paw) -> tuple[Point, float]:
    """Return position and heading for a kick of the ball in ``direction`` (rad)."""
    side = 1.0 if paw == "left" else -1.0
    heading = direction + VEER * side
    cos, sin = math.cos(heading), math.sin(heading)
    ahead, left = BALL_AHEAD, BALL_LEFT * side
    return (ball[0] - cos * ahead + sin * left, ball[1] - sin * ahead - cos * left), heading


def better_paw(ball: Point, direction: float, last: Paw | None) -> Paw:
    """Return the paw with the nearer pose; the last one is preferred by 4 cm."""

    def cost(paw: Paw) -> float:
        (x, y), heading = kick_pose(ball, direction, paw)
        return math.hypot(x, y) + 0.1 * abs(wrap(heading)) - (0.04 if paw == last else 0.0)

    return min(PAWS, key=cost)


def approach(ball: Point, direction: float, paw: Paw, *, hurried: bool = False) -> Step | None:
    """Return the speeds towards the pose for a kick; None: the robot has reached it."""
    (x, y), heading = kick_pose(ball, direction, paw)
    heading = wrap(heading)
    errors = abs(x), abs(y), abs(heading)
    if all(error < most for error, most in zip(errors, HURRIED if hurried else READY, strict=True)):
        return None
    behind = ball[0] - RUN_UP * math.cos(direction), ball[1] - RUN_UP * math.sin(direction)
    if abs(heading) > BESIDE:
        return walk_to(around(ball, behind), heading)
    fast = 0.14 if math.hypot(x, y) < 0.15 else 0.27
    return limit(1.8 * x, fast), limit(2.0 * y, 0.12), limit(2.0 * heading, 1.0)


def chance(ball: Point, direction: float, error: float = CHANCE) -> Paw | None:
    """Return the paw before which the ball lies, if a kick now goes in ``direction``.

    Args:
        ball: position of the ball, m.
        direction: wanted direction of the kick, rad.
        error: accepted error of the direction, rad.
    """
    for paw in PAWS:
        side = 1.0 if paw == "left" else -1.0
        ahead, left = ball[0] - BALL_AHEAD, ball[1] - BALL_LEFT * side
        if abs(ahead) < HURRIED[0] and abs(left) < HURRIED[1]:
            return paw if abs(wrap(direction + VEER * side)) < error else None
    return None


def spin(ball: Point, direction: float) -> Step:
    """Return the speeds of a quick turn that sweeps the ball out of a duel."""
    return 0.08, 0.0, math.copysign(2.5, direction if abs(direction) > 0.1 else ball[1])


def face(point: Point) -> Step:
    """Return the speeds that turn the robot towards a point."""
    bearing = math.atan2(point[1], point[0])
    return 0.0, 0.0, limit(1.5 * bearing, 1.2) if abs(bearing) > 0.25 else 0.0
