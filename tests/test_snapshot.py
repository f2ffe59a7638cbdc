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

import grouser
from grouser.errors import BadValue
from grouser.simulation.changes.actions import (
    Glide,
    Join,
    Leave,
    Reset,
    ResetSensor,
    SetFriction,
    SetGravity,
    SetSensorRate,
)
from grouser.simulation.simulation import Simulation
from grouser.world.file import shipped
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

WITH_ROBOTS = [name for name in sorted(shipped()) if grouser.load(name).robots]


def digest(simulation: Simulation) -> str:
    """Return a text that is equal for equal states, readings, pictures and events."""
    parts = [simulation.fingerprint(), *map(str, simulation.event_log)]
    for robot, sensor in sorted(simulation.scene.sensors):
        values = simulation.read(robot, sensor).values
        parts += [f"{robot} {sensor} {key} {np.asarray(values[key]).tobytes()!r}" for key in values]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


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
    start, state = digest(simulation), simulation.fingerprint()
    simulation.apply(SetGravity(1.6))
    simulation.apply(SetFriction("everywhere", 0.1))
    robot = next(iter(simulation.robots))
    simulation.apply(SetSensorRate(robot, "GroundTruth", 7.0))
    advance(simulation, 0.5)
    monkeypatch.setattr("grouser.simulation.snapshot.compose", None)
    monkeypatch.setattr("grouser.simulation.simulation.compose", None)
    simulation.reset()
    assert digest(simulation) == start
    assert simulation.model.opt.gravity[2] == pytest.approx(-9.81)
    assert not simulation.sensor_rates
    simulation.apply(Reset())  # leaves an entry in the log
    assert simulation.fingerprint() == state


def test_reset_with_a_seed_equals_a_new_simulation_with_it() -> None:
    simulation = advance(Simulation("pioneer_room", seed=1), 0.3)
    digests: dict[int, str] = {}
    for seed in (2, 3, 2):
        simulation.reset(seed=seed)
        now = digest(advance(simulation, 0.2))
        assert digests.setdefault(seed, now) == now
        assert now == digest(advance(Simulation("pioneer_room", seed=seed), 0.2))
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


def test_snapshot_of_another_format_is_refused() -> None:
    simulation = Simulation("quince_step")
    old = dataclasses.replace(simulation.save(), format=0)
    with pytest.raises(BadValue, match="its format is 0, this version of Grouser reads 2"):
        simulation.restore(old)
