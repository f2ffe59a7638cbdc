"""Deterministic link: bridge and robot in one program, in lockstep with the simulation.

Datagrams pass through the `Bridge` of `grouser bridge` in memory, with `LinkFaults`; the simulation
waits for every step. Results do not depend on the load of the machine, and a run repeats bit for
bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from grouser.client.bridge import Bridge
from grouser.client.connection import RemoteRobot
from grouser.client.links.udp_link import StatusInbox
from grouser.client.links.usarsim_link import kenaf_wire
from grouser.errors import BadValue
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults

STEP = 0.01
"""Simulated time between two turns, s."""

CONTROLLER = "controller"
"""Sender of datagrams for the bridge."""


class LockstepLink:
    """Link to a bridge in this program, whose robot is in lockstep."""

    def __init__(
        self, robot: RemoteRobot, faults: LinkFaults | None = None, step: float = STEP
    ) -> None:
        """Put ``robot``, which has joined a server's world, into lockstep.

        Args:
            robot: connection of the robot.
            faults: link faults of datagrams, in each direction; None: none.
            step: simulated time between two turns, s.
        """
        self.bridge = Bridge()
        self.bridge.attach_robot(kenaf_wire(robot))
        self._robot, self._step = robot, step
        self._out: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "to the bridge")
        self._back: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "from the bridge")
        self._inbox = StatusInbox()
        self._counter = 0
        robot.lockstep(step)
        self._begin = self._now = robot.turn().time

    @property
    def time(self) -> float:
        """Simulated time, s."""
        return self._now

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send a datagram that also requests the newest status."""
        self._counter += 1
        datagram = Datagram(DatagramKind.COMMANDS, self._counter, tuple(frames), status_wanted=True)
        self._out.send(pack(datagram), self._now)

    def receive(self) -> list[CanFrame]:
        """Return the status frames received since the last call."""
        for data in self._back.due(self._now):
            self._inbox.put(data)
        return self._inbox.take()

    def wait(self, seconds: float) -> None:
        """Advance the simulation by whole steps."""
        if seconds < 0:
            raise BadValue(f"wait: {seconds} s, must be 0 or above")
        for _ in range(max(1, round(seconds / self._step)) if seconds else 0):
            self._pass_on()
            turn = self._robot.step()
            self._now = turn.time
            for message in turn.messages:
                self.bridge.on_message(message, self._now)

    def _pass_on(self) -> None:
        """Pass due datagrams to the bridge, and its commands to the robot."""
        for data in self._out.due(self._now):
            answer = self.bridge.receive(data, CONTROLLER, self._now)
            if answer is not None:
                self._back.send(answer, self._now)
        for message in self.bridge.commands(self._now):
            self._robot.send(message)

    def close(self) -> None:
        """Close the connection; the server removes the robot."""
        self._robot.close()
