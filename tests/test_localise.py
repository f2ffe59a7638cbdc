"""Monte Carlo localisation with exact and corrupted sightings computed from a map."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from grouser.frames import Array
from grouser.perception.landmarks import LandmarkSighting
from grouser.perception.localise import FieldMap, Localiser, PoseEstimate, wrap_angle

MAP = FieldMap(
    landmarks={"a": (2.1, 1.35), "b": (2.1, -1.35), "c": (-2.1, 1.35), "d": (-2.1, -1.35)},
    length=4.2,
    width=2.7,
)
EYE = (0.1, 0.03)
TRUTH = np.array([0.6, -0.4, 2.0])


def sightings(
    pose: Array | tuple[float, float, float],
    rng: np.random.Generator | None = None,
    *,
    off: float = 0.0,
    near: float = 1.0,
) -> list[LandmarkSighting]:
    """Return sightings of all landmarks from ``pose``, with random and constant errors.

    Args:
        pose: x, y, heading.
        rng: generator of noise of 1 deg and 5 %; None: no noise.
        off: constant error of all bearings, rad.
        near: factor of all distances.
    """
    x, y, turn = pose
    cos, sin = math.cos(turn), math.sin(turn)
    eye = x + cos * EYE[0] - sin * EYE[1], y + sin * EYE[0] + cos * EYE[1]
    seen = []
    for name, place in MAP.landmarks.items():
        bearing = math.atan2(place[1] - eye[1], place[0] - eye[0]) - turn + off
        distance = math.dist(place, eye) * near
        if rng is not None:
            bearing += rng.normal(scale=math.radians(1.0))
            distance *= math.exp(rng.normal(scale=0.05))
        seen.append(LandmarkSighting(name, float(wrap_angle(np.array(bearing))), distance, EYE))
    return seen


def localiser(seed: int = 0, **options: Any) -> Localiser:
    return Localiser(MAP, np.random.default_rng(seed), **options)


def pose_errors(estimate: PoseEstimate, truth: Array) -> tuple[float, float]:
    error = estimate.pose - truth
    return math.hypot(error[0], error[1]), abs(float(wrap_angle(error[2])))


@pytest.mark.parametrize("truth", [TRUTH, (-1.7, 1.0, -2.3), (0.0, 0.0, 3.1)])
def test_pose_is_found_from_a_uniform_prior(truth: Array | tuple[float, float, float]) -> None:
    rng = np.random.default_rng(1)
    cloud = localiser()
    for number in range(200):
        cloud.see(sightings(truth, rng)[number % 4 :][:1])  # one landmark at a time
    far, turned = pose_errors(cloud.estimate(), np.array(truth))
    assert far < 0.06
    assert turned < math.radians(2.0)
    assert cloud.estimate().holds(np.array(truth)).all()


def test_bearings_are_sufficient() -> None:
    cloud = localiser()
    for _ in range(100):
        cloud.see([LandmarkSighting(s.name, s.bearing, None, s.eye) for s in sightings(TRUTH)])
    far, _ = pose_errors(cloud.estimate(), TRUTH)
    assert far < 0.1


def test_filter_corrects_odometry() -> None:
    """The error is less than half of that of odometry, which is 15 % too large."""
    rng = np.random.default_rng(2)
    cloud, truth = localiser(), TRUTH.copy()
    for _ in range(60):
        cloud.see(sightings(truth, rng))
    reckoned = truth.copy()
    step, turn = 0.01, 0.02
    for _ in range(160):
        for pose, by in ((truth, 1.0), (reckoned, 1.15)):
            pose += by * np.array([step * math.cos(pose[2]), step * math.sin(pose[2]), turn])
        cloud.move(1.15 * step, 0.0, 1.15 * turn)
        cloud.see(sightings(truth, rng))
    far, turned = pose_errors(cloud.estimate(), truth)
    astray = reckoned - truth
    assert far < math.hypot(astray[0], astray[1]) / 2
    assert turned < abs(astray[2]) / 2


def test_odometry_moves_particles_in_the_frame_of_the_robot() -> None:
    cloud = localiser()
    before = cloud.poses.copy()
    cloud.move(0.0, 0.5, 0.0)
    step = (cloud.poses - before)[:, :2]
    left = np.stack([-np.sin(before[:, 2]), np.cos(before[:, 2])], axis=1)
    assert (step * left).sum(axis=1).mean() == pytest.approx(0.5, abs=0.02)


def test_displaced_robot_is_localised_again() -> None:
    rng = np.random.default_rng(3)
    cloud = localiser()
    for _ in range(60):
        cloud.see(sightings(TRUTH, rng))
    elsewhere = np.array([-1.4, 0.8, -0.5])
    for _ in range(150):
        cloud.see(sightings(elsewhere, rng))
    far, _ = pose_errors(cloud.estimate(), elsewhere)
    assert far < 0.08


def test_rare_false_sightings_have_little_effect() -> None:
    rng = np.random.default_rng(4)
    cloud = localiser()
    for number in range(150):
        seen = sightings(TRUTH, rng)
        if number % 10 == 0:
            seen = [LandmarkSighting("a", s.bearing, s.distance, s.eye) for s in seen]
        cloud.see(seen)
    far, _ = pose_errors(cloud.estimate(), TRUTH)
    assert far < 0.08


def test_constant_bearing_error_rotates_the_estimate() -> None:
    """A constant error of 10 deg of all bearings rotates the heading by as much."""
    cloud = localiser()
    for _ in range(100):
        cloud.see(sightings(TRUTH, off=math.radians(10.0)))
    error = wrap_angle(cloud.estimate().pose - TRUTH)
    assert error[2] == pytest.approx(-math.radians(10.0), abs=math.radians(1.0))


def test_unknown_landmarks_and_empty_images_have_no_effect() -> None:
    cloud = localiser()
    before = cloud.poses.copy()
    cloud.see([])
    cloud.see([LandmarkSighting("z", 0.0, 1.0, EYE)])
    assert np.array_equal(cloud.poses, before)


def test_equal_seeds_give_equal_particles() -> None:
    clouds = [localiser(7), localiser(7), localiser(8)]
    for cloud in clouds:
        rng = np.random.default_rng(0)
        for _ in range(20):
            cloud.see(sightings(TRUTH, rng))
    assert np.array_equal(clouds[0].poses, clouds[1].poses)
    assert not np.array_equal(clouds[0].poses, clouds[2].poses)


def test_interval_contains_the_given_share() -> None:
    cloud = localiser(count=4000)
    estimate = cloud.estimate(0.5)
    inside = (cloud.poses[:, 0] >= estimate.low[0]) & (cloud.poses[:, 0] <= estimate.high[0])
    assert inside.mean() == pytest.approx(0.5, abs=0.01)


def test_interval_of_a_heading_wraps_around() -> None:
    cloud = localiser()
    cloud.poses[:, 2] = math.pi + np.linspace(-0.2, 0.2, len(cloud.poses))
    estimate = cloud.estimate()
    assert abs(abs(estimate.pose[2]) - math.pi) < 0.01
    assert estimate.high[2] - estimate.low[2] == pytest.approx(0.38, abs=0.01)
    assert estimate.holds(np.array([*estimate.pose[:2], -math.pi + 0.1])).all()
    assert not estimate.holds(np.array([*estimate.pose[:2], 0.0]))[2]
