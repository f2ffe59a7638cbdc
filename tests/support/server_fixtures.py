"""A live server in a process of its own, and clients in theirs: what tests of the server share."""

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

GUEST = Path(__file__).with_name("lockstep_client.py")
QUIET = ("--images", "-1", "--truth", "-1")
PATIENCE = 60.0
"""Longest wait for anything that must come, wall s: the machine may be busy."""


class Served:
    """``grouser serve`` with free ports, in a ``with`` block; its log is kept in a file."""

    def __init__(self, folder, world, *options, token=None, host="127.0.0.1", command="serve"):
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
        said = self.process.stdout.readline().decode()
        words = dict(word.partition("=")[::2] for word in said.split()[1:])
        self.ports = {name: int(number) for name, number in words.items()}
        assert self.ports, self.log

    def __enter__(self):
        return self

    def __exit__(self, *_):
        died = self.process.poll()
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        assert died is None, f"the server died with {died}: {self.log}"

    @property
    def log(self):
        return self._log.read_text("utf-8", "replace")

    @property
    def rss(self):
        """Bytes of memory that the server has now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    def where(self, port="control", **more):
        usual = {"host": self.host, "port": self.ports[port], "token": self.token}
        return usual | {"timeout": PATIENCE} | more

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
        return socket.create_connection((self.host, self.ports[port]), PATIENCE)


def environment(token=None):
    kept = {key: value for key, value in os.environ.items() if key != "GROUSER_TOKEN"}
    return kept | ({"GROUSER_TOKEN": token} if token else {})


class Guest:
    """A client in a process of its own (guest.py), in lockstep."""

    def __init__(self, served, name, *words):
        command = [sys.executable, GUEST, str(served.ports["control"]), name, *map(str, words)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(served.token)
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait(PATIENCE)
        self.process.stdout.close()

    def hears(self):
        """Wait for the next word of the client."""
        said = self.process.stdout.readline().decode().strip()
        assert said, f"the client ended with {self.process.wait(PATIENCE)}"
        return said

    def kill(self):
        self.process.send_signal(signal.SIGKILL)


def until(condition, seconds=PATIENCE):
    """Wait for what must come true; return how long it took, wall s."""
    begin = time.monotonic()
    while not condition():
        assert time.monotonic() < begin + seconds, "it never came true"
        time.sleep(0.005)
    return time.monotonic() - begin


@pytest.fixture(scope="module", name="world")
def yard(tmp_path_factory):
    """Return a world file; a fixture, for tests to import."""
    path = tmp_path_factory.mktemp("worlds") / "yard.yaml"
    path.write_text(WORLD)
    return path
