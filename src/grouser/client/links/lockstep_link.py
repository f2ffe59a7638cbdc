"""A bridge and its robot in one program, in lockstep: the link's clock is the simulation's.

Datagrams go through the very bridge that `grouser bridge` runs, in memory, late, lost and doubled
as `LinkFaults` says; the simulator waits for every step. So nothing hangs on how busy the machine
is, and a run repeats to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence

from grouser.client.bridge import Bridge
from grouser.client.connection import RemoteRobot
from grouser.client.links.status_inbox import StatusInbox
from grouser.client.links.usarsim_link import kenaf_wire
from grouser.errors import BadValue
from grouser.protocol.can.datagram import Datagram, DatagramKind, pack
from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults

STEP = 0.01
"""Simulated seconds from one turn to the next."""

CONTROLLER = "controller"
"""Who sends, for the bridge."""


class LockstepLink:
    """Datagrams to a bridge in this program, whose robot is in lockstep."""

    def __init__(
        self, robot: RemoteRobot, faults: LinkFaults | None = None, step: float = STEP
    ) -> None:
        """Take ``robot``, which has joined a server's world.

        Args:
            robot: its connection; it is put into lockstep.
            faults: what goes wrong with datagrams, each way; None: nothing.
            step: simulated seconds from one turn to the next.
        """
        self.bridge = Bridge()
        self.bridge.robot_came(kenaf_wire(robot))
        self._robot, self._step = robot, step
        self._out: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "to the bridge")
        self._back: FaultyLink[bytes] = FaultyLink(faults or LinkFaults(), "from the bridge")
        self._inbox = StatusInbox()
        self._counter = 0
        robot.lockstep(step)
        self._begin = self._now = robot.turn().time

    @property
    def time(self) -> float:
        """Simulated, s."""
        return self._now

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send a datagram, which asks for the newest status as well."""
        self._counter += 1
        datagram = Datagram(DatagramKind.COMMANDS, self._counter, tuple(frames), status_wanted=True)
        self._out.send(pack(datagram), self._now)

    def receive(self) -> list[CanFrame]:
        """Return what has come since."""
        for data in self._back.due(self._now):
            self._inbox.put(data)
        return self._inbox.take()

    def wait(self, seconds: float) -> None:
        """Let the simulation go on, by whole steps."""
        if seconds < 0:
            raise BadValue(f"wait: {seconds} s, must be 0 or above")
        for _ in range(max(1, round(seconds / self._step)) if seconds else 0):
            self._pass_on()
            turn = self._robot.step()
            self._now = turn.time
            for message in turn.heard:
                self.bridge.hear(message, self._now)

    def _pass_on(self) -> None:
        """Let the bridge work: what has arrived goes in, what is due goes to the robot."""
        for data in self._out.due(self._now):
            answer = self.bridge.receive(data, CONTROLLER, self._now)
            if answer is not None:
                self._back.send(answer, self._now)
        for message in self.bridge.commands(self._now):
            self._robot.send(message)

    def close(self) -> None:
        """Leave; the robot goes with us."""
        self._robot.close()
