"""Navigation sensors: odometry, INS, GPS, compass, motion capture."""

import math
from typing import Any

import numpy as np
import pytest
from support.sensor_rig import block, put, reader, simulation

from grouser.errors import BadValue, UnknownName
from grouser.sensors.gps import Gps, satellite_directions
from grouser.sensors.odometry import OdometryState

UP = {"mount": "body", "at": [0.0, 0.0, 0.3]}
SIDES = {"left": ["left"], "right": ["right"], "gauge": 0.331}


def test_odometry_of_a_straight_run_is_accurate() -> None:
    """Belts on flat ground slip by less than 2 %, the error of odometry."""
    sim = simulation({"kind": "odometry", **SIDES}, forward=0.3)
    sim.step(4.0)
    measured, true = sim.read("a", "odometry"), sim.read("a", "truth")
    assert true["x"] > 1.0
    assert measured["x"] == pytest.approx(true["x"], rel=0.02)
    assert measured["y"] == pytest.approx(0.0, abs=0.01)
    assert measured["yaw"] == pytest.approx(0.0, abs=0.01)


def test_odometry_reports_belt_travel_when_belts_slip() -> None:
    """A skid turn is reported as rigid rolling, which is larger than the true turn."""
    sim = simulation({"kind": "odometry", **SIDES}, turn=1.0)
    sim.step(2.0)
    measured, true = sim.read("a", "odometry"), sim.read("a", "truth")
    assert 0.1 < true["yaw"] < 0.97 * measured["yaw"]


def test_dead_reckoning_integrates_along_an_arc() -> None:
    """A quarter circle of radius 1 m to the left, in one step or in a hundred."""
    gauge = 0.5
    left, right = (1 - gauge / 2) * math.pi / 2, (1 + gauge / 2) * math.pi / 2
    once = OdometryState().advance(left, right, gauge)
    many = OdometryState()
    for part in np.arange(1, 101) / 100:
        many = many.advance(left * part, right * part, gauge)
    for end in (once, many):
        assert (end.x, end.y, end.yaw) == pytest.approx((1.0, 1.0, math.pi / 2))


def test_odometry_with_noise_drifts() -> None:
    """With 5 % noise per reading, the error over 1 m is 5 % / sqrt(number of readings)."""
    ends = []
    for seed in range(300):
        rng, at = np.random.default_rng(seed), OdometryState()
        for step in range(1, 26):
            at = at.advance(step / 25, step / 25, 0.331, rng.normal(0.0, 0.05, 2).tolist())
        ends.append((at.x, at.yaw))
    spread = np.std(ends, axis=0)
    assert spread[0] == pytest.approx(0.05 / math.sqrt(25 * 2), rel=0.2)
    assert spread[1] == pytest.approx(0.05 * math.sqrt(2 / 25) / 0.331, rel=0.2)
    with pytest.raises(BadValue, match=r"left is \[\], must have at least 1"):
        simulation({"kind": "odometry", "left": [], "right": ["right"], "gauge": 0.3})


def test_ins_without_errors_is_exact_and_drifts_with_errors() -> None:
    sim = simulation({"kind": "ins", "mount": "body", "rate_hz": 25}, forward=0.3, turn=0.4)
    sim.step(2.0)
    measured, true = sim.read("a", "ins"), sim.read("a", "truth")
    for key in ("x", "y", "z", "roll", "pitch", "yaw"):
        assert measured[key] == pytest.approx(true[key], abs=1e-6)


def test_ins_drift_rate_is_constant() -> None:
    """0.02 m/s and 1 mrad/s over 10 s at rest: 0.2 m and 10 mrad."""
    still = simulation({"kind": "ins", "mount": "body", "drift": 0.02, "turn_drift": 0.001})
    offs = []
    for seed in range(600):
        bound: Any = still.scene.sensors["a", "ins"][1]
        bound.memory = None
        read = reader(still, "ins", seed=seed)
        for time in (0.0, 5.0, 10.0):
            still.data.time = time
            values = read()
        offs.append([values["x"], values["y"], values["yaw"]])
    assert np.std(offs, axis=0) == pytest.approx([0.2, 0.2, 0.01], rel=0.1)


def test_gps_reports_north_west_and_accuracy() -> None:
    sim = simulation({"kind": "gps", **UP})
    put(sim, 30.0, -20.0)
    read = reader(sim, "gps")
    fixes = [read() for _ in range(4000)]
    assert all(fix["fix"] == 1 and fix["satellites"] == 12 for fix in fixes)
    gps = Gps(mount="body")
    places = np.array([gps.metres(fix["latitude"], fix["longitude"]) for fix in fixes])
    assert places.mean(axis=0) == pytest.approx([30.0, -20.0], abs=0.05)
    assert places.std(axis=0) == pytest.approx(0.75, rel=0.05)
    north = math.degrees(fixes[0]["latitude"] - gps.latitude)
    assert north == pytest.approx(30 / 111_195, rel=0.2)  # 111.2 km to the degree


def test_gps_needs_four_satellites() -> None:
    """A roof hides the high satellites; four walls and a roof hide all."""
    roof = block("roof", (0, 0, 2), (4, 4, 0.1))
    walls = [
        block(f"wall{n}", (2 * x, 2 * y, 1), (0.1 if x else 4, 0.1 if y else 4, 2))
        for n, (x, y) in enumerate([(1, 0), (-1, 0), (0, 1), (0, -1)])
    ]
    under = reader(simulation({"kind": "gps", **UP}, objects=(roof,)), "gps")
    seen = [under() for _ in range(3000)]
    assert 4 <= seen[0]["satellites"] < 12
    worst = np.std([fix["altitude"] for fix in seen])
    share = (seen[0]["satellites"] - 4) / 8
    assert worst == pytest.approx(2.5 + (0.75 - 2.5) * share, rel=0.05)
    inside = reader(simulation({"kind": "gps", **UP}, objects=(roof, *walls)), "gps")()
    assert (inside["fix"], inside["satellites"]) == (0, 0)
    assert math.isnan(inside["latitude"])
    assert np.linalg.norm(satellite_directions(), axis=1) == pytest.approx(1.0)


def test_compass_measures_heading_with_noise() -> None:
    options = {"kind": "compass", **UP, "noise": 0.05, "declination": 0.2}
    sim = simulation(options, {**options, "name": "astray", "bias": 0.3})
    put(sim, yaw=3.0)
    read = reader(sim, "compass")
    headings = np.array([read()["heading"] for _ in range(4000)])
    assert headings.mean() == pytest.approx(2.8, abs=0.005)
    assert headings.std() == pytest.approx(0.05, rel=0.05)
    put(sim, yaw=-3.1)
    assert reader(sim, "compass")()["heading"] == pytest.approx(math.tau - 3.3, abs=0.2)
    put(sim, yaw=1.2)
    astray = reader(sim, "astray")
    wrong = np.mean([astray()["heading"] for _ in range(2000)]) - 1.0
    assert 0.005 < abs(wrong) < 1.2  # one constant error, not zero


def test_motion_capture_tracks_any_body_with_noise_and_delay() -> None:
    ball = block("crate", (1.0, 2.0, 0.25), (0.5, 0.5, 0.5), yaw_deg=30)
    options = {"kind": "mocap", "noise": 0.0005, "turn_noise": 0.003}
    sim = simulation(
        {**options, "body": "body"}, {**options, "body": "crate", "name": "it"}, objects=(ball,)
    )
    read = reader(sim, "it")
    frames = [read() for _ in range(4000)]
    places = np.array([[frame[key] for key in ("x", "y", "z", "yaw")] for frame in frames])
    assert places.mean(axis=0) == pytest.approx([1, 2, 0.25, math.radians(30)], abs=2e-4)
    assert places.std(axis=0) == pytest.approx([0.0005] * 3 + [0.003], rel=0.06)
    quaternions = np.array([[frame[k] for k in ("qw", "qx", "qy", "qz")] for frame in frames])
    assert np.linalg.norm(quaternions, axis=1) == pytest.approx(1.0)
    sim.step(0.1)
    assert sim.time - sim.read("a", "mocap").time >= 0.01 - 1e-9
    with pytest.raises(UnknownName, match="did you mean 'crate'"):
        simulation({**options, "body": "crat"}, objects=(ball,))


def test_motion_capture_loses_frames() -> None:
    read = reader(simulation({"kind": "mocap", "body": "body", "lost": 0.3}), "mocap")
    frames = [read() for _ in range(3000)]
    lost = [frame for frame in frames if not frame["tracked"]]
    assert len(lost) / len(frames) == pytest.approx(0.3, abs=0.03)
    assert all(math.isnan(frame["x"]) for frame in lost)
