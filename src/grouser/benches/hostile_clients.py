"""Effect of hostile clients, joins and idle connections on other clients; part of bench ``server``.

``pace_beside_hostile_client``   lowest pace of a quiet robot while one authenticated client
                           overloads the server, over its pace in the same run without that client;
                           bound 0.95
``pace_scan`` and others   the same for each kind of overload
``join_stall_ms``          longest time between two physics steps while a robot joins 20 others,
                           median of the joins; the time step is 2 ms, bound 4
``join_stall_worst_ms``    the same, maximum of the joins
``idle_gap_ms``            the same in as many intervals without a join: the longest gap between two
                           steps of 20 robots due to the machine alone
``join_over_idle``         ratio of the first to this: relative increase of the longest gap by a
                           join, independent of the machine; bound 2
``unauthenticated_rss_mb``       memory of 3,000 silent connections to a port with TLS; bound 30

The server, the clients and the bench are separate processes; all connections are at loopback.
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
"""Wall time before a measurement of pace, s."""
WINDOW = 8.0
"""Wall time of a measurement of pace, s."""
CATCH_UP = 0.5
"""Wall time in which a robot reads its queued messages, s."""
JOINS = 10
"""Number of joins, and of intervals without a join."""
IDLE = 0.5
"""Wall time of an interval without a join, s; about the duration of a join."""
CROWD = 20
"""Number of robots that are present during the joins."""
UNAUTHENTICATED = 3000
SILENT = 200
"""Number of connections that a silent client holds."""
SPREAD = 1.4  # m   between robots

Lines = Iterator[bytes]


# -- kinds of hostile clients ----------------------------------------------------------------------


def _init(name: str, at: tuple[float, float] = (3.0, 3.0)) -> bytes:
    place = f"{at[0]},{at[1]},0"
    return f"INIT {{ClassName USARBot.P2AT}} {{Name {name}}} {{Location {place}}}\r\n".encode()


def _scans() -> Lines:
    """Yield requests for range scans."""
    yield _init("Scanner")
    while True:
        yield b"SET {Type RangeScanner} {Opcode SCAN}\r\n" * 20


def _queries() -> Lines:
    """Yield queries of geometry and configuration."""
    yield _init("Inquirer")
    while True:
        yield b"GETGEO {Type Robot}\r\nGETCONF {Type Robot}\r\n" * 10


def _crates() -> Lines:
    """Yield commands that create and remove objects."""
    yield b"INIT {ClassName USARBot.WorldController}\r\n"
    for number in count():
        name = f"crate{number % 50}"
        yield (
            f"CONTROL {{Type Create}} {{ClassName Box}} {{Name {name}}} {{Location 4,4,-1}}\r\n"
            f"CONTROL {{Type Kill}} {{Name {name}}}\r\n"
        ).encode()


FLOODS: dict[str, Callable[[], Lines]] = {"scan": _scans, "queries": _queries, "create": _crates}
"""Kind → endless lines that are sent over one connection."""
OVERLOADS = (*FLOODS, "reconnect")
"""Kinds that could reduce the pace of other clients."""
KINDS = (*OVERLOADS, "stall", "silence")
"""All kinds: ``stall`` enters lockstep and ends no turn, ``silence`` holds silent connections."""


def attack(kind: str, port: int, seconds: float) -> None:
    """Run a hostile client for ``seconds`` of wall time."""
    end = time.monotonic() + seconds
    if kind == "reconnect":
        _reconnect(port, end)
    elif kind == "stall":
        _stall(port, end)
    elif kind == "silence":
        _hold_silent(port, end)
    else:
        _flood(FLOODS[kind](), port, end)


def _reconnect(port: int, end: float) -> None:
    """Join and leave in a loop."""
    while time.monotonic() < end:
        with _connect(port) as wire:
            wire.sendall(_init("Reconnecting"))
            _drain(wire, end, until=b"{Name Reconnecting")


def _stall(port: int, end: float) -> None:
    """Enter lockstep, then listen only."""
    with join("P2AT", "Staller", at=(-3, 3, 0), port=port, token=TOKEN) as robot:
        robot.lockstep(0.1)
        for _ in robot.listen(end - time.monotonic()):
            pass


def _hold_silent(port: int, end: float) -> None:
    """Hold silent connections and replace the oldest by new ones."""
    wires: deque[socket.socket] = deque()
    while time.monotonic() < end:
        wires.append(socket.create_connection(("127.0.0.1", port)))
        if len(wires) > SILENT:
            wires.popleft().close()
        time.sleep(0.05)


def _flood(flood: Lines, port: int, end: float) -> None:
    """Send lines as fast as the server reads them."""
    with _connect(port) as wire:
        wire.settimeout(0.05)
        for lines in flood:
            if time.monotonic() > end:
                return
            while lines and time.monotonic() < end:
                with contextlib.suppress(TimeoutError):
                    lines = lines[wire.send(lines) :]
                _drain(wire, time.monotonic())


@contextmanager
def _connect(port: int) -> Iterator[socket.socket]:
    """Connect and authenticate."""
    with socket.create_connection(("127.0.0.1", port)) as wire:
        wire.sendall(f"LOGIN {{Token {TOKEN}}}\r\n".encode())
        yield wire


def _drain(wire: socket.socket, end: float, until: bytes | None = None) -> None:
    """Read received data, or read until the bytes ``until`` arrive or ``end`` is reached."""
    wire.settimeout(0.2 if until else 0.0)
    with contextlib.suppress(BlockingIOError, TimeoutError):
        while data := wire.recv(65536):
            if until and (until in data or time.monotonic() > end):
                break
    wire.settimeout(0.05)


# -- pace ------------------------------------------------------------------------------------------


def pace_figures() -> dict[str, float]:
    """Return the pace of a quiet robot beside each hostile client, over its pace without it."""
    figures: dict[str, float] = {}
    with (
        _serve("pioneer_room", "--set", "robots=[]") as (_, ports),
        contextlib.ExitStack() as connections,
    ):
        port = ports["control"]
        robots = [
            connections.enter_context(
                join("P2DX", f"Quiet{n}", at=(SPREAD * n - 2, -2, 0), port=port, token=TOKEN)
            )
            for n in range(QUIET_ROBOTS)
        ]
        for kind in OVERLOADS:
            alone = _pace(robots[0], WINDOW)
            seconds = str(SETTLE + WINDOW + 2 * CATCH_UP + 1)
            with subprocess.Popen(
                [sys.executable, "-m", __name__, "attack", kind, str(port), seconds]
            ) as client:
                _pace(robots[0], SETTLE)
                figures[f"pace_{kind}"] = _pace(robots[0], WINDOW) / alone
                client.wait()
    return {"pace_beside_hostile_client": min(figures.values()), **figures}


def _pace(robot: RemoteRobot, seconds: float) -> float:
    """Return simulated over wall time from the time stamps that a robot receives."""
    for _ in robot.listen(CATCH_UP):  # discard queued messages
        pass
    stamps = [
        (stamp, time.monotonic())
        for message in robot.listen(seconds)
        if (stamp := getattr(message, "time", None)) is not None
    ]
    (first, start), (last, end) = stamps[0], stamps[-1]
    return float((last - first) / (end - start))


# -- joins -----------------------------------------------------------------------------------------


def join_figures(world: World) -> dict[str, float]:
    """Return the gaps between physics steps while robots join ``world`` with 20 others."""
    return asyncio.run(_join_figures(world))


async def _join_figures(world: World) -> dict[str, float]:
    starts: list[float] = []

    class RecordedSimulation(Simulation):
        """Simulation that records the wall time at which each step begins."""

        def step(self, *arguments: object, **options: object) -> None:
            starts.append(time.perf_counter())
            super().step(*arguments, **options)  # type: ignore[arg-type]

    gateway = UsarsimGateway(ports=((0, PortProfile()),))
    options = ServerOptions(gateways=(gateway,), pictures=None)
    async with Server(RecordedSimulation(world), options) as server:
        port = str(server.ports["control"])
        crowd = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, "crowd", port, stdout=subprocess.PIPE
        )
        running = asyncio.ensure_future(server.run())
        output, _ = await crowd.communicate()
        spans = [line.split() for line in output.splitlines()]
        server.stop()
        await running
    times = np.array(starts)
    gaps: dict[bytes, list[float]] = {}
    for kind, start, end in spans:
        inside = times[(times > float(start)) & (times < float(end))]
        gaps.setdefault(kind, []).append(milliseconds(float(np.diff(inside).max())))
    joining, idle = (float(np.median(gaps[kind])) for kind in (b"join", b"idle"))
    return {
        "join_stall_ms": joining,
        "join_stall_worst_ms": max(gaps[b"join"]),
        "idle_gap_ms": idle,
        "join_over_idle": joining / idle,
    }


async def crowd(port: int) -> None:
    """Run 20 robots that stay and `JOINS` that join; print start and end of every interval."""
    # Intervals without a join are measured first, for comparison.
    residents = []  # keeps references; asyncio closes a connection without one
    for number in range(CROWD):
        reader, writer = await _join(port, f"R{number}", (number % 5 - 2.5, number // 5 - 2.0))
        residents.append((writer, asyncio.ensure_future(_discard(reader))))
    await asyncio.sleep(SETTLE)
    for _ in range(JOINS):
        start = time.perf_counter()
        await asyncio.sleep(IDLE)
        _report("idle", start)
    for number in range(JOINS):
        start = time.perf_counter()
        _, writer = await _join(port, f"New{number}", (3.5, 3.5))
        await asyncio.sleep(0.2)
        _report("join", start)
        writer.close()
        await asyncio.sleep(1.0)


def _report(kind: str, start: float) -> None:
    """Print an interval that ends now, for the process of the bench."""
    print(kind, start, time.perf_counter(), flush=True)  # noqa: T201 - read by the bench


async def _join(
    port: int, name: str, place: tuple[float, float]
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Join a robot and wait for its first message."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    x, y = (SPREAD * value for value in place)
    line = f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location {x},{y},0}}\r\n"
    writer.write(line.encode())
    for _ in range(2):  # the greeting and the first message of the robot
        await reader.readline()
    return reader, writer


async def _discard(reader: asyncio.StreamReader) -> None:
    """Read and discard messages until the connection is closed."""
    while await reader.read(65536):
        pass


# -- unauthenticated connections -------------------------------------------------------------------


def unauthenticated_figures() -> dict[str, float]:
    """Return the memory of silent connections, MB; nan without openssl for a certificate."""
    openssl = shutil.which("openssl")
    if openssl is None:
        return {"unauthenticated_rss_mb": math.nan}
    with TemporaryDirectory() as folder:
        request = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost"
        files = "-keyout both.pem -out cert.pem"
        command = [openssl, *request.split(), *files.split()]
        subprocess.run(command, cwd=folder, capture_output=True, check=True)
        both = Path(folder) / "both.pem"
        both.write_bytes(both.read_bytes() + both.with_name("cert.pem").read_bytes())
        with _serve("pioneer_room", "--certificate", str(both)) as (process, ports):
            time.sleep(SETTLE)
            before = _resident(process)
            clients = subprocess.Popen(
                [sys.executable, "-m", __name__, "unauthenticated", str(ports["control"])]
            )
            most = before
            while clients.poll() is None:
                most = max(most, _resident(process))
                time.sleep(0.05)
    return {"unauthenticated_rss_mb": (most - before) / 1e6}


def hold_unauthenticated(port: int) -> None:
    """Hold thousands of silent connections for `SETTLE`."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wires = []
    with contextlib.suppress(OSError):  # the system may limit the number of connections
        for _ in range(UNAUTHENTICATED):
            wires.append(socket.create_connection(("127.0.0.1", port), 10.0))
    time.sleep(SETTLE)


def _resident(process: subprocess.Popen[str]) -> float:
    """Return the resident memory of a process, bytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) * 1024.0 if found else math.nan


@contextmanager
def _serve(*options: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, int]]]:
    """Serve a world with a token in a separate process; yield the process and its ports."""
    command = [sys.executable, "-m", "grouser", "serve", *options]
    command += ["--port", "0", "--images", "-1", "--truth", "-1"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"GROUSER_TOKEN": TOKEN},
    ) as process:
        words = process.stdout.readline().split()[1:] if process.stdout else []
        try:
            yield process, {name: int(n) for name, _, n in (word.partition("=") for word in words)}
        finally:
            process.terminate()


def main(words: Sequence[str]) -> None:
    """Run one of the processes that the bench starts."""
    match words:
        case ["attack", kind, port, seconds]:
            attack(kind, int(port), float(seconds))
        case ["crowd", port]:
            asyncio.run(crowd(int(port)))
        case ["unauthenticated", port]:
            hold_unauthenticated(int(port))


if __name__ == "__main__":
    main(sys.argv[1:])
