"""Cost of snapshots, and effect of observers on the pace of a served world.

``reset_ms``  ``save_ms``  ``restore_ms``
                       one call in the world ``bumps``, processor time, fastest of several; bound of
                       the first: 5
``reset_over_compile``  ``save_over_compile``  ``restore_over_compile``
                       the same over the time of composing and compiling the world
``fork_over_compile``  one of 64 simulations that are forked by one call, over the same time
``pickle_bytes``       size of a pickled snapshot
``observed_pace``      pace of a client of a served world with three observers (one never returns,
                       one fails, one stores everything) over its pace without; bound 0.98 to 1.02
"""

from __future__ import annotations

import asyncio
import logging
import pickle
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import partial

from grouser.benches.machine import processor_seconds
from grouser.client.connection import RemoteRobot, join
from grouser.experiments.run_options import Progress
from grouser.frames import milliseconds
from grouser.gateways.server import Server, ServerOptions
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.service import observer_thread
from grouser.simulation.observers import Mailbox
from grouser.simulation.simulation import Simulation

WORLD, SERVED = "bumps", "pioneer_room"
BEFORE = 1.0
"""Simulated time before the snapshot, s."""
FORKS = 64
TURNS = 7
"""Calls of which the fastest counts."""
SETTLE, WINDOW = 1.0, 10.0
"""Wall time before and of a measurement of pace, s."""


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("compile", 0, 4)
    compiled = _fastest(partial(Simulation, WORLD), 2)
    simulation = Simulation(WORLD)
    simulation.step(simulation.round_to_steps(BEFORE))
    progress("snapshots", 1, 4)
    snapshot = simulation.save()
    calls: dict[str, Callable[[], object]] = {
        "save": simulation.save,
        "restore": partial(simulation.restore, snapshot),
        "reset": simulation.reset,
    }
    seconds = {name: _fastest(call) for name, call in calls.items()}
    figures = {f"{name}_ms": milliseconds(value) for name, value in seconds.items()}
    progress("forks", 2, 4)
    seconds["fork"] = processor_seconds(partial(simulation.fork, FORKS)) / FORKS
    figures |= {f"{name}_over_compile": value / compiled for name, value in seconds.items()}
    progress("observers", 3, 4)
    alone, observed = _pace(observers=False), _pace(observers=True)
    size = float(len(pickle.dumps(snapshot)))
    return {**figures, "pickle_bytes": size, "observed_pace": observed / alone}


def _fastest(call: Callable[[], object], turns: int = TURNS) -> float:
    return min(processor_seconds(call) for _ in range(turns))


class _Stuck:
    """Observer that does not return before it is released."""

    def __init__(self) -> None:
        self.release = threading.Event()

    def on_step(self, time: float) -> None:
        """Wait."""
        self.release.wait()


class _Broken:
    """Observer that fails."""

    def on_reading(self, robot: str, reading: object) -> None:
        """Fail."""
        raise RuntimeError("this observer always fails")


def _pace(*, observers: bool) -> float:
    """Return simulated over wall time, as a client sees it."""
    stuck = _Stuck()
    watching = (stuck, _Broken(), Mailbox(10**6)) if observers else ()
    logging.getLogger(observer_thread.__name__).setLevel(logging.CRITICAL)  # one fails on purpose
    with _server(watching) as port, join("P2DX", name="R1", port=port) as robot:
        robot.drive(left=1.0, right=1.0)
        _listen(robot, SETTLE)
        begin, started = _time(robot), time.perf_counter()
        _listen(robot, WINDOW)
        pace = (_time(robot) - begin) / (time.perf_counter() - started)
        stuck.release.set()
    return pace


def _listen(robot: RemoteRobot, seconds: float) -> None:
    for _ in robot.listen(seconds):
        pass


def _time(robot: RemoteRobot) -> float:
    """Return the simulated time of the newest message, s."""
    return robot.time or 0.0


@contextmanager
def _server(observers: Iterable[object]) -> Iterator[int]:
    """Return a context with a server in a thread of its own; yield its control port."""
    opened: Future[tuple[Server, asyncio.AbstractEventLoop]] = Future()

    async def serve() -> None:
        gateways = (UsarsimGateway(ports=((0, PortProfile()),)),)
        options = ServerOptions(gateways=gateways, pictures=None)
        async with Server(Simulation(SERVED), options) as server:
            for observer in observers:
                server.subscribe(observer, rate_hz=500.0)
            opened.set_result((server, asyncio.get_running_loop()))
            await server.run()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="server")
    thread.start()
    server, loop = opened.result(60)
    try:
        yield server.ports["control"]
    finally:
        loop.call_soon_threadsafe(server.stop)
        thread.join()
