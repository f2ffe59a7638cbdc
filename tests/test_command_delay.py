"""Command delay of drives: the same motion later, in a batch and after a snapshot, too."""

from typing import Any

import numpy as np
import pytest

from grouser import Batch, Simulation
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.physics.drives import Drive, angle, speed, torque
from grouser.world.file import RobotEntry

PAN = 13
"""Column of the neck's pan among the joints of an ERS-7."""

PAN = 13
"""Column of the neck's pan among the joints of an ERS-7."""


def world(kind: str, **robot: Any) -> dict[str, Any]:
    entry = {"name": "r", "kind": kind, "position": [0, 0, 0], **robot}
    return {"name": "delay", "terrain": [{"kind": "flat"}], "robots": [entry]}


def joints(start: dict[str, Any], command: dict[str, Any], seconds: float) -> Array:
    """Return the angles of all joints every 8 ms after a command at 0.1 s, (n, joints)."""
    simulation = Simulation(start)
    simulation.step(0.1)
    simulation.command("r", command)
    run = []
    for _ in range(round(seconds / 0.008)):
        simulation.step(0.008)
        run.append(list(simulation.robots["r"].angles.values()))
    return np.array(run)


@pytest.mark.parametrize("setpoint", [angle(0.5), speed(0.7), torque(0.2)])
def test_a_command_takes_effect_after_the_delay(setpoint: Any) -> None:
    """Until then the joint stands still, and then it moves as it would without a delay."""
    command = {"pan": setpoint}
    at_once = joints(world("ers7"), command, 0.16)[:, PAN]
    delayed = joints(world("ers7", options={"command_delay": 0.048}), command, 0.208)[:, PAN]
    assert abs(delayed[:6]).max() < 1e-6
    assert at_once[-1] > 0.03
    assert delayed[6:] == pytest.approx(at_once, abs=5e-4)


def test_delayed_legs_trot_as_others_do_but_later() -> None:
    command = {"forward": 0.1}
    at_once = joints(world("ers7"), command, 0.4)
    delayed = joints(world("ers7", options={"command_delay": 0.05}), command, 0.448)[6:]
    assert np.ptp(at_once, axis=0).max() > 0.3
    assert abs(delayed - at_once).max() < 0.02, "paws slip a little differently"


def test_later_commands_do_not_overtake_earlier_ones() -> None:
    simulation = Simulation(world("ers7", options={"command_delay": 0.1}))
    seen = []
    for value in (0.3, -0.3, 0.1):
        simulation.command("r", {"pan": angle(value)})
        simulation.step(0.02)
    for _ in range(20):
        simulation.step(0.02)
        state = simulation.state
        place = state.stepper.drives.place("r/pan")
        seen.append(round(float(state.memory.targets.positions[0, place]), 3))
    assert list(dict.fromkeys(seen)) == [0.0, 0.3, -0.3, 0.1]


def test_batch_and_snapshot_keep_the_bits_of_delayed_commands() -> None:
    start = world("ers7", options={"command_delay": 0.03})
    simulation, batch = Simulation(start), Batch(start, 2, threads=1)
    for pan, ahead in ((0.2, 0.1), (-0.4, 0.0), (0.1, 0.05)):
        command: dict[str, Any] = {"forward": ahead, "pan": angle(pan)}
        simulation.command("r", command)
        batch.command("r", command)
        simulation.step(0.021)
        batch.step(0.021)
    assert simulation.state.memory.targets.pending.kinds.any()
    assert set(batch.fingerprints()) == {simulation.fingerprint()}
    copy = Simulation(start)
    copy.restore(simulation.save())
    for one in (simulation, copy):
        one.step(0.2)
    assert copy.fingerprint() == simulation.fingerprint()
    simulation.reset()
    assert simulation.fingerprint() == Simulation(start).fingerprint()


def test_a_rolled_back_belt_goes_where_it_was_sent() -> None:
    """Delayed positions of a belt move with its joint when the belt is rolled back by a pitch."""
    options = {
        "pulleys": [[-0.2, 0.05, 0.05], [0.2, 0.05, 0.05]],
        "mass": 20.0,
        "gauge": 0.3,
        "width": 0.05,
    }
    reached = []
    for delay in (0.0, 0.3):
        simulation = Simulation(world("crawler", options=options | {"command_delay": delay}))
        simulation.command("r", {"left": speed(0.5), "right": speed(0.5)})
        simulation.step(0.4 + delay)  # the same way
        before = simulation.state.memory.turns[0, 0]
        simulation.command("r", {"left": angle(0.3), "right": angle(0.3)})
        simulation.step(delay)
        assert (simulation.state.memory.turns[0, 0] > before) == (delay > 0)
        simulation.step(1.2)
        reached.append(simulation.robots["r"].angles["left"])
    assert reached[1] == pytest.approx(reached[0], abs=0.002)


def test_delayed_commands_survive_a_robot_that_joins() -> None:
    options = {"pulleys": [[-0.2, 0.05, 0.05], [0.2, 0.05, 0.05]], "mass": 20.0}
    options |= {"gauge": 0.3, "width": 0.05, "command_delay": 0.1}
    simulation = Simulation(world("crawler", options=options))
    simulation.command("r", forward=0.3)
    simulation.step(0.06)
    simulation.add(RobotEntry(name="a", kind="crawler", position=(0, 2, 0), options=options))
    simulation.step(0.04)
    assert abs(simulation.robots["r"].angles["left"]) < 1e-4
    simulation.step(0.2)
    assert simulation.robots["r"].angles["left"] > 0.03
    assert abs(simulation.robots["a"].angles["left"]) < 1e-4


@pytest.mark.parametrize("delay", [-0.1, 0.6])
def test_invalid_delays_are_rejected(delay: float) -> None:
    with pytest.raises(BadValue, match="command_delay"):
        Simulation(world("ers7", options={"command_delay": delay}))
    with pytest.raises(BadValue, match="command_delay"):
        Drive(force=1, speed=1, saturation_error=1, damping=1, command_delay=delay)
