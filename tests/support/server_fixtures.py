"""Server process and client processes for tests of the server."""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grouser.client.connection import connect, control, join
from support.server_world import WORLD

CLIENT = Path(__file__).with_name("lockstep_client.py")
QUIET = ("--images", "-1", "--truth", "-1")
TIMEOUT = 60.0
"""Longest wait for an expected event, wall s: the machine may be busy."""


class Served:
    """``grouser serve`` with free ports, as a context manager; its log goes to a file."""

    def __init__(
        self, folder, world, *options, token=None, host="127.0.0.1", command="serve"
    ) -> None:
        self._log = Path(folder) / f"server{time.monotonic_ns()}.log"
        self.host, self.token = host, token
        free = () if "--port" in options else ("--port", "0")
        words = [sys.executable, "-m", "grouser", command, str(world), "--host", host]
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [*words, *free, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment(token),
            )
        output = self.process.stdout.readline().decode()
        words = dict(word.partition("=")[::2] for word in output.split()[1:])
        self.ports = {name: int(number) for name, number in words.items()}
        assert self.ports, self.log

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        died = self.process.poll()
        self.process.terminate()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()
        assert died is None, f"the server died with {died}: {self.log}"

    @property
    def log(self):
        return self._log.read_text("utf-8", "replace")

    @property
    def rss(self):
        """Resident memory of the server, bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def where(self, port="control", **more):
        usual = {"host": self.host, "port": self.ports[port], "token": self.token}
        return usual | {"timeout": TIMEOUT} | more

    def join(self, kind, name=None, port="control", dialect="ut2004", **more):
        place = {key: more.pop(key) for key in ("at", "rotation", "start") if key in more}
        return join(kind, name, **place, **self.where(port, dialect=dialect, **more))

    def connect(self, **more):
        return connect(**self.where(**more))

    def control(self, **more):
        return control(**self.where(**more))

    def console(self, line):
        with self.connect() as connection:
            return connection.console(line)

    def raw(self, port="control"):
        """Return a plain socket to one of its ports."""
        return socket.create_connection((self.host, self.ports[port]), TIMEOUT)


def environment(token=None):
    kept = {key: value for key, value in os.environ.items() if key != "GROUSER_TOKEN"}
    return kept | ({"GROUSER_TOKEN": token} if token else {})


class LockstepClient:
    """Client process in lockstep (lockstep_client.py)."""

    def __init__(self, served, name, *words) -> None:
        command = [sys.executable, CLIENT, str(served.ports["control"]), name, *map(str, words)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(served.token)
        )

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait(TIMEOUT)
        self.process.stdout.close()

    def read_line(self):
        """Return the next line that the client prints."""
        output = self.process.stdout.readline().decode().strip()
        assert output, f"the client ended with {self.process.wait(TIMEOUT)}"
        return output

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)


def until(condition, seconds=TIMEOUT):
    """Wait until ``condition()`` is true; return the wall seconds it took."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() < begin + seconds, "the condition did not become true"
        time.sleep(0.005)
    return time.monotonic() - begin


@pytest.fixture(scope="module", name="world")
def yard(tmp_path_factory: pytest.TempPathFactory):
    """Return the path of a world file (fixture ``world``)."""
    path = tmp_path_factory.mktemp("worlds") / "yard.yaml"
    path.write_text(WORLD)
    return path
