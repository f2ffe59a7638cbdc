"""Path-following controller: computes commands from a path and the robot's pose.

Implements section 3.5 of the roach report. Algorithm 1 keeps the index of the target point; it
advances when the robot is within ``r_path`` of it, and the last point is reached within ``r_end``.
Algorithm 2 converts the heading error theta to the target into speeds: `LegLaw` as in the report,
for cranked legs; `SkidLaw` for robots with commands for forward speed and turn rate.

All functions work on arrays with one row per robot: one call steers a thousand trials, or a single
robot over a network. Rows are independent: a row gets the same bits whatever the other rows are.
Only NumPy is needed.

The report prints the inverse tangent of a quotient, which does not distinguish ahead from behind;
here the two-argument form is used, so that a robot turns round to a target behind it.
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
"""Indices of robots."""

W0 = 2 * math.pi * 3.5  # rad/s   estimate: over both bridges in 20-30 s; the report: "under 30"
P = 2.0  # 1/rad   estimate: with 1 it loses its course on a ramp of 11 deg, with 3 it oscillates
TOP_RATIO = 4.0  # largest ratio measured by `roach-turning`; the law is not validated beyond it
R_PATH = 0.20  # m   estimate: two lengths of the roach; with half of it, it oscillates on the ramps
R_END = 0.05  # m   section 6.1


class SteeringLaw(Protocol):
    """Steering law: converts a heading error into a command."""

    @property
    def words(self) -> tuple[str, str]:
        """Command keys of the two columns of `command`."""
        ...

    def command(self, error: Array, distance: Array, to_go: Array) -> Array:
        """Return the commands (n, 2) for heading errors ``error`` (n,), left positive, rad.

        ``distance`` is that to the target, ``to_go`` the remaining length along the path
        (n,), m.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class LegLaw:
    """Algorithm 2: one side keeps its speed, the other's grows exponentially with the error."""

    base_speed: float = W0
    """omega_0: speed of both cranks at zero heading error, rad/s; above 0."""
    gain: float = P
    """p: logarithm of the speeds' ratio per radian of error; above 0."""
    top_ratio: float = TOP_RATIO
    """Largest ratio of the two speeds; above 1."""

    def __post_init__(self) -> None:
        _check_above("driver", 0.0, base_speed=self.base_speed, gain=self.gain)
        _check_above("driver", 1.0, top_ratio=self.top_ratio)

    @property
    def words(self) -> tuple[str, str]:
        """Command keys of both cranks' speeds, rad/s."""
        return "left_speed", "right_speed"

    def command(self, error: Array, distance: Array, to_go: Array) -> Array:
        """Return left and right speeds (rad/s), (n, 2): a target to the left speeds the right up.

        As in the report, the distance to the target has no influence.
        """
        most = math.log(self.top_ratio)
        log = np.minimum(self.gain * np.abs(error), most)
        fast = self.base_speed * np.exp(log)
        slow = np.full_like(fast, self.base_speed)
        left_turn = error > 0
        return np.stack([np.where(left_turn, slow, fast), np.where(left_turn, fast, slow)], axis=-1)


@dataclass(frozen=True, kw_only=True)
class SkidLaw:
    """Law for tracks, wheels and gaits with forward speed and turn rate: turn, then drive."""

    speed: float
    """Forward speed at zero heading error, m/s; above 0."""
    gain: float = 2.0
    """Turn rate per radian of error, 1/s; above 0."""
    top_turn: float = 1.0
    """Largest turn rate, rad/s; above 0."""
    turn_first: float = 0.6
    """Error from which on the robot turns on the spot, rad; above 0, at most a right angle."""
    reaction: float = 0.4
    """Reaction time, s: sampling, command and deceleration; above 0. The speed is limited so that
    the robot does not pass the end of its path within it. Estimate: two sampling periods of 0.1 s,
    and as much again until belts have taken the new speed."""

    def __post_init__(self) -> None:
        _check_above("driver", 0.0, speed=self.speed, gain=self.gain, top_turn=self.top_turn)
        _check_above("driver", 0.0, turn_first=self.turn_first, reaction=self.reaction)

    @property
    def words(self) -> tuple[str, str]:
        """Command keys of forward speed (m/s) and turn rate (rad/s, left positive)."""
        return "forward", "turn"

    def command(self, error: Array, distance: Array, to_go: Array) -> Array:
        """Return forward speeds and turn rates (n, 2); the speed falls with the error.

        A circle that starts along the nose and leads through the target has the radius
        distance/(2 sin error). A robot faster than turn rate times this radius would circle round
        its target without reaching it.
        """
        ahead = np.maximum(1.0 - np.abs(error) / self.turn_first, 0.0)
        turn = np.minimum(np.maximum(self.gain * error, -self.top_turn), self.top_turn)
        bent = 2 * np.abs(np.sin(error))
        circle = np.abs(turn) * distance / np.maximum(bent, 1e-9)
        most = np.minimum(np.where(bent > 1e-6, circle, self.speed), to_go / self.reaction)
        return np.stack([np.minimum(self.speed * ahead, most), turn], axis=-1)


@dataclass
class PathProgress:
    """State of a `PathDriver`: progress of robots along their paths, one row per robot."""

    points: Array
    """Paths, (rows, longest, 2), m; a shorter path repeats its last point."""
    rest: Array
    """Length of the path from each of its points to the end, (rows, longest), m."""
    last: npt.NDArray[np.int64]
    """Index of each path's last point, (rows,)."""
    target: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Index of each robot's target point, (rows,): i of Algorithm 1, from 0."""


@dataclass(frozen=True, kw_only=True)
class PathDriver:
    """Path-following controller for many robots (Algorithms 1 and 2); state: `PathProgress`."""

    law: SteeringLaw = field(default_factory=LegLaw)
    """Steering law."""
    r_path: float = R_PATH
    """Distance within which a point of the path counts as passed, m; above 0."""
    r_end: float = R_END
    """Distance within which the end of the path counts as reached, m; above 0."""

    def __post_init__(self) -> None:
        _check_above("driver", 0.0, r_path=self.r_path, r_end=self.r_end)

    @property
    def words(self) -> tuple[str, ...]:
        """Command keys of the columns of `act`."""
        return self.law.words

    def begin(self, rows: int) -> PathProgress:
        """Return the state of ``rows`` robots without paths."""
        none = np.zeros(rows, np.int64)
        return PathProgress(np.zeros((rows, 1, 2)), np.zeros((rows, 1)), none, none.copy())

    def enter(self, state: PathProgress, row: int, path: npt.ArrayLike) -> None:
        """Assign a path (points, 2) (m, world frame) to the robot in ``row`` and restart it."""
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

    def act(self, state: PathProgress, rows: Rows, positions: Array, wxyz: Array) -> Array:
        """Advance targets that were reached and return the commands (n, 2) of ``rows`` (n,).

        ``state`` of all robots is changed in place; poses are positions (n, 2 or more; m)
        and unit quaternions (n, 4) in the world, with the nose along x.
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

    def to_go(self, state: PathProgress, rows: Rows, positions: Array) -> Array:
        """Return the distance to the target and from there along the path, (n,), m."""
        which = np.asarray(rows, np.int64)
        target = state.target[which]
        delta = state.points[which, target] - positions[:, :2]
        rest: Array = state.rest[which, target]
        return np.hypot(delta[:, 0], delta[:, 1]) + rest

    def arrived(self, state: PathProgress, rows: Rows, positions: Array) -> npt.NDArray[np.bool_]:
        """Return whether robots have their last point as target and are within ``r_end``, (n,)."""
        which = np.asarray(rows, np.int64)
        near = self.to_go(state, which, positions) < self.r_end
        return np.asarray(near & (state.target[which] == state.last[which]))

    @staticmethod
    def _aim(
        state: PathProgress, which: npt.NDArray[np.int64], positions: Array, wxyz: Array
    ) -> tuple[Array, Array]:
        """Return distance (m) and direction from the nose (rad, left positive) of the targets."""
        delta = state.points[which, state.target[which]] - positions[:, :2]
        x, y = delta[:, 0], delta[:, 1]
        w, a, b, c = wxyz[:, 0], wxyz[:, 1], wxyz[:, 2], wxyz[:, 3]
        # x' and y' of the report: the robot's forward and left axes, seen from above.
        nose_x, nose_y = 1 - 2 * (b * b + c * c), 2 * (a * b + w * c)
        left_x, left_y = 2 * (a * b - w * c), 1 - 2 * (a * a + c * c)
        error = np.arctan2(x * left_x + y * left_y, x * nose_x + y * nose_y)
        return np.hypot(x, y), error


def checked_path(path: npt.ArrayLike) -> Array:
    """Return a path of finite points in the plane as an array (points, 2), m."""
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
