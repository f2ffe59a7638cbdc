"""QRIO: published kinematics, planned walk, and balance in simulation."""

import math
from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.frames import Array, rotate
from grouser.locomotion import biped, pendulum
from grouser.locomotion.biped_leg import JOINTS
from grouser.robots.qrio import (
    AXES,
    HEIGHT,
    LEG,
    MASS,
    SERVOS,
    SIDES,
    SOLE_HALF,
    STEP,
    Qrio,
    build_spec,
    parts,
)
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, load
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

WALK: Any = Qrio().build().gait
DT = 0.004


def simulation(friction: float = 0.8, timestep: float = 0.002, **options: Any) -> Simulation:
    physics = STANDARD.model_copy(update={"timestep": timestep, "integrator": "discrete"})
    robot = RobotEntry(name="qrio", kind="qrio", position=(0, 0, 0), options=options)
    terrain = (Flat(friction=friction),)
    return Simulation(World(name="qrio", physics=physics, terrain=terrain, robots=(robot,)))


def tilt(sim: Simulation) -> float:
    """Return the angle (deg) between the torso and the vertical."""
    up = rotate(sim.pose("qrio").wxyz, [0.0, 0.0, 1.0])
    return math.degrees(math.acos(min(1.0, up[2])))


def has_fallen(sim: Simulation) -> bool:
    return tilt(sim) > 30


def push(
    sim: Simulation,
    impulse: float,
    way: tuple[int, int, int],
    seconds: float = 0.05,
    above: float = 0.04,
) -> None:
    """Push the chest ``above`` (m) the middle of the torso with ``impulse`` (N s) along ``way``."""
    torso = sim.model.body("qrio/torso").id
    force = np.array(way, float) * impulse / seconds
    sim.data.xfrc_applied[torso] = [*force, *np.cross([0, 0, above], force)]
    sim.step(seconds)
    sim.data.xfrc_applied[torso] = 0.0


def walk(sim: Simulation, seconds: float, **motion: float) -> float:
    """Walk; return the largest tilt, deg."""
    sim.command("qrio", motion)
    tilts = [0.0]
    for _ in range(round(seconds / 0.1)):
        sim.step(0.1)
        tilts.append(tilt(sim))
        if tilts[-1] > 30:
            break
    return max(tilts)


# -- what it is ------------------------------------------------------------------------------


def test_joints_height_and_limits_match_the_published_tables() -> None:
    model = build_spec().compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    assert model.njnt == len(parts()) == 28
    for part in parts():
        np.testing.assert_allclose(model.joint(part.name).range, part.servo.limits)
    assert model.body_mass.sum() == pytest.approx(MASS)
    tops = data.geom_xpos[:, 2] + model.geom_size[:, 2]
    feet = min(data.geom(f"{side}_sole").xpos[2] - SOLE_HALF[2] for side in SIDES)
    assert tops.max() - feet == pytest.approx(HEIGHT)
    for side, sign in SIDES.items():
        for joint in JOINTS:
            compiled = model.joint(f"{side}_{joint}")
            mirrored = np.array(AXES[joint]) * [sign, 1, sign]
            np.testing.assert_allclose(data.xaxis[compiled.id], mirrored, atol=1e-12)
        # sources.md B3: ankle from the torso, summed down the table's column.
        ankle = data.body(f"{side}_ankle_roll").xpos - data.body("torso").xpos
        np.testing.assert_allclose(ankle, [0.006, sign * 0.048, -0.357], atol=1e-12)


def test_every_body_has_its_own_mass_and_inertia() -> None:
    model = build_spec().compile()
    assert (model.body_mass[1:] > 0.02).all()
    assert (model.body_inertia[1:] > 0).all()


def test_inverse_kinematics_reach_the_foot_targets() -> None:
    model = build_spec().compile()
    data = mujoco.MjData(model)
    rng = np.random.default_rng(4)
    soles = np.array([0.0, 0.048, -LEG.height]) + rng.uniform(
        [-0.05, -0.03, 0.02], [0.05, 0.05, 0.06], (200, 3)
    )
    yaws = rng.uniform(-0.3, 0.5, 200)
    for side, sign in SIDES.items():
        for sole, yaw, angles in zip(soles, yaws, LEG.angles(soles, yaws), strict=True):
            for joint, angle in zip(JOINTS, angles, strict=True):
                data.joint(f"{side}_{joint}").qpos[0] = angle
            mujoco.mj_kinematics(model, data)
            foot, pelvis = data.body(f"{side}_ankle_roll"), data.body("waist_roll")
            R_WF = foot.xmat.reshape(3, 3)
            reached = foot.xpos + R_WF @ [LEG.foot[0], 0, LEG.foot[1]] - pelvis.xpos
            np.testing.assert_allclose(reached, sole * [1, sign, 1], atol=1e-5)
            np.testing.assert_allclose(R_WF[2], [0, 0, 1], atol=1e-4)
            assert math.atan2(R_WF[1, 0], R_WF[0, 0]) == pytest.approx(sign * yaw, abs=1e-4)


def test_joint_stops_hold_against_the_drives() -> None:
    sim = simulation()
    for side in SIDES:
        sim.command("qrio", {f"{side}_elbow_torque": 2.5, f"{side}_shoulder_roll_torque": 2.5})
    sim.step(1.0)
    for joint in ("elbow", "shoulder_roll"):
        beyond = sim.read("qrio", "encoder")[f"left_{joint}"] - SERVOS[joint].limits[1]
        assert 0 < beyond < math.radians(2)


def test_leg_stretches_towards_an_unreachable_target() -> None:
    far = LEG.angles(np.array([[0.3, 0.1, -0.5]]), np.zeros(1))
    assert np.isfinite(far).all()
    assert far[0, 3] == pytest.approx(math.atan2(LEG.shin[0], -LEG.shin[1]), abs=1e-6)


@pytest.mark.parametrize("options", [{"crouch": 0.2}, {"step": 0.1}])
def test_options_out_of_range_are_rejected(options: dict[str, float]) -> None:
    with pytest.raises(BadValue, match=r"must be at (least|most) \d"):
        Qrio(**options)


# -- the walk on paper -----------------------------------------------------------------------


def test_pendulum_satisfies_its_differential_equation() -> None:
    xi, x = np.array([0.01, 0.02]), np.array([-0.01, 0.0])
    start, end, omega, whole = np.array([0.0, 0.01]), np.array([0.05, 0.03]), 5.8, 0.2
    exact = pendulum.advance_moving(xi, x, start, end, omega, whole, np.array(whole))
    steps = 20_000
    for step in range(steps):
        p = start + (end - start) * (step + 0.5) / steps
        half = xi + omega * (xi - p) * whole / steps / 2
        x = x + omega * (half - x) * whole / steps
        xi = xi + omega * (half - p) * whole / steps
    np.testing.assert_allclose(exact[0], xi, atol=1e-6)
    np.testing.assert_allclose(exact[1], x, atol=1e-5)
    before = pendulum.initial_xi(exact[0], start, end, omega, whole)
    np.testing.assert_allclose(before, [0.01, 0.02], atol=1e-12)


def random_walk_states(robots: int, seconds: int, seed: int = 0, dt: float = DT) -> Iterator[Array]:
    """Yield states of robots whose command changes every second and is a stop at the end."""
    rng = np.random.default_rng(seed)
    state = np.repeat(WALK.start()[None], robots, axis=0)
    motion = np.zeros((robots, 4))
    for number in range(round(seconds / dt)):
        if number % round(1 / dt) == 0:
            motion = rng.uniform(-1, 1, (robots, 4)) * np.array([*WALK.fastest, 1])
            motion[rng.random(robots) < 0.3] = 0.0
        if number > (seconds - 4) / dt:
            motion[:] = 0.0
        state = WALK.advance(state, motion, dt)
        yield state


def test_planned_zero_moment_point_stays_inside_the_soles() -> None:
    for state in random_walk_states(20, 15):
        p = WALK.pressure(state)
        single = (state[:, biped.TIME] > WALK.double_support) & (
            state[:, biped.KIND] != biped.SETTLE
        )
        single &= np.isin(state[:, biped.KIND], (biped.STEP, biped.LAST))
        # Five millimetres short of the edges.
        assert (np.abs(p[single]) < np.array(SOLE_HALF[:2]) - 0.005).all()


def test_joints_move_without_jumps_within_limits_and_back_to_the_start() -> None:
    servos = [SERVOS[drive.split("_", 1)[1]] for drive in WALK.drives]
    speeds, limits = np.array([s.speed for s in servos]), np.array([s.limits for s in servos])
    start = WALK.angles(WALK.start()[None])
    before = start
    for state in random_walk_states(20, 15, seed=1):
        angles = WALK.angles(state)
        assert np.isfinite(angles).all()
        assert (np.abs(angles - before).max(axis=0) / DT < speeds).all()
        assert (angles > limits[:, 0] - 1e-9).all()
        assert (angles < limits[:, 1] + 1e-9).all()
        before = angles
    assert (state[:, biped.KIND] == biped.STAND).all()
    np.testing.assert_allclose(angles, np.repeat(start, 20, axis=0), atol=2e-3)


def test_batched_walk_equals_single_walk() -> None:
    many = list(random_walk_states(20, 8, seed=2))
    alone = WALK.start()[None]
    rng = np.random.default_rng(2)
    motion = np.zeros((20, 4))
    for number in range(round(4 / DT)):
        if number % round(1 / DT) == 0:
            motion = rng.uniform(-1, 1, (20, 4)) * np.array([*WALK.fastest, 1])
            motion[rng.random(20) < 0.3] = 0.0
        alone = WALK.advance(alone, motion[7:8], DT)
        np.testing.assert_allclose(alone[0], many[number][7], atol=1e-12)
    np.testing.assert_allclose(WALK.angles(alone)[0], WALK.angles(many[number])[7], atol=1e-12)


# -- in the world ----------------------------------------------------------------------------


def test_stands_for_a_minute() -> None:
    sim = simulation()
    sim.step(5.0)
    places = []
    for _ in range(550):
        sim.step(0.1)
        places.append(np.concatenate([sim.data.body(f"qrio/{b}").xpos for b in ("torso", "neck")]))
    assert np.ptp(places, axis=0).max() < 0.05e-3  # required: 1 mm, and 0.05 of the mass fractions
    assert not has_fallen(sim)


@pytest.mark.parametrize("friction", [0.6, 1.0])
@pytest.mark.parametrize("way", [(-1, 0, 0), (1, 0, 0), (0, 1, 0)], ids=["front", "back", "side"])
def test_withstands_a_push_at_the_chest(friction: float, way: tuple[int, int, int]) -> None:
    sim = simulation(friction)
    sim.step(1.0)
    push(sim, 1.0, way)
    tilts = [walk(sim, 0.5), walk(sim, 2.5)]
    assert tilts[0] > 0.3, "the push was felt"
    assert not has_fallen(sim)
    assert sim.pose("qrio").position[2] == pytest.approx(0.394, abs=0.005)


def test_strong_push_tips_the_robot() -> None:
    sim = simulation()
    sim.step(1.0)
    push(sim, 3.0, (-1, 0, 0))
    sim.step(3.0)
    assert has_fallen(sim)


def test_walks_two_metres() -> None:
    sim = simulation(0.6)
    sim.step(0.1)
    seconds = 2.0 / 0.13
    assert walk(sim, seconds, forward=0.15) < 5, "it hardly tilts"
    x, y, _ = sim.pose("qrio").position
    assert x > 2.0
    assert abs(y) < 0.2
    assert x / seconds > 4 * 2 / 60, "faster than 2 m/min"
    walk(sim, 4.0, forward=0.0)
    assert np.abs(sim.data.qvel).max() < 0.01, "and stops"
    assert not has_fallen(sim)


@pytest.mark.slow
@pytest.mark.parametrize("friction", [0.6, 0.8, 1.0])
@pytest.mark.parametrize("wait", [0.1, 0.5, 0.538])
@pytest.mark.parametrize(("speed", "timestep"), [(0.04, 0.002), (0.2, 0.002), (0.15, 0.001)])
def test_walks_two_metres_from_any_start(
    friction: float, wait: float, speed: float, timestep: float
) -> None:
    sim = simulation(friction, timestep)
    sim.step(wait)
    seconds = 2.0 / (0.85 * speed)
    assert walk(sim, seconds, forward=speed) < 10
    assert sim.pose("qrio").position[0] > 2.0
    assert sim.pose("qrio").position[0] / seconds > 2 / 60


@pytest.mark.parametrize(
    ("motion", "displacement"),
    [
        ({"forward": -0.08}, (-0.08, 0.0, 0.0)),
        ({"sideways": 0.04}, (0.0, 0.04, 0.0)),
        ({"turn": -0.4}, (0.0, 0.0, -0.4)),
    ],
)
def test_walks_in_the_commanded_direction(
    motion: dict[str, float], displacement: tuple[float, float, float]
) -> None:
    sim = simulation()
    seconds = 4 * 2 * STEP
    assert walk(sim, 1.5, **motion) < 5
    before, yaw = sim.pose("qrio"), sim.read("qrio", "truth")["yaw"]
    assert walk(sim, seconds, **motion) < 5
    moved = (sim.pose("qrio").position - before.position)[:2] / seconds
    turned = (sim.read("qrio", "truth")["yaw"] - yaw) / seconds
    np.testing.assert_allclose([*moved, turned], displacement, atol=0.015)


def test_withstands_a_push_while_walking() -> None:
    sim = simulation()
    walk(sim, 3.0, forward=0.1)
    push(sim, 0.5, (0, 1, 0))
    assert walk(sim, 3.0, forward=0.1) < 20
    assert not has_fallen(sim)


def test_wave_moves_the_arm_and_keeps_balance() -> None:
    sim = simulation()
    sim.command("qrio", wave=1.0)
    sim.step(1.2)
    heights, lateral = [], []
    for _ in range(40):
        sim.step(0.05)
        hand = sim.data.site("qrio/right_palm").xpos
        heights.append(hand[2])
        lateral.append(hand[1])
    assert min(heights) > sim.data.body("qrio/neck").xpos[2]
    assert np.ptp(lateral) > 0.04, "to and fro"
    assert np.abs(sim.pose("qrio").position[:2]).max() < 0.01
    sim.command("qrio", wave=0.0)
    sim.step(1.5)
    assert abs(sim.read("qrio", "encoder")["right_shoulder_pitch"]) < 0.01


def test_sole_forces_sum_to_the_weight() -> None:
    sim = simulation()
    sim.step(2.0)
    soles = [sim.read("qrio", f"{side}_sole").values for side in SIDES]
    felt = [value for sole in soles for value in sole.values()]
    assert len(felt) == 8
    assert sum(felt) == pytest.approx(MASS * 9.81, rel=0.01)
    assert min(felt) > 0.5 * MASS * 9.81 / 8, "evenly"
    assert sim.read("qrio", "accelerometer")["z"] == pytest.approx(9.81, abs=0.05)
    walk(sim, 3.0, forward=0.1)
    loads = []
    for _ in range(15):
        sim.step(0.04)
        loads.append(sum(sim.read("qrio", "left_sole").values.values()))
    assert min(loads) == 0.0
    assert max(loads) > 0.8 * MASS * 9.81


def test_two_cameras_have_a_stereo_baseline() -> None:
    sim = simulation()
    sim.step(0.1)
    left, right = (sim.read("qrio", f"{side}_camera").array("image") for side in SIDES)
    assert left.shape == right.shape == (288, 352, 3)
    assert left.std() > 5


def test_robot_of_the_shipped_world_walks() -> None:
    sim = Simulation(load("qrio_walk"))
    assert sim.model.opt.timestep == 0.002
    sim.step(5.0)
    assert sim.pose("qrio").position[0] > 0.3
    assert not has_fallen(sim)
