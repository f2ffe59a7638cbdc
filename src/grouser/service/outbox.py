"""What waits for a client to read it: bounded, never blocking.

As long as a client reads, lines go straight to the transport. When its buffer is full they wait
here, in order. When too much waits, old sensor lines are dropped first, those with a newer one of
the same sensor behind them before others; a client for which even the rest is too much is cut off.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

HIGH = 64 * 1024
"""Bytes in the transport's buffer beyond which lines wait here instead."""

_Line = tuple[int, bytes]
"""Its number in the order of sending, and its bytes."""


class Pipe(Protocol):
    """What is needed of an ``asyncio`` transport."""

    def write(self, data: bytes) -> None:
        """Send ``data`` now or when the far side reads."""

    def get_write_buffer_size(self) -> int:
        """Return how many bytes were not sent yet."""

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Let the protocol's ``resume_writing`` be called when fewer than ``low`` are left."""

    def is_closing(self) -> bool:
        """Return whether nobody will read any more."""

    def abort(self) -> None:
        """Close at once, whatever was not sent."""


class Sender(Protocol):
    """Where lines go."""

    def line(self, data: bytes, *, stale: str | None = None) -> None:
        """Send one line; one with a ``stale`` name may be dropped for a newer one of that name."""


class Outbox:
    """The lines for one client; its protocol's ``resume_writing`` calls `flush`."""

    def __init__(self, transport: Pipe, most_bytes: int) -> None:
        """Let at most ``most_bytes`` wait beside what is in ``transport``."""
        self.dropped = 0
        """Lines that the client will never see, because it did not read."""
        self.cut = False
        """Whether the client was cut off."""
        self._transport = transport
        self._most = most_bytes
        self._number = 0
        self._bytes = 0
        self._kept: deque[_Line] = deque()
        self._stale: dict[str, deque[_Line]] = {}
        transport.set_write_buffer_limits(high=HIGH)

    @property
    def waiting(self) -> int:
        """Bytes that wait here."""
        return self._bytes

    def line(self, data: bytes, *, stale: str | None = None) -> None:
        """Say ``data``.

        Args:
            data: one line, or lines that belong together.
            stale: name of the sensor whose next line makes this one old; None: is never old.
        """
        if self.cut or self._transport.is_closing():
            self.dropped += 1
            return
        self.flush()
        if not self._bytes and self._ready():
            self._transport.write(data)
            return
        queue = self._kept if stale is None else self._stale.setdefault(stale, deque())
        queue.append((self._number, data))
        self._number += 1
        self._bytes += len(data)
        while self._bytes > self._most and not self.cut:
            self._make_room()

    def flush(self) -> None:
        """Hand the transport what waits, in order, as far as its buffer goes."""
        # Until it is full or nothing waits: a transport that never was full never asks for more.
        while self._bytes and self._ready():
            self._transport.write(self._chunk())

    def _chunk(self) -> bytes:
        """Take what waits out of the queues, oldest first, about a buffer full."""
        lines: list[bytes] = []
        enough = max(0, self._bytes - HIGH)
        while self._bytes > enough:
            queues = (self._kept, *self._stale.values())
            lines.append(min(filter(None, queues), key=_age).popleft()[1])
            self._bytes -= len(lines[-1])
        return b"".join(lines)

    def _ready(self) -> bool:
        """Return whether the transport takes more; if not, it will say so when it does."""
        return self._transport.get_write_buffer_size() <= HIGH

    def _make_room(self) -> None:
        """Drop the oldest line with a newer one behind it, else the oldest; else cut off."""
        stale = [queue for queue in self._stale.values() if queue]
        older = [queue for queue in stale if len(queue) > 1]
        if not stale:
            self._cut_off()
            return
        self._bytes -= len(min(older or stale, key=_age).popleft()[1])
        self.dropped += 1

    def _cut_off(self) -> None:
        self.cut = True
        self.dropped += len(self._kept)
        self._kept.clear()
        self._stale.clear()
        self._bytes = 0
        self._transport.abort()


def _age(queue: deque[_Line]) -> int:
    return queue[0][0]
