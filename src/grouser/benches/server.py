"""Latency of commands and throughput of the server with many clients.

Sixteen P2DX with all their sensors drive in one hall for a minute in real time. Every robot has a
client of its own that sends DRIVE fifty times per second; 48 further connections only receive. The
server and the clients are separate processes.

``p99_ms``                 time from ``send`` of a DRIVE to the physics step that uses it, 99th
                           percentile
``p50_ms``  ``worst_ms``   the same, median and maximum
``p99_calm_ms``            the same in intervals of 0.25 s without stolen time in them or in the one
                           before
``stolen_share``           share of the minute's core time that the host gave to other machines
``lines_per_s``            lines sent to all clients per second
``commands_per_s``         lines sent by all clients per second
``connections``            connections that were open for the whole minute
``drift_ms_per_minute``    drift of simulated against wall time
``server_share``           share of one core used by the server
``asap_factor``            simulated over wall time, as fast as possible, one P3AT and one client

The effect of hostile clients is measured by `grouser.benches.hostile_clients`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import socket
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

import numpy as np
import numpy.typing as npt

from grouser.benches import hostile_clients
from grouser.benches.machine import stolen_seconds
from grouser.client.connection import join
from grouser.client.launch import serving
from grouser.cores import cores
from grouser.errors import Disconnected
from grouser.experiments.run_options import Progress
from grouser.frames import Array, milliseconds
from grouser.gateways.server import Server, ServerOptions
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.physics.drives import Setpoint, speed
from grouser.simulation.changes.actions import Action, Command
from grouser.simulation.scene_state import StepPhysics, step_physics
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.objects import Box
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

CLIENTS = 16
LISTENERS = 48
RATE_HZ = 50.0
SECONDS = 60.0
"""Wall time of the measurement, s."""
WARM_UP = 3.0
"""Wall time between the last join and the first DRIVE that counts, s."""
ASAP_SECONDS = 40.0
"""Simulated time of the run as fast as possible, s."""
TIMESTEP = 0.002  # s
TICKS = 1000
"""Number of distinct speeds, by which a DRIVE is identified."""
SAMPLE_PERIOD = 0.25
"""Wall time between two samples of the stolen time, s."""
SPREAD = 2.0  # m   between robots


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("as fast as possible", 0, 5)
    factor = _as_fast_as_possible()
    progress(f"{CLIENTS} clients, {SECONDS:.0f} s", 1, 5)
    figures = crowd_figures()
    progress("hostile clients", 2, 5)
    paces = hostile_clients.pace_figures()
    progress("joins", 3, 5)
    joins = hostile_clients.join_figures(hall())
    progress("unauthenticated connections", 4, 5)
    unauthenticated = hostile_clients.unauthenticated_figures()
    return {**figures, "asap_factor": factor, **paces, **joins, **unauthenticated}


def crowd_figures(seconds: float = SECONDS, *, recorded: bool = False) -> dict[str, float]:
    """Return the figures of a server with all clients, which may be recorded meanwhile."""
    with TemporaryDirectory() as folder:
        return asyncio.run(_crowd(Path(folder), seconds, recorded))


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


class _MeasuredSimulation(Simulation):
    """Simulation that reports every command just before the first step that uses it."""

    def __init__(self, world: World) -> None:
        self.listener: Callable[[str, Setpoint], None] | None = None
        self._unused: dict[str, Setpoint] = {}
        super().__init__(world)

    def apply(self, action: Action, *, source: str = "python") -> None:
        """Carry out an action; store the first setpoint of a command."""
        super().apply(action, source=source)
        if isinstance(action, Command):
            setpoint = next(iter(action.command.values()))
            self._unused[action.robot] = (
                setpoint if isinstance(setpoint, Setpoint) else speed(setpoint)
            )

    def step(self, seconds: float | None = None, *, physics: StepPhysics = step_physics) -> None:
        """Report the stored commands, then step."""
        if self.listener:
            for robot, setpoint in self._unused.items():
                self.listener(robot, setpoint)
        self._unused.clear()
        super().step(seconds, physics=physics)


@dataclass
class _CommandLog:
    """Times at which commands are used, and clocks of the server."""

    server: Server
    seen: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    """Robot → (identifier of a DRIVE, wall time in ns)."""
    ahead: list[tuple[float, float]] = field(default_factory=list)
    """Wall time at the start of a step (s), and lead of simulated time (s)."""
    stolen: list[tuple[int, float]] = field(default_factory=list)
    """Wall time (ns) and stolen time until then (s)."""

    async def watch(self) -> None:
        """Sample the stolen time until cancelled."""
        while True:
            self.stolen.append((time.monotonic_ns(), stolen_seconds()))
            await asyncio.sleep(SAMPLE_PERIOD)

    def calm(self, sent: Array) -> npt.NDArray[np.bool_]:
        """Return which wall times (ns) have no stolen time in their and the previous interval."""
        times, stolen = np.array(self.stolen).T
        disturbed = np.diff(stolen, prepend=stolen[0]) > 0  # since the previous sample
        disturbed |= np.roll(disturbed, 1)
        place = np.minimum(np.searchsorted(times, sent), len(times) - 1)
        return np.asarray(~disturbed[place])

    def __call__(self, robot: str, setpoint: Setpoint) -> None:
        """Record that a command is used now."""
        tick = round((abs(float(setpoint.value)) - 1.0) * TICKS)
        self.seen.setdefault(robot, []).append((tick, time.monotonic_ns()))
        now = asyncio.get_running_loop().time()
        self.ahead.append((now, self.server.pace.drift(self.server.host.time)))

    def drift(self) -> float:
        """Return the drift between simulated and wall time, s per minute."""
        # Between the medians of the first and the last sixth, because steps have jitter.
        times, ahead = np.array(self.ahead).T
        sixth = (times[-1] - times[0]) / 6
        first, last = times < times[0] + sixth, times > times[-1] - sixth
        drift = float(np.median(ahead[last]) - np.median(ahead[first]))
        return abs(drift) * 60 / float(5 * sixth)


async def _crowd(folder: Path, seconds: float, recorded: bool) -> dict[str, float]:
    """Serve with all clients in another process, and combine the records of both sides."""
    gateway = UsarsimGateway(ports=((0, PortProfile()),))
    options = ServerOptions(gateways=(gateway,), pictures=None, speed=1.0, command_timeout=0.0)
    simulation = _MeasuredSimulation(hall())
    recorder = simulation.record(folder / "run", wait=0.0) if recorded else None
    async with Server(simulation, options) as server:
        simulation.listener = uses = _CommandLog(server)
        report = folder / "clients.json"
        clients = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", __name__, str(server.ports["control"]), str(report)),
            str(seconds),
        )
        running = asyncio.ensure_future(server.run())
        watching = asyncio.ensure_future(uses.watch())
        while len(server.host.owners) < CLIENTS and clients.returncode is None:
            await asyncio.sleep(0.05)
        await asyncio.sleep(WARM_UP)
        cpu, connections = time.process_time(), len(server.registry.connections)
        stolen = stolen_seconds()
        await asyncio.sleep(seconds)
        share, stolen = (time.process_time() - cpu) / seconds, stolen_seconds() - stolen
        connections = min(connections, len(server.registry.connections))
        await clients.wait()
        watching.cancel()
        server.stop()
        await running
        lost = server.pace.lost
    if recorder is not None:
        recorder.close()
    clients_report = json.loads(report.read_text())
    sent, delays = _delays(uses.seen, clients_report["sent"])
    calm = delays[uses.calm(sent)]
    return {
        "p99_ms": float(np.percentile(delays, 99)),
        "p99_calm_ms": float(np.percentile(calm, 99)) if len(calm) else math.nan,
        "p50_ms": float(np.median(delays)),
        "worst_ms": float(delays.max()),
        "lines_per_s": clients_report["lines"] / clients_report["seconds"],
        "commands_per_s": sum(map(len, clients_report["sent"].values()))
        / clients_report["seconds"],
        "connections": float(connections),
        "drift_ms_per_minute": milliseconds(uses.drift() + lost),
        "server_share": share,
        "stolen_share": stolen / seconds / cores(),
    }


def _delays(
    seen: dict[str, list[tuple[int, int]]], sent: dict[str, list[int]]
) -> tuple[Array, Array]:
    """Return the send time of every DRIVE (ns) and its latency until the first step (ms).

    The latency of a DRIVE that is replaced before any step ends at the step of its replacement.
    """
    sent_at: list[int] = []
    delays: list[float] = []
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
                sent_at.append(at)
                delays.append((uses[place][1] - at) / 1e6)
    return np.array(sent_at), np.array(delays)


# -- the clients' side ---------------------------------------------------------------------------


class _LineCounter(asyncio.Protocol):
    """Client connection that counts received lines."""

    transport: asyncio.Transport
    """Set on connection."""

    def __init__(self) -> None:
        self.lines = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport and disable Nagle's algorithm."""
        self.transport = cast(asyncio.Transport, transport)  # a stream
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        """Count lines."""
        self.lines += data.count(b"\n")


async def _clients(port: int, report: Path, seconds: float) -> None:
    """Run all clients; write the send times and the number of received lines to ``report``."""
    loop = asyncio.get_running_loop()
    counters: dict[str, _LineCounter] = {}
    for number in range(CLIENTS + LISTENERS):
        _, counter = await loop.create_connection(_LineCounter, "127.0.0.1", port)
        counters[f"R{number}"] = counter
    robots = list(counters.items())[:CLIENTS]
    for number, (name, counter) in enumerate(robots):
        x, y = SPREAD * (number % 4 - 1.5), SPREAD * (number // 4 - 1.5)
        line = f"INIT {{ClassName USARBot.P2DX}} {{Name {name}}} {{Location {x},{y},0}}\r\n"
        counter.transport.write(line.encode())
        while counter.lines < 2:  # the greeting and the first message of the robot
            await asyncio.sleep(0.01)
    await asyncio.sleep(WARM_UP)
    start, lines = time.monotonic(), sum(counter.lines for counter in counters.values())
    sent = await asyncio.gather(
        *(
            _drive(counter, number / CLIENTS / RATE_HZ, seconds)
            for number, (_, counter) in enumerate(robots)
        )
    )
    lasted = time.monotonic() - start
    received = sum(counter.lines for counter in counters.values()) - lines
    figures = {
        "sent": dict(zip(dict(robots), sent, strict=True)),
        "lines": received,
        "seconds": lasted,
    }
    report.write_text(json.dumps(figures))


async def _drive(counter: _LineCounter, phase: float, seconds: float) -> list[int]:
    """Send a DRIVE every 20 ms with an identifying speed; return the send times, ns."""
    loop = asyncio.get_running_loop()
    start, sent = loop.time() + phase, []
    for number in range(round((seconds + WARM_UP) * RATE_HZ)):
        await asyncio.sleep(max(0.0, start + number / RATE_HZ - loop.time()))
        spin = 1.0 + number % TICKS / TICKS
        line = f"DRIVE {{Left {spin:.4f}}} {{Right {-spin:.4f}}}\r\n".encode()
        sent.append(time.monotonic_ns())
        counter.transport.write(line)
    return sent


# -- as fast as possible -------------------------------------------------------------------------


def _as_fast_as_possible() -> float:
    """Return simulated over wall time of a served P3AT that one client drives."""
    options = ("--set", "robots=[]", "--speed", "max", "--images", "-1", "--truth", "-1")
    times: list[tuple[float, float]] = []
    with (
        serving("pioneer_room", *options, "--seconds", str(ASAP_SECONDS)) as ports,
        contextlib.suppress(Disconnected),  # the server stops after `ASAP_SECONDS`
        join("P3AT", port=ports.control, timeout=30.0) as robot,
    ):
        robot.drive(left=1.0, right=-1.0)
        for message in robot.listen():
            if (stamp := getattr(message, "time", None)) is not None:
                times.append((stamp, time.monotonic()))
    (first, start), (last, end) = times[0], times[-1]
    return (last - first) / (end - start)


if __name__ == "__main__":
    asyncio.run(_clients(int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])))
