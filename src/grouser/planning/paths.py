"""Paths over a map of where a robot stands: planners by name, with a seed.

A path is what the report's driver takes: points that the robot passes one after another, its
heading left to the way it goes (roach, sec. 3.5). Planners with OMPL's names are OMPL's, except
``STRIDE``, which its Python bindings lack (`grouser.planning.stride`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import unknown
from grouser.frames import Array
from grouser.planning.ompl_planners import OMPL_PLANNERS, solve_with_ompl
from grouser.planning.stride import solve_with_stride
from grouser.planning.validity import FINENESS, STEP, ValidityMap

PLANNERS: tuple[str, ...] = (*OMPL_PLANNERS, "STRIDE")
"""Names of planners, as OMPL writes them."""

AHEAD = 100
"""Straight ways of a taut path are at most so many of the robot's radii long: without a bound, a
small robot on a large map would look at more ways than fit into memory."""

Stop = Callable[[], bool]
"""Asked while planning goes on: whether to give up."""


@dataclass(frozen=True, eq=False)
class Path:
    """Where a robot is to go."""

    waypoints: Array
    """In the world frame (n, 2), m: the first is the start, the last the goal."""
    length: float
    """m."""
    clearance: float
    """Least distance (m) along it to where the robot could not stand."""


def measured(validity: ValidityMap, waypoints: npt.ArrayLike) -> Path:
    """Return the path through ``waypoints`` (n, 2) with its length and clearance."""
    points = np.asarray(waypoints, np.float64)
    ways = np.diff(points, axis=0)
    lengths = np.hypot(ways[:, 0], ways[:, 1])
    dense = even(points, validity.step)
    steps = np.diff(dense, axis=0)
    heading = np.arctan2(steps[:, 1], steps[:, 0])
    clearance = validity.clearance(dense[:-1], heading).min(initial=np.inf)
    return Path(points, float(lengths.sum()), float(clearance))


def plan_path(
    validity: ValidityMap,
    start: npt.ArrayLike,
    goal: npt.ArrayLike,
    *,
    planner: str = "PRM",
    seed: int = 0,
    passes: int = 3,
    stop: Stop | None = None,
) -> Path | None:
    """Return a path, or None if the planner found none.

    Args:
        validity: where the robot stands.
        start: x, y, m.
        goal: x, y, m.
        planner: one of `PLANNERS`.
        seed: same seed, same path.
        passes: how often corners are rounded, see `smoothed`.
        stop: asked now and then whether to give up.

    Raises:
        UnknownName: there is no such planner.
    """
    if planner not in PLANNERS:
        raise unknown("planner", "planner", planner, PLANNERS)
    ends = np.asarray(start, np.float64), np.asarray(goal, np.float64)
    solve = solve_with_stride if planner == "STRIDE" else solve_with_ompl
    found = solve(validity, *ends, planner=planner, seed=seed, stop=stop or _never)
    if found is None:
        return None
    return measured(validity, smoothed(validity, found, passes=passes))


def even(waypoints: Array, spacing: float) -> Array:
    """Return points (n, 2) along a path, evenly spaced by ``spacing`` (m) or a little less."""
    lengths = np.hypot(*np.diff(waypoints, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    count = max(2, int(np.ceil(along[-1] / spacing)) + 1)
    at = np.linspace(0.0, along[-1], count)
    return np.column_stack([np.interp(at, along, waypoints[:, axis]) for axis in (0, 1)])


def taut(validity: ValidityMap, waypoints: Array, per_metre: Array) -> Array:
    """Return a path without the detours that only the places of a graph made.

    Of all points of the path, one robot's radius apart, those stay that make the cheapest way of
    straight lines between them on which the robot stands.

    Args:
        validity: where the robot stands.
        waypoints: of a path (n, 2), m.
        per_metre: what driving costs at the map's places (rows, columns), at least 0.
    """
    points = even(waypoints, FINENESS / STEP * validity.step)
    count = len(points)
    spent, before = np.full(count, np.inf), np.zeros(count, np.int64)
    spent[0] = 0.0
    windows = [points[at + 1 : at + 1 + AHEAD] for at in range(count - 1)]
    longest = max(
        float(np.hypot(*(ahead - points[at]).T).max()) for at, ahead in enumerate(windows)
    )
    share = np.linspace(0.0, 1.0, int(longest / validity.step) + 2)[:, None, None]
    for at, ahead in enumerate(windows):
        here = np.broadcast_to(points[at], ahead.shape)
        way = ahead - here
        cost = np.hypot(*way.T) * per_metre[validity.cells(here + share * way)].mean(axis=0)
        # Neighbours stay joined: a path may have been planned closer to an edge than a way may be.
        cost[1:][~validity.way(here[1:], ahead[1:])] = np.inf
        better = np.flatnonzero(spent[at] + cost < spent[at + 1 : at + 1 + AHEAD])
        spent[at + 1 + better], before[at + 1 + better] = spent[at] + cost[better], at
    kept = [count - 1]
    while kept[-1]:
        kept.append(int(before[kept[-1]]))
    return np.asarray(points[kept[::-1]])


def smoothed(validity: ValidityMap, waypoints: Array, *, passes: int = 3) -> Array:
    """Return a path with its corners rounded, where the robot still stands all along.

    Every pass moves the points, one or two steps of the map apart, to the mean of themselves and
    their neighbours within half a robot; it takes out the zigzag of a random tree and keeps the
    course.
    """
    points = even(waypoints, 2 * validity.step)
    kernel = np.array([1.0, 2.0, 3.0, 2.0, 1.0]) / 9
    for _ in range(passes if len(points) > 2 else 0):
        padded = np.concatenate([points[:1], points[:1], points, points[-1:], points[-1:]])
        moved = np.column_stack([np.convolve(padded[:, axis], kernel, "valid") for axis in (0, 1)])
        moved[0], moved[-1] = points[0], points[-1]
        moved = _kept_valid(validity, points, moved)
        if moved is points:
            break
        points = moved
    return points


def _kept_valid(validity: ValidityMap, points: Array, moved: Array) -> Array:
    """Return ``moved`` with points put back until every way between neighbours is as before."""
    before = validity.way(points[:-1], points[1:])
    back = np.zeros(len(points), bool)
    for _ in range(len(points)):
        tried = np.where(back[:, None], points, moved)
        bad = before & ~validity.way(tried[:-1], tried[1:])
        if not bad.any():
            return tried
        back[:-1] |= bad
        back[1:] |= bad
    return points


def _never() -> bool:
    return False
