"""UDP link to the bridge, as used by the real robot's controller (Kurose et al., sec. II-C)."""

from __future__ import annotations

import socket
import time
from collections import Counter
from collections.abc import Sequence

from grouser.client.address import parse_host_port
from grouser.errors import Disconnected
from grouser.protocol.can.datagram import PORT, Datagram, DatagramKind, is_newer, pack, unpack
from grouser.protocol.can.messages import CanFrame, FrameFault

LARGEST = 2048
"""Largest size of a datagram, bytes."""


class UdpLink:
    """Connected UDP socket; its clock is wall time."""

    def __init__(self, host: str, port: int) -> None:
        """Set the destination HOST:PORT; nothing is sent yet."""
        self.peer = f"{host}:{port}"
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_DGRAM
            )[0]
            self._socket = socket.socket(family, kind, protocol)
            self._socket.connect(address)
        except OSError as error:
            raise Disconnected(f"{self.peer}: {error.strerror or error}") from None
        self._inbox = StatusInbox()
        self._counter = 0

    @property
    def time(self) -> float:
        """Wall time, s."""
        return time.monotonic()

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send a datagram that also requests the newest status."""
        self._counter += 1
        datagram = Datagram(DatagramKind.COMMANDS, self._counter, tuple(frames), status_wanted=True)
        try:
            self._socket.send(pack(datagram))
        except OSError as error:
            if not isinstance(error, ConnectionRefusedError):
                raise Disconnected(f"{self.peer}: {error.strerror or error}") from None

    def receive(self) -> list[CanFrame]:
        """Return the status frames received since the last call; empty without a bridge."""
        self._read(0.0)
        return self._inbox.take()

    def wait(self, seconds: float) -> None:
        """Receive for ``seconds``."""
        until = self.time + seconds
        while (left := until - self.time) > 0:
            self._read(left)

    def _read(self, seconds: float) -> None:
        """Read datagrams that arrive within ``seconds``, at least those already received."""
        until = self.time + seconds
        while True:
            self._socket.settimeout(max(0.0, until - self.time))
            try:
                self._inbox.put(self._socket.recv(LARGEST))
            except (TimeoutError, BlockingIOError):
                return
            except ConnectionRefusedError:
                if self.time >= until:
                    return
            except OSError as error:
                raise Disconnected(f"{self.peer}: {error.strerror or error}") from None

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


def open_link(address: str) -> UdpLink:
    """Open a link to the bridge at HOST:PORT."""
    return UdpLink(*parse_host_port(address, PORT, "HRT_LINK"))


RESTART = 64
"""Number of consecutive old counters after which the bridge has restarted."""


class StatusInbox:
    """Frames of received status datagrams; old and duplicated datagrams are dropped."""

    def __init__(self) -> None:
        self.refused: Counter[str] = Counter()
        """Fault -> number of datagrams: "datagram", or "counter" for old and duplicated ones."""
        self._counter: int | None = None
        self._old = 0
        self._frames: list[CanFrame] = []

    def put(self, data: bytes) -> None:
        """Process a datagram; faults are counted."""
        try:
            datagram = unpack(data)
            if datagram.kind is not DatagramKind.STATUS:
                raise FrameFault("datagram", "not a status datagram")
        except FrameFault as fault:
            self.refused[fault.kind] += 1
            return
        if self._counter is not None and not is_newer(datagram.counter, self._counter):
            self.refused["counter"] += 1
            self._old += 1
            if self._old < RESTART:
                return
        self._old = 0
        self._counter = datagram.counter
        self._frames += datagram.frames

    def take(self) -> list[CanFrame]:
        """Return the frames received since the last call."""
        frames, self._frames = self._frames, []
        return frames
