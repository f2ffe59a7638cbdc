"""VelociRoACH: legs, cranks, running, turning, energy."""

import math
from typing import Any

import mujoco
import numpy as np
import pytest
from support.client_helpers import instance_of

from grouser.errors import BadValue
from grouser.evaluation.fits import fit_line
from grouser.evaluation.run_metrics import curvature, joint_energy, path_length, total_turn
from grouser.experiments import roach_turning
from grouser.experiments.roach_turning import BASE_SPEED, PHYSICS, RUN_UP, STRIDE, speeds, world
from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, from_rpy, to_rpy
from grouser.robots import velociroach
from grouser.robots.kinds import describe
from grouser.robots.velociroach import LEGS, Cranks
from grouser.simulation.simulation import Simulation
from grouser.trials.runner import run_trials
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry

TRIPODS = (("fore_left", "hind_left", "middle_right"), ("middle_left", "fore_right", "hind_right"))


def cranks() -> Cranks:
    return instance_of(Cranks, describe("velociroach", {}, "here").build().gait)


def running_roach(log: float = 0.0, seconds: float = RUN_UP) -> Simulation:
    """Return a simulation of a robot after a run-up at a ratio of motor speeds."""
    simulation = Simulation(world())
    simulation.command("roach", speeds(log))
    simulation.step(seconds)
    return simulation


def heading(simulation: Simulation) -> float:
    return float(to_rpy(simulation.pose("roach").wxyz)[2])


def advance_gait(
    gait: Cranks, targets: tuple[float, float], seconds: float, dt: float = 0.0005
) -> Array:
    """Return states (steps, 4) of cranks with set points ``targets`` from standstill."""
    states = [gait.start()[None]]
    for _ in range(round(seconds / dt)):
        states.append(gait.advance(states[-1], np.array([targets]), dt))
    return np.concatenate(states)


# -- the model --------------------------------------------------------------------------------


def test_compiled_model_agrees_with_the_parameter_table() -> None:
    simulation = Simulation(world())
    model = simulation.model
    assert float(model.body_mass.sum()) == pytest.approx(velociroach.MASS, rel=1e-6)
    masses = {float(model.body(f"roach/{leg}").mass[0]) for leg in LEGS}
    assert masses == {velociroach.LEG_MASS}
    ranges = {
        "protraction": velociroach.PROTRACTION_RANGE,
        "abduction": velociroach.ABDUCTION_RANGE,
        "spring": velociroach.LEG_TRAVEL,
    }
    for leg in LEGS:
        for motion, reach in ranges.items():
            joint = model.joint(f"roach/{leg}_{motion}")
            assert joint.limited[0]
            assert tuple(joint.range) == pytest.approx(reach)
        force = model.actuator(f"roach/{leg}_protraction").forcerange
        assert tuple(force) == pytest.approx((-velociroach.LEG_TORQUE, velociroach.LEG_TORQUE))


def test_positive_angles_move_legs_forwards_and_outwards() -> None:
    simulation = Simulation(world())
    model, data = simulation.model, simulation.data
    for leg in LEGS:
        geom = model.geom(f"roach/{leg}").id
        places = []
        for protraction, abduction in ((0.0, 0.0), (0.3, 0.0), (0.0, 0.3)):
            data.qpos[model.joint(f"roach/{leg}_protraction").qposadr[0]] = protraction
            data.qpos[model.joint(f"roach/{leg}_abduction").qposadr[0]] = abduction
            mujoco.mj_kinematics(model, data)
            places.append(data.geom_xpos[geom].copy())
        straight, forward, outward = places
        side = 1 if leg.endswith("left") else -1
        assert forward[0] > straight[0] + 0.003
        assert side * (outward[1] - straight[1]) > 0.003


def test_standing_on_one_tripod_sinks_less_than_half_a_millimetre() -> None:
    simulation = Simulation(world().changed(robots=(still(),)))
    simulation.step(2.0)
    mujoco.mj_forward(simulation.model, simulation.data)
    contacts = [simulation.data.contact[i] for i in range(simulation.data.ncon)]
    down = {
        simulation.model.geom(contact.geom2).name.removeprefix("roach/") for contact in contacts
    }
    assert down == set(TRIPODS[1])
    assert -0.0005 < min(contact.dist for contact in contacts) < 0


def test_feet_are_still_at_rest() -> None:
    """Movement is below 0.05 mm relative to the body, as for every legged robot."""
    simulation = Simulation(world().changed(robots=(still(),)))
    simulation.step(2.0)
    places = []
    for _ in range(80):
        simulation.step(0.05)
        X_BW = simulation.pose("roach").inverse()
        feet = [simulation.data.geom(f"roach/{leg}").xpos for leg in LEGS]
        places.append(X_BW.apply(feet))
    assert np.ptp(np.array(places), axis=0).max() < 0.05e-3


def still() -> RobotEntry:
    return world().robots[0].model_copy(update={"command": {}})


# -- the cranks -------------------------------------------------------------------------------


def test_equal_speeds_keep_an_alternating_tripod() -> None:
    gait = cranks()
    states = advance_gait(gait, (BASE_SPEED, BASE_SPEED), 2.0)
    angles = dict(zip(gait.drives, gait.angles(states).T, strict=True))
    first, second = (
        [(angles[f"{leg}_protraction"], angles[f"{leg}_abduction"]) for leg in legs]
        for legs in TRIPODS
    )
    for protraction, abduction in (*first[1:], *first[:1]):
        np.testing.assert_allclose(protraction, first[0][0], atol=1e-9)
        np.testing.assert_allclose(abduction, first[0][1], atol=1e-9)
    for protraction, abduction in second:  # half a turn apart
        np.testing.assert_allclose(protraction, -first[0][0], atol=1e-9)
        np.testing.assert_allclose(abduction, 2 * gait.abduction - first[0][1], atol=1e-9)


def test_foot_moves_backwards_in_stance() -> None:
    gait = cranks()
    angles = gait.angles(advance_gait(gait, (BASE_SPEED, BASE_SPEED), 2.0))
    swing, lift = angles[:, 0], angles[:, 6]
    down = lift[1:] < gait.abduction
    moving = np.abs(np.diff(swing)) > 1e-6
    assert (np.diff(swing)[down & moving] < 0).all()
    assert (np.diff(swing)[~down & moving] > 0).all()


def test_motors_have_a_top_speed_and_a_limited_acceleration() -> None:
    gait = cranks()
    states = advance_gait(gait, (1e6, -1e6), 1.0)
    assert states[:, 2].max() == pytest.approx(velociroach.TOP_SPEED)
    assert states[:, 3].min() == pytest.approx(-velociroach.TOP_SPEED)
    gained = np.abs(np.diff(states[:, 2:], axis=0)).max()
    assert gained <= velociroach.ACCELERATION * 0.0005 * (1 + 1e-9)
    assert np.abs(states[:, :2]).max() <= math.pi + 1e-9


def test_batched_cranks_equal_single_cranks() -> None:
    gait = cranks()
    targets = np.array([[10.0, 20.0], [30.0, -5.0], [0.0, 0.0]])
    state = np.repeat(gait.start()[None], 3, axis=0)
    alone = [gait.start()[None] for _ in targets]
    for _ in range(100):
        state = gait.advance(state, targets, 0.0005)
        alone = [gait.advance(one, targets[i : i + 1], 0.0005) for i, one in enumerate(alone)]
    np.testing.assert_array_equal(state, np.concatenate(alone))
    np.testing.assert_array_equal(gait.angles(state)[1], gait.angles(alone[1])[0])


def test_legs_follow_their_cranks() -> None:
    """The servos are soft and feet drag, but a lifted leg is within 4 of 25 deg of its crank."""
    simulation = running_roach()
    gait = simulation.scene.robots["roach"].gait
    errors = []
    for _ in range(round(STRIDE / 0.005)):
        simulation.step(0.005)
        assert isinstance(gait, Cranks)
        wanted = gait.angles(simulation.state.memory.running_gaits[0].state[0])[0]
        real = simulation.state.stepper.drives.positions(simulation.state.arrays)[0]
        lifted = np.tile(wanted[6:] > 1.5 * gait.abduction, 2)
        errors += list(np.abs(real - wanted)[lifted])
    assert np.degrees(max(errors)) < 4.0


# -- running ----------------------------------------------------------------------------------


def test_runs_straight_at_the_published_speed() -> None:
    simulation = running_roach()
    start, before = simulation.pose("roach").position, heading(simulation)
    strides = 12
    simulation.step(strides * STRIDE)
    way = float(np.linalg.norm((simulation.pose("roach").position - start)[:2]))
    assert way / (strides * STRIDE) > 0.11
    assert abs(math.degrees(heading(simulation) - before)) / way < 10.0  # the heading stays near 0


@pytest.mark.parametrize(("log", "sign"), [(0.9, 1), (-0.9, -1)])
def test_turns_away_from_the_faster_side(log: float, sign: int) -> None:
    simulation = running_roach(log)
    before = heading(simulation)
    simulation.step(4 * STRIDE)  # whole strides: within one the turn is uneven
    turned = math.remainder(heading(simulation) - before, 2 * math.pi)
    assert sign * turned > 0.9


def test_body_stays_level_and_off_the_ground() -> None:
    simulation = running_roach(math.log(4))
    hull = simulation.model.geom("roach/hull").id
    for _ in range(100):
        simulation.step(0.01)
        roll, pitch, _ = to_rpy(simulation.pose("roach").wxyz)
        assert max(abs(roll), abs(pitch)) < math.radians(25)
        touching = [simulation.data.contact[i].geom2 for i in range(simulation.data.ncon)]
        assert hull not in touching


def test_stops_without_a_command_and_single_legs_can_be_commanded() -> None:
    simulation = running_roach()
    simulation.command("roach", left_speed=0.0, right_speed=0.0)
    simulation.step(1.0)
    assert np.abs(simulation.data.qvel[:6]).max() < 0.02
    simulation.command("roach", fore_left_abduction_deg=50)
    simulation.step(0.5)
    encoder = simulation.read("roach", "encoder")
    assert math.degrees(encoder["fore_left_abduction"]) == pytest.approx(50, abs=2)


def test_runs_are_bit_identical_alone_and_in_a_batch() -> None:
    assert running_roach(0.5, 0.4).fingerprint() == running_roach(0.5, 0.4).fingerprint()
    trial = Trial(world=world(), robot="roach", limit=0.4, sample_period=0.02)
    first, second = run_trials([trial, trial])
    np.testing.assert_array_equal(first.positions, second.positions)
    simulation = Simulation(world())
    simulation.step(first.time)
    np.testing.assert_array_equal(first.positions[-1], simulation.data.qpos[:3])


# -- energy -----------------------------------------------------------------------------------


def test_energy_sums_agree_with_hand_calculation() -> None:
    power = np.array([[1.0, -2.0], [3.0, 0.5]])
    energy = joint_energy(power, 0.1)
    assert energy.signed_sum == pytest.approx(2.5)
    assert energy.work == pytest.approx(0.25)
    assert energy.effort == pytest.approx(0.65)
    with pytest.raises(BadValue, match="energy: power"):
        joint_energy(power[0], 0.1)
    with pytest.raises(BadValue, match="every 0.0 s"):
        joint_energy(power, 0.0)


def run_with_power(integrator: str, timestep: float, seconds: float) -> tuple[Simulation, Array]:
    """Return a run with other physics, and the power (W) at every step after the first 0.4 s."""
    physics = PHYSICS.model_copy(update={"integrator": integrator, "timestep": timestep})
    simulation = Simulation(world().changed(physics=physics))
    simulation.step(0.4)
    power = []
    for _ in range(round(seconds / timestep)):
        simulation.step()
        power.append(list(simulation.power("roach").values()))
    return simulation, np.array(power)


def test_power_is_torque_times_speed_at_every_joint() -> None:
    simulation, _ = run_with_power("implicitfast", 0.001, 0.001)
    power = simulation.power("roach")
    assert list(power) == list(cranks().drives)
    for name, watts in power.items():
        actuator = simulation.model.actuator(f"roach/{name}").id
        dof = simulation.model.joint(f"roach/{name}").dofadr[0]
        speed = simulation.data.qvel[dof]
        assert watts == pytest.approx(simulation.data.actuator_force[actuator] * speed)


def test_joint_energy_does_not_depend_on_the_time_step() -> None:
    """MuJoCo's own force, taken at a step's beginning, would give 40 % more work at 1 ms."""
    coarse, fine = (
        joint_energy(run_with_power("discrete", timestep, 2 * STRIDE)[1], timestep)
        for timestep in (0.001, 0.00025)
    )
    assert coarse.work == pytest.approx(fine.work, rel=0.06)
    assert coarse.effort == pytest.approx(fine.effort, rel=0.06)
    assert coarse.signed_sum == pytest.approx(fine.signed_sum / 4, rel=0.06)


def test_braking_counts_in_effort_only() -> None:
    power, way = roach_turning.straight_power(2 * STRIDE)
    energy = joint_energy(power, PHYSICS.timestep)
    assert power.shape == (round(2 * STRIDE / PHYSICS.timestep), len(cranks().drives))
    assert 0 < energy.work < 0.9 * energy.effort
    weight = velociroach.MASS * 9.81
    assert 0.1 < energy.effort / (weight * way) < 3  # cost of transport of a running machine


# -- the experiment ---------------------------------------------------------------------------


def test_curvature_of_a_circle_and_a_line_through_points() -> None:
    angles = np.linspace(0, 3 * math.pi, 400)
    circle = np.stack([2 * np.sin(angles), 2 - 2 * np.cos(angles), 0 * angles], axis=1)
    wxyz = np.array([from_rpy(0, 0, angle) for angle in angles])
    assert total_turn(wxyz) == pytest.approx(3 * math.pi)
    assert path_length(circle) == pytest.approx(6 * math.pi, rel=1e-4)
    assert curvature(circle, wxyz) == pytest.approx(0.5, rel=1e-4)
    line = fit_line(np.array([0.0, 1.0, 2.0]), np.array([1.0, 3.0, 5.0]))
    assert (line.slope, line.offset, line.r2) == pytest.approx((2.0, 1.0, 1.0))
    assert fit_line(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 0.0])).r2 == pytest.approx(0.0)
    with pytest.raises(BadValue, match="line"):
        fit_line(np.zeros(3), np.ones(3))


def test_asymmetry_compares_each_turn_with_its_mirror() -> None:
    logs = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
    assert roach_turning.asymmetry(logs, np.array([-2.0, -1.0, 0.1, 1.0, 2.0])) == 0.0
    assert roach_turning.asymmetry(logs, np.array([-2.0, -1.0, 0.1, 1.2, 2.0])) == pytest.approx(
        0.2 / 1.1
    )


def test_experiment_design_has_mirrored_ratios() -> None:
    logs = roach_turning.FULL.logs
    assert len(logs) >= 15
    assert math.exp(max(logs)) == pytest.approx(4)
    assert sorted(logs) == list(logs)
    assert tuple(-log for log in reversed(logs)) == pytest.approx(logs)
    assert roach_turning.FULL.starts % 2 == 0


def check_turning_table(table: dict[str, Any], ratios: int) -> None:
    figures = table["figures"]
    assert figures["ratios"] == ratios
    assert figures["r2"] >= 0.95
    assert figures["slope_per_m"] > 0
    assert figures["asymmetry"] <= 0.10
    assert figures["wrong_turns"] == figures["tipped"] == 0
    assert figures["straight_speed_m_s"] >= 0.11
    wrong = [row["case"]["what"] for row in table["rows"] if row["agrees"] is False]
    assert wrong == ["heading drift, deg/m"], "the report's robot drifts, ours runs straight"
    assert figures["drift_deg_per_m"] < 0.5
    assert (table["agree"], table["of"]) == (4, 5)


def test_short_roach_turning_experiment() -> None:
    check_turning_table(roach_turning.run(RunOptions(quick=True)).table.to_json(), 7)


@pytest.mark.slow
def test_full_roach_turning_experiment() -> None:
    check_turning_table(roach_turning.run(RunOptions()).table.to_json(), 17)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protraction_deg": 0}, "protraction_deg is 0, must be more than 0"),
        ({"abduction_deg": 50}, "abduction_deg is 50, must be at most 37.5"),
        ({"protaction_deg": 20}, "did you mean 'protraction_deg'"),
    ],
)
def test_invalid_options_are_reported_in_one_sentence(
    options: dict[str, int], message: str
) -> None:
    with pytest.raises(BadValue, match=message):
        describe("velociroach", options, "here")
