"""Handles of robots: everything of a robot without a look into the running state."""

import numpy as np
import pytest

import grouser
from grouser.world.file import load


def test_handle_reaches_drives_sensors_and_events() -> None:
    with grouser.Simulation("quince_step", seed=1) as sim:
        quince = sim.robots["quince"]
        quince.command(forward=0.1, front=grouser.angle(0.8))
        sim.step(0.5)
        assert quince.velocity.linear[0] > 0.05
        assert quince.effort >= quince.energy > 0
        assert quince.effort == sum(drive.effort for drive in quince.drives.values())
        assert quince.drives["left"].position == sim.angles("quince")["left"]
        encoder = quince.sensors["encoder"]
        assert encoder.read()["left"] > 0.02
        encoder.reset()
        assert encoder.measure()["left"] == 0.0
        encoder.set_rate(100.0)
        before = encoder.read().time
        sim.step(0.1)
        assert 0.09 < encoder.read().time - before <= 0.1
        assert encoder.hashes == {}


def test_camera_is_aimed_and_its_hashes_are_read_from_the_handle() -> None:
    camera = {"kind": "camera", "name": "eye", "mount": "camera", "camera": "ers7", "record": True}
    world = load("aibo_kick")
    (rex, *others) = world.robots
    rex = rex.model_copy(update={"sensors": (camera,)})
    sim = grouser.Simulation(world.changed(robots=(rex, *others)))
    eye = sim.robots[rex.name].sensors["eye"]
    sim.step(sim.round_to_steps(0.1))
    seen = eye.hashes
    assert len(seen) >= 2
    eye.aim(pan=0.5, zoom=2.0)
    sim.step(sim.round_to_steps(0.1))
    later = [value for time, value in eye.hashes.items() if time not in seen]
    assert later
    assert not set(later) & set(seen.values())


def test_events_of_a_robot() -> None:
    sim = grouser.Simulation("gate")
    robot = next(iter(sim.robots))
    sim.step(sim.round_to_steps(10.0))
    assert sim.robots[robot].events == [entry for entry in sim.event_log if entry.by == robot]
    assert sim.robots[robot].events


def test_robots_are_added_and_removed_by_name() -> None:
    sim = grouser.Simulation("quince_step")
    sim.add(grouser.RobotEntry(name="second", kind="packbot", position=(-2.0, 0.0, 0.0)))
    second = sim.robots["second"]
    second.command(forward=0.2)
    sim.step(0.2)
    assert second.velocity.linear[0] > 0.1
    sim.remove("second")
    assert list(sim.robots) == ["quince"]


def test_velocity_is_that_of_the_frame_and_not_of_the_centre_of_mass() -> None:
    options = {"centre_x": 0.15}
    world = {
        "name": "w",
        "physics": {"timestep": 0.001},
        "terrain": [{"kind": "flat", "friction": 0.8}],
        "robots": [{"name": "k", "kind": "kenaf", "position": [0, 0, 0], "options": options}],
    }
    with grouser.Simulation(world) as sim:
        kenaf = sim.robots["k"]
        kenaf.command(turn=1.0)
        sim.step(1.0)
        before, rates = kenaf.pose.position, []
        for _ in range(200):
            sim.step(0.001)
            rates.append(kenaf.velocity.linear)
        mean = (kenaf.pose.position - before) / 0.2
        assert np.mean(rates, axis=0) == pytest.approx(mean, abs=2e-3)
        assert abs(kenaf.velocity.angular[2]) * 0.15 > 0.02, "the centre of mass moves otherwise"
