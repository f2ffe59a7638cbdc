"""Robot files of example robots: contract, driving, flippers, legs and arms.

Three of them are built on models of the package example-robot-data (`make test-all` installs it).
"""

import shutil
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grouser.errors import GrouserError
from grouser.mobility.robot_contract import check_contract
from grouser.mobility.suite import measure_candidate, mobility_trial, run_single
from grouser.robots.custom.custom_robot import load_robot
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

ROBOTS = Path(__file__).parent.parent / "examples" / "robots"
ON_MODELS = ("a1", "z1", "g1")
ALONE = ("absolem", "husky")


def model_package() -> bool:
    try:
        return bool(metadata.files("example-robot-data"))
    except metadata.PackageNotFoundError:
        return False


models = pytest.mark.skipif(not model_package(), reason="pip install --group models")


def simulation_on_level_ground(name: str) -> Simulation:
    """Return a simulation of one robot on level ground."""
    entry = RobotEntry(name="r", kind=str(ROBOTS / f"{name}.yaml"), position=(0.0, 0.0, 0.0))
    ground = (Flat(friction=0.8),)
    return Simulation(World(name="w", physics=STANDARD, terrain=ground, robots=(entry,)))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*ALONE, *(pytest.param(n, marks=models) for n in ON_MODELS)])
def test_robot_files_pass_the_contract(name: str) -> None:
    for point in check_contract(str(ROBOTS / f"{name}.yaml"), {}):
        assert point.kept, f"{point.title}: {point.finding}"


@pytest.mark.parametrize(("name", "speed"), [("absolem", 0.4), ("husky", 0.8)])
def test_robots_drive_at_the_commanded_speed(name: str, speed: float) -> None:
    simulation = simulation_on_level_ground(name)
    simulation.command("r", forward=speed)
    simulation.step(1.0)
    begin = simulation.pose("r").position
    simulation.step(0.5)
    end = simulation.pose("r").position
    assert np.linalg.norm(end - begin) / 0.5 == pytest.approx(speed, rel=0.05)
    assert abs(end[1]) < 0.02


@pytest.mark.slow
def test_absolem_climbs_a_step_with_flippers_only() -> None:
    """Absolem has no published limit; it climbs a step with flippers that it fails without."""
    file = str(ROBOTS / "absolem.yaml")
    with_them, without = (measure_candidate(file, {}, flippers=used) for used in (True, False))
    assert with_them.flippers == ("front", "rear")
    assert run_single(mobility_trial(with_them, "step", 150)).arrived
    assert not run_single(mobility_trial(without, "step", 150)).arrived


@pytest.mark.slow
@models
@pytest.mark.parametrize(
    ("name", "joint", "bodies_up"), [("a1", "FL_thigh_joint", 0.25), ("g1", "waist_yaw_joint", 0.7)]
)
def test_legged_robots_stand_while_a_joint_moves(name: str, joint: str, bodies_up: Any) -> None:
    simulation = simulation_on_level_ground(name)
    start = simulation.angles("r")[joint]
    simulation.command("r", {joint: start + 0.2})
    simulation.step(3.0)
    assert simulation.angles("r")[joint] == pytest.approx(start + 0.2, abs=0.05)
    assert simulation.pose("r").position[2] > bodies_up


@pytest.mark.slow
@models
def test_arm_reaches_the_commanded_angles() -> None:
    simulation = simulation_on_level_ground("z1")
    simulation.command("r", {"joint1": 0.8, "joint2": 1.5})
    simulation.step(3.0)
    angles = simulation.angles("r")
    assert angles["joint1"] == pytest.approx(0.8, abs=0.01)
    assert angles["joint2"] == pytest.approx(1.5, abs=0.02)
    assert np.linalg.norm(simulation.pose("r").position[:2]) < 1e-9  # bolted


def test_missing_model_package_is_reported_in_one_sentence(tmp_path: Path) -> None:
    shutil.copy(ROBOTS / "a1.yaml", tmp_path / "a1.yaml")
    cases = {
        "package://no-such-models/a1.urdf": "line 5.*'no-such-models', which is not installed: pip",
        "package://pytest/nothing.urdf": "line 5.*'nothing.urdf', which package 'pytest' does not",
        "package://pytest/__init__.xml": "'__init__.xml', which package 'pytest' does not provide",
    }
    for model, sentence in cases.items():
        text = (ROBOTS / "a1.yaml").read_text()
        old = "package://example-robot-data/a1_description/urdf/a1.urdf"
        (tmp_path / "a1.yaml").write_text(text.replace(old, model))
        with pytest.raises(GrouserError, match=sentence):
            load_robot(tmp_path / "a1.yaml")
