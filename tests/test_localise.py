"""Monte Carlo localisation, on sightings computed from a map, true or spoilt."""

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
    pose: Array, rng: np.random.Generator | None = None, *, off: float = 0.0, near: float = 1.0
) -> list[LandmarkSighting]:
    """Return all landmarks as seen from ``pose``, noisy with ``rng``; errors that stay: off, near.

    Args:
        pose: x, y, heading.
        rng: 1 deg and 5 % of noise.
        off: added to all bearings, rad.
        near: factor on all distances.
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


def localiser(seed: int = 0, **told: Any) -> Localiser:
    return Localiser(MAP, np.random.default_rng(seed), **told)


def off(estimate: PoseEstimate, truth: Array) -> tuple[float, float]:
    error = estimate.pose - truth
    return math.hypot(error[0], error[1]), abs(float(wrap_angle(error[2])))


@pytest.mark.parametrize("truth", [TRUTH, (-1.7, 1.0, -2.3), (0.0, 0.0, 3.1)])
def test_finds_itself_from_nothing(truth: Array | tuple[float, float, float]) -> None:
    rng = np.random.default_rng(1)
    cloud = localiser()
    for number in range(200):
        cloud.see(sightings(truth, rng)[number % 4 :][:1])  # one landmark at a time
    far, turned = off(cloud.estimate(), np.array(truth))
    assert far < 0.06
    assert turned < math.radians(2.0)
    assert cloud.estimate().holds(np.array(truth)).all()


def test_bearings_alone_suffice() -> None:
    cloud = localiser()
    for _ in range(100):
        cloud.see([LandmarkSighting(s.name, s.bearing, None, s.eye) for s in sightings(TRUTH)])
    far, _ = off(cloud.estimate(), TRUTH)
    assert far < 0.1


def test_follows_odometry_and_corrects_it() -> None:
    """Walks while its odometry says 15 % too much: errs less than half as far as that."""
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
    far, turned = off(cloud.estimate(), truth)
    astray = reckoned - truth
    assert far < math.hypot(astray[0], astray[1]) / 2
    assert turned < abs(astray[2]) / 2


def test_odometry_alone_moves_the_cloud_in_the_robots_axes() -> None:
    cloud = localiser()
    before = cloud.poses.copy()
    cloud.move(0.0, 0.5, 0.0)
    step = (cloud.poses - before)[:, :2]
    left = np.stack([-np.sin(before[:, 2]), np.cos(before[:, 2])], axis=1)
    assert (step * left).sum(axis=1).mean() == pytest.approx(0.5, abs=0.02)


def test_a_robot_carried_away_finds_itself_again() -> None:
    rng = np.random.default_rng(3)
    cloud = localiser()
    for _ in range(60):
        cloud.see(sightings(TRUTH, rng))
    elsewhere = np.array([-1.4, 0.8, -0.5])
    for _ in range(150):
        cloud.see(sightings(elsewhere, rng))
    far, _ = off(cloud.estimate(), elsewhere)
    assert far < 0.08


def test_now_and_then_a_mistaken_landmark_does_little() -> None:
    rng = np.random.default_rng(4)
    cloud = localiser()
    for number in range(150):
        seen = sightings(TRUTH, rng)
        if number % 10 == 0:
            seen = [LandmarkSighting("a", s.bearing, s.distance, s.eye) for s in seen]
        cloud.see(seen)
    far, _ = off(cloud.estimate(), TRUTH)
    assert far < 0.08


def test_wrong_sightings_make_it_wrong() -> None:
    """The filter knows no truth: bearings that are all 10 deg off turn its heading by as much."""
    cloud = localiser()
    for _ in range(100):
        cloud.see(sightings(TRUTH, off=math.radians(10.0)))
    error = wrap_angle(cloud.estimate().pose - TRUTH)
    assert error[2] == pytest.approx(-math.radians(10.0), abs=math.radians(1.0))


def test_unknown_landmarks_and_empty_pictures_change_nothing() -> None:
    cloud = localiser()
    before = cloud.poses.copy()
    cloud.see([])
    cloud.see([LandmarkSighting("z", 0.0, 1.0, EYE)])
    assert np.array_equal(cloud.poses, before)


def test_same_seed_same_cloud() -> None:
    clouds = [localiser(7), localiser(7), localiser(8)]
    for cloud in clouds:
        rng = np.random.default_rng(0)
        for _ in range(20):
            cloud.see(sightings(TRUTH, rng))
    assert np.array_equal(clouds[0].poses, clouds[1].poses)
    assert not np.array_equal(clouds[0].poses, clouds[2].poses)


def test_division_holds_the_share_it_says() -> None:
    cloud = localiser(count=4000)
    estimate = cloud.estimate(0.5)
    inside = (cloud.poses[:, 0] >= estimate.low[0]) & (cloud.poses[:, 0] <= estimate.high[0])
    assert inside.mean() == pytest.approx(0.5, abs=0.01)


def test_division_of_a_heading_goes_around() -> None:
    cloud = localiser()
    cloud.poses[:, 2] = math.pi + np.linspace(-0.2, 0.2, len(cloud.poses))
    estimate = cloud.estimate()
    assert abs(abs(estimate.pose[2]) - math.pi) < 0.01
    assert estimate.high[2] - estimate.low[2] == pytest.approx(0.38, abs=0.01)
    assert estimate.holds(np.array([*estimate.pose[:2], -math.pi + 0.1])).all()
    assert not estimate.holds(np.array([*estimate.pose[:2], 0.0]))[2]
