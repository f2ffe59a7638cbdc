"""What statics says of crawlers: the formulas, the contact they judge, and the quick experiment."""

import mujoco
import numpy as np
import pytest

from grouser.errors import BadValue
from grouser.evaluation import closed_forms
from grouser.experiments import closed_forms as experiment
from grouser.experiments.run_options import RunOptions
from grouser.physics import compliance
from grouser.physics.compliance import Compliance


@pytest.mark.parametrize(
    ("length_over_gauge", "ratio"),
    [(0.5, 0.96), (1.0, 0.83), (1.25, 0.74), (1.5, 0.65), (1.75, 0.56), (2.0, 0.48)],
)
def test_turning_depends_on_length_over_gauge_alone(length_over_gauge, ratio):
    assert closed_forms.turning_ratio(length_over_gauge) == pytest.approx(ratio, abs=0.006)


def test_load_at_the_ends_only_turns_as_four_wheels_do():
    length, gauge = 0.6, 0.4
    ends = np.array([(x, y) for x in (-length / 2, length / 2) for y in (-gauge / 2, gauge / 2)])
    ours = closed_forms.turning_ratio_of(ends, np.ones(4), gauge=gauge)
    assert ours == pytest.approx(gauge**2 / (gauge**2 + length**2), rel=1e-4)


def test_a_low_centre_of_mass_climbs_higher():
    limits = [closed_forms.step_limit(radius=0.08, x=0.2, z=z) for z in (-0.03, 0.0, 0.03)]
    assert limits == sorted(limits, reverse=True)
    assert closed_forms.step_limit(radius=0.08, x=0.2, z=0.0, bar=0.01) > limits[1]


def test_the_wall_formula_is_met_with_equality():
    radius, length, x = 0.08, 0.45, 0.225
    mu = closed_forms.wall_friction(radius=radius, axle_distance=length, x=x)
    assert mu / (1 + mu**2) * (radius + mu * (length + radius)) == pytest.approx(x)


def standing(mass, timestep=0.001, **said):
    """Return model and data of a ball that has come to rest on a plane."""
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.1])
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0], mass=mass)
    model = spec.compile()
    compliance.apply(model, Compliance(**said))
    data = mujoco.MjData(model)
    for _ in range(round(3 / timestep)):
        mujoco.mj_step(model, data)
    return model, data


@pytest.mark.parametrize("mass", [0.1, 20.0])
def test_whatever_it_weighs_it_sinks_by_gravity_over_frequency_squared(mass):
    _, data = standing(mass, frequency=200.0, damping_ratio=0.1)
    assert 0.1 - data.qpos[2] == pytest.approx(9.81 / 200.0**2, rel=0.02)


def test_it_bounces_at_its_frequency():
    model, data = standing(5.0, frequency=200.0, damping_ratio=0.05)
    data.qvel[2] = -0.005
    heights = []
    for _ in range(200):
        mujoco.mj_step(model, data)
        heights.append(data.qpos[2])
    crossings = np.flatnonzero(np.diff(np.sign(np.array(heights) - np.mean(heights))) != 0)
    period = 2 * float(np.diff(crossings[:4]).mean()) * 0.001
    assert 2 * np.pi / period == pytest.approx(200.0, rel=0.1)


def test_long_steps_get_a_softer_contact_with_the_same_damper():
    fast, slow = Compliance().at(0.001), Compliance().at(0.002)
    assert (fast.frequency, slow.frequency) == (300.0, pytest.approx(150.0))
    assert slow.damping(1.0) == pytest.approx(fast.damping(1.0))


def test_a_compliance_is_positive():
    with pytest.raises(BadValue, match="frequency is 0"):
        Compliance(frequency=0)


def test_the_quick_experiment_agrees_in_every_row():
    table = experiment.run(RunOptions(quick=True)).table
    assert [row.case for row in table.rows if not row.agrees] == []
    assert table.of >= 15
