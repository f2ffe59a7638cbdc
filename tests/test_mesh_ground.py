"""Meshes as ground: collision proxies, surface accuracy, and errors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from pydantic import ValidationError
from support.client_helpers import instance_of
from support.mesh_shapes import box, bridge
from support.narrowing import not_none
from support.terrain_examples import compile_model, height, scene_of, write_and_load
from trimesh.base import Trimesh
from trimesh.ray.ray_triangle import ray_triangle_id as untyped_ray_triangle_id
from typer.testing import CliRunner

from grouser.cli import app
from grouser.errors import WorldFileError
from grouser.frames import Array
from grouser.simulation.ground import NOTHING, Ground
from grouser.world.file import World, parse
from grouser.world.meshes import collision_cache
from grouser.world.meshes.collision_cache import cached_proxy
from grouser.world.meshes.mesh_files import read_mesh
from grouser.world.meshes.triangle_mesh import TriangleMesh, open_edges
from grouser.world.objects import Mesh
from grouser.world.terrain.convex_pieces import ConvexPieces
from grouser.world.terrain.mesh import MeshGround

euler_matrix: Any = trimesh.transformations.euler_matrix
ray_triangle_id: Any = untyped_ray_triangle_id
PointCloud: Any = trimesh.PointCloud
"""Parts of trimesh without types."""


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use an empty cache folder and an empty cache in memory for each test."""
    monkeypatch.setenv("GROUSER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(collision_cache, "_memory", {})
    return tmp_path / "cache" / "meshes"


def hills(size: float = 2.0, count: int = 41) -> Trimesh:
    """Return an open sheet of hills."""
    x, y = np.meshgrid(*[np.linspace(-size / 2, size / 2, count)] * 2)
    z = 0.1 * np.sin(4 * x) * np.cos(3 * y) + 0.15
    corner = np.arange(count * count).reshape(count, count)
    a, b, c, d = corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]
    faces = [np.stack(t, -1).reshape(-1, 3) for t in ((a, b, c), (a, c, d))]
    points = np.stack([x, y, z], -1).reshape(-1, 3)
    return trimesh.Trimesh(points, np.concatenate(faces), process=False)


def load_world(folder: Path, line: str) -> World:
    text = f"""
name: mesh
physics: {{timestep: 0.001, integrator: implicitfast, cone: elliptic, solver: newton,
          iterations: 50, tolerance: 1e-10, impratio: 20000}}
terrain:
  - {{kind: mesh, friction: 0.6, {line}}}
"""
    return parse(text, where="mesh.yaml", folder=folder)


def load_mesh(folder: Path, line: str) -> MeshGround:
    """Return the mesh terrain of ``line``."""
    return instance_of(MeshGround, load_world(folder, line).terrain[0])


def load_error(folder: Path, line: str) -> str:
    """Return the error message of a terrain ``line``."""
    with pytest.raises(WorldFileError) as error:
        load_world(folder, line)
    sentence = str(error.value)
    assert "\n" not in sentence
    assert sentence.startswith("mesh.yaml line 6: terrain.0.")
    return sentence


class AllTriangles:
    """Search tree that returns every triangle (trimesh's own needs another package)."""

    def __init__(self, mesh: Trimesh) -> None:
        self.numbers, self.bounds = range(len(mesh.faces)), mesh.bounds.ravel()

    def intersection(self, bounds: Array) -> range:
        return self.numbers


def cast_rays(mesh: Trimesh, points: Array, top: float = 5.0) -> tuple[Array, Array]:
    """Return heights and normals of the first hits of trimesh rays from above."""
    starts = np.column_stack([points, np.full(len(points), top)])
    down = np.tile([0.0, 0, -1], (len(starts), 1))
    faces, rays, places = ray_triangle_id(mesh.triangles, starts, down, tree=AllTriangles(mesh))
    heights, normals = np.full(len(points), -np.inf), np.tile([0.0, 0, 1], (len(points), 1))
    for place, ray, face in zip(places, rays, faces, strict=True):
        if place[2] > heights[ray]:
            heights[ray], normals[ray] = place[2], mesh.face_normals[face]
    return heights, normals


@pytest.mark.parametrize("ending", ["stl", "ply", "obj"])
def test_bridge_surface_agrees_with_rays_and_space_below_is_free(
    tmp_path: Path, ending: str
) -> None:
    mesh = bridge()
    mesh.export(tmp_path / f"bridge.{ending}")
    ground = load_mesh(tmp_path, f"file: bridge.{ending}, x: 1, y: 2, z: 0.3, yaw_deg: 30")
    assert len(ground.choice().taken.pieces) == 3
    scene = scene_of(ground)
    mesh.apply_transform(euler_matrix(0, 0, np.radians(30)))
    mesh.apply_translation((1, 2, 0.3))
    points = np.random.default_rng(0).uniform(mesh.bounds[0, :2], mesh.bounds[1, :2], (400, 2))
    found, (heights, normals) = Ground(scene).below(points), cast_rays(mesh, points)
    assert found.height == pytest.approx(heights, abs=1e-5)
    assert found.normal == pytest.approx(normals, abs=1e-4)
    assert set(found.geom[heights == -np.inf].tolist()) == {NOTHING}
    # Space below the deck is free; inside a pier it is not.
    assert Ground(scene).below([1.0, 2.0, 0.5]).geom == NOTHING
    assert Ground(scene).below([1.0, 2.0, 1.0]).height == pytest.approx(0.8, abs=1e-5)
    assert write_and_load(scene, tmp_path / "out.stl").volume == pytest.approx(
        mesh.volume, rel=1e-3
    )


def test_open_sheet_becomes_a_height_map_with_its_outline(tmp_path: Path) -> None:
    mesh = hills()
    mesh.export(tmp_path / "hills.ply")
    ground = load_mesh(tmp_path, "file: hills.ply")
    choice = ground.choice()
    assert choice.taken.how == "height_map"
    assert "not closed" in choice.why
    assert choice.taken.fit.within(0.01)
    points = np.random.default_rng(1).uniform(-1.2, 1.2, (120, 2))
    found, (heights, _) = Ground(scene_of(ground)).below(points), cast_rays(mesh, points)
    inside, far = np.abs(points).max(axis=1) < 0.98, np.abs(points).max(axis=1) > 1.02
    assert found.height[inside] == pytest.approx(heights[inside], abs=0.003)
    assert (found.geom[far] == NOTHING).all()


def test_hole_in_a_height_map_stays_open(tmp_path: Path) -> None:
    mesh = hills()
    middle = np.abs(mesh.triangles_center[:, :2]).max(axis=1) < 0.3
    mesh.update_faces(~middle)
    mesh.export(tmp_path / "ring.obj")
    ground = Ground(scene_of(load_mesh(tmp_path, "file: ring.obj")))
    assert ground.below([0.0, 0.0]).geom == NOTHING
    assert ground.below([0.5, 0.0]).geom != NOTHING


def test_collision_proxy_with_fewer_contacts_is_chosen(tmp_path: Path) -> None:
    stairs = trimesh.boolean.union(
        [box((1.0 - 0.3 * i, 1, 0.1), (0.15 * i, 0, 0.05 + 0.1 * i)) for i in range(3)]
    )
    stairs.export(tmp_path / "stairs.stl")
    choice = load_mesh(tmp_path, "file: stairs.stl, tolerance: 0.02").choice()
    assert choice.why.startswith("both fit")
    assert choice.taken.contacts <= choice.others[0].contacts
    for how in ("convex_pieces", "height_map"):
        asked = load_mesh(tmp_path, f"file: stairs.stl, collide: {how}").choice()
        assert asked.taken.how == how


def test_y_up_and_millimetres_are_converted(tmp_path: Path) -> None:
    mesh = bridge()
    mesh.apply_transform(euler_matrix(-np.pi / 2, 0, 0))
    mesh.apply_transform(np.diag([1000.0, 1000.0, 1000.0, 1.0]))
    mesh.export(tmp_path / "cad.obj")
    sentence = load_error(tmp_path, "file: cad.obj")
    assert "2000 x 500 x 500 m large" in sentence
    assert "if it is in millimetres, set scale: 0.001" in sentence
    ground = Ground(scene_of(load_mesh(tmp_path, "file: cad.obj, scale: 0.001, roll_deg: 90")))
    assert ground.below([0.0, 0.0]).height == pytest.approx(0.5, abs=1e-5)
    assert ground.below([0.0, 0.0, 0.2]).geom == NOTHING


def test_choice_is_cached_and_a_corrupt_cache_is_ignored(
    tmp_path: Path, empty_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mesh = TriangleMesh.of(bridge().vertices, bridge().faces)
    first = cached_proxy(mesh, "auto", 0.01, None)
    (kept,) = empty_cache.iterdir()
    monkeypatch.setattr(collision_cache, "_memory", {})
    monkeypatch.setattr(collision_cache, "choose_proxy", None)  # a second decomposition fails
    again = cached_proxy(mesh, "auto", 0.01, None)
    assert (again.why, again.taken.fit) == (first.why, first.taken.fit)
    for one, two in zip(first.taken.pieces, again.taken.pieces, strict=True):
        assert np.array_equal(one, two)
    assert np.array_equal(
        not_none(again.others[0].heights).heights, not_none(first.others[0].heights).heights
    )
    monkeypatch.undo()
    monkeypatch.setenv("GROUSER_CACHE", str(empty_cache.parent))
    monkeypatch.setattr(collision_cache, "_memory", {})
    kept.write_bytes(b"half a fi")
    assert len(cached_proxy(mesh, "auto", 0.01, None).taken.pieces) == 3
    (tmp_path / "file").write_text("no folder can be made in here")
    monkeypatch.setenv("GROUSER_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(collision_cache, "_memory", {})
    assert len(cached_proxy(mesh, "auto", 0.01, None).taken.pieces) == 3


NAN = """ply
format ascii 1.0
element vertex 3
property float x
property float y
property float z
element face 1
property list uchar int vertex_indices
end_header
0 0 0
1 0 nan
0 1 0
3 0 1 2
"""


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("file: none.stl", "is no file in"),
        ("file: none.txt", "must end in .obj or .ply or .stl"),
        ("file: words.stl", "which is no STL file, or has no triangles"),
        ("file: words.ply", "which is no PLY file"),
        ("file: words.obj", "which is no OBJ file, or has no triangles"),
        ("file: cloud.ply", "which has no triangles: it is a cloud of points"),
        ("file: cut.ply", "which is cut off"),
        ("file: nan.ply", "which has corners that are not finite"),
        ("file: hills.obj, collide: convex_pieces", "would collide as its convex hull"),
        ("file: hills.obj, collide: convex_pieces", "which is not closed (160 open edges"),
        ("file: under.stl", "has no upward faces"),
        ("file: tiny.stl", "at least 0.001 m are needed: set scale"),
        ("file: hills.obj, cell: 0.0005", "too large for cells of 0.0005 m: set a larger cell"),
        ("file: hills.obj, tolerance: 0", "must be at least 0.0005"),
    ],
)
def test_invalid_mesh_ground_is_reported_in_one_sentence(
    tmp_path: Path, line: str, words: str
) -> None:
    for ending in ("stl", "ply", "obj"):
        (tmp_path / f"words.{ending}").write_text("no mesh")
    sheet = hills()
    sheet.export(tmp_path / "hills.obj")
    PointCloud(sheet.vertices).export(tmp_path / "cloud.ply")
    whole = instance_of(bytes, sheet.export(file_type="ply"))
    (tmp_path / "cut.ply").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "nan.ply").write_text(NAN)
    sheet.invert()
    sheet.export(tmp_path / "under.stl")
    box((1e-4, 1e-4, 1e-4)).export(tmp_path / "tiny.stl")
    assert words in load_error(tmp_path, line)


@pytest.mark.slow
def test_mesh_that_fits_no_proxy_is_rejected_with_both_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CoACD without manifold3d is some millimetres off an oblique bridge."""
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    mesh = bridge()
    mesh.apply_transform(euler_matrix(0.3, -0.2, 0.5))
    mesh.export(tmp_path / "bridge.stl")
    sentence = load_error(tmp_path, "file: bridge.stl, tolerance: 0.003")
    assert "which fits within 3 mm neither as" in sentence
    assert "convex pieces: off by" in sentence
    assert "nor as height map of" in sentence
    # The proxy is computed when it is needed.
    load_world(tmp_path, "file: bridge.stl, tolerance: 0.003, collide: height_map")


@pytest.mark.parametrize("text", [False, True])
def test_files_are_read_like_trimesh(tmp_path: Path, text: bool) -> None:
    mesh = bridge()
    mesh.export(tmp_path / "a.ply", encoding="ascii" if text else "binary")
    mesh.export(tmp_path / "a.stl", file_type="stl_ascii" if text else "stl")
    mesh.export(tmp_path / "a.obj")
    for name in ("a.ply", "a.stl", "a.obj"):
        found = read_mesh(tmp_path / name)
        assert found.open_edges == 0
        assert found.volume == pytest.approx(mesh.volume, rel=1e-5)


def test_open_edges_of_a_mesh_and_of_its_separate_triangles_agree() -> None:
    """A degenerate face, which has two equal corners, opens and closes nothing."""
    solid = bridge()
    faces = np.concatenate([solid.faces[1:], [[0, 0, 1]]])
    mesh = TriangleMesh(np.asarray(solid.vertices), faces)
    assert mesh.open_edges == open_edges(mesh.triangles) == 3
    closed = TriangleMesh(np.asarray(solid.vertices), np.asarray(solid.faces))
    assert closed.open_edges == open_edges(closed.triangles) == 0


def test_polygons_of_an_obj_file_are_triangulated(tmp_path: Path) -> None:
    quads = (
        "f 1 2 4 3\nf 5/1 7/1 8/1 6/1\nf 1//1 5//1 6//1 2//1\nf -6 -5 -1 -2\nf 1 3 7 5\nf 2 6 8 4\n"
    )
    corners = "".join(f"v {x} {y} {z}\n" for z in (1, 0) for y in (1, 0) for x in (0, 1))
    (tmp_path / "cube.obj").write_text("# a cube\n" + corners + quads)
    mesh = read_mesh(tmp_path / "cube.obj")
    assert len(mesh.faces) == 12
    assert abs(mesh.volume) == pytest.approx(1)
    assert mesh.open_edges == 0
    assert isinstance(MeshGround(friction=1, file=tmp_path / "cube.obj"), MeshGround)


def mesh_object(folder: Path, **more: Any) -> Any:
    given = {"name": "it", "friction": 0.5, "position": (0, 0, 0), "mass": 3.0, "file": "it.stl"}
    return Mesh.model_validate(given | more, context={"folder": folder})


def test_non_convex_object_is_decomposed_with_exact_mass(tmp_path: Path) -> None:
    mesh = bridge()
    mesh.export(tmp_path / "it.stl")
    model = compile_model(mesh_object(tmp_path))
    names = [model.geom(i).name for i in range(model.ngeom)]
    assert {"it/surface", "it/surface_1", "it/surface_2"} <= set(names)
    assert model.body("it").mass == pytest.approx(3)
    assert model.body("it").ipos == pytest.approx(mesh.center_mass, abs=1e-4)
    mesh.density = 3 / mesh.volume
    assert np.sort(model.body("it").inertia) == pytest.approx(
        np.sort(np.diag(mesh.moment_inertia)), rel=1e-3
    )
    assert height(compile_model(mesh_object(tmp_path, fixed=True)), 0.013, 0.007) == pytest.approx(
        0.5, abs=1e-5
    )
    hull = compile_model(mesh_object(tmp_path, collide="hull"))
    assert hull.ngeom == 2  # and its vertex buffer
    assert hull.body("it").ipos[2] == pytest.approx(0.25, abs=1e-4)


def test_open_object_is_rejected_because_it_would_collide_as_its_hull(tmp_path: Path) -> None:
    hills().export(tmp_path / "it.stl")
    with pytest.raises(ValidationError, match="as its convex hull: set collide: hull"):
        mesh_object(tmp_path)
    assert compile_model(mesh_object(tmp_path, collide="hull", fixed=True)).ngeom == 1


def test_command_prints_both_proxies_and_writes_the_pieces(tmp_path: Path) -> None:
    bridge().export(tmp_path / "bridge.stl")
    details = CliRunner().invoke(app, ["check-mesh", str(tmp_path / "bridge.stl")])
    assert details.exit_code == 0, details.output
    assert "3 convex pieces" in details.output
    assert "height map of" in details.output
    assert "convex_pieces: the other does not fit" in details.output
    pieces = tmp_path / "pieces.npz"
    details = CliRunner().invoke(
        app, ["check-mesh", str(tmp_path / "bridge.stl"), "--out", str(pieces)]
    )
    assert details.exit_code == 0, details.output
    ground = Ground(scene_of(ConvexPieces(friction=1, x=0, file=pieces)))
    assert ground.below([0.0, 0.0]).height == pytest.approx(0.5, abs=1e-5)
    assert ground.below([0.0, 0.0, 0.2]).geom == NOTHING
    details = CliRunner().invoke(app, ["check-mesh", str(tmp_path / "none.stl")])
    assert details.exit_code == 2
    assert "none.stl: cannot be read (No such file or directory)" in details.output
