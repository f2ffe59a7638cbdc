"""Array functions of a scan on scenes with known geometry."""

from typing import Any

import numpy as np
import pytest
from support.scan_scenes import (
    FLOOR,
    LEVEL,
    box_distance,
    camera_pose,
    camera_rays,
    hit_boxes,
    hit_hills,
    lidar_rays,
    simulated_scan,
)

from grouser.errors import BadValue
from grouser.frames import Array, Pose, degrees, from_rpy, rotate
from grouser.scan.cloud import PointCloud
from grouser.scan.coarse_registration import FramePose, coarse_register
from grouser.scan.distance_field import smallest_eigenvector
from grouser.scan.gravity_direction import find_gravity_direction
from grouser.scan.holes import close_holes, find_holes
from grouser.scan.organised_frames import frame_edges, interpolate_pixels
from grouser.scan.outliers import find_outliers
from grouser.scan.pipeline import ScanOptions, rebuild
from grouser.scan.registration import PoseSpread, register_frames
from grouser.scan.rotation import quaternion
from grouser.scan.simplify import simplify_mesh, triangle_distances
from grouser.scan.surface import fused_surface
from grouser.scan.voxel_grid import voxel_centroids, voxel_grid
from grouser.world.meshes.triangle_mesh import TriangleMesh

BOXES = [FLOOR, ((1.0, -0.2, 0.0), (1.3, 0.2, 0.2)), ((1.5, 0.3, 0.0), (1.8, 0.6, 0.1))]
EYE = camera_pose((0.0, 0.0, 0.8), (1.3, 0.0, 0.0))


def scan_of_boxes(
    rows: int = 240,
    columns: int = 320,
    focal: float = 290.0,
    noise: float = 0.002,
    X_WC: Pose = EYE,
    boxes: list[tuple[tuple[float, float, float], tuple[float, float, float]]] = BOXES,
    seed: int = 0,
) -> PointCloud:
    rays = camera_rays(rows, columns, focal)
    hit = lambda eye, turned: hit_boxes(eye, turned, boxes)  # noqa: E731
    return simulated_scan(X_WC, rays, hit, (rows, columns), noise, seed, far=3.0)


def hills(x: Array, y: Array) -> Array:
    return 0.15 * np.sin(2.1 * x + 0.3) * np.cos(1.7 * y) + 0.05 * np.sin(7 * x + 3 * y)


def down_error_deg(cloud: PointCloud, X_WC: Pose, **known: Any) -> float:
    """Return the error of the estimated gravity direction, deg."""
    true = rotate(X_WC.inverse().wxyz, (0.0, 0.0, -1.0))
    return degrees(
        float(np.arccos(np.clip(find_gravity_direction(cloud, **known).direction @ true, -1, 1)))
    )


def test_voxel_is_the_mean_of_its_points() -> None:
    points = np.array([[0.01, 0.01, 0.01], [0.03, 0.05, 0.09], [0.11, 0.0, 0.0], [-0.01, 0, 0]])
    expected = [(-0.01, 0.0, 0.0), (0.02, 0.03, 0.05), (0.11, 0.0, 0.0)]
    assert [tuple(row) for row in voxel_centroids(points, 0.1).round(9)] == expected
    with_gaps = np.concatenate([points, [[np.nan, 0, 0], [np.inf, -np.inf, 0]]])
    assert [tuple(row) for row in voxel_centroids(with_gaps, 0.1).round(9)] == expected


@pytest.mark.parametrize("spread", [1.0, 3000.0])
def test_voxels_agree_with_a_dictionary_implementation(spread: float) -> None:
    """Large spreads, for which cell and point do not fit into one integer, are included."""
    points = np.random.default_rng(0).normal(0, spread, (5000, 3))
    size = 0.1 if spread == 1 else 0.3
    cells: dict[tuple[int, ...], list[Array]] = {}
    for point in points:
        cells.setdefault(tuple(np.floor(point / size)), []).append(point)
    expected = [np.mean(cells[key], axis=0) for key in sorted(cells)]
    np.testing.assert_allclose(voxel_centroids(points, size), expected, atol=1e-9)
    grid = voxel_grid(points, size)
    np.testing.assert_array_equal(grid.cells(grid.keys)[grid.voxels()], np.floor(points / size))
    assert (grid.find(grid.keys) == np.arange(len(grid))).all()
    assert (grid.find(grid.keys[-1:] + 1) == -1).all()


def test_invalid_voxel_sizes_are_rejected() -> None:
    points = np.array([[0.0, 0, 0], [1e9, 1e9, 1e9]])
    with pytest.raises(BadValue, match="too small for a cloud"):
        voxel_centroids(points, 1e-3)
    with pytest.raises(BadValue, match="a size above 0"):
        voxel_centroids(points, 0.0)
    with pytest.raises(BadValue, match="no points that are finite"):
        voxel_centroids(np.full((3, 3), np.nan), 0.1)


def test_smallest_eigenvector_agrees_with_numpy() -> None:
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(500, 3, 3)) * rng.uniform(0.01, 2, (500, 1, 3))
    matrices = factors @ factors.transpose(0, 2, 1)
    values, vectors = np.linalg.eigh(matrices)
    found, least = smallest_eigenvector([matrices[:, i, j] for i in range(3) for j in range(i, 3)])
    np.testing.assert_allclose(np.abs((found * vectors[:, :, 0]).sum(axis=1)), 1, atol=1e-6)
    np.testing.assert_allclose(least, values[:, 0], atol=1e-9)


@pytest.mark.parametrize(
    ("rows", "columns", "focal", "noise"),
    [(120, 160, 145.0, 0.0), (240, 320, 290.0, 0.003), (424, 512, 366.0, 0.004)],
)
def test_box_on_a_floor_is_reconstructed_with_its_walls(
    rows: int, columns: int, focal: float, noise: float
) -> None:
    cloud = scan_of_boxes(rows, columns, focal, noise)
    ground = rebuild([cloud], ScanOptions(camera_poses=(EYE,)))
    middles, normals = ground.mesh.triangles.mean(axis=1), ground.mesh.face_normals()
    off = box_distance(middles, BOXES)
    assert off.mean() < 0.0015
    assert np.quantile(off, 0.95) < 0.004
    # The front of the box is a wall from foot to top that faces the camera.
    front = (np.abs(middles[:, 0] - 1.0) < 0.01) & (np.abs(middles[:, 1]) < 0.19)
    front &= normals[:, 0] < -0.9
    areas = np.linalg.norm(ground.mesh.crosses(), axis=1) / 2
    assert areas[front].sum() == pytest.approx(0.4 * 0.2, rel=0.25)
    # Occluded parts are missing: the back of the box and the ground behind it.
    assert not (
        (middles[:, 0] > 1.32) & (middles[:, 0] < 1.4) & (np.abs(middles[:, 1]) < 0.1)
    ).any()
    rays = EYE.position - middles
    assert ((rays * normals).sum(axis=1) > 0).mean() > 0.99
    assert ground.error <= 0.002
    assert not ground.warnings


def test_reconstruction_is_deterministic() -> None:
    one, two = (rebuild([scan_of_boxes()]) for _ in range(2))
    np.testing.assert_array_equal(one.mesh.vertices, two.mesh.vertices)
    np.testing.assert_array_equal(one.mesh.faces, two.mesh.faces)


def test_hills_without_a_plane_are_reconstructed() -> None:
    """Hills scanned by a camera: reconstruction, and gravity within 3 degrees."""
    eye = camera_pose((0.0, 0.0, 1.0), (1.5, 0.0, 0.0))
    hit = lambda at, rays: hit_hills(at, rays, hills)  # noqa: E731
    cloud = simulated_scan(eye, camera_rays(120, 160, 145.0), hit, (120, 160), 0.003, far=4.0)
    ground = rebuild([cloud], ScanOptions(camera_poses=(eye,)))
    middles = ground.mesh.triangles.mean(axis=1)
    off = np.abs(middles[:, 2] - hills(middles[:, 0], middles[:, 1]))
    assert off.mean() < 0.002
    assert np.quantile(off, 0.95) < 0.006
    assert find_gravity_direction(cloud).cue == "ground"
    assert down_error_deg(cloud, eye) < 3.0


@pytest.mark.parametrize("roll", [0.0, 0.3])
@pytest.mark.parametrize("pitch", [15.0, 40.0, 70.0])
def test_gravity_direction_of_a_camera_is_found(pitch: float, roll: float) -> None:
    X_WC = camera_pose(
        (0.0, 0.0, 1.0), (np.cos(np.radians(pitch)), 0.0, 1 - np.sin(np.radians(pitch)))
    )
    X_WC = X_WC @ Pose(np.zeros(3), from_rpy(0.0, 0.0, roll))
    assert down_error_deg(scan_of_boxes(X_WC=X_WC), X_WC) < 0.5


def test_stairs_and_walls_do_not_tilt_the_gravity_direction() -> None:
    stairs = [((1.0 + 0.25 * k, -2.0, 0.0), (3.0, 2.0, 0.17 * (k + 1))) for k in range(5)]
    walls = [((3.0, -3.0, 0.0), (3.2, 3.0, 3.0))]
    cloud = scan_of_boxes(boxes=[FLOOR, *stairs, *walls])
    assert down_error_deg(cloud, EYE) < 1.0


def test_gravity_from_a_wall_alone_has_a_warning() -> None:
    X_WC = camera_pose((0.0, 0.0, 1.0), (1.0, 0.0, 1.0))
    guess = find_gravity_direction(scan_of_boxes(X_WC=X_WC, boxes=[((2.0, -9, -9), (3.0, 9, 9))]))
    assert guess.confidence < 0.5
    assert "wall" in guess.remark


def test_given_gravity_and_pose_are_used() -> None:
    cloud = scan_of_boxes()
    true = rotate(EYE.inverse().wxyz, (0.0, 0.0, -1.0))
    guess = find_gravity_direction(cloud, gravity=9.81 * true)
    np.testing.assert_allclose(guess.direction, true)
    level = cloud.transformed(guess.X_WC).finite().points
    assert np.median(np.abs(level[:, 2])) < 0.01
    assert find_gravity_direction(cloud, camera_pose=EYE).X_WC is EYE
    with pytest.raises(BadValue, match="no direction"):
        find_gravity_direction(cloud, gravity=np.zeros(3))


@pytest.mark.parametrize("shape", [(16, 900), None])
def test_lidar_rings_are_reconstructed(shape: tuple[int, int] | None) -> None:
    """A hall scanned by 16 rings, organized or not: floor, walls, gravity along -z."""
    hall = [FLOOR, ((-6.0, 3.0, 0.0), (6.0, 3.2, 2.0)), ((2.0, -1.0, 0.0), (3.0, 0.0, 0.5))]
    hit = lambda eye, rays: hit_boxes(eye, rays, hall)  # noqa: E731
    cloud = simulated_scan(LEVEL, lidar_rays(), hit, shape, 0.01, far=12.0)
    cloud = cloud if shape else cloud.finite()
    assert down_error_deg(cloud, LEVEL) < 1.0
    ground = rebuild([cloud], ScanOptions(voxel=0.05))
    off = box_distance(ground.mesh.triangles.mean(axis=1), hall)
    assert off.mean() < 0.02
    assert ground.mesh.area() > 30.0


def test_ground_is_found_with_z_down_and_under_a_ceiling() -> None:
    """Ground is seen from above; a ceiling is not ground, even if it is larger."""
    hall = [FLOOR, ((-6.0, -6.0, 2.0), (6.0, 6.0, 2.2))]
    over = Pose(np.zeros(3), np.array([0.0, 1.0, 0.0, 0.0]))
    hit = lambda eye, rays: hit_boxes(eye, rays, [FLOOR])  # noqa: E731
    floor = simulated_scan(LEVEL, lidar_rays(), hit, None, 0.01, far=12.0).finite()
    assert down_error_deg(floor.transformed(over), LEVEL @ over) < 1.0
    hit = lambda eye, rays: hit_boxes(eye, rays, hall)  # noqa: E731
    rays = lidar_rays(lowest=-25.0, highest=35.0)
    assert (
        down_error_deg(simulated_scan(LEVEL, rays, hit, None, 0.01, far=12.0).finite(), LEVEL) < 1.0
    )


def test_depth_jumps_are_found_and_slanted_ground_is_kept() -> None:
    cloud = scan_of_boxes(60, 80, 72.0, noise=0.0)
    edges = frame_edges(cloud, 0.02)
    grid = (cloud.transformed(EYE)).points.reshape(60, 80, 3)
    top = (np.abs(grid[..., 2] - 0.2) < 1e-6).nonzero()  # the box's top: behind it is a jump
    for column in set(top[1].tolist()):
        last = top[0][top[1] == column].min()
        assert edges.jump_down[last - 1, column]
    far_floor = grid[..., 0] > 2.0
    flat = far_floor[:-1] & far_floor[1:]
    assert not edges.jump_down[flat].any()  # a flat angle is not a jump
    more = interpolate_pixels(cloud, 0.02).transformed(EYE)
    assert len(more) > 1000
    assert np.quantile(box_distance(more.points, BOXES), 0.99) < 0.02


def test_flying_pixels_are_found() -> None:
    cloud = scan_of_boxes(noise=0.0)
    grid = cloud.points.reshape(240, 320, 3).copy()
    edges = frame_edges(cloud, 0.02)
    rows, columns = np.nonzero(edges.jump_down[:-1])
    rows, columns = rows[::3], columns[::3]
    grid[rows, columns] = (grid[rows, columns] + grid[rows + 1, columns]) / 2  # half on each
    mixed = PointCloud(grid.reshape(-1, 3), (240, 320), None, np.zeros(3))
    air = box_distance(mixed.transformed(EYE).points, BOXES) > 0.03
    found = find_outliers(mixed, 0.02)
    assert air.sum() > 20
    assert found[air].mean() > 0.8
    assert found[~air].mean() < 0.002
    echoes = np.random.default_rng(0).uniform((-1, -1, 0.3), (1, 0, 1.5), (200, 3))
    echoes = echoes[box_distance(EYE.apply(echoes), BOXES) > 0.15][:20]
    loose = PointCloud(np.concatenate([cloud.finite().points, echoes]))
    found = find_outliers(loose, 0.02)
    assert found[-20:].sum() >= 15
    assert found[:-20].mean() < 0.002


def test_frames_from_three_poses_are_registered() -> None:
    poses = [
        camera_pose((x, y, 0.8), (1.3, 0.1, 0.0)) for x, y in ((0.0, 0.0), (0.3, 0.7), (0.3, -0.7))
    ]
    boxes = [*BOXES, ((1.2, -0.8, 0.0), (1.6, -0.5, 0.3))]
    clouds = [scan_of_boxes(X_WC=pose, boxes=boxes, seed=k) for k, pose in enumerate(poses)]
    rng = np.random.default_rng(0)
    guesses = [
        Pose(pose.position + rng.normal(0, 0.02, 3), pose.wxyz) @ Pose.at(yaw=0.02)
        for pose in poses
    ]
    frames = coarse_register(clouds, 0.02, guesses)
    for frame, pose in zip(frames, poses, strict=True):
        true = poses[0].inverse() @ pose
        assert np.linalg.norm(frame.X_FC.position - true.position) < 0.005
        assert abs(frame.X_FC.wxyz @ true.wxyz) > np.cos(0.005 / 2)
    ground = rebuild(clouds, ScanOptions(camera_poses=(poses[0], *guesses[1:])))
    assert all(frame.loose < 0.005 for frame in ground.frames)
    assert not ground.warnings
    off = box_distance(ground.mesh.triangles.mean(axis=1), boxes)
    assert off.mean() < 0.003
    assert np.quantile(off, 0.95) < 0.01
    with pytest.raises(BadValue, match="frame 2 does not fit the previous ones"):
        coarse_register([clouds[0], clouds[1].transformed(Pose.at(5, 5, 5))], 0.02)


def two_frames(
    boxes: list[tuple[tuple[float, float, float], tuple[float, float, float]]],
    seed: int,
    noise: float = 0.003,
) -> tuple[list[PointCloud], list[Pose], list[Pose]]:
    """Return two frames from left and right, their poses, and approximate poses."""
    poses = [camera_pose((0.2, y, 0.8), (1.3, 0.1, 0.0)) for y in (-0.6, 0.7)]
    clouds = [scan_of_boxes(120, 160, 145.0, noise, pose, boxes, seed) for pose in poses]
    off = np.random.default_rng(seed).normal(0, 0.02, 3)
    return clouds, poses, [poses[0], Pose(poses[1].position + off, poses[1].wxyz)]


def registration_errors(frames: tuple[FramePose, ...], poses: list[Pose]) -> Array:
    """Return the position error of the second frame's view along x, y, z, m."""
    place = np.array([0.0, 0.0, 1.3])
    return poses[0].apply(frames[1].X_FC.apply(place)) - poses[1].apply(place)


@pytest.mark.parametrize("seed", [0, 1])
def test_unconstrained_frames_keep_their_given_pose(seed: int) -> None:
    """A floor does not constrain motion along itself, a step not along its edge."""
    step = [FLOOR, ((1.3, -9.0, 0.0), (9.0, 9.0, 0.15))]
    for boxes, held in (([FLOOR], [False, False, True]), (step, [True, False, True])):
        clouds, poses, guesses = two_frames(boxes, seed)
        frames = register_frames(clouds, 0.03, guesses)
        assert frames[1].loose > 0.05
        assert 0.015 < frames[1].left < 0.1  # 2 degrees of yaw move what is seen by 70 mm
        off, given = registration_errors(frames, poses), (guesses[1].position - poses[1].position)
        assert (np.abs(off[held]) < 0.003).all()
        assert (np.abs(off - given)[~np.array(held)] < 0.012).all()
        # More accurate poses constrain the result more.
        exact = register_frames(clouds, 0.03, poses, PoseSpread(0.002, 0.002))
        assert np.abs(registration_errors(exact, poses)).max() < 0.004


def test_unconstrained_frames_are_warned_about() -> None:
    clouds, _, guesses = two_frames([FLOOR], 0)
    known, unknown = (
        rebuild(clouds, ScanOptions(voxel=0.04, camera_poses=poses))
        for poses in (tuple(guesses), None)
    )
    assert any(
        "frame 2 could slide" in line and "camera pose does" in line for line in known.warnings
    )
    assert any(line.endswith("give camera poses") for line in unknown.warnings)
    with pytest.raises(BadValue, match="must be above 0"):
        PoseSpread(0.0, 0.1)


def plate_mesh(
    cells: int = 20, size: float = 0.02, hole: tuple[int, int] | None = None
) -> TriangleMesh:
    """Return a square of upward triangles at z = 0, without the cells of ``hole``."""
    x, y = np.meshgrid(np.arange(cells + 1), np.arange(cells + 1), indexing="ij")
    vertices = size * np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3).astype(float)
    i, j = (
        array.ravel() for array in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    )
    if hole:
        keep = ~((i >= hole[0]) & (i < hole[1]) & (j >= hole[0]) & (j < hole[1]))
        i, j = i[keep], j[keep]
    a, b, c, d = (p * (cells + 1) + q for p, q in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return TriangleMesh(vertices, faces)


def test_holes_are_reported_and_closed_up_to_a_size() -> None:
    mesh = plate_mesh(hole=(8, 11))
    outer, hole = find_holes(mesh)
    assert outer.outer
    assert not hole.outer
    assert hole.width == pytest.approx(0.06 * np.sqrt(2))
    assert hole.area == pytest.approx(0.06**2)
    assert not close_holes(mesh, 0.08)[1]
    whole, closed = close_holes(mesh, 0.09)
    assert len(closed) == 1
    assert whole.area() == pytest.approx(0.4**2)
    assert (whole.face_normals()[:, 2] > 0.999).all()
    assert len(find_holes(whole)) == 1


def test_holes_that_share_a_vertex_are_two_holes() -> None:
    mesh = plate_mesh()
    gone = {(5, 5), (6, 6)}
    middle = np.floor(mesh.triangles.mean(axis=1)[:, :2] / 0.02).astype(int)
    keep = [tuple(cell) not in gone for cell in middle.tolist()]
    holes = find_holes(TriangleMesh(mesh.vertices, mesh.faces[keep]))
    assert [len(hole.corners) for hole in holes] == [80, 4, 4]


def test_plane_parts_are_simplified_within_the_error_bound() -> None:
    mesh = plate_mesh(64)
    fewer = simplify_mesh(mesh, 0.001)
    assert len(fewer.mesh.faces) < len(mesh.faces) / 6
    assert fewer.error <= 1e-9
    assert fewer.mesh.area() == pytest.approx(mesh.area(), rel=1e-6)
    up = np.outer(hills(*mesh.vertices.T[:2]), (0, 0, 1))
    bumpy = TriangleMesh(mesh.vertices + up, mesh.faces)
    for error in (0.0005, 0.005):
        fewer = simplify_mesh(bumpy, error)
        candidates = np.repeat(bumpy.vertices[::97], len(fewer.mesh.faces), axis=0)
        corners = np.tile(fewer.mesh.triangles, (len(bumpy.vertices[::97]), 1, 1))
        off = triangle_distances(candidates, corners).reshape(-1, len(fewer.mesh.faces)).min(axis=1)
        assert off.max() <= fewer.error + 1e-12 <= error + 1e-12
        assert len(fewer.mesh.faces) < len(bumpy.faces)
    with pytest.raises(BadValue, match="from 0 up"):
        simplify_mesh(mesh, -1.0)


def test_ball_scanned_from_all_sides_is_closed_with_outward_normals() -> None:
    """Unorganized points of a ball, each seen from outside: no grid, no plane, no frame."""
    rng = np.random.default_rng(0)
    out = rng.normal(size=(40_000, 3))
    out /= np.linalg.norm(out, axis=1, keepdims=True)
    points = 0.3 * out + rng.normal(0, 0.001, out.shape)
    mesh = fused_surface(PointCloud(points, None, None, 2.0 * out), 0.02)
    radii = np.linalg.norm(mesh.vertices, axis=1)
    assert np.abs(radii - 0.3).mean() < 0.001
    assert mesh.open_edges == 0
    assert ((mesh.triangles.mean(axis=1) * mesh.face_normals()).sum(axis=1) > 0).all()


def test_matrix_to_quaternion_round_trip() -> None:
    rng = np.random.default_rng(0)
    for wxyz in rng.normal(size=(50, 4)):
        unit = wxyz / np.linalg.norm(wxyz)
        found = quaternion(rotate(unit, np.eye(3)).T)
        assert abs(found @ unit) == pytest.approx(1.0)


def test_too_few_points_are_reported() -> None:
    with pytest.raises(BadValue, match="no surface"):
        rebuild([PointCloud(np.random.default_rng(0).uniform(0, 1, (50, 3)))])
    with pytest.raises(BadValue, match="there are no frames"):
        rebuild([])
    with pytest.raises(BadValue, match="2 camera poses for 1 frames"):
        rebuild([scan_of_boxes()], ScanOptions(camera_poses=(EYE, EYE)))
