"""Batches of simulations on different terrains are bit-identical to single simulations."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.trials.layout import SharedGround, layout
from grouser.trials.runner import run_trials
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.meshes.mesh_files import write_stl
from grouser.world.meshes.triangle_mesh import hulls
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.mesh import MeshGround

COUNT = 16
COMMANDS = {"velociroach": {"left_speed": 15.7, "right_speed": 23.6}, "packbot": {"forward": 0.3}}


def trial_on_own_terrain(
    number: int, kind: str = "velociroach", seconds: float = 0.3, cell: float = 0.02
) -> Trial:
    """Return a trial on terrain that depends on ``number``."""
    heights = np.random.default_rng(number).uniform(0, 0.004 + 0.001 * number, (31, 41))
    ground = HeightMap.of(heights, cell, x=-0.3, friction=0.6)
    command = COMMANDS[kind]
    robot = RobotEntry(name="it", kind=kind, position=(0.0, 0.0, 0.02), command=command)
    world = World(name="ground", physics=STANDARD, terrain=(ground,), robots=(robot,))
    return Trial(world=world, robot="it", limit=seconds, tipped_beyond=math.inf)


@pytest.mark.parametrize("kind", COMMANDS)
def test_batch_of_sixteen_terrains_equals_sixteen_simulations(kind: str) -> None:
    trials = [
        trial_on_own_terrain(number, kind, cell=0.02 if kind == "velociroach" else 0.05)
        for number in range(COUNT)
    ]
    scenes = [compose(trial.world) for trial in trials]
    assert len({layout(scene) for scene in scenes}) == 1, "one batch holds all of them"
    together = run_trials(trials, runner=ThreadRunner(slots=COUNT, threads=1))
    assert len({outcome.fingerprint for outcome in together}) == COUNT
    for trial, outcome in zip(trials, together, strict=True):
        alone = Simulation(trial.world)
        alone.step(outcome.time)
        assert alone.fingerprint() == outcome.fingerprint


def test_slot_changes_terrain_with_its_trial() -> None:
    trials = [trial_on_own_terrain(number) for number in range(5)]
    few = [
        outcome.fingerprint
        for outcome in run_trials(trials, runner=ThreadRunner(slots=2, threads=1))
    ]
    assert few == [run_trials([trial])[0].fingerprint for trial in trials]


def test_equal_terrain_is_stored_once() -> None:
    scenes = [compose(trial_on_own_terrain(number).world) for number in (1, 2, 1, 2)]
    own = scenes[0].model.nhfield
    assert SharedGround(scenes).scene.model.nhfield == 2 * own
    assert SharedGround(scenes[:1]).scene is scenes[0]


def test_batch_of_sixteen_meshes_equals_sixteen_simulations(tmp_path: Path) -> None:
    """Wedges of increasing slope: equal numbers of pieces, different shapes."""
    trials = []
    for number in range(COUNT):
        top = 0.005 + 0.002 * number
        outline = [(-0.3, -0.1), (0.3, -0.1), (0.3, top), (-0.3, 0.0)]
        corners = np.array([(x, y, z) for y in (-0.3, 0.3) for x, z in outline])
        (wedge,) = hulls([corners])
        write_stl(tmp_path / f"{number}.stl", wedge.triangles.astype(np.float32))
        ground = MeshGround(file=tmp_path / f"{number}.stl", friction=0.6)
        trial = trial_on_own_terrain(number, seconds=0.1)
        trials.append(replace(trial, world=trial.world.changed(terrain=(ground,))))
    together = run_trials(trials, runner=ThreadRunner(slots=COUNT, threads=1))
    assert len({outcome.fingerprint for outcome in together}) == COUNT
    for trial, outcome in zip(trials, together, strict=True):
        alone = Simulation(trial.world)
        alone.step(outcome.time)
        assert alone.fingerprint() == outcome.fingerprint
