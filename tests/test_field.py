"""Field of the four-legged league: sizes in the compiled model, collisions."""

from __future__ import annotations

import math
from typing import Any

import mujoco
import numpy as np
import pytest

from grouser.simulation.scene import Scene, compose
from grouser.world.file import World, load
from grouser.world.objects import Ball
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain import league_field
from grouser.world.terrain.league_field import GOALS, FieldGoal, LeagueField


def scene(*things: Ball, **options: Any) -> Scene:
    terrain = (LeagueField(friction=0.6, **options),)
    return compose(World(name="field", physics=STANDARD, terrain=terrain, objects=things))


@pytest.fixture(scope="module")
def model() -> mujoco.MjModel:
    return scene().model


def ray_hit(
    model: mujoco.MjModel,
    start: tuple[float, float, float],
    direction: tuple[float, float, float],
    solid_only: bool = False,
) -> tuple[str, float]:
    """Return the name of the first geom on a ray and the distance to it."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    solid = model.geom_contype > 0
    groups = model.geom_group.copy()
    if solid_only:
        model.geom_group[:] = np.where(solid, 0, 1)
    geom = np.zeros(1, np.int32)
    only = np.array([1, 0, 0, 0, 0, 0], np.uint8)
    unit = np.array(direction, float) / np.linalg.norm(direction)
    far = mujoco.mj_ray(model, data, np.array(start, float), unit, only, True, -1, geom)
    model.geom_group[:] = groups
    return model.geom(int(geom[0])).name.removeprefix("terrain/0/"), far


def test_border_is_at_the_edge_of_the_field_and_100_mm_high(model: mujoco.MjModel) -> None:
    name, far = ray_hit(model, (0.5, 0.0, 1e-3), (0, 1, 0))
    assert name.startswith("wall")
    assert far == pytest.approx(league_field.WIDTH / 2, abs=2e-3)
    name, far = ray_hit(
        model, (0.5, league_field.WIDTH / 2 + league_field.WALL_SLOPE + 0.01, 1.0), (0, 0, -1)
    )
    assert name.startswith("wall")
    assert far == pytest.approx(1 - 0.1, abs=1e-6)


def test_corners_are_chamfered(model: mujoco.MjModel) -> None:
    name, far = ray_hit(model, (0.0, 0.0, 0.02), (league_field.LENGTH, league_field.WIDTH, 0))
    assert name.startswith("wall")
    assert far < math.hypot(league_field.LENGTH, league_field.WIDTH) / 2 - 0.1


@pytest.mark.parametrize("goal", GOALS, ids=lambda goal: goal.colour)
def test_ball_rolls_into_the_goal_and_stops_at_its_back(
    model: mujoco.MjModel, goal: FieldGoal
) -> None:
    name, far = ray_hit(model, (0.0, 0.0, 0.05), (goal.x, 0, 0), solid_only=True)
    assert name == f"{goal.colour}_goal_back_inside"
    assert far == pytest.approx(league_field.LENGTH / 2 + league_field.GOAL_DEPTH)
    for post in goal.posts:
        name, _ = ray_hit(model, (0.0, 0.0, 0.15), (post[0], post[1] * 0.99, 0))
        assert name.startswith(f"{goal.colour}_goal")
        name, _ = ray_hit(model, (0.0, 0.0, 0.15), (post[0], post[1] * 1.15, 0))
        assert not name.startswith(f"{goal.colour}_goal_back")


def test_left_post_is_on_the_left_seen_from_the_field() -> None:
    for goal in GOALS:
        (lx, ly), (rx, ry) = goal.posts
        assert lx * ry - ly * rx < 0  # from left to right is clockwise


def test_beacons_have_the_bands_of_the_rule_book(model: mujoco.MjModel) -> None:
    """400 mm high, bands of 100 mm; pink is on top on the right of the yellow goal."""
    for beacon in LeagueField(friction=1).beacons:
        away = np.array([beacon.x, beacon.y]) / np.hypot(beacon.x, beacon.y)
        eye = np.array([beacon.x, beacon.y]) - 0.3 * away
        for z, band in ((0.399, "upper"), (0.301, "upper"), (0.299, "lower"), (0.201, "lower")):
            name, far = ray_hit(model, (*eye, z), (*away, 0))
            assert name.startswith("beacon")
            assert name.endswith(band)
            assert far == pytest.approx(0.25, abs=1e-6)
        assert ray_hit(model, (*eye, 0.402), (*away, 0))[0].startswith("hall")
        right_of_yellow = beacon.y < 0  # the goal is at -x and faces +x
        assert (beacon.upper == "pink") == right_of_yellow
        nearer = {-1: "yellow", 0: "green", 1: "sky_blue"}[int(np.sign(beacon.x))]
        assert {beacon.upper, beacon.lower} == {"pink", nearer}


def test_beacons_are_distinct() -> None:
    beacons = LeagueField(friction=1).beacons
    assert len({(b.upper, b.lower) for b in beacons}) == len(beacons) == 6
    assert len(LeagueField(friction=1, year=2004).beacons) == 4


def test_lines_are_visible_and_do_not_collide() -> None:
    ball = Ball(name="ball", friction=1, mass=0.1, radius=0.05, position=(0.01, 0.15, 0.06))
    model = scene(ball).model
    for name in ("carpet", "lines", "hall_0"):
        geom = model.geom(f"terrain/0/{name}")
        assert geom.contype == geom.conaffinity == 0
    assert ray_hit(model, (1.0, 0.5, 1.0), (0, 0, -1))[0] == "carpet"
    assert ray_hit(model, (0.0, 0.8, 1.0), (0, 0, -1))[0] == "lines"
    assert ray_hit(model, (0.15, 0.02, 1.0), (0, 0, -1))[0] == "lines"  # the circle
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=500)
    assert data.body("ball").xpos[2] == pytest.approx(0.05, abs=1e-4)


def test_field_under_the_sky_has_no_hall() -> None:
    model = scene(hall=False).model
    names = [model.geom(i).name for i in range(model.ngeom)]
    assert not any("hall" in name for name in names)


def test_shipped_world_contains_the_field() -> None:
    world = load("league_field")
    assert [type(terrain) for terrain in world.terrain] == [LeagueField]
    ball = world.objects[0]
    assert isinstance(ball, Ball)
    assert ball.radius == league_field.BALL_RADIUS
    assert ball.rgb == pytest.approx(league_field.ORANGE, abs=2e-3)
