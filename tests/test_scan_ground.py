"""Ground from a surface: sphere tests, prisms and atomic folders."""

import contextlib
import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from support.client_helpers import instance_of

from grouser import files
from grouser.errors import BadValue, WorldFileError
from grouser.frames import X_CO, Array, Pose, radians
from grouser.scan.cloud import PointCloud, concatenate_clouds
from grouser.scan.coarse_registration import FramePose
from grouser.scan.gravity_direction import GravityEstimate
from grouser.scan.ground.check import check_ground, choose, rest_heights
from grouser.scan.ground.scan_heights import open_places, scan_heights
from grouser.scan.ground.scan_world import WorldOptions
from grouser.scan.ground.spheres import expected_spheres, surface_discs
from grouser.scan.ground.world_folder import THICKNESS, fill_folder, prisms, refuse_foreign
from grouser.scan.pipeline import RebuiltGround
from grouser.scan.simulated_camera import pose_towards, scan_world
from grouser.simulation.scene import compose
from grouser.world.file import World, load, parse
from grouser.world.meshes.mesh_files import write_glb, write_ply
from grouser.world.meshes.triangle_mesh import TriangleMesh
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.convex_pieces import ConvexPieces, write_pieces
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.incline import Incline
from grouser.world.terrain.plywood_bridge import PlywoodBridge
from grouser.world.terrain.stepfield import Stepfield

EYE = np.array([0.0, 0.0, 2.0])


def height_mesh(height: Callable[..., Any], size: float = 1.0, cell: float = 0.02) -> TriangleMesh:
    """Return the surface z = height(x, y) as upward triangles."""
    along = np.arange(-size / 2, size / 2 + cell / 2, cell)
    x, y = np.meshgrid(along, along)
    count = len(along)
    number = np.arange(count * count).reshape(count, count)
    a, b, c, d = number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1]
    faces = [np.stack(part, axis=-1).reshape(-1, 3) for part in ((a, b, c), (a, c, d))]
    vertices = np.stack([x, y, height(x, y)], axis=-1).reshape(-1, 3)
    return TriangleMesh(vertices, np.concatenate(faces))


def cloud_of(mesh: TriangleMesh, spacing: float = 0.004, noise: float = 0.0) -> PointCloud:
    """Return points sampled on a surface, seen from above."""
    low, high = mesh.vertices[:, :2].min(axis=0), mesh.vertices[:, :2].max(axis=0)
    grid = scan_heights(mesh, spacing)
    cells = np.argwhere(np.isfinite(grid.heights))
    points = grid.points(cells)
    rng = np.random.default_rng(0)
    points[:, 2] += noise * rng.standard_normal(len(points))
    inside = ((points[:, :2] >= low) & (points[:, :2] <= high)).all(axis=1)
    return PointCloud(points[inside], origins=EYE)


def ground_from(mesh: TriangleMesh, cloud: PointCloud) -> RebuiltGround:
    down = GravityEstimate(np.array([0.0, 0.0, -1.0]), "given pose", 1.0, "as given", Pose())
    return RebuiltGround(cloud, mesh, down, (FramePose(Pose(), 1.0, 0.0),), (), (), 0, 0.0, ())


def pieces_of(folder: Path, mesh: TriangleMesh) -> ConvexPieces:
    write_pieces(folder / "pieces.npz", prisms(mesh))
    return ConvexPieces(file=folder / "pieces.npz", x=0.0, friction=0.6)


def wavy(x: Array, y: Array) -> Array:
    return 0.03 * np.sin(7 * x) * np.cos(6 * y)


# -- resting spheres on a cloud


@pytest.mark.parametrize("slope_deg", [0.0, 12.0, 30.0])
def test_spheres_on_a_slope_rest_one_radius_above_it(slope_deg: float) -> None:
    slope = radians(slope_deg)
    cloud = cloud_of(height_mesh(lambda x, y: np.tan(slope) * x), noise=0.0005)
    spheres = expected_spheres(surface_discs(cloud, 0.02), 0.03)
    true = np.tan(slope) * spheres.middle[:, 0] + 0.03 / np.cos(slope)
    assert np.abs(spheres.middle[:, 2] - true).max() < 0.002
    assert not spheres.covered.any()
    assert not spheres.edge.any()


def test_normals_point_towards_the_sensor() -> None:
    points = cloud_of(height_mesh(wavy)).points
    above = surface_discs(PointCloud(points, origins=EYE), 0.02)
    below = surface_discs(PointCloud(points, origins=-EYE), 0.02)
    assert (above.normal[:, 2] > 0).all()
    assert np.allclose(above.normal, -below.normal)


def test_spheres_rest_on_both_of_two_storeys() -> None:
    floor, roof = height_mesh(lambda x, y: 0 * x), height_mesh(lambda x, y: 0 * x + 0.3, size=0.5)
    spheres = expected_spheres(
        surface_discs(concatenate_clouds([cloud_of(floor), cloud_of(roof)]), 0.02), 0.03
    )
    under = spheres.middle[spheres.covered]
    assert len(under) > 20
    assert np.abs(under[:, 2] - 0.03).max() < 0.002
    assert np.allclose(spheres.room[spheres.covered], 0.3 - 0.06, atol=0.01)
    assert (np.abs(under[:, :2]) < 0.26).all()  # no roof there


def test_unseen_wall_is_not_a_storey() -> None:
    def step(x: Array, y: Array) -> Array:
        return np.where(x > 0, 0.3, 0.0)

    points = cloud_of(height_mesh(step, cell=0.01)).points
    seen = (points[:, 2] < 0.001) | (points[:, 2] > 0.299)  # the wall was not scanned
    spheres = expected_spheres(surface_discs(PointCloud(points[seen], origins=EYE), 0.02), 0.03)
    assert not spheres.covered.any()


def test_cloud_that_supports_no_sphere_is_rejected() -> None:
    lonely = PointCloud(np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]), origins=EYE)
    with pytest.raises(BadValue, match="larger --voxel"):
        expected_spheres(surface_discs(lonely, 0.02), 0.03)


# -- resting spheres in simulation


def test_simulated_spheres_rest_at_their_geometric_height(tmp_path: Path) -> None:
    mesh = height_mesh(wavy, cell=0.05)
    spheres = expected_spheres(surface_discs(cloud_of(mesh), 0.02), 0.03)
    check = check_ground([pieces_of(tmp_path, mesh)], spheres)
    assert check.open_ground.mean < 0.001
    assert check.open_ground.largest < 0.004
    assert check.fell == 0


def test_ground_that_is_too_high_too_low_or_missing_is_detected(tmp_path: Path) -> None:
    spheres = expected_spheres(surface_discs(cloud_of(height_mesh(wavy, cell=0.05)), 0.02), 0.03)
    high = pieces_of(tmp_path, height_mesh(lambda x, y: wavy(x, y) + 0.02, cell=0.05))
    assert check_ground([high], spheres).open_ground.mean == pytest.approx(0.02, abs=0.001)
    hole = check_ground([pieces_of(tmp_path, height_mesh(wavy, size=0.5, cell=0.05))], spheres)
    assert hole.fell > 20


def test_sphere_released_inside_the_ground_is_not_at_rest() -> None:
    floor, roof = height_mesh(lambda x, y: 0 * x), height_mesh(lambda x, y: 0 * x + 0.3)
    spheres = expected_spheres(
        surface_discs(concatenate_clouds([cloud_of(floor), cloud_of(roof)]), 0.02), 0.03
    )
    block = Flat(friction=0.6, z=0.3)  # like a height map
    heights = rest_heights([block], spheres)
    assert np.isinf(heights[spheres.covered]).all()
    assert np.isfinite(heights[~spheres.covered]).all()


def test_more_accurate_ground_is_chosen_and_the_cheaper_of_equals(tmp_path: Path) -> None:
    mesh = height_mesh(wavy, cell=0.05)
    spheres = expected_spheres(surface_discs(cloud_of(mesh), 0.02), 0.03)
    true = check_ground([pieces_of(tmp_path, mesh)], spheres)
    false = check_ground([Flat(friction=0.6)], spheres)
    name, why = choose({"height_map": false, "convex_pieces": true})
    assert name == "convex_pieces"
    assert "truer" in why
    few = dataclasses.replace(true, contacts=1.0)
    name, why = choose({"height_map": few, "convex_pieces": true})
    assert name == "height_map"
    assert "cheaper" in why


# -- prisms


def test_board_scanned_from_both_sides_keeps_its_thickness() -> None:
    top = height_mesh(lambda x, y: 0 * x + 0.012, size=0.4)
    under = height_mesh(lambda x, y: 0 * x, size=0.4)
    count = len(top.vertices)
    board = TriangleMesh(
        np.concatenate([top.vertices, under.vertices]),
        np.concatenate([top.faces, under.faces[:, ::-1] + count]),
    )
    pieces = np.array(prisms(board))
    assert pieces[..., 2].min() > -1e-9
    assert pieces[..., 2].max() < 0.012 + 1e-9


def test_prisms_extend_below_the_surface_and_share_corners() -> None:
    mesh = height_mesh(wavy, cell=0.1)
    pieces = np.array(prisms(mesh))
    assert len(pieces) == len(mesh.faces)
    assert np.allclose(pieces[:, :3], mesh.triangles)
    assert np.allclose(np.linalg.norm(pieces[:, 3:] - pieces[:, :3], axis=2), THICKNESS)
    backs = np.unique(pieces[:, 3:].reshape(-1, 3).round(9), axis=0)
    assert len(backs) == len(mesh.vertices)


# -- pieces as terrain


def test_pieces_load_from_a_world_file(tmp_path: Path) -> None:
    write_pieces(tmp_path / "p.npz", prisms(height_mesh(wavy, cell=0.1)))
    text = WORLD_TEXT + "  - {kind: convex_pieces, friction: 0.5, x: 1.0, z: 0.2, file: p.npz}\n"
    scene = compose(parse(text, where="t", folder=tmp_path))
    geom = scene.model.geom("terrain/1/piece_0")
    assert geom.friction[0] == 0.5
    assert abs(geom.pos[2] - 0.2) < 0.1


WORLD_TEXT = """name: t
physics: {timestep: 0.001, integrator: discrete, cone: elliptic, solver: newton, iterations: 50,
  tolerance: 1e-10, impratio: 20000}
terrain:
  - {kind: flat, friction: 0.6}
"""


@pytest.mark.parametrize(
    ("arrays", "sentence"),
    [
        (None, "is damaged or cut off"),
        ({"corners": np.zeros((8, 3))}, "is no archive of the arrays corners and starts"),
        ({"corners": np.zeros((8, 2)), "starts": [0, 8]}, "no corners"),
        ({"corners": np.full((8, 3), np.nan), "starts": [0, 8]}, "not finite"),
        ({"corners": np.zeros((8, 3)), "starts": [0, 3, 8]}, "each piece needs at least 4"),
        ({"corners": np.zeros((8, 3)), "starts": [0, 9]}, "do not fit"),
    ],
)
def test_invalid_pieces_are_reported_in_one_sentence(
    tmp_path: Path, arrays: dict[str, Array | list[int]] | None, sentence: str
) -> None:
    if arrays is None:
        (tmp_path / "p.npz").write_bytes(b"PK\x03\x04 half a zip")
    else:
        np.savez(tmp_path / "p.npz", **arrays)  # type: ignore[arg-type]
    text = WORLD_TEXT + "  - {kind: convex_pieces, friction: 0.5, x: 0, file: p.npz}\n"
    with pytest.raises(WorldFileError, match=sentence):
        parse(text, where="t", folder=tmp_path)


# -- files


def test_surface_files_are_readable_by_other_programs(tmp_path: Path) -> None:
    mesh = height_mesh(wavy)
    colours = np.full((len(mesh.vertices), 3), 200, np.uint8)
    write_ply(tmp_path / "s.ply", mesh, colours)
    write_glb(tmp_path / "s.glb", mesh, colours)
    ply: Any = trimesh.load(tmp_path / "s.ply", force="mesh")
    glb: Any = trimesh.load(tmp_path / "s.glb", force="mesh")
    assert np.allclose(ply.vertices, mesh.vertices, atol=1e-6)
    assert np.array_equal(ply.faces, mesh.faces)
    assert np.allclose(ply.visual.vertex_colors[:, :3], 200)
    turned = np.stack([mesh.vertices[:, 0], mesh.vertices[:, 2], -mesh.vertices[:, 1]], axis=1)
    assert np.allclose(glb.vertices, turned, atol=1e-6)
    assert len(glb.faces) == len(mesh.faces)


def test_folder_is_replaced_atomically(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    with files.replacing_folder(out) as draft:
        (draft / "a").write_text("1")
        assert not out.exists()
    with contextlib.suppress(RuntimeError), files.replacing_folder(out) as draft:
        (draft / "a").write_text("2")
        raise RuntimeError
    assert (out / "a").read_text() == "1"
    with files.replacing_folder(out) as draft:
        (draft / "b").write_text("3")
    assert [path.name for path in out.iterdir()] == ["b"]
    assert [path.name for path in out.parent.iterdir()] == ["out"]
    with pytest.raises(BadValue, match="is a file"), files.replacing_folder(out / "b"):
        pass


def test_folder_with_foreign_files_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(BadValue, match="with other files than a scan's"):
        refuse_foreign(tmp_path)
    refuse_foreign(tmp_path / "new")


def test_surface_becomes_a_world_that_loads(tmp_path: Path) -> None:
    mesh = height_mesh(
        lambda x, y: np.where(np.hypot(x, y) < 0.15, 0.12, wavy(x, y)), 0.8, cell=0.04
    )
    ground = ground_from(mesh, cloud_of(mesh, noise=0.001))
    made = fill_folder(tmp_path, ground, WorldOptions(name="bump", friction=0.7), 0.02)
    world = load(tmp_path / "world.yaml")
    assert getattr(world.terrain[1], "kind", "") == made.collides_as
    assert world.terrain[1].friction == 0.7
    assert instance_of(Flat, world.terrain[0]).z == pytest.approx(made.floor)
    assert {start.name for start in world.starts} == {f"place_{i}" for i in range(len(made.places))}
    spheres = made.spheres
    assert np.abs(made.checks[made.collides_as].errors[~spheres.edge]).mean() < 0.002
    known = json.loads((tmp_path / "scan.json").read_text())
    assert known["collides_as"] == made.collides_as
    assert {path.name for path in tmp_path.iterdir()} == {
        *("world.yaml", "scan.json", "scan.png", "heights.npz", "pieces.npz"),
        *("surface.stl", "surface.ply", "surface.glb"),
    }
    other = tmp_path / "other.yaml"
    text = (tmp_path / "world.yaml").read_text()
    kept = [line for line in text.splitlines() if f"kind: {made.collides_as}" not in line]
    other.write_text("\n".join(kept).replace("# or: ", "- "))
    assert getattr(load(other).terrain[1], "kind", "") != made.collides_as


def test_free_places_are_level_and_away_from_steps_and_holes() -> None:
    mesh = height_mesh(lambda x, y: np.where(x > 0.1, 0.2, 0.0))
    there = ~((mesh.triangles[..., 0] < -0.2) & (mesh.triangles[..., 1] < -0.2)).any(axis=1)
    grid = scan_heights(TriangleMesh(mesh.vertices, mesh.faces[there]), 0.02)
    places = open_places(grid)
    assert len(places) >= 2
    assert places[0].clear == max(place.clear for place in places)
    for place in places:
        x, y, _ = place.position
        assert abs(x - 0.1) > place.clear - 0.04
        assert max(abs(x), abs(y)) + place.clear < 0.52
        # Distance from the missing corner, x < -0.2 and y < -0.2.
        assert np.hypot(max(x + 0.2, 0), max(y + 0.2, 0)) > place.clear - 0.04


def test_plane_fit_does_not_depend_on_position() -> None:
    scene = compose(World(name="t", physics=STANDARD, terrain=(Flat(friction=0.6, z=-0.7),)))
    assert scene.model.geom("terrain/0/plane").pos[2] == -0.7


# -- depth camera in a simulated world


@pytest.mark.parametrize(
    "piece",
    [
        Stepfield(pattern="diagonal", unit=0.05, x=0.0, friction=0.6),
        PlywoodBridge(x=-1.0, sheets=1, friction=0.6),
        Incline(x=0.2, slope_deg=20, side=0.8, platform=0.3, friction=0.6),
    ],
    ids=lambda piece: piece.kind,
)
def test_simulated_kinect_measures_the_collision_surface(
    piece: Stepfield | PlywoodBridge | Incline,
) -> None:
    world = World(name="t", physics=STANDARD, terrain=(Flat(friction=0.6), piece))
    viewpoints = ((-0.8, -0.6, 1.0), (1.6, -0.8, 1.0), (0.5, 1.3, 1.0))
    poses = [pose_towards(eye, (0.5, 0.0, 0.05)) for eye in viewpoints]
    clouds = scan_world(world, poses)
    assert all(cloud.shape == (480, 640) for cloud in clouds)
    cloud = concatenate_clouds(
        [c.transformed(p @ X_CO) for c, p in zip(clouds, poses, strict=True)]
    ).finite()
    near = cloud.select(np.all(np.abs(cloud.points[:, :2] - [0.5, 0.0]) < 1.0, axis=1))
    spheres = expected_spheres(surface_discs(near, 0.02), 0.03)
    check = check_ground(world.terrain, spheres)
    assert check.open_ground.count > 200
    assert check.open_ground.mean < 0.004  # noise of the camera
    assert check.open_ground.most < 0.008


def test_same_seed_gives_the_same_noise() -> None:
    world = load("quince_step").changed(robots=())
    pose = pose_towards((0.0, -1.0, 0.8), (0.8, 0.0, 0.0))
    first, again, other = (scan_world(world, [pose], seed=seed)[0].points for seed in (3, 3, 4))
    assert np.array_equal(first, again, equal_nan=True)
    assert not np.array_equal(first, other, equal_nan=True)


def test_camera_cannot_be_aimed_at_itself() -> None:
    with pytest.raises(BadValue, match="the target must differ from the position"):
        pose_towards((1, 0, 1), (1, 0, 1))
