"""Client in the process of the server: a transport in memory, connected to the real protocol."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

from websockets.frames import Frame, Opcode

from grouser.gateways.client_socket import ClientSocket

KEPT = 200_000
"""Newest received bytes that are kept."""
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


class MemoryTransport(asyncio.Transport):
    """Transport of a client whose bytes stay in memory."""

    def __init__(self, client: MemoryClient) -> None:
        super().__init__({"peername": (client.address, 1)})
        self._client = client
        self._closing = False
        self.paused = False
        self.unread = 0
        """Bytes that the client has not read."""

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        if self._closing:
            return
        if self._client.stalled:
            self.unread += len(data)
        else:
            self._client.receive(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.unread

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        pass

    def is_closing(self) -> bool:
        return self._closing

    def is_reading(self) -> bool:
        return not (self.paused or self._closing)

    def pause_reading(self) -> None:
        self.paused = True

    def resume_reading(self) -> None:
        if self.paused:
            self.paused = False
            self._client.deliver_soon()

    def close(self) -> None:
        self.abort()

    def abort(self) -> None:
        if not self._closing:
            self._closing = True
            asyncio.get_running_loop().call_soon(self._client.lose)


class MemoryClient:
    """Client of one port; it sends bytes as TCP does: in pieces, while the server reads."""

    def __init__(self, connection: ClientSocket, port: str, address: str) -> None:
        self.connection, self.port, self.address = connection, port, address
        self.stalled = False
        """True if it does not read."""
        self.received = b""
        """Newest bytes from the server."""
        self.lost = False
        """True after the server has noticed the end of the connection."""
        self.closed_by_server = False
        self._pending: deque[bytes] = deque()
        self._transport = MemoryTransport(self)
        connection.connection_made(self._transport)
        if port == "rosbridge":
            self.send_bytes(UPGRADE)

    def send(self, text: str) -> None:
        """Send one message in the framing of its port."""
        data = text.encode("latin-1")
        if self.port == "rosbridge":
            self.send_bytes(Frame(Opcode.TEXT, data).serialize(mask=True))
        elif self.port == "can":
            self.send_bytes(data)
        else:
            self.send_bytes(data + b"\r\n")

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._pending.append(data)
        self._deliver()

    def close(self) -> None:
        """Close the connection from this end."""
        self._pending.clear()
        self._transport.abort()

    def read_again(self) -> None:
        """Read what has been sent, and from now on."""
        self.stalled, self._transport.unread = False, 0
        if not self.lost:
            self.connection.resume_writing()

    def receive(self, data: bytes) -> None:
        """Receive bytes."""
        self.received = (self.received + data)[-KEPT:]

    def deliver_soon(self) -> None:
        """Deliver pending bytes in the next iteration of the loop."""
        asyncio.get_running_loop().call_soon(self._deliver)

    def lose(self) -> None:
        """Report the end of the connection to the server."""
        self.lost = True
        self.connection.connection_lost(None)

    def _deliver(self) -> None:
        while self._pending and self._transport.is_reading():
            data = self._pending.popleft()
            buffer = self.connection.get_buffer(-1)
            size = min(len(buffer), len(data))
            buffer[:size] = data[:size]
            if size < len(data):
                self._pending.appendleft(data[size:])
            self.connection.buffer_updated(size)
