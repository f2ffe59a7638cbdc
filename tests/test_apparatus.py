"""Standard test apparatus, stepfields and arenas, checked on the compiled model."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Literal

import mujoco
import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.simulation.simulation import Simulation
from grouser.world.file import load
from grouser.world.objects import Ball
from grouser.world.physics_settings import STANDARD, STANDARD_FRICTION
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_patches import rectangles
from grouser.world.terrain.hurdle import Hurdle
from grouser.world.terrain.incline import Incline
from grouser.world.terrain.kinds import TERRAINS
from grouser.world.terrain.pitch_roll_ramps import PitchRollRamps
from grouser.world.terrain.stairs import Stairs
from grouser.world.terrain.stepfield import PATTERNS, Stepfield
from grouser.world.terrain.terrain_piece import PlacedTerrain, TerrainPiece

FLAT = Flat(friction=0.8)
Pattern = Literal["hill", "valley", "diagonal"]

ARENAS = ("arena_yellow", "arena_orange", "arena_red")
EXAMPLES: dict[str, PlacedTerrain] = {
    "hurdle": Hurdle(friction=0.3, x=1, height=0.2),
    "incline": Incline(friction=0.3, x=1, slope_deg=30),
    "pitch_roll_ramps": PitchRollRamps(friction=0.3, x=1, columns=3, rows=2),
    "crossing": PitchRollRamps(friction=0.3, x=1, crossing=True, columns=3, rows=2),
    "stepfield": Stepfield(friction=0.3, x=1, pattern="diagonal"),
}


def compile_model(*parts: TerrainPiece | Ball) -> mujoco.MjModel:
    spec = mujoco.MjSpec()
    STANDARD.apply(spec)
    for i, part in enumerate(parts):
        if isinstance(part, Ball):
            part.add(spec, STANDARD.ground)
        else:
            part.add(spec, STANDARD.ground, f"terrain/{i}")
    return spec.compile()


def heights(model: mujoco.MjModel, points: list[tuple[float, float]]) -> list[float]:
    """Return the height of the ground at points (x, y), m."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    geom, down = np.zeros(1, np.int32), np.array([0.0, 0.0, -1.0])
    return [
        5.0 - mujoco.mj_ray(model, data, np.array([x, y, 5.0]), down, None, True, -1, geom)
        for x, y in points
    ]


def test_kinds_are_registered() -> None:
    assert {type(example) for example in EXAMPLES.values()} <= set(TERRAINS.values())
    assert all(TERRAINS[kind].model_fields["kind"].default == kind for kind in TERRAINS)


@pytest.mark.parametrize("name", EXAMPLES)
def test_geoms_carry_friction_contact_and_name(name: str) -> None:
    model = compile_model(EXAMPLES[name])
    for i in range(model.ngeom):
        geom = model.geom(i)
        assert geom.name.startswith("terrain/0/")
        assert (geom.bodyid, geom.condim) == (0, 3)
        assert geom.friction == pytest.approx([0.3, 0.005, 0.0001])
        assert geom.solref == pytest.approx([0.004, 1])
        assert geom.solimp == pytest.approx([0.95, 0.99, 0.001, 0.5, 2])


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_piece_can_be_translated_and_rotated(name: str) -> None:
    placed = EXAMPLES[name]
    moved = placed.model_copy(update={"x": 3.0, "y": -2.0, "yaw_deg": 90.0})
    points = [(0.037, 0.021), (0.41, -0.33), (0.63, 0.47), (0.93, 0.11), (-0.02, 0.0)]
    there = heights(compile_model(FLAT, placed), [(1 + x, y) for x, y in points])
    here = heights(compile_model(FLAT, moved), [(3 - y, -2 + x) for x, y in points])
    assert here == pytest.approx(there, abs=1e-6)
    assert max(there) > 0.05


def test_hurdle_has_round_edges() -> None:
    hurdle = Hurdle(friction=1, x=1, height=0.2, length=0.4, pipe=0.05)
    corner = 0.175 + math.sqrt(0.025**2 - 0.015**2)  # the pipe, 10 mm behind the riser
    found = heights(compile_model(FLAT, hurdle), [(x, 0.3) for x in (0.99, 1.01, 1.2, 1.39, 1.41)])
    assert found == pytest.approx([0, corner, 0.2, corner, 0], abs=1e-6)


def test_pipes_of_a_hurdle_have_their_own_friction() -> None:
    model = compile_model(Hurdle(friction=0.9, x=1, height=0.2, pipe_friction=0.1))
    friction = {model.geom(i).name: model.geom(i).friction[0] for i in range(model.ngeom)}
    slippery = {"terrain/0/near", "terrain/0/far"}
    assert {name for name, value in friction.items() if value == 0.1} == slippery
    assert {name for name, value in friction.items() if value == 0.9} == set(friction) - slippery


def test_incline_has_slope_platform_and_width() -> None:
    incline = Incline(friction=1, x=1, slope_deg=30, side=2, width=1, platform=0.5)
    crest = 2 * math.cos(math.radians(30))
    tan = math.tan(math.radians(30))
    points = [(0.99, 0), (1.5, 0), (1 + crest + 0.01, 0), (1 + crest + 0.51, 0), (1.5, 0.51)]
    assert heights(compile_model(FLAT, incline), points) == pytest.approx([0, 0.5 * tan, 1, 0, 0])
    bare = incline.model_copy(update={"platform": 0.0, "width": None})
    assert compile_model(bare).ngeom == 1
    assert heights(compile_model(FLAT, bare), [(1.5, 0.99)]) == pytest.approx([0.5 * tan])


def test_continuous_ramps_have_no_steps() -> None:
    ramps = PitchRollRamps(friction=1, x=0, columns=4, rows=2)
    assert ramps.rise == pytest.approx(0.3215, abs=1e-3)  # E2826: about 320 mm over 1.2 m
    x = np.linspace(0, 4.8, 97)
    found = np.array(heights(compile_model(FLAT, ramps), [(value, 0.7) for value in x]))
    expected = ramps.rise * (1 - np.abs(1 - (x / 1.2) % 2))
    assert found == pytest.approx(expected, abs=1e-6)


def test_odd_number_of_ramps_ends_in_a_drop() -> None:
    ramps = PitchRollRamps(friction=1, x=0, columns=3)
    before, after = heights(compile_model(FLAT, ramps), [(3.599, 0), (3.601, 0)])
    assert before == pytest.approx(ramps.rise, abs=1e-3)
    assert after == 0


def test_crossing_ramps_make_steps() -> None:
    ramps = PitchRollRamps(friction=1, x=0, crossing=True, columns=2, rows=2)
    assert ramps.rise == pytest.approx(0.1608, abs=1e-3)  # E2827: about 160 mm over 0.6 m
    # Tile (0, 0), y -1.2 to 0, has its crest along y; (1, 0) along x, and meets it with a step.
    points = [(0.6, -0.6), (0.6, -0.1), (1.199, -0.6), (1.201, -0.6), (1.8, -0.6), (1.8, -0.3)]
    crest, half = ramps.rise, ramps.rise / 2
    expected = [crest, crest, 0, crest, crest, half]
    assert heights(compile_model(FLAT, ramps), points) == pytest.approx(expected, abs=1e-3)
    assert heights(compile_model(FLAT, ramps), [(0.1, 0.6)]) == pytest.approx([crest])


def field(pattern: Pattern, **options: Any) -> Array:
    """Return the heights of all posts, rows from +y to -y, columns along +x, m."""
    model = compile_model(FLAT, Stepfield(friction=1, x=2, y=1, pattern=pattern, **options))
    centres = [(2.05 + 0.1 * c, 1.45 - 0.1 * r) for r in range(10) for c in range(10)]
    return np.reshape(heights(model, centres), (10, 10))


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("unit", [0.1, 0.05])
def test_post_heights_are_those_of_the_table(pattern: Pattern, unit: float) -> None:
    assert field(pattern, unit=unit) == pytest.approx(unit * PATTERNS[pattern], abs=1e-6)


@pytest.mark.parametrize("pattern", ["hill", "valley"])
def test_hill_and_valley_are_symmetric(pattern: Pattern) -> None:
    found = field(pattern)
    assert found == pytest.approx(found[::-1], abs=1e-6)
    assert found == pytest.approx(found[:, ::-1], abs=1e-6)


def test_patterns_have_the_shapes_of_their_names() -> None:
    assert all(set(table.ravel()) == {0, 1, 2, 3, 4} for table in PATTERNS.values())
    assert (np.diag(PATTERNS["diagonal"][:, ::-1]) == 4).all()
    assert PATTERNS["hill"][:, 4:6].min() == 3
    assert PATTERNS["valley"][4:6].max() == 1


@pytest.mark.parametrize("pattern", PATTERNS)
def test_rectangles_cover_every_post_once(pattern: Pattern) -> None:
    table = PATTERNS[pattern]
    covered = np.zeros_like(table)
    for row, column, down, along in rectangles(table > 0, table, table):
        block = np.s_[row : row + down, column : column + along]
        assert (table[block] == table[row, column]).all()
        covered[block] += 1
    assert np.array_equal(covered, table > 0)
    assert len(list(rectangles(table > 0, table, table))) < (table > 0).sum()


def test_ball_rolls_down_a_rotated_ramp_without_penetration() -> None:
    ball = Ball(name="ball", friction=1, mass=0.5, radius=0.05, position=(0, 0.4, 0.25))
    ramps = PitchRollRamps(friction=1, x=0, yaw_deg=90, slope_deg=15)
    model = compile_model(FLAT, ramps, ball)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=500)
    x, y, z = data.body("ball").xpos
    assert abs(x) < 1e-3
    assert y < 0.3
    assert z > 0.049


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Hurdle, {"height": 0.04}),
        (Hurdle, {"height": 0.2, "length": 0.09}),
        (Hurdle, {"height": 0.2, "pipe_friction": -1}),
        (Incline, {"slope_deg": 90}),
        (Incline, {"slope_deg": 30, "platform": -1}),
        (PitchRollRamps, {"columns": 0}),
        (PitchRollRamps, {"crossing": 1}),
        (Stepfield, {"pattern": "flat"}),
        (Stepfield, {"pattern": "hill", "unit": 0}),
        (Stepfield, {"pattern": "hill", "yaw_deg": 400}),
    ],
)
def test_invalid_parameters_are_rejected(kind: type[PlacedTerrain], wrong: dict[str, Any]) -> None:
    with pytest.raises(BadValue):
        kind(friction=1, x=0, **wrong)


def test_default_friction_is_the_standard_friction() -> None:
    assert Stepfield(x=0, pattern="hill").friction == STANDARD_FRICTION


@pytest.mark.parametrize("name", ARENAS)
def test_arenas_load_and_step(name: str, tmp_path: Path) -> None:
    simulation = Simulation(load(name), crash_folder=tmp_path)
    before = simulation.data.body("quince/body").xpos.copy()
    simulation.command("quince", forward=0.1)
    simulation.step(0.2)
    after = simulation.data.body("quince/body").xpos
    assert np.isfinite(simulation.data.qpos).all()
    assert after == pytest.approx(before, abs=0.05)
    assert after[0] > before[0]


def test_colours_of_the_arenas_differ() -> None:
    assert len({load(name).objects[0].rgb for name in ARENAS}) == 3
    red = [terrain for terrain in load("arena_red").terrain if isinstance(terrain, Stairs)]
    assert math.degrees(math.atan2(red[0].rise, red[0].run)) == pytest.approx(40, abs=0.1)
