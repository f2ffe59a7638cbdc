"""Datagrams to the bridge, as the real robot's controller sends them (Kurose et al., sec. II-C)."""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence

from grouser.client.address import parse_host_port
from grouser.client.links.status_inbox import StatusInbox
from grouser.errors import Disconnected
from grouser.protocol.can.datagram import PORT, Datagram, DatagramKind, pack
from grouser.protocol.can.messages import CanFrame

LARGEST = 2048
"""Bytes that a datagram may have; the bridge's are far smaller."""


class UdpLink:
    """A connected UDP socket; its clock is the wall's."""

    def __init__(self, host: str, port: int) -> None:
        """Aim at HOST:PORT; nothing is sent yet."""
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
        """Now, s."""
        return time.monotonic()

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send a datagram, which asks for the newest status as well."""
        self._counter += 1
        datagram = Datagram(DatagramKind.COMMANDS, self._counter, tuple(frames), status_wanted=True)
        try:
            self._socket.send(pack(datagram))
        except OSError as error:
            if not isinstance(error, ConnectionRefusedError):
                raise Disconnected(f"{self.peer}: {error.strerror or error}") from None

    def receive(self) -> list[CanFrame]:
        """Return what has come since; a bridge that is not there says nothing."""
        self._take(0.0)
        return self._inbox.take()

    def wait(self, seconds: float) -> None:
        """Listen for so long."""
        until = self.time + seconds
        while (left := until - self.time) > 0:
            self._take(left)

    def _take(self, seconds: float) -> None:
        """Take in what comes within ``seconds``, at least everything that is there."""
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
        """Send nothing more."""
        self._socket.close()


def open_link(address: str) -> UdpLink:
    """Speak to the bridge at HOST:PORT."""
    return UdpLink(*parse_host_port(address, PORT, "HRT_LINK"))
