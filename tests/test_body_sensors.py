"""Proprioceptive sensors: accelerometer, gyroscope, touch, tachometer, encoder, battery."""

import math

import numpy as np
import pytest
from support.sensor_rig import put, reader, simulation

from grouser.errors import UnknownName
from grouser.frames import Array
from grouser.sensors.inertial import Accelerometer, corrupt, next_bias
from grouser.sensors.sensor import Values

IMU = {"mount": "body", "at": [0.1, 0.05, 0.1]}


def axes(values: Values) -> Array:
    """Return the components along x, y and z."""
    return np.array([values["x"], values["y"], values["z"]])


@pytest.mark.parametrize(("roll", "pitch"), [(0, 0), (0.3, 0.0), (0.2, -0.4)])
def test_accelerometer_at_rest_measures_gravity_upwards(roll: float, pitch: float) -> None:
    """The reading is +9.81 m/s² upwards in every mounting orientation."""
    turned = {"roll_deg": math.degrees(roll), "pitch_deg": math.degrees(pitch)}
    sim = simulation({"kind": "accelerometer", **IMU, **turned})
    sim.step(1.0)
    up = 9.81 * np.array(
        [-math.sin(pitch), math.sin(roll) * math.cos(pitch), math.cos(roll) * math.cos(pitch)]
    )
    reading = sim.read("a", "accelerometer")
    assert axes(reading.values) == pytest.approx(up, abs=0.02)


def test_accelerometer_in_free_fall_measures_zero() -> None:
    sim = simulation({"kind": "accelerometer", **IMU, "rate_hz": 100})
    put(sim, z=2.0)
    sim.step(0.2)
    assert axes(sim.read("a", "accelerometer").values) == pytest.approx(np.zeros(3), abs=1e-6)


def test_accelerometer_off_the_axis_measures_centripetal_acceleration() -> None:
    """Free fall at constant angular velocity: omega² r towards the axis of the centre of mass."""
    sim = simulation({"kind": "accelerometer", "mount": "body", "at": [0.4, 0, 0], "rate_hz": 1e3})
    put(sim, z=3.0)
    sim.data.qvel[5] = 5.0
    sim.step(0.05)
    arm = 0.4  # the centre of mass is on the body's z axis
    assert sim.read("a", "accelerometer")["x"] == pytest.approx(-25 * arm, rel=0.02)


def test_gyroscope_measures_constant_rotation() -> None:
    turned = {"kind": "gyroscope", **IMU, "roll_deg": 90.0, "rate_hz": 200}
    sim = simulation({"kind": "gyroscope", **IMU, "name": "level", "rate_hz": 200}, turned)
    put(sim, z=3.0)
    sim.data.qvel[5] = 1.3
    sim.step(0.2)
    assert axes(sim.read("a", "level").values) == pytest.approx([0, 0, 1.3], abs=1e-3)
    assert axes(sim.read("a", "gyroscope").values) == pytest.approx([0, 1.3, 0], abs=1e-3)


def test_inertial_errors_have_configured_statistics() -> None:
    sensor = Accelerometer(mount="body", bias=0.2, drift=0.1, noise=0.3, rate_hz=100)
    rng = np.random.default_rng(0)
    biases = np.array([next_bias(None, sensor, rng) for _ in range(3000)])
    assert biases.std() == pytest.approx(0.2, rel=0.05)
    ends = []
    for _ in range(400):
        bias = np.zeros(3)
        for _ in range(100):  # one second
            bias = next_bias(bias, sensor, rng)
        ends.append(bias)
    assert np.std(ends) == pytest.approx(0.1, rel=0.08)
    samples = np.array([corrupt(np.ones(3), np.zeros(3), sensor, rng) for _ in range(5000)])
    assert samples.mean() == pytest.approx(1.0, abs=0.01)
    assert samples.std() == pytest.approx(0.3, rel=0.03)
    coarse = Accelerometer(mount="body", resolution=0.5, limit=19.62)
    assert corrupt(np.array([0.6, -30, 3]), np.zeros(3), coarse, rng) == pytest.approx(
        [0.5, -19.62, 3.0]
    )


def test_touch_sensor_measures_weight_and_nothing_in_the_air() -> None:
    feet = [f"left/{link}" for link in range(4)]
    sensors = [{"kind": "touch", "mount": foot, "name": foot, "rate_hz": 100} for foot in feet]
    body = {"kind": "touch", "mount": "body", "name": "belly"}
    sim = simulation(*sensors, body)
    sim.step(1.0)
    assert sum(sim.read("a", foot)["force"] for foot in feet) == pytest.approx(
        19 * 9.81 / 2, rel=0.02
    )
    assert max(sim.read("a", foot)["touch"] for foot in feet) == 1.0
    assert sim.read("a", "belly").values == {"touch": 0.0, "force": 0.0}
    put(sim, z=1.0)
    sim.step(0.1)
    assert all(sim.read("a", foot)["touch"] == 0.0 for foot in feet)
    with pytest.raises((UnknownName, ValueError), match="did you mean 'body'"):
        simulation({"kind": "touch", "mount": "bodi"})


def test_touch_sensor_has_saturation_and_threshold() -> None:
    links = [{"kind": "touch", "mount": f"left/{link}", "rate_hz": 100} for link in range(4)]
    weak = [{**link, "name": f"weak{n}", "limit": 1.0} for n, link in enumerate(links)]
    deaf = [{**link, "name": f"deaf{n}", "threshold": 1e4} for n, link in enumerate(links)]
    sim = simulation(*weak, *deaf)
    sim.step(1.0)
    pressed = [n for n in range(4) if sim.read("a", f"deaf{n}")["force"] > 1.0]
    assert pressed
    for n in pressed:
        assert sim.read("a", f"weak{n}").values == {"touch": 1.0, "force": 1.0}
        assert sim.read("a", f"deaf{n}")["touch"] == 0.0


def test_tachometers_and_encoders_of_belts_agree() -> None:
    drives = {"drives": ["left", "right"], "rate_hz": 100}
    sim = simulation({"kind": "tachometer", **drives}, forward=0.3)
    sim.step(2.0)
    first = sim.read("a", "tachometer")
    assert first.array("speeds") == pytest.approx([0.3, 0.3], rel=0.05)
    sim.step(1.0)
    later = sim.read("a", "tachometer")
    way = later.array("positions") - first.array("positions")
    assert way == pytest.approx([0.3, 0.3], rel=0.01)
    encoder = sim.read("a", "encoder")
    assert later.array("positions") == pytest.approx([encoder["left"], encoder["right"]], abs=0.02)


def test_battery_drains_faster_while_driving() -> None:
    sensor = {"kind": "battery", "capacity": 1000.0, "idle": 10.0, "efficiency": 0.5, "rate_hz": 50}
    still, busy = simulation(sensor), simulation(sensor, forward=0.5)
    for sim in (still, busy):
        sim.step(2.0)
    rest = still.read("a", "battery")
    assert rest["energy"] == pytest.approx(1000 - 10 * 2.0, abs=0.5)
    assert rest["charge"] == pytest.approx(rest["energy"] / 1000)
    assert rest["seconds"] == pytest.approx(rest["energy"] / 10.0, rel=0.02)
    reading = busy.read("a", "battery")
    effort = busy.state.memory.effort.sum()
    assert effort > 1
    assert reading["energy"] == pytest.approx(1000 - 20 - effort / 0.5, rel=0.01)
    assert reading["seconds"] < rest["seconds"]
    flat = simulation({**sensor, "capacity": 5.0})
    flat.step(1.0)
    assert flat.read("a", "battery")["charge"] == 0.0


def test_readings_do_not_depend_on_other_sensors() -> None:
    read = reader(simulation({"kind": "gyroscope", **IMU, "noise": 0.1}), "gyroscope", seed=3)
    again = reader(simulation({"kind": "gyroscope", **IMU, "noise": 0.1}), "gyroscope", seed=3)
    assert read() == again()
