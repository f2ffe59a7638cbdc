"""Many simulations on as many terrains: one batch, and the bits of each alone."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.trials import threads
from grouser.trials.batch_layout import SharedGround, layout
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry, World
from grouser.world.meshes.mesh_files import write_stl
from grouser.world.meshes.triangle_mesh import hulls
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.mesh import MeshGround

COUNT = 16
COMMANDS = {"velociroach": {"left_speed": 15.7, "right_speed": 23.6}, "packbot": {"forward": 0.3}}


def on(number: int, kind: str = "velociroach", seconds: float = 0.3, cell: float = 0.02) -> Trial:
    """Return a trial on ground that only this ``number`` has."""
    heights = np.random.default_rng(number).uniform(0, 0.004 + 0.001 * number, (31, 41))
    ground = HeightMap.of(heights, cell, x=-0.3, friction=0.6)
    command = COMMANDS[kind]
    robot = RobotEntry(name="it", kind=kind, position=(0.0, 0.0, 0.02), command=command)
    world = World(name="ground", physics=STANDARD, terrain=(ground,), robots=(robot,))
    return Trial(world=world, robot="it", limit=seconds, tipped_beyond=math.inf)


@pytest.mark.parametrize("kind", COMMANDS)
def test_sixteen_terrains_in_one_batch_end_as_sixteen_simulations(kind: str) -> None:
    trials = [
        on(number, kind, cell=0.02 if kind == "velociroach" else 0.05) for number in range(COUNT)
    ]
    scenes = [compose(trial.world) for trial in trials]
    assert len({layout(scene) for scene in scenes}) == 1, "all go in one batch"
    together = threads.run_trials(trials, slots=COUNT, threads=1)
    assert len({outcome.fingerprint for outcome in together}) == COUNT
    for trial, outcome in zip(trials, together, strict=True):
        alone = Simulation(trial.world)
        alone.step(outcome.time)
        assert alone.fingerprint() == outcome.fingerprint


def test_a_slot_changes_its_ground_with_its_trial() -> None:
    trials = [on(number) for number in range(5)]
    few = [outcome.fingerprint for outcome in threads.run_trials(trials, slots=2, threads=1)]
    assert few == [threads.run_trials([trial])[0].fingerprint for trial in trials]


def test_equal_ground_is_kept_once() -> None:
    scenes = [compose(on(number).world) for number in (1, 2, 1, 2)]
    own = scenes[0].model.nhfield
    assert SharedGround(scenes).scene.model.nhfield == 2 * own
    assert SharedGround(scenes[:1]).scene is scenes[0]


def test_sixteen_meshes_end_together_as_each_alone(tmp_path: Path) -> None:
    """Wedges, each steeper than the last: as many pieces, another shape."""
    trials = []
    for number in range(COUNT):
        top = 0.005 + 0.002 * number
        outline = [(-0.3, -0.1), (0.3, -0.1), (0.3, top), (-0.3, 0.0)]
        corners = np.array([(x, y, z) for y in (-0.3, 0.3) for x, z in outline])
        (wedge,) = hulls([corners])
        write_stl(tmp_path / f"{number}.stl", wedge.triangles.astype(np.float32))
        ground = MeshGround(file=tmp_path / f"{number}.stl", friction=0.6)
        trial = on(number, seconds=0.1)
        trials.append(replace(trial, world=trial.world.changed(terrain=(ground,))))
    together = threads.run_trials(trials, slots=COUNT, threads=1)
    assert len({outcome.fingerprint for outcome in together}) == COUNT
    for trial, outcome in zip(trials, together, strict=True):
        alone = Simulation(trial.world)
        alone.step(outcome.time)
        assert alone.fingerprint() == outcome.fingerprint
