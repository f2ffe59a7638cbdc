"""Channel: framed messages over a stream socket, sent and received without blocking."""

from __future__ import annotations

import select
import socket
import struct
import time
from collections import deque
from contextlib import suppress

LENGTH = struct.Struct("<Q")
"""Length of a message, before it."""
READ_BYTES = 1 << 18
READS = 16
"""Most bytes that are read at once, and how often for one call."""
BUFFER_BYTES = 1 << 20
"""Size of the socket's own buffer, as far as the system permits."""


def channel_pair() -> tuple[Channel, socket.socket]:
    """Return a channel and the other end of its socket, which is for another process."""
    ours, theirs = socket.socketpair()
    return Channel(ours), theirs


class Channel:
    """Framed messages over a stream socket; what does not fit into its buffer waits here."""

    def __init__(self, connection: socket.socket) -> None:
        """Send and receive over ``connection``, which is closed with the channel."""
        with suppress(OSError):
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, BUFFER_BYTES)
        connection.setblocking(False)
        self._connection = connection
        self._outgoing: deque[memoryview] = deque()
        self._incoming = bytearray()
        self._ended = False
        self.unsent = 0
        """Number of bytes that wait to be sent."""

    def fileno(self) -> int:
        """Return the descriptor of the socket, for `select`."""
        return self._connection.fileno()

    def queue(self, message: bytes) -> None:
        """Let the next call of `pump` send a message."""
        part = LENGTH.pack(len(message)) + message
        self._outgoing.append(memoryview(part))
        self.unsent += len(part)

    def send(self, message: bytes) -> None:
        """Send a message, now or by later calls of `pump`; raise `OSError` at a broken socket."""
        self.queue(message)
        self.pump()

    def pump(self) -> None:
        """Send what the socket accepts; raise `OSError` at a broken socket."""
        if len(self._outgoing) > 1 and self.unsent < BUFFER_BYTES:  # one call for small messages
            self._outgoing = deque([memoryview(b"".join(self._outgoing))])
        try:
            while self._outgoing:
                part = self._outgoing[0]
                sent = self._connection.send(part)
                self.unsent -= sent
                if sent < len(part):
                    self._outgoing[0] = part[sent:]
                else:
                    self._outgoing.popleft()
        except BlockingIOError:
            pass
        except OSError:
            self._outgoing.clear()
            self.unsent = 0
            raise

    def receive(self) -> list[bytes]:
        """Return the messages that have arrived completely.

        Raises:
            ConnectionError: the stream has ended, and all messages were returned before.
        """
        if self._ended:
            raise ConnectionError("the stream has ended")
        with suppress(BlockingIOError):
            for _ in range(READS):  # a faster sender waits meanwhile
                content = self._connection.recv(READ_BYTES)
                self._incoming += content
                if not content:
                    self._ended = True
                    break
        messages, at = [], 0
        while at + LENGTH.size <= len(self._incoming):
            end = at + LENGTH.size + LENGTH.unpack_from(self._incoming, at)[0]
            if end > len(self._incoming):
                break
            messages.append(bytes(memoryview(self._incoming)[at + LENGTH.size : end]))
            at = end
        del self._incoming[:at]
        return messages

    def wait(self, timeout: float) -> None:
        """Wait until something arrives, or something that waits can be sent; at most ``timeout``.

        Args:
            timeout: wall s.
        """
        wait_for_any(timeout, self)

    def drain(self, timeout: float) -> None:
        """Send everything that waits; raise `OSError` at a broken socket.

        Args:
            timeout: wall s; what does not fit by then is not sent.
        """
        end = time.monotonic() + timeout
        while self.unsent and (left := end - time.monotonic()) > 0:
            select.select([], [self], [], left)
            self.pump()

    def end(self) -> None:
        """Send the end of the stream; receiving goes on."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Close the socket."""
        self._connection.close()


def wait_for_any(timeout: float, *channels: Channel | None) -> None:
    """Wait until a channel can receive, or send what waits; at most ``timeout``, wall s."""
    known = [channel for channel in channels if channel is not None]
    select.select(known, [channel for channel in known if channel.unsent], [], timeout)
