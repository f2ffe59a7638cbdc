"""A CAN bus in memory: what one node sends, all others hear, in the order of sending.

It has no clock of its own and no bit rate; time is the simulation's. A node's connection may go
wrong on purpose, each way (`grouser.protocol.link_faults`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from grouser.protocol.can.frame import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults


class BusNode(Protocol):
    """Whoever is on a bus."""

    def hear(self, frame: CanFrame, time: float) -> None:
        """Take a frame that another node has sent, at ``time`` (s)."""

    def heard_all(self) -> None:
        """Note that no further frame comes for now."""


class CanBus:
    """The nodes, and what they send each other."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Begin with nobody on it; ``now`` returns the time, s."""
        self.now = now
        self.frames = 0
        """Frames sent so far."""
        self._connections: list[BusConnection] = []

    def connect(
        self, node: BusNode, faults: LinkFaults | None = None, name: str = ""
    ) -> BusConnection:
        """Let a node hear and send.

        Args:
            node: who.
            faults: what goes wrong between it and the bus; None: nothing.
            name: of its connection: with the faults' seed it decides which frames they befall.
        """
        connection = BusConnection(self, node, faults or LinkFaults(), name)
        self._connections.append(connection)
        return connection

    def pass_time(self) -> None:
        """Pass on what has been under way long enough."""
        for connection in list(self._connections):
            connection.pass_time(self.now())
        self.flush()

    def flush(self) -> None:
        """Tell every node that it has heard all there is for now."""
        for connection in list(self._connections):
            connection.node.heard_all()

    def restart(self) -> None:
        """Forget what is under way: time has begun anew."""
        for connection in self._connections:
            connection.forget()

    def _spread(self, frame: CanFrame, sender: BusConnection, time: float) -> None:
        self.frames += 1
        for connection in list(self._connections):
            if connection is not sender:
                connection.carry(frame, time)

    def _disconnect(self, connection: BusConnection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)


class BusConnection:
    """A node's end of a bus."""

    def __init__(self, bus: CanBus, node: BusNode, faults: LinkFaults, name: str) -> None:
        self.node = node
        self._bus = bus
        self.faulty = bool(faults)
        self.inward: FaultyLink[CanFrame] = FaultyLink(faults, f"{name}/in")
        """What the node has sent and what is not on the bus yet."""
        self.outward: FaultyLink[tuple[CanFrame, float]] = FaultyLink(faults, f"{name}/out")
        """What was sent by others, when, and what the node has not heard yet."""

    def send(self, frame: CanFrame, time: float | None = None) -> None:
        """Send a frame to all other nodes.

        Args:
            frame: what.
            time: when, s; None: now. Motors that were not asked for a while say what they have
                measured meanwhile, each with its time.
        """
        then = self._bus.now() if time is None else time
        if self.faulty:
            self.inward.send(frame, then)
        else:
            self._bus._spread(frame, self, then)

    def carry(self, frame: CanFrame, time: float) -> None:
        """Bring the node a frame of another one."""
        if self.faulty:
            self.outward.send((frame, time), time)
        else:
            self.node.hear(frame, time)

    def pass_time(self, now: float) -> None:
        """Pass on, both ways, what has been under way long enough."""
        for frame in self.inward.due(now):
            self._bus._spread(frame, self, now)
        for frame, time in self.outward.due(now):
            self.node.hear(frame, time)

    def forget(self) -> None:
        """Lose what is under way."""
        self.inward.clear()
        self.outward.clear()

    def close(self) -> None:
        """Leave the bus; what is under way is lost."""
        self._bus._disconnect(self)
