"""How long does a command take, and how much can be said, with many clients at once?

Sixteen P2DX in one hall, every one with all its sensors and a client of its own that sends DRIVE
fifty times a second, for a minute in real time; 48 further connections only listen. The server and
the clients are processes of their own, as in real life.

``p99_ms``                 from ``send`` of a DRIVE to the physics step that uses it: 99 % are below
``p50_ms``  ``worst_ms``   the same, median and longest
``lines_per_s``            lines that all clients were sent
``commands_per_s``         lines that they sent
``connections``            that were held for the minute
``drift_ms_per_minute``    of simulated against wall time
``server_share``           time of one core that the server took
``asap_factor``            simulated over wall time, as fast as possible, one P3AT and one client
"""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from grouser.client.connection import join
from grouser.drives import Setpoint
from grouser.errors import Disconnected
from grouser.frames import Array
from grouser.server.serve import Server, Service
from grouser.server.wire.outlook import Outlook
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.objects import Box
from grouser.world.physics import STANDARD
from grouser.world.terrain import Flat

CLIENTS = 16
LISTENERS = 48
RATE_HZ = 50.0
SECONDS = 60.0
"""Wall time of the measurement."""
WARM_UP = 3.0
"""Wall time between the last robot's coming and the first DRIVE that counts."""
ASAP_SECONDS = 40.0
"""Simulated, as fast as possible."""
TIMESTEP = 0.002  # s
TICKS = 1000
"""A DRIVE says which it is by its speed: so many differ."""
SPREAD = 2.0  # m   between robots

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("as fast as possible", 0, 2)
    factor = _as_fast_as_possible()
    progress(f"{CLIENTS} clients, {SECONDS:.0f} s", 1, 2)
    with TemporaryDirectory() as folder:
        figures = asyncio.run(_crowd(Path(folder)))
    return {**figures, "asap_factor": factor}


def hall() -> World:
    """Return a hall with four walls."""
    far, thick, high = 8.0, 0.2, 1.0
    sides = {
        "north": ((0, far), (2 * far, thick)),
        "south": ((0, -far), (2 * far, thick)),
        "east": ((far, 0), (thick, 2 * far)),
        "west": ((-far, 0), (thick, 2 * far)),
    }
    walls = tuple(
        Box(name=name, position=(x, y, high / 2), size=(a, b, high), friction=0.8, fixed=True)
        for name, ((x, y), (a, b)) in sides.items()
    )
    physics = STANDARD.model_copy(update={"timestep": TIMESTEP})
    return World(name="hall", physics=physics, terrain=(Flat(friction=0.8),), objects=walls)


# -- the server's side ---------------------------------------------------------------------------


@dataclass
class _Uses:
    """When which command was used, by the machine's clock."""

    server: Server
    seen: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Robot → (which DRIVE, ns)."""

    def __call__(self, robot: str, command: object) -> None:
        assert isinstance(command, dict)
        told = next(iter(command.values()))
        assert isinstance(told, Setpoint)
        tick = round((abs(told.value) - 1.0) * TICKS)
        self.seen.setdefault(robot, []).append((tick, time.monotonic_ns()))


async def _crowd(folder: Path) -> dict[str, float]:
    """Serve; let another process be all the clients; compare both sides' clocks."""
    service = Service(
        control=((0, Outlook()),), images=None, truth=None, speed=1.0, command_timeout=0.0
    )
    async with Server(Simulation(hall()), service) as server:
        server.host.used = uses = _Uses(server)
        report = folder / "clients.json"
        clients = await asyncio.create_subprocess_exec(
            sys.executable, "-m", __name__, str(server.ports["control"]), str(report)
        )
        running = asyncio.ensure_future(server.run())
        while len(server.host.guests) < CLIENTS and clients.returncode is None:
            await asyncio.sleep(0.05)
        await asyncio.sleep(WARM_UP)
        before = server.pace.drift(asyncio.get_running_loop().time(), server.host.time)
        cpu, connections = time.process_time(), len(server.counter.connections)
        await asyncio.sleep(SECONDS)
        shares = (time.process_time() - cpu) / SECONDS
        connections = min(connections, len(server.counter.connections))
        after = server.pace.drift(asyncio.get_running_loop().time(), server.host.time)
        await clients.wait()
        server.stop()
        await running
        lost = server.pace.lost
    heard = json.loads(report.read_text())
    delays = _delays(uses.seen, heard["sent"]) / 1e6
    return {
        "p99_ms": float(np.percentile(delays, 99)),
        "p50_ms": float(np.median(delays)),
        "worst_ms": float(delays.max()),
        "lines_per_s": heard["lines"] / heard["seconds"],
        "commands_per_s": sum(map(len, heard["sent"].values())) / heard["seconds"],
        "connections": float(connections),
        # Between two beats simulated time is up to one beat ahead: drift is what adds up.
        "drift_ms_per_minute": abs(after - before) * 1e3 * 60 / SECONDS + lost * 1e3,
        "server_share": shares,
    }


def _delays(seen: dict[str, list[tuple[int, int]]], sent: dict[str, list[int]]) -> Array:
    """Return how long (ns) every DRIVE took from its client's clock to its first step.

    One that was overtaken by the next before any step took as long as until that one's.
    """
    delays: list[int] = []
    for robot, times in sent.items():
        uses, last = [], 0
        for tick, at in seen.get(robot, []):
            last += (tick - last) % TICKS
            uses.append((last, at))
        place = 0
        for number, at in enumerate(times):
            while place < len(uses) and uses[place][0] < number:
                place += 1
            if place < len(uses):
                delays.append(uses[place][1] - at)
    return np.array(delays, float)


# -- the clients' side ---------------------------------------------------------------------------


class _Ear(asyncio.Protocol):
    """A client's socket that counts lines."""

    def __init__(self) -> None:
        self.lines = 0
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send at once what is sent."""
        assert isinstance(transport, asyncio.Transport)  # a stream
        self.transport = transport
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        """Count."""
        self.lines += data.count(b"\n")


async def _clients(port: int, report: Path) -> None:
    """Be all the clients; write what was sent when, and how much was heard."""
    loop = asyncio.get_running_loop()
    ears: dict[str, _Ear] = {}
    for number in range(CLIENTS + LISTENERS):
        _, ear = await loop.create_connection(_Ear, "127.0.0.1", port)
        ears[f"R{number}"] = ear
    robots = list(ears.items())[:CLIENTS]
    for number, (name, ear) in enumerate(robots):
        x, y = SPREAD * (number % 4 - 1.5), SPREAD * (number // 4 - 1.5)
        line = f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location {x},{y},0}}\r\n"
        _write(ear, line.encode())
        while ear.lines < 2:  # the greeting, and a first sign of life
            await asyncio.sleep(0.01)
    await asyncio.sleep(WARM_UP)
    begun, lines = time.monotonic(), sum(ear.lines for ear in ears.values())
    sent = await asyncio.gather(
        *(_drive(ear, number / CLIENTS / RATE_HZ) for number, (_, ear) in enumerate(robots))
    )
    seconds = time.monotonic() - begun
    heard = sum(ear.lines for ear in ears.values()) - lines
    found = {"sent": dict(zip(dict(robots), sent, strict=True)), "lines": heard, "seconds": seconds}
    report.write_text(json.dumps(found))


async def _drive(ear: _Ear, phase: float) -> list[int]:
    """Send a DRIVE every 20 ms, each with a speed of its own; return when, ns."""
    loop = asyncio.get_running_loop()
    begun, sent = loop.time() + phase, []
    for number in range(round((SECONDS + WARM_UP) * RATE_HZ)):
        await asyncio.sleep(max(0.0, begun + number / RATE_HZ - loop.time()))
        spin = 1.0 + number % TICKS / TICKS
        line = f"DRIVE {{Left {spin:.4f}}} {{Right {-spin:.4f}}}\r\n".encode()
        sent.append(time.monotonic_ns())
        _write(ear, line)
    return sent


def _write(ear: _Ear, line: bytes) -> None:
    assert ear.transport  # it is connected
    ear.transport.write(line)


# -- as fast as possible -------------------------------------------------------------------------


def _as_fast_as_possible() -> float:
    """Return how much faster than the clock a served P3AT runs that one client drives."""
    command = [
        sys.executable,
        "-m",
        "grouser",
        "serve",
        "pioneer_room",
        "--set",
        "robots=[]",
        "--speed",
        "max",
    ]
    command += ["--port", "0", "--images", "-1", "--truth", "-1", "--seconds", str(ASAP_SECONDS)]
    times: list[tuple[float, float]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        port = int(server.stdout.readline().split("control=")[1].split()[0])
        try:
            with join("P3AT", port=port, timeout=30.0) as robot:
                robot.drive(left=1.0, right=-1.0)
                for heard in robot.listen():
                    if (stamp := getattr(heard, "time", None)) is not None:
                        times.append((stamp, time.monotonic()))
        except Disconnected:
            pass  # it ends after so many simulated seconds
    (first, begun), (last, ended) = times[0], times[-1]
    return (last - first) / (ended - begun)


if __name__ == "__main__":
    asyncio.run(_clients(int(sys.argv[1]), Path(sys.argv[2])))
