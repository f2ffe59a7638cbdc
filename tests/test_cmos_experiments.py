"""Asanuma et al. 2004 on the rendered field: sightings, measurements and estimated poses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from grouser.experiments import cmos_distance, cmos_table1
from grouser.experiments import cmos_rig as rig
from grouser.experiments.cmos import robot_errors
from grouser.experiments.cmos_table1 import LocalisationResult
from grouser.experiments.run_options import RunOptions
from grouser.frames import Pose
from grouser.perception.localise import PoseEstimate, wrap_angle
from grouser.simulation.changes.actions import SetPose
from grouser.simulation.simulation import Simulation

STANDS = ((0.3, -0.4, 0.5), (-1.2, 0.7, 2.6), (1.6, 0.2, -2.0), (0.0, 0.9, -0.8))


@pytest.mark.parametrize("camera", rig.CAMERAS)
def test_sightings_of_beacons_and_posts_match_the_map(camera: str) -> None:
    """At four poses directions are within 0.6 deg and distances within 12 %."""
    simulation = Simulation(rig.world(0.0, 0.0, 0.0))
    software, places = rig.vision(camera), rig.field_map().landmarks
    seen = 0
    for x, y, turn in STANDS:
        simulation.apply(SetPose(rig.ROBOT, Pose.at(x, y, rig.HEIGHT, yaw=turn)))
        (image,) = rig.pictures(simulation, camera, 1)
        for sighting in software.see(image, 0.0, 0.0).landmarks:
            ahead, left = sighting.eye
            eye_x = x + math.cos(turn) * ahead - math.sin(turn) * left
            eye_y = y + math.sin(turn) * ahead + math.cos(turn) * left
            dx, dy = places[sighting.name][0] - eye_x, places[sighting.name][1] - eye_y
            off = wrap_angle(np.array(math.atan2(dy, dx) - turn - sighting.bearing))
            assert abs(math.degrees(off)) < 0.6, sighting
            if sighting.distance is not None:
                assert sighting.distance == pytest.approx(math.hypot(dx, dy), rel=0.12)
            seen += 1
    assert seen >= 4


def test_only_the_characteristics_make_distances_vary() -> None:
    """Figs 11 and 12: deviation is 0 without the characteristics and increases with them."""
    near, far = (cmos_distance.measure_ball(distance, 8, seed=3) for distance in (0.5, 1.5))
    for one in (near, far):
        assert one.deviation_mm("without") == 0
        assert one.mean_error < 0.05
        assert cmos_distance._row(one).agrees
    assert 0 < near.deviation_mm("with") < far.deviation_mm("with")


def test_a_swinging_head_localises_the_robot_and_the_seed_determines_the_result() -> None:
    pose = (1.0, 0.5, -45.0)
    found, again = (cmos_table1.localise_at(pose, 3.0, (0, 1)) for _ in range(2))
    for name in ("with", "without"):
        error = found[name].error
        assert math.hypot(error[0], error[1]) < 0.25
        assert np.array_equal(found[name].estimate.pose, again[name].estimate.pose)
    assert found["with"].sightings > 20


def test_heads_swing_with_the_given_amplitude_and_period() -> None:
    simulation = Simulation(rig.world(0.0, 0.0, 0.0))
    cmos_table1.schedule_swings(simulation, 6.0, cmos_table1.IN_STEP)
    readings = []
    for _ in range(150):
        simulation.step(cmos_table1.PICTURE)
        readings.append(simulation.read(rig.ROBOT, "neck")["pan"])
    angles = np.array(readings)
    assert angles.max() == pytest.approx(cmos_table1.SWING, abs=math.radians(3))
    assert angles.min() == pytest.approx(-cmos_table1.SWING, abs=math.radians(3))
    in_step = angles[:75] - angles[75:]  # one period later
    assert np.abs(in_step[15:]).max() < math.radians(1)


def result_with_errors(dx: float, dy: float, turn: float, half: float) -> LocalisationResult:
    """Return a result with these errors (m, deg) and divisions of half width ``half``."""
    truth = np.array([1.0, 0.5, math.radians(45)])
    pose = truth + np.array([dx, dy, math.radians(turn)])
    estimate = PoseEstimate(pose, pose - half, pose + half)
    return cmos_table1.LocalisationResult(estimate, truth, 1)


def test_cells_of_the_table() -> None:
    cells = cmos_table1.figures(
        [result_with_errors(0.03, 0.04, 2.0, 0.035), result_with_errors(-0.01, 0.0, -4.0, 0.05)]
    )
    assert cells["x", "rms_error_mm"] == pytest.approx(math.sqrt((30**2 + 10**2) / 2))
    assert cells["x", "max_error_mm"] == pytest.approx(30)
    assert cells["theta", "max_error_deg"] == pytest.approx(4)
    assert cells["xy", "max_error_mm"] == pytest.approx(50)
    assert cells["x", "division_width_mm"] == pytest.approx(85)
    share = "true_value_in_division_percent"
    assert [cells[of, share] for of in ("x", "y", "theta", "xy", "xytheta")] == [100, 50, 50, 50, 0]
    assert set(cells) == set(cmos_table1.PRINTED)


def test_the_papers_xy_errors_match_its_x_and_y_errors_in_two_columns() -> None:
    for column, adds_up in enumerate((True, True, False)):
        x, y, xy = (cmos_table1.PRINTED[of, "rms_error_mm"][column] for of in ("x", "y", "xy"))
        assert (abs(math.hypot(x, y) - xy) < 1) == adds_up


def test_errors_of_a_robot_change_what_its_software_concludes() -> None:
    """Every cause moves the sightings of one picture of a beacon; without causes they are exact."""
    errors = replace(
        robot_errors.RobotErrors.draw(np.random.default_rng(3)), sway=-math.radians(1.0)
    )
    vision = rig.vision("with")
    now, before = np.array([0.1, 0.5, 0.0]), np.array([0.1, 0.45, 0.0])
    true_gaze = vision.neck.gaze(*now)
    same, angles = robot_errors.seen_by("none", vision, errors, now, before)
    assert same is vision
    assert angles.tolist() == now.tolist()
    for cause in ("posture", "sway", "timing", "all"):
        software, angles = robot_errors.seen_by(cause, vision, errors, now, before)
        off = true_gaze.inverse() @ software.neck.gaze(*angles)
        assert 0.2 < math.degrees(2 * math.acos(min(1.0, abs(off.wxyz[0])))) < 15
    software, _ = robot_errors.seen_by("colours", vision, errors, now, before)
    assert not software.sub_pixel
    assert (software.colours.kinds != vision.colours.kinds).any()
    hidden = [robot_errors.is_hidden("pink/green", 0.5 + 2 * n, errors.seed) for n in range(400)]
    assert np.mean(hidden) == pytest.approx(robot_errors.HIDDEN, abs=0.07)


@pytest.mark.slow
def test_cmos_distance_agrees() -> None:
    table = cmos_distance.run(RunOptions(quick=True)).table
    assert table.agree == table.of == len(cmos_distance.QUICK_MM)
    figures = table.to_json()["figures"]
    assert figures["rank_correlation_of_deviation_and_distance"] >= 0.8
    assert figures["largest_mean_error_up_to_1500_mm_percent"] <= 5


@pytest.mark.slow
def test_cmos_table1_errors_are_no_larger_than_the_papers() -> None:
    table = cmos_table1.run(RunOptions(quick=True)).table
    assert table.figures["errors_with_no_larger_than_papers"] is True
    assert len(table.rows) == len(cmos_table1.PRINTED) + 2
