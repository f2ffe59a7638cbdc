"""Server process for examples and tests, which a context manager starts and ends."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from grouser.client.address import parse_host_port
from grouser.errors import BadValue, Disconnected
from grouser.protocol import images, rosbridge
from grouser.protocol.usarsim import codec, truth

STOP_TIMEOUT = 5.0
"""Time from SIGTERM to SIGKILL, s."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Ports of a server; 0 for a closed port."""

    host: str = "127.0.0.1"
    control: int = codec.PORT
    images: int = images.PORT
    truth: int = truth.PORT
    rosbridge: int = rosbridge.PORT

    @classmethod
    def from_address(cls, server: str) -> Self:
        """Parse ``HOST`` or ``HOST:PORT``; the other ports have their defaults."""
        return cls(*parse_host_port(server, codec.PORT))

    @classmethod
    def from_announcement(cls, line: str) -> Self:
        """Parse a server's first line, ``listening control=3000 images=5003 truth=3989``."""
        fields = dict(word.partition("=")[::2] for word in line.split())
        try:
            ports = [
                int(fields.get(name, 0)) for name in ("control", "images", "truth", "rosbridge")
            ]
        except ValueError:
            ports = [0]
        if not line.startswith("listening ") or not ports[0]:
            raise BadValue(
                f"first line of the server is '{line.strip()}', must be 'listening control=PORT …'"
            )
        return cls(cls().host, *ports)


@contextlib.contextmanager
def serving(world: str, *options: str, at: str | None = None) -> Iterator[Ports]:
    """Serve a world on free ports of this machine until the block ends.

    Args:
        world: name of a shipped world, or a world file.
        options: further options of ``grouser serve``.
        at: HOST or HOST:PORT of a running server; nothing is started then.
    """
    if at is not None:
        yield Ports.from_address(at)
        return
    free = ("--port", "0", "--images", "0", "--truth", "0")
    with _running("serve", world, *free, *options) as line:
        yield Ports.from_announcement(line)


@contextlib.contextmanager
def start_command(*words: str) -> Iterator[dict[str, int]]:
    """Run a listening command of ``grouser`` until the block ends; yield its ports by name.

    Args:
        words: command and options, such as ``"motors", "kenaf_step", "--port", "0"``.
    """
    with _running(*words) as line:
        fields = (word.partition("=")[::2] for word in line.split()[1:])
        yield {name: int(number) for name, number in fields}


@contextlib.contextmanager
def _running(*words: str) -> Iterator[str]:
    """Run a command and yield its first line."""
    command = [sys.executable, "-m", "grouser", *words]
    server = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8"
    )
    try:
        yield _read_announcement(server)
    finally:
        server.terminate()
        try:
            server.communicate(timeout=STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()


def _read_announcement(server: subprocess.Popen[str]) -> str:
    line = server.stdout.readline() if server.stdout else ""
    if not line.startswith("listening "):
        raise Disconnected(f"the server exited with code {server.wait()} before it listened")
    return line
