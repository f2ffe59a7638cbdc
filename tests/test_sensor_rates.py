"""Sensor rates on request: up to the physics rate, without effects on other sensors."""

import gc
import math

import numpy as np
import pytest
from support.threaded_server import ThreadedServer

from grouser.client import join
from grouser.errors import BadValue, UnknownName
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.protocol.usarsim.sensor_messages import Encoders
from grouser.protocol.usarsim.setting import Response
from grouser.simulation.changes.actions import Join, Leave, Reset, SetSensorRate
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat


def kenaf(name: str = "k", y: float = 0.0) -> RobotEntry:
    return RobotEntry(name=name, kind="kenaf", position=(0, y, 0), sensors=())


@pytest.fixture
def sim() -> Simulation:
    robots = (kenaf(), kenaf("other", 1.5))
    world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=robots)
    simulation = Simulation(world, crash_folder=None)
    simulation.drain_readings()
    return simulation


def times(
    simulation: Simulation, seconds: float, robot: str = "k", sensor: str = "encoder"
) -> list[float]:
    """Return the times of a sensor's readings within the next ``seconds``."""
    simulation.drain_readings()
    simulation.step(seconds)
    return [
        reading.time
        for name, reading in simulation.drain_readings()
        if (name, reading.sensor) == (robot, sensor)
    ]


def test_requested_rate_is_used_and_other_sensors_keep_theirs(sim: Simulation) -> None:
    sim.step(0.101)
    before = sim.fingerprint()
    sim.apply(SetSensorRate("k", "encoder", 500.0))
    assert sim.fingerprint() == before
    fast = times(sim, 0.2)
    assert np.diff(fast) == pytest.approx(0.002, abs=1e-9)
    assert len(fast) in (100, 101)
    assert len(times(sim, 0.2, "other")) == 5
    sim.apply(SetSensorRate("k", "encoder", 10.0))
    assert len(times(sim, 1.0)) == 10


def test_requested_rate_ends_with_a_reset_and_with_the_robot(sim: Simulation) -> None:
    sim.apply(SetSensorRate("k", "encoder", 100.0))
    assert len(times(sim, 0.2)) == 20
    sim.apply(Reset())
    assert len(times(sim, 0.2)) == 5
    sim.apply(SetSensorRate("k", "encoder", 100.0))
    sim.apply(Leave("k"))
    sim.apply(Join(kenaf()))
    assert len(times(sim, 0.2)) == 5


def test_higher_rate_does_not_change_physics(sim: Simulation) -> None:
    plain = Simulation(sim.world, crash_folder=None)
    sim.apply(SetSensorRate("k", "encoder", 1000.0))
    for one in (sim, plain):
        one.command("k", forward=0.2)
        one.step(0.5)
    assert sim.pose("k").position == pytest.approx(plain.pose("k").position, abs=1e-9)


def test_sensors_of_a_joining_robot_are_read_in_turn_or_at_the_requested_rate(
    sim: Simulation,
) -> None:
    sim.step(0.1)
    sim.apply(Join(RobotEntry(name="p", kind="p2dx", position=(0, -2, 0))))
    came = sim.time
    sim.step(0.003)
    asked = sim.read("p", "F1")
    assert asked.time == pytest.approx(came + 0.003), "first request"
    assert sim.read("p", "F2").time == asked.time
    assert sim.read("p", "Odometry").time == pytest.approx(came + 0.001), "begins where it came"
    assert sim.read("p", "F1").time == asked.time, "a repeated request measures nothing new"
    assert len(times(sim, 1.0, "p", "F1")) == 5, "its own rhythm"


def test_leaving_robot_leaves_no_reference_cycle(sim: Simulation) -> None:
    sim.apply(Join(RobotEntry(name="p", kind="p2dx", position=(0, -2, 0))))
    sim.step(0.1)
    gc.collect()
    gc.disable()  # a reference cycle would keep the whole world until the garbage collector runs
    try:
        sim.apply(Leave("p"))
        sim.step(0.1)
        assert gc.collect() == 0
    finally:
        gc.enable()


@pytest.mark.parametrize("rate", [0.0, 0.0099, 1000.1, 1e-320, 1e308, math.inf, math.nan, -1.0])
def test_invalid_rates_are_rejected_without_effect(sim: Simulation, rate: float) -> None:
    with pytest.raises(BadValue, match=r"rate_hz is .*, must be 0.01 to 1000 per second"):
        sim.apply(SetSensorRate("k", "encoder", rate))
    assert not sim.sensor_rates


def test_rate_of_an_unknown_sensor_is_rejected(sim: Simulation) -> None:
    with pytest.raises(UnknownName, match="encodr"):
        sim.apply(SetSensorRate("k", "encodr", 10.0))


def test_client_requests_a_rate() -> None:
    world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),))
    with (
        ThreadedServer(world, UsarsimGateway(ports=((0, PortProfile()),))) as live,
        join("Kenaf", port=live.server.ports["control"], timeout=60) as robot,
    ):
        robot.set_rate("Encoder", 250.0)
        answer = next(received for received in robot.listen() if isinstance(received, Response))
        assert {result.status for result in answer.results} == {"OK"}
        stamps = []
        for received in robot.listen():
            if isinstance(received, Encoders):
                stamps.append(live.server.host.time)
            if len(stamps) > 100:
                break
        assert stamps[-1] - stamps[0] < 1.5  # at 25 Hz it would be 4 s
        robot.set_rate("Encoder", 5000.0)
        answer = next(received for received in robot.listen() if isinstance(received, Response))
        assert {result.status for result in answer.results} == {"Failed"}
