"""Observers: readings, events, actions, scenes and time; mailboxes; repetition from actions."""

import threading
from collections import Counter

import pytest
from support.threaded_server import ThreadedServer

import grouser
from grouser.client import join
from grouser.errors import BadValue, UnknownName
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.sensors.sensor import Reading
from grouser.simulation.changes.actions import Command, Join, Leave, SendMessage
from grouser.simulation.observers import ActionRecord, Mailbox, Observer, replay
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation
from grouser.world.file import load
from grouser.world.objects import Box

CRATE = Box(name="crate", position=(1.0, 1.0, 0.5), size=(0.2, 0.2, 0.2), mass=1.0)


class Recorder(Observer):
    """Observer that stores readings, events and actions."""

    def __init__(self) -> None:
        self.readings: list[tuple[str, Reading]] = []
        self.events: list[LogEntry] = []
        self.records: list[ActionRecord] = []

    def on_reading(self, robot: str, reading: Reading) -> None:
        self.readings.append((robot, reading))

    def on_event(self, entry: LogEntry) -> None:
        self.events.append(entry)

    def on_action(self, record: ActionRecord) -> None:
        self.records.append(record)


def test_observer_receives_every_reading_event_and_action_once() -> None:
    simulation, recorder = Simulation("pioneer_room"), Recorder()
    simulation.drain_readings()
    simulation.subscribe(recorder)
    robot = next(iter(simulation.robots))
    simulation.command(robot, forward=0.2)
    simulation.step(0.5)
    simulation.apply(SendMessage("hello"), source="console")
    simulation.step(0.5)
    drained = simulation.drain_readings()
    assert recorder.readings == drained
    assert len(drained) == len(set(map(id, drained))) > 50
    assert [entry.text for entry in recorder.events] == ["hello"]
    assert [(type(r.action), r.source, r.step) for r in recorder.records] == [
        (Command, "python", 0),
        (SendMessage, "console", round(0.5 / simulation.scene.timestep)),
    ]


def test_observer_of_one_robot_receives_only_what_concerns_it() -> None:
    simulation, recorder = Simulation("aibo_meet"), Recorder()
    one, other = list(simulation.robots)[:2]
    simulation.subscribe(recorder, robot=one)
    simulation.command(one, forward=0.1)
    simulation.command(other, forward=0.1)
    simulation.step(0.3)
    assert {robot for robot, _ in recorder.readings} == {one}
    assert [record.action for record in recorder.records] == [Command(one, {"forward": 0.1})]
    with pytest.raises(UnknownName, match="no robot or object 'nothing'"):
        simulation.subscribe(recorder, robot="nothing")


def test_failing_observer_is_removed_and_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        def on_step(self, time: float) -> None:
            raise RuntimeError("full")

    simulation, times = Simulation("quince_step"), []

    class Clock:
        def on_step(self, time: float) -> None:
            times.append(time)

    broken = simulation.subscribe(Broken())
    with simulation.subscribe(Clock(), rate_hz=10):
        simulation.step(0.5)
    simulation.step(0.5)
    assert isinstance(broken.error, RuntimeError)
    assert times == pytest.approx([0.1, 0.2, 0.3, 0.4, 0.5])
    assert "observer Broken failed and is removed" in caplog.text


def test_observers_do_not_change_the_run() -> None:
    plain, observed = Simulation("quince_step"), Simulation("quince_step")
    observed.subscribe(Mailbox(), rate_hz=333.0)
    plain.step(0.5)
    observed.step(0.5)
    assert plain.fingerprint() == observed.fingerprint()


def test_full_mailbox_drops_the_oldest_messages_and_counts_them() -> None:
    simulation, box, large = Simulation("quince_step"), Mailbox(capacity=10), Mailbox()
    simulation.subscribe(box)
    simulation.subscribe(large)
    simulation.step(1.0)
    everything = large.drain()
    assert len(box) == 10
    assert box.dropped == len(everything) - 10
    assert box.drain() == everything[-10:]
    assert Counter(message.kind for message in everything)["step"] == 50


def test_scene_changes_are_observed() -> None:
    simulation, box = Simulation("quince_step"), Mailbox()
    simulation.subscribe(box)
    for action in (Join(CRATE), Leave("crate")):
        simulation.apply(action)
        assert [m.content for m in box.drain() if m.kind == "scene"] == [simulation.scene]
    simulation.reset()
    assert [message.kind for message in box.drain()] == ["scene"]


def test_subscribing_an_object_without_methods_is_refused() -> None:
    with pytest.raises(BadValue, match=r"object has no method of an observer \(on_reading"):
        Simulation("quince_step").subscribe(object())
    with pytest.raises(BadValue, match="rate_hz is 0"):
        Simulation("quince_step").subscribe(Mailbox(), rate_hz=0)


@pytest.mark.parametrize("name", ["gate", "match_1v3"])
def test_run_is_repeated_from_its_actions(name: str) -> None:
    """Events, clocks and the referee cause their own actions again."""
    simulation, recorder = Simulation(name, seed=5), Recorder()
    simulation.subscribe(recorder)
    robot = next(iter(simulation.robots))
    simulation.step(0.5)
    simulation.apply(Join(CRATE))
    simulation.command(robot, forward=0.1)
    simulation.schedule(simulation.time + 0.3, Command(robot, {"forward": -0.1}))
    simulation.step(1.0)
    simulation.apply(Leave("crate"))
    simulation.step(0.5)
    assert any(record.internal for record in recorder.records)
    again = replay(grouser.Simulation(name, seed=5), recorder.records, until=simulation.time)
    assert again.fingerprint() == simulation.fingerprint()


def test_observers_of_a_served_world() -> None:
    """One observer never returns, one fails, one receives everything; the run can be repeated."""
    release = threading.Event()

    class Stuck:
        def on_step(self, time: float) -> None:
            release.wait()

    class Broken:
        def on_reading(self, robot: str, reading: Reading) -> None:
            raise RuntimeError("full")

    recorder, box = Recorder(), Mailbox(capacity=10**6)
    world = load("pioneer_room")
    with ThreadedServer(world, UsarsimGateway(((0, PortProfile()),)), seed=3) as served:
        simulation = served.server.host.simulation
        stuck = served.call(lambda: served.server.subscribe(Stuck(), rate_hz=500.0))
        broken = served.call(lambda: served.server.subscribe(Broken()))
        complete, _ = served.call(
            lambda: (served.server.subscribe(recorder), simulation.subscribe(box))
        )
        with join("P2DX", name="R1", port=served.server.ports["control"]) as robot:
            for turn in range(20):
                robot.drive(left=1.0 + 0.1 * turn, right=1.0)
                for _ in robot.listen(0.05):
                    pass
        served.call(lambda: served.server.console("gravity 9.0"))
        end, fingerprint, messages = served.call(
            lambda: (simulation.time, simulation.fingerprint(), box.drain())
        )
        complete.close()
        release.set()
    assert stuck.error is None
    assert isinstance(broken.error, RuntimeError)
    assert complete.dropped == 0
    received = [(m.robot, m.content) for m in messages if m.kind == "reading"]
    assert len(recorder.readings) >= len(received)
    pairs = zip(recorder.readings, received, strict=False)
    assert all(one == other for one, other in pairs)  # plain: a difference would be pages long
    records = [message.content for message in messages if message.kind == "action"]
    assert recorder.records[: len(records)] == records
    assert Counter(type(record.action).__name__ for record in records)["Command"] >= 20
    assert {"127.0.0.1", "console"} <= {record.source for record in records}
    again = replay(Simulation(world, seed=3), records, until=end)
    assert again.fingerprint() == fingerprint
