"""Shape of the ERS-7's lower legs and its open-loop trot, measured on real robots."""

import math

import numpy as np
import pytest

from grouser.experiments import ers7_trot
from grouser.experiments.ers7_trot import (
    CASES,
    CONTROLLER,
    HALF,
    Case,
    Stroke,
    joint_angles,
    replay,
)
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array
from grouser.locomotion.quadruped_legs import END, SIDE, to_pitched_frame
from grouser.robots.ers7 import ERS7, FORE_LOWER, HIND_LOWER
from grouser.robots.parts.lower_leg import LowerLeg


def bent(points: Array, degrees: float) -> Array:
    """Return points (x, z) of a lower leg with the knee bent forwards."""
    angle = math.radians(degrees)
    x, z = points.T
    return np.column_stack(
        [x * math.cos(angle) - z * math.sin(angle), z * math.cos(angle) + x * math.sin(angle)]
    )


@pytest.mark.parametrize(
    ("lower", "end", "drawn"),
    [(FORE_LOWER, 1, (0.0283, -0.0715)), (HIND_LOWER, -1, (-0.0213, -0.0765))],
)
def test_ball_of_the_paw_stands_where_the_makers_drawing_has_the_ground(
    lower: LowerLeg, end: int, drawn: tuple[float, float]
) -> None:
    """sources.md B2: 28.3 and 71.5, 21.3 and 76.5 from a knee bent by 30 deg, in mm."""
    ball = bent(np.array([[lower.paw[0], lower.paw[2]]]), end * 30.0)[0]
    assert ball - [0.0, lower.radius] == pytest.approx(drawn, abs=0.0005)


def test_forearm_passes_smoothly_into_the_ball_of_the_paw() -> None:
    (arc,) = FORE_LOWER.outline
    gap = math.dist(arc.centre, (FORE_LOWER.paw[0], FORE_LOWER.paw[2]))
    assert gap == pytest.approx(arc.radius - FORE_LOWER.radius, abs=0.001)


@pytest.mark.parametrize(("degrees", "ahead"), [(45.0, "ball"), (90.0, "forearm")])
def test_bent_fore_leg_stands_on_its_forearm(degrees: float, ahead: str) -> None:
    side = FORE_LOWER.corners()[:, [0, 2]]
    lowest = side[bent(side, degrees)[:, 1].argmin()]
    below_knee = -lowest[1]
    assert (below_knee > 0.07) == (ahead == "ball")
    if ahead == "forearm":  # sources.md B2: measured at 25 mm behind and 40 mm below the knee
        assert lowest == pytest.approx([-0.025, -0.040], abs=0.003)


def test_angles_move_the_paws_on_rectangles() -> None:
    stroke = Stroke(forward=0.020, turn=0.010)
    angles = joint_angles(stroke).reshape(2 * HALF, 4, 3)
    pitch = math.asin(0.020 / 0.130)
    level = to_pitched_frame(CONTROLLER.paws(angles) - CONTROLLER.shoulders, -pitch)
    home = np.array([[0.059, 0.010, -0.090], [-0.050, 0.005, -0.110]] * 2)
    home[:, 1] *= SIDE
    moved = level - home
    assert moved[..., 2].min() == pytest.approx(0.0, abs=1e-9)
    assert moved[..., 2].max() == pytest.approx(0.020, abs=1e-9)
    # Diagonal pairs are on the ground together, half of the time; corners belong to both parts.
    grounded = moved[..., 2] < 1e-9
    assert (grounded[:, 0] == grounded[:, 3]).all()
    assert abs(int(grounded[:, 0].sum()) - HALF) <= 3
    assert (grounded[:, 0] == np.roll(grounded[:, 1], HALF)).all()
    # A turn to the left moves standing fore paws to the right, hind paws to the left.
    stroke_of_turn = joint_angles(Stroke(turn=0.025)).reshape(2 * HALF, 4, 3)
    paws = CONTROLLER.paws(stroke_of_turn)
    down = to_pitched_frame(paws - CONTROLLER.shoulders, -pitch)[..., 2] < home[:, 2] + 1e-9
    for leg in range(4):
        path = paws[down[:, leg], leg]
        moves = np.diff(path, axis=0)
        moves = moves[np.linalg.norm(moves, axis=1) < 0.005]  # without the jump over the swing
        assert (moves[:, 1] * -END[leg] > 0).all()
        assert (moves[:, 0] * SIDE[leg] > 0).all()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_trot_covers_the_ground_as_the_real_robots_do(case: Case) -> None:
    speed = replay(joint_angles(case.stroke), run_up=2, steps=2)[case.axis]
    assert speed == pytest.approx(case.measured, rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.6, 0.8, 1.0])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_trot_hardly_depends_on_friction(case: Case, friction: float) -> None:
    speed = replay(joint_angles(case.stroke), friction=friction, steps=10)[case.axis]
    assert speed == pytest.approx(case.measured, rel=0.15)


@pytest.mark.slow
def test_trot_experiment() -> None:
    table = ers7_trot.run(RunOptions()).table
    assert (table.agree, table.of) == (3, 3)


def test_robot_stands_at_the_height_of_its_lowest_point() -> None:
    assert ERS7.at_height(0.115).lowest_point() == pytest.approx(-0.115, abs=1e-9)
