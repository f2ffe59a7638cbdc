"""Depth cameras: geometry, errors of both Kinects, missing returns."""

import dataclasses
import math

import numpy as np
import numpy.typing as npt
import pytest
from support.sensor_rig import block, put, simulation

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.rendering.image_plane import ImagePlane
from grouser.sensors.depth import DEPTH_CAMERAS, DepthCamera, DepthOptics, corrupt, resample
from grouser.sensors.imaging.depth_errors import (
    Disparity,
    SurfaceNoise,
    TimeOfFlight,
    in_shadow,
    incidence_cosines,
    noisy_surface,
    smooth_noise,
)
from grouser.world.objects import AnyObject, Ball

EYE = {"kind": "depth", "mount": "body", "at": [0.4, 0.0, 0.91]}  # (0.4, 0, 1) in the world
WALL = block("wall", (2.5, 0, 2), (0.2, 30, 4))  # its face is 2 m ahead
SMALL = ImagePlane.centred(160, 120, 120.0)


def depth_image_of(
    camera: DepthOptics | str, *objects: AnyObject
) -> tuple[DepthCamera, npt.NDArray[np.float32]]:
    """Return the description of a camera and its depth image from its place."""
    sim = simulation({**EYE, "camera": camera}, objects=objects)
    description, _ = sim.scene.sensors["a", "depth"]
    assert isinstance(description, DepthCamera)
    return description, sim.read("a", "depth").array("depth")


def wall_depths(plane: ImagePlane, distance: float, yaw: float = 0.0) -> Array:
    """Return the depths of a plane at ``distance`` that is rotated about the vertical axis."""
    right, _ = plane.slopes()
    row = distance * math.cos(yaw) / (math.cos(yaw) - math.sin(yaw) * right)
    return np.tile(row, (plane.height, 1))


def test_depths_and_clouds_agree_with_geometry() -> None:
    exact = DepthOptics(plane=SMALL, errors=None, near=0.3, far=20.0)
    ball = Ball(name="ball", friction=1, fixed=True, position=(1.9, 0.4, 1.2), radius=0.2)
    description, depth = depth_image_of(exact, WALL, ball)
    assert depth.shape == (120, 160)
    assert depth.dtype == np.float32
    assert depth[30, 140] == pytest.approx(2.0, abs=1e-4)
    cloud = description.points(depth) + np.array([0.4, 0.0, 1.0])
    on_ball = (
        np.abs(np.linalg.norm(cloud - [1.9, 0.4, 1.2], axis=1) - 0.2) < 0.015
    )  # the mesh has few facets
    on_wall = np.abs(cloud[:, 0] - 2.4) < 1e-3
    on_floor = np.abs(cloud[:, 2]) < 1e-3
    assert on_ball.sum() > 100
    assert (on_ball | on_wall | on_floor).mean() > 0.999
    pixels = np.nonzero(np.isfinite(depth))
    assert on_ball[(pixels[1] < 80) & (pixels[0] < 60)].sum() > 0.9 * on_ball.sum(), "up, left"


def test_edges_and_grazing_surfaces_have_no_return() -> None:
    exact = DepthOptics(plane=SMALL, errors=None, near=0.3, far=20.0)
    box = block("box", (1.6, 0.0, 1.0), (0.4, 0.6, 0.4))
    _, depth = depth_image_of(exact, WALL, box)
    silent = np.isnan(depth)
    assert silent[60].sum() >= 2, "left and right edge of the box"
    assert 0.001 < silent[:80].mean() < 0.1, "edges alone"
    right, down = SMALL.slopes()
    for angle, answers in ((75.0, True), (84.0, False)):
        depths = corrupt(
            wall_depths(SMALL, 2.0, math.radians(angle)), exact, 0, np.random.default_rng(0)
        )
        assert np.isfinite(depths[60, 80]) == answers
    level = incidence_cosines(wall_depths(SMALL, 2.0, 0.5), SMALL)
    assert level[60, 80] == pytest.approx(math.cos(0.5), abs=0.01)
    corner = math.sqrt(1 + right[0] ** 2 + down[0] ** 2)
    assert incidence_cosines(wall_depths(SMALL, 2.0), SMALL)[0, 0] == pytest.approx(
        1 / corner, abs=1e-6
    )


def test_sky_and_far_surfaces_have_no_return() -> None:
    _, depth = depth_image_of(DepthOptics(plane=SMALL, errors=None, near=0.3, far=1.9), WALL)
    assert np.isnan(depth[:60]).all()
    _, depth = depth_image_of("kinect2")
    assert np.isnan(depth[:200]).all()
    assert np.isfinite(depth[300:]).mean() > 0.9


def test_kinect_1_quantizes_disparity_to_an_eighth_of_a_pixel() -> None:
    """All depths are 8 f b / k with whole k: their spacing is depth² / (8 f b)."""
    optics = DEPTH_CAMERAS["kinect1"]
    assert isinstance(optics.errors, Disparity)
    scale = 8 * optics.plane.focal[0] * optics.errors.baseline
    rng = np.random.default_rng(0)
    depths = corrupt(wall_depths(optics.plane, 3.0, 0.5), optics, 0, rng)
    steps = scale / depths[np.isfinite(depths)]
    assert np.abs(steps - np.round(steps)).max() < 1e-6
    levels = np.unique(np.round(depths[np.isfinite(depths)], 9))
    near_three = levels[np.abs(levels - 3.0) < 0.2]
    assert np.diff(near_three) == pytest.approx(near_three[:-1] * near_three[1:] / scale, rel=1e-6)
    assert np.diff(near_three).mean() == pytest.approx(9.0 / scale, rel=0.02)  # 26 mm


def test_kinect_1_noise_grows_with_squared_distance_and_is_correlated() -> None:
    optics = DEPTH_CAMERAS["kinect1"]
    rng = np.random.default_rng(1)
    spreads = {}
    for distance in (1.0, 2.0, 4.0):
        off = corrupt(wall_depths(optics.plane, distance), optics, 0, rng) - distance
        spreads[distance] = float(np.std(off))
        if distance == 4.0:
            together = np.corrcoef(off[:, :-1].ravel(), off[:, 1:].ravel())[0, 1]
            apart = np.corrcoef(off[:, :-30].ravel(), off[:, 30:].ravel())[0, 1]
    assert spreads[4.0] / spreads[1.0] == pytest.approx(16, rel=0.35)
    assert together > 0.6 > 0.1 > abs(apart)


def tilt(angle: float) -> float:
    """Return the angle's part of both published models."""
    return (angle / (math.pi / 2 - angle)) ** 2


AXIAL = {
    # Nguyen, Izadi, Lovell 2012, m
    "kinect1": lambda z, angle: (
        0.0012
        + 0.0019 * (z - 0.4) ** 2
        + (angle > math.radians(60.5)) * 0.0001 / math.sqrt(z) * tilt(angle)
    ),
    # Fankhauser et al. 2015, mm
    "kinect2": lambda z, angle: 1e-3 * (1.5 - 0.5 * z + 0.3 * z**2 + 0.1 * z**1.5 * tilt(angle)),
}


@pytest.mark.parametrize("camera", sorted(AXIAL))
def test_axial_noise_is_as_published(camera: str) -> None:
    """From image to image and over a patch, by distance and angle of incidence."""
    optics = DEPTH_CAMERAS[camera]
    # A strip of the sensor with the same focal length takes less time.
    strip = dataclasses.replace(optics, plane=ImagePlane.centred(72, 120, optics.plane.focal[0]))
    patch = (slice(10, 110), slice(32, 40))
    rows, columns = np.mgrid[patch]
    plane = np.column_stack([rows.ravel(), columns.ravel(), np.ones(rows.size)])
    for distance in (1.0, 2.0, 3.0):
        for degrees in (0.0, 30.0, 60.0, 75.0):
            rng = np.random.default_rng(round(distance + degrees))
            true = wall_depths(strip.plane, distance, math.radians(degrees))
            images = np.array([corrupt(true, strip, 7, rng)[patch] for _ in range(16)])
            published = AXIAL[camera](distance, math.radians(degrees))
            over_time = math.sqrt(images.var(axis=0, ddof=1).mean())
            assert over_time == pytest.approx(published, rel=0.2), (distance, degrees)
            flat = images.reshape(len(images), -1).T
            off = flat - plane @ np.linalg.lstsq(plane, flat)[0]
            assert float(off.std()) == pytest.approx(published, rel=0.2), (distance, degrees)


@pytest.mark.parametrize(("camera", "lateral"), [("kinect1", 0.8), ("kinect2", 1.6e-3 * 365.5)])
def test_edges_scatter_laterally_as_published(camera: str, lateral: float) -> None:
    """Standard deviation in pixels of a vertical edge 1 m away, as seen row by row."""
    optics = DEPTH_CAMERAS[camera]
    strip = dataclasses.replace(optics, plane=ImagePlane.centred(80, 200, optics.plane.focal[0]))
    true = np.full((200, 80), 2.0)
    # The edge leans by a tenth of a pixel a row, so that all fractions of a pixel occur.
    edge = 30.0 + 0.1 * np.arange(200)
    true[np.arange(80) < edge[:, None]] = 1.0
    rng = np.random.default_rng(1)
    scatter = []
    for _ in range(8):
        near = corrupt(true, strip, 0, rng) < 1.5
        last = 80 - np.argmax(near[:, ::-1], axis=1)
        scatter.append(last - edge)
    assert float(np.std(scatter)) == pytest.approx(lateral, rel=0.2)


def test_lateral_noise_leaves_planes_as_they_are() -> None:
    noise = SurfaceNoise(axial=(0.0, 0.0, 0.0), lateral_px=1.0)
    for angle in (0.0, 0.8):
        true = wall_depths(SMALL, 2.0, angle)
        lost = np.zeros(true.shape, bool)
        rng = np.random.default_rng(0)
        moved, deviation, still_lost = noisy_surface(true, lost, SMALL, noise, 2.0, rng)
        assert moved == pytest.approx(true, rel=1e-9)
        assert not deviation.any()
        assert not still_lost.any()


def test_kinect_1_has_a_shadow_on_one_side_of_near_objects() -> None:
    """A near strip casts a shadow on the background, on the side away from the projector."""
    focal, baseline = 580.0, 0.075
    depth = np.full((4, 640), 3.0)
    depth[:, 300:340] = 1.0
    shadow = in_shadow(focal * baseline / depth)
    width = focal * baseline * (1 / 1.0 - 1 / 3.0)  # 29 pixels
    dark = np.flatnonzero(shadow[0])
    assert dark.max() == 299
    assert len(dark) == pytest.approx(width, abs=1.5)
    assert not in_shadow(focal * baseline / np.full((4, 640), 2.0)).any()


def test_kinect_2_noise_grows_with_distance_and_is_correlated() -> None:
    optics = DEPTH_CAMERAS["kinect2"]
    errors, rng = optics.errors, np.random.default_rng(2)
    assert isinstance(errors, TimeOfFlight)
    offs = [
        corrupt(wall_depths(optics.plane, 3.0), optics, pattern_seed, rng) - 3.0
        for pattern_seed in range(3)
    ]
    random, fixed = AXIAL["kinect2"](3.0, 0.0), errors.pattern_floor + errors.pattern_growth * 9.0
    assert np.nanstd(offs) == pytest.approx(math.hypot(random, fixed), rel=0.1)
    off = offs[0]
    near = np.corrcoef(off[:, :-1].ravel(), off[:, 1:].ravel())[0, 1]
    further = np.corrcoef(off[:, :-10].ravel(), off[:, 10:].ravel())[0, 1]
    assert near > 0.45 > further > 0.05
    pair = [
        corrupt(wall_depths(optics.plane, 4.0), optics, pattern_seed, rng) - 4.0
        for pattern_seed in (7, 7, 8)
    ]
    same, other = (np.corrcoef(pair[0].ravel(), off.ravel())[0, 1] for off in pair[1:])
    fixed = errors.pattern_floor + errors.pattern_growth * 16.0
    random = errors.noise.axial_deviation(np.array([4.0]), np.array([0.0])).item()
    share = fixed**2 / (fixed**2 + random**2)
    assert same == pytest.approx(share, abs=0.05), "the fixed pattern is constant"
    assert abs(other) < 0.15


def test_smooth_noise_has_unit_variance_everywhere() -> None:
    rng = np.random.default_rng(3)
    fields = np.array([smooth_noise((40, 60), 5.0, rng) for _ in range(1500)])
    assert fields.std(axis=0) == pytest.approx(1.0, rel=0.12)
    assert fields.mean() == pytest.approx(0.0, abs=0.02)
    assert smooth_noise((30, 40), 0.0, rng).shape == (30, 40)


@pytest.mark.parametrize(
    ("camera", "shape"),
    [("kinect2", (424, 512)), ("kinect2_qhd", (540, 960)), ("kinect2_hd", (1080, 1920))],
)
def test_kinect_2_gives_three_sizes_of_cloud(camera: str, shape: tuple[int, int]) -> None:
    description, depth = depth_image_of(camera, WALL)
    assert depth.shape == shape
    cloud = description.points(depth)
    assert cloud.shape == (np.isfinite(depth).sum(), 3)
    ahead = cloud[np.abs(cloud[:, 1:]).max(axis=1) < 0.4]
    assert ahead[:, 0] == pytest.approx(2.0, abs=0.02)
    assert np.isnan(depth[shape[0] // 2, 0]) == (camera != "kinect2"), (
        "the colour camera has a wider field of view"
    )


def test_reprojection_to_another_camera_is_exact_on_planes() -> None:
    """1 / depth of a plane is linear in pixel coordinates, and depth is nearly linear."""
    plane, other = ImagePlane.centred(320, 240, 300.0), ImagePlane.centred(480, 300, 420.0)
    seen = resample(wall_depths(plane, 2.0, 0.3), plane, other)
    inside = np.isfinite(seen)
    assert inside.mean() > 0.9
    assert np.abs(seen - wall_depths(other, 2.0, 0.3))[inside].max() < 1e-4
    holed = wall_depths(plane, 2.0)
    holed[100, 100] = np.nan
    assert 0 < np.isnan(resample(holed, plane, plane)[90:110, 90:110]).sum() <= 4


def test_depth_image_is_rendered_on_demand() -> None:
    sim = simulation({**EYE, "camera": "kinect2", "name": "a_camera"}, objects=(WALL,))
    sim.step(0.05)
    reading = sim.read("a", "a_camera")
    assert "depth" not in vars(reading.values)
    first = reading.array("depth")
    put(sim, -1.0)
    sim.step(0.001)
    assert reading.array("depth") is first, "an earlier image does not change"


def test_error_of_an_unknown_camera_lists_the_known_ones() -> None:
    with pytest.raises(BadValue, match="did you mean 'kinect2'"):
        DepthCamera(mount="body", camera="kinekt2")
    still = SurfaceNoise(axial=(0.0, 0.0, 0.0))
    assert TimeOfFlight(noise=still).measure(
        np.ones((2, 2)),
        np.zeros((2, 2), bool),
        ImagePlane.centred(2, 2, 120.0),
        0,
        np.random.default_rng(0),
    ).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert Disparity(baseline=0.1).steps == 8
