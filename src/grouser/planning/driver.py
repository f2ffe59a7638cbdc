"""The driver: a path and where the robot is in, two speeds out (roach report, section 3.5).

Algorithm 1 keeps the number of the point that a robot makes for; it counts on once the robot is
within ``r_path`` of it, and the last point is reached within ``r_end``. Algorithm 2 turns the angle
theta between the robot's nose and that point into speeds: `LegLaw` as the report does it for legs,
`SkidLaw` for whatever is told a forward speed and a turn.

Everything is on arrays with a leading axis, one row per robot: a thousand trials are steered in one
call, and a single robot on the far side of a network is the same call with one row. Rows do not
know of each other: each gets the bits it would get alone. Only NumPy is needed.

The report prints the inverse tangent of a quotient, which cannot tell ahead from behind; here it
is that of two arguments, so that a robot whose point lies behind it turns round.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array

Rows = Sequence[int] | npt.NDArray[np.int64]
"""Which robots of many."""

W0 = 2 * math.pi * 3.5  # rad/s   estimate: over both bridges in 20-30 s; the report: "under 30"
P = 2.0  # 1/rad   estimate: with 1 it is not held on course up a ramp of 11 deg, with 3 it weaves
TOP_RATIO = 4.0  # as far as `roach-turning` has measured; beyond it the law is not known to hold
R_PATH = 0.20  # m   estimate: two lengths of the roach; with half of it it weaves up the ramps
R_END = 0.05  # m   section 6.1


class SteeringLaw(Protocol):
    """Turns the angle to the next point into a command."""

    @property
    def words(self) -> tuple[str, str]:
        """What the two columns of a command are called."""
        ...

    def command(self, error: Array, distance: Array, to_go: Array) -> Array:
        """Return the commands (n, 2) of robots whose next points are ``error`` (n,) (rad) off.

        Args:
            error: to the left of the nose is positive, rad.
            distance: to those points (n,), m.
            to_go: to the ends of their paths, along them (n,), m.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class LegLaw:
    """Algorithm 2: one side keeps its speed, the other's grows exponentially with the error."""

    base_speed: float = W0
    """omega_0: of both cranks when the robot looks at its point, rad/s; above 0."""
    gain: float = P
    """p: logarithm of the speeds' ratio for every radian of error; above 0."""
    top_ratio: float = TOP_RATIO
    """The most by which one side is faster than the other; above 1."""

    def __post_init__(self) -> None:
        _check_above("driver", 0.0, base_speed=self.base_speed, gain=self.gain)
        _check_above("driver", 1.0, top_ratio=self.top_ratio)

    @property
    def words(self) -> tuple[str, str]:
        """Both cranks' speeds, rad/s."""
        return "left_speed", "right_speed"

    def command(self, error: Array, distance: Array, to_go: Array) -> Array:
        """Return left and right speeds (rad/s), (n, 2): a point to the left speeds the right up.

        As in the report it does not matter how far the point is.
        """
        most = math.log(self.top_ratio)
        log = np.minimum(self.gain * np.abs(error), most)
        fast = self.base_speed * np.exp(log)
        slow = np.full_like(fast, self.base_speed)
        left_turn = error > 0
        return np.stack([np.where(left_turn, slow, fast), np.where(left_turn, fast, slow)], axis=-1)


@dataclass(frozen=True, kw_only=True)
class SkidLaw:
    """For tracks, wheels and gaits that are told a forward speed and a turn: turn, then drive."""

    speed: float
    """Forward, when the robot looks at its point, m/s; above 0."""
    gain: float = 2.0
    """Turn for every radian of error, 1/s; above 0."""
    top_turn: float = 1.0
    """Largest turn, rad/s; above 0."""
    turn_first: float = 0.6
    """Error from which on it turns on the spot, rad; above 0, at most a right angle."""
    reaction: float = 0.4
    """Time (s) in which a robot is seen, told and has slowed down: it never drives so fast that it
    would be past the end of its path by then; above 0. Estimate: two looks of 0.1 s to see and
    tell, as much again until belts have taken the new speed."""

    def __post_init__(self) -> None:
        _check_above("driver", 0.0, speed=self.speed, gain=self.gain, top_turn=self.top_turn)
        _check_above("driver", 0.0, turn_first=self.turn_first, reaction=self.reaction)

    @property
    def words(self) -> tuple[str, str]:
        """Forward (m/s) and turn (rad/s, to the left)."""
        return "forward", "turn"

    def command(self, error: Array, distance: Array, to_go: Array) -> Array:
        """Return forward speeds and turns (n, 2): the larger the error, the slower ahead.

        A circle that leaves along the nose and leads through the point has the radius
        distance/(2 sin error): faster than the turn times that, a robot would circle round its
        point for ever.
        """
        ahead = np.maximum(1.0 - np.abs(error) / self.turn_first, 0.0)
        turn = np.minimum(np.maximum(self.gain * error, -self.top_turn), self.top_turn)
        bent = 2 * np.abs(np.sin(error))
        circle = np.abs(turn) * distance / np.maximum(bent, 1e-9)
        most = np.minimum(np.where(bent > 1e-6, circle, self.speed), to_go / self.reaction)
        return np.stack([np.minimum(self.speed * ahead, most), turn], axis=-1)


@dataclass
class Following:
    """How far robots have come on their paths: what a `PathDriver` remembers, one row per robot."""

    points: Array
    """The paths, (rows, longest, 2), m; a shorter path repeats its last point."""
    rest: Array
    """Length of the path from each of its points to the end, (rows, longest), m."""
    last: npt.NDArray[np.int64]
    """Number of each path's last point, (rows,)."""
    target: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Number of the point each robot makes for, (rows,): i of Algorithm 1, counted from 0."""


@dataclass(frozen=True, kw_only=True)
class PathDriver:
    """Algorithms 1 and 2 for many robots at once; the description, its state is `Following`."""

    law: SteeringLaw = field(default_factory=LegLaw)
    """How an error becomes a command."""
    r_path: float = R_PATH
    """A point of the path counts as passed within this distance, m; above 0."""
    r_end: float = R_END
    """The path's end is reached within this distance, m; above 0."""

    def __post_init__(self) -> None:
        _check_above("driver", 0.0, r_path=self.r_path, r_end=self.r_end)

    @property
    def words(self) -> tuple[str, ...]:
        """What the columns of `act` are called."""
        return self.law.words

    def begin(self, rows: int) -> Following:
        """Return the state of ``rows`` robots that have no path yet."""
        none = np.zeros(rows, np.int64)
        return Following(np.zeros((rows, 1, 2)), np.zeros((rows, 1)), none, none.copy())

    def enter(self, state: Following, row: int, path: npt.ArrayLike) -> None:
        """Give the robot in ``row`` a path (points, 2) (m, world frame), from its first point on.

        Raises:
            BadValue: the path is not a list of finite points.
        """
        points = checked_path(path)
        more = len(points) - state.points.shape[1]
        if more > 0:
            state.points = np.concatenate(
                [state.points, np.repeat(state.points[:, -1:], more, axis=1)], axis=1
            )
            state.rest = np.concatenate([state.rest, np.zeros((len(state.rest), more))], axis=1)
        state.points[row, : len(points)] = points
        state.points[row, len(points) :] = points[-1]
        legs = np.hypot(*np.diff(points, axis=0).T)
        state.rest[row] = 0.0
        state.rest[row, : len(legs)] = np.cumsum(legs[::-1])[::-1]
        state.last[row] = len(points) - 1
        state.target[row] = 0

    def act(self, state: Following, rows: Rows, positions: Array, wxyz: Array) -> Array:
        """Count on past points that were reached and return the commands (n, 2) of ``rows``.

        Args:
            state: of all robots; its targets move on.
            rows: which of them, (n,).
            positions: where they are in the world, (n, 2 or more), m.
            wxyz: how they are turned, unit quaternions (n, 4); the nose is along x.
        """
        which = np.asarray(rows, np.int64)
        distance, error = self._aim(state, which, positions, wxyz)
        while (
            passed := (distance < self.r_path) & (state.target[which] < state.last[which])
        ).any():
            state.target[which[passed]] += 1
            distance, error = self._aim(state, which, positions, wxyz)
        arrived = (state.target[which] == state.last[which]) & (distance < self.r_end)
        to_go = distance + state.rest[which, state.target[which]]
        return np.where(arrived[:, None], 0.0, self.law.command(error, distance, to_go))

    def to_go(self, state: Following, rows: Rows, positions: Array) -> Array:
        """Return how far it is to the next point and from there along the path, (n,), m."""
        which = np.asarray(rows, np.int64)
        target = state.target[which]
        delta = state.points[which, target] - positions[:, :2]
        rest: Array = state.rest[which, target]
        return np.hypot(delta[:, 0], delta[:, 1]) + rest

    def arrived(self, state: Following, rows: Rows, positions: Array) -> npt.NDArray[np.bool_]:
        """Return who makes for the last point and is within ``r_end`` of it, (n,)."""
        which = np.asarray(rows, np.int64)
        near = self.to_go(state, which, positions) < self.r_end
        return np.asarray(near & (state.target[which] == state.last[which]))

    @staticmethod
    def _aim(
        state: Following, which: npt.NDArray[np.int64], positions: Array, wxyz: Array
    ) -> tuple[Array, Array]:
        """Return distance (m) and direction from the nose (rad, left positive) of the targets."""
        delta = state.points[which, state.target[which]] - positions[:, :2]
        x, y = delta[:, 0], delta[:, 1]
        w, a, b, c = wxyz[:, 0], wxyz[:, 1], wxyz[:, 2], wxyz[:, 3]
        # x' and y' of the report: the robot's nose and left, seen from above.
        nose_x, nose_y = 1 - 2 * (b * b + c * c), 2 * (a * b + w * c)
        left_x, left_y = 2 * (a * b - w * c), 1 - 2 * (a * a + c * c)
        error = np.arctan2(x * left_x + y * left_y, x * nose_x + y * nose_y)
        return np.hypot(x, y), error


def checked_path(path: npt.ArrayLike) -> Array:
    """Return a path as an array (points, 2), m.

    Raises:
        BadValue: it is not a list of finite points in the plane.
    """
    points = np.asarray(path, np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise BadValue(f"path: has shape {points.shape}, needs at least one point of x and y (m)")
    if not np.isfinite(points).all():
        raise BadValue("path: not all of its points are finite")
    return points


def _check_above(where: str, least: float, **values: float) -> None:
    for name, value in values.items():
        if not (math.isfinite(value) and value > least):
            raise BadValue(f"{where}: {name} is {value}, must be above {least:g}")
