"""CAN link by python-can (LGPL, a separate extra): SocketCAN, or socketcand over TCP."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from grouser.client.address import parse_host_port
from grouser.errors import BadValue, Disconnected, missing_extra
from grouser.protocol.can.messages import STATUSES, CanFrame
from grouser.protocol.can.socketcand import PORT


class CanLink:
    """CAN bus with Kenaf's motors; its clock is wall time."""

    def __init__(self, name: str, **settings: Any) -> None:
        """Open a bus.

        Args:
            name: name for error messages.
            settings: arguments of `can.Bus`.
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
        """Wall time, s."""
        return time.monotonic()

    def send(self, frames: Sequence[CanFrame]) -> None:
        """Send frames."""
        for frame in frames:
            message = self._can.Message(
                arbitration_id=frame.id, data=frame.data, is_extended_id=False
            )
            try:
                self._bus.send(message)
            except (OSError, self._can.CanError) as error:
                raise Disconnected(f"{self.name}: {error}") from None

    def receive(self) -> list[CanFrame]:
        """Return the status frames received since the last call."""
        self._read(0.0)
        frames, self._frames = self._frames, []
        return frames

    def wait(self, seconds: float) -> None:
        """Receive for ``seconds``."""
        until = self.time + seconds
        while (left := until - self.time) > 0:
            self._read(left)

    def _read(self, seconds: float) -> None:
        """Read frames that arrive within ``seconds``, at least those already received."""
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
        """Close the bus."""
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
    """Import python-can; `MissingDependency` if it is not installed."""
    try:
        import can
    except ImportError as error:
        raise missing_extra("CAN buses need python-can (LGPL)", "can") from error
    return can
