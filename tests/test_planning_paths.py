"""Paths over the double bridge for every planner: validity, seeds, candidates, smoothing."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
from numpy import bool

import grouser
from grouser.errors import UnknownName
from grouser.planning.paths import (
    PLANNERS,
    Path,
    path_from_waypoints,
    plan_path,
    resample,
    shortcut,
    smooth_path,
)
from grouser.planning.roadmap import Roadmap
from grouser.planning.validity import ValidityMap, map_validity
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.trials.footprint import footprint_of

START, GOAL, BOUNDS = (-1.6, 0.0), (1.6, 0.0), (-1.7, -1.0, 1.7, 1.0)


@pytest.fixture(scope="module")
def bridge() -> ValidityMap:
    scene = compose(grouser.load("double_bridge"))
    return map_validity(Ground(scene), footprint_of(scene, "roach"), BOUNDS)


@pytest.fixture(scope="module")
def roadmap(bridge: ValidityMap) -> Roadmap:
    return Roadmap(bridge, START, GOAL)


def bridge_side(path: Path) -> int:
    """Return which bridge a path crosses: the sign of y at its middle."""
    middle = path.waypoints[np.abs(path.waypoints[:, 0]).argmin()]
    return int(np.sign(middle[1]))


def is_valid_along(validity: ValidityMap, path: Path) -> bool:
    points = resample(path.waypoints, 0.004)
    way = np.diff(points, axis=0)
    return validity.stands(points[:-1], np.arctan2(way[:, 1], way[:, 0])).all()


@pytest.mark.parametrize("planner", sorted(PLANNERS))
def test_every_planner_returns_a_valid_path(bridge: ValidityMap, planner: str) -> None:
    path = plan_path(bridge, START, GOAL, planner=planner, seed=3)
    assert path is not None
    assert path.waypoints[0] == pytest.approx(START)
    assert path.waypoints[-1] == pytest.approx(GOAL)
    assert 3.4 < path.length < 40.0
    assert is_valid_along(bridge, path)


@pytest.mark.parametrize("planner", ["PRM", "STRIDE", "BITstar"])
def test_path_depends_on_the_seed(bridge: ValidityMap, planner: str) -> None:
    one, same, other = (
        plan_path(bridge, START, GOAL, planner=planner, seed=seed) for seed in (1, 1, 2)
    )
    assert one is not None
    assert same is not None
    assert other is not None
    assert np.array_equal(one.waypoints, same.waypoints)
    assert one.waypoints.shape != other.waypoints.shape or not np.array_equal(
        one.waypoints, other.waypoints
    )


def test_prm_takes_both_bridges(bridge: ValidityMap) -> None:
    paths = [plan_path(bridge, START, GOAL, planner="PRM", seed=seed) for seed in range(12)]
    sides = [bridge_side(path) for path in paths if path]
    assert len(sides) == 12
    assert 2 <= sides.count(1) <= 10


def test_unknown_planner_lists_the_allowed_ones(bridge: ValidityMap) -> None:
    with pytest.raises(UnknownName, match=r"no planner 'RRTconnect'.*RRTConnect.*did you mean"):
        plan_path(bridge, START, GOAL, planner="RRTconnect")


@pytest.mark.parametrize("planner", ["PRM", "FMT", "RRTstar", "STRIDE"])
def test_planner_returns_none_without_a_path(planner: str) -> None:
    # A wall across the map: planners stop without a path.
    valid = np.ones((16, 20, 30), bool)
    valid[:, :, 15] = False
    walled = ValidityMap(np.zeros(2), 0.1, valid, np.zeros((20, 30)))
    given_up = iter([False] * 3 + [True] * 1000)
    stop = None if planner == "FMT" else lambda: next(given_up)
    path = plan_path(walled, (0.5, 1.0), (2.5, 1.0), planner=planner, stop=stop)
    assert path is None
    assert Roadmap(walled, (0.5, 1.0), (2.5, 1.0)).candidates(5) == []


def test_candidates_are_distinct_and_use_both_bridges(
    bridge: ValidityMap, roadmap: Roadmap
) -> None:
    paths = roadmap.candidates(20)
    assert len(paths) == 20
    assert len({path.waypoints.tobytes() for path in paths}) == 20
    sides = [bridge_side(path) for path in paths]
    assert 8 <= sides.count(1) <= 12
    assert len({roadmap.signature(path.waypoints) for path in paths}) == 2
    for path in paths:
        same = [p for p in paths if bridge_side(p) == bridge_side(path)]
        classes = {roadmap.signature(p.waypoints) for p in same}
        assert len(classes) == 1
        assert is_valid_along(bridge, path)
    again = roadmap.candidates(20)
    assert all(np.array_equal(a.waypoints, b.waypoints) for a, b in zip(paths, again, strict=True))


def test_shortest_candidate_is_near_the_optimum(roadmap: Roadmap) -> None:
    # Around the pit's corner at (0.5, 0.5), at a distance of half the robot's width.
    least = 2 * np.hypot(1.1, 0.54) + 1.0
    assert roadmap.candidates(1)[0].length < 1.02 * least


def test_cost_map_moves_the_path_to_the_other_bridge(bridge: ValidityMap, roadmap: Roadmap) -> None:
    rows, columns = bridge.height.shape
    y = bridge.corner[1] + bridge.step * np.arange(rows)
    for costly in (1, -1):
        per_metre = np.where(np.sign(y)[:, None] == costly, 3.0, 1.0) * np.ones((rows, columns))
        assert bridge_side(roadmap.candidates(1, per_metre)[0]) == -costly


def test_candidates_differ_by_more_than_half_a_radius(
    bridge: ValidityMap, roadmap: Roadmap
) -> None:
    paths = roadmap.candidates(8, np.ones_like(bridge.height), variety=0.2, longest=1.2)
    assert len(paths) > 3
    for number, path in enumerate(paths):
        for other in paths[:number]:
            gaps = np.hypot(*(path.waypoints[:, None] - other.waypoints[None]).transpose(2, 0, 1))
            assert max(gaps.min(axis=0).max(), gaps.min(axis=1).max()) > 1.5 * bridge.step


def test_homotopy_class_above_the_cost_margin_gets_no_candidate(
    bridge: ValidityMap, roadmap: Roadmap
) -> None:
    y = bridge.corner[1] + bridge.step * np.arange(len(bridge.height))
    per_metre = np.where(y[:, None] > 0, 1.4, 1.0) * np.ones_like(bridge.height)
    assert {bridge_side(path) for path in roadmap.candidates(6, per_metre)} == {1, -1}
    assert {bridge_side(path) for path in roadmap.candidates(6, per_metre, longest=1.2)} == {-1}


def test_shortcut_path_is_straight_on_ground_of_equal_cost(bridge: ValidityMap) -> None:
    zigzag = np.array([(-0.4, 0.7), (-0.2, 0.8), (0.0, 0.7), (0.2, 0.8), (0.4, 0.7)])
    even_ground = np.ones_like(bridge.height)
    straight = shortcut(bridge, zigzag, even_ground)
    assert straight == pytest.approx(zigzag[[0, -1]])
    # The detour of the path around costly ground is kept.
    rows, columns = bridge.height.shape
    x = bridge.corner[0] + bridge.step * np.arange(columns)
    y = bridge.corner[1] + bridge.step * np.arange(rows)
    costly = (abs(x)[None] < 0.1) & (y[:, None] < 0.75)
    around = np.array([(-0.4, 0.7), (-0.15, 0.8), (0.15, 0.8), (0.4, 0.7)])
    kept = shortcut(bridge, around, np.where(costly, 5.0, 1.0))
    beside = np.interp(0.0, kept[:, 0], kept[:, 1])
    assert beside > 0.75


def test_memory_is_bounded_for_a_small_robot_on_a_large_map() -> None:
    shape = (80, 1200)  # 15 m for a robot of 0.05 m
    level = ValidityMap(np.zeros(2), 0.0125, np.ones((1, *shape), bool), np.zeros(shape))
    zigzag = np.array([[0.1 + 0.3 * k, 0.4 + 0.1 * (k % 2)] for k in range(49)])
    tracemalloc.start()
    straight = path_from_waypoints(level, shortcut(level, zigzag, np.ones(shape)))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert straight.length == pytest.approx(14.4, abs=0.01)
    assert most < 100e6  # all pairs of its 300 points at once would need 1.7 GB


def test_smoothing_shortens_the_path_and_keeps_its_ends(bridge: ValidityMap) -> None:
    zigzag = np.array([(-1.6, 0.0), (-1.0, 0.5), (-0.9, 0.75), (0.0, 0.6), (0.9, 0.75), (1.6, 0.0)])
    smooth = smooth_path(bridge, zigzag, passes=10)
    assert path_from_waypoints(bridge, smooth).length < path_from_waypoints(bridge, zigzag).length
    assert smooth[0] == pytest.approx(zigzag[0])
    assert smooth[-1] == pytest.approx(zigzag[-1])
    turns = np.abs(np.diff(np.unwrap(np.arctan2(*np.diff(smooth, axis=0).T[::-1]))))
    assert turns.max() < 0.2


def test_length_and_clearance_match_hand_measurements(bridge: ValidityMap) -> None:
    middle = path_from_waypoints(bridge, [(-0.4, 0.75), (0.4, 0.75)])
    beside = path_from_waypoints(bridge, [(-0.4, 0.65), (0.4, 0.65)])
    assert middle.length == pytest.approx(0.8)
    # Half the width of the bridge less half the width of the feet: 0.25 - 0.042 m.
    assert middle.clearance == pytest.approx(0.208, abs=2 * bridge.step)
    assert middle.clearance - beside.clearance == pytest.approx(0.1, abs=2 * bridge.step)
    assert np.hypot(*np.diff(resample(middle.waypoints, 0.03), axis=0).T) == pytest.approx(0.8 / 27)


def test_ompl_prints_nothing_at_exit() -> None:
    script = """
import numpy as np
from grouser.planning.paths import plan_path
from grouser.planning.validity import ValidityMap
free = ValidityMap(np.zeros(2), 0.1, np.ones((16, 20, 30), bool), np.zeros((20, 30)))
for planner in ("PRM", "RRTstar", "BITstar"):
    assert plan_path(free, (0.5, 1.0), (2.5, 1.0), planner=planner)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout == ""
