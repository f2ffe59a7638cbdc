"""MuJoCo Warp accepts the robots as composed and agrees with MuJoCo, in float32 on its CPU device.

Belts, drives and gaits stay ours: the stepper runs on the state of a `Simulation`, and only the
physics between two of its control intervals is Warp's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grouser.frames import degrees
from grouser.robots.kinds import robot_kinds
from grouser.simulation.scene_state import SceneState
from grouser.simulation.simulation import Simulation
from grouser.trials.warp.physics import warp_model
from grouser.world.file import RobotEntry, World, load, shipped
from grouser.world.terrain.flat import Flat

pytestmark = pytest.mark.slow

SECONDS = 0.5
DISTANCE, ANGLE = 0.002, 1.0  # m, deg
COMMANDS: dict[str, dict[str, float]] = {
    "packbot": {"forward": 0.3, "turn": 0.5},
    "quince": {"forward": 0.2, "front": 0.3},
    "ers7": {"forward": 0.1},
    "velociroach": {"left_speed": 12.0, "right_speed": 10.0},
}
STATE = ("qpos", "qvel", "act", "qacc_warmstart", "sensordata", "actuator_force", "qacc")
INPUTS = ("qpos", "qvel", "act", "ctrl", "qfrc_applied", "qacc_warmstart")
OPTIONS: dict[str, dict[str, Any]] = {
    "crawler": {
        "mass": 15.0,
        "gauge": 0.36,
        "width": 0.08,
        "pulleys": [[-0.25, 0, 0.07], [0.25, 0, 0.07]],
    }
}


def flat(kind: str) -> Simulation:
    """Return a robot on flat ground."""
    robot = RobotEntry(
        name="robot", kind=kind, position=(0.0, 0.0, 0.0), options=OPTIONS.get(kind, {})
    )
    return Simulation(World(name="flat", terrain=(Flat(friction=0.6),), robots=(robot,)))


def warp_physics(simulation: Simulation) -> Callable[[SceneState, int], None]:
    """Return a function that advances ``simulation`` with MuJoCo Warp."""
    import mujoco_warp

    model = mujoco_warp.put_model(warp_model(simulation.model))
    data = mujoco_warp.put_data(
        simulation.model, simulation.state.data, nconmax=400, njmax=2000, nworld=1
    )

    def advance(state: SceneState, steps: int) -> None:
        now: Any = state.data
        for name in INPUTS:
            getattr(data, name).assign(getattr(now, name)[None])
        bias = state.model.actuator_biasprm
        model.actuator_biasprm.assign(bias[None].astype(np.float32))
        for _ in range(steps):
            mujoco_warp.step(model, data)
        for name in STATE:
            getattr(now, name)[:] = getattr(data, name).numpy()[0]
        now.time += steps * state.scene.timestep

    return advance


@pytest.fixture(autouse=True)
def _quiet() -> None:
    warp = pytest.importorskip("warp", reason="the extra 'gpu' is not installed")
    warp.config.quiet = True


@pytest.mark.parametrize("kind", sorted(robot_kinds()))
def test_every_robot_is_accepted(kind: str) -> None:
    import mujoco_warp

    simulation = flat(kind)
    model = mujoco_warp.put_model(warp_model(simulation.model))
    assert (model.nu, model.ngeom) == (simulation.model.nu, simulation.model.ngeom)


@pytest.mark.parametrize("name", [name for name in sorted(shipped()) if load(name).robots])
def test_every_world_is_accepted(name: str) -> None:
    import mujoco_warp

    mujoco_warp.put_model(warp_model(Simulation(name).model))


@pytest.mark.parametrize("kind", COMMANDS)
def test_half_a_second_agrees_with_mujoco(kind: str) -> None:
    ours, theirs = flat(kind), flat(kind)
    for simulation in (ours, theirs):
        simulation.command("robot", COMMANDS[kind])
    seconds = ours.round_to_steps(SECONDS)
    ours.step(seconds)
    theirs.step(seconds, physics=warp_physics(theirs))
    one, other = ours.pose("robot"), theirs.pose("robot")
    assert np.linalg.norm(one.position - flat(kind).pose("robot").position) > 10 * DISTANCE
    assert np.linalg.norm(one.position - other.position) < DISTANCE
    turn = 2 * math.acos(min(1.0, abs(float(one.wxyz @ other.wxyz))))
    assert degrees(turn) < ANGLE
    assert ours.fingerprint() != theirs.fingerprint(), "float32 has other bits"
