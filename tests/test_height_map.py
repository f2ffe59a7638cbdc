"""Height maps: place of the ground, decomposition, errors."""

from pathlib import Path

import mujoco
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image
from support.client_helpers import instance_of
from support.terrain_examples import compile_model, height, turned_ramps

from grouser.errors import BadValue, WorldFileError
from grouser.frames import Array, Pose
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.world.file import World, parse
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.height_field import add_height_field
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.height_patches import cut
from grouser.world.terrain.step import Step
from grouser.world.terrain.terrain_piece import TerrainPiece

CELL = 0.1
UNEVEN = np.random.default_rng(3).uniform(-0.1, 0.2, (5, 7))
HFIELD, BOX, MESH = (
    mujoco.mjtGeom.mjGEOM_HFIELD,
    mujoco.mjtGeom.mjGEOM_BOX,
    mujoco.mjtGeom.mjGEOM_MESH,
)


def world(tmp_path: Path, line: str) -> World:
    """Return a world with the terrain ``line`` and its files in the same folder."""
    text = f"""
name: map
physics: {{timestep: 0.001, integrator: implicitfast, cone: elliptic, solver: newton,
          iterations: 50, tolerance: 1e-10, impratio: 20000}}
terrain:
  - {{kind: height_map, friction: 0.6, x: 0, {line}}}
"""
    return parse(text, where="map.yaml", folder=tmp_path)


def rejection(tmp_path: Path, line: str) -> str:
    """Return the error message for the terrain ``line``."""
    with pytest.raises(WorldFileError) as error:
        world(tmp_path, line)
    sentence = str(error.value)
    assert "\n" not in sentence
    return sentence


@pytest.mark.parametrize("planes", [True, False])
def test_ground_has_the_heights_of_the_map(planes: bool) -> None:
    grid = UNEVEN.copy()
    grid[2:, :4] = 0.05  # a level part
    grid[:3, 4:] = np.array([0.0, 0.03, 0.06])  # an inclined part
    model = compile_model(HeightMap.of(grid, CELL, x=1, y=2, z=0.3, friction=0.4, planes=planes))
    for row, column in np.ndindex(grid.shape):
        # Away from the points, because a ray along the edge of two solids may miss both.
        x = 1 + min(CELL * column + 1e-6, 0.6 - 1e-6)
        y = 2 + min(0.2 - CELL * row + 1e-6, 0.2 - 1e-6)
        assert height(model, x, y) == pytest.approx(0.3 + grid[row, column], abs=1e-5)


def test_map_is_rotated_about_the_middle_of_its_near_edge() -> None:
    model = compile_model(HeightMap.of(UNEVEN, CELL, x=1, y=2, yaw_deg=90, friction=0.4))
    for row, column in ((1, 1), (3, 4)):
        x, y, _ = (Pose.at(1, 2, yaw=np.pi / 2) @ Pose.at(CELL * column, 0.2 - CELL * row)).position
        assert height(model, x, y) == pytest.approx(UNEVEN[row, column], abs=1e-5)


def surface(grid: Array, points: Array) -> Array:
    """Return the exact heights of a map at (row, column), with the cell diagonals of MuJoCo."""
    row, column = np.floor(points).astype(int).T
    down, along = (points - np.floor(points)).T
    a, b = grid[row, column], grid[row, column + 1]
    c, d = grid[row + 1, column], grid[row + 1, column + 1]
    heights: Array = np.where(
        along + down < 1,
        a + along * (b - a) + down * (c - a),
        d + (1 - along) * (c - d) + (1 - down) * (b - d),
    )
    return heights


def ground_error(grid: Array, cell: float) -> tuple[float, float]:
    """Return the largest deviations of the ground above and below the map, m."""
    piece = HeightMap.of(grid, cell, x=0, friction=0.4)
    ground = Ground(compose(World(name="map", physics=STANDARD, terrain=(piece,))))
    points = np.random.default_rng(0).uniform(1e-4, np.array(grid.shape) - 1 - 1e-4, (20_000, 2))
    y = cell * ((grid.shape[0] - 1) / 2 - points[:, 0])
    height = ground.below(np.column_stack([cell * points[:, 1], y])).height
    error = height - surface(grid, points)
    return error.max(), -error.min()


def test_plane_parts_become_solids() -> None:
    grid = np.zeros((40, 60))
    grid[:, 20:] = 0.19
    grid[10:20, 30:50] += np.random.default_rng(1).random((10, 20)) * 0.02
    model = compile_model(HeightMap.of(grid, 0.02, x=0, friction=0.4))
    kinds = set(model.geom_type.tolist())
    assert kinds == {HFIELD, BOX, MESH}
    assert len(cut(grid).fields) < 10
    assert max(ground_error(grid, 0.02)) < 1e-6


@pytest.mark.parametrize("turn_deg", [3.0, 30.0, 45.0, 80.0])
@pytest.mark.parametrize("cell", [0.02, 0.05])
def test_oblique_planes_become_few_exact_solids(turn_deg: float, cell: float) -> None:
    grid = turned_ramps(cell, turn_deg)
    patches = cut(grid)
    assert len(patches.planes) < 25
    area = 0.0
    for plane in patches.planes:
        (row, column), (below, after) = np.array(plane.corners).T, np.roll(plane.corners, -1, 0).T
        area += abs(np.sum(row * after - below * column)) / 2
    assert area > 0.6 * (grid.shape[0] - 1) * (grid.shape[1] - 1)
    assert max(ground_error(grid, cell)) < 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_terraces_of_any_shape_are_exact(seed: int) -> None:
    rough = np.random.default_rng(seed).normal(0, 1, (60, 70))
    for _ in range(12):
        rough = (rough + np.roll(rough, 1, 0) + np.roll(rough, 1, 1) + np.roll(rough, -1, 1)) / 4
    grid = np.round(rough * 15) * 0.02  # as in an image with few grey levels
    assert max(ground_error(grid, 0.03)) < 1e-6


def test_fields_are_lowered_only_below_planes() -> None:
    grid = np.zeros((30, 30))
    grid[14:16, 14:16] = np.random.default_rng(0).uniform(0.01, 0.02, (2, 2))
    patches = cut(grid)
    lower = patches.heights < grid
    assert lower[:12].all()
    assert not lower[13:17, 13:17].any()
    np.testing.assert_array_equal(patches.heights[~lower], grid[~lower])


def test_maps_of_equal_size_have_equal_pieces_without_planes() -> None:
    step = np.where(np.arange(50) < 20, 0.0, 0.1) * np.ones((40, 1))
    noise = np.random.default_rng(2).random((40, 50))
    assert cut(step, planes=False).fields == cut(noise, planes=False).fields
    np.testing.assert_array_equal(cut(step, planes=False).heights, step)


@pytest.mark.parametrize("ending", ["npy", "npz", "png"])
def test_files_are_read(tmp_path: Path, ending: str) -> None:
    shades = np.arange(12, dtype=np.uint16).reshape(3, 4) * 5000
    path, scale = tmp_path / f"ground.{ending}", ""
    if ending == "npy":
        np.save(path, shades / 65535)
    elif ending == "npz":
        np.savez(path, heights=shades / 65535, other=np.zeros(3))
    else:
        Image.fromarray(shades).save(path)
        scale = ", top: 1.0"
    piece = world(tmp_path, f"file: ground.{ending}, cell: 0.5{scale}").terrain[0]
    expected: Array = shades / 65535
    np.testing.assert_allclose(instance_of(HeightMap, piece).grid(), expected, rtol=1e-12)


def test_changed_file_is_read_again(tmp_path: Path) -> None:
    np.save(tmp_path / "g.npy", np.zeros((3, 3)))
    piece = instance_of(HeightMap, world(tmp_path, "file: g.npy, cell: 0.5").terrain[0])
    assert piece.grid().max() == 0
    np.save(tmp_path / "g.npy", np.ones((3, 3)))
    assert piece.grid().min() == 1


def test_holes_are_rejected_or_filled(tmp_path: Path) -> None:
    grid = np.zeros((3, 4))
    grid[1, 2] = np.nan
    np.save(tmp_path / "holes.npy", grid)
    sentence = rejection(tmp_path, "file: holes.npy, cell: 0.1")
    assert sentence.startswith("map.yaml line 6: terrain.0.file is 'holes.npy', which has 1 hole")
    assert "row 1, column 2" in sentence
    filled = world(tmp_path, "file: holes.npy, cell: 0.1, fill: -0.2").terrain[0]
    assert instance_of(HeightMap, filled).grid()[1, 2] == -0.2
    assert "must be finite" in rejection(tmp_path, "heights: [[0, 0], [0, .nan]], cell: 0.1")


def test_smallest_map_is_one_cell(tmp_path: Path) -> None:
    model = compile_model(HeightMap.of(np.array([[0.0, 0.1], [0.0, 0.05]]), 1.0, x=0, friction=0.4))
    assert model.ngeom == 1
    assert height(model, 1e-6, 0.5 - 1e-6) == pytest.approx(0.0, abs=1e-5)
    assert "has 1 x 1 points, at least 2 x 2" in rejection(tmp_path, "heights: [[0.1]], cell: 0.1")
    assert "rows of 1 to 2" in rejection(tmp_path, "heights: [[0.1], [0, 1]], cell: 0.1")


def test_huge_map_is_rejected_before_reading(tmp_path: Path) -> None:
    for name in ("huge.npy", "huge.npz", "huge.png"):
        path = tmp_path / name
        if name == "huge.npy":
            np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(10_000, 10_000))
        elif name == "huge.npz":
            np.savez_compressed(path, heights=np.zeros((10_000, 10_000), np.uint8))
        else:
            Image.new("L", (10_000, 10_000)).save(path)
        top = ", top: 1.0" if name.endswith("png") else ""
        sentence = rejection(tmp_path, f"file: {name}, cell: 0.02{top}")
        assert "10000 x 10000 points, at most 4,000,000 are allowed" in sentence
    with pytest.raises(BadValue, match="10000 x 10000 points"):
        HeightMap.of(np.zeros((10_000, 10_000), np.uint8), 0.02, x=0, friction=0.4)


def test_heights_in_millimetres_are_rejected(tmp_path: Path) -> None:
    np.save(tmp_path / "mm.npy", np.random.default_rng(0).uniform(0, 250, (50, 50)))
    sentence = rejection(tmp_path, "file: mm.npy, cell: 0.02")
    assert "if they are in millimetres, set scale: 0.001" in sentence
    scaled = world(tmp_path, "file: mm.npy, cell: 0.02, scale: 0.001").terrain[0]
    assert instance_of(HeightMap, scaled).grid().max() < 0.25
    assert "terrain.0.cell is 20, must be at most 10" in rejection(
        tmp_path, "file: mm.npy, cell: 20"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("cell: 0.1", "needs one of file and heights"),
        ("heights: [[0, 0], [0, 0]], cell: 0.1, top: 1.0", "must be given for a picture"),
        ("file: grey.png, cell: 0.1", "must be given for a picture"),
        ("file: colour.png, cell: 0.1, top: 1.0", "is a colour picture"),
        ("file: none.npy, cell: 0.1", "is no file in"),
        ("file: none.txt, cell: 0.1", "must end in .png or .npy or .npz"),
        ("file: text.npy, cell: 0.1", "is no NumPy array"),
        ("file: text.png, cell: 0.1, top: 1.0", "is no PNG picture"),
        ("file: text.npz, cell: 0.1", "is damaged or cut off"),
        ("file: two.npz, cell: 0.1", "one must be called heights"),
        ("file: words.npy, cell: 0.1", "numbers are needed"),
        ("file: line.npy, cell: 0.1", "has 1 axes, 2 (rows and columns) are needed"),
    ],
)
def test_errors_are_one_sentence(tmp_path: Path, line: str, words: str) -> None:
    Image.new("L", (4, 4)).save(tmp_path / "grey.png")
    Image.new("RGB", (4, 4), (1, 2, 3)).save(tmp_path / "colour.png")
    for ending in ("npy", "png", "npz"):
        (tmp_path / f"text.{ending}").write_text("no map")
    np.savez(tmp_path / "two.npz", a=np.zeros((2, 2)), b=np.zeros((2, 2)))
    np.save(tmp_path / "words.npy", np.array([["a", "b"], ["c", "d"]]))
    np.save(tmp_path / "line.npy", np.zeros(5))
    assert words in rejection(tmp_path, line)


def test_invalid_arrays_are_rejected() -> None:
    with pytest.raises(BadValue, match="has 3 axes"):
        add_height_field(mujoco.MjSpec(), "a", np.zeros((2, 2, 2)), 0.1, Pose())
    with pytest.raises(BadValue, match="1 hole"):
        HeightMap.of(np.array([[0, np.inf], [0, 0]]), 0.1, x=0, friction=0.4)


def bowl(cell: float, radius: float = 0.6) -> Array:
    """Return a level plate of 2 m with a round hollow."""
    x, y = np.meshgrid(*[cell * np.arange(round(2 / cell) + 1) - 1] * 2)
    result: Array = -0.2 * np.clip(1 - (x**2 + y**2) / radius**2, 0, None)
    return result


def bar_contacts(
    ground: TerrainPiece, places: Array, z: float, yaw: float
) -> npt.NDArray[np.int64]:
    """Return the number of contacts of each bar, 30 cm long, on a piece at height ``z``."""
    spec = mujoco.MjSpec()
    ground.add(spec, STANDARD.ground, "ground")
    solids = len(spec.geoms)
    for x, y in places:
        body = spec.worldbody.add_body(pos=(x, y, z + 0.009), quat=Pose.at(yaw=yaw).wxyz)
        body.add_freejoint()
        kind = mujoco.mjtGeom.mjGEOM_BOX
        body.add_geom(type=kind, size=(0.15, 0.01, 0.01), contype=2, conaffinity=1)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    bars = [max(contact.geom) - solids for contact in data.contact]
    return np.bincount(bars, minlength=len(places))


@pytest.mark.parametrize("yaw", [0.0, 0.6])
def test_bar_has_the_same_contacts_on_a_level_map_as_on_a_box(yaw: float) -> None:
    places = np.random.default_rng(0).uniform((0.2, -0.8), (1.8, 0.8), (60, 2))
    box = bar_contacts(Step(x=0, height=0.1, friction=1), places, 0.1, yaw)
    level = HeightMap.of(np.full((101, 101), 0.1), 0.02, x=0, friction=1)
    np.testing.assert_array_equal(bar_contacts(level, places, 0.1, yaw), box)


@pytest.mark.parametrize("cell", [0.02, 0.01])
def test_solids_beside_a_hollow_do_not_overlap(cell: float) -> None:
    """Coincident solids or fields would double contacts and make images flicker."""
    grid = bowl(cell)
    rows, columns = grid.shape
    solid = np.zeros((rows - 1, columns - 1), int)
    for plane in cut(grid).planes:
        solid += inside(plane.corners, (rows - 1, columns - 1))
    assert solid.max() == 1
    assert solid[grid[:-1, :-1] == 0].mean() > 0.9
    places = np.random.default_rng(0).uniform((0.2, -0.8), (1.8, 0.8), (400, 2))
    places = places[np.abs(places - (1, 0)).max(axis=1) > 0.6 + 0.17]  # outside the hollow
    touching = bar_contacts(HeightMap.of(grid, cell, x=0, friction=1), places, 0.0, 0.6)
    assert touching.max() <= 8  # on the seam of two solids
    assert np.median(touching) == 4
    assert max(ground_error(grid, cell)) < 1e-6


def inside(
    corners: tuple[tuple[float, float], ...], shape: tuple[int, int]
) -> npt.NDArray[np.bool_]:
    """Return the cells whose centres are inside a convex polygon."""
    middle = np.stack(np.meshgrid(*[np.arange(n) + 0.5 for n in shape], indexing="ij"), axis=-1)
    begin = np.array(corners)
    edge = np.roll(begin, -1, axis=0) - begin
    away = middle[..., None, :] - begin
    side = edge[:, 0] * away[..., 1] - edge[:, 1] * away[..., 0]
    within: npt.NDArray[np.bool_] = (side > 0).all(axis=-1) | (side < 0).all(axis=-1)
    return within
