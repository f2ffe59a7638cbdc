"""How much does a bad neighbour cost everybody else? Part of the bench ``server``.

``pace_worst_neighbour``   the lowest pace of a quiet robot while one authenticated client does its
                           worst, over its pace in the same run without that client; bound 0.95
``pace_scan`` and others   the same for each thing that client may do
``join_stall_ms``          from one beat to the next, the longest while a robot joins 20 others,
                           median of the joins; a beat is 2 ms, bound 4
``join_stall_worst_ms``    the same, the worst of the joins
``idle_gap_ms``            the same as the first in as many spells in which nobody comes: what the
                           machine itself lets pass between two beats of 20 robots
``join_over_idle``         the first over this: by how much a robot's joining prolongs the longest
                           gap, whatever the machine; bound 2
``strangers_rss_mb``       memory that 3,000 silent connections to a port with TLS take; bound 30

The server, the neighbours and the bench are processes of their own; nothing leaves this machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import re
import resource
import shutil
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from grouser.client.connection import RemoteRobot, join
from grouser.frames import milliseconds
from grouser.gateways.server import Server, ServerOptions
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.simulation.simulation import Simulation
from grouser.world.file import World

TOKEN = "a-token-of-the-bench-only"
QUIET_ROBOTS = 4
SETTLE = 2.0
"""Wall seconds before a pace is measured, s."""
WINDOW = 8.0
"""Wall seconds in which a pace is measured, s."""
CATCH_UP = 0.5
"""Wall seconds in which a robot reads what has waited for it, s."""
NEWCOMERS = 10
IDLE = 0.5
"""Wall seconds of a spell in which nobody comes, s: about as long as a robot takes to join."""
CROWD = 20
STRANGERS = 3000
PLACES = 200
SPREAD = 1.4  # m   between robots

Lines = Iterator[bytes]


# -- what a neighbour may do ---------------------------------------------------------------------


def _init(name: str, at: tuple[float, float] = (3.0, 3.0)) -> bytes:
    place = f"{at[0]},{at[1]},0"
    return f"INIT {{ClassName USARBot.P2AT}} {{Name {name}}} {{Location {place}}}\r\n".encode()


def _scans() -> Lines:
    yield _init("Scanner")
    while True:
        yield b"SET {Type RangeScanner} {Opcode SCAN}\r\n" * 20


def _questions() -> Lines:
    yield _init("Asker")
    while True:
        yield b"GETGEO {Type Robot}\r\nGETCONF {Type Robot}\r\n" * 10


def _crates() -> Lines:
    yield b"INIT {ClassName USARBot.WorldController}\r\n"
    for number in count():
        name = f"crate{number % 50}"
        yield (
            f"CONTROL {{Type Create}} {{ClassName Box}} {{Name {name}}} {{Location 4,4,-1}}\r\n"
            f"CONTROL {{Type Kill}} {{Name {name}}}\r\n"
        ).encode()


FLOODS: dict[str, Callable[[], Lines]] = {
    "scan": _scans,
    "questions": _questions,
    "create": _crates,
}
"""Floods of lines over one connection; the fourth neighbour comes and goes in a loop."""
NEIGHBOURS = (*FLOODS, "come_and_go")
"""Those that could cost others their pace."""
HOSTILE = (*NEIGHBOURS, "stall", "silence")
"""All of them: one enters lockstep and ends no turn, one holds places and says nothing."""


def annoy(kind: str, port: int, seconds: float) -> None:
    """Be a bad neighbour for so long (wall time, s)."""
    end = time.monotonic() + seconds
    if kind == "come_and_go":
        _come_and_go(port, end)
    elif kind == "stall":
        _stall(port, end)
    elif kind == "silence":
        _hold_places(port, end)
    else:
        _flood(FLOODS[kind](), port, end)


def _come_and_go(port: int, end: float) -> None:
    """Join and leave in a loop."""
    while time.monotonic() < end:
        with _connected(port) as wire:
            wire.sendall(_init("Guest"))
            _drain(wire, end, until=b"{Name Guest")


def _stall(port: int, end: float) -> None:
    """Enter lockstep, then listen only."""
    with join("P2AT", "Staller", at=(-3, 3, 0), port=port, token=TOKEN) as robot:
        robot.lockstep(0.1)
        for _ in robot.listen(end - time.monotonic()):
            pass


def _hold_places(port: int, end: float) -> None:
    """Hold connections that never say a word; the oldest give way to new ones."""
    wires: deque[socket.socket] = deque()
    while time.monotonic() < end:
        wires.append(socket.create_connection(("127.0.0.1", port)))
        if len(wires) > PLACES:
            wires.popleft().close()
        time.sleep(0.05)


def _flood(flood: Lines, port: int, end: float) -> None:
    """Send lines as fast as they are read."""
    with _connected(port) as wire:
        wire.settimeout(0.05)
        for lines in flood:
            if time.monotonic() > end:
                return
            while lines and time.monotonic() < end:
                with contextlib.suppress(TimeoutError):
                    lines = lines[wire.send(lines) :]
                _drain(wire, time.monotonic())


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port)) as wire:
        wire.sendall(f"LOGIN {{Token {TOKEN}}}\r\n".encode())
        yield wire


def _drain(wire: socket.socket, end: float, until: bytes | None = None) -> None:
    """Read what has come, or up to something that comes by ``end``."""
    wire.settimeout(0.2 if until else 0.0)
    with contextlib.suppress(BlockingIOError, TimeoutError):
        while data := wire.recv(65536):
            if until and (until in data or time.monotonic() > end):
                break
    wire.settimeout(0.05)


# -- the pace of the quiet -----------------------------------------------------------------------


def pace_figures() -> dict[str, float]:
    """Return a quiet robot's pace beside each neighbour, over its pace without."""
    figures: dict[str, float] = {}
    with (
        _served("pioneer_room", "--set", "robots=[]") as (_, ports),
        contextlib.ExitStack() as all_,
    ):
        port = ports["control"]
        robots = [
            all_.enter_context(
                join("P2DX", f"Quiet{n}", at=(SPREAD * n - 2, -2, 0), port=port, token=TOKEN)
            )
            for n in range(QUIET_ROBOTS)
        ]
        for kind in NEIGHBOURS:
            alone = _pace(robots[0], WINDOW)
            seconds = str(SETTLE + WINDOW + 2 * CATCH_UP + 1)
            with subprocess.Popen(
                [sys.executable, "-m", __name__, "annoy", kind, str(port), seconds]
            ) as neighbour:
                _pace(robots[0], SETTLE)
                figures[f"pace_{kind}"] = _pace(robots[0], WINDOW) / alone
                neighbour.wait()
    return {"pace_worst_neighbour": min(figures.values()), **figures}


def _pace(robot: RemoteRobot, seconds: float) -> float:
    """Return simulated over wall time, as a robot hears it."""
    for _ in robot.listen(CATCH_UP):  # what it has not read meanwhile is old
        pass
    stamps = [
        (stamp, time.monotonic())
        for heard in robot.listen(seconds)
        if (stamp := getattr(heard, "time", None)) is not None
    ]
    (first, begun), (last, ended) = stamps[0], stamps[-1]
    return float((last - first) / (ended - begun))


# -- joining -------------------------------------------------------------------------------------


def join_figures(world: World) -> dict[str, float]:
    """Return how long physics stands still while a robot joins ``world`` with 20 others."""
    return asyncio.run(_join_figures(world))


async def _join_figures(world: World) -> dict[str, float]:
    beats: list[float] = []

    class Watched(Simulation):
        """A simulation that notes when its beats begin, by the clock."""

        def step(self, *arguments: object, **options: object) -> None:
            beats.append(time.perf_counter())
            super().step(*arguments, **options)  # type: ignore[arg-type]

    gateway = UsarsimGateway(((0, PortProfile()),))
    options = ServerOptions(gateways=(gateway,), pictures=None)
    async with Server(Watched(world), options) as server:
        port = str(server.ports["control"])
        crowd = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, "crowd", port, stdout=subprocess.PIPE
        )
        running = asyncio.ensure_future(server.run())
        assert crowd.stdout
        spans = [line.split() async for line in crowd.stdout]
        server.stop()
        await running
    times = np.array(beats)
    gaps: dict[bytes, list[float]] = {}
    for what, begun, ended in spans:
        inside = times[(times > float(begun)) & (times < float(ended))]
        gaps.setdefault(what, []).append(milliseconds(float(np.diff(inside).max())))
    joining, idle = (float(np.median(gaps[what])) for what in (b"join", b"idle"))
    return {
        "join_stall_ms": joining,
        "join_stall_worst_ms": max(gaps[b"join"]),
        "idle_gap_ms": idle,
        "join_over_idle": joining / idle,
    }


async def crowd(port: int) -> None:
    """Be 20 robots that stay, and newcomers; print from when to when each of these came.

    As many spells in which nobody comes are printed before, to compare with.
    """
    residents = []  # asyncio hangs up on a connection that nobody holds
    for number in range(CROWD):
        reader, writer = await _come(port, f"R{number}", (number % 5 - 2.5, number // 5 - 2.0))
        residents.append((writer, asyncio.ensure_future(_listen(reader))))
    await asyncio.sleep(SETTLE)
    for _ in range(NEWCOMERS):
        begun = time.perf_counter()
        await asyncio.sleep(IDLE)
        _report("idle", begun)
    for number in range(NEWCOMERS):
        begun = time.perf_counter()
        _, writer = await _come(port, f"New{number}", (3.5, 3.5))
        await asyncio.sleep(0.2)
        _report("join", begun)
        writer.close()
        await asyncio.sleep(1.0)


def _report(what: str, begun: float) -> None:
    """Tell the bench what was done from when until now."""
    print(what, begun, time.perf_counter(), flush=True)  # noqa: T201 - for the bench


async def _come(
    port: int, name: str, place: tuple[float, float]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    x, y = (SPREAD * value for value in place)
    line = f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location {x},{y},0}}\r\n"
    writer.write(line.encode())
    for _ in range(2):  # the greeting, and a first sign of life
        await reader.readline()
    return reader, writer


async def _listen(reader: asyncio.StreamReader) -> None:
    while await reader.read(65536):
        pass


# -- strangers -----------------------------------------------------------------------------------


def strangers_figures() -> dict[str, float]:
    """Return how much memory (MB) silent connections take; nan: no certificate could be made."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return {"strangers_rss_mb": math.nan}
    with TemporaryDirectory() as folder:
        order = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        files = "-keyout both.pem -out cert.pem"
        command = [openssl, *order.split(), *files.split()]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        both = Path(folder) / "both.pem"
        both.write_bytes(both.read_bytes() + both.with_name("cert.pem").read_bytes())
        with _served("pioneer_room", "--certificate", str(both)) as (process, ports):
            time.sleep(SETTLE)
            before = _resident(process)
            strangers = subprocess.Popen(
                [sys.executable, "-m", __name__, "strangers", str(ports["control"])]
            )
            most = before
            while strangers.poll() is None:
                most = max(most, _resident(process))
                time.sleep(0.05)
    return {"strangers_rss_mb": (most - before) / 1e6}


def hold_places(port: int) -> None:
    """Hold thousands of connections that say nothing, for a while."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wires = []
    with contextlib.suppress(OSError):  # the system may not let us have as many
        for _ in range(STRANGERS):
            wires.append(socket.create_connection(("127.0.0.1", port), 10.0))
    time.sleep(SETTLE)


def _resident(process: subprocess.Popen[str]) -> float:
    """Return the bytes of memory that a process has now."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) * 1024.0 if found else math.nan


@contextmanager
def _served(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, int]]]:
    """Serve a world in a process of its own, behind a token; yield it and its ports."""
    command = [sys.executable, "-m", "grouser", "serve", *words]
    command += ["--port", "0", "--images", "-1", "--truth", "-1"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"GROUSER_TOKEN": TOKEN},
    ) as process:
        assert process.stdout
        said = process.stdout.readline().split()[1:]
        try:
            yield process, {name: int(n) for name, _, n in (word.partition("=") for word in said)}
        finally:
            process.terminate()


def main(words: Sequence[str]) -> None:
    """Be one of the processes that the bench starts."""
    match words:
        case ["annoy", kind, port, seconds]:
            annoy(kind, int(port), float(seconds))
        case ["crowd", port]:
            asyncio.run(crowd(int(port)))
        case ["strangers", port]:
            hold_places(int(port))


if __name__ == "__main__":
    main(sys.argv[1:])
