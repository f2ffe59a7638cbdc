"""Commands ``new``, ``show`` and ``run --log``: own worlds, defaults, logs."""

import csv
from pathlib import Path

import numpy as np
import pytest
from support.cli_runner import error_line, grouser
from support.client_helpers import instance_of

from grouser.cli.commands.show import robot_defaults
from grouser.evaluation.trajectory import read_trajectory
from grouser.robots.kinds import describe
from grouser.simulation.run_log import RunLog
from grouser.simulation.simulation import Simulation
from grouser.world.file import load, parse, shipped, world_text
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.stairs import Stairs

pytestmark = pytest.mark.usefixtures("working_folder")

BRIEF = ("--seconds", "0.5")


@pytest.mark.parametrize("name", shipped())
def test_show_output_loads_as_the_same_world(name: str) -> None:
    world = load(name)
    again = parse(world_text(world), where="again.yaml", folder=shipped()[name].parent)
    assert again == world
    full = parse(
        world_text(world, robot_defaults), where="full.yaml", folder=shipped()[name].parent
    )
    for mine, theirs in zip(world.robots, full.robots, strict=True):
        assert set(mine.options) <= set(theirs.options)
        described = [describe(entry.kind, entry.options, "here") for entry in (mine, theirs)]
        assert described[0] == described[1]


def test_show_marks_defaults() -> None:
    result = grouser("show", "quince_step", "--set", "terrain.1.kind=stairs")
    assert result.exit_code == 0, result.output
    lines = [line.strip() for line in result.stdout.splitlines()]
    assert "timestep: 0.001  # default" in lines
    assert "rise: 0.17  # default" in lines
    assert "x: 0.8" in lines
    assert not any(line.startswith("height:") for line in lines)
    assert instance_of(Stairs, parse(result.stdout, where="shown").terrain[1]).rise == 0.17


@pytest.mark.parametrize("text", ["on", "1e3", "a: b", "it's", "", "- x", "näher", "null", "[1]"])
def test_text_round_trips_through_show(text: str) -> None:
    world = load("quince_step").changed(description=text)
    assert parse(world_text(world), where="x").description == text


def test_new_world_is_a_world_with_stairs(tmp_path: Path) -> None:
    result = grouser("new", "world", "my stairs")
    assert result.exit_code == 0, result.output
    world = load(tmp_path / "my stairs.yaml")
    assert world.name == "my stairs"
    assert [type(piece) for piece in world.terrain] == [Flat, Stairs]
    assert grouser("run", "my stairs.yaml", *BRIEF).exit_code == 0
    assert "already exists" in error_line(grouser("new", "world", "my stairs"))
    assert "did you mean 'world'" in error_line(grouser("new", "wold", "x"))


def test_log_contains_the_motion_of_the_robot(tmp_path: Path) -> None:
    result = grouser("run", "quince_step", *BRIEF, "--log", "new/q.csv", "--log-rate", "40")
    assert "wrote new/q.csv" in result.stdout, result.output
    with (tmp_path / "new/q.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 21  # one row at the start, then 40 per second
    sim = Simulation(load("quince_step"))
    sim.step(0.5)
    last = {name: float(value) for name, value in rows[-1].items()}
    assert last["t_s"] == pytest.approx(0.5)
    assert last["x_m"] == pytest.approx(sim.pose("quince").position[0], abs=1e-8)
    assert last["energy_j"] == pytest.approx(sum(sim.energy("quince").values()), rel=1e-8)
    assert last["belt_left_m"] == pytest.approx(sim.angles("quince")["left"], rel=1e-8)
    assert "joint_front_left_arm_rad" in last
    log = read_trajectory(tmp_path / "new/q.csv")
    assert log.x[-1] == last["x_m"]
    assert log.pitch[-1] == last["pitch_rad"]


def test_logging_does_not_change_the_run_and_npz_is_exact(tmp_path: Path) -> None:
    ends = []
    for rate in (7.0, 333.0):
        sim = Simulation(load("quince_step"))
        with RunLog(sim, tmp_path / f"{rate:g}.npz", rate_hz=rate):
            sim.step(0.3)
        ends.append(sim.fingerprint())
    assert ends[0] == ends[1]
    with np.load(tmp_path / "333.npz") as log:
        assert len(log["t_s"]) == 100
        sim.reset()
        sim.step(float(log["t_s"][-1]))
        assert log["x_m"][-1] == sim.pose("quince").position[0]


def test_one_log_per_robot(tmp_path: Path) -> None:
    assert grouser("run", "aibo_meet", "--seconds", "0.1", "--log", "m.npz").exit_code == 0
    names = {entry.name for entry in load("aibo_meet").robots}
    assert {file.name for file in tmp_path.iterdir()} == {f"m_{name}.npz" for name in names}


def test_invalid_log_options_are_rejected(tmp_path: Path) -> None:
    assert "must end in .csv or .npz" in error_line(grouser("run", "stairs", "--log", "a.txt"))
    (tmp_path / "w.yaml").write_text("name: empty\nterrain: [{kind: flat}]\n")
    assert "no robot in this world" in error_line(grouser("run", "w.yaml", "--log", "a.csv"))
    assert "--log-rate is 0" in error_line(
        grouser("run", "stairs", "--log", "a.csv", "--log-rate", "0")
    )
    assert [file.name for file in tmp_path.iterdir()] == ["w.yaml"]
