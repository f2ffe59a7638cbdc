"""Terrain and objects in the compiled model: heights by rays, friction, contact, mass."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from pydantic import ValidationError
from support.terrain_examples import EXAMPLES, FLAT, compile_model, height

from grouser.errors import BadValue
from grouser.world.objects import OBJECTS, Ball, Box, Cylinder, Mesh
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.kinds import TERRAINS
from grouser.world.terrain.ramp import Ramp
from grouser.world.terrain.ridge import Ridge
from grouser.world.terrain.stairs import Stairs
from grouser.world.terrain.step import Step
from grouser.world.terrain.terrain_piece import TerrainPiece
from grouser.world.terrain.trench import Trench


def test_every_terrain_kind_has_an_example() -> None:
    assert set(EXAMPLES) == set(TERRAINS)
    assert all(type(EXAMPLES[kind]) is TERRAINS[kind] for kind in TERRAINS)


@pytest.mark.parametrize("kind", TERRAINS)
def test_geoms_carry_friction_contact_and_name(kind: str) -> None:
    model = compile_model(EXAMPLES[kind], looks=True)
    assert model.ngeom >= 1
    for i in range(model.ngeom):
        geom = model.geom(i)
        assert geom.name.startswith("terrain/0/")
        assert geom.bodyid == 0
        assert geom.condim == 3
        assert geom.friction == pytest.approx([0.3, 0.005, 0.0001])
        assert geom.solref == pytest.approx([0.004, 1])
        assert geom.solimp == pytest.approx([0.95, 0.99, 0.001, 0.5, 2])


@pytest.mark.parametrize(
    ("terrain", "heights"),
    [
        (FLAT, {-3: 0, 0: 0, 3: 0}),
        (Flat(friction=1, slope_deg=10), {-1: -math.tan(math.radians(10)), 2: 0.352654}),
        (Step(friction=1, x=1, height=0.12, length=0.5), {0.999: 0, 1.001: 0.12, 1.499: 0.12}),
        (
            Trench(friction=1, x=0.5, gap=0.3, depth=0.7, length=2),
            {-1.49: 0, 0.499: 0, 0.501: -0.7, 0.799: -0.7, 0.801: 0, 2.79: 0},
        ),
        (
            Ramp(friction=1, x=1, slope_deg=45, height=0.4, platform=1),
            {0.99: 0, 1.1: 0.1, 1.3: 0.3, 1.41: 0.4, 2.39: 0.4, 2.41: 0},
        ),
        (
            Stairs(friction=1, x=1, rise=0.1, run=0.3, count=3, platform=1),
            {0.99: 0, 1.01: 0.1, 1.29: 0.1, 1.31: 0.2, 1.61: 0.3, 2.59: 0.3, 2.61: 0},
        ),
        (
            Ridge(friction=1, x=1, height=0.1, length=0.4),
            {0.79: 0, 0.9: 0.05, 0.998: 0.099, 1.1: 0.05, 1.21: 0},
        ),
    ],
)
def test_surface_heights_agree_with_rays(
    terrain: TerrainPiece, heights: dict[float, float]
) -> None:
    ground = () if isinstance(terrain, Trench | Flat) else (FLAT,)
    model = compile_model(*ground, terrain)
    found = {x: height(model, x) for x in heights}
    assert found == pytest.approx(heights, abs=1e-6)


def test_ridge_with_yaw_lies_along_x() -> None:
    model = compile_model(FLAT, Ridge(friction=1, x=1, height=0.1, length=0.4, width=2, yaw_deg=90))
    assert height(model, 1.9) == pytest.approx(0.1, abs=1e-6)
    assert height(model, 1.9, 0.1) == pytest.approx(0.05, abs=1e-6)


def test_ball_comes_to_rest_on_the_step() -> None:
    ball = Ball(name="ball", friction=1, mass=0.5, radius=0.05, position=(1.5, 0, 0.2))
    model = compile_model(FLAT, Step(friction=1, x=1, height=0.12), ball)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=1000)
    assert data.body("ball").xpos == pytest.approx([1.5, 0, 0.17], abs=1e-3)


def test_ground_friction_holds_a_frictionless_box() -> None:
    tilt: dict[str, Any] = {"pitch_deg": -20, "position": (0, 0, 0.0533), "size": (0.1, 0.1, 0.1)}
    moved = {}
    for friction in (0.5, 0.3):  # tan 20° = 0.36 lies between them
        slope = Flat(friction=friction, slope_deg=20)
        model = compile_model(slope, Box(name="box", friction=0, mass=1, **tilt))
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=500)
        moved[friction] = abs(data.body("box").xpos[0])
    assert moved[0.5] < 0.01 < moved[0.3]


@pytest.mark.parametrize(
    "wrong",
    [
        {"height": 0},
        {"height": -0.1},
        {"length": 0},
        {"width": math.inf},
        {"x": math.nan},
        {"friction": -0.1},
        {"rgb": (2, 0, 0)},
        {"heigth": 0.1},
    ],
)
def test_invalid_steps_are_rejected(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadValue):
        Step(**{"friction": 1, "x": 1, "height": 0.1, **wrong})


def test_descriptions_are_frozen() -> None:
    with pytest.raises(ValidationError):
        FLAT.friction = 0.1


def test_colour_is_used() -> None:
    assert compile_model(Flat(friction=1, rgb=(0.1, 0.2, 0.3))).geom(0).rgba == pytest.approx(
        [0.1, 0.2, 0.3, 1]
    )


def stl(path: Path) -> Path:
    """Write a tetrahedron of 1 unit."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "<f4")
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    record = b"".join(bytes(12) + corners[list(face)].tobytes() + bytes(2) for face in faces)
    path.write_bytes(bytes(80) + np.uint32(len(faces)).tobytes() + record)
    return path


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("kind", sorted(set(OBJECTS) - {"door", "lamp"}))  # tested in test_actions
def test_objects_have_their_mass_friction_and_joint(kind: str, fixed: bool, tmp_path: Path) -> None:
    shapes: dict[str, dict[str, Any]] = {
        "box": {"size": [0.1, 0.2, 0.3]},
        "ball": {"radius": 0.1},
        "cylinder": {"radius": 0.1, "length": 0.4},
        "mesh": {"file": stl(tmp_path / "rock.stl"), "scale": 0.1},
        "victim": {"posture": "sitting"},
        "tag": {"number": 1001},
    }
    thing = OBJECTS[kind](
        name="it", friction=0.4, mass=2, position=(1, 0, 1), fixed=fixed, **shapes[kind]
    )
    model = compile_model(FLAT, thing)
    assert model.body("it").pos == pytest.approx([1, 0, 1])
    geoms = (model.geom_bodyid == model.body("it").id) & (
        model.geom_condim > 1
    )  # not its vertex buffer
    assert geoms.any()
    assert model.geom_friction[geoms, 0] == pytest.approx(0.4)
    assert model.njnt == (0 if fixed else 1)
    if not fixed:
        assert model.joint("it/free").type == mujoco.mjtJoint.mjJNT_FREE
        assert model.body("it").mass == pytest.approx(2)


def test_sizes_are_full_edges() -> None:
    box = Box(name="a", friction=1, fixed=True, position=(0, 0, 0.5), size=(0.2, 0.2, 0.4))
    pole: dict[str, Any] = {"position": (1, 0, 0.5), "radius": 0.1, "length": 0.4}
    model = compile_model(FLAT, box, Cylinder(name="b", friction=1, fixed=True, **pole))
    assert height(model, 0) == pytest.approx(0.7)
    assert height(model, 1) == pytest.approx(0.7)


def test_free_object_needs_a_mass() -> None:
    with pytest.raises(BadValue, match="must be given unless the object is fixed"):
        Ball(name="ball", friction=1, radius=0.1, position=(0, 0, 1))


def test_mesh_keeps_its_absolute_path(tmp_path: Path) -> None:
    rock = {"name": "rock", "friction": 1, "fixed": True, "position": (0, 0, 0), "file": "rock.stl"}
    stl(tmp_path / "rock.stl")
    mesh = Mesh.model_validate(rock, context={"folder": tmp_path})
    assert mesh.file == (tmp_path / "rock.stl").resolve()


def test_physics_options_are_written() -> None:
    model = compile_model(FLAT)
    assert model.opt.timestep == 0.001
    assert model.opt.gravity == pytest.approx([0, 0, -9.81])
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    assert model.opt.cone == mujoco.mjtCone.mjCONE_ELLIPTIC
    assert model.opt.solver == mujoco.mjtSolver.mjSOL_NEWTON
    assert (model.opt.iterations, model.opt.tolerance, model.opt.impratio) == (50, 1e-10, 20_000)


def test_appearance_does_not_change_physics() -> None:
    plain, pretty = (compile_model(*EXAMPLES.values(), looks=looks) for looks in (False, True))
    assert (pretty.vis.global_.offwidth, pretty.vis.global_.offheight) == (1280, 960)
    assert pretty.nlight == 1
    for name in ("geom_pos", "geom_quat", "geom_size", "geom_friction", "geom_solref"):
        assert np.array_equal(getattr(plain, name), getattr(pretty, name))
