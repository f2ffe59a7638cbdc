"""Raw socket client of the text ports, as programs written for USARSim are."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator
from typing import Self

from support.server_fixtures import TIMEOUT, ServerProcess


class OldClient:
    """Socket with line-wise reading."""

    def __init__(self, server: ServerProcess, port: str = "control") -> None:
        self._socket = server.open_socket(port)
        self._bytes = b""
        self._whole: deque[bytes] = deque()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: None) -> None:
        self._socket.close()

    def send(self, *lines: str) -> None:
        self._socket.sendall("".join(f"{line}\r\n" for line in lines).encode())

    def raw(self, data: bytes) -> None:
        self._socket.sendall(data)

    def lines(self) -> Iterator[str]:
        """Yield received lines."""
        self._socket.settimeout(TIMEOUT)
        while True:
            while self._whole:
                yield self._whole.popleft().decode()
            more = self._socket.recv(65536)
            assert more, "the server closed the connection"
            *whole, self._bytes = (self._bytes + more).split(b"\r\n")
            self._whole += whole

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Wait for a matching line; return the match."""
        end = time.monotonic() + TIMEOUT
        for line in self.lines():
            if match := re.search(pattern, line):
                return match
            assert time.monotonic() < end, f"no line matched {pattern}"
        raise AssertionError("the server closed the connection")
