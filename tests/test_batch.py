"""`Batch`: every simulation has the bits of a `Simulation` with the same seed and commands."""

import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from test_batch_equals_simulation import crawler

import grouser
from grouser.benches import batch as bench
from grouser.errors import BadValue, GrouserError
from grouser.frames import Array
from grouser.physics.drives import Setpoint
from grouser.simulation.simulation import Simulation
from grouser.trials.batch import Batch
from grouser.trials.starts import TrialStart
from grouser.trials.trial import Trial
from grouser.world.events import Event
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.step import Step

GYRO = {"kind": "gyroscope", "name": "gyro", "mount": "body", "noise": 0.05, "delay_s": 0.03}


def flat(kind: str, **more: Any) -> World:
    """Return flat ground with one robot, called ``it``."""
    robot = RobotEntry(name="it", kind=kind, position=(0, 0, 0), **more)
    return World(name=kind, physics=STANDARD, terrain=(Flat(friction=0.7),), robots=(robot,))


def same(value: object, row: int | slice) -> Any:
    """Return simulation ``row``'s part of a value of a command."""
    if isinstance(value, Setpoint):
        return Setpoint(value.mode, same(value.value, row))
    return value[row] if isinstance(value, np.ndarray | list) else value


def command_all(
    batch: Batch, alone: list[Simulation], robot: str, command: Mapping[str, Any], mask: Array
) -> None:
    """Command a batch, and the simulations in ``mask`` one by one."""
    batch.command(robot, command, mask=mask)
    for row in np.flatnonzero(mask).tolist():
        alone[row].command(robot, {key: same(value, row) for key, value in command.items()})


def check_equal(batch: Batch, alone: list[Simulation]) -> None:
    """Compare states, drives and readings of a batch with those of simulations."""
    assert batch.fingerprints() == [one.fingerprint() for one in alone]
    assert batch.time.tolist() == [one.time for one in alone]
    for robot in batch.robots:
        handles = [one.robots[robot] for one in alone]
        poses = np.array([[*at.pose.position, *at.pose.wxyz] for at in handles])
        np.testing.assert_allclose(batch.poses(robot), poses, atol=1e-12)
        for values, name in (
            (batch.angles(robot), "angles"),
            (batch.energy(robot), "energy"),
            (batch.effort(robot), "effort"),
            (batch.power(robot), "power"),
        ):
            single = [getattr(one, name)(robot) for one in alone]
            assert [*single[0]] == [*batch.drives(robot)]
            np.testing.assert_array_equal(values, [[*one.values()] for one in single])
    for robot, sensor in batch.sensors:
        for name, array in batch.readings(robot, sensor).items():
            own = [np.asarray(one.read(robot, sensor).values[name]) for one in alone]
            np.testing.assert_array_equal(array, own, f"{name} of {sensor}")


SPREAD = np.array([0.05, 0.2, 0.31, -0.1, 0.0])
CASES: dict[str, tuple[Any, str, list[dict[str, Any]]]] = {
    "packbot": (
        flat("packbot", command={"forward": 0.6}, sensors=["standard"]),
        "it",
        [{"forward": 3 * SPREAD, "turn": 4 * SPREAD[::-1]}, {"forward": 0.3}],
    ),
    "quince": (
        "quince_step",
        "quince",
        [
            {"forward": 2 * SPREAD, "front": grouser.angle(np.linspace(-0.5, 0.8, 5))},
            {"front": grouser.torque(40 * SPREAD)},
            {"front_speed": SPREAD, "turn_deg": [1, 2, 3, 4, 5]},
        ],
    ),
    "ers7": (
        flat("ers7"),
        "it",
        [{"forward": SPREAD, "turn": SPREAD[::-1]}, {"pan": 0.3, "neck_deg": -90 * SPREAD**2}],
    ),
    "roach on bumps": (
        "bumps",
        "roach",
        [
            {"left_speed": 60 * SPREAD, "right_speed": 18.0},
            {"fore_left_protraction": SPREAD},
            {"left_speed": 20.0, "right_speed": 70 * SPREAD[::-1]},
        ],
    ),
    "moving surface": (crawler(0.075, "surface"), "crawler", [{"forward": SPREAD}]),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("case", CASES)
def test_each_simulation_of_a_batch_equals_a_simulation(case: str, threads: int) -> None:
    world, robot, commands = CASES[case]
    batch = Batch(world, len(SPREAD), seeds=7, threads=threads)
    alone = [Simulation(world, seed=seed) for seed in batch.seeds]
    check_equal(batch, alone)
    timestep = alone[0].scene.timestep
    every, some = np.ones(len(SPREAD), bool), np.array([True, False, True, True, False])
    for number, command in enumerate([*commands, *commands]):
        command_all(batch, alone, robot, command, some if number % 2 else every)
        steps = (37, 80, 123)[number % 3]
        batch.step(steps * timestep)
        for one in alone:
            one.step(steps * timestep)
        check_equal(batch, alone)
    assert len(set(batch.fingerprints())) == len(SPREAD)


@pytest.mark.parametrize("case", ["quince", "ers7", "roach on bumps", "moving surface"])
def test_simulations_that_were_reset_at_any_step_equal_a_simulation(case: str) -> None:
    world, robot, commands = CASES[case]
    batch = Batch(world, len(SPREAD), seeds=7, threads=2)
    alone = [Simulation(world, seed=seed) for seed in batch.seeds]
    timestep = alone[0].scene.timestep
    for number, steps in enumerate((33, 46, 21, 40)):
        mask = np.arange(len(SPREAD)) % 4 == number
        batch.reset(mask, seeds=range(100 + number, 105 + number))
        for row in np.flatnonzero(mask).tolist():
            alone[row].reset(seed=100 + number + row)
        command_all(batch, alone, robot, commands[0], mask)
        batch.step(steps * timestep)
        for one in alone:
            one.step(steps * timestep)
        check_equal(batch, alone)
    assert len(set(batch.time.tolist())) == 4
    assert (np.diff(batch.time[:4]) % batch.cycle).any(), "at different steps of the cycle"


def test_readings_have_the_errors_rates_and_delays_of_a_simulation() -> None:
    world = flat("quince", sensors=[GYRO, "standard"], command={"forward": 0.2})
    batch = Batch(world, 3, seeds=[4, 9, 4], threads=1)
    alone = [Simulation(world, seed=seed) for seed in batch.seeds]
    assert ("it", "gyro") in batch.sensors
    for _ in range(5):
        batch.step(0.033)
        for one in alone:
            one.step(0.033)
        check_equal(batch, alone)
    rates = batch.readings("it", "gyro")["x"]
    assert rates.shape == (3,)
    assert rates[0] == rates[2] != rates[1]
    assert batch.reading(1, "it", "gyro").time == alone[1].read("it", "gyro").time < 0.14
    batch.reset()
    assert batch.readings("it", "gyro")["x"][1] == Simulation(world, seed=9).read("it", "gyro")["x"]


def test_only_the_named_sensors_are_read() -> None:
    world = flat("quince", sensors=[GYRO])
    batch = Batch(world, 2, sensors={"it": ["gyro"]})
    assert batch.sensors == (("it", "gyro"),)
    batch.step(0.1)
    alone = Simulation(world, seed=1)
    alone.step(0.1)
    assert batch.readings("it", "gyro")["z"][1] == alone.read("it", "gyro")["z"]
    with pytest.raises(GrouserError, match="no sensor that is read 'encoder'"):
        batch.readings("it", "encoder")


def test_worlds_of_one_layout_share_a_batch() -> None:
    laser = {"kind": "laser", "mount": "body", "at": [0.3, 0, 0.1], "resolution": 0.1}
    worlds = []
    for number in range(3):
        heights = np.random.default_rng(number).uniform(0, 0.01 + 0.02 * number, (31, 41))
        ground = HeightMap.of(heights, 0.05, x=-0.3, friction=0.6)
        step = Step(x=1.0 + number / 3, height=0.3 + number / 10, friction=0.8)
        quince = flat("quince", sensors=[laser], command={"forward": 0.1 * number})
        worlds.append(quince.changed(terrain=(ground, step)))
    batch = Batch(worlds, threads=2)
    alone = [Simulation(world, seed=seed) for world, seed in zip(worlds, batch.seeds, strict=True)]
    batch.step(0.5)
    for one in alone:
        one.step(0.5)
    check_equal(batch, alone)
    assert np.ptp(batch.readings("it", "laser")["ranges"].min(axis=1)) > 0.1
    batch.restore(batch.save([False, True, False]))
    batch.step(0.3)
    alone[1].step(0.3)
    check_equal(batch, [alone[1]] * 3)


def test_friction_mass_and_start_pose_equal_those_of_a_trial() -> None:
    world = flat("packbot", command={"forward": 0.4})
    friction, mass = np.array([1.0, 0.5, 1.0]), np.array([1.0, 1.0, 1.3])
    poses = np.array([[x, 0.1, 0.09, 0.96, 0.0, 0.0, 0.28] for x in (0.0, 0.5, 1.0)])
    trials = [
        Trial(
            world=world,
            robot="it",
            limit=0.5,
            start=TrialStart(
                position=(x, y, z), wxyz=(w, a, b, c), friction=friction[row], mass=mass[row]
            ),
        )
        for row, (x, y, z, w, a, b, c) in enumerate(poses.tolist())
    ]
    wanted = grouser.run_trials(trials)
    batch = Batch(world, 3, friction=friction, mass={"it": mass}, poses={"it": poses})
    batch.step(wanted[0].time)
    assert batch.fingerprints() == [outcome.fingerprint for outcome in wanted]
    batch.reset([True, False, True])  # the parameters stay
    batch.reset([False, True, False], friction=0.5, mass={"it": 1.0})
    batch.step(wanted[0].time)
    assert batch.fingerprints() == [outcome.fingerprint for outcome in wanted]


@pytest.mark.parametrize("case", ["quince", "ers7", "moving surface"])
def test_restored_simulations_continue_in_the_same_bits(case: str) -> None:
    world, robot, commands = CASES[case]
    batch = Batch(world, 4, threads=2)
    timestep = Simulation(world).scene.timestep
    command = {key: same(value, slice(4)) for key, value in commands[0].items()}
    batch.command(robot, command)
    batch.step(81 * timestep)
    saved = pickle.loads(pickle.dumps(batch.save()))
    one = batch.save([False, True, False, False])
    batch.step(70 * timestep)
    after = batch.fingerprints()
    readings = {key: batch.readings(*key) for key in batch.sensors}
    other = Batch(world, 4, threads=1, friction=1.2)
    other.restore(saved)
    other.step(70 * timestep)
    assert other.fingerprints() == after
    for key, values in readings.items():
        for name, array in values.items():
            np.testing.assert_array_equal(other.readings(*key)[name], array)
    batch.restore(one, [True, False, True, True])
    batch.step(70 * timestep)
    assert batch.fingerprints()[0] == batch.fingerprints()[2] == after[1]
    assert batch.fingerprints()[1] != after[1]
    batch.reset()
    assert batch.fingerprints() == Batch(world, 4).fingerprints()


def test_diverged_simulation_stands_still_until_its_reset() -> None:
    world = flat("packbot", command={"forward": 0.4})
    far = [[0, 0, 0.09, 1, 0, 0, 0], [1e12, 0, 0.09, 1, 0, 0, 0], [0, 0, 0.09, 1, 0, 0, 0]]
    batch = Batch(world, 3, poses={"it": far})
    batch.step(0.3)
    assert batch.diverged.tolist() == [False, True, False]
    assert batch.fingerprints()[0] == batch.fingerprints()[2]
    assert batch.time[0] == pytest.approx(0.3)
    x = batch.poses("it")[:, 0]
    batch.reset([False, True, False], poses={"it": far[0]})
    batch.step(0.3)
    assert not batch.diverged.any()
    assert batch.poses("it")[1, 0] == x[0] < batch.poses("it")[0, 0]


def test_velocities_are_those_of_the_root_frame_in_the_world() -> None:
    batch = Batch(flat("quince", command={"forward": 0.3, "turn": 0.5}), 2)
    batch.step(1.0)
    before, velocities = batch.poses("it"), batch.velocities("it")
    assert velocities.shape == (2, 6)
    batch.step(0.01)
    moved = (batch.poses("it") - before)[:, :3] / 0.01
    np.testing.assert_allclose(velocities[:, :3], moved, atol=0.05)
    headings = [2 * np.arctan2(pose[6], pose[3]) for pose in (before[0], batch.poses("it")[0])]
    assert velocities[0, 5] == pytest.approx((headings[1] - headings[0]) / 0.01, abs=0.05)
    assert velocities[0, 5] > 0.05, "to the left"


QUINCE = flat("quince", sensors=[GYRO])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((QUINCE,), {}), "batch: n is missing"),
        (((QUINCE, 0), {}), "batch: n is 0, a whole number of at least 1"),
        (((QUINCE, 2.0), {}), "batch: n is 2.0, a whole number"),
        (((QUINCE, 2), {"threads": -1}), "batch: threads is -1"),
        (((QUINCE, 2), {"seeds": [1, 2, 3]}), "batch: 3 seeds given, 2 are needed"),
        (((QUINCE, 2), {"seeds": [1, -1]}), "seed is -1"),
        (((QUINCE, 2), {"sensors": {"it": ["nose"]}}), "no sensor 'nose'"),
        (((QUINCE, 2), {"sensors": {"he": []}}), "batch: sensors: there is no robot 'he'"),
        (((QUINCE, 2), {"friction": [1, 0]}), "friction of simulation 1 is 0.0, must be above 0"),
        (((QUINCE, 2), {"mass": {"she": 1.0}}), "batch: there is no robot 'she'"),
        (((QUINCE, 2), {"poses": {"it": [0, 0, 1]}}), r"shape \(3,\), must be \(7,\) or \(2, 7\)"),
        (((QUINCE, 2), {"poses": {"it": [0] * 7}}), "lengths from 0 to 0, must be 1"),
        ((([QUINCE, QUINCE], 3), {}), "2 worlds given for 3 simulations"),
        ((([QUINCE, flat("kenaf")],), {}), "'kenaf' .number 1. has another layout"),
        ((("no_such_world", 2), {}), "no_such_world"),
        (((flat("ers7"), 2), {"sensors": {"it": ["camera"]}}), "'camera' of 'it' is a camera"),
    ],
)
def test_wrong_arguments_are_reported_in_one_sentence(arguments: Any, message: str) -> None:
    with pytest.raises(GrouserError, match=message) as caught:
        Batch(*arguments[0], **arguments[1])
    assert "\n" not in str(caught.value)


def test_worlds_with_events_are_refused() -> None:
    world = flat("quince").changed(events=(Event(name="end", at=1.0, do=("tell it forward 0",)),))
    with pytest.raises(BadValue, match="the world has events, and a batch has none"):
        Batch(world, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda batch: batch.command("he", forward=1), "batch: there is no robot 'he'"),
        (lambda batch: batch.command("it", froward=1), "no drive 'froward'"),
        (lambda batch: batch.command("it", forward=[1, 2, 3]), r"shape \(3,\), a number or 2"),
        (lambda batch: batch.command("it", forward=[1, np.nan]), "of simulation 1 is nan"),
        (lambda batch: batch.command("it", forward=np.nan), "forward is nan"),
        (lambda batch: batch.command("it", forward="fast"), "forward is 'fast', a number"),
        (lambda batch: batch.command("it", forward=[True, False]), "numbers are needed"),
        (lambda batch: batch.command("it", forward=1, mask=[1, 0]), "2 truth values are needed"),
        (lambda batch: batch.step(0.0004), "not a whole number of time steps"),
        (lambda batch: batch.step(-1), "step: -1.0 s"),
        (lambda batch: batch.reset([True]), "2 truth values are needed"),
        (lambda batch: batch.reset(seeds=[7, 8], friction=-1), "must be above 0"),
        (lambda batch: batch.poses("him"), "no robot 'him'"),
        (lambda batch: batch.reading(2, "it", "gyro"), "simulation is 2, must be below 2"),
        (lambda batch: batch.restore(batch.save(), [False, True]), "has 2 simulations, 1 or 1"),
        (lambda batch: batch.restore(Batch("quince_step", 1).save()), "of other worlds"),
    ],
)
def test_wrong_calls_are_reported_in_one_sentence_and_change_nothing(
    call: Any, message: str
) -> None:
    batch = Batch(QUINCE, 2)
    before = batch.fingerprints(), batch.seeds
    with pytest.raises(GrouserError, match=message) as caught:
        call(batch)
    assert "\n" not in str(caught.value)
    assert (batch.fingerprints(), batch.seeds) == before


def test_simulation_refuses_arrays_in_commands() -> None:
    simulation = Simulation(QUINCE)
    with pytest.raises(BadValue, match=r"forward is array\(\[0.1, 0.2\]\), a number is needed"):
        simulation.command("it", {"forward": np.array([0.1, 0.2])})  # type: ignore[dict-item]


def test_bench_compares_controlled_and_bare_batches_of_running_robots() -> None:
    for make in (bench.packbots, bench.roaches):
        controlled = make(["encoder"])
        start = controlled.batch.poses(controlled.robot)
        over_bare, steps = bench.compare(controlled, states=2)
        moved = controlled.batch.poses(controlled.robot)[:, 0] - start[:, 0]
        assert not controlled.batch.diverged.any()
        assert np.median(moved) > 0.002, "they drive ahead"
        assert 0.2 < over_bare < 1.5
        assert steps > 1000
