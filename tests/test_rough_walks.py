"""Robots on the shipped rough worlds."""

from __future__ import annotations

import numpy as np
import pytest

import grouser
from grouser.frames import to_rpy
from grouser.simulation import Ground
from grouser.simulation.simulation import Simulation

CRANKS = 30.0
"""rad/s of the roach's cranks, both sides."""


def steering_towards_line(simulation: Simulation, y: float) -> None:
    """Return the crank speeds that steer the roach along x, proportional to its lateral error."""
    pose = simulation.pose("roach")
    target_yaw = np.clip(1.5 * (y - pose.position[1]), -0.8, 0.8)
    more = np.clip(0.8 * (target_yaw - to_rpy(pose.wxyz)[2]), -0.9, 0.9)
    simulation.command("roach", left_speed=CRANKS * (1 - more), right_speed=CRANKS * (1 + more))
    simulation.step(simulation.round_to_steps(0.1))


@pytest.mark.slow
def test_roach_walks_the_smooth_bridge() -> None:
    simulation = grouser.Simulation(grouser.load("double_bridge"))
    ground = Ground(simulation.scene)
    above, touched = [], set()
    while simulation.pose("roach").position[0] < 1.6:
        assert simulation.time < 30
        steering_towards_line(simulation, 0.75)
        place = simulation.pose("roach").position
        under = ground.below(place)
        touched.add(ground.names[int(under.geom)])
        above.append(place[2] - under.height)
    # The ground below it was always within the length of its legs.
    assert touched >= {"terrain/1/near", "terrain/1/left", "terrain/1/far"}
    assert max(above) < 0.06


@pytest.mark.slow
def test_kenaf_crosses_rubble() -> None:
    simulation = grouser.Simulation(grouser.load("rubble"))
    steepest = 0.0
    while simulation.pose("kenaf").position[0] < 3.3:  # the field ends at 3.0
        assert simulation.time < 25
        simulation.step(0.25)
        roll, pitch, _ = to_rpy(simulation.pose("kenaf").wxyz)
        steepest = max(steepest, abs(roll), abs(pitch))
    assert abs(simulation.pose("kenaf").position[1]) < 0.8  # across the rubble, not around it
    assert np.radians(5) < steepest < np.radians(45)
