"""Belt drives: defaults that do not chatter, and the check of the time step."""

import math
from typing import Any

import numpy as np
import pytest

from grouser.frames import Array
from grouser.simulation.simulation import Simulation
from grouser.tracks.drive_defaults import (
    DESIGN_STEP_DAMPING,
    LARGEST_STEP_DAMPING,
    belt_drive,
    least_lead,
)
from grouser.tracks.geoms import TIE
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


def largest_eigenvalue(step_damping: float, load: float, lead: float, timestep: float) -> float:
    """Return that of one time step of a sprocket (1 kg) tied to ``load`` (kg).

    ``lead`` is the ratio of viscosity and stiffness of its servo, s.
    """
    viscosity = step_damping / timestep
    stiffness, tie = viscosity / lead, max(TIE, 2 * timestep)

    def step(state: Array) -> Array:
        x, v, x_load, v_load = state
        force = -stiffness * x - viscosity * v
        pull = -2 / tie * (v - v_load) - (x - x_load) / tie**2
        a_load = (force - pull) / (1 + load)
        v += timestep * (a_load + pull) / (1 + step_damping)  # implicit for the sprocket alone
        v_load += timestep * a_load
        return np.array([x + timestep * v, v, x_load + timestep * v_load, v_load])

    matrix = np.array([step(row) for row in np.eye(4)]).T
    return float(np.abs(np.linalg.eigvals(matrix)).max())


@pytest.mark.parametrize("timestep", [0.0005, 0.001, 0.002])
def test_criterion_is_stable_with_any_load(timestep: float) -> None:
    loads = np.geomspace(0.3, 3000, 25)
    leads = [least_lead(timestep), 0.02, 0.05, 0.2]
    assert all(
        largest_eigenvalue(share * LARGEST_STEP_DAMPING, load, lead, timestep) < 1
        for share in (0.1, 0.5, 1.0)
        for load in loads.tolist()
        for lead in leads
    )
    assert largest_eigenvalue(2.5 * LARGEST_STEP_DAMPING, 20.0, 0.05, timestep) > 1


@pytest.mark.parametrize("force", [20.0, 150.0, 500.0, 2000.0, 20_000.0])
@pytest.mark.parametrize("load", [1.0, 10.0, 80.0, 1000.0])
def test_defaults_satisfy_the_criterion(force: float, load: float) -> None:
    for links in (1, 4, 12):
        drive, inertia = belt_drive(force=force, speed=1.0, links=links, load=load)
        step_damping = 0.001 * drive.viscosity / (inertia / links)
        assert step_damping <= DESIGN_STEP_DAMPING * (1 + 1e-9)
        assert drive.lead >= least_lead(0.001)
        moved = load + inertia
        assert drive.viscosity / (2 * math.sqrt(drive.stiffness * moved)) >= 0.7 - 1e-9


def test_defaults_of_a_robot_of_20_kg_and_given_values_are_kept() -> None:
    drive, inertia = belt_drive(force=150.0, speed=1.0, links=4, load=10.0)
    assert (inertia, drive.saturation_error, drive.damping) == (5.0, 0.005, 0.1)
    given = {"inertia": 2.0, "lead": 0.001, "damping": 0.01}
    drive, inertia = belt_drive(force=900.0, speed=1.0, links=4, load=10.0, **given)
    assert (inertia, drive.saturation_error, drive.damping) == (2.0, 0.001, 0.01)


def strong(**given: Any) -> Simulation:
    options = {
        "mass": 150.0,
        "gauge": 0.5,
        "width": 0.1,
        "pulleys": [(-0.25, 0, 0.08), (0.25, 0, 0.08)],
        "grouser": {"shape": "rounded", "length": 0.006, "height": 0.008},
        "force": 2000.0,
    }
    robot = RobotEntry(name="r", kind="crawler", position=(0.0, 0.0, 0.0), options=options | given)
    flat = (Flat(friction=0.8),)
    physics = STANDARD.model_copy(update={"losses": False})  # friction would damp the chatter
    return Simulation(World(name="flat", physics=physics, terrain=flat, robots=(robot,)))


def slow_turn(simulation: Simulation) -> tuple[float, float]:
    """Return the turn over the commanded one, and the vertical rms speed, m/s."""
    simulation.command("r", turn=0.2)
    simulation.step(0.6)
    start, speeds = simulation.read("r", "truth")["yaw"], []
    for _ in range(100):
        simulation.step(0.005)
        speeds.append(float(simulation.data.qvel[2]))
    turned = simulation.read("r", "truth")["yaw"] - start
    return turned / 0.1, float(np.sqrt(np.mean(np.square(speeds))))


def test_strong_belts_turn_slowly_without_chatter() -> None:
    turned, vibration = slow_turn(strong())
    assert vibration < 0.002
    weak, _ = slow_turn(strong(force=600.0))  # the load of the belts decides, not their strength
    assert turned == pytest.approx(weak, abs=0.03)
    assert turned > 0.3


def test_drive_that_time_steps_cannot_follow_is_reported() -> None:
    with pytest.warns(UserWarning, match=r"belt r/left: its drive of 2000 N is too stiff") as found:
        chattering = strong(inertia=2.0, damping=0.1)
    text = str(found[0].message)
    assert "damping of at least" in text
    assert "drives.md" in text
    assert "belt r/right" in text
    assert len(found) == 1
    _, vibration = slow_turn(chattering)
    assert vibration > 0.005  # the warning is not in vain
