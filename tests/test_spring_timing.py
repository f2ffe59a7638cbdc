"""Spring timing: springs evaluated at the start of a step have their nominal damping."""

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from grouser.errors import WorldFileError
from grouser.experiments.roach.bridge_world import bridge_world
from grouser.physics.drives import Drive, apply_spring_timing
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.world.file import load

MASS, RATE, RATIO = 1.0, 60.0, 0.1
"""kg, rad/s, and the damping ratio: one bounce takes 50 steps of 2 ms."""
STIFFNESS, VISCOSITY = MASS * RATE**2, 2 * RATIO * MASS * RATE
SERVO = Drive(force=1e6, speed=1.0, saturation_error=1e6 / STIFFNESS, damping=1e6 / VISCOSITY)
TWO_STEPS = pytest.mark.parametrize("timestep", [0.001, 0.002])
HELD_BY = pytest.mark.parametrize("drives", [{}, {"servo": SERVO}], ids=["spring", "servo"])


def mass_on_spring(timestep: float, drives: dict[str, Drive]) -> mujoco.MjModel:
    """Return a mass on a spring, or held by a servo, without gravity."""
    spec = mujoco.MjSpec()
    spec.option.timestep, spec.option.gravity = timestep, [0, 0, 0]
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_DISCRETE
    body = spec.worldbody.add_body(mass=MASS, inertia=[1, 1, 1], explicitinertial=True)
    own = {} if drives else {"stiffness": STIFFNESS, "damping": VISCOSITY}
    body.add_joint(name="joint", type=mujoco.mjtJoint.mjJNT_SLIDE, **own)
    for name, drive in drives.items():
        drive.add(spec, name, "joint")
    return spec.compile()


def damping_ratio(model: mujoco.MjModel) -> float:
    """Return the damping ratio from the heights of the first bounces."""
    data = mujoco.MjData(model)
    data.qpos[0] = 0.01
    positions = []
    for _ in range(round(5 * math.tau / RATE / model.opt.timestep)):
        mujoco.mj_step(model, data)
        positions.append(data.qpos[0])
    heights = np.array(positions)
    tops = 1 + np.flatnonzero((heights[1:-1] > heights[:-2]) & (heights[1:-1] > heights[2:]))
    decrement = -np.polyfit(np.arange(len(tops)), np.log(heights[tops]), 1)[0]
    return float(decrement / math.hypot(math.tau, decrement))


@TWO_STEPS
@HELD_BY
def test_end_of_step_springs_add_damping_proportional_to_the_step(
    timestep: float, drives: dict[str, Drive]
) -> None:
    model = mass_on_spring(timestep, drives)
    assert damping_ratio(model) == pytest.approx(RATIO + RATE * timestep / 2, rel=0.05)


@TWO_STEPS
@HELD_BY
def test_start_of_step_springs_add_no_damping(timestep: float, drives: dict[str, Drive]) -> None:
    model = mass_on_spring(timestep, drives)
    apply_spring_timing(model, drives)
    assert damping_ratio(model) == pytest.approx(RATIO, rel=0.05)


def test_underdamped_spring_keeps_no_damping_and_gains_no_energy() -> None:
    loose = Drive(force=1e4, speed=1.0, saturation_error=0.1, damping=1e8)
    model = mass_on_spring(0.002, {"servo": loose})
    taken = apply_spring_timing(model, {"servo": loose})
    assert 0 < taken["servo"].viscosity < 1e-5 * loose.viscosity
    data = mujoco.MjData(model)
    data.qpos[0], data.act[0] = 0.01, 0.0
    energy = []
    for _ in range(50):
        mujoco.mj_step(model, data)
        energy.append(MASS * data.qvel[0] ** 2 / 2 + loose.stiffness * data.qpos[0] ** 2 / 2)
    assert energy[-1] < 0.01 * energy[0]


def test_roach_uses_start_of_step_springs_also_after_commands() -> None:
    world = bridge_world()
    scene, plain = (
        compose(world.model_copy(update={"physics": world.physics.model_copy(update=how)}))
        for how in ({}, {"springs": "end"})
    )
    timestep = world.physics.timestep
    spring = scene.model.joint("roach/fore_left_spring")
    assert spring.damping[0] == pytest.approx(1.0 - timestep * 60.0)
    servo = scene.model.actuator("roach/fore_left_protraction").id
    stiffness, viscosity = -plain.model.actuator_biasprm[servo, 1:3]
    assert -scene.model.actuator_biasprm[servo, 2] == pytest.approx(
        viscosity - timestep * stiffness
    )
    simulation = Simulation(world, crash_folder=None)
    simulation.command("roach", {"left_speed": 20.0, "right_speed": 20.0})
    simulation.step(simulation.round_to_steps(0.05))
    gains = simulation.scene.model.actuator_biasprm[:, :3]
    assert np.array_equal(gains, scene.model.actuator_biasprm[:, :3])


def test_unsupported_integrator_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "world.yaml"
    path.write_text("name: w\nphysics: {springs: start}\nterrain: [{kind: flat}]\n")
    with pytest.raises(WorldFileError, match="springs is 'start', needs the integrator discrete"):
        load(path)
