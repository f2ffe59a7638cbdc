"""Participant: one client of a host, through any gateway; its roles, robot and turns.

A gateway decodes its client's messages and calls a `Participant`; callbacks of the host go through
the participant to the gateway's `ParticipantListener`, which encodes them for the client.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from grouser.errors import BadValue, Refused
from grouser.physics.drives import Setpoint
from grouser.service.access import Login, Role
from grouser.service.host import Host, RobotOwner
from grouser.service.lockstep import DeferredCommand, DeferredCommands
from grouser.service.membership import check_match_roster
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.watchdog import BatteryState, Watchdog
from grouser.simulation.changes.actions import Command
from grouser.world.file import RobotEntry


class ReportTimer:
    """Timer for one report every ``every`` simulated seconds; a reset makes one due."""

    def __init__(self, every: float, now: float = 0.0) -> None:
        self._every = every
        self._due = self._then = now

    def due(self, now: float) -> bool:
        """Return True if a report is due, and schedule the next one."""
        if now < self._then:
            self._due = now
        self._then = now
        if now + 1e-9 < self._due:
            return False
        self._due = max(self._due + self._every, now + self._every / 2)
        return True


_LOG = logging.getLogger(__name__)


class ParticipantListener(Protocol):
    """Output of a participant: encodes its events for the client."""

    def send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        """Send readings of the robot's sensors."""

    def send_state(self, robot: str, battery: BatteryState) -> None:
        """Send the state of the robot."""

    def send_turn(self, time: float) -> None:
        """Send the begin of a turn at ``time`` (s)."""

    def send_notice(self, kind: str, text: str) -> None:
        """Send a notice."""

    def send_radio(self, message: RadioSignal) -> None:
        """Send a message that the robot received over its radio."""

    def robot_halted(self) -> None:
        """Reset the commanded motion: the robot was stopped."""

    def process(self, commands: list[Callable[[], None]]) -> None:
        """Process deferred commands as requests, before those that wait."""

    def disconnect(self) -> None:
        """Close the connection at once."""


class Participant(RobotOwner):
    """Roles, robot, watchdog and turns of one client."""

    def __init__(
        self,
        host: Host,
        login: Login,
        listener: ParticipantListener,
        *,
        report_every: float,
        may_join: Callable[[], bool],
    ) -> None:
        """Start without a robot.

        Args:
            host: the host.
            login: address and roles of the client.
            listener: encodes events for the client.
            report_every: simulated seconds between two states of its robot.
            may_join: returns True if one more robot may join from its address.
        """
        self._host, self._listener = host, listener
        self.login, self.address = login, login.address
        self._report_every, self._may_join = report_every, may_join
        self._deferred = DeferredCommands()
        self._timeout = host.rules.command_timeout
        self._watch(None)
        self.robot: str | None = None
        """Name of its robot; None: it has none."""

    def __str__(self) -> str:
        """Return address and robot, for the log."""
        return f"{self.address} ({self.robot or 'no robot'})"

    # -- its robot ---------------------------------------------------------------------------

    def require_room(self) -> None:
        """Raise `Refused` without the role DRIVE, or if the address has too many robots."""
        self.login.require(Role.DRIVE)
        if not self._may_join():
            raise Refused("no further robot may join from this address")

    def join(self, entry: RobotEntry, battery: float | None = None) -> None:
        """Add a robot, or take over one of the world itself; ``battery``: power for s."""
        self.require_room()
        check_match_roster(self._host.simulation.world, entry.name)
        self._host.join(entry, self)
        self.robot = entry.name
        self._watch(battery)
        if not self._host.lockstep.open:
            # Otherwise no state is sent before time passes, for which this client may be needed.
            self._listener.send_state(self.robot, self._watchdog.battery(self._host.time))
        _LOG.info("%s: joined as a %s", self, entry.kind)

    def leave(self) -> None:
        """Release its robot, if it has one."""
        self.robot = None
        for name in [name for name, owner in self._host.owners.items() if owner is self]:
            self._host.leave(name)

    def command(self, command: Mapping[str, float | Setpoint]) -> None:
        """Command its robot."""
        robot = self.require_robot()
        self._watchdog.note_motion()
        self._host.apply(Command(robot, command), source=self.address)

    def require_robot(self) -> str:
        """Return the name of its robot; raise `BadValue` if it has none."""
        if self.robot is None:
            raise BadValue("the client has no robot")
        return self.robot

    def note_message(self) -> None:
        """Register a message of the client, for the watchdog."""
        self._watchdog.note_message(self._host.time)

    def note_informed(self) -> None:
        """Apply the time-out for clients of Grouser's own protocol."""
        if not self._timeout:
            self._timeout = self._watchdog.timeout = self._host.rules.informed_timeout

    @property
    def battery_empty(self) -> bool:
        """True if the battery of its robot is empty."""
        return self._watchdog.empty(self._host.time)

    def _watch(self, battery: float | None) -> None:
        """Start the watchdog and the report timer of a robot."""
        now = self._host.time
        self._watchdog = Watchdog(self._timeout, now, battery)
        self._report_timer = ReportTimer(self._report_every, now)

    def _halt(self) -> None:
        self._listener.robot_halted()
        self._host.halt(self.require_robot())

    # -- lockstep ----------------------------------------------------------------------------

    @property
    def in_lockstep(self) -> bool:
        """True if its robot is in lockstep."""
        return self.robot in self._host.lockstep

    def enter_lockstep(self, every: float, *, by_command: bool) -> None:
        """Begin lockstep: a turn now, and every ``every`` simulated seconds."""
        robot = self.require_robot()
        self._deferred.by_command = by_command
        self._host.enter_lockstep(robot, every)
        self._host.publish(robot)
        self.begin_turn(self._host.time)

    def leave_lockstep(self) -> None:
        """End lockstep; all deferred commands are processed now."""
        self._host.lockstep.leave(self.require_robot())
        self._listener.process(self._deferred.pop_all())

    def turn_expired(self, seconds: float) -> None:
        """Process all deferred commands and send a notice: lockstep has ended for this client."""
        self._listener.process(self._deferred.pop_all())
        _LOG.warning("%s: its turn took over %g s; it is removed from lockstep", self, seconds)
        why = f"no command ended your turn within {seconds:g} s: you are removed from lockstep"
        self.notice("Dropped", why)

    def defer(self, command: DeferredCommand) -> None:
        """Defer ``command`` to the end of its turn; there is a limit."""
        try:
            self._deferred.add(command)
        finally:
            self._fill_turn()

    def _fill_turn(self) -> None:
        """Assign deferred commands to this turn, up to the one that ends it."""
        name = self.robot
        if name is None or not self._deferred or not self._host.lockstep.has_turn(name):
            return
        self.note_message()  # counted by turns, not by arrival
        if self._deferred.fill_turn():
            self._host.lockstep.end_turn(name)

    # -- callbacks of the host ---------------------------------------------------------------

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Send readings of the robot's sensors, unless the battery is empty."""
        if not self.battery_empty:
            self._listener.send_readings(self.require_robot(), readings)

    def time_passed(self, time: float) -> None:
        """Send the robot's state when it is due; stop the robot when the watchdog requires it."""
        watchdog = self._watchdog
        watchdog.advance(time)
        if self._report_timer.due(time):
            self._listener.send_state(self.require_robot(), watchdog.battery(time))
        if watchdog.battery_ran_out(time):
            self._halt()
            self.notice("Empty", "the battery is empty, the robot stops")
        if watchdog.timed_out(time):
            self._halt()
            _LOG.info("%s: silent for %.1f s, its robot was stopped", self, self._timeout)
            self.notice("Stopped", f"no message came for {self._timeout:g} s, the robot stops")

    def execute_deferred(self) -> None:
        """Execute the commands that were deferred to the end of the turn."""
        for action in self._deferred.pop_turn():
            action()

    def begin_turn(self, time: float) -> None:
        """Send the begin of a turn; commands for it may have arrived already."""
        self._listener.send_turn(time)
        self._fill_turn()

    def notice(self, kind: str, text: str) -> None:
        """Send a notice to the client."""
        self._listener.send_notice(kind, text)

    def receive_radio(self, message: RadioSignal) -> None:
        """Send a message that the robot received over its radio."""
        self._listener.send_radio(message)

    def robot_removed(self) -> None:
        """Send a notice that the robot was removed."""
        removed, self.robot = self.robot, None
        self._listener.process(self._deferred.pop_all())
        self.notice("Removed", f"{removed} was removed from the world")

    def disconnect(self) -> None:
        """Close the connection after an internal error; the robot is released already."""
        self.robot = None
        self._listener.disconnect()
