"""Default view of a world: its first robot from behind at an angle."""

import math
from typing import Any

import numpy as np
import pytest

from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, View, load


def roach_view(yaw_deg: float, **view: Any) -> Simulation:
    """Return the view of a roach at (2, 1) with yaw ``yaw_deg``."""
    roach = RobotEntry(name="it", kind="velociroach", position=(2.0, 1.0, 0.0), yaw_deg=yaw_deg)
    world = load("roach_circle").changed(robots=(roach,), view=View(**view))
    return Simulation(world, crash_folder=None)


@pytest.mark.parametrize("yaw_deg", [0.0, 90.0, -150.0])
def test_default_view_follows_the_robot_from_behind_at_an_angle(yaw_deg: float) -> None:
    sim = roach_view(yaw_deg)
    view = sim.view()
    off = (view.azimuth_deg - yaw_deg + 180) % 360 - 180
    assert 20 < off < 70, "less than square to its way: from behind"
    assert math.dist(view.lookat[:2], (2.0, 1.0)) < 0.1
    assert 0.1 < view.distance < 0.6, "a robot of 0.1 m fills the picture"
    sim.state.data.qpos[:2] += 3.0
    moved = np.subtract(sim.view().lookat, view.lookat)
    assert moved[:2] == pytest.approx([3.0, 3.0])
    assert (sim.view().distance, sim.view().azimuth_deg) == (view.distance, view.azimuth_deg)


def test_view_of_the_world_file_is_used() -> None:
    assert roach_view(0.0, distance=5.0).view().distance == 5.0
    assert roach_view(0.0, azimuth_deg=-10.0).view().azimuth_deg == -10.0
    fixed = roach_view(0.0, lookat=(1.0, 2.0, 3.0))
    assert fixed.view().lookat == (1.0, 2.0, 3.0), "a view without a name follows no robot"


def test_world_without_robots_has_a_default_view() -> None:
    sim = Simulation(load("roach_circle").changed(robots=()), crash_folder=None)
    assert sim.view().distance > 0
