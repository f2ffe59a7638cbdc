"""Replay: verification, changed physics, continuation, tables, video."""

import csv
import pickle
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet
from support.cli_runner import error_line, grouser

from grouser.cli.paced_run import run_paced
from grouser.errors import BadValue
from grouser.recording.branch import continue_run
from grouser.recording.playback import Playback
from grouser.recording.recording import Recording
from grouser.recording.repair import recorded_file, survey
from grouser.recording.tables import write_tables
from grouser.recording.verification import verify
from grouser.simulation import references
from grouser.simulation.changes.actions import Command, SetFriction
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, as_world

WORLD = {
    "name": "two rovers",
    "terrain": [{"kind": "flat", "friction": 0.8}],
    "objects": [
        {
            "kind": "box",
            "name": "crate",
            "position": [2, 0, 0.1],
            "size": [0.2, 0.2, 0.2],
            "mass": 1,
        }
    ],
    "robots": [{"name": "one", "kind": "p2dx", "position": [0, 0]}],
}
HIDDEN_STEP = 150
"""Step at which a run changes without an action."""


def drive(simulation: Simulation) -> None:
    """Drive for half a second; a second robot joins, the world is reset."""
    simulation.command("one", forward=0.3)
    simulation.schedule(simulation.time + 0.1, Command("one", {"forward": -0.2}))
    simulation.step(0.2)
    simulation.add(RobotEntry(name="two", kind="p2dx", position=(0.0, 2.0, 0.0)))
    simulation.apply(SetFriction("everywhere", 0.5), source="console")
    simulation.step(0.1)
    simulation.reset(seed=4)
    simulation.step(0.2)


@dataclass
class Recorded:
    """A recording, and the state that it ends with."""

    folder: Path
    world: World
    fingerprint: str


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder, world = tmp_path_factory.mktemp("replay") / "run", as_world(WORLD)
    simulation = Simulation(world, seed=3)
    with simulation.record(folder, snapshots=0.1):
        drive(simulation)
    return Recorded(folder, world, simulation.fingerprint())


def test_recorded_run_is_proven(recorded: Recorded) -> None:
    result = verify(recorded.folder)
    assert result.proven, result
    assert result.states == 0.5 / 0.02 + 2, "every 20 ms, at the beginning and at the end"
    assert result.actions == 5, "the scheduled command is caused again"
    assert result.seconds == pytest.approx(0.5)


def test_other_friction_is_found_at_the_first_step(recorded: Recorded) -> None:
    other = recorded.world.changed(
        terrain=(recorded.world.terrain[0].model_copy(update={"friction": 0.81}),)
    )
    result = verify(recorded.folder, world=other)
    assert not result.proven
    assert result.difference is not None
    assert (result.difference.step, result.difference.parts) == (0, ("world/friction",))


@pytest.mark.slow
def test_change_without_an_action_is_found(tmp_path: Path) -> None:
    simulation = Simulation(as_world(WORLD))
    with simulation.record(tmp_path / "run", topics=("/clock",)):
        simulation.command("one", forward=0.3)
        simulation.step(HIDDEN_STEP * simulation.scene.timestep)
        body = simulation.model.body("crate").id
        simulation.model.geom_friction[simulation.model.geom_bodyid == body, 0] += 1e-15
        simulation.step(0.1)
    result = verify(tmp_path / "run")
    period = simulation.state.stepper.cycle
    assert result.difference is not None
    assert result.difference.parts == ("crate/friction",)
    first = -(-(HIDDEN_STEP + 1) // period) * period
    assert result.difference.step == first, "the first control period after it"


def test_flipped_bit_is_named(recorded: Recorded, tmp_path: Path) -> None:
    content = bytearray(recorded_file(recorded.folder).read_bytes())
    with recorded_file(recorded.folder).open("rb") as stream:
        chunk = survey(stream).chunks[0]
    content[(chunk.offset + chunk.index.chunk_length) // 2] ^= 4
    path = tmp_path / "flipped.mcap"
    path.write_bytes(content)
    result = verify(path)
    assert not result.proven
    assert [damage.what.partition(" of ")[0] for damage in result.damaged] == ["chunk"]


def test_run_continues_from_a_recorded_moment(recorded: Recorded) -> None:
    needed = pytest.raises(BadValue, match="a snapshot is needed, which can execute code")
    with Recording(recorded.folder) as recording, needed:
        continue_run(recording, 0.5)
    with Recording(recorded.folder, trusted=True) as recording:
        end = continue_run(recording, 0.5)
        assert end.fingerprint() == recorded.fingerprint
        hashes = {one.passed: one.fingerprint for one in recording.state_hashes()}
        steps = round(0.14 / recording.timestep)
        assert continue_run(recording, 0.14).fingerprint() == hashes[steps]
        later = continue_run(recording, 0.46)
        run_paced(later, 0.04, factor=None, camera=None, bar=lambda *_: None)
        assert later.fingerprint() == recorded.fingerprint
        with pytest.raises(BadValue, match="--from is 0.6, the recording is from 0 to 0.5 s"):
            continue_run(recording, 0.6)


@pytest.mark.slow
def test_command_continues_a_recorded_run(recorded: Recorded, tmp_path: Path) -> None:
    """The continued run is the recorded one: no action follows the moment."""
    again = tmp_path / "again"
    options = ("--from", 0.32, "--trust", "--seconds", 0.18, "--record", again)
    assert grouser("replay", recorded.folder, *options).exit_code == 0
    with Recording(recorded.folder) as first, Recording(again) as second:
        before, after = (
            {one.passed: one.fingerprint for one in recording.state_hashes()}
            for recording in (first, second)
        )
        assert second.end == first.end
    assert len(after) == 10, "and one at the moment itself"
    assert after.items() <= before.items()


@pytest.mark.slow
def test_recording_of_a_part_of_a_run_is_proven(tmp_path: Path) -> None:
    simulation = Simulation(as_world(WORLD))
    simulation.schedule(0.2, Command("one", {"forward": 0.1}))
    simulation.schedule(0.05, Command("one", {"forward": 0.3}))
    simulation.step(0.1)
    with simulation.record(tmp_path / "part", topics=("/clock",)):
        simulation.step(0.2)
    with pytest.raises(BadValue, match="use --trust"):
        verify(tmp_path / "part")
    result = verify(tmp_path / "part", trusted=True)
    assert result.proven, result


def test_tables_hold_poses_joints_and_energy(recorded: Recorded, tmp_path: Path) -> None:
    with Recording(recorded.folder) as recording:
        files = [
            *write_tables(recording, tmp_path / "run.csv"),
            *write_tables(recording, tmp_path / "run.parquet"),
        ]
        with pytest.raises(BadValue, match=r"must end in .csv or .parquet"):
            write_tables(recording, tmp_path / "run.txt")
        shown = Playback(recording).show(0.2)
    assert [file.name for file in files] == [
        *("run_one.csv", "run_two.csv", "run_one.parquet", "run_two.parquet")
    ]
    with files[0].open() as stream:
        rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(stream)]
    table = parquet.read_table(files[2])
    assert len(rows) == table.num_rows == 25 * 0.5 // 1
    assert {"t_s", "x_m", "yaw_rad", "energy_j", "position_left"} <= {*rows[0]}
    at = [round(row["t_s"], 9) for row in rows].index(0.2)
    position = [rows[at][name] for name in ("x_m", "y_m", "z_m")]
    np.testing.assert_allclose(shown.pose("one").position, position, atol=1e-8)


def test_pickles_that_are_no_descriptions_are_refused() -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return eval, ("1 / 0",)

    for content in (
        pickle.dumps(Evil()),
        b"\x80\x04cgrouser.world.file\nos.system\n.",
        b"\x80\x04cgrouser.world.file\nload\n.",
        b"\x80\x04cgrouser.recording.recorder\nFeeder\n.",
    ):
        with pytest.raises(pickle.UnpicklingError, match="is no description"):
            references.load(content, lambda pid: pid, trusted=False)


def test_pickle_that_reserves_memory_is_refused() -> None:
    content = b"]r" + (1 << 31).to_bytes(4, "little") + b"."
    with pytest.raises(pickle.UnpicklingError, match="has no 2147483648 objects"):
        references.load(content, lambda pid: pid, trusted=False)


def test_command_verifies_and_reports(recorded: Recorded, tmp_path: Path) -> None:
    done = grouser("replay", recorded.folder, "--verify")
    assert done.exit_code == 0
    assert "verified" in done.stdout
    sentence = error_line(grouser("replay", tmp_path, "--verify"))
    assert sentence.endswith("holds 0 MCAP files, a recording has one")
    sentence = error_line(grouser("replay", recorded.folder, "--set", "seed=1"))
    assert sentence == "--world and --set need --verify"
