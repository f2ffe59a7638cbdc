"""Faults that a trainer injects: link, light, motors; ghosts, rays and plans of files."""

import asyncio
import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pytest
from support.page_client import PageClient
from support.page_world import yard
from support.server_fixtures import wait_until
from support.threaded_server import ThreadedServer

from grouser.errors import BadValue, GrouserError
from grouser.gateways.page.gateway import PageGateway
from grouser.gateways.page.planning import RobotPlans
from grouser.gateways.page.robot_control import RobotControls
from grouser.gateways.page.robot_link import Downlink
from grouser.gateways.page.sensed import MOST_POINTS, points, rays
from grouser.gateways.page.session_events import EventHistory, SessionEvent
from grouser.gateways.page.timeline import RecordedStates
from grouser.protocol.page.frames import PoseFlag, PoseFrame
from grouser.protocol.page.messages import Drive, RunConsole, Seek, Take, Watch
from grouser.service.host import Host, HostRules
from grouser.simulation.changes.actions import Command, SetLinkFaults
from grouser.simulation.observers import ActionRecord, Observer
from grouser.simulation.simulation import Simulation
from grouser.world.file import as_world

TICK = 0.01


class Driver:
    """Client that drives robots, without a connection."""

    label, address = "driver", "here"

    def __init__(self) -> None:
        self.refusals: list[str] = []

    def requested(self, robot: str, by: str) -> None:
        """Ignore a request."""

    def control_changed(self) -> None:
        """Ignore a change."""

    def rejected(self, text: str) -> None:
        self.refusals.append(text)

    def fail(self) -> None:
        raise AssertionError("internal error")


class Commands(Observer):
    """Times of all commands that reached a robot."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation = simulation
        self.times: list[float] = []
        self.commands: list[Mapping[str, object]] = []
        simulation.subscribe(self)

    def on_action(self, record: ActionRecord) -> None:
        if isinstance(record.action, Command):
            self.times.append(self._simulation.elapsed)
            self.commands.append(record.action.command)


@pytest.fixture
def host() -> Host:
    return Host(Simulation(yard(), crash_folder=None), HostRules())


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadedServer]:
    with ThreadedServer(yard(), PageGateway(port=0)) as server:
        yield server


# -- link ------------------------------------------------------------------------------------------


def test_commands_arrive_after_the_delay_of_the_link_and_some_not_at_all(host: Host) -> None:
    async def drive() -> list[float]:
        controls, driver = RobotControls(host, 5.0, lambda: None), Driver()
        controls.take(driver, "one")
        host.apply(SetLinkFaults("one", delay=0.1))
        arrived = Commands(host.simulation)
        controls.of(driver, "one").drive(1.0, 0.0)
        for _ in range(20):
            host.advance(TICK)
            controls.deliver()
        (delayed,) = arrived.times
        assert delayed == pytest.approx(0.1, abs=1.5 * TICK)
        host.apply(SetLinkFaults("one", loss=0.4))
        arrived.times.clear()
        for _ in range(200):
            controls.of(driver, "one").drive(1.0, 0.0)
            controls.deliver()
        lost = 1 - len(arrived.times) / 200
        assert lost == pytest.approx(0.4, abs=0.1)  # three standard errors of 200 draws
        controls.of(driver, "one").order({"nothing": 1.0})
        controls.of(driver, "one").order({"nothing": 1.0})
        controls.of(driver, "one").order({"nothing": 1.0})
        controls.deliver()
        assert all("there is no drive 'nothing'" in text for text in driver.refusals)
        assert driver.refusals
        controls.release_all(driver)
        return arrived.times

    first = asyncio.run(drive())
    assert first  # some have arrived


class BrokenDriver(Driver):
    """Client with an internal error."""

    failed = False

    def rejected(self, text: str) -> None:
        raise RuntimeError(text)

    def fail(self) -> None:
        self.failed = True


def test_internal_error_of_one_client_does_not_stop_the_others(host: Host) -> None:
    async def drive() -> None:
        controls = RobotControls(host, 5.0, lambda: None)
        broken, driver = BrokenDriver(), Driver()
        for client, robot in ((broken, "one"), (driver, "two")):
            controls.take(client, robot)
            host.apply(SetLinkFaults(robot, delay=0.01))
        arrived = Commands(host.simulation)
        controls.of(broken, "one").order({"nothing": 1.0})
        controls.of(driver, "two").drive(1.0, 0.0)
        host.advance(0.05)
        controls.deliver()
        assert broken.failed
        assert len(arrived.times) == 1
        controls.release_all(driver)

    asyncio.run(drive())


def test_lost_commands_stop_the_robot(host: Host) -> None:
    """The dead man's time-out runs at the robot's end of the link."""

    async def drive() -> None:
        controls, driver = RobotControls(host, 0.05, lambda: None), Driver()
        controls.take(driver, "one")
        control = controls.of(driver, "one")
        control.drive(1.0, 0.0)
        host.apply(SetLinkFaults("one", loss=1.0))
        arrived = Commands(host.simulation)
        loop = asyncio.get_running_loop()
        end = loop.time() + 10.0
        while not arrived.commands and loop.time() < end:
            control.drive(1.0, 0.0)
            controls.deliver()
            await asyncio.sleep(0.005)
        assert arrived.commands == [host.simulation.scene.robots["one"].halt()]
        controls.release_all(driver)

    asyncio.run(drive())


def test_telemetry_is_delayed_and_never_goes_back(host: Host) -> None:
    link = Downlink[float](host, "telemetry")
    assert link.receive("one", 1.0) == [1.0]
    host.apply(SetLinkFaults("one", delay=0.2, jitter=0.15, loss=0.2))
    shown: list[float] = []
    for _ in range(100):
        host.advance(TICK)
        shown += link.receive("one", host.simulation.elapsed)
        assert all(host.simulation.elapsed - time >= 0.05 - 1e-9 for time in shown[-1:])
    assert shown == sorted(shown)
    assert 10 < len(shown) < 80  # some are lost, some are overtaken
    host.apply(SetLinkFaults("one"))
    assert link.receive("one", 7.0) == [7.0]


def test_faults_belong_to_the_state_of_the_world(host: Host) -> None:
    simulation = host.simulation
    fork = simulation.fork(1)[0]
    simulation.apply(SetLinkFaults("one", delay=0.3, loss=0.1))
    assert simulation.link_faults["one"].delay == 0.3
    saved = simulation.save()
    simulation.reset()
    assert not simulation.link_faults
    simulation.restore(saved)
    assert simulation.link_faults["one"].loss == 0.1
    simulation.remove("one")
    assert not simulation.link_faults
    assert not fork.link_faults
    for action, sentence in (
        (SetLinkFaults("three"), "there is no robot 'three'"),
        (SetLinkFaults("two", delay=99.0), "delay is 99 s, must be 0 to 10"),
        (SetLinkFaults("two", loss=math.nan), "loss is nan, must be 0 to 1"),
    ):
        with pytest.raises(GrouserError, match=sentence):
            simulation.apply(action)
    assert not simulation.link_faults


def test_faults_are_listed_with_the_time_of_the_session(host: Host) -> None:
    found: list[SessionEvent] = []
    history = EventHistory(host.simulation, found.append)
    host.advance(0.5)
    for line in (
        "link one delay 0.5 loss 0.2",
        "link one clear",
        "light lamp off",
        "motor two off",
    ):
        host.console(line)
    host.apply(Command("one", {"forward": 0.1}))  # not listed
    host.console("say go")
    assert list(history.events) == found
    assert [(one.kind, one.text) for one in found] == [
        ("fault", "link of one: delay 0.5 s, loss 20%"),
        ("fault", "link of one: clear"),
        ("fault", "lamp off"),
        ("fault", "motors of two off"),
        ("message", "go"),
    ]
    assert {one.at for one in found} == {host.simulation.elapsed}


def test_trainer_sees_faults_and_the_operator_does_not(server: ThreadedServer) -> None:
    port = server.server.ports["page"]
    with PageClient(port) as trainer, PageClient(port, "operator") as operator:
        operator.send(Take("one"))
        assert operator.next("driving")["robots"] == ["one"]
        operator.send(Watch("one"))
        wait_until(lambda: "watched" in operator.next("state"))
        trainer.send(RunConsole(1, "link one loss 1"))
        event = trainer.next("event")
        assert (event["kind"], event["text"]) == ("fault", "link of one: loss 100%")
        wait_until(lambda: trainer.next("state")["faults"] == {"one": _faults(loss=1.0)})
        wait_until(lambda: operator.next("state")["robots"] == {})
        state = operator.next("state")
        assert not {"watched", "faults", "lamps", "load"} & set(state)
        before = server.call(lambda: server.server.host.simulation.pose("one").position[0])
        for _ in range(3):
            operator.send(Drive("one", 1.0, 0.0))
            operator.next("state")
        after = server.call(lambda: server.server.host.simulation.pose("one").position[0])
        assert abs(after - before) < 1e-3
        trainer.send(RunConsole(2, "link one clear"))
        wait_until(lambda: "one" in operator.next("state")["robots"])
        with PageClient(port) as late:
            rows = late.next("history")["events"]
            assert [row[3] for row in rows] == ["link of one: loss 100%", "link of one: clear"]
        with PageClient(port, "operator") as other:
            assert other.next("history")["events"] == []


def _faults(delay: float = 0.0, jitter: float = 0.0, loss: float = 0.0) -> dict[str, float]:
    return {"delay": delay, "jitter": jitter, "loss": loss}


# -- ghost -----------------------------------------------------------------------------------------


def moving_recording(
    position: float, end: float, ghost: RecordedStates | None = None
) -> RecordedStates:
    """Return a recording in which a robot moves ahead from ``position`` at 1 m/s."""
    robot = {"name": "one", "kind": "p2dx", "position": [0, 0, 0]}
    world = {"name": "flat", "terrain": [{"kind": "flat", "friction": 0.8}], "robots": [robot]}
    simulation = Simulation(as_world(world), crash_folder=None)

    def show(time: float) -> Simulation:
        data = simulation.state.data
        data.time = min(time, end)
        data.qpos[0] = position + data.time
        return simulation

    return RecordedStates(0.0, end, show, ghost=ghost)


def test_second_recording_is_shown_as_a_ghost_at_the_same_time() -> None:
    states = moving_recording(0.0, 4.0, moving_recording(5.0, 3.0))
    gateway = PageGateway(port=0, recorded=states)
    with (
        ThreadedServer(yard(), gateway) as server,
        PageClient(server.server.ports["page"]) as client,
    ):
        scenes = client.next("scene"), client.next("scene")
        assert [scene.get("ghost", False) for scene in scenes] == [False, True]
        client.scene = scenes[0]
        client.send(Seek(2.0))
        found: dict[bool, float] = {}

        def both() -> bool:
            frame = client.receive()
            if isinstance(frame, PoseFrame) and frame.time == 2.0:
                found[PoseFlag.GHOST in frame.flags] = client.body("one/body").position[0]
            return len(found) == 2

        wait_until(both)
        assert found[True] - found[False] == pytest.approx(5.0, abs=1e-3)


# -- rays ------------------------------------------------------------------------------------------


def before_a_wall(**sensor: object) -> Simulation:
    """Return a robot with one more sensor, whose front is 1.9 m from a wall."""
    wall = {"name": "wall", "kind": "box", "fixed": True, "position": [2, 0, 0.5]}
    robot = {"name": "one", "kind": "p2dx", "position": [0, 0, 0]}
    return Simulation(
        as_world(
            {
                "name": "wall",
                "terrain": [{"kind": "flat", "friction": 0.8}],
                "robots": [robot | {"sensors": [{"mount": "body", **sensor}]}],
                "objects": [wall | {"size": [0.2, 20, 2], "friction": 0.5}],
            }
        ),
        crash_folder=None,
    )


def test_rays_end_where_the_sensors_have_measured_a_surface() -> None:
    simulation = before_a_wall(kind="laser", name="scan", resolution=0.5)
    reading = simulation.read("one", "scan")
    found = next(one for one in rays(simulation, "one") if one["sensor"] == "scan")
    ends = np.array(found["to"])
    assert len(ends) == len(np.asarray(reading.values["ranges"]))
    ahead = ends[np.abs(ends[:, 1]) < 2]
    assert len(ahead)
    assert ahead[:, 0] == pytest.approx(1.9, abs=2e-3)


@pytest.mark.slow
def test_points_of_a_depth_camera_are_on_the_surface() -> None:
    simulation = before_a_wall(kind="depth", name="depth", at=[0.2, 0, 0.3])
    simulation.step(0.1)
    found = points(simulation, "one")
    assert 1000 < len(found) <= MOST_POINTS
    on_wall = found[(found[:, 2] > 0.3) & (np.abs(found[:, 1]) < 0.5)]
    assert len(on_wall) > 100
    assert np.median(on_wall[:, 0]) == pytest.approx(1.9, abs=0.01)


# -- plans of files --------------------------------------------------------------------------------


def _plan(**changes: object) -> dict[str, object]:
    path = {
        "waypoints": [[0.0, 0.0], [0.5, 0.1]],
        "length": 0.51,
        "trials": 3,
        "successes": 2,
        "success": 0.67,
        "success_95": [0.2, 0.9],
        "energy": 4.0,
        "expected_energy_per_success": 6.0,
    }
    rest = {"world": "yard", "robot": "one", "to": [0.5, 0.1], "no_path": None}
    unsimulated = path | {"trials": 0, "success": None}
    cheap = path | {"expected_energy_per_success": 5.0, "energy": None, "success": None}
    return {**rest, "paths": [path, unsimulated, cheap], **changes}


def test_plan_of_a_file_is_shown(tmp_path: Path, host: Host) -> None:
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(_plan()))
    plans = RobotPlans(host, lambda robot: None)
    plans.load(file)
    message = plans.plans["one"].message()
    assert [path["score"] for path in message["paths"]] == [5.0, 6.0]
    assert (message["source"], message["goal"], message["busy"]) == ("plan.json", [0.5, 0.1], False)
    for content, sentence in (
        (json.dumps(_plan(robot="rex")), "plan for 'rex' in 'yard', the world 'yard' has one, two"),
        (json.dumps(_plan(paths=[{}])), "no result of 'grouser plan"),
        ("[]", "no result of 'grouser plan"),
        ("{", "no result of 'grouser plan"),
    ):
        file.write_text(content)
        with pytest.raises(BadValue, match=sentence):
            plans.load(file)
    with pytest.raises(BadValue, match="cannot be read"):
        plans.load(tmp_path / "none.json")
    assert len(plans.plans) == 1
