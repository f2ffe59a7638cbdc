"""STL export of the ground: closed for trimesh, heights equal to those of physics."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import trimesh
from support.terrain_examples import EXAMPLES, FLAT, scene_of, turned_ramps, write_and_load
from trimesh.base import Trimesh
from typer.testing import CliRunner

import grouser
from grouser.cli import app
from grouser.errors import BadValue, MissingDependency
from grouser.frames import Array
from grouser.simulation.ground import Ground
from grouser.simulation.ground_stl import GROWTH, ground_surface
from grouser.simulation.scene import Scene, compose
from grouser.world import Cylinder
from grouser.world.objects import Ball
from grouser.world.terrain.height_map import HeightMap


def check_heights(scene: Scene, mesh: Trimesh, close: float = 4 * GROWTH) -> None:
    """Compare with the ground query at points away from edges."""
    rng = np.random.default_rng(0)
    points = rng.uniform(mesh.bounds[0, :2], mesh.bounds[1, :2], (60, 2))
    ground = Ground(scene)
    around = points[:, None] + 1e-3 * np.array([(0, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)])
    found = ground.below(around)
    heights = np.where(np.isfinite(found.height), found.height, -10.0)
    calm = (heights > -10).all(axis=1) & (np.ptp(heights, axis=1) < 5e-3)
    calm &= (np.abs(found.normal - found.normal[:, :1]) < 1e-6).all(axis=(1, 2))
    assert calm.sum() > 10
    corners = mesh.triangles.astype(float)
    for (x, y), height in zip(points[calm], found.height[calm, 0], strict=True):
        assert top(corners, x, y) == pytest.approx(height, abs=close)


@pytest.mark.parametrize("turn_deg", [3.0, 30.0, 45.0])
def test_maps_with_planes_across_the_grid_are_closed(tmp_path: Path, turn_deg: float) -> None:
    piece = HeightMap.of(turned_ramps(0.05, turn_deg), 0.05, x=0, friction=0.4)
    scene = scene_of(piece)
    check_heights(scene, write_and_load(scene, tmp_path / "ramps.stl"))


def top(corners: Array, x: float, y: float) -> float:
    """Return the highest of the triangles (n, 3, 3) at a point."""
    a, b, c = (corners[:, i] for i in range(3))
    u, v, w = b - a, c - a, np.array([x, y, 0.0]) - a
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    steep = np.abs(area) < 1e-14
    area = np.where(steep, 1.0, area)
    s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / area
    t = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / area
    hit = ~steep & (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1 + 1e-9)
    return float((a[:, 2] + s * u[:, 2] + t * v[:, 2])[hit].max())


@pytest.mark.parametrize("on_a_plane", [False, True])
@pytest.mark.parametrize("kind", EXAMPLES)
def test_every_kind_of_ground_is_closed_and_has_its_height(
    kind: str, on_a_plane: bool, tmp_path: Path
) -> None:
    scene = scene_of(*([FLAT] if on_a_plane else []), EXAMPLES[kind])
    mesh = write_and_load(scene, tmp_path / "ground.stl")
    if kind not in ("pyramid_bumps", "hurdle"):  # all edges; pipes are approximated by polygons
        check_heights(scene, mesh)


@pytest.mark.parametrize("name", ["rubble", "double_bridge", "bumps", "plywood_bridge"])
def test_shipped_rough_worlds_are_watertight(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.stl"
    result = CliRunner().invoke(app, ["export-stl", name, "--out", str(path)])
    assert result.exit_code == 0, result.output
    assert ", closed" in result.output
    mesh = trimesh.load_mesh(path)
    assert mesh.is_watertight
    check_heights(compose(grouser.load(name)), mesh)


def test_fixed_objects_belong_to_the_ground(tmp_path: Path) -> None:
    things = (
        Ball(name="ball", radius=0.2, position=(0, 0, 0.1), friction=1, fixed=True),
        Cylinder(name="post", radius=0.1, length=1, position=(1, 0, 0.5), friction=1, fixed=True),
        Ball(name="free", radius=0.2, position=(2, 0, 3.0), friction=1, mass=1),
    )
    mesh = write_and_load(scene_of(FLAT, objects=things), tmp_path / "ground.stl")
    assert mesh.bounds[1, 2] == pytest.approx(1.0, abs=1e-4)
    slab = 2 * (float(np.linalg.norm([1.3, 0.4, 1.1])) / 2 + 0.5)
    solid = slab**2 * 0.5 + np.pi * 0.1**2 + np.pi * 0.3**2 * (0.6 - 0.3) / 3
    assert mesh.volume == pytest.approx(solid, rel=0.02)


def test_error_without_ground_is_one_sentence() -> None:
    ball = Ball(name="free", radius=0.2, position=(2, 0, 3.0), friction=1, mass=1)
    world = grouser.load("roach_circle").changed(terrain=(), objects=(ball,), robots=())
    with pytest.raises(BadValue, match="has no ground for an STL file"):
        ground_surface(compose(world))


def test_error_without_the_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    with pytest.raises(MissingDependency, match=r"pip install \"grouser\[ground\]\""):
        ground_surface(scene_of(FLAT))


def test_unknown_file_ending_is_rejected_before_the_export(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["export-stl", "rubble", "--out", str(tmp_path / "a.obj")])
    assert result.exit_code == 2
    assert "must end in .stl" in result.output
