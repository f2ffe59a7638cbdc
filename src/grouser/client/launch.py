"""A server of one's own, for an example or a test: started, used and ended by one program."""

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

PATIENCE = 5.0
"""How long a server may take to end when it is told to, s."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Where a server listens; a port that it does not have is 0."""

    host: str = "127.0.0.1"
    control: int = codec.PORT
    images: int = images.PORT
    truth: int = truth.PORT
    rosbridge: int = rosbridge.PORT

    @classmethod
    def from_address(cls, server: str) -> Self:
        """Read ``HOST`` or ``HOST:PORT``, where the other ports are the usual ones."""
        return cls(*parse_host_port(server, codec.PORT))

    @classmethod
    def from_announcement(cls, line: str) -> Self:
        """Read a server's first line, ``listening control=3000 images=5003 truth=3989``."""
        fields = dict(word.partition("=")[::2] for word in line.split())
        try:
            ports = [
                int(fields.get(name, 0)) for name in ("control", "images", "truth", "rosbridge")
            ]
        except ValueError:
            ports = [0]
        if not line.startswith("listening ") or not ports[0]:
            raise BadValue(f"a server's first line is '{line.strip()}', must say where it listens")
        return cls(cls().host, *ports)


@contextlib.contextmanager
def serving(world: str, *options: str, at: str | None = None) -> Iterator[Ports]:
    """Serve a world on free ports of this machine until the block ends.

    Args:
        world: name of a shipped world, or a world file.
        options: further options of ``grouser serve``.
        at: HOST or HOST:PORT of a server that runs already; then nothing is started.
    """
    if at is not None:
        yield Ports.from_address(at)
        return
    free = ("--port", "0", "--images", "0", "--truth", "0")
    with _running("serve", world, *free, *options) as line:
        yield Ports.from_announcement(line)


@contextlib.contextmanager
def started(*words: str) -> Iterator[dict[str, int]]:
    """Run a command of ``grouser`` that listens, until the block ends; yield its ports by name.

    Args:
        words: the command and its options, such as ``"motors", "kenaf_step", "--port", "0"``.
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
            server.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.communicate()


def _read_announcement(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None  # it was asked for
    line = server.stdout.readline()
    if not line.startswith("listening "):
        raise Disconnected(f"the server ended before it listened, with code {server.wait()}")
    return line
