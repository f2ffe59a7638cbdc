"""Server process and client processes for tests of the server."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, AnyStr, Self

from grouser.client.connection import Connection, Controller, RemoteRobot, connect, control, join
from grouser.protocol.usarsim.sensor_messages import GroundTruth

CLIENT = Path(__file__).with_name("lockstep_client.py")
CONTROL_ONLY = ("--images", "-1", "--truth", "-1")
"""Options of a server that opens its control port only."""
TIMEOUT = 180.0
"""Longest wait for an expected event, wall s: the machine may be busy."""


class ServerProcess:
    """``grouser serve`` with free ports, as a context manager; its log goes to a file."""

    def __init__(
        self,
        folder: Path,
        world: Path | str,
        *options: str,
        token: str | None = None,
        host: str = "127.0.0.1",
        command: str = "serve",
    ) -> None:
        self._log = folder / f"server{time.monotonic_ns()}.log"
        self.host, self.token = host, token
        opened = ("--port", "--truth", "--images") if command == "serve" else ("--port",)
        free = [word for port in opened if port not in options for word in (port, "0")]
        words = [sys.executable, "-m", "grouser", command, str(world), "--host", host]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*words, *free, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(token),
            )
        self._stdout = pipe(self.process.stdout)
        output = self._stdout.readline().decode()
        ports = dict(word.split("=", 1) for word in output.split()[1:])
        self.ports = {name: int(number) for name, number in ports.items()}
        assert self.ports, self.log

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        exit_code = self.process.poll()
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self._stdout.close()
        assert exit_code is None, f"the server ended with {exit_code}: {self.log}"

    def kill(self) -> None:
        """Kill the process, as a crash does; outside of a ``with`` block."""
        self.process.kill()
        self.process.wait(TIMEOUT)
        self._stdout.close()

    @property
    def log(self) -> str:
        """Everything that the server has logged."""
        return self._log.read_text("utf-8", "replace")

    @property
    def rss(self) -> int:
        """Resident memory of the server, bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found, status
        return int(found[1]) * 1024

    def address(self, port: str = "control", **more: Any) -> dict[str, Any]:
        """Return the address of one of its ports as keyword arguments of a client."""
        usual = {"host": self.host, "port": self.ports[port], "token": self.token}
        return {**usual, "timeout": TIMEOUT, **more}

    def join(
        self,
        kind: str,
        name: str | None = None,
        port: str = "control",
        dialect: str = "ut2004",
        **more: Any,
    ) -> RemoteRobot:
        """Join with a robot; ``more`` has its start and options of the address."""
        start = {key: more.pop(key) for key in ("at", "rotation", "start") if key in more}
        return join(kind, name, **start, **self.address(port, dialect=dialect, **more))

    def connect(self, **more: Any) -> Connection:
        """Connect without a robot."""
        return connect(**self.address(**more))

    def control(self, **more: Any) -> Controller:
        """Join as a world controller."""
        return control(**self.address(**more))

    def console(self, line: str) -> str:
        """Return the answer to a console line."""
        with self.connect() as connection:
            return connection.console(line)

    def open_socket(self, port: str = "control") -> socket.socket:
        """Return a plain socket to one of its ports."""
        return socket.create_connection((self.host, self.ports[port]), TIMEOUT)


def ground_truth(robot: RemoteRobot) -> GroundTruth:
    """Return the next ground truth of a robot."""
    reading = robot.reading("GroundTruth")
    assert isinstance(reading, GroundTruth)
    return reading


def pipe(stream: IO[AnyStr] | None) -> IO[AnyStr]:
    """Return a stream of a process that was started with a pipe."""
    assert stream is not None
    return stream


def environment(token: str | None = None) -> dict[str, str]:
    """Return the environment of a process, with ``token`` as the only token."""
    kept = {key: value for key, value in os.environ.items() if key != "GROUSER_TOKEN"}
    return kept | ({"GROUSER_TOKEN": token} if token else {})


class LockstepClient:
    """Client process in lockstep (lockstep_client.py)."""

    def __init__(self, server: ServerProcess, name: str, *words: object) -> None:
        port = str(server.ports["control"])
        self.process = subprocess.Popen(
            [sys.executable, CLIENT, port, name, *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(server.token),
        )
        self._stdin, self._stdout = pipe(self.process.stdin), pipe(self.process.stdout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._stdin.close()
        self.process.wait(TIMEOUT)
        self._stdout.close()

    def read_line(self) -> str:
        """Return the next line that the client prints."""
        output = self._stdout.readline().decode().strip()
        assert output, f"the client ended with {self.process.wait(TIMEOUT)}"
        return output

    def kill(self) -> None:
        """Kill the process without a chance to close its connection."""
        self.process.send_signal(signal.SIGKILL)


def wait_until(condition: Callable[[], object], seconds: float = TIMEOUT) -> float:
    """Wait until ``condition()`` is true; return the wall seconds it took."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() < begin + seconds, "the condition did not become true"
        time.sleep(0.005)
    return time.monotonic() - begin
