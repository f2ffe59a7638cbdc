"""Run log: tables that are written while the run goes on, of simulations and of served worlds."""

import csv
import errno
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from support.server_fixtures import CONTROL_ONLY, ServerProcess

from grouser.client.connection import join
from grouser.errors import BadValue
from grouser.evaluation.trajectory import read_trajectory
from grouser.simulation.run_log import RunLog
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry


def rows_of(path: Path) -> list[dict[str, float]]:
    with path.open() as stream:
        return [
            {name: float(value) for name, value in row.items()} for row in csv.DictReader(stream)
        ]


def rover(name: str, kind: str = "p2dx") -> RobotEntry:
    return RobotEntry(name=name, kind=kind, position=(-2.0, 2.0, 0.0))


def test_rows_are_on_disk_while_the_run_goes_on(tmp_path: Path) -> None:
    simulation, path = Simulation("quince_step"), tmp_path / "new" / "q.csv"
    log = RunLog(simulation, path, rate_hz=100)
    for seconds in (0.0, 0.1, 0.2):
        assert len(rows_of(path)) == 1 + round(100 * seconds)
        simulation.step(0.1)
    assert log.close() == [path]
    simulation.step(0.1)
    rows = rows_of(path)
    assert [row["t_s"] for row in rows] == pytest.approx(np.arange(31) / 100)


def test_both_formats_hold_the_same_table(tmp_path: Path) -> None:
    simulation = Simulation("quince_step")
    with RunLog(simulation, tmp_path / "a.csv"), RunLog(simulation, tmp_path / "b.npz"):
        simulation.step(0.3)
    rows = rows_of(tmp_path / "a.csv")
    with np.load(tmp_path / "b.npz") as table:
        assert list(table) == list(rows[0])
        for name in table:
            assert [row[name] for row in rows] == pytest.approx(table[name], rel=1e-8, abs=1e-9)
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["a.csv", "b.npz"]


def test_robots_that_come_and_go_have_files_of_their_own(tmp_path: Path) -> None:
    simulation, path = Simulation("quince_step"), tmp_path / "run.csv"
    with RunLog(simulation, path, rate_hz=10) as log:
        for kind in ("p2dx", "p2dx", "packbot"):
            simulation.add(rover("guest", kind))
            simulation.step(0.2)
            simulation.remove("guest")
            simulation.step(0.2)
    names = ["run.csv", "run_guest.csv", "run_guest_2.csv"]
    assert [file.name for file in log.files] == names
    lengths = [len(rows_of(tmp_path / name)) for name in names]
    assert lengths == [13, 4, 2], "one row at the start, ten per second"
    times = [row["t_s"] for row in rows_of(tmp_path / "run_guest.csv")]
    assert times == pytest.approx([0.1, 0.2, 0.5, 0.6])


@pytest.mark.parametrize("ending", ["csv", "npz"])
def test_rows_are_not_kept_in_memory(ending: str, tmp_path: Path) -> None:
    simulation = Simulation("quince_step")
    with RunLog(simulation, tmp_path / f"long.{ending}", rate_hz=1000.0):
        simulation.step(0.1)
        tracemalloc.start()
        simulation.step(1.0)
        kept = tracemalloc.take_snapshot()
        tracemalloc.stop()
    mine = kept.filter_traces([tracemalloc.Filter(True, "*run_log.py")])
    size = sum(entry.size for entry in mine.statistics("filename"))
    assert size < 20_000, "a thousand rows of 34 numbers take 270 kB"


def test_full_disk_ends_the_log_and_is_reported_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    simulation = Simulation("quince_step")
    log = RunLog(simulation, tmp_path / "a.csv")
    monkeypatch.setattr("grouser.simulation.run_log._Table.add", full)
    simulation.step(0.2)
    with pytest.raises(BadValue, match=r"a.csv: cannot be written \(No space left on device\)"):
        log.close()
    assert simulation.time == pytest.approx(0.2), "the run went on"


def test_served_world_is_logged(tmp_path: Path) -> None:
    path = tmp_path / "served.csv"
    options = (*CONTROL_ONLY, "--log", str(path), "--log-rate", "100")
    with ServerProcess(tmp_path, "pioneer_room", *options) as server:
        with join("P2DX", name="R1", port=server.ports["control"], at=(1.5, 1.5, 0)) as robot:
            robot.drive(left=3.0, right=3.0)
            for _ in robot.listen(1.0):
                pass
        while_it_runs = rows_of(tmp_path / "served_R1.csv")
    assert len(while_it_runs) > 50
    assert sorted(file.name for file in tmp_path.glob("*.csv")) == [
        *("served_R1.csv", "served_pioneer.csv")
    ]
    log = read_trajectory(tmp_path / "served_R1.csv")
    assert log.times[-1] - log.times[0] > 0.9
    rows = rows_of(tmp_path / "served_R1.csv")
    assert np.hypot(*(np.ptp([row[name] for row in rows]) for name in ("x_m", "y_m"))) > 0.05
