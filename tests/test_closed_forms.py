"""Closed forms of statics of crawlers: formulas, compliance of contacts, quick experiment."""

from typing import Any

import mujoco
import numpy as np
import pytest
from support.slip_flutter import SlippingContact, flutter

from grouser.errors import BadValue
from grouser.evaluation import closed_forms
from grouser.evaluation.closed_forms import Bars
from grouser.experiments import closed_forms as experiment
from grouser.experiments.run_options import RunOptions
from grouser.physics import compliance
from grouser.physics.compliance import Compliance


@pytest.mark.parametrize(
    ("length_over_gauge", "ratio"),
    [(0.5, 0.96), (1.0, 0.83), (1.25, 0.74), (1.5, 0.65), (1.75, 0.56), (2.0, 0.48)],
)
def test_turning_depends_on_length_over_gauge_alone(length_over_gauge: float, ratio: float) -> None:
    assert closed_forms.turning_ratio(length_over_gauge) == pytest.approx(ratio, abs=0.006)


def test_load_at_the_ends_only_turns_as_four_wheels_do() -> None:
    length, gauge = 0.6, 0.4
    ends = np.array([(x, y) for x in (-length / 2, length / 2) for y in (-gauge / 2, gauge / 2)])
    ours = closed_forms.turning_ratio_of(ends, np.ones(4), gauge=gauge)
    assert ours == pytest.approx(gauge**2 / (gauge**2 + length**2), rel=1e-4)


def test_a_low_centre_of_mass_climbs_higher() -> None:
    limits = [closed_forms.step_limit(radius=0.08, x=0.2, z=z) for z in (-0.03, 0.0, 0.03)]
    assert limits == sorted(limits, reverse=True)


def test_without_grip_on_the_edge_a_climb_ends_sooner() -> None:
    size: dict[str, Any] = {"radius": 0.08, "x": 0.225, "z": 0.0}
    pitch = closed_forms.step_pitch(**size)
    enough, less = np.tan(pitch) + 0.01, np.tan(pitch) - 0.3
    balance = closed_forms.step_limit(**size)
    assert closed_forms.step_limit(**size, friction=enough) == pytest.approx(balance)
    assert 0.9 * balance < closed_forms.step_limit(**size, friction=less) < 0.99 * balance


def test_a_larger_pitch_of_bars_lets_an_edge_in_deeper_and_raises_the_step_limit() -> None:
    size: dict[str, Any] = {"radius": 0.08, "x": 0.225, "z": 0.0}
    bars = [Bars(height=0.01, tip_radius=0.003, pitch=pitch) for pitch in (0.002, 0.016, 0.035)]
    depths = [float(one.edge_depth(np.radians(45))) for one in bars]
    # An edge between two round tips 16 mm apart is 8 mm deep minus the effect of the roundness.
    assert depths == pytest.approx([0.0, 0.008 - 0.003 * (2**0.5 - 1), 0.01])
    limits = [closed_forms.step_limit(**size, bars=one) for one in bars]
    assert limits[0] == pytest.approx(closed_forms.step_limit(**size))
    assert limits == sorted(limits)
    assert limits[2] == pytest.approx(0.1436, abs=1e-4)


def test_springs_without_drums_tip_back_sooner_and_stiff_ones_as_rigid_crawlers_do() -> None:
    size = {"radius": 0.08, "x": 0.2, "z": 0.15}
    angles = [
        closed_forms.tip_back_angle_on_springs(**size, axle_distance=0.4, sink=sink)
        for sink in (1e-3, 1e-4, 1e-5, 1e-12)
    ]
    assert angles == sorted(angles)
    assert angles[-1] == pytest.approx(closed_forms.tip_back_angle(**size), abs=1e-3)


def on_an_edge(
    friction: float, frequency: float = 300.0, damping_ratio: float = 0.05
) -> tuple[float, float]:
    """Return growth and frequency of the hop of a crawler that slips on the edge of a step."""
    mass, length, radius, pitch, along = 15.0, 0.45, 0.08, np.radians(50), 0.131
    ahead = np.array([np.cos(pitch), np.sin(pitch)])
    out = np.array([-np.sin(pitch), np.cos(pitch)])
    centre = length / 2 * ahead
    point = 0.06 / 4 / (2 * length) * mass * frequency**2  # a piece's corner
    damper = 2 * damping_ratio / frequency
    edge, rear = along * ahead - radius * out - centre, np.array([0, -radius]) - centre
    contacts = [
        SlippingContact(
            place=tuple(place),
            normal=tuple(normal),
            slip=tuple(slip),
            stiffness=points * point,
            damping=points * point * damper,
        )
        for place, normal, slip, points in ((edge, out, ahead, 4), (rear, (0, 1), (1, 0), 8))
    ]
    inertia = mass * (0.305**2 + 0.08**2) / 3
    return flutter(contacts, friction=friction, mass=mass, inertia=inertia)


def test_slipping_on_an_edge_hops_above_some_friction_whatever_the_damping() -> None:
    assert on_an_edge(0.0)[0] < 0
    assert on_an_edge(0.6)[0] < 0
    growth, frequency = on_an_edge(0.9)
    assert growth > 20
    assert 2 * np.pi / frequency == pytest.approx(0.07, abs=0.01)  # s; as simulated
    assert on_an_edge(0.9, damping_ratio=0.5)[0] > 10
    softer, slower = on_an_edge(0.9, frequency=150.0)
    assert softer == pytest.approx(growth / 2, rel=0.1)
    assert slower == pytest.approx(frequency / 2)


def test_a_single_spring_bounces_at_its_own_frequency() -> None:
    spring = SlippingContact(place=(0, -0.1), normal=(0, 1), slip=(1, 0), stiffness=100.0)
    growth, frequency = flutter([spring], friction=0.0, mass=4.0, inertia=1.0)
    assert growth == pytest.approx(0, abs=1e-9)
    assert frequency == pytest.approx(5.0)


def test_the_wall_formula_is_met_with_equality() -> None:
    radius, length, x = 0.08, 0.45, 0.225
    mu = closed_forms.wall_friction(radius=radius, axle_distance=length, x=x)
    assert mu / (1 + mu**2) * (radius + mu * (length + radius)) == pytest.approx(x)


def standing(
    mass: float, timestep: float = 0.001, **parameters: float
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return model and data of a ball that has come to rest on a plane."""
    spec = mujoco.MjSpec()
    spec.option.timestep = timestep
    spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[1, 1, 1])
    ball = spec.worldbody.add_body(name="ball", pos=[0, 0, 0.1])
    ball.add_freejoint()
    ball.add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[0.1, 0, 0], mass=mass)
    model = spec.compile()
    compliance.apply(model, Compliance(**parameters))
    data = mujoco.MjData(model)
    for _ in range(round(3 / timestep)):
        mujoco.mj_step(model, data)
    return model, data


@pytest.mark.parametrize("mass", [0.1, 20.0])
def test_the_sink_is_gravity_over_frequency_squared_for_any_mass(mass: float) -> None:
    _, data = standing(mass, frequency=200.0, damping_ratio=0.1)
    assert 0.1 - data.qpos[2] == pytest.approx(9.81 / 200.0**2, rel=0.02)


def test_a_compliant_contact_oscillates_at_its_frequency() -> None:
    model, data = standing(5.0, frequency=200.0, damping_ratio=0.05)
    data.qvel[2] = -0.005
    heights = []
    for _ in range(200):
        mujoco.mj_step(model, data)
        heights.append(data.qpos[2])
    crossings = np.flatnonzero(np.diff(np.sign(np.array(heights) - np.mean(heights))) != 0)
    period = 2 * float(np.diff(crossings[:4]).mean()) * 0.001
    assert 2 * np.pi / period == pytest.approx(200.0, rel=0.1)


def test_long_steps_get_a_softer_contact_with_the_same_damper() -> None:
    fast, slow = Compliance().at(0.001), Compliance().at(0.002)
    assert fast.frequency == 300.0
    assert slow.frequency == pytest.approx(200.0)
    assert slow.damping(1.0) == pytest.approx(fast.damping(1.0))


def test_a_compliance_is_positive() -> None:
    with pytest.raises(BadValue, match="frequency"):
        Compliance(frequency=0)


OTHER_ASSUMPTIONS = ("step limit, edge on the tips", "tip-back angle, springs without drums")
"""Closed forms whose assumptions do not hold, according to the documentation."""


def test_the_quick_experiment_agrees_in_every_row_whose_assumptions_hold() -> None:
    table = experiment.run(RunOptions(quick=True)).table
    wrong = [row.case for row in table.rows if not row.agrees]
    assert [case for case in wrong if case["closed form"] not in OTHER_ASSUMPTIONS] == []
    assert table.of >= 15
