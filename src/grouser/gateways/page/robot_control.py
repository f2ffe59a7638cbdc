"""Driving robots from the page: one client per robot, hand-over, the dead man's time-out.

Commands pass the robot's link, whose delay and loss an action sets (`SetLinkFaults`), in simulated
time; the dead man's time-out is at the robot's end, so that lost commands stop the robot.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from grouser.errors import BadValue, GrouserError, Refused
from grouser.gateways.page.robot_link import link_faults
from grouser.protocol.link_faults import FaultyLink, LinkFaults
from grouser.robots.drive_command import drive_command
from grouser.service.host import Host, RobotOwner
from grouser.simulation.changes.actions import Command

_LOG = logging.getLogger(__name__)


class Operator(Protocol):
    """Client that drives robots."""

    label: str
    """Name of the client, for others."""
    address: str
    """Source of its actions."""

    def requested(self, robot: str, by: str) -> None:
        """Receive the request of another client for a robot."""

    def control_changed(self) -> None:
        """React to a change of the robots that clients drive."""

    def rejected(self, text: str) -> None:
        """Receive the reason why a delayed command had no effect."""

    def fail(self) -> None:
        """Log the present exception and close the connection at once."""


@dataclass(frozen=True)
class SentCommand:
    """Command on its way to a robot."""

    command: Mapping[str, float]
    moves: bool | None = None
    """True: the robot stops if no other one arrives in time; False: it stops now; None: neither."""


class RobotControl(RobotOwner):
    """Ownership of one robot by a client of the page.

    A command of speed is valid for ``timeout`` wall seconds; then the robot stops.
    """

    def __init__(self, control: RobotControls, robot: str, operator: Operator) -> None:
        self.robot, self.operator = robot, operator
        self.address = operator.address
        self.requester: Operator | None = None
        """Client that has requested the robot."""
        self._controls, self._host = control, control.host
        self._timer: asyncio.TimerHandle | None = None
        self._link = FaultyLink[SentCommand](LinkFaults(), robot)

    def drive(self, throttle: float, rudder: float) -> None:
        """Move as shares (-1 to 1) of top speed and turn rate until the time-out."""
        robot = self._host.simulation.scene.robots[self.robot]
        shares = (min(1.0, max(-1.0, share)) for share in (throttle, rudder))
        command = drive_command(robot, *shares)
        if not command:
            raise BadValue(f"'{self.robot}' cannot be driven; command its drives")
        self._send(SentCommand(command, moves=bool(throttle or rudder)))

    def order(self, command: Mapping[str, float]) -> None:
        """Command drives, groups and gait inputs by name."""
        self._send(SentCommand(command))

    def _send(self, sent: SentCommand) -> None:
        """Send a command over the link of the robot; without faults it arrives now."""
        faults = link_faults(self._host.simulation, self.robot)
        if faults != self._link.faults:  # what is on its way is lost
            self._link = FaultyLink(faults, f"{self.robot}/commands")
        if faults:
            self._link.send(sent, self._host.simulation.elapsed)
        else:
            self._arrive(sent)

    def deliver(self) -> None:
        """Carry out the commands that have arrived by now."""
        for sent in self._link.due(self._host.simulation.elapsed):
            try:
                self._arrive(sent)
            except GrouserError as error:
                self.operator.rejected(str(error))

    def _arrive(self, sent: SentCommand) -> None:
        self._host.apply(Command(self.robot, sent.command), source=self.address)
        if sent.moves is None:
            return
        self.stop_timer()
        if sent.moves:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(self._controls.timeout, self._time_out)

    def stop_timer(self) -> None:
        """End the dead man's time-out."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_out(self) -> None:
        self._timer = None
        if self.robot in self._host.simulation.scene.robots:
            self._host.halt(self.robot, source=self.address)
            _LOG.info("%s: silent, '%s' was stopped", self.operator.label, self.robot)

    def robot_removed(self) -> None:
        """Forget a robot that was removed from the world."""
        self._controls.forget(self)

    def disconnect(self) -> None:
        """Forget a robot after an internal error; it is released already."""
        self._controls.forget(self)


class RobotControls:
    """Robots that clients of the page drive.

    Args:
        host: the host.
        timeout: wall seconds after which a robot stops whose client repeats no command, s.
        changed: called after each change.
    """

    def __init__(self, host: Host, timeout: float, changed: Callable[[], None]) -> None:
        if not 0 < timeout < math.inf:
            raise BadValue(f"page: dead_man_s is {timeout}, must be above 0")
        self.host, self.timeout = host, timeout
        self._changed = changed
        self._by_robot: dict[str, RobotControl] = {}

    def holders(self) -> dict[str, str]:
        """Return robot → label of the client that drives it; of other ports: its address."""
        others = {name: owner.address or "server" for name, owner in self.host.owners.items()}
        return others | {name: one.operator.label for name, one in self._by_robot.items()}

    def deliver(self) -> None:
        """Carry out the commands that have arrived over disturbed links."""
        for control in list(self._by_robot.values()):
            try:
                control.deliver()
            except Exception:  # one client's error must not stop the others
                control.operator.fail()

    def driven_by(self, operator: Operator) -> list[str]:
        """Return the robots that a client drives."""
        return [name for name, one in self._by_robot.items() if one.operator is operator]

    def of(self, operator: Operator, robot: str) -> RobotControl:
        """Return the control of a robot; raise `Refused` if the client does not have it."""
        control = self._by_robot.get(robot)
        if control is None or control.operator is not operator:
            raise Refused(f"'{robot[:80]}' is not under your control: take it first")
        return control

    def take(self, operator: Operator, robot: str, *, by_force: bool = False) -> bool:
        """Assign a robot to a client; return False if it has to wait for another one's release.

        Raises:
            UnknownName: there is no such robot.
            BadValue: a client of another port owns it.
        """
        present = self._by_robot.get(robot)
        if present is not None and present.operator is operator:
            return True
        if present is not None and not by_force:
            present.requester = operator
            present.operator.requested(robot, operator.label)
            return False
        if present is not None:
            self._end(present)
            present.operator.control_changed()
        self._begin(operator, robot)
        self._changed()
        return True

    def release(self, operator: Operator, robot: str) -> None:
        """End the control of a robot, which stops; a client that requested it gets it."""
        control = self.of(operator, robot)
        self._end(control)
        if control.requester is not None:
            self._begin(control.requester, robot)
            control.requester.control_changed()
        self._changed()

    def release_all(self, operator: Operator) -> None:
        """End all controls and requests of a client that has left."""
        for control in self._by_robot.values():
            if control.requester is operator:
                control.requester = None
        for robot in self.driven_by(operator):
            self.release(operator, robot)

    def forget(self, control: RobotControl) -> None:
        """Remove a control whose robot is gone."""
        control.stop_timer()
        if self._by_robot.get(control.robot) is control:
            del self._by_robot[control.robot]
            control.operator.control_changed()
            self._changed()

    def _begin(self, operator: Operator, robot: str) -> None:
        control = RobotControl(self, robot, operator)
        self.host.borrow(robot, control)
        self._by_robot[robot] = control

    def _end(self, control: RobotControl) -> None:
        control.stop_timer()
        del self._by_robot[control.robot]
        if self.host.owners.get(control.robot) is control:
            self.host.leave(control.robot)
