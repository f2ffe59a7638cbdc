"""Solids against height maps: equal results on the same obstacle."""

import numpy as np
import pytest

from grouser.benches import ground as bench
from grouser.experiments import ground_maps
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array
from grouser.mobility.apparatus import APPARATUS
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.step import Step
from grouser.world.terrain.terrain_piece import TerrainPiece


@pytest.mark.parametrize("test", ground_maps.TESTS)
def test_the_map_of_an_apparatus_has_its_height(test: str) -> None:
    course = APPARATUS[test].at(APPARATUS[test].sizes[0])
    grid = ground_maps.as_map(course, 0.02).grid()
    assert np.isfinite(grid).all()
    assert grid[:, 0] == pytest.approx(0.0)
    assert grid[:, -1] == pytest.approx(course.top, abs=1e-9)


def quince(terrain: tuple[TerrainPiece, ...], seconds: float) -> tuple[Array, int]:
    """Return the position of Quince after a drive, and the largest number of contacts."""
    entry = RobotEntry(
        name="quince",
        kind="quince",
        position=(0.2, 0.0, 0.0),
        command={"forward": 0.2},
        options={"front_deg": 45.0},
    )
    world = World(name="step", physics=STANDARD, terrain=terrain, robots=(entry,))
    simulation = Simulation(world)
    most = 0
    for _ in range(round(seconds * 10)):
        simulation.step(0.1)
        most = max(most, simulation.data.ncon)
    return simulation.data.qpos[:3], most


def test_quince_climbs_a_step_that_is_a_map_with_few_contacts() -> None:
    solids = (Flat(friction=0.6), Step(x=bench.EDGE, height=bench.RISE, friction=0.6))
    place, most = quince((bench.step_map(),), 4.0)
    expected, contacts = quince(solids, 4.0)
    assert place == pytest.approx(expected, abs=0.02)
    assert place[2] > 0.2, "the robot climbs"
    assert most < 1.5 * contacts


def test_the_bench_documents_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"TURNS": 2, "SETTLE": 0.1, "SECONDS": 0.05, "POSES": 20_000}.items():
        monkeypatch.setattr(bench, name, value)
    figures = bench.run(lambda *_: None)
    assert all(f"``{name}``" in (bench.__doc__ or "") for name in figures)
    assert min(figures.values()) > 0


@pytest.mark.slow
def test_verdicts_are_the_same_on_solids_and_maps() -> None:
    table = ground_maps.run(RunOptions(quick=True)).table
    assert table.agree == table.of == 1
