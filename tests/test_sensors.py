"""Contract of all sensors in the table: binding, reading, errors by seed, timing."""

import math
from typing import Any

import numpy as np
import pytest

from grouser.errors import BadValue, UnknownName
from grouser.sensors.encoder import Encoder, corrupt
from grouser.sensors.sensor import SENSORS, Reading, describe_sensor
from grouser.simulation.changes.actions import Join, Leave
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, parse
from grouser.world.objects import AnyObject, Box, Tag, Victim
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

BODY = {"mount": "body", "at": [0.0, 0.0, 0.3]}
OPTIONS: dict[str, dict[str, Any]] = {
    "encoder": {"drives": ["left", "right"], "noise": 0.01},
    "truth": {"body": "left/0"},
    "accelerometer": {**BODY, "bias": 0.1, "drift": 0.1, "noise": 0.1},
    "gyroscope": {**BODY, "bias": 0.1, "drift": 0.1, "noise": 0.1},
    "touch": {"mount": "left/0", "noise": 1.0},
    "pressure": {"mount": "left/0", "noise": 1.0, "places": [["front", [0.2, 0.0, 0.0]]]},
    "infrared": {**BODY, "bound": [[0.0, 0.01], [1.5, 0.1]], "far": 3.0},
    "sonar": {**BODY, "noise": 0.01, "noise_part": 0.01},
    "laser": {**BODY, "noise": 0.01, "noise_part": 0.01},
    "tachometer": {"drives": ["left", "right"], "noise": 0.01},
    "odometry": {"left": ["left"], "right": ["right"], "gauge": 0.331, "noise_part": 0.1},
    "ins": {**BODY, "noise_part": 0.1, "drift": 0.01, "turn_drift": 0.01},
    "gps": BODY,
    "compass": {**BODY, "bias": 0.1, "noise": 0.1},
    "battery": {"capacity": 1e5, "idle": 20.0},
    "mocap": {"body": "body"},
    "motor_temperature": {"drives": ["left", "right"], "noise": 0.5},
    "depth": {**BODY, "camera": "kinect2", "rate_hz": 10.0},
    "camera": {**BODY, "camera": "ers210", "rate_hz": 10.0},
    "victims": {**BODY, "noise": 0.01},
    "rfid": {**BODY, "missed": 0.5},
}
EXACT = {"truth", "battery"}
"""Sensors without an error model."""


def robot(name: str, *sensors: dict[str, Any], y: float = 0.0) -> RobotEntry:
    """Return a PackBot with the tracks that compile fastest."""
    return RobotEntry(
        name=name,
        kind="packbot",
        position=(0, y, 0),
        options={"method": "wheels"},
        sensors=sensors,
        command={"forward": 0.3},
    )


def world(*robots: RobotEntry) -> World:
    things: tuple[AnyObject, ...] = (
        Box(name="wall", friction=1, fixed=True, position=(2, 0, 0.5), size=(0.1, 8, 1)),
        Victim(name="anna", position=(1.2, 0.2, 0), posture="sitting"),
        *(Tag(name=f"tag{n}", number=1000 + n, position=(0.9, n / 10, 0.01)) for n in range(10)),
    )
    return World(
        name="test", physics=STANDARD, terrain=(Flat(friction=0.6),), robots=robots, objects=things
    )


def sensor(kind: str, **changes: Any) -> dict[str, Any]:
    return {"kind": kind, "name": "s", "rate_hz": 50.0, "delay_s": 0.0} | OPTIONS[kind] | changes


def collect_readings(
    simulation: Simulation, seconds: float = 0.1, robot: str = "a", name: str = "s"
) -> list[Reading]:
    """Step and collect every reading of a sensor."""
    collected = {}
    for _ in range(round(seconds / 0.005)):
        simulation.step(0.005)
        reading = simulation.read(robot, name)
        collected[reading.time] = reading
    return list(collected.values())


def are_equal(one: list[Reading], other: list[Reading]) -> bool:
    return [reading.time for reading in one] == [reading.time for reading in other] and all(
        np.array_equal(a.array(key), b.array(key), equal_nan=a.array(key).dtype.kind == "f")
        for a, b in zip(one, other, strict=True)
        for key in a.values
    )


@pytest.mark.parametrize("kind", SENSORS)
def test_readings_depend_on_the_seed_and_random_numbers_are_not_shared(kind: str) -> None:
    first_values = sensor(kind)
    pair = world(robot("a", first_values), robot("b", first_values, y=3.0))
    one, again, other = (Simulation(pair, seed=seed) for seed in (1, 1, 2))
    first = collect_readings(one)
    assert first[0].values, "a reading must hold something"
    assert are_equal(first, collect_readings(again))
    if kind not in EXACT:
        assert not are_equal(first, collect_readings(other)), "another seed, other errors"
    noises = [one.active_sensors._sensors[robot_name, "s"]._rng for robot_name in ("a", "b")]
    assert noises[0].random() != noises[1].random()


@pytest.mark.parametrize("kind", SENSORS)
def test_rate_and_delay_are_applied(kind: str) -> None:
    delay = 0.03
    simulation = Simulation(world(robot("a", sensor(kind, rate_hz=50.0, delay_s=delay))))
    assert simulation.read("a", "s").time == pytest.approx(-delay)
    times = []
    for _ in range(200):
        simulation.step()
        reading = simulation.read("a", "s")
        age = simulation.time - reading.time
        assert age >= delay - 1e-9
        assert age < delay + 0.02 + 1e-9 or simulation.time < delay
        times.append(round(reading.time, 9))
    assert sorted(set(times))[1:] == pytest.approx(np.arange(0, 0.2 - delay, 0.02).tolist())


@pytest.mark.parametrize("kind", SENSORS)
def test_readings_do_not_depend_on_resets_and_other_robots(kind: str) -> None:
    """A reset restarts every sensor; a joining robot does not change stored state."""
    simulation = Simulation(world(robot("a", sensor(kind))), seed=5)
    plain = collect_readings(simulation, 0.12)
    simulation.reset()
    assert are_equal(plain, collect_readings(simulation, 0.12))
    simulation.reset()
    begun = collect_readings(simulation, 0.05)  # the next reading is due at 0.06
    simulation.apply(Join(robot("b", sensor(kind), y=4.0)))
    simulation.apply(Leave("b"))
    assert are_equal(plain, [*begun, *collect_readings(simulation, 0.07)[1:]])


@pytest.mark.parametrize("kind", SENSORS)
def test_invalid_timing_is_rejected(kind: str) -> None:
    for bad in ({"rate_hz": 0.0}, {"delay_s": -1.0}, {"delay_s": math.nan}):
        with pytest.raises(BadValue, match="must be"):
            describe_sensor(sensor(kind, **bad), "here")


def test_delayed_reading_is_the_measurement_of_its_time() -> None:
    now = sensor("truth", body="body", name="now")
    late = sensor("truth", body="body", name="late", delay_s=0.1)
    simulation = Simulation(world(robot("a", now, late)))
    history = {}
    for _ in range(300):
        simulation.step()
        reading = simulation.read("a", "now")
        history[reading.time] = reading["x"]
    reading = simulation.read("a", "late")
    assert reading.time == pytest.approx(0.2)
    assert reading["x"] == history[reading.time] != history[max(history)]


def test_encoders_count_whole_ticks_with_noise_and_can_be_reset() -> None:
    rng = np.random.default_rng(0)
    true = np.linspace(-7, 7, 9)
    counted = corrupt(true, 0.25, 0.0, 0.0, rng)
    assert counted == pytest.approx(np.floor(true * 4) / 4)
    wrapped = corrupt(true, 0.0, 0.0, math.tau, rng)
    assert ((wrapped >= 0) & (wrapped < math.tau)).all()
    assert np.cos(wrapped) == pytest.approx(np.cos(true))
    noisy = corrupt(np.zeros(20_000), 0.0, 0.02, 0.0, rng)
    assert noisy.std() == pytest.approx(0.02, rel=0.03)
    with pytest.raises(BadValue, match="resolution is -1"):
        Encoder(drives=("left",), resolution=-1)


def test_readings_hold_numbers_and_arrays() -> None:
    reading = Reading("laser", 0.5, {"count": 2.0, "ranges": np.ones(3)})
    assert reading["count"] == 2.0
    assert reading.array("ranges").shape == (3,)
    assert reading.array("count").shape == (1,)
    with pytest.raises(ValueError, match="read-only"):
        reading["ranges"][0] = 2.0
    with pytest.raises(UnknownName, match="did you mean 'ranges'"):
        reading.array("range")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "lasre"}, "there is no sensor 'lasre'.*did you mean 'laser'"),
        ({"mount": "bdy"}, "there is no body or site 'bdy'.*did you mean 'body'"),
        ({"fra": 3}, "unknown key 'fra' in sensor 'laser'.*did you mean 'far'"),
        (
            {"kind": "encoder", "drives": ["lft"], "name": "e"},
            "there is no drive 'lft'.*did you mean 'left'",
        ),
        ({"kind": "truth", "body": "bod", "name": "t"}, "no body 'bod'.*did you mean 'body'"),
        ({"far": "x"}, "sensor 'laser': far is 'x', a number is needed"),
        ({"at": 3}, "at is 3"),
        ({"name": "truth"}, "two sensors named 'truth'"),
    ],
)
def test_invalid_sensors_of_a_world_file_are_reported(
    change: dict[str, str | int | list[str]], message: str
) -> None:
    first_values = {"kind": "laser", "mount": "body"} | change
    if first_values["kind"] in ("encoder", "truth"):
        del first_values["mount"]
    with pytest.raises((BadValue, UnknownName), match=message):
        Simulation(world(robot("a", first_values)))


def test_world_file_may_add_sensors() -> None:
    text = """
name: scan
physics: PHYSICS
terrain: [{kind: flat, friction: 0.6}]
robots:
  - name: a
    kind: packbot
    position: [0, 0]
    sensors:
      - {kind: laser, mount: body, at: [0, 0, 0.2], pitch_deg: 10, far: 4}
"""
    physics = STANDARD.model_dump_json()
    simulation = Simulation(parse(text.replace("PHYSICS", physics), where="scan.yaml"))
    ranges = simulation.read("a", "laser").array("ranges")
    height = simulation.data.site("a/sensor/laser").xpos[2]
    assert ranges[90] == pytest.approx(height / math.sin(math.radians(10)))
    wrong = text.replace("PHYSICS", physics).replace("mount: body", "mount: bdy")
    with pytest.raises(BadValue, match="scan.yaml line 10: .*did you mean 'body'"):
        Simulation(parse(wrong, where="scan.yaml"))


def test_sensors_of_joining_robots_are_read_in_turn() -> None:
    world = World(name="yard", physics=STANDARD, terrain=(Flat(friction=0.8),))
    simulation = Simulation(world)
    simulation.step(0.1)
    for number in range(4):
        simulation.apply(Join(RobotEntry(name=f"r{number}", kind="p2dx", position=(number, 0, 0))))
        simulation.step()
    simulation.step(0.2)  # each has a reading at its own time
    simulation.drain_readings()
    simulation.step(0.2)
    readings = simulation.drain_readings()
    sonars = {(robot, reading.time) for robot, reading in readings if reading.sensor[0] == "F"}
    assert len(sonars) == 4  # all eight sonars of a robot together …
    assert len({time for _, time in sonars}) == 4  # … and no two robots' at the same time
    spread = {reading.time for _, reading in readings if reading.sensor != "Camera"}
    assert len(spread) >= 4 * 5  # also laser, INS, odometry and encoders
