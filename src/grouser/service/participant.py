"""One client of a host, whichever gateway it came through: login, robot, watchdog, turns.

A gateway reads its client's messages and calls a `Participant`; what the participant learns from
the host goes to the gateway's `ParticipantListener`, which writes it for the client.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Protocol

from grouser.errors import Refused
from grouser.physics.drives import Setpoint
from grouser.service.access import AccessControl, Login, Role
from grouser.service.host import Host
from grouser.service.lockstep import DeferredCommand, DeferredCommands
from grouser.service.membership import check_match_roster
from grouser.service.radio import RadioSignal
from grouser.service.reading_queues import SensorReading
from grouser.service.watchdog import BatteryState, Watchdog
from grouser.world.file import RobotEntry


class ReportTimer:
    """Says when a report is due, one every ``every`` simulated seconds from ``now`` on.

    If time goes back, because the world started over, a report is due at once.
    """

    def __init__(self, every: float, now: float = 0.0) -> None:
        self._every = every
        self._due = self._then = now

    def due(self, now: float) -> bool:
        """Return whether a report is due now; then none is, for a while."""
        if now < self._then:
            self._due = now
        self._then = now
        if now + 1e-9 < self._due:
            return False
        self._due = max(self._due + self._every, now + self._every / 2)
        return True


_LOG = logging.getLogger(__name__)


class ParticipantListener(Protocol):
    """A gateway's half of a participant: passes on to the client what concerns it."""

    def send_readings(self, robot: str, readings: list[SensorReading]) -> None:
        """Send what the robot's sensors measured."""

    def send_state(self, robot: str, battery: BatteryState) -> None:
        """Send how the robot is now."""

    def send_turn(self, time: float) -> None:
        """Send that it is the client's turn, at ``time`` (s)."""

    def send_notice(self, kind: str, text: str) -> None:
        """Send something that concerns the client."""

    def send_radio(self, message: RadioSignal) -> None:
        """Send what the robot received over its radio."""

    def robot_halted(self) -> None:
        """Forget every motion: the robot was stopped."""


class Participant:
    """What a client may do, which robot is its, whether that must stop, and when its turn is."""

    def __init__(
        self,
        host: Host,
        access: AccessControl,
        address: str,
        listener: ParticipantListener,
        *,
        report_every: float,
        may_join: Callable[[], bool],
    ) -> None:
        """Let a client in, without a robot yet.

        Args:
            host: the world it comes to.
            access: says what it may do.
            address: where it is, for access and log.
            listener: takes what concerns the client.
            report_every: simulated seconds between two states of its robot.
            may_join: says whether one more robot may come from its address.

        Raises:
            Refused: nobody may come from this address.
        """
        self._host, self._listener = host, listener
        self.address = address
        self.login = Login(access, address)
        self._report_every, self._may_join = report_every, may_join
        self._deferred = DeferredCommands()
        self._timeout = host.rules.command_timeout
        self._watch(None)
        self.robot: str | None = None
        """Name of its robot in the world."""

    def __str__(self) -> str:
        """Return who it is, for the log."""
        return f"{self.address} ({self.robot or 'no robot'})"

    # -- its robot ---------------------------------------------------------------------------

    def require_room(self) -> None:
        """Raise `Refused` if the client may not have a robot, or none more may come."""
        self.login.require(Role.DRIVE)
        if not self._may_join():
            raise Refused("no further robot may come from this address")

    def join(self, entry: RobotEntry, battery: float | None = None) -> None:
        """Bring a robot, or take over one of the world's own.

        Args:
            entry: the robot.
            battery: seconds for which it has power; None: for ever.

        Raises:
            Refused: the client may not.
            BadValue: somebody has this name, the robot cannot be built, or it plays in no team.
        """
        self.require_room()
        check_match_roster(self._host.simulation.world, entry.name)
        self._host.join(entry, self)
        self.robot = entry.name
        self._watch(battery)
        if not self._host.lockstep.open:
            # Else nobody would hear of its robot before time passes, for which it may be needed.
            self._listener.send_state(self.robot, self._watchdog.battery(self._host.time))
        _LOG.info("%s: joined as a %s", self, entry.kind)

    def leave(self) -> None:
        """Take its robot, if it has one, out of the world."""
        if self.robot is not None:
            name, self.robot = self.robot, None
            self._host.leave(name)

    def command(self, command: Mapping[str, float | Setpoint]) -> None:
        """Command its robot."""
        assert self.robot is not None  # gateways refuse commands to nobody, in their own words
        self._watchdog.note_motion()
        self._host.command(self.robot, command)

    def note_message(self) -> None:
        """Note that the client is there: it has sent something."""
        self._watchdog.note_message(self._host.time)

    def note_informed(self) -> None:
        """Note that the client knows Grouser, and so that silence stops its robot."""
        if not self._timeout:
            self._timeout = self._watchdog.timeout = self._host.rules.informed_timeout

    @property
    def battery_empty(self) -> bool:
        """Whether its robot has no power any more."""
        return self._watchdog.empty(self._host.time)

    def _watch(self, battery: float | None) -> None:
        """Begin to count simulated time for a robot."""
        now = self._host.time
        self._watchdog = Watchdog(self._timeout, now, battery)
        self._report_timer = ReportTimer(self._report_every, now)

    def _halt(self) -> None:
        assert self.robot is not None  # only owners of a robot learn that time passes
        self._listener.robot_halted()
        self._host.halt(self.robot)

    # -- lockstep ----------------------------------------------------------------------------

    @property
    def in_lockstep(self) -> bool:
        """Whether the world waits for it."""
        return self.robot in self._host.lockstep

    def enter_lockstep(self, every: float, *, by_command: bool) -> None:
        """Let the world wait for it every so many simulated seconds, from now on.

        Args:
            every: seconds from one turn to the next.
            by_command: whether any command that moves its robot ends its turn.
        """
        assert self.robot is not None  # gateways refuse this, in their own words
        self._deferred.by_command = by_command
        self._host.enter_lockstep(self.robot, every)
        self._host.publish(self.robot)
        self.begin_turn(self._host.time)

    def leave_lockstep(self) -> None:
        """Let the world wait no more; what was put off is done now."""
        assert self.robot is not None  # gateways refuse this, in their own words
        self._host.lockstep.leave(self.robot)
        for action in self._deferred.pop_all():
            action()

    def turn_missed(self, seconds: float) -> None:
        """Do what was put off, and pass on that the world waits for the client no more."""
        for action in self._deferred.pop_all():
            action()
        _LOG.warning("%s: its turn took over %g s; the world waits for it no more", self, seconds)
        why = f"nothing ended your turn for {seconds:g} s: the world waits for you no more"
        self.notice("Dropped", why)

    def defer(self, command: DeferredCommand) -> None:
        """Put off ``command`` to the end of the turn it belongs to.

        Raises:
            BadValue: too much was put off already.
        """
        try:
            self._deferred.add(command)
        finally:
            self._fill_turn()

    def _fill_turn(self) -> None:
        """Take what was put off into this turn, up to what ends it."""
        name = self.robot
        if name is None or not self._deferred or not self._host.lockstep.has_turn(name):
            return
        self.note_message()  # by turns, not by when it came over the wire
        if self._deferred.fill_turn():
            self._host.lockstep.end_turn(name)

    # -- what the host says ------------------------------------------------------------------

    def receive_readings(self, readings: list[SensorReading]) -> None:
        """Pass on what the robot's sensors measured; an empty battery feeds none."""
        assert self.robot is not None  # only owners of a robot receive readings
        if not self.battery_empty:
            self._listener.send_readings(self.robot, readings)

    def time_passed(self, time: float) -> None:
        """Report how the robot is when that is due; stop it when it must not go on."""
        assert self.robot is not None  # only owners of a robot learn that time passes
        watchdog = self._watchdog
        watchdog.advance(time)
        if self._report_timer.due(time):
            self._listener.send_state(self.robot, watchdog.battery(time))
        if watchdog.battery_ran_out(time):
            self._halt()
            self.notice("Empty", "the battery is empty, the robot stops")
        if watchdog.timed_out(time):
            self._halt()
            _LOG.info("%s: silent for %.1f s, its robot was stopped", self, self._timeout)
            self.notice("Stopped", f"nothing was heard for {self._timeout:g} s, the robot stops")

    def carry_out_deferred(self) -> None:
        """Do what was put off until everybody's turn was over."""
        for action in self._deferred.pop_turn():
            action()

    def begin_turn(self, time: float) -> None:
        """Pass on that it is the client's turn; what it must do may have come already."""
        self._listener.send_turn(time)
        self._fill_turn()

    def notice(self, kind: str, text: str) -> None:
        """Pass on something that concerns the client."""
        self._listener.send_notice(kind, text)

    def receive_radio(self, message: RadioSignal) -> None:
        """Pass on what the robot received over its radio."""
        self._listener.send_radio(message)

    def robot_removed(self) -> None:
        """Note that somebody took the robot out of the world."""
        self.notice("Removed", f"{self.robot} was taken out of the world")
        self.robot = None
