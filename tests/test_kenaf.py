"""Kenaf: published data in the compiled model; driving, standing and flippers of both variants."""

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from support.client_helpers import instance_of

from grouser.errors import BadValue
from grouser.frames import from_rpy
from grouser.locomotion.flippers import FlipperClimber, FlipperStrategy
from grouser.robots import kenaf
from grouser.robots.kenaf import Kenaf
from grouser.robots.parts.flipper import FOUR
from grouser.sensors.encoder import Encoder
from grouser.simulation.policy import Observation, TrueState
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

VARIANTS = ("segments", "wheels")
STRATEGY = FlipperStrategy(
    raised=0.8,
    press_beyond=0.3,
    front_press=-0.2,
    rear_press=-1.0,
    halted_after=1.0,
    halted_within=0.02,
)


def compile_robot(**options: Any) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = Kenaf(**options).build().spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def pitch_inertia(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Return the pitch inertia of the whole robot about its centre of mass, kg m2."""
    whole = 0.0
    for body in range(1, model.nbody):
        turn = data.ximat[body].reshape(3, 3)
        x, _, z = data.xipos[body] - data.subtree_com[1]
        own = turn @ np.diag(model.body_inertia[body]) @ turn.T
        whole += own[1, 1] + model.body_mass[body] * (x * x + z * z)
    return whole


def flat_world(*entries: RobotEntry) -> Simulation:
    return Simulation(
        World(name="flat", physics=STANDARD, terrain=(Flat(friction=0.7),), robots=entries)
    )


def observation(x: float, at: float = 0.0, nose_up: float = 0.0) -> Observation:
    pose = TrueState(np.array([x, 0.0, 0.1]), from_rpy(0.0, -nose_up, 0.0))
    return Observation(at, truth=pose)


def kenaf_entry(name: str = "kenaf", y: float = 0.0, **options: str | float) -> RobotEntry:
    return RobotEntry(name=name, kind="kenaf", position=(0.0, y, 0.0), options=options)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize(("batteries", "x"), [(True, 0.0), (False, -0.015)])
def test_mass_and_centre_of_mass_are_as_published(method: str, batteries: bool, x: float) -> None:
    model, data = compile_robot(method=method, batteries=batteries)
    assert model.body_mass.sum() == pytest.approx(20.0, rel=0.01)
    centre_over_ground = data.subtree_com[1] + [0, 0, kenaf.STANDING]
    # 50 mm below the middle of its 180 mm height
    assert centre_over_ground == pytest.approx([x, 0, 0.090 - 0.050], abs=1e-3)


@pytest.mark.parametrize("method", VARIANTS)
def test_centre_of_mass_can_be_configured(method: str) -> None:
    commands = {"centre_x": 0.03, "centre_z": -0.06}
    _, data = compile_robot(method=method, **commands)
    assert data.subtree_com[1] == pytest.approx([0.03, 0, -0.06], abs=1e-3)
    _, data = compile_robot(method=method, batteries=False, **commands)
    assert data.subtree_com[1] == pytest.approx([0.015, 0, -0.06], abs=1e-3)
    usual = pitch_inertia(*compile_robot(method=method, **commands))
    changed = pitch_inertia(*compile_robot(method=method, **commands, pitch_inertia=1.3))
    assert changed / usual == pytest.approx(1.3, rel=0.005)


@pytest.mark.parametrize("method", VARIANTS)
@pytest.mark.parametrize("factor", [0.7, 1.4])
def test_pitch_inertia_is_that_of_the_whole_robot(method: str, factor: float) -> None:
    usual = pitch_inertia(*compile_robot(method=method))
    changed = pitch_inertia(*compile_robot(method=method, pitch_inertia=factor))
    assert changed / usual == pytest.approx(factor, rel=0.005)
    assert compile_robot(pitch_inertia=factor)[0].body_mass.sum() == pytest.approx(20.0)


def test_flippers_have_published_places_and_limits() -> None:
    model, _ = compile_robot()
    for place in FOUR:
        forward = 1 if "front" in place else -1
        left = 1 if "left" in place else -1
        body = model.body(f"{place}_arm")
        assert body.pos == pytest.approx([forward * 0.225, left * 0.230, 0.0])
        joint = model.joint(f"{place}_arm")
        assert joint.limited
        assert joint.range == pytest.approx([-3.14, 3.14])


def test_cameras_have_published_places_and_directions() -> None:
    model, data = compile_robot()
    names = [model.camera(i).name for i in range(model.ncam)]
    assert names == ["front", "birds_eye"]
    assert model.camera("front").pos == pytest.approx([0.26, 0.0, 0.0392])
    assert model.camera("birds_eye").pos == pytest.approx([-0.15, 0.0, 0.45])
    sights = [-data.cam_xmat[i].reshape(3, 3)[:, 2] for i in range(2)]
    assert sights[0] == pytest.approx([1, 0, 0], abs=1e-9)
    assert sights[1] == pytest.approx([math.cos(1.0), 0, -math.sin(1.0)], abs=1e-9)


def test_wheels_have_the_friction_of_the_paper_and_belts_that_of_the_ground() -> None:
    for method, friction in (("wheels", 1.3), ("segments", 0.001)):
        model, _ = compile_robot(method=method)
        own = {model.geom(i).friction[0] for i in range(model.ngeom) if model.geom(i).contype == 2}
        assert own == {friction}


def test_robot_has_six_encoders_and_ground_truth() -> None:
    sensors = {sensor.name: sensor for sensor in Kenaf().build().sensors}
    arms = tuple(f"{place}_arm" for place in FOUR)
    assert instance_of(Encoder, sensors["encoder"]).drives == ("left", "right", *arms)
    assert "truth" in sensors


@pytest.mark.parametrize("method", VARIANTS)
def test_stands_still_then_drives_straight(method: str) -> None:
    simulation = flat_world(kenaf_entry(method=method))
    simulation.step(0.5)
    settled = simulation.pose("kenaf").position
    simulation.step(2.0)
    stood = simulation.pose("kenaf").position
    assert np.linalg.norm(stood - settled) < 0.001
    assert stood[2] == pytest.approx(kenaf.STANDING, abs=0.002)
    simulation.command("kenaf", forward=0.2)
    simulation.step(0.5)
    before = simulation.pose("kenaf").position
    simulation.step(1.5)
    x, y, _ = simulation.pose("kenaf").position - before
    assert x == pytest.approx(0.3, rel=0.02)
    assert abs(y) < 0.02 * 0.3
    commands = simulation.read("kenaf", "encoder")
    assert commands["left"] == pytest.approx(commands["right"], rel=0.01)


def test_command_of_a_side_drives_its_flipper_belts() -> None:
    robot = Kenaf().build()
    assert {belt.name: belt.drive for belt in robot.belts if "left" in belt.name} == dict.fromkeys(
        ("left", "front_left", "rear_left"), "left"
    )


@pytest.mark.parametrize("method", VARIANTS)
def test_flippers_reach_commanded_angles_up_positive(method: str) -> None:
    simulation = flat_world(kenaf_entry(method=method, rear_deg=30.0))
    simulation.command("kenaf", front_deg=60.0, rear_left_arm_deg=80.0)
    simulation.step(2.0)
    commands = simulation.read("kenaf", "encoder")
    angles = [math.degrees(commands[f"{place}_arm"]) for place in FOUR]
    assert angles == pytest.approx([60, 60, 80, 30], abs=1.0)
    simulation.state.update_kinematics()
    for place in FOUR:
        arm = simulation.data.body(f"kenaf/{place}_arm")
        assert arm.xipos[2] > arm.xpos[2] + 0.01  # up, for front and rear alike
    simulation.command("kenaf", front_speed=-0.5, rear_torque=3.0)
    simulation.step(0.5)
    moved = simulation.read("kenaf", "encoder")
    assert moved["front_left_arm"] == pytest.approx(math.radians(60) - 0.25, abs=0.05)
    assert moved["rear_right_arm"] > math.radians(31)


def test_pressing_flippers_lift_the_body() -> None:
    simulation = flat_world(kenaf_entry())
    simulation.command("kenaf", front_deg=-45.0, rear_deg=-45.0)
    simulation.step(2.0)
    assert simulation.pose("kenaf").position[2] > kenaf.STANDING + 0.03


def test_two_robots_can_be_attached() -> None:
    simulation = flat_world(kenaf_entry("one", 0.5), kenaf_entry("two", -0.5, method="wheels"))
    simulation.step(0.2)
    heights = [simulation.pose(name).position[2] for name in ("one", "two")]
    assert heights == pytest.approx([kenaf.STANDING] * 2, abs=0.003)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"front_deg": 200.0}, "front_deg is 200"),
        ({"pitch_inertia": 0.0}, "pitch_inertia is 0"),
        ({"pitch_inertia": 0.1}, "must be at least"),
        ({"centre_x": 0.3}, "centre_x is 0.3, must be at most 0.225"),
        ({"centre_z": float("nan")}, "centre_z is nan"),
    ],
)
def test_invalid_options_are_rejected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadValue, match=message):
        Kenaf(**options).build()


def test_strategy_raises_presses_and_levels_flippers() -> None:
    policy = FlipperClimber(0.5, STRATEGY)
    assert policy(observation(-0.2, at=0.1)) == {"front": 0.8, "rear": 0.0}
    assert policy(observation(-0.1, at=0.2, nose_up=0.29)) is None
    assert policy(observation(0.0, at=0.3, nose_up=0.31)) == {"front": -0.2, "rear": -1.0}
    assert (
        policy(observation(0.1, at=0.4, nose_up=0.1)) is None
    )  # pressed until the robot is over the edge
    assert policy(observation(0.51, at=0.5, nose_up=0.5)) == {"front": 0.0, "rear": 0.0}
    assert policy(observation(0.3, at=0.6, nose_up=0.5)) is None  # level afterwards
    assert FlipperClimber(0.5, STRATEGY).stage == "raise"  # every run starts from the beginning


def test_strategy_presses_flippers_when_the_robot_stops() -> None:
    policy = FlipperClimber(0.0, STRATEGY)
    commands = [policy(observation(-0.4, at=0.1 * i)) for i in range(14)]
    assert [i for i, command in enumerate(commands) if command] == [0, 11]
    assert policy.stage == "press"


def test_pitch_is_relative_to_the_initial_pitch() -> None:
    policy = FlipperClimber(0.0, STRATEGY)
    assert policy(observation(-0.4, nose_up=0.7)) == {"front": 0.8, "rear": 0.0}
    assert policy(observation(-0.3, at=0.1, nose_up=0.9)) is None
    assert policy(observation(-0.2, at=0.2, nose_up=1.01)) == {"front": -0.2, "rear": -1.0}


def test_flippers_are_level_without_an_edge() -> None:
    policy = FlipperClimber(None, STRATEGY)
    assert policy(observation(-1.0)) == {"front": 0.0, "rear": 0.0}
    assert policy(observation(-0.9, at=0.1, nose_up=0.5)) is None


def test_camera_head_keeps_mass_and_centre_of_mass() -> None:
    centres = []
    for pan_tilt in (False, True):
        model = Kenaf(pan_tilt=pan_tilt).build().spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        assert model.body("body").subtreemass[0] == pytest.approx(kenaf.MASS)
        centres.append(data.subtree_com[model.body("body").id].tolist())
    assert centres[1] == pytest.approx(centres[0], abs=1e-9)
