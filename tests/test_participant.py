"""Participant without a gateway: robot, watchdog, turns, output."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from grouser.errors import BadValue, Refused
from grouser.service import Host, Participant
from grouser.service.access import AccessControl, Login, Role, Token
from grouser.service.host import HostRules
from grouser.service.lockstep import MOST, DeferredCommand, DeferredCommands
from grouser.service.participant import ReportTimer
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.watchdog import BatteryState, Watchdog
from grouser.simulation.changes.actions import Leave, Reset
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

OWN = RobotEntry(name="resident", kind="packbot", position=(0, 3, 0))
TRUTH = {"kind": "truth", "name": "where", "body": "body", "rate_hz": 50.0}


class RecordingListener:
    """Listener that records the output for a client."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, Any]] = []
        self.halts = 0

    def send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        self.entries += [("reading", reading.sensor) for _, reading in readings]

    def send_state(self, robot: str, battery: BatteryState) -> None:
        self.entries.append(("state", battery))

    def send_turn(self, time: float) -> None:
        self.entries.append(("turn", round(time, 6)))

    def send_notice(self, kind: str, text: str) -> None:
        self.entries.append(("notice", kind))

    def send_radio(self, message: RadioSignal) -> None:
        self.entries.append(("radio", message.data))

    def robot_halted(self) -> None:
        self.halts += 1

    def process(self, commands: list[Callable[[], None]]) -> None:
        for command in commands:
            command()

    def disconnect(self) -> None:
        self.entries.append(("disconnect", None))

    def of(self, kind: str) -> list[Any]:
        return [what for entry, what in self.entries if entry == kind]


@pytest.fixture
def host() -> Host:
    world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(OWN,))
    return Host(Simulation(world), HostRules(tick=0.01, command_timeout=0.5))


def client(host: Host, *tokens: Token, free: bool = True) -> tuple[Participant, RecordingListener]:
    access = AccessControl(tokens, "127.0.0.1", clock=time.monotonic)
    listener = RecordingListener()
    more: dict[str, Any] = {"report_every": 0.1, "may_join": lambda: free}
    return Participant(host, Login(access, "127.0.0.1"), listener, **more), listener


def rover(name: str = "rover", y: float = 0.0) -> RobotEntry:
    return RobotEntry(name=name, kind="packbot", position=(0, y, 0), sensors=(TRUTH,))


def advance(host: Host, seconds: float) -> None:
    end = host.time + seconds
    while host.time < end - 1e-9 and host.lockstep.open:
        host.advance()
        while host.publish_next():
            pass


def x(host: Host, name: str = "rover") -> float:
    return float(host.simulation.pose(name).position[0])


def test_robot_joins_drives_and_is_reported(host: Host) -> None:
    one, listener = client(host)
    one.join(rover())
    one.command({"forward": 0.3})
    advance(host, 0.4)
    assert x(host) > 0.05
    assert listener.of("reading").count("where") == pytest.approx(20, abs=2)
    assert listener.of("state") == [BatteryState(None, empty=False)] * 5
    one.leave()
    assert "rover" not in host.simulation.scene.robots
    assert not host.owners


def test_silent_client_and_empty_battery_stop_the_robot(host: Host) -> None:
    one, listener = client(host)
    one.join(rover(), battery=1.2)
    one.command({"forward": 0.3})
    advance(host, 0.45)
    assert not listener.halts
    advance(host, 0.1)
    assert listener.of("notice") == ["Stopped"]
    one.note_message()
    one.command({"forward": 0.3})
    advance(host, 0.3)
    assert not one.battery_empty
    one.note_message()
    advance(host, 0.45)
    assert one.battery_empty
    assert listener.of("notice") == ["Stopped", "Empty"]
    assert listener.halts == 2
    assert listener.of("state")[-1] == BatteryState(0, empty=True)
    readings = len(listener.of("reading"))
    advance(host, 0.2)
    assert len(listener.of("reading")) == readings, "no readings with an empty battery"


def test_lockstep_defers_commands_to_the_end_of_the_turn(host: Host) -> None:
    one, listener = client(host)
    one.join(rover())
    one.enter_lockstep(0.1, by_command=False)
    assert listener.of("turn") == [0.0]
    assert not host.lockstep.open
    done = []
    one.defer(DeferredCommand(lambda: done.append(1), moves=True))
    assert not host.lockstep.open, "only a command with ends_turn ends it"
    one.defer(DeferredCommand(None, ends_turn=True))
    one.defer(DeferredCommand(lambda: done.append(2)))
    assert done == []
    advance(host, 1.0)
    assert done == [1]
    assert listener.of("turn") == [0.0, 0.1]
    one.leave_lockstep()
    assert done == [1, 2]
    assert host.lockstep.open


def test_join_needs_the_drive_role_and_a_free_place(host: Host) -> None:
    watcher = Token("may-only-look-on", frozenset({Role.WATCH}))
    one, _ = client(host, watcher)
    assert not one.login
    with pytest.raises(Refused, match="demands a token"):
        one.join(rover())
    one.login.show(watcher.secret)
    assert one.login
    with pytest.raises(Refused, match="the role 'drive'"):
        one.join(rover())
    full, _ = client(host, free=False)
    with pytest.raises(Refused, match="no further robot"):
        full.join(rover())
    assert not host.owners


def test_removed_robot_is_released(host: Host) -> None:
    one, listener = client(host)
    one.join(rover())
    host.apply(Leave("rover"))
    assert one.robot is None
    assert listener.of("notice") == ["Removed"]


def test_reset_keeps_the_robot_and_restarts_its_battery(host: Host) -> None:
    one, listener = client(host)
    one.join(rover(), battery=0.5)
    advance(host, 0.4)
    host.apply(Reset())
    assert one.robot == "rover"
    advance(host, 0.3)
    assert not one.battery_empty
    assert listener.of("notice") == []


def test_radio_message_reaches_the_listener(host: Host) -> None:
    (one, _), (two, listener) = client(host), client(host)
    one.join(rover("a"))
    two.join(rover("b", y=1.0))
    host.transmit("a", b"hello", None)
    assert listener.of("radio") == [b"hello"]


class TestDeferredCommands:
    def test_motion_command_ends_a_turn_in_the_mode_by_command(self) -> None:
        deferred = DeferredCommands()
        done: list[int] = []
        for number in range(3):
            deferred.add(DeferredCommand(partial(done.append, number), moves=True))
        deferred.by_command = True  # evaluated when a turn is filled
        for turns in range(1, 4):
            assert deferred.fill_turn()
            for action in deferred.pop_turn():
                action()
            assert done == list(range(turns))
        assert not deferred.fill_turn()

    def test_number_of_deferred_commands_is_limited(self) -> None:
        deferred = DeferredCommands()
        for _ in range(MOST):
            deferred.add(DeferredCommand(None))
        with pytest.raises(BadValue, match="wait for the end of a turn"):
            deferred.add(DeferredCommand(None))


def test_reports_are_periodic_and_immediate_after_a_reset() -> None:
    timer = ReportTimer(0.1)
    due = [step for step in range(31) if timer.due(step / 100)]
    assert due == [0, 10, 20, 30]
    assert timer.due(0.05), "time went back"
    assert not timer.due(0.1)


def test_battery_counts_whole_seconds() -> None:
    watchdog = Watchdog(0.0, now=10.0, battery=2.5)
    assert watchdog.battery(10.0) == BatteryState(2, empty=False)
    assert watchdog.battery(12.0) == BatteryState(0, empty=False)
    assert not watchdog.battery_ran_out(12.4)
    assert watchdog.battery_ran_out(12.5)
    assert not watchdog.battery_ran_out(12.6), "once"
    assert not watchdog.timed_out(1e6), "0: no time-out"
