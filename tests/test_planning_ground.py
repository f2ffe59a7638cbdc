"""Placement of robots on the ground against statics, for every mobile robot."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import grouser
from grouser.errors import BadValue, UnknownName
from grouser.planning.ground import (
    BODY_TOUCHES,
    LEG_HANGS,
    NO_GROUND,
    STANDS,
    TOO_STEEP,
    GroundHeights,
    RobotFootprint,
    place_on_ground,
)
from grouser.planning.validity import HEADINGS, map_validity, stands_at
from grouser.robots.kinds import ROBOTS
from grouser.simulation.ground import Ground
from grouser.simulation.scene import Scene, compose
from grouser.trials.footprint import footprint_of
from grouser.world import RobotEntry

GOES_NOWHERE = {"conveyor", "air_traffic", "crawler"}


def scene_with(kind: str, **options: Any) -> Scene:
    world = grouser.load("roach_circle")
    robot = RobotEntry(name="r", kind=kind, options=options, position=(2.0, 1.0, 0.0), yaw_deg=30.0)
    return compose(world.changed(robots=(robot,)))


@pytest.fixture(scope="module")
def roach() -> RobotFootprint:
    return footprint_of(scene_with("velociroach"), "r")


@pytest.fixture(scope="module")
def kenaf() -> RobotFootprint:
    return footprint_of(scene_with("kenaf"), "r")


class HeightFunction:
    """Ground with a height function of x and y."""

    def __init__(self, height: Callable[..., Any]) -> None:
        self.height = height

    def below(self, points: npt.ArrayLike) -> GroundHeights:
        x, y = np.moveaxis(np.asarray(points, float), -1, 0)
        found: Any = SimpleNamespace(
            height=np.broadcast_to(self.height(x, y), x.shape).astype(float)
        )
        heights: GroundHeights = found
        return heights


@pytest.mark.parametrize("kind", sorted(set(ROBOTS) - GOES_NOWHERE))
def test_every_mobile_robot_stands_on_level_ground(kind: str) -> None:
    scene = scene_with(kind)
    footprint = footprint_of(scene, "r")
    placement = place_on_ground(
        HeightFunction(lambda x, y: 0.3 + 0 * x), footprint, [[5.0, -2.0, 1.0]]
    )
    assert placement.verdict.tolist() == [STANDS]
    # The scene places it at its standing height; springs account for the tolerance.
    assert placement.height[0] - 0.3 == pytest.approx(scene.robots["r"].standing, rel=0.06)
    assert footprint.groups in {2, 3, 4, 6}


def test_supports_are_the_legs_of_a_roach_and_the_sides_of_a_crawler(
    roach: RobotFootprint, kenaf: RobotFootprint
) -> None:
    assert roach.groups == 6
    assert kenaf.groups == 2
    assert kenaf.rolls
    assert not roach.rolls
    assert roach.body[:, 2].min() == pytest.approx(
        0.025, abs=1e-4
    )  # half the height of its body below the hips


def test_placement_on_a_plane_has_its_exact_slope_and_height(roach: RobotFootprint) -> None:
    ground = HeightFunction(lambda x, y: 0.1 + 0.3 * x - 0.1 * y)
    heading = math.radians(90)
    placement = place_on_ground(ground, roach, [[1.0, 2.0, 0.0], [1.0, 2.0, heading]])
    assert placement.slope == pytest.approx(np.array([[0.3, -0.1], [-0.1, -0.3]]))
    assert placement.height - roach.standing == pytest.approx(0.1 + 0.3 - 0.2)
    assert placement.valid.all()


def test_each_cause_of_an_invalid_placement_is_distinguished(roach: RobotFootprint) -> None:
    edge = HeightFunction(lambda x, y: np.where(x < 0, 0.0, -0.2))
    hole = HeightFunction(lambda x, y: np.where(np.hypot(x, y) < 1, -np.inf, 0.0))
    block = HeightFunction(lambda x, y: np.where(np.hypot(x, y) < 0.015, 0.04, 0.0))
    cliff = HeightFunction(lambda x, y: 1.2 * x)
    assert place_on_ground(edge, roach, [[0.0, 0.0, 0.0]]).verdict == LEG_HANGS
    assert place_on_ground(edge, roach, [[-0.2, 0.0, 0.0]]).verdict == STANDS
    assert place_on_ground(hole, roach, [[0.0, 0.0, 0.0]]).verdict == NO_GROUND
    assert place_on_ground(hole, roach, [[1.0, 0.0, 0.0]]).verdict == LEG_HANGS
    assert place_on_ground(block, roach, [[0.0, 0.0, 0.0]]).verdict == BODY_TOUCHES
    assert place_on_ground(cliff, roach, [[0.0, 0.0, 0.0]]).verdict == TOO_STEEP


def test_belts_bridge_a_gap_that_legs_do_not(kenaf: RobotFootprint, roach: RobotFootprint) -> None:
    def trench(width: float) -> HeightFunction:
        return HeightFunction(lambda x, y: np.where(np.abs(x) < width / 2, -1.0, 0.0))

    assert place_on_ground(trench(0.16), kenaf, [[0.0, 0.0, 0.0]]).verdict == STANDS
    assert place_on_ground(trench(0.40), kenaf, [[0.0, 0.0, 0.0]]).verdict != STANDS
    assert (
        place_on_ground(trench(0.02), roach, [[0.0, 0.0, 0.0]]).verdict != STANDS
    )  # its middle legs


def test_cost_map_agrees_with_single_placements(roach: RobotFootprint) -> None:
    scene = compose(grouser.load("bumps"))
    ground = Ground(scene)
    validity = map_validity(ground, roach, (-0.8, 0.3, 0.8, 1.1))
    rng = np.random.default_rng(5)
    poses = np.column_stack([rng.uniform((-0.8, 0.3), (0.8, 1.1), (400, 2)), np.zeros(400)])
    poses[:, 2] = rng.integers(HEADINGS, size=400) * 2 * math.pi / HEADINGS
    row, column = validity.cells(poses[:, :2])
    poses[:, 0] = validity.corner[0] + validity.step * column
    poses[:, 1] = validity.corner[1] + validity.step * row
    looked_up = validity.stands(poses[:, :2], poses[:, 2])
    placement = place_on_ground(ground, roach, poses).valid
    # The map has heights per raster cell; the two may differ beside edges only.
    assert (looked_up == placement).mean() > 0.97
    assert 0.3 < placement.mean() < 0.9
    assert stands_at(ground, roach, 0.0, 0.75) == STANDS
    assert stands_at(ground, roach, 0.0, 0.5) == LEG_HANGS


def test_thin_wall_is_detected(kenaf: RobotFootprint) -> None:
    wall = HeightFunction(lambda x, y: np.where(np.abs(x - 0.031) < 0.006, 0.5, 0.0))
    validity = map_validity(wall, kenaf, (-1.0, -1.0, 1.0, 1.0))
    assert not validity.are_segments_valid((-0.9, 0.0), (0.9, 0.0))[0]
    assert validity.are_segments_valid((-0.9, -0.9), (-0.9, 0.9))[0]
    ends = np.random.default_rng(0).uniform(-1.1, 1.1, (400, 4))
    together = validity.are_segments_valid(ends[:, :2], ends[:, 2:])
    assert [validity.is_segment_valid(*way) for way in ends.tolist()] == together.tolist()
    assert 20 < together.sum() < 380


def test_placement_outside_the_map_is_invalid(roach: RobotFootprint) -> None:
    validity = map_validity(HeightFunction(lambda x, y: 0 * x), roach, (0.0, 0.0, 1.0, 1.0))
    assert validity.stands([(0.5, 0.5), (1.5, 0.5), (-0.1, 0.5)], 0.0).tolist() == [
        True,
        False,
        False,
    ]


def test_invalid_query_is_reported_in_one_sentence(roach: RobotFootprint) -> None:
    with pytest.raises(BadValue, match="bolted to the world"):
        footprint_of(scene_with("conveyor"), "r")
    with pytest.raises(UnknownName, match="no robot 'q'"):
        footprint_of(scene_with("p3at"), "q")
    with pytest.raises(BadValue, match="no area"):
        map_validity(HeightFunction(lambda x, y: x), roach, (1.0, 0.0, 0.0, 1.0))
    with pytest.raises(BadValue, match="too much for a robot"):
        map_validity(HeightFunction(lambda x, y: x), roach, (0.0, 0.0, 900.0, 900.0))
