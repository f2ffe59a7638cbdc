"""Observers: readings, events, actions, scenes and time; mailboxes; repetition from actions."""

import json
import threading
from collections import Counter
from typing import Any

import numpy as np
import pytest
from support.can_fixtures import drive_over_can
from support.server_fixtures import wait_until
from support.threaded_server import ThreadedServer
from websockets.sync.client import connect

from grouser.client.connection import RemoteRobot, control, join
from grouser.errors import BadValue, UnknownName
from grouser.frames import Pose
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.rosbridge.gateway import RosbridgeGateway
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.sensors.camera import CameraFrame
from grouser.sensors.sensor import Reading
from grouser.simulation.changes.actions import Command, Join, Leave, Reset, SendMessage, SetPose
from grouser.simulation.divergence.recovery import DivergenceRecovery
from grouser.simulation.observers import ActionRecord, Mailbox, Message, Observer, replay
from grouser.simulation.script.events import LogEntry
from grouser.simulation.simulation import Simulation
from grouser.trials.plan import PlanSettings
from grouser.world.file import RobotEntry, World, load
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
    assert [message.kind for message in box.drain()] == ["event", "scene", "action"]


def test_subscribing_an_object_without_methods_is_refused() -> None:
    with pytest.raises(BadValue, match=r"object has no method of an observer \(on_reading"):
        Simulation("quince_step").subscribe(object())
    with pytest.raises(BadValue, match="rate_hz is 0"):
        Simulation("quince_step").subscribe(Mailbox(), rate_hz=0)


def all_readings(messages: list[Message]) -> list[str]:
    """Return a text for every reading, with its values except pictures."""
    return [
        f"{m.robot} {m.content.sensor} {m.content.time!r} {values_text(m.content)}"
        for m in messages
        if m.kind == "reading"
    ]


def values_text(reading: Reading) -> str:
    values = {} if isinstance(reading.values, CameraFrame) else reading.values
    return " ".join(f"{key} {np.asarray(value).tolist()}" for key, value in values.items())


def repeat(world: World | str, box: Mailbox, until: float, **start: Any) -> tuple[str, list[str]]:
    """Return hash and readings of the run that is repeated from the actions in ``box``."""
    simulation, again = Simulation(world, **start), Mailbox(10**6)
    simulation.subscribe(again)
    records = [message.content for message in box.drain() if message.kind == "action"]
    replay(simulation, records, until=until)
    return simulation.fingerprint(), all_readings(again.drain())


@pytest.mark.parametrize("name", ["gate", "match_1v3"])
def test_run_is_repeated_from_its_actions(name: str) -> None:
    """Events, clocks and the referee cause their own actions again."""
    simulation, box, readings = Simulation(name, seed=5), Mailbox(10**6), Mailbox(10**6)
    simulation.subscribe(box)
    simulation.subscribe(readings)
    robot = next(iter(simulation.robots))
    simulation.step(0.5)
    simulation.add(CRATE)
    simulation.add(RobotEntry(name="guest", kind="p2dx", position=(-2.0, 2.0, 0.0)))
    simulation.command(robot, forward=0.1)
    simulation.schedule(simulation.time + 0.3, Command(robot, {"forward": -0.1}))
    simulation.step(1.0)
    simulation.measure(robot, next(iter(simulation.robots[robot].sensors)))
    snapshot = simulation.save()
    simulation.remove(["crate", "guest"])
    simulation.step(0.2)
    simulation.reset(seed=6)
    simulation.step(0.5)
    simulation.restore(snapshot)
    simulation.step(0.3)
    expected = simulation.fingerprint(), all_readings(readings.drain())
    assert simulation.elapsed == pytest.approx(2.5)
    assert simulation.time == pytest.approx(1.8)
    assert repeat(name, box, simulation.elapsed, seed=5) == expected


def test_run_whose_events_reset_it_is_repeated() -> None:
    simulation, box = Simulation("quince_step"), Mailbox(10**6)
    simulation.subscribe(box)
    simulation.schedule(0.3, Reset())
    simulation.schedule(0.3, Command("quince", {"forward": 0.5}))  # forgotten by the reset
    simulation.step(0.5)
    simulation.command("quince", forward=-0.1)
    simulation.step(0.2)
    assert simulation.time == pytest.approx(0.4)
    assert repeat("quince_step", box, 0.7)[0] == simulation.fingerprint()


def test_observers_act_between_actions_and_their_actions_are_repeated() -> None:
    """An action that an observer applies comes before later scheduled actions of its step."""

    class Starter(Observer):
        def on_event(self, entry: LogEntry) -> None:
            speed = 0.1 if entry.text == "slow" else 0.2
            simulation.apply(Command("quince", {"forward": speed}), source="starter")

    simulation, box = Simulation("quince_step"), Mailbox()
    simulation.subscribe(Starter())
    simulation.subscribe(box)
    for order in (SendMessage("slow"), Command("quince", {"forward": -0.3}), SendMessage("fast")):
        simulation.schedule(0.1, order)
    simulation.step(0.3)
    records = [message.content for message in box.drain() if message.kind == "action"]
    kinds = [(type(r.action).__name__, r.source, r.internal) for r in records if r.step]
    own = ("Command", "starter", False)
    scheduled = [(name, "schedule", True) for name in ("SendMessage", "Command", "SendMessage")]
    assert sorted(kinds) == sorted([own, own, *scheduled])
    assert [r.action.command["forward"] for r in records if isinstance(r.action, Command)] == [
        *(0.1, -0.3, 0.2)
    ]
    again = replay(Simulation("quince_step"), records, until=0.3)
    assert again.fingerprint() == simulation.fingerprint()


def test_messages_have_the_same_order_for_every_observer() -> None:
    class Echo(Observer):
        def on_event(self, entry: LogEntry) -> None:
            if not entry.text.endswith("!"):
                simulation.apply(SendMessage(f"{entry.text}!"))

    simulation, before, after = Simulation("quince_step"), Recorder(), Recorder()
    for observer in (before, Echo(), after):
        simulation.subscribe(observer)
    simulation.apply(SendMessage("a"))
    simulation.schedule(0.1, SendMessage("b"))
    simulation.step(0.2)
    assert [entry.text for entry in before.events] == ["a", "a!", "b", "b!"]
    assert [(e.text) for e in after.events] == [(e.text) for e in before.events]
    assert after.records == before.records


def test_first_readings_after_a_subscription_and_a_reset_are_received() -> None:
    simulation, box = Simulation("quince_step"), Mailbox()
    rate = simulation.robots["quince"].sensors["encoder"].description.rate_hz
    with simulation.subscribe(box):
        simulation.step(simulation.round_to_steps(1 / rate))
        assert [m.content.sensor for m in box.drain() if m.kind == "reading"] == [
            *("truth", "encoder")
        ]
        simulation.reset()
        simulation.step(simulation.scene.timestep)
        assert [m.content.time for m in box.drain() if m.kind == "reading"] == [0.0] * 2


def test_scheduled_action_that_fails_fails_again_in_the_repeated_run() -> None:
    simulation, box = Simulation("pioneer_room"), Mailbox(10**6)
    simulation.subscribe(box)
    simulation.schedule(0.1, Leave("nothing"))
    with pytest.raises(UnknownName):
        simulation.step(0.3)
    simulation.step(0.3)
    assert repeat("pioneer_room", box, simulation.elapsed)[0] == simulation.fingerprint()


def test_recovery_from_divergence_is_repeated() -> None:
    """The repeated run has no recovery: the restart is one of its actions."""
    world = load("quince_step").changed(
        robots=(RobotEntry(name="quince", kind="quince", position=(0.0, 0.0, 0.0)),)
    )
    simulation, box = Simulation(world), Mailbox(10**6)
    simulation.subscribe(box)
    recovery = DivergenceRecovery(simulation)
    simulation.add(RobotEntry(name="other", kind="p2dx", position=(0.0, 3.0, 0.0)))
    simulation.schedule(0.25, Command("quince", {"forward": 0.2}))
    recovery.step(0.2)
    simulation.apply(SetPose("quince", Pose.at(z=-0.3)))  # deep in the ground
    assert "quince" in [*recovery.step(0.2), *recovery.step(0.3)]
    assert repeat(world, box, simulation.elapsed)[0] == simulation.fingerprint()


# -- served worlds ---------------------------------------------------------------------------------


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
    with ThreadedServer(world, UsarsimGateway(ports=((0, PortProfile()),)), seed=3) as served:
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
    assert recorder.events == [m.content for m in messages if m.kind == "event"]
    assert recorder.records[: len(records)] == records
    assert Counter(type(record.action).__name__ for record in records)["Command"] >= 20
    assert {"127.0.0.1", "console"} <= {record.source for record in records}
    again = replay(Simulation(world, seed=3), records, until=end)
    assert again.fingerprint() == fingerprint


def test_run_with_every_kind_of_client_is_repeated_from_its_actions() -> None:
    """Clients join, drive, set, ask, kick, control objects and leave; two gateways more."""
    world = load("aibo_kick", ["robots=[]", "physics.timestep=0.002"]).changed(
        robots=(RobotEntry(name="own", kind="p2dx", position=(-5.0, 3.0, 0.0)),)
    )
    box, goals = Mailbox(10**7), (("own", (-3.5, 3.2)),)
    small = PlanSettings(candidates=1, trials=1, rounds=1)
    gateways = (
        UsarsimGateway(ports=((0, PortProfile()),)),
        CanGateway(port=0),
        RosbridgeGateway(port=0, goals=goals, settings=small),
    )
    with ThreadedServer(world, *gateways, seed=3, observers=[box]) as served:
        ports = served.server.ports
        with (
            join("P2DX", name="R1", port=ports["control"], at=(3, 3, 0)) as rover,
            join("ERS7", name="rex", port=ports["control"], at=(-2, -2, 0)) as rex,
            control(port=ports["control"]) as controller,
        ):
            rover.set_rate("INS", 33.0)
            rover.drive(left=1.0, right=0.5)
            rex.walk(forward=0.1)
            pause(rover, rex)
            rover.reading("Scanner1")
            rover.scan()
            rover.place((1.0, 2.0, 0.0))
            rex.kick("left")
            rex.gait(lift=0.02)
            controller.create("USARBotAPI.Box", "Box1", at=(-1.5, -1.5, -0.6), scale=[0.2])
            wait_until(lambda: has_object(served, "Box1"))
            controller.add_waypoints("Box1", (-1.0, -1.0, -0.6))
            controller.set_waypoints("Box1", speed=0.5)
            rover.console("gravity 9.0")
            rover.console("after 0.2 friction everywhere 0.4")
            pause(rover, rex)
            controller.put("Box1", at=(-1.0, -1.5, -0.6))
            rover.console("light sun 0.5")
            drive_over_can(ports["can"])
            call_over_rosbridge(ports["rosbridge"], "own/reset_pose")
            rover.console("reset")
            rover.drive(left=-1.0, right=1.0)
            pause(rover, rex)
            controller.kill("Box1")
            wait_until(lambda: not has_object(served, "Box1"))
        with join("P2DX", name="R1", port=ports["control"], at=(3, 3, 0)) as rover:
            rover.stop()
            pause(rover)
        elapsed, fingerprint, messages = served.call(
            lambda: (
                served.server.host.simulation.elapsed,
                served.server.host.simulation.fingerprint(),
                list(box.drain()),
            )
        )
    records = [message.content for message in messages if message.kind == "action"]
    kinds = Counter(type(record.action).__name__ for record in records)
    expected = {
        *("Command", "Join", "Leave", "SetSensorRate", "MeasureSensor", "ResetSensor", "Glide"),
        *("SetGaitParameters", "SetGravity", "Delayed", "SetPose", "SetDaylight", "Reset"),
        *("Restart", "SetFriction"),
    }
    assert expected <= set(kinds), kinds
    again, received = Simulation(world, seed=3), Mailbox(10**7)
    again.subscribe(received)
    replay(again, records, until=elapsed)
    assert again.fingerprint() == fingerprint
    assert all_readings(received.drain()) == all_readings(messages)


def has_object(served: ThreadedServer, name: str) -> bool:
    simulation = served.server.host.simulation
    return served.call(lambda: name in [thing.name for thing in simulation.scene.world.objects])


def pause(*robots: RemoteRobot) -> None:
    for robot in robots:
        for _ in robot.listen(0.15):
            pass


def call_over_rosbridge(port: int, service: str) -> None:
    with connect(f"ws://127.0.0.1:{port}") as socket:
        socket.send(json.dumps({"op": "call_service", "service": service, "id": "1"}))
        assert json.loads(socket.recv(60))["result"], service
