"""VelociRoACH's parameters as options: legs, hips, inertia, linkage."""

import math

import numpy as np
import pytest
from support.client_helpers import instance_of

from grouser.errors import BadValue
from grouser.experiments.roach_turning import speeds, world
from grouser.robots.kinds import describe
from grouser.robots.velociroach import Cranks
from grouser.simulation.simulation import Simulation


def test_leg_and_body_parameters_are_options() -> None:
    options = {"leg_length": 0.045, "hip_x": 0.045, "hip_y": 0.03, "hip_z": 0.004}
    robot = describe("velociroach", options | {"yaw_inertia": 2.5e-5}, "here").build()
    model = robot.spec.compile()
    assert model.body("fore_left").pos == pytest.approx([0.045, 0.03, 0.004])
    assert model.body("hind_right").pos == pytest.approx([-0.045, -0.03, 0.004])
    assert robot.standing == pytest.approx(0.041)
    assert sorted(model.body("body").inertia)[-1] == pytest.approx(2.5e-5)


def test_roach_with_other_parameters_stands_and_runs() -> None:
    options = {"leg_length": 0.04, "abduction_middle_deg": 20.0, "rod_ratio": 0.3}
    entry = world().robots[0].model_copy(update={"options": options, "command": {}})
    simulation = Simulation(world().changed(robots=(entry,)))
    before = simulation.pose("roach").position.copy()
    simulation.step(0.3)
    assert abs(simulation.pose("roach").position[2] - before[2]) < 0.004
    simulation.command("roach", speeds(0.0))
    simulation.step(1.0)
    assert math.dist(simulation.pose("roach").position[:2], before[:2]) > 0.05


def test_short_rod_makes_the_return_stroke_faster() -> None:
    """Slider-crank: both strokes have the same length and different speeds."""
    gait = instance_of(Cranks, describe("velociroach", {"rod_ratio": 0.6}, "here").build().gait)
    phase = np.linspace(0, 2 * math.pi, 721)
    states = np.stack([phase, phase, 0 * phase, 0 * phase], axis=1)
    swing = gait.angles(states)[:, 0] / gait.protraction
    assert np.ptp(swing) == pytest.approx(2.0, abs=1e-3)
    sines = instance_of(Cranks, describe("velociroach", {}, "here").build().gait)
    sine = sines.angles(states)[:, 0] / sines.protraction
    assert sine == pytest.approx(np.sin(phase), abs=1e-12)
    assert np.abs(swing - sine).max() > 0.1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"leg_length": 0.0}, "leg_length is 0.0, must be more than 0.005"),
        ({"rod_ratio": 1.0}, "rod_ratio is 1.0, must be at most 0.9"),
        ({"abduction_middle_deg": 70.0}, "passes the joint limits"),
        ({"yaw_inertia": 1.0}, "at most the sum of the two others"),
    ],
)
def test_invalid_parameters_are_rejected_with_a_reason(
    options: dict[str, float], message: str
) -> None:
    with pytest.raises(BadValue, match=message):
        describe("velociroach", options, "here")
