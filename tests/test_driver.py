"""Path driver: Algorithms 1 and 2, batches of rows, invalid paths."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.planning.driver import LegLaw, PathDriver, SkidLaw

LAW = LegLaw(base_speed=10.0, gain=0.5, top_ratio=4.0)


def rotation_about_z(*headings: float) -> Array:
    return np.array([Pose.at(yaw=heading).wxyz for heading in headings])


def steer_once(
    driver: PathDriver, path: npt.ArrayLike, position: tuple[float, float], heading: float
) -> tuple[list[float], int]:
    state = driver.begin(1)
    driver.enter(state, 0, path)
    command = driver.act(state, [0], np.array([position], float), rotation_about_z(heading))
    return command[0].tolist(), int(state.target[0])


@pytest.mark.parametrize("heading", [0.0, 0.7, -2.0, math.pi])
def test_outer_side_grows_exponentially_with_heading_error(heading: float) -> None:
    for error in (-1.0, -0.2, 0.3, 2.0):
        towards = heading + error
        goal = [3 * math.cos(towards), 3 * math.sin(towards)]
        (left, right), _ = steer_once(PathDriver(law=LAW), [goal], (0, 0), heading)
        fast = 10.0 * math.exp(0.5 * abs(error))
        assert (left, right) == pytest.approx((10.0, fast) if error > 0 else (fast, 10.0))


def test_speed_ratio_is_limited_to_the_measured_range() -> None:
    (left, right), _ = steer_once(PathDriver(law=LegLaw(gain=3.0)), [[-1, 0.001]], (0, 0), 0.0)
    assert right / left == pytest.approx(4.0)


def test_heading_of_a_tilted_robot_is_projected_to_the_ground() -> None:
    driver, state = PathDriver(law=LAW), PathDriver(law=LAW).begin(1)
    driver.enter(state, 0, [[1.0, 1.0]])
    uphill = Pose.at(pitch=-0.4, roll=0.2, yaw=math.pi / 4)
    nose, left = uphill.apply([[1.0, 0, 0], [0, 1.0, 0]])
    error = math.atan2(left[0] + left[1], nose[0] + nose[1])
    command = driver.act(state, [0], np.zeros((1, 3)), uphill.wxyz[None])[0]
    assert command.max() / command.min() == pytest.approx(math.exp(0.5 * abs(error)))


def test_points_are_reached_within_r_path_and_the_last_within_r_end() -> None:
    driver = PathDriver(law=LAW, r_path=0.2, r_end=0.05)
    path = [[0.0, 0.0], [0.1, 0.0], [1.0, 0.0], [2.0, 0.0]]
    assert steer_once(driver, path, (0, 0), 0.0)[1] == 2, "both points within the radius are passed"
    assert steer_once(driver, path, (0.79, 0), 0.0)[1] == 0, "no point is skipped"
    state = driver.begin(1)
    driver.enter(state, 0, path)
    for x, target, arrived in ((0, 2, False), (0.85, 3, False), (1.9, 3, False), (1.96, 3, True)):
        position = np.array([[x, 0.0]])
        command = driver.act(state, [0], position, rotation_about_z(0.0))
        assert (int(state.target[0]), bool(driver.arrived(state, [0], position)[0])) == (
            target,
            arrived,
        )
        assert (command == 0).all() == arrived, "stops at the end of the path"


def test_remaining_distance_is_measured_along_the_path() -> None:
    driver = PathDriver(law=LAW)
    state = driver.begin(1)
    driver.enter(state, 0, [[0, 0], [3, 0], [3, 4]])
    driver.act(state, [0], np.zeros((1, 2)), rotation_about_z(0.0))
    assert driver.to_go(state, [0], np.array([[1.0, 0.0]]))[0] == pytest.approx(2 + 4)


def test_rows_are_independent() -> None:
    """The command of a row does not depend on the other rows of the call."""
    rng = np.random.default_rng(0)
    paths = [rng.uniform(-2, 2, (length, 2)) for length in (1, 7, 3, 40, 12, 5, 9, 2, 33)]
    places, headings = rng.uniform(-2, 2, (50, 9, 2)), rotation_about_z(*rng.uniform(-3, 3, 9))
    for driver in (PathDriver(law=LAW), PathDriver(law=SkidLaw(speed=0.3))):
        together = driver.begin(9)
        for row, path in enumerate(paths):
            driver.enter(together, row, path)
        alone = [driver.begin(1) for _ in paths]
        for state, path in zip(alone, paths, strict=True):
            driver.enter(state, 0, path)
        for place in places:
            many = driver.act(together, range(9), place, headings)
            one = [
                driver.act(state, [0], place[row : row + 1], headings[row : row + 1])[0]
                for row, state in enumerate(alone)
            ]
            assert many.tobytes() == np.array(one).tobytes()


def test_reused_slot_starts_its_new_path() -> None:
    driver = PathDriver(law=LAW)
    state = driver.begin(2)
    driver.enter(state, 0, np.zeros((5, 2)))
    driver.act(state, [0], np.zeros((1, 2)), rotation_about_z(0.0))
    driver.enter(state, 0, [[1, 0], [1, 1]])
    assert driver.to_go(state, [0], np.zeros((1, 2)))[0] == pytest.approx(2.0)


def test_tracks_turn_in_place_before_driving() -> None:
    law = SkidLaw(speed=0.5, gain=2.0, top_turn=1.0, turn_first=0.6)
    forward, turn = law.command(np.array([0.0, 0.3, 0.7, -3.0]), np.full(4, 9.0), np.full(4, 9.0)).T
    assert forward == pytest.approx([0.5, 0.25, 0, 0])
    assert turn == pytest.approx([0, 0.6, 1.0, -1.0])


def test_track_speed_is_limited_by_braking_and_turning() -> None:
    law = SkidLaw(speed=2.0, gain=1.0, top_turn=0.5, turn_first=1.2, reaction=0.5)
    error = np.array([0.0, 0.0, 0.0, 0.3, 0.3, -1.0])
    distance = np.array([3.0, 0.5, 0.1, 3.0, 0.2, 0.1])
    forward, turn = law.command(error, distance, distance).T
    assert forward[0] == pytest.approx(2.0), "far from the end the speed is the commanded one"
    assert forward[1:3] == pytest.approx([1.0, 0.2]), "at any distance half a second from the end"
    radius = distance[3:] / (2 * np.sin(np.abs(error[3:])))
    assert (forward[3:] <= np.abs(turn[3:]) * radius + 1e-12).all(), "no circle misses the point"
    assert forward[4] == pytest.approx(0.3 * radius[1]), "the speed is the largest allowed one"


@pytest.mark.parametrize("path", [[], [[0.0]], [0.0, 1.0], [[0.0, math.nan]], np.zeros((2, 3))])
def test_invalid_paths_are_rejected(path: Array | list[float | list[float]]) -> None:
    driver = PathDriver()
    with pytest.raises(BadValue, match="path: "):
        driver.enter(driver.begin(1), 0, path)


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (lambda: PathDriver(r_path=0.0), "r_path is 0.0, must be above 0"),
        (lambda: PathDriver(r_end=math.nan), "r_end is nan"),
        (lambda: LegLaw(gain=-1.0), "gain is -1.0, must be above 0"),
        (lambda: LegLaw(top_ratio=1.0), "top_ratio is 1.0, must be above 1"),
        (lambda: SkidLaw(speed=0.0), "speed is 0.0"),
    ],
)
def test_invalid_drivers_are_rejected(make: Callable[..., Any], what: str) -> None:
    with pytest.raises(BadValue, match=what):
        make()
