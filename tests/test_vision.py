"""Robot vision on synthetic pictures of known geometry and on rendered ones."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grouser.frames import Array, Pose
from grouser.perception.ball import see_ball
from grouser.perception.colours import SAMPLES, Colour, ColourTable, paint_classes
from grouser.perception.landmarks import BeaconShape, see_landmarks
from grouser.perception.optics import CameraOptics, Neck, bearing, elevation_tangent
from grouser.perception.regions import find_regions

TABLE = ColourTable.from_samples()
RADIUS = 0.0425
PINHOLE = CameraOptics(width=176, height=144, focal=(160.0, 162.0))
BARREL = dataclasses.replace(PINHOLE, kappa=-0.1)
NECK = Neck(at=(0.075, 0.0, 0.16), up=0.048, ahead=0.0666)
CARPET = SAMPLES[Colour.GREEN]


def rays(optics: CameraOptics, gaze: Pose, fine: int) -> Array:
    """Return directions of sub-pixels, (height x fine, width x fine, 3)."""
    rows = (np.arange(optics.height * fine) + 0.5) / fine - 0.5
    columns = (np.arange(optics.width * fine) + 0.5) / fine - 0.5
    return optics.directions(np.stack(np.meshgrid(columns, rows), axis=-1), gaze)


def draw_picture(
    optics: CameraOptics, gaze: Pose, colour_of: Callable[..., Any], fine: int = 4
) -> npt.NDArray[np.uint8]:
    """Return a picture: ``paint`` turns directions into colours; sub-pixels are averaged."""
    fine_picture = colour_of(rays(optics, gaze, fine))
    shape = (optics.height, fine, optics.width, fine, 3)
    picture: npt.NDArray[np.uint8] = np.round(fine_picture.reshape(shape).mean(axis=(1, 3))).astype(
        np.uint8
    )
    return picture


def ball_picture(
    optics: CameraOptics, gaze: Pose, middle: Array, fine: int = 4
) -> npt.NDArray[np.uint8]:
    """Return the exact picture of an orange ball on an infinite carpet."""

    def colour_of(way: Array) -> Array:
        to_ball = middle - gaze.position
        along = way / np.linalg.norm(way, axis=-1, keepdims=True)
        cosine = along @ to_ball / np.linalg.norm(to_ball)
        hit = cosine > math.sqrt(1 - (RADIUS / np.linalg.norm(to_ball)) ** 2)
        picture = np.where(way[..., 2:] < 0, np.array(CARPET), np.array([105, 105, 105]))
        return np.where(hit[..., None], np.array(SAMPLES[Colour.ORANGE]), picture).astype(float)

    return draw_picture(optics, gaze, colour_of, fine)


def test_colour_samples_are_classified_in_light_and_shade() -> None:
    for colour, sample in SAMPLES.items():
        for shade in (1.0, 0.8, 0.65):
            pixel = (np.array(sample) * shade).astype(np.uint8).reshape(1, 1, 3)
            assert TABLE.look_up(pixel)[0, 0] == colour, (colour.name, shade)


def test_grey_and_dark_have_no_class() -> None:
    for level in (0, 15, 60, 105):
        assert TABLE.look_up(np.full((1, 1, 3), level, np.uint8))[0, 0] == Colour.NONE


def test_painted_classes_show_the_samples() -> None:
    kinds = np.array([[0, *SAMPLES]], np.uint8)
    assert [tuple(pixel) for pixel in paint_classes(kinds)[0, 1:]] == list(SAMPLES.values())


def test_regions_join_diagonally_and_report_the_picture_edge() -> None:
    kinds = np.zeros((10, 12), np.uint8)
    kinds[2, 2] = kinds[3, 3] = kinds[3, 4] = Colour.PINK
    kinds[8:, 10:] = Colour.PINK
    kinds[5, 5] = Colour.GREEN
    inner, outer = find_regions(kinds, Colour.PINK, 1)
    assert (inner.area, inner.cut) == (3, False)
    assert inner.centre == pytest.approx((3.0, 8 / 3))
    assert inner.mask.sum() == 3
    assert (outer.area, outer.cut, outer.cut_beside) == (4, True, True)
    assert [r.area for r in find_regions(kinds, Colour.PINK, 4)] == [4]


@pytest.mark.parametrize("share", [0.02, 0.35, 0.9])
def test_regions_agree_with_opencv(share: float) -> None:
    cv2 = pytest.importorskip("cv2")
    kinds = (np.random.default_rng(2).random((48, 59)) < share).astype(np.uint8) * np.uint8(
        Colour.PINK
    )
    count, _, boxes, centres = cv2.connectedComponentsWithStats(kinds, connectivity=8)
    theirs = sorted((*boxes[n].tolist(), *centres[n].round(6)) for n in range(1, count))
    regions = list(find_regions(kinds, Colour.PINK, 1))
    ours = [(r.left, r.top, r.wide, r.high, r.area, *np.round(r.centre, 6)) for r in regions]
    assert sorted(ours) == theirs
    for region in regions:
        assert (region.labels == region.label).sum() == region.mask.sum() == region.area


def test_camera_pose_tilts_before_it_pans() -> None:
    gaze = NECK.gaze(tilt=math.radians(30), pan=math.radians(90))
    ahead = PINHOLE.directions(PINHOLE.centre, gaze)
    assert ahead == pytest.approx([0, 1, 0], abs=1e-12)  # the pan axis is tilted as well
    assert gaze.position[2] == pytest.approx(0.16 + 0.048 * math.cos(math.radians(30)))
    up = NECK.gaze(tilt=math.radians(20), pan=0.0)
    assert elevation_tangent(PINHOLE.directions(PINHOLE.centre, up)) == pytest.approx(
        math.tan(math.radians(20))
    )


def test_directions_correct_lens_distortion() -> None:
    """Eq. 2 of the paper and its inverse."""
    gaze = Pose()
    true = np.array([0.4, -0.3])
    bent = true * 2 / (1 + math.sqrt(1 - 4 * BARREL.kappa * (true @ true)))
    pixel = bent * BARREL.focal + BARREL.centre
    assert BARREL.directions(pixel, gaze) == pytest.approx([1, -0.4, 0.3])


@pytest.mark.parametrize("optics", [PINHOLE, BARREL], ids=["pinhole", "barrel"])
def test_solid_angles_agree_with_pixel_edges(optics: CameraOptics) -> None:
    step = 1e-3
    for column, row in ((0.0, 0.0), (80.0, 70.0), (170.0, 20.0)):
        corners = [(column, row), (column + step, row), (column, row + step)]
        way = optics.directions(corners, Pose())
        way /= np.linalg.norm(way, axis=1, keepdims=True)
        area = np.linalg.norm(np.cross(way[1] - way[0], way[2] - way[0])) / step**2
        assert optics.solid_angles[int(row), int(column)] == pytest.approx(area, rel=1e-3)


@pytest.mark.parametrize("optics", [PINHOLE, BARREL], ids=["pinhole", "barrel"])
@pytest.mark.parametrize(("ahead", "left"), [(0.3, 0.0), (0.7, 0.2), (1.5, -0.3), (3.0, 0.5)])
def test_ball_distance_by_size_centre_and_edge(
    optics: CameraOptics, ahead: float, left: float
) -> None:
    """Each of the three methods alone, on exact pictures with pixel averaging."""
    gaze = NECK.gaze(math.radians(-15), 0.0)
    middle = np.array([gaze.position[0] + ahead, left, RADIUS])
    image = ball_picture(optics, gaze, middle)
    ball = see_ball(image, TABLE.look_up(image), optics, gaze, RADIUS)
    true = math.hypot(ahead, left)
    allowed = 0.01 + 0.02 * true  # at 3 m the ball is 4.5 pixels wide
    assert ball is not None
    assert ball.by_centre == pytest.approx(true, rel=allowed)
    assert ball.by_edge == pytest.approx(true, rel=2 * allowed)
    assert ball.by_size == pytest.approx(true, rel=2 * allowed)
    assert ball.distance == pytest.approx(true, rel=1.5 * allowed)
    assert ball.bearing == pytest.approx(math.atan2(left, ahead), abs=math.radians(0.2))
    assert ball.place(gaze) == pytest.approx(middle[:2].tolist(), abs=1.6 * allowed * true)


def test_ball_cut_by_the_picture_edge_is_measured_by_its_contour() -> None:
    gaze = NECK.gaze(math.radians(-15), 0.0)
    way = PINHOLE.directions((3.0, 90.0), gaze)  # its middle is three pixels from the edge
    middle = gaze.position + way * (RADIUS - gaze.position[2]) / way[2]
    image = ball_picture(PINHOLE, gaze, middle)
    ball = see_ball(image, TABLE.look_up(image), PINHOLE, gaze, RADIUS)
    assert ball is not None
    assert ball.by_size is None
    true = math.hypot(*(middle - gaze.position)[:2])
    assert ball.distance == pytest.approx(true, rel=0.05)


def test_ball_needs_orange_below_the_horizon() -> None:
    gaze = NECK.gaze(0.0, 0.0)
    image = ball_picture(PINHOLE, gaze, np.array([1.0, 0.0, -5.0]))
    assert see_ball(image, TABLE.look_up(image), PINHOLE, gaze, RADIUS) is None
    image = ball_picture(PINHOLE, gaze, np.array([1.0, 0.0, 0.27]))
    assert see_ball(image, TABLE.look_up(image), PINHOLE, gaze, RADIUS) is None


def beacon_picture(
    optics: CameraOptics, gaze: Pose, far: float, turn: float, upper: Colour, lower: Colour
) -> npt.NDArray[np.uint8]:
    """Return a picture of a flat beacon (for an exact distance), ``far`` (m) from the lens."""

    def colour_of(way: Array) -> Array:
        level = np.hypot(way[..., 0], way[..., 1])
        height = gaze.position[2] + way[..., 2] / level * far
        across = np.abs(bearing(way) - turn) < math.atan(0.05 / far)
        picture = np.full((*level.shape, 3), 105.0)
        for low, high, rgb in (
            (0.0, 0.2, SAMPLES[Colour.WHITE]),
            (0.2, 0.3, SAMPLES[lower]),
            (0.3, 0.4, SAMPLES[upper]),
        ):
            picture[across & (height > low) & (height < high)] = rgb
        return picture

    return draw_picture(optics, gaze, colour_of)


@pytest.mark.parametrize("tilt_deg", [0.0, 10.0])
@pytest.mark.parametrize(("far", "turn"), [(0.8, 0.2), (2.0, -0.3), (3.5, 0.9)])
def test_beacon_is_identified_and_measured(far: float, turn: float, tilt_deg: float) -> None:
    gaze = NECK.gaze(math.radians(tilt_deg), turn - 0.1)
    image = beacon_picture(BARREL, gaze, far, turn, Colour.PINK, Colour.YELLOW)
    flat = BeaconShape(band=0.1, radius=0.0)
    (seen,) = see_landmarks(image, TABLE.look_up(image), BARREL, gaze, flat)
    assert seen.name == "pink/yellow"
    assert seen.bearing == pytest.approx(turn, abs=math.radians(0.3))
    assert seen.distance == pytest.approx(far, rel=0.06)
    assert seen.eye == pytest.approx((gaze.position[0], gaze.position[1]))


def test_beacon_cut_at_the_top_is_measured_by_its_width() -> None:
    gaze = NECK.gaze(math.radians(-15), 0.0)
    image = beacon_picture(PINHOLE, gaze, 1.0, 0.0, Colour.SKY_BLUE, Colour.PINK)
    kinds = TABLE.look_up(image)
    assert (kinds[0] == Colour.SKY_BLUE).any()
    (seen,) = see_landmarks(image, kinds, PINHOLE, gaze, BeaconShape(0.1, 0.05))
    assert seen.name == "sky_blue/pink"
    assert seen.distance == pytest.approx(1.0, rel=0.03)


def test_beacon_at_the_picture_side_is_neither_measured_nor_a_goal() -> None:
    gaze = NECK.gaze(0.0, 0.0)
    turn = float(bearing(PINHOLE.directions((1.0, 72.0), gaze)))
    image = beacon_picture(PINHOLE, gaze, 0.5, turn, Colour.PINK, Colour.SKY_BLUE)
    kinds = TABLE.look_up(image)
    assert (kinds == Colour.SKY_BLUE).sum() > 100
    assert see_landmarks(image, kinds, PINHOLE, gaze, BeaconShape(0.1, 0.05)) == []


def goal_picture(
    optics: CameraOptics, gaze: Pose, far: float, left: float, right: float
) -> npt.NDArray[np.uint8]:
    """Return a picture of a yellow wall at x = ``far`` (m) between two y (m)."""

    def colour_of(way: Array) -> Array:
        y, z = (gaze.position[i] + way[..., i] / way[..., 0] * far for i in (1, 2))
        picture = np.full((*y.shape, 3), 105.0)
        inside = (way[..., 0] > 0) & (y < left) & (y > right) & (z > 0) & (z < 0.3)
        picture[inside] = SAMPLES[Colour.YELLOW]
        return picture

    return draw_picture(optics, gaze, colour_of)


def test_goal_posts_inside_the_picture_are_found() -> None:
    gaze = NECK.gaze(0.0, 0.0)
    beacon = BeaconShape(0.1, 0.05)
    image = goal_picture(BARREL, gaze, 2.0, 0.31, -0.31)
    left, right = see_landmarks(image, TABLE.look_up(image), BARREL, gaze, beacon)
    assert (left.name, right.name) == ("yellow goal left", "yellow goal right")
    for post, y in ((left, 0.31), (right, -0.31)):
        assert post.bearing == pytest.approx(math.atan2(y, 2.0), abs=math.radians(0.3))
        assert post.distance is None
    image = goal_picture(BARREL, gaze, 2.0, 3.0, -0.31)  # extends beyond the left edge
    names = [s.name for s in see_landmarks(image, TABLE.look_up(image), BARREL, gaze, beacon)]
    assert names == ["yellow goal right"]
