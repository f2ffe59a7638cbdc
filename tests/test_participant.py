"""A client of the host without any wire: its robot, its watchdog, its turns; what it is sent."""

import time

import pytest

from grouser.errors import BadValue, Refused
from grouser.service import Host, Participant
from grouser.service.access import AccessControl, Login, Role, Token
from grouser.service.host import HostRules
from grouser.service.lockstep import MOST, DeferredCommand, DeferredCommands
from grouser.service.participant import ReportTimer
from grouser.service.watchdog import BatteryState, Watchdog
from grouser.simulation.changes.actions import Leave, Reset
from grouser.simulation.simulation import Simulation
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.kinds import Flat

OWN = RobotEntry(name="resident", kind="packbot", position=(0, 3, 0))
TRUTH = {"kind": "truth", "name": "where", "body": "body", "rate_hz": 50.0}


class Ledger:
    """The least that a gateway does: it writes down what a client would be sent."""

    def __init__(self):
        self.entries = []
        self.halts = 0

    def send_readings(self, robot, readings):
        self.entries += [("reading", reading.sensor) for _, reading in readings]

    def send_state(self, robot, battery):
        self.entries.append(("state", battery))

    def send_turn(self, time):
        self.entries.append(("turn", round(time, 6)))

    def send_notice(self, kind, text):
        self.entries.append(("notice", kind))

    def send_radio(self, message):
        self.entries.append(("radio", message.data))

    def robot_halted(self):
        self.halts += 1

    def of(self, kind):
        return [what for entry, what in self.entries if entry == kind]


@pytest.fixture
def host():
    world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(OWN,))
    return Host(Simulation(world), HostRules(tick=0.01, command_timeout=0.5))


def client(host, *tokens, room=True):
    access = AccessControl(tokens, "127.0.0.1", clock=time.monotonic)
    ledger = Ledger()
    more = {"report_every": 0.1, "may_join": lambda: room}
    return Participant(host, Login(access, "127.0.0.1"), ledger, **more), ledger


def rover(name="rover", y=0.0):
    return RobotEntry(name=name, kind="packbot", position=(0, y, 0), sensors=(TRUTH,))


def advance(host, seconds):
    end = host.time + seconds
    while host.time < end - 1e-9 and host.lockstep.open:
        host.advance()
        while host.publish_next():
            pass


def x(host, name="rover"):
    return float(host.simulation.pose(name).position[0])


def test_its_robot_joins_drives_and_is_reported(host):
    one, ledger = client(host)
    one.join(rover())
    one.command({"forward": 0.3})
    advance(host, 0.4)
    assert x(host) > 0.05
    assert ledger.of("reading").count("where") == pytest.approx(20, abs=2)
    assert ledger.of("state") == [BatteryState(None, empty=False)] * 5
    one.leave()
    assert "rover" not in host.simulation.scene.robots
    assert not host.owners


def test_silence_and_an_empty_battery_stop_it(host):
    one, ledger = client(host)
    one.join(rover(), battery=1.2)
    one.command({"forward": 0.3})
    advance(host, 0.45)
    assert not ledger.halts
    advance(host, 0.1)
    assert ledger.of("notice") == ["Stopped"]
    one.note_message()
    one.command({"forward": 0.3})
    advance(host, 0.3)
    assert not one.battery_empty
    one.note_message()
    advance(host, 0.45)
    assert one.battery_empty
    assert ledger.of("notice") == ["Stopped", "Empty"]
    assert ledger.halts == 2
    assert ledger.of("state")[-1] == BatteryState(0, empty=True)
    readings = len(ledger.of("reading"))
    advance(host, 0.2)
    assert len(ledger.of("reading")) == readings, "an empty battery feeds no sensor"


def test_lockstep_puts_commands_off_to_the_end_of_the_turn(host):
    one, ledger = client(host)
    one.join(rover())
    one.enter_lockstep(0.1, by_command=False)
    assert ledger.of("turn") == [0.0]
    assert not host.lockstep.open
    done = []
    one.defer(DeferredCommand(lambda: done.append(1), moves=True))
    assert not host.lockstep.open, "only an end of the turn ends it"
    one.defer(DeferredCommand(None, ends_turn=True))
    one.defer(DeferredCommand(lambda: done.append(2)))
    assert done == []
    advance(host, 1.0)
    assert done == [1]
    assert ledger.of("turn") == [0.0, 0.1]
    one.leave_lockstep()
    assert done == [1, 2]
    assert host.lockstep.open


def test_roles_and_room(host):
    watcher = Token("may-only-look-on", frozenset({Role.WATCH}))
    one, _ = client(host, watcher)
    assert not one.login
    with pytest.raises(Refused, match="demands a token"):
        one.join(rover())
    one.login.show(watcher.secret)
    assert one.login
    with pytest.raises(Refused, match="the role 'drive'"):
        one.join(rover())
    crowded, _ = client(host, room=False)
    with pytest.raises(Refused, match="no further robot"):
        crowded.join(rover())
    assert not host.owners


def test_a_robot_that_somebody_takes_out_is_no_longer_its(host):
    one, ledger = client(host)
    one.join(rover())
    host.apply(Leave("rover"))
    assert one.robot is None
    assert ledger.of("notice") == ["Removed"]


def test_when_the_world_starts_over_it_stays_and_counts_anew(host):
    one, ledger = client(host)
    one.join(rover(), battery=0.5)
    advance(host, 0.4)
    host.apply(Reset())
    assert one.robot == "rover"
    advance(host, 0.3)
    assert not one.battery_empty
    assert ledger.of("notice") == []


def test_robots_talk_by_radio_alone(host):
    (one, _), (two, ledger) = client(host), client(host)
    one.join(rover("a"))
    two.join(rover("b", y=1.0))
    host.transmit("a", b"hello", None)
    assert ledger.of("radio") == [b"hello"]


class TestDeferredCommands:
    def test_what_moves_ends_a_turn_where_that_was_agreed(self):
        deferred = DeferredCommands()
        done = []
        for number in range(3):
            deferred.add(DeferredCommand(lambda number=number: done.append(number), moves=True))
        deferred.by_command = True  # looked at when a turn is filled, not when something comes
        for turns in range(1, 4):
            assert deferred.fill_turn()
            for action in deferred.pop_turn():
                action()
            assert done == list(range(turns))
        assert not deferred.fill_turn()

    def test_nobody_may_put_off_without_end(self):
        deferred = DeferredCommands()
        for _ in range(MOST):
            deferred.add(DeferredCommand(None))
        with pytest.raises(BadValue, match="wait for the end of a turn"):
            deferred.add(DeferredCommand(None))


def test_reports_come_evenly_and_at_once_after_a_start_over():
    timer = ReportTimer(0.1)
    due = [step for step in range(31) if timer.due(step / 100)]
    assert due == [0, 10, 20, 30]
    assert timer.due(0.05), "time went back"
    assert not timer.due(0.1)


def test_a_battery_counts_whole_seconds():
    watchdog = Watchdog(0.0, now=10.0, battery=2.5)
    assert watchdog.battery(10.0) == BatteryState(2, empty=False)
    assert watchdog.battery(12.0) == BatteryState(0, empty=False)
    assert not watchdog.battery_ran_out(12.4)
    assert watchdog.battery_ran_out(12.5)
    assert not watchdog.battery_ran_out(12.6), "once"
    assert not watchdog.timed_out(1e6), "no timeout, no silence"
