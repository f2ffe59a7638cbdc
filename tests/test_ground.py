"""Ground query below a pose, compared with rays of MuJoCo on every kind of ground."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt
import pytest
from support.terrain_examples import EXAMPLES, FLAT, scene_of

import grouser
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation.ground import NOTHING, Ground, GroundPoints
from grouser.simulation.scene import Scene, compose
from grouser.world import Box, Cylinder
from grouser.world.objects import Ball
from grouser.world.terrain.double_bridge import DoubleBridge
from grouser.world.terrain.fractal_ground import FractalGround
from grouser.world.terrain.pyramid_bumps import PyramidBumps

DOWN = np.array([0.0, 0.0, -1.0])


def cast(
    scene: Scene, points: Array, top: float = 5.0
) -> tuple[Array, Array, npt.NDArray[np.int64]]:
    """Return heights, normals and geoms of ray hits; lines painted on a field are skipped."""
    model, data = scene.model, scene.initial()
    solid = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    model.geom_group[~solid] = 5
    groups = np.array([1, 1, 1, 1, 1, 0], np.uint8)
    heights, normals = np.full(len(points), -np.inf), np.tile([0.0, 0.0, 1.0], (len(points), 1))
    geoms = np.full(len(points), NOTHING)
    for i, (x, y) in enumerate(points):
        geom, normal = np.zeros(1, np.int32), np.zeros(3)
        start = np.array([x, y, top])
        distance = mujoco.mj_ray(model, data, start, DOWN, groups, True, -1, geom, normal)
        if geom[0] >= 0:
            heights[i], normals[i], geoms[i] = top - distance, normal, geom[0]
    return heights, normals, geoms


def check(scene: Scene, points: Array) -> GroundPoints:
    found, (heights, normals, geoms) = Ground(scene).below(points), cast(scene, points)
    assert found.height == pytest.approx(heights, abs=2e-7)
    assert np.array_equal(found.geom, geoms)
    assert found.normal == pytest.approx(normals, abs=1e-5)
    return found


@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_kind_of_ground_agrees_with_rays(kind: str) -> None:
    scene = scene_of(EXAMPLES[kind])
    data = scene.initial()
    solid = scene.model.geom_contype != 0
    places, size = data.geom_xpos[solid, :2], scene.model.geom_rbound[solid].max()
    middle = places.mean(axis=0)
    reach = np.minimum(np.abs(places - middle).max(axis=0) + size + 0.02, 3.0)
    rng = np.random.default_rng(1)
    found = check(scene, rng.uniform(middle - reach, middle + reach, (400, 2)))
    assert len(np.unique(found.geom)) > 1 or solid.sum() == 1


def test_rotated_height_field_is_split_along_the_diagonal_of_mujoco() -> None:
    ground = FractalGround(friction=1, x=0.3, y=-0.2, yaw_deg=33, length=2, width=2, smoothness=0.2)
    points = np.random.default_rng(2).uniform([-1.5, -1.5], [2.5, 2.5], (1000, 2))
    found = check(scene_of(ground), points)
    assert (found.geom == NOTHING).any()
    assert (found.height > 0.01).any()


def test_bumps_on_a_bridge() -> None:
    scene = scene_of(
        FLAT, DoubleBridge(friction=1, x=0), PyramidBumps(friction=1, x=1, y=0.75, z=0.2)
    )
    check(scene, np.random.default_rng(3).uniform([0.9, 0.4], [2.1, 1.1], (500, 2)))


def test_only_fixed_objects_are_ground() -> None:
    common: dict[str, Any] = {"friction": 1, "yaw_deg": 20}
    things = (
        Box(
            name="a", size=(0.4, 0.3, 0.2), position=(0, 0, 0.1), roll_deg=30, fixed=True, **common
        ),
        Ball(name="b", radius=0.2, position=(1, 0, 0.1), fixed=True, **common),
        Cylinder(name="c", radius=0.1, length=0.5, position=(2, 0, 0.2), fixed=True, **common),
        Cylinder(
            name="d",
            radius=0.1,
            length=0.5,
            position=(3, 0, 0.2),
            roll_deg=70,
            fixed=True,
            **common,
        ),
        Cylinder(
            name="e",
            radius=0.1,
            length=0.5,
            position=(4, 0, 0.2),
            roll_deg=90,
            fixed=True,
            **common,
        ),
        Box(name="f", size=(0.4, 0.3, 0.2), position=(5, 0, 0.1), mass=1, **common),
    )
    scene = scene_of(FLAT, objects=things)
    points = np.random.default_rng(4).uniform([-0.4, -0.4], [4.5, 0.4], (1500, 2))
    found = check(scene, points)
    ground = Ground(scene)
    names = {ground.names[geom] for geom in found.geom.tolist()}
    assert names == {"terrain/0/plane", *(f"{name}/surface" for name in "abcde")}
    assert ground.below([5.0, 0.0]).height == 0


def test_points_below_a_bridge() -> None:
    ground = Ground(scene_of(FLAT, DoubleBridge(friction=1, x=-1.5)))
    points = [[0, 0.75, 1.0], [0, 0.75, 0.16], [0, 0.75, 0.1], [0, 0, 0.1]]
    found = ground.below(points)
    # A point in the deck of 50 mm is on the deck; a point below is on the floor.
    assert found.height == pytest.approx([0.2, 0.2, 0.0, 0.0], abs=1e-7)
    assert [ground.names[geom] for geom in found.geom.tolist()[::2]] == [
        "terrain/1/left",
        "terrain/0/plane",
    ]


def test_points_may_have_any_leading_shape() -> None:
    ground = Ground(scene_of(FLAT, EXAMPLES["ramp"]))
    points = np.random.default_rng(5).uniform(-2, 2, (7, 6, 2))
    found = ground.below(points)
    assert found.height.shape == found.geom.shape == (7, 6)
    assert found.normal.shape == (7, 6, 3)
    assert ground.below(points[3, 2]).height == found.height[3, 2]
    assert ground.below(np.empty((0, 2))).height.shape == (0,)


def test_more_points_than_one_chunk() -> None:
    ground = Ground(scene_of(FLAT, EXAMPLES["ramp"]))
    points = np.random.default_rng(6).uniform(-2, 3, (40_000, 2))
    expected = np.interp(points[:, 0], [1, 1 + 0.2 * 3**0.5], [0, 0.2])
    expected[(np.abs(points[:, 1]) > 2)] = 0
    assert ground.below(points).height == pytest.approx(expected, abs=1e-7)


def test_robots_are_not_ground() -> None:
    scene = compose(grouser.load("double_bridge"))
    assert Ground(scene).below([-1.6, 0.75]).height == 0


@pytest.mark.parametrize("points", [[1.0], [[1, 2, 3, 4]], 3.0, [np.nan, 0.0], [np.inf, 0.0]])
def test_invalid_points_are_rejected(points: float | list[float | list[int]]) -> None:
    with pytest.raises(BadValue, match="points: "):
        Ground(scene_of(FLAT)).below(points)
