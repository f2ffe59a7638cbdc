"""Simulation: determinism, joining robots, physics, divergence, errors."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest
from support.narrowing import not_none

import grouser
from grouser.errors import BadValue, SimulationDiverged, UnknownName
from grouser.frames import Pose
from grouser.physics.drives import angle, torque
from grouser.simulation.changes.actions import Command, Join, Leave, Reset, SetPose
from grouser.simulation.schedule import Clock, generator
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World, shipped
from grouser.world.objects import Ball, Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


def packbot(
    name: str = "packbot",
    x: float = 0.0,
    y: float = 0.0,
    method: str = "segments",
    **command: float,
) -> RobotEntry:
    return RobotEntry(
        name=name, kind="packbot", position=(x, y, 0.0), options={"method": method}, command=command
    )


def world(*robots: RobotEntry, objects: tuple[Box, ...] = (), **changes: Any) -> World:
    return World(
        name="test",
        physics=STANDARD,
        terrain=(Flat(friction=0.6),),
        robots=robots,
        objects=objects,
        **changes,
    )


@pytest.mark.parametrize("name", sorted(shipped()))
def test_every_shipped_world_loads_and_steps(name: str) -> None:
    simulation = Simulation(grouser.load(name))
    simulation.step(simulation.round_to_steps(0.1))
    assert np.isfinite(simulation.data.qpos).all()
    assert grouser.load(name).description


PRINT_HASH = """
import grouser
sim = grouser.Simulation(grouser.load("quince_step"), seed=7)
sim.step(10.0)
print(sim.fingerprint())
"""


def test_runs_are_bit_identical_in_one_and_two_processes() -> None:
    """The hash of the state after 10 s is equal for all ways to compute it."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", PRINT_HASH], capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    simulation = Simulation(grouser.load("quince_step"), seed=7)
    for _ in range(1000):  # in other step sizes than the processes
        simulation.step(0.01)
    assert {run.stdout.strip() for run in runs} == {simulation.fingerprint()}


def test_reset_restores_the_initial_bits() -> None:
    simulation = Simulation(world(packbot(forward=0.3)))
    fresh = simulation.fingerprint()
    simulation.step(0.3)
    later = simulation.fingerprint()
    simulation.apply(Reset())
    assert simulation.fingerprint() == fresh
    simulation.step(0.3)
    assert simulation.fingerprint() == later != fresh


@pytest.mark.parametrize("method", ["segments", "wheels", "surface"])
def test_joining_and_leaving_robot_does_not_change_the_others(method: str) -> None:
    alone = Simulation(world(packbot(method=method, forward=0.3)))
    company = Simulation(world(packbot(method=method, forward=0.3)))
    for simulation in (alone, company):
        simulation.step(0.501)  # in the middle of a control interval
    company.apply(Join(packbot("second", x=0.0, y=2.0, forward=-0.2)))
    company.apply(
        Join(Ball(name="ball", position=(3.0, 3.0, 0.1), radius=0.1, mass=0.5, friction=0.5))
    )
    assert company.read("second", "truth")["y"] == pytest.approx(2.0)
    for simulation in (alone, company):
        simulation.step(0.5)
    assert company.read("second", "truth")["x"] < -0.08
    company.apply(Leave("second"))
    company.apply(Leave("ball"))
    for simulation in (alone, company):
        simulation.step(0.5)
    # Solving for more bodies at once changes rounding and nothing else.
    np.testing.assert_allclose(
        company.pose("packbot").position, alone.pose("packbot").position, atol=1e-6
    )
    assert company.read("packbot", "encoder")["left"] == pytest.approx(
        alone.read("packbot", "encoder")["left"], abs=1e-6
    )
    assert company.energy("packbot")["left"] == pytest.approx(
        alone.energy("packbot")["left"], rel=1e-3
    )
    assert company.time == pytest.approx(alone.time)
    with pytest.raises(UnknownName, match="no robot 'second'"):
        company.read("second", "truth")


def test_robot_keeps_its_mode_when_another_joins() -> None:
    simulation = Simulation(grouser.load("quince_step"))
    simulation.command("quince", front=torque(3.0))
    simulation.step(0.2)
    simulation.apply(Join(packbot("second", x=-3.0)))
    actuator = simulation.model.actuator("quince/front_left_arm")
    assert simulation.model.actuator_biasprm[actuator.id, 1] == 0.0


def test_actions_can_be_scheduled() -> None:
    simulation = Simulation(world(packbot()))
    simulation.schedule(0.2, Command("packbot", {"forward": 0.3}))
    simulation.schedule(0.1, SetPose("packbot", Pose.at(1.0, 0.0, 0.09)))
    simulation.step(0.15)
    assert simulation.pose("packbot").position[0] == pytest.approx(1.0, abs=0.01)
    simulation.step(1.0)
    assert simulation.pose("packbot").position[0] > 1.2
    with pytest.raises(BadValue, match="must be at least the present"):
        simulation.schedule(0.5, Reset())


def test_sensors_keep_their_rate() -> None:
    simulation = Simulation(world(packbot(forward=0.3)))
    rate = 25.0
    seen = set()
    for _ in range(200):
        simulation.step(0.005)
        seen.add(simulation.read("packbot", "truth").time)
    assert len(seen) == pytest.approx(rate * 1.0 + 1, abs=1)
    assert np.ptp(np.diff(sorted(seen))) < 0.0011


def test_clocks_do_not_drift() -> None:
    clock = Clock(rate_hz=30.0, timestep=0.001)
    dues = []
    for _ in range(301):
        dues.append(clock.due)
        clock.tick()
    assert dues[0] == 0
    assert dues[300] == 10_000
    assert set(np.diff(dues)) == {33, 34}


def test_random_streams_are_independent() -> None:
    assert generator(1, "a").random() == generator(1, "a").random()
    assert generator(1, "a").random() != generator(1, "b").random()
    assert generator(1, "a").random() != generator(2, "a").random()


def test_box_falls_by_half_g_t_squared_and_comes_to_rest() -> None:
    box = Box(name="box", position=(0, 0, 1.0), size=(0.2, 0.2, 0.2), mass=2.0, friction=0.5)
    simulation = Simulation(world(objects=(box,)))
    simulation.step(0.4)
    assert simulation.pose("box").position[2] == pytest.approx(1.0 - 0.5 * 9.81 * 0.4**2, abs=0.003)
    simulation.step(2.0)
    assert simulation.pose("box").position[2] == pytest.approx(0.1, abs=0.001)
    assert np.abs(simulation.data.qvel).max() < 1e-3


def test_robots_push_each_other() -> None:
    simulation = Simulation(world(packbot("front", x=0.8), packbot("rear", forward=0.3)))
    simulation.step(2.0)
    assert simulation.pose("front").position[0] > 0.85


def test_momentum_is_conserved_in_a_frictionless_collision() -> None:
    """Two boxes on frictionless ground keep their total momentum."""
    ice: dict[str, Any] = {"size": (0.2, 0.2, 0.2), "friction": 0.0}
    objects = (
        Box(name="a", position=(0, 0, 0.1), mass=2.0, **ice),
        Box(name="b", position=(0.5, 0, 0.1), mass=3.0, **ice),
    )
    frozen = World(name="ice", physics=STANDARD, terrain=(Flat(friction=0.0),), objects=objects)
    simulation = Simulation(frozen)
    simulation.step(0.2)
    simulation.data.joint("a/free").qvel[0] = 1.0
    before = 2.0 * 1.0
    simulation.step(1.0)
    after = (
        2.0 * simulation.data.joint("a/free").qvel[0]
        + 3.0 * simulation.data.joint("b/free").qvel[0]
    )
    assert simulation.data.joint("b/free").qvel[0] > 0.1
    assert after == pytest.approx(before, rel=1e-3)


@pytest.mark.parametrize("poison", [np.nan, 1e6])
def test_divergence_raises_and_saves_the_last_second(tmp_path: Path, poison: float) -> None:
    simulation = Simulation(world(packbot(forward=0.3)), crash_folder=tmp_path)
    simulation.step(0.5)
    simulation.data.qvel[0] = poison
    with pytest.raises(SimulationDiverged, match="diverged at 0.5") as caught:
        simulation.step(0.5)
    with np.load(not_none(caught.value.states)) as file:
        saved = dict(file)
    assert not_none(caught.value.states).parent == tmp_path
    assert len(saved["times"]) == len(saved["states"]) > 10
    size = mujoco.mj_stateSize(simulation.model, int(saved["spec"]))
    assert saved["states"].shape[1] == size
    assert np.isfinite(saved["states"][0]).all()


def test_invalid_calls_are_reported_in_one_sentence() -> None:
    simulation = Simulation(world(packbot()))
    with pytest.raises(UnknownName, match="no robot 'pakbot'.*did you mean 'packbot'"):
        simulation.command("pakbot", forward=1.0)
    with pytest.raises(UnknownName, match="no drive 'flipper'"):
        simulation.command("packbot", flipper=angle(1.0))
    with pytest.raises(UnknownName, match="no sensor 'gps'"):
        simulation.read("packbot", "gps")
    with pytest.raises(BadValue, match="already a robot or object named 'packbot'"):
        simulation.apply(Join(packbot()))
    with pytest.raises(UnknownName, match="no robot or object 'nobody'"):
        simulation.apply(Leave("nobody"))
    with pytest.raises(BadValue, match="a time of at least 0"):
        simulation.step(-1.0)
    with pytest.raises(BadValue, match="'jump' is not an action of .*changes.actions"):
        simulation.apply("jump")  # type: ignore[arg-type]


@pytest.mark.parametrize("seconds", [0.0004, 0.0014])
def test_step_rejects_durations_that_are_no_whole_number_of_time_steps(seconds: float) -> None:
    """Rounding 0.4 ms to no step at all would make ``while sim.time < t`` endless."""
    simulation = Simulation(world(packbot()))
    with pytest.raises(BadValue, match=f"step: {seconds} s is not a whole number of time steps"):
        simulation.step(seconds)
    assert simulation.time == 0.0


def test_invalid_initial_command_is_reported_with_its_line() -> None:
    text = grouser.load("quince_step")
    entry = text.robots[0].model_copy(update={"command": {"foward": 0.1}})
    with pytest.raises(BadValue, match=r"quince_step.yaml line \d+: .*did you mean 'forward'"):
        Simulation(text.changed(robots=(entry,)))


def test_true_pose_of_any_body_agrees_with_the_state() -> None:
    """The pose of a free body is read from the state, that of others is derived; both agree."""
    from grouser.sensors.sensor import Needs, SensorContext
    from grouser.sensors.truth import BoundTruth, Truth

    simulation = Simulation(world(packbot(forward=0.3, turn=0.5)))
    simulation.step(0.6)
    model, data = simulation.model, simulation.data
    mujoco.mj_forward(model, data)
    moment, rng = (
        SensorContext(model, data, (), lambda: np.zeros(0), np.zeros(0)),
        generator(0, "unused"),
    )
    root = Truth(body="body").bind(model, "packbot/")
    derived = BoundTruth(model, model.body("packbot/body").id)
    derived._free = False
    reported, again = root.read(moment, rng), derived.read(moment, rng)
    assert reported == pytest.approx(again, abs=1e-9)
    assert root.needs == Needs.STATE
    assert Truth(body="left/0").bind(model, "packbot/").needs


def test_poses_are_up_to_date_and_reading_them_changes_nothing() -> None:
    simulation = Simulation(grouser.load("quince_step"))
    simulation.command("quince", forward=0.2)
    simulation.step(0.1)
    state, root = simulation.fingerprint(), simulation.model.body("quince/body").id
    before = simulation.state.data.xpos[root].copy()  # MuJoCo leaves the poses before the step
    X_WB = simulation.pose("quince")
    simulation.view()
    assert simulation.fingerprint() == state
    np.testing.assert_array_equal(simulation.data.xpos[root], X_WB.position)
    assert X_WB.position[0] > before[0]
