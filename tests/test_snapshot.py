"""Snapshots: save, restore, fork, pickle and reset continue in the same bits."""

import copy
import dataclasses
import hashlib
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.physics.drives import torque
from grouser.simulation.changes.actions import (
    Glide,
    Join,
    Leave,
    Reset,
    ResetSensor,
    SendMessage,
    SetDaylight,
    SetFriction,
    SetGravity,
    SetSensorRate,
)
from grouser.simulation.divergence.recovery import DivergenceRecovery
from grouser.simulation.observers import Mailbox
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, load, shipped
from grouser.world.objects import Box

CONTINUE = """
import pickle, sys
from grouser.simulation.simulation import Simulation
sys.path.insert(0, sys.argv[2])
from test_snapshot import digest
simulation = Simulation.from_snapshot(pickle.load(open(sys.argv[1], "rb")))
simulation.step(simulation.round_to_steps(float(sys.argv[3])))
print(digest(simulation))
"""

WITH_ROBOTS = [name for name in sorted(shipped()) if load(name).robots]


def digest(simulation: Simulation, *, new_readings: bool = False) -> str:
    """Return a text that is equal for equal states, readings, pictures and events."""
    events = map(str, simulation.event_log)
    return "\n".join((*events, readings(simulation, new_readings=new_readings)))


def readings(simulation: Simulation, *, new_readings: bool = False) -> str:
    """Return a text that is equal for equal states, readings and pictures."""
    read = simulation.measure if new_readings else simulation.read
    parts = [f"state {simulation.fingerprint()}"]
    for robot, sensor in sorted(simulation.scene.sensors):
        reading = read(robot, sensor)
        for key, value in reading.values.items():
            text = hashlib.sha256(np.asarray(value).tobytes()).hexdigest()
            parts.append(f"{robot} {sensor} {reading.time!r} {key} {text}")
    return "\n".join(parts)


def advance(simulation: Simulation, seconds: float) -> Simulation:
    simulation.step(simulation.round_to_steps(seconds))
    return simulation


@pytest.mark.parametrize("name", ["quince_step", "match_2v2", "rubble", "roach_circle"])
def test_restored_simulation_continues_with_the_same_bits_in_another_process(
    name: str, tmp_path: Path
) -> None:
    continue_in_another_process(name, tmp_path, 0.4)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_ROBOTS)
def test_every_world_continues_in_another_process(name: str, tmp_path: Path) -> None:
    continue_in_another_process(name, tmp_path, 4.0)


def continue_in_another_process(name: str, folder: Path, seconds: float) -> None:
    simulation = advance(Simulation(name), seconds / 4)
    path = folder / "snapshot"
    path.write_bytes(pickle.dumps(simulation.save()))
    other = subprocess.run(
        [sys.executable, "-c", CONTINUE, path, Path(__file__).parent, str(seconds)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert other.stdout.strip() == digest(advance(simulation, seconds))


def test_restore_undoes_every_kind_of_change() -> None:
    simulation = advance(Simulation("pioneer_room"), 0.3)
    snapshot, expected = simulation.save(), digest(advance(simulation, 0.3))
    robot = next(iter(simulation.robots))
    for action in (
        Join(Box(name="parcel", position=(1.0, 1.0, 0.5), size=(0.2, 0.2, 0.2), mass=1.0)),
        Glide("parcel", ((2.0, 1.0, 0.5),), 0.5),
        SetFriction("everywhere", 0.1),
        SetGravity(1.6),
        SetSensorRate(robot, "GroundTruth", 100.0),
    ):
        simulation.apply(action)
    advance(simulation, 0.2)
    simulation.restore(snapshot)
    assert digest(advance(simulation, 0.3)) == expected
    simulation.apply(Leave(robot))
    simulation.restore(snapshot)
    assert digest(advance(simulation, 0.3)) == expected


def test_reset_returns_to_the_start_without_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation("pioneer_room")
    start, state = readings(simulation), simulation.fingerprint()
    simulation.apply(SetGravity(1.6))
    simulation.apply(SetFriction("everywhere", 0.1))
    robot = next(iter(simulation.robots))
    simulation.apply(SetSensorRate(robot, "GroundTruth", 7.0))
    advance(simulation, 0.5)
    monkeypatch.setattr("grouser.simulation.snapshot.compose", None)
    simulation.reset()
    assert readings(simulation) == start
    assert simulation.model.opt.gravity[2] == pytest.approx(-9.81)
    assert not simulation.sensor_rates
    simulation.apply(Reset())
    assert [entry.kind for entry in simulation.event_log] == ["reset"] * 2
    assert simulation.fingerprint() == state


def test_reset_with_a_seed_equals_a_new_simulation_with_it() -> None:
    simulation = advance(Simulation("pioneer_room", seed=1), 0.3)
    digests: dict[int, str] = {}
    for seed in (2, 3, 2):
        simulation.reset(seed=seed)
        now = readings(advance(simulation, 0.2))
        assert digests.setdefault(seed, now) == now
        assert now == readings(advance(Simulation("pioneer_room", seed=seed), 0.2))
    assert digests[2] != digests[3], "noise depends on the seed"


def test_copies_forks_and_pickles_are_independent() -> None:
    simulation = advance(Simulation("quince_step"), 0.3)
    copies = [
        copy.deepcopy(simulation),
        pickle.loads(pickle.dumps(simulation)),
        *simulation.fork(3),
    ]
    copies[0].command("quince", forward=-0.3)
    assert len({advance(one, 0.3).fingerprint() for one in copies[1:]}) == 1
    assert copies[0].fingerprint() != advance(copies[0], 0.3).fingerprint()
    assert advance(simulation, 0.3).fingerprint() == copies[1].fingerprint()
    copies[2].reset()
    assert copies[2].fingerprint() == Simulation("quince_step").fingerprint()


def test_pending_reset_of_an_encoder_survives() -> None:
    simulation = advance(Simulation("quince_step"), 0.5)
    simulation.apply(ResetSensor("quince", "encoder"))
    other = Simulation.from_snapshot(simulation.save())
    assert other.measure("quince", "encoder")["left"] == 0.0


def test_pickle_of_another_format_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation("quince_step")
    for name in ("FORMAT", "mujoco.__version__"):
        with monkeypatch.context() as patch:
            patch.setattr(f"grouser.simulation.snapshot.{name}", 1)
            snapshot, copy_ = pickle.dumps(simulation.save()), pickle.dumps(simulation)
        for old in (snapshot, copy_):
            with pytest.raises(BadValue, match="this version of Grouser reads format 6 of MuJoCo"):
                pickle.loads(old)


def test_damaged_and_foreign_pickles_are_refused() -> None:
    simulation = Simulation("quince_step")
    build, (number, engine, content) = simulation.save().__reduce__()
    with pytest.raises(BadValue, match="snapshot: its content is damaged"):
        build(number, engine, content[: len(content) // 2])
    renamed = content.replace(b"SavedState", b"StateSaved")
    with pytest.raises(BadValue, match="snapshot: a part of it is not installed here"):
        build(number, engine, renamed)
    for foreign in ({"time": 1.0}, None, simulation):
        with pytest.raises(BadValue, match="is no snapshot; pass the result of save"):
            simulation.restore(foreign)  # type: ignore[arg-type]


def test_snapshot_of_a_changed_mesh_is_refused_and_changes_nothing() -> None:
    simulation, before = Simulation("quince_step"), Simulation("quince_step").fingerprint()
    snapshot = simulation.save()
    shorter = dataclasses.replace(snapshot.state, integration=snapshot.state.integration[:-1])
    with pytest.raises(
        BadValue, match="world 'quince_step' has changed since the snapshot was saved"
    ):
        simulation.restore(dataclasses.replace(snapshot, state=shorter))
    assert simulation.fingerprint() == before


# -- in the middle of things -----------------------------------------------------------------------

CRATE = Box(name="new_crate", position=(1.3, 1.0, 0.5), size=(0.2, 0.2, 0.2), mass=1.0)


def busy(name: str) -> Simulation:
    """Return a simulation in which much is going on: motions, guests, schedules, late readings."""
    simulation = Simulation(name, seed=3)
    simulation.drain_readings()
    advance(simulation, 0.1)
    for handle in simulation.robots.values():
        gait = handle.description.gait
        handle.command({gait.inputs[0] if gait else next(iter(handle.drives)): 0.1})
    advance(simulation, 0.1)
    simulation.add(CRATE)
    simulation.add(RobotEntry(name="guest", kind="packbot", position=(-3.0, 3.0, 0.0)).equipped())
    simulation.apply(Glide("new_crate", ((2.0, 1.0, 0.6), (2.0, 2.0, 0.6)), 0.5, loop=True))
    advance(simulation, 0.05)
    for robot, sensor in list(simulation.scene.sensors)[:2]:
        simulation.apply(SetSensorRate(robot, sensor, 37.0))
    simulation.apply(SetFriction("everywhere", 0.3))
    simulation.apply(SetGravity(9.0))
    simulation.apply(SetDaylight(0.5))  # compiles: readings of cameras refer to the scene before
    simulation.schedule(simulation.time + 0.22, SendMessage("later"))
    simulation.schedule(simulation.time + 0.31, Leave("guest"))
    simulation.robots["guest"].drives["left"].command(torque(0.5))
    return advance(simulation, 0.1037)


@pytest.mark.parametrize("name", ["gate", "match_1v3", "aibo_kick"])
def test_everything_in_progress_is_saved(name: str) -> None:
    continue_in_every_way(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_ROBOTS)
def test_everything_in_progress_is_saved_in_every_world(name: str) -> None:
    continue_in_every_way(name)


def continue_in_every_way(name: str) -> None:
    simulation = busy(name)
    snapshot = simulation.save()
    other = advance(Simulation("aibo_meet" if name == "quince_step" else "quince_step"), 0.2)
    copies = {
        "fork": simulation.fork(1)[0],
        "deepcopy": copy.deepcopy(simulation),
        "pickle": pickle.loads(pickle.dumps(simulation)),
        "other world": other,
    }
    other.restore(snapshot)
    measured = digest(Simulation.from_snapshot(snapshot), new_readings=True)
    assert digest(simulation.fork(1)[0], new_readings=True) == measured
    expected = digest(advance(simulation, 0.6))
    for way, one in copies.items():
        assert digest(advance(one, 0.6)) == expected, way
    for robot in simulation.scene.robots:
        simulation.remove(robot)
    simulation.restore(snapshot)
    assert digest(advance(simulation, 0.6)) == expected, "after the robots were removed"
    simulation.reset(seed=5)
    fresh = Simulation(name, seed=5)
    assert readings(advance(simulation, 0.2)) == readings(advance(fresh, 0.2)), "after a reset"


def test_snapshot_of_a_robot_that_diverged_and_restarted() -> None:
    simulation = advance(Simulation("pioneer_room"), 0.1)
    recovery = DivergenceRecovery(simulation)
    robot = next(iter(simulation.robots))
    free = simulation.model.body(simulation.state.body(robot)).dofadr[0]
    simulation.state.data.qvel[free : free + 3] = 1e12
    assert recovery.step(simulation.round_to_steps(0.05)) == [robot]
    copies = [simulation.fork(1)[0], Simulation.from_snapshot(simulation.save())]
    expected = digest(advance(simulation, 0.3))
    assert [digest(advance(one, 0.3)) for one in copies] == [expected] * 2


def test_delayed_readings_reach_observers_of_the_restored_run() -> None:
    """A reading that was measured before the snapshot becomes available after it."""
    arrivals = []
    for restored in (False, True):
        simulation, box = Simulation("aibo_meet"), Mailbox()
        simulation.subscribe(box)
        advance(simulation, 0.1)
        if restored:
            snapshot = simulation.save()
            advance(simulation, 0.2)
            simulation.restore(snapshot)
        box.drain()
        advance(simulation, 0.1)
        messages = [message for message in box.drain() if message.kind == "reading"]
        arrivals.append([(m.robot, m.content.sensor, m.content.time) for m in messages])
    assert arrivals[0] == arrivals[1]
    assert any(time <= 0.1 for _, sensor, time in arrivals[0] if sensor == "camera")


def test_restored_run_that_nothing_observes_stores_no_readings() -> None:
    simulation = Simulation("pioneer_room")
    simulation.drain_readings()
    (fork,) = advance(simulation, 0.1).fork(1)
    assert len(pickle.dumps(advance(fork, 2.0).save())) < 1.1 * len(pickle.dumps(fork.save()))
    plain = Simulation("pioneer_room")
    assert len(fork.save().parts) < 1.1 * len(advance(plain, 2.1).save().parts)


def test_seeds_differ_where_there_is_noise_and_only_there() -> None:
    noisy = {readings(advance(Simulation("pioneer_room", seed=seed), 0.2)) for seed in range(10)}
    assert len(noisy) == 10
    exact = load("pioneer_room").changed(robots=(QUIET,))
    quiet = {readings(advance(Simulation(exact, seed=seed), 0.2)) for seed in range(10)}
    assert len(quiet) == 1


QUIET = RobotEntry(
    name="quiet", kind="packbot", position=(0.0, 0.0, 0.0), command={"forward": 0.2}, sensors=()
)


def test_reset_of_copies_does_not_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = advance(Simulation("quince_step"), 0.2)
    copies = [*simulation.fork(2), pickle.loads(pickle.dumps(simulation))]
    monkeypatch.setattr("grouser.simulation.snapshot.compose", None)
    simulation.reset()
    for one in copies:
        one.reset()
        assert digest(one).partition("\n")[0] == digest(simulation).partition("\n")[0]
