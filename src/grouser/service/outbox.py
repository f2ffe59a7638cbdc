"""Outbox: bounded, non-blocking send queue of one client, with back-pressure.

While the client reads, lines go straight to the transport. When its buffer is full they wait here,
in order. Above the limit, old sensor lines are dropped first, those followed by a newer one of the
same sensor before others; if the remaining lines exceed the limit, the connection is aborted.
"""

from __future__ import annotations

import asyncio
from collections import deque

HIGH = 64 * 1024
"""Bytes in the transport's buffer above which lines wait in the outbox."""

_Line = tuple[int, bytes]
"""Sequence number, and bytes."""


class Outbox:
    """Lines for one client; its protocol's ``resume_writing`` calls `flush`.

    Args:
        transport: of the connection.
        most_bytes: limit of the waiting bytes, without those in the transport's buffer.
    """

    def __init__(self, transport: asyncio.Transport, most_bytes: int) -> None:
        self.dropped = 0
        """Number of dropped lines."""
        self.cut = False
        """True if the connection was aborted because the client did not read."""
        self._transport = transport
        self._most = most_bytes
        self._number = 0
        self._bytes = 0
        self._kept: deque[_Line] = deque()
        self._stale: dict[str, deque[_Line]] = {}
        transport.set_write_buffer_limits(high=HIGH)

    @property
    def waiting(self) -> int:
        """Waiting bytes."""
        return self._bytes

    @property
    def is_ready(self) -> bool:
        """True if the next line goes straight to the transport."""
        return not self.cut and not self._bytes and self._ready()

    def line(self, data: bytes, *, stale: str | None = None) -> None:
        """Send whole lines; the next line of the sensor ``stale`` makes them obsolete."""
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
        """Pass waiting lines to the transport, in order, until its buffer is full."""
        # Loop: a transport whose buffer never became full does not call `resume_writing`.
        while self._bytes and self._ready():
            self._transport.write(self._chunk())

    def _chunk(self) -> bytes:
        """Remove and return waiting lines, oldest first, about one buffer full."""
        lines: list[bytes] = []
        enough = max(0, self._bytes - HIGH)
        while self._bytes > enough:
            queues = (self._kept, *self._stale.values())
            lines.append(min(filter(None, queues), key=_age).popleft()[1])
            self._bytes -= len(lines[-1])
        return b"".join(lines)

    def _ready(self) -> bool:
        """Return True if the transport's buffer is below its limit."""
        return self._transport.get_write_buffer_size() <= HIGH

    def _make_room(self) -> None:
        """Drop the oldest obsolete line, else the oldest sensor line, else abort."""
        stale = [queue for queue in self._stale.values() if queue]
        older = [queue for queue in stale if len(queue) > 1]
        if not stale:
            self._abort()
            return
        self._bytes -= len(min(older or stale, key=_age).popleft()[1])
        self.dropped += 1

    def _abort(self) -> None:
        self.cut = True
        self.dropped += len(self._kept)
        self._kept.clear()
        self._stale.clear()
        self._bytes = 0
        self._transport.abort()


def _age(queue: deque[_Line]) -> int:
    return queue[0][0]
