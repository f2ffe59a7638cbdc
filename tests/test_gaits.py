"""Gaits in a simulation: commands, activation, recompilation, batches."""

import math
from typing import Any, cast

import numpy as np
import pytest

from grouser.errors import BadValue, UnknownName
from grouser.experiments.ers7_pack import ers7_entry, pack_world
from grouser.frames import Array
from grouser.locomotion.biped import Biped
from grouser.locomotion.trot import Trot
from grouser.physics.drives import torque
from grouser.robots.ers7 import ERS7
from grouser.robots.qrio import Qrio
from grouser.robots.robot import Gait
from grouser.robots.velociroach import Cranks, VelociRoach
from grouser.simulation.changes.actions import Join, Leave
from grouser.simulation.gaits import INTERVALS, GaitCache
from grouser.simulation.simulation import Simulation
from grouser.trials.runner import run_trials
from grouser.trials.simulation_lane import replay_trial
from grouser.trials.threads import ThreadRunner
from grouser.trials.trial import Trial
from grouser.world.file import RobotEntry


def standing_robots(*more: RobotEntry) -> Simulation:
    """Return a simulation of ERS-7 ``rex`` and further robots."""
    return Simulation(pack_world(ers7_entry("rex", 0.0, 0.0, 0.0), *more))


def legs(simulation: Simulation, name: str = "rex") -> Array:
    """Return the leg joint angles of a robot, rad."""
    gait = simulation.scene.robots[name].gait
    assert gait is not None
    return np.array([simulation.read(name, "encoder")[drive] for drive in gait.drives])


def test_gait_is_active_only_while_commanded() -> None:
    simulation = standing_robots()
    simulation.step(1.0)
    still = legs(simulation)
    simulation.step(0.4)
    assert np.abs(legs(simulation) - still).max() < 1e-3, (
        "only the compliance of the ground moves it"
    )
    simulation.command("rex", forward=0.1)
    simulation.step(1.0)
    walking = legs(simulation)
    simulation.step(0.1)
    assert np.abs(legs(simulation) - walking).max() > 0.05
    simulation.command("rex", forward=0.0)
    simulation.step(2.0)
    stopped = legs(simulation)
    simulation.step(0.4)
    assert np.abs(legs(simulation) - stopped).max() < 2e-3
    assert np.abs(stopped - still).max() < 0.05


def test_degrees_and_omitted_inputs() -> None:
    robot = standing_robots().scene.robots["rex"]
    commands = robot.gait_inputs({"turn_deg": 90})
    assert commands["turn"] == pytest.approx(math.pi / 2)
    assert commands["forward"] == 0.0
    assert robot.gait_inputs({"neck_deg": -20}) == {}


def test_direct_command_takes_a_drive_from_the_gait() -> None:
    simulation = standing_robots()
    simulation.command("rex", forward=0.15)
    simulation.step(0.5)
    simulation.command("rex", {"lf_knee": torque(0.0)})
    simulation.step(0.2)
    asleep = legs(simulation)
    simulation.step(0.3)
    moved = np.abs(legs(simulation) - asleep)
    gait = simulation.scene.robots["rex"].gait
    assert gait is not None
    knee = gait.drives.index("lf_knee")
    assert np.delete(moved, knee).max() < 0.05, "the other joints hold their angles"
    simulation.command("rex", forward=0.15)
    simulation.step(1.0)
    first = legs(simulation)
    simulation.step(0.1)
    assert np.abs(legs(simulation) - first).max() > 0.05, "a new command restarts the walk"


def test_head_joints_can_be_commanded_while_walking() -> None:
    simulation = standing_robots()
    simulation.command("rex", forward=0.1, pan_deg=40)
    simulation.step(1.5)
    assert math.degrees(simulation.read("rex", "encoder")["pan"]) == pytest.approx(40, abs=1)
    assert simulation.pose("rex").position[0] > 0.05


def test_errors_are_one_sentence() -> None:
    simulation = standing_robots()
    with pytest.raises(BadValue, match="command either the gait or the drive"):
        simulation.command("rex", forward=0.1, lf_knee=0.3)
    with pytest.raises(UnknownName, match="did you mean 'forward'"):
        simulation.command("rex", forwards=0.1)
    with pytest.raises(BadValue, match="forward is 'fast', a number is needed"):
        simulation.command("rex", {"forward": "fast"})  # type: ignore[dict-item]


def test_joining_and_leaving_robots_do_not_affect_a_walk() -> None:
    alone, visited = standing_robots(), standing_robots()
    for simulation in (alone, visited):
        simulation.command("rex", forward=0.15)
        simulation.step(0.6)
    visited.apply(Join(ers7_entry("guest", 5.0, 5.0, 0.0, forward=0.1)))
    for simulation in (alone, visited):
        simulation.step(0.4)
    visited.apply(Leave("guest"))
    for simulation in (alone, visited):
        simulation.step(0.6)
    # The solver treats two robots together, so the last bits may differ while both are present.
    assert legs(visited) == pytest.approx(legs(alone), abs=1e-3)
    assert visited.pose("rex").position == pytest.approx(alone.pose("rex").position, abs=2e-3)


def test_walking_trial_equals_simulation_in_any_batch() -> None:
    def trial(forward: float, seconds: float) -> Trial:
        world = pack_world(ers7_entry("rex", 0.0, 0.0, 0.0, forward=forward))
        schedule = ((0.5, {"forward": forward, "turn": 0.4}),)
        return Trial(world=world, robot="rex", limit=seconds, schedule=schedule)

    trials = [trial(0.05 + 0.02 * number, 1.0 + 0.2 * (number % 3)) for number in range(5)]
    together = run_trials(trials, runner=ThreadRunner(threads=2))
    for one, outcome in zip(trials, together, strict=True):
        [alone] = run_trials([one], runner=ThreadRunner(threads=1))
        assert alone.positions.tobytes() == outcome.positions.tobytes()
        poses = np.array([simulation.data.qpos[:7].copy() for simulation in replay_trial(one)])
        assert poses[: len(outcome.times), :3].tobytes() == outcome.positions.tobytes()


GAITS: dict[str, Any] = {
    "trot": ERS7.gait,
    "biped": Qrio().build().gait,
    "crank": VelociRoach().build().gait,
}


class CountingGait:
    """Gait that counts the calls of `angles`."""

    def __init__(self, gait: Trot | Biped) -> None:
        self.gait, self.calls = gait, 0

    def advance(self, state: Array, commands: Array, dt: float) -> Array:
        return self.gait.advance(state, commands, dt)

    def angles(self, state: Array) -> Array:
        self.calls += 1
        return self.gait.angles(state)


@pytest.mark.parametrize("robots", [1, 5, 60])
@pytest.mark.parametrize("gait", GAITS.values(), ids=GAITS)
def test_planned_states_equal_executed_states(gait: Trot | Biped | Cranks, robots: int) -> None:
    rng, cache, every = np.random.default_rng(6), GaitCache(), 0.004
    state = planned = np.tile(gait.start(), (robots, 1))
    commands = np.zeros((robots, len(gait.inputs)))
    for number in range(600):
        if rng.random() < 0.05:
            commands = commands.copy()
            commands[rng.integers(robots)] = rng.uniform(-0.3, 0.3, len(gait.inputs))
        if number == 400:
            # One robot restarts within a plan.
            state = state.copy()
            state[0] = gait.start()
            planned = state
        state = gait.advance(state, commands, every)
        planned, angles = cache.advance(gait, planned, commands, every)
        assert planned.tobytes() == state.tobytes()
        assert angles.tobytes() == gait.angles(state).tobytes()


@pytest.mark.parametrize("name", ["trot", "biped"])
def test_equal_strides_share_a_call_and_standing_robots_need_none(name: str) -> None:
    gait, cache, every = CountingGait(GAITS[name]), GaitCache(), 0.008

    def calls(state: Array, forward: float, strides: int) -> tuple[int, Array]:
        """Return the number of calls of `angles`, and the final state."""
        commands, before = np.array([[forward, 0.0, 0.0, 0.0]]), gait.calls
        for _ in range(strides):
            state, _ = cache.advance(cast(Gait, gait), state, commands, every)
        return gait.calls - before, state

    _, state = calls(gait.gait.start()[None], 0.05, 100)
    walking, state = calls(state, 0.05, 10 * INTERVALS)
    assert walking <= 11
    _, state = calls(state, 0.0, 500)
    assert calls(state, 0.0, 100)[0] == 0
