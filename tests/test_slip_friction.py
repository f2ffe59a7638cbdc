"""Friction by slip speed: the law, hard and gentle turns, batches, several grounds, errors."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.planar_skid_steer import planar_skid_steer

from grouser import Batch, Simulation
from grouser.errors import BadValue, WorldFileError
from grouser.evaluation.closed_forms import stopping_distance
from grouser.experiments.closed_form_rigs import sliding_distance
from grouser.physics.slip_friction import SlipLaw

HUSKY = str(Path(__file__).parents[1] / "examples" / "robots" / "husky.yaml")
RADIUS = 0.1651
"""Of Husky's wheels, m."""
TRACK = 2 * 0.2854
"""Distance between its wheels' middles, m."""
FALLING = {"friction": 0.8, "kinetic": 0.5, "stribeck_speed": 0.3}


def husky(ground: dict[str, Any], left: float, right: float) -> dict[str, Any]:
    """Return a world with a Husky that drives its sides at two speeds, m/s."""
    sides = {"left": left / RADIUS, "right": right / RADIUS}
    command = {f"{end}_{side}": sides[side] for end in ("front", "rear") for side in sides}
    robot = {"name": "r", "kind": HUSKY, "position": [0, 0, 0], "command": command}
    return {"name": "turn", "terrain": [{"kind": "flat"} | ground], "robots": [robot]}


def motion(simulation: Simulation, sides: tuple[float, float]) -> tuple[float, float]:
    """Return the next 0.4 s' forward speed and turn rate over those of wheels without slip."""
    shares, turns = [], []
    for _ in range(4):
        simulation.step(0.1)
        robot = simulation.robots["r"]
        yaw = 2 * math.atan2(robot.pose.wxyz[3], robot.pose.wxyz[0])
        x, y, _ = robot.velocity.linear.tolist()
        shares.append((x * math.cos(yaw) + y * math.sin(yaw)) / (sum(sides) / 2))
        turns.append(float(robot.velocity.angular[2]) * TRACK / (sides[1] - sides[0]))
    return float(np.mean(shares)), float(np.mean(turns))


def forward_share(ground: dict[str, Any], left: float, right: float) -> float:
    """Return the forward speed over the mean speed of the wheels, after a start from rest."""
    simulation = Simulation(husky(ground, left, right))
    simulation.step(0.8)
    return motion(simulation, (left, right))[0]


def test_falling_friction_slows_hard_turns_only() -> None:
    assert forward_share(FALLING, -0.1, 0.7) < 0.8, "the fast side slips, the slow side rolls"
    assert forward_share(FALLING, 0.35, 0.45) == pytest.approx(1.0, abs=0.02)
    assert forward_share({"friction": 0.8}, -0.1, 0.7) == pytest.approx(1.0, abs=0.03)


def test_law_lies_between_both_frictions() -> None:
    smooth, sharp = SlipLaw(0.8, 0.5, 0.3, 2.0), SlipLaw(0.8, 0.5, 0.3, 20.0)
    assert smooth.at(0.0) == sharp.at(0.0) == 0.8
    assert smooth.at(0.3) == pytest.approx(0.5 + 0.3 / math.e)
    assert sharp.at(0.2) == pytest.approx(0.8, abs=1e-3)
    assert sharp.at(0.4) == pytest.approx(0.5, abs=1e-3)
    wanted = stopping_distance(0.6, smooth.at, 9.81)
    assert sliding_distance(smooth, 0.6) == pytest.approx(wanted, rel=0.06)


def test_batch_with_drawn_friction_equals_a_simulation() -> None:
    start = husky(FALLING, 0.0, 1.0)
    batch, simulation = Batch(start, 2, threads=1, friction=[1.0, 0.5]), Simulation(start)
    for one in (batch, simulation):
        one.step(0.3)
    assert batch.fingerprints()[0] == simulation.fingerprint()
    assert batch.fingerprints()[1] != simulation.fingerprint()
    copy = Simulation.from_snapshot(simulation.save())
    for one in (copy, simulation):
        one.step(0.1)
    assert copy.fingerprint() == simulation.fingerprint()


def test_each_ground_has_its_own_law() -> None:
    world = husky(FALLING | {"x": -5.0, "size": [10.0, 10.0]}, 0.0, 1.0)
    simulation = Simulation(husky(FALLING, 0.0, 1.0))
    simulation.step(0.3)
    tyres = [n for n in range(simulation.model.ngeom) if "tyre" in simulation.model.geom(n).name]
    values = simulation.model.geom_friction[tyres, 0]
    assert values.min() == pytest.approx(0.5, abs=0.01)
    assert values.max() == pytest.approx(0.8, abs=0.01)
    ice = {"kind": "step", "x": -1.0, "height": 0.001, "length": 4.0, "friction": 0.1}
    world = husky(FALLING, 0.0, 1.0)
    world["terrain"].append(ice)
    slippery = Simulation(world)
    slippery.step(0.3)
    model = slippery.model
    tyres = [n for n in range(model.ngeom) if "tyre" in model.geom(n).name]
    assert model.geom_friction[tyres, 0] == pytest.approx([0.1] * 4), "on the ice, at any speed"


@pytest.mark.parametrize(
    ("ground", "message"),
    [
        ({"kinetic": 0.5}, "must be given together with kinetic"),
        ({"friction": 0.4, "kinetic": 0.5, "stribeck_speed": 0.3}, "at most the friction, 0.4"),
    ],
)
def test_impossible_laws_are_rejected(ground: dict[str, Any], message: str) -> None:
    with pytest.raises((BadValue, WorldFileError), match=message):
        Simulation(husky(ground, 0.0, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("difference", "ramp"),
    [(0.7, 0.0), (0.8, 0.0), (0.9, 0.0), (0.9, 1.0), (1.0, 0.0), (1.0, 1.0), (1.1, 1.0)],
)
def test_hard_turns_have_the_states_of_a_planar_model(difference: float, ramp: float) -> None:
    sides = 0.3 - difference / 2, 0.3 + difference / 2
    planar = planar_skid_steer(*sides, ramp=ramp)
    simulation = Simulation(husky(FALLING, 0.0, 0.0))
    for step in range(1, 51):
        part = min(1.0, step * 0.02 / ramp) if ramp else 1.0
        command = husky(FALLING, sides[0] * part, sides[1] * part)["robots"][0]["command"]
        simulation.command("r", command)
        simulation.step(0.02)
    simulation.step(0.8)
    share, turn = motion(simulation, sides)
    assert share == pytest.approx(planar[0], abs=0.04)
    assert turn == pytest.approx(planar[1], abs=0.03)
    assert (share < 0.8) == (difference > 0.75), "hard turns"
