"""Run of a sequence against a real server object, and the invariants that hold afterwards."""

import asyncio
import logging
import math
import traceback
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from grouser.gateways import Server, ServerOptions
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.gateway import Endpoint
from grouser.gateways.ros_graph.plan_process import FoundPath, PlanAnswer, Planner, PlanOrder
from grouser.gateways.rosbridge.gateway import RosbridgeGateway
from grouser.gateways.rosbridge.rosapi import RosGraph
from grouser.gateways.usarsim import PortProfile, UsarsimGateway
from grouser.gateways.usarsim.truth_port import TruthGateway
from grouser.protocol.usarsim.dialects import UDK, UT3
from grouser.service.access import ALL_ROLES
from grouser.service.background_composer import BackgroundComposer
from grouser.service.rate_limiter import Limits
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, load
from support.fuzzing.memory_client import MemoryClient
from support.fuzzing.sequence import FuzzSequence, Mode, Setting, Step
from support.fuzzing.virtual_time import DelayedExecutor, virtual_time

SOURCE = "/grouser/"
WORLDS = {name: Path(__file__).with_name(f"{name}.yaml") for name in ("rich", "light", "match")}
DRIVEN_BY_CAN: dict[Setting, str] = {"rich": "kenaf", "light": "own", "match": "own"}
"""World -> robot whose motors are on the CAN bus."""
TICK = 0.004
"""Simulated seconds of a tick; short, since most lines are processed between two."""
UNREAD = 2**15
"""Bytes queued for a client that does not read; few, so that stalled clients exceed them."""
PLANNING_TIME = 0.001
"""Virtual seconds of a plan."""
SERVED = (b"NFO ", b"STA ", b"SEN ", b"Said none")
"""Parts of what a new client receives."""
OCCUPIED = b"no spot near is free"
"""Part of a refusal that is right: an object of a fuzzing client fills the place."""
ANSWER_TIMEOUT = 20.0
"""Virtual seconds in which a well-behaved client must be served."""
EXPECTED = ("diverged", "error in an event of the world")
"""Errors that clients may cause, by a part of their text."""


@dataclass(frozen=True)
class Finding:
    """Fault that a sequence has found."""

    where: str
    """Exception and innermost place in Grouser, or the violated invariant: the same fault has the
    same text."""
    details: str = ""


class StraightPlanner(Planner):
    """Planner whose paths are straight, without a process of its own."""

    async def plan(self, order: PlanOrder) -> PlanAnswer:
        """Return the straight path after a short time."""
        await asyncio.sleep(PLANNING_TIME)
        path = FoundPath(
            points=[list(order.start), list(order.goal)],
            length=math.dist(order.start, order.goal),
            score=1.0,
            trials=1,
            successes=1,
            success=1.0,
            success_interval=[0.2, 1.0],
            effort=1.0,
        )
        return PlanAnswer(best=path, candidates=1, trials=1)


class SocketlessServer(Server):
    """Server whose ports are reached in its own process."""

    endpoints: dict[str, Endpoint]

    async def _open(self, endpoint: Endpoint) -> None:
        vars(self).setdefault("endpoints", {})[endpoint.name] = endpoint
        if endpoint.name == "rosbridge":
            [graph] = (arg for arg in endpoint.factory.args if isinstance(arg, RosGraph))  # type: ignore[attr-defined]
            graph.services.planner = StraightPlanner()

    def _composer(self) -> BackgroundComposer | None:
        self._idle_gap.wait = lambda: None  # type: ignore[method-assign]  # there is no thread
        composer = super()._composer()
        if composer is not None:
            composer._thread.shutdown()
            composer._thread = DelayedExecutor(asyncio.get_running_loop())  # type: ignore[assignment]
        return composer

    def connect(self, port: str, address: str) -> MemoryClient:
        """Return a new client of a port."""
        connection = self.endpoints[port].factory()
        return MemoryClient(connection, port, address)  # type: ignore[arg-type]


class FaultLog(logging.Handler):
    """Collects tracebacks from the log and from the event loop."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.findings: list[Finding] = []

    def __enter__(self) -> "FaultLog":
        self._level, root = logging.getLogger().level, logging.getLogger()
        root.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        logging.getLogger().removeHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            self.add(record.exc_info[1])
        elif record.levelno >= logging.ERROR and not any(
            map(record.getMessage().__contains__, EXPECTED)
        ):
            self.findings.append(Finding(record.getMessage()))

    def on_loop_error(self, loop: asyncio.AbstractEventLoop, context: dict[str, object]) -> None:
        """Collect an exception that no code has caught."""
        error = context.get("exception")
        if isinstance(error, Exception):
            self.add(error)
        else:
            self.findings.append(Finding(str(context.get("message"))))

    def add(self, error: BaseException) -> None:
        """Collect an exception."""
        text = "".join(traceback.format_exception(error))
        self.findings.append(
            Finding(f"{type(error).__name__} at {place(error.__traceback__)}", text)
        )


def place(trace: TracebackType | None) -> str:
    """Return file and function of the innermost frame in Grouser."""
    frames = [frame for frame in traceback.extract_tb(trace) if SOURCE in frame.filename]
    if not frames:
        return "nowhere"
    last = frames[-1]
    return f"{last.filename.rpartition('/src/grouser/')[2]}:{last.name}"


@cache
def world(setting: Setting) -> World:
    """Return the world of the fuzzed server."""
    return load(WORLDS[setting])


class FuzzedServer:
    """A server, its fuzzing clients and a well-behaved client."""

    def __init__(self, server: SocketlessServer, setting: Setting, log: FaultLog) -> None:
        self.server, self._log, self._setting = server, log, setting
        self._driven_by_can = DRIVEN_BY_CAN[setting]
        self._scale = 1.0 if math.isfinite(server.options.speed) else 0.05
        """Virtual time of waits: an unpaced server simulates more in the same time."""
        self.kinds: set[str] = set()
        """Kinds of the robots that were in the world."""
        self._clients: dict[str, MemoryClient] = {}
        self._running = asyncio.get_running_loop().create_task(server.run())
        self._witness = server.connect("control", "127.0.0.9")
        self._witness.send("INIT {ClassName USARBot.P2DX} {Name Witness} {Location -3,-3,0}")

    async def perform(self, step: Step) -> None:
        """Perform one step."""
        client = self._clients.get(step.client)
        if step.verb == "open":
            if client is not None and not client.lost:
                client.close()
            address = f"127.0.0.{1 + ord(step.client) % 3}"
            self._clients[step.client] = self.server.connect(step.text, address)
        elif step.verb == "wait":
            await self._pass_time(int(step.text) / 1000)
            self.kinds.update(entry.kind for entry in self.server.host.simulation.world.robots)
        elif client is None or client.lost:
            return
        elif step.verb == "send":
            client.send(step.text)
        elif step.verb == "raw":
            client.send_bytes(step.text.encode("latin-1"))
        elif step.verb == "close":
            client.close()
            await asyncio.sleep(0)
        elif step.verb == "stall":
            client.stalled = True
        elif step.verb == "read":
            client.read_again()

    async def _pass_time(self, seconds: float) -> None:
        await asyncio.sleep(seconds * self._scale)

    @property
    def alive(self) -> bool:
        """True while the server runs."""
        return not self._running.done()

    async def check(self) -> None:
        """Check the invariants; close all clients."""
        if not self.alive:
            with suppress(asyncio.CancelledError):
                if error := self._running.exception():
                    self._log.add(error)
                    self._log.findings.append(Finding("the server ended"))
            return
        for client in self._clients.values():
            client.stalled = False
            if not client.lost:
                client.close()
        await self._pass_time(0.5)
        if self.alive:
            self._check_state()
            await self._check_service()
        if not self.alive:
            await self.check()
        self.server.stop()
        with suppress(Exception):
            await self._running

    def _report(self, text: str) -> None:
        self._log.findings.append(Finding(text))

    def _check_state(self) -> None:
        simulation = self.server.host.simulation
        data = simulation.state.data
        if not (np.isfinite(data.qpos).all() and np.isfinite(data.qvel).all()):
            self._report("the state is not finite")
        owners = set(self.server.host.owners) - {"Witness", self._driven_by_can}
        if owners:
            self._report("a robot belongs to a closed connection")
        if self.server.registry.connections - {self._witness.connection}:
            self._report("a closed connection is still registered")

    async def _check_service(self) -> None:
        """Check that a new client can join, drive and be answered."""
        host = self.server.host
        host.console("resume")
        self.server._wakened.set()
        begin = host.time
        client = self.server.connect("control", "127.0.0.8")
        for line in ("LOCKSTEP {Every 0}", "CONSOLE {Line list robots}", "GETSTARTPOSES"):
            client.send(line)
        join = "INIT {ClassName USARBot.P2DX} {Name Proof} {Location 3,-3,0}"
        for line in (join, "DRIVE {Left 1} {Right 1}", "CONSOLE {Line waits}"):
            client.send(line)
        refused = False
        for _ in range(200):
            await self._pass_time(ANSWER_TIMEOUT / 200)
            if not self.alive or all(word in client.received for word in SERVED):
                break
            if OCCUPIED in client.received and not refused:
                refused = True
                for name in self._added_objects():
                    client.send(f"CONSOLE {{Line remove {name}}}")
                client.send(join)
        if not self.alive:
            return
        for word in SERVED:
            if word not in client.received:
                self._report(f"a new client receives no {word.decode().strip()}")
        if host.time <= begin:
            self._report("time stands still")
        client.close()
        await self._pass_time(0.2)

    def _added_objects(self) -> list[str]:
        """Return the names of the objects that are not in the world file."""
        present = [entry.name for entry in self.server.host.simulation.world.objects]
        return sorted(set(present) - {entry.name for entry in world(self._setting).objects})


def fuzzed_server(mode: Mode, setting: Setting = "rich") -> SocketlessServer:
    """Return a server of a fuzzed world with all gateways that command robots."""
    profiles = (
        PortProfile(),
        PortProfile(UT3),
        PortProfile(UDK),
        PortProfile(unreal=True, early=True),
    )
    gateways = (
        UsarsimGateway(ports=tuple((0, profile) for profile in profiles)),
        TruthGateway(port=0),
        RosbridgeGateway(port=0, goals=(("", (-4.6, 3.0)),)),
        CanGateway(port=0, robot=DRIVEN_BY_CAN[setting]),
    )
    options = ServerOptions(
        gateways=gateways,
        pictures=None,
        speed=math.inf if mode == "max" else 1.0,
        tick=TICK,
        longest_wait=0.5,
        open_roles=ALL_ROLES,  # a match would refuse most ports and lines
        limits=Limits(
            lines_per_second=1e6, bytes_per_second=1e8, server_share=0.9, unread_bytes=UNREAD
        ),
    )
    return SocketlessServer(Simulation(world(setting), seed=1, crash_folder=None), options)


async def _perform(sequence: FuzzSequence, kinds: set[str], log: FaultLog) -> None:
    async with fuzzed_server(sequence.mode, sequence.setting) as server:
        fuzzed = FuzzedServer(server, sequence.setting, log)
        for step in sequence.steps:
            await fuzzed.perform(step)
            if not fuzzed.alive:
                break
        await fuzzed.check()
        kinds |= fuzzed.kinds


def run_in_virtual_time(scenario: Callable[[FaultLog], Coroutine[Any, Any, None]]) -> FaultLog:
    """Run ``scenario`` in a loop with virtual time; return the log of its faults."""
    with FaultLog() as log, virtual_time() as loop:
        loop.set_exception_handler(log.on_loop_error)
        loop.run_until_complete(scenario(log))
    return log


def run_sequence(sequence: FuzzSequence, kinds: set[str] | None = None) -> list[Finding]:
    """Run ``sequence`` against a new server; return the faults, without repetitions.

    The kinds of the robots that were in the world are added to ``kinds``.
    """
    log = run_in_virtual_time(partial(_perform, sequence, set() if kinds is None else kinds))
    return list({finding.where: finding for finding in log.findings}.values())


def fails_like(finding: Finding) -> Callable[[FuzzSequence], bool]:
    """Return a function that tests whether a sequence has the same fault as ``finding``."""

    def fails(sequence: FuzzSequence) -> bool:
        return any(found.where == finding.where for found in run_sequence(sequence))

    return fails
