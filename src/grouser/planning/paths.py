"""Path planning on a validity map: planners by name, resampling, shortcut and smoothing.

A path is a list of waypoints that the robot passes in order; its heading follows from its direction
of travel (roach, sec. 3.5). Planners are selected by name and seeded
(`grouser.planning.sampling_planners`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser import plugins
from grouser.errors import unknown
from grouser.frames import Array
from grouser.planning.sampling_planners import OMPL_PLANNERS
from grouser.planning.validity import FINENESS, STEP, ValidityMap

PLANNERS: dict[str, str] = {
    **dict.fromkeys(OMPL_PLANNERS, "grouser.planning.sampling_planners:solve_with_ompl"),
    "STRIDE": "grouser.planning.sampling_planners:solve_with_stride",
}
"""Planner, in OMPL's spelling -> function that solves a task."""

AHEAD = 100
"""Longest segment of a shortcut path, in radii of the robot. The bound limits the memory that a
small robot needs on a large map."""

Stop = Callable[[], bool]
"""Called during planning; True cancels it."""


@dataclass(frozen=True, eq=False)
class Path:
    """Path of a robot with its length and clearance."""

    waypoints: Array
    """Points in the world frame (n, 2), m, from start to goal."""
    length: float
    """m."""
    clearance: float
    """Smallest distance (m) along the path to a position where the robot cannot stand."""


def path_from_waypoints(validity: ValidityMap, waypoints: npt.ArrayLike) -> Path:
    """Return the path through ``waypoints`` (n, 2) with its length and clearance."""
    points = np.asarray(waypoints, np.float64)
    segments = np.diff(points, axis=0)
    lengths = np.hypot(segments[:, 0], segments[:, 1])
    dense = resample(points, validity.step)
    steps = np.diff(dense, axis=0)
    heading = np.arctan2(steps[:, 1], steps[:, 0])
    clearance = validity.clearance(dense[:-1], heading).min(initial=np.inf)
    return Path(points, float(lengths.sum()), float(clearance))


def planners() -> dict[str, str]:
    """Return all planners, name -> ``module:function``; those of installed packages last.

    The function takes a `ValidityMap`, start and goal (2,), and ``planner``, ``seed`` and ``stop``
    by name; it returns the points (n, 2) of a path, or None.
    """
    return PLANNERS | plugins.entry_point_targets(plugins.PLANNERS, PLANNERS)


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
    """Plan a path; return None if the planner found none.

    Args:
        validity: validity map of the robot.
        start: x, y, m.
        goal: x, y, m.
        planner: one of `planners`.
        seed: seed; the same seed gives the same path.
        passes: smoothing passes, see `smooth_path`.
        stop: called regularly; True cancels planning.

    Raises:
        UnknownName: there is no such planner.
    """
    if planner not in (known := planners()):
        raise unknown("planner", "planner", planner, known)
    ends = np.asarray(start, np.float64), np.asarray(goal, np.float64)
    solve = plugins.load(planner, PLANNERS, plugins.PLANNERS, "planner")
    found = solve(validity, *ends, planner=planner, seed=seed, stop=stop or (lambda: False))
    if found is None:
        return None
    return path_from_waypoints(validity, smooth_path(validity, found, passes=passes))


def resample(waypoints: Array, spacing: float) -> Array:
    """Resample a path: return evenly spaced points (n, 2), at most ``spacing`` (m) apart."""
    lengths = np.hypot(*np.diff(waypoints, axis=0).T)
    along = np.concatenate([[0.0], np.cumsum(lengths)])
    count = max(2, int(np.ceil(along[-1] / spacing)) + 1)
    at = np.linspace(0.0, along[-1], count)
    return np.column_stack([np.interp(at, along, waypoints[:, axis]) for axis in (0, 1)])


def shortcut(validity: ValidityMap, waypoints: Array, per_metre: Array) -> Array:
    """Shortcut a path: remove the detours that come from the discretisation of a graph.

    The path is resampled at one robot radius. The result connects those of its points that give
    the sequence of valid straight segments with the least cost ``per_metre`` (dynamic
    programming).
    """
    points = resample(waypoints, FINENESS / STEP * validity.step)
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
        segment = ahead - here
        cost = np.hypot(*segment.T) * per_metre[validity.cells(here + share * segment)].mean(axis=0)
        # Consecutive points stay connected: a path may run closer to an edge than a segment may.
        cost[1:][~validity.are_segments_valid(here[1:], ahead[1:])] = np.inf
        better = np.flatnonzero(spent[at] + cost < spent[at + 1 : at + 1 + AHEAD])
        spent[at + 1 + better], before[at + 1 + better] = spent[at] + cost[better], at
    kept = [count - 1]
    while kept[-1]:
        kept.append(int(before[kept[-1]]))
    return np.asarray(points[kept[::-1]])


def smooth_path(validity: ValidityMap, waypoints: Array, *, passes: int = 3) -> Array:
    """Smooth a path by moving averages; segments that were valid stay valid.

    Each pass replaces the points, one or two steps of the map apart, by the weighted mean of
    themselves and two neighbours on either side. This removes the zigzag of a random tree.
    """
    points = resample(waypoints, 2 * validity.step)
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
    """Return ``moved`` with points reset until every segment is as valid as it was before."""
    before = validity.are_segments_valid(points[:-1], points[1:])
    back = np.zeros(len(points), bool)
    for _ in range(len(points)):
        tried = np.where(back[:, None], points, moved)
        bad = before & ~validity.are_segments_valid(tried[:-1], tried[1:])
        if not bad.any():
            return tried
        back[:-1] |= bad
        back[1:] |= bad
    return points
