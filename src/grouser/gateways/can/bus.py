"""Virtual CAN bus in memory: a frame sent by one node is delivered to all others, in order.

The bus has no bit rate; its time is simulated time. Faults can be injected between a node and the
bus, in each direction (`grouser.protocol.link_faults`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Protocol

from grouser.protocol.can.messages import CanFrame
from grouser.protocol.link_faults import FaultyLink, LinkFaults

_LOG = logging.getLogger(__name__)


class BusNode(Protocol):
    """Receiver of frames on a bus."""

    def on_frame(self, frame: CanFrame, time: float) -> None:
        """Receive a frame that another node sent at ``time`` (s)."""

    def on_batch_end(self) -> None:
        """Handle the end of a batch of frames: no further frame is pending."""


class CanBus:
    """Bus with its connected nodes."""

    def __init__(self, now: Callable[[], float]) -> None:
        """Start without nodes; ``now`` returns the time, s."""
        self.now = now
        self.frames = 0
        """Number of frames sent so far."""
        self._connections: list[BusConnection] = []
        self.timers: list[Callable[[float], None]] = []
        """Called with the time (s) whenever it has passed."""

    def connect(
        self,
        node: BusNode,
        faults: LinkFaults | None = None,
        name: str = "",
        on_error: Callable[[], None] | None = None,
    ) -> BusConnection:
        """Connect a node.

        Args:
            node: the node.
            faults: between it and the bus.
            name: selects the random stream of the faults.
            on_error: called after an internal error of the node, which is disconnected then; None:
                the exception is raised for the sender of the frame.
        """
        connection = BusConnection(self, node, faults or LinkFaults(), name, on_error)
        self._connections.append(connection)
        return connection

    def pass_time(self) -> None:
        """Deliver delayed frames that are due, and call the timers."""
        for connection in list(self._connections):
            connection.pass_time(self.now())
        for timer in list(self.timers):
            timer(self.now())
        self.flush()

    def flush(self) -> None:
        """Signal the end of a batch to every node."""
        for connection in list(self._connections):
            connection.call(lambda node: node.on_batch_end())

    def restart(self) -> None:
        """Drop delayed frames, as after a reset of the clock."""
        for connection in self._connections:
            connection.clear()

    def _broadcast(self, frame: CanFrame, sender: BusConnection, time: float) -> None:
        self.frames += 1
        for connection in list(self._connections):
            if connection is not sender:
                connection.deliver(frame, time)

    def _disconnect(self, connection: BusConnection) -> None:
        if connection in self._connections:
            self._connections.remove(connection)


class BusConnection:
    """Connection of one node to a bus."""

    def __init__(
        self,
        bus: CanBus,
        node: BusNode,
        faults: LinkFaults,
        name: str,
        on_error: Callable[[], None] | None,
    ) -> None:
        self.node = node
        self._bus, self._on_error = bus, on_error
        self.faulty = bool(faults)
        self.inward: FaultyLink[CanFrame] = FaultyLink(faults, f"{name}/in")
        """Frames from the node that have not reached the bus."""
        self.outward: FaultyLink[tuple[CanFrame, float]] = FaultyLink(faults, f"{name}/out")
        """Frames of other nodes, with their time, that have not reached the node."""

    def send(self, frame: CanFrame, time: float | None = None) -> None:
        """Send a frame to all other nodes; its ``time`` stamp is that of the measurement, s."""
        then = self._bus.now() if time is None else time
        if self.faulty:
            self.inward.send(frame, then)
        else:
            self._bus._broadcast(frame, self, then)

    def deliver(self, frame: CanFrame, time: float) -> None:
        """Deliver a frame of another node."""
        if self.faulty:
            self.outward.send((frame, time), time)
        else:
            self.call(lambda node: node.on_frame(frame, time))

    def call(self, callback: Callable[[BusNode], None]) -> None:
        """Call the node; see ``on_error`` of `CanBus.connect`."""
        try:
            callback(self.node)
        except Exception:  # an internal error costs the connection of one node, not the bus
            if self._on_error is None:
                raise
            _LOG.exception("a node is disconnected from the bus after an internal error")
            self.close()
            self._on_error()

    def pass_time(self, now: float) -> None:
        """Deliver delayed frames that are due, in both directions."""
        for frame in self.inward.due(now):
            self._bus._broadcast(frame, self, now)
        for frame, time in self.outward.due(now):
            self.call(partial(_pass_frame, frame, time))

    def clear(self) -> None:
        """Drop delayed frames."""
        self.inward.clear()
        self.outward.clear()

    def close(self) -> None:
        """Disconnect from the bus; delayed frames are dropped."""
        self._bus._disconnect(self)


def _pass_frame(frame: CanFrame, time: float, node: BusNode) -> None:
    node.on_frame(frame, time)
