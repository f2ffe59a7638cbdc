"""A CAN bus, by python-can (LGPL, so an extra of its own): SocketCAN, or socketcand over TCP."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from grouser.client.address import parse_host_port
from grouser.errors import BadValue, Disconnected, missing_extra
from grouser.protocol.can.messages import STATUSES, CanFrame
from grouser.protocol.can.socketcand import PORT


class CanLink:
    """A bus with Kenaf's motors on it; its clock is the wall's."""

    def __init__(self, name: str, **settings: Any) -> None:
        """Open a bus of python-can's.

        Args:
            name: what error messages call it.
            settings: what `can.Bus` takes.
        """
        self.name = name
        self._can = _python_can()
        try:
            self._bus = self._can.Bus(**settings)
        except (OSError, self._can.CanError, ValueError) as error:
            raise Disconnected(f"{name}: {error}") from None
        self._frames: list[CanFrame] = []

    @property
    def time(self) -> float:
        """Now, s."""
        return time.monotonic()

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Put frames on the bus."""
        for frame in frames:
            message = self._can.Message(
                arbitration_id=frame.id, data=frame.data, is_extended_id=False
            )
            try:
                self._bus.send(message)
            except (OSError, self._can.CanError) as error:
                raise Disconnected(f"{self.name}: {error}") from None

    def receive(self) -> list[CanFrame]:
        """Return the status frames that have come since."""
        self._take(0.0)
        frames, self._frames = self._frames, []
        return frames

    def wait(self, seconds: float) -> None:
        """Listen for so long."""
        until = self.time + seconds
        while (left := until - self.time) > 0:
            self._take(left)

    def _take(self, seconds: float) -> None:
        """Take in what comes within ``seconds``, at least what is there."""
        while True:
            try:
                message = self._bus.recv(seconds)
            except (OSError, self._can.CanError) as error:
                raise Disconnected(f"{self.name}: {error}") from None
            if message is None:
                return
            if message.arbitration_id in STATUSES and not message.is_extended_id:
                self._frames.append(CanFrame(message.arbitration_id, bytes(message.data)))
            seconds = 0.0

    def close(self) -> None:
        """Leave the bus."""
        self._bus.shutdown()


def open_link(address: str) -> CanLink:
    """Open a CAN interface of this machine, such as can0."""
    return CanLink(address, interface="socketcan", channel=address)


def open_socketcand(address: str) -> CanLink:
    """Open a bus behind a socketcand server: HOST:PORT/BUS."""
    server, _, bus = address.partition("/")
    if not bus:
        raise BadValue(f"HRT_LINK is 'socketcand://{address}', must be socketcand://HOST:PORT/BUS")
    host, port = parse_host_port(server, PORT, "HRT_LINK")
    return CanLink(
        f"socketcand://{address}", interface="socketcand", host=host, port=port, channel=bus
    )


def _python_can() -> Any:
    """Return python-can, or say how to get it."""
    try:
        import can
    except ImportError as error:
        raise missing_extra("CAN buses need python-can (LGPL)", "can") from error
    return can
