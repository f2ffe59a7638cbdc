"""Cost of the browser page: clients are processes of their own, without a browser.

``bytes_per_update``        bytes of a frame in which 500 bodies with one geom each have moved
``share_8_clients``         share of a core for 60 such frames per second to 8 clients, without
                            gathering the poses
``gather_share``            share of a core for gathering and quantising the poses
``updates_7_robots``        frames per second that a client receives of seven robots in real time
``factor_7_robots``         real-time factor of that run
``real_time_factor_ratio``  simulated time per processor time of the server, as fast as possible,
                            seven robots: with one client over without, by turns of a second
``stopped_client_ratio``    the same with a client whose process is stopped
``stopped_client_growth``   growth of the server's memory beside that client, without the timeline
                            (up to its limit), bytes per second
``dead_man_ms``             time from the last command of a stopped client to the halt, beyond the
                            time-out, ms
``first_picture_s``         time from opening the page in Chromium to its first picture, s; absent
                            without Chromium and Playwright
"""

from __future__ import annotations

import asyncio
import importlib.util
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from grouser.benches.views import mixed_world
from grouser.experiments.run_options import Progress
from grouser.frames import milliseconds
from grouser.gateways.gateway import Gateway, GatewayContext
from grouser.gateways.page.feed import PageFeed
from grouser.gateways.page.gateway import PageGateway
from grouser.gateways.page.timeline import PoseState
from grouser.gateways.server import Server, ServerOptions
from grouser.simulation.changes.actions import Command
from grouser.simulation.observers import ActionRecord
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.objects import Box
from grouser.world.terrain.flat import Flat

BODIES = 500
CLIENTS = 8
SECONDS = 6.0
"""Wall time of each run, s."""
TURN, TURNS = 1.0, 10
"""Wall time of a turn, s, and number of turns with and without a client."""
START = 1.5
"""Wall time for clients to start, s."""
FAST = 100.0
"""Real-time factor that no machine reaches."""
DRIVEN = "dog0"
CHROMIUM = Path("/usr/bin/chromium")

CLIENT = """
import json, sys
from websockets.sync.client import connect
with connect(f"ws://127.0.0.1:{sys.argv[1]}/socket", max_size=None) as socket:
    socket.send(json.dumps({"op": "hello", "version": 1, "role": "trainer"}))
    robot = sys.argv[2] if len(sys.argv) > 2 else ""
    if robot:
        socket.send(json.dumps({"op": "take", "robot": robot}))
    frames = 0
    while True:
        data = socket.recv()
        if isinstance(data, bytes):
            frames += 1
            if frames % 8 == 0:
                socket.send(json.dumps({"op": "ack", "frame": int.from_bytes(data[4:8], "little")}))
        elif robot and '"op":"state"' in data:
            socket.send(json.dumps({"op": "drive", "robot": robot, "throttle": 0.2, "rudder": 0}))
"""
"""Program of a client: acknowledges frames; with the name of a robot it drives."""


class MovingFeed(PageFeed):
    """Feed in which all bodies of a paused world move."""

    gathering = 0.0
    """Processor time for gathering so far, s."""

    def live(self) -> PoseState:
        """Return poses that differ from the last ones in every body."""
        begin = time.thread_time()
        self.simulation.state.data.qpos[:] += 1e-3
        state = super().live()
        self.gathering += time.thread_time() - begin
        return state


class BenchGateway(PageGateway):
    """Page whose feed the bench reads."""

    def make_feed(self, context: GatewayContext) -> PageFeed:
        """Return the feed, which is stored in `FEEDS`."""
        kind = MovingFeed if context.host.simulation.paused else PageFeed
        FEEDS.append(kind(context, rate_hz=self.rate_hz, dead_man_s=self.dead_man_s))
        return FEEDS[-1]


FEEDS: list[PageFeed] = []
"""Feeds of the servers of this bench, newest last."""


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("eight clients", 0, 5)
    figures = asyncio.run(_eight_clients())
    progress("seven robots", 1, 5)
    seven = asyncio.run(_serve(Simulation(mixed_world()), clients=1, speed=1.0))
    figures |= {"updates_7_robots": seven.updates, "factor_7_robots": seven.factor}
    progress("as fast as possible", 2, 5)
    for name, stop in (("real_time_factor_ratio", False), ("stopped_client_ratio", True)):
        compared = asyncio.run(_compare(stop=stop))
        figures[name] = compared.ratio
        figures["stopped_client_growth"] = compared.growth  # of the last one, which is stopped
    progress("dead man", 3, 5)
    figures["dead_man_ms"] = milliseconds(asyncio.run(_dead_man()))
    progress("first picture", 4, 5)
    if CHROMIUM.exists() and importlib.util.find_spec("playwright"):
        figures["first_picture_s"] = asyncio.run(_first_picture())
    return figures


def boxes() -> World:
    """Return a world of `BODIES` free boxes."""
    places = ((0.3 * (number % 25), 0.3 * (number // 25)) for number in range(BODIES))
    objects = tuple(
        Box(
            name=f"box{number}", position=(x, y, 0.06), size=(0.1, 0.1, 0.1), mass=1.0, friction=0.5
        )
        for number, (x, y) in enumerate(places)
    )
    return World(name="boxes", terrain=(Flat(friction=0.8),), objects=objects)


@dataclass
class ServedRun:
    """Measured run of a server."""

    updates: float
    """Frames per wall second, of one client."""
    factor: float
    """Simulated over wall time."""
    share: float
    """Processor time over wall time."""


@dataclass
class ComparedRun:
    """Server with and without a client."""

    ratio: float
    """Simulated time per processor time: with the client over without."""
    growth: float
    """Growth of memory beside the session's timeline, bytes per wall second."""


async def _compare(*, stop: bool) -> ComparedRun:
    """Serve seven robots as fast as possible, by turns with a client and with a page that is idle.

    Turns of a second cancel changes of the machine's speed. ``stop``: the client is stopped.
    """
    simulation = Simulation(mixed_world())
    options = ServerOptions(gateways=(BenchGateway(port=0),), pictures=None, speed=FAST)
    spent = {True: [0.0, 0.0], False: [0.0, 0.0]}
    with ExitStack() as stack:
        async with Server(simulation, options) as server:
            running = asyncio.ensure_future(server.run())
            client = _start(stack, server.ports["page"])
            await _clients(1)
            if stop:
                client.send_signal(signal.SIGSTOP)
            await asyncio.sleep(START)
            feed = FEEDS[-1]
            (viewer,) = feed.viewers
            begin, before = time.monotonic(), _rss() - feed.session.size
            for turn in range(2 * TURNS):
                shown = turn % 2 == 1
                (feed.add if shown else feed.remove)(viewer)
                simulated, processor = simulation.elapsed, time.thread_time()
                await asyncio.sleep(TURN)
                spent[shown][0] += simulation.elapsed - simulated
                spent[shown][1] += time.thread_time() - processor
            growth = (_rss() - feed.session.size - before) / (time.monotonic() - begin)
            server.stop()
            await running
    pace = {shown: simulated / processor for shown, (simulated, processor) in spent.items()}
    return ComparedRun(pace[True] / pace[False], growth)


async def _serve(simulation: Simulation, *, clients: int, speed: float) -> ServedRun:
    """Serve a world to clients of the page; measure for `SECONDS` after their start."""
    gateways: tuple[Gateway, ...] = (BenchGateway(port=0),)
    options = ServerOptions(gateways=gateways, pictures=None, speed=speed)
    with ExitStack() as stack:
        async with Server(simulation, options) as server:
            running = asyncio.ensure_future(server.run())
            for _ in range(clients):
                _start(stack, server.ports["page"])
            await _clients(clients)
            await asyncio.sleep(START)
            feed = FEEDS[-1]
            before = time.monotonic(), time.thread_time(), simulation.elapsed, feed.updates
            await asyncio.sleep(SECONDS)
            after = time.monotonic(), time.thread_time(), simulation.elapsed, feed.updates
            wall, processor, simulated, updates = np.subtract(after, before).tolist()
            server.stop()
            await running
    return ServedRun(updates / max(1, clients) / wall, simulated / wall, processor / wall)


async def _eight_clients() -> dict[str, float]:
    """Return the cost of `BODIES` moving bodies for `CLIENTS` clients."""
    simulation = Simulation(boxes())
    simulation.paused = True
    gathering = len(FEEDS)
    served = await _serve(simulation, clients=CLIENTS, speed=1.0)
    feed = FEEDS[gathering]
    if not isinstance(feed, MovingFeed):
        raise RuntimeError("the world of the bench is not paused")
    rate = served.updates
    gather = feed.gathering / max(1, feed.number) * rate
    sixty = 60.0 / rate
    return {
        "bytes_per_update": feed.bytes_sent / feed.updates,
        "updates_8_clients": rate,
        "share_8_clients": (served.share - gather) * sixty,
        "gather_share": gather * sixty,
    }


@dataclass
class HaltTimes:
    """Observer of the commands of one robot: wall times of the last motion and of the halt."""

    moved: float = 0.0
    halted: float = math.inf
    commands: list[float] = field(default_factory=list)

    def on_action(self, record: ActionRecord) -> None:
        """Note the wall time of a command."""
        action = record.action
        if not isinstance(action, Command) or action.robot != DRIVEN:
            return
        if action.command.get("forward"):
            self.moved, self.halted = time.monotonic(), math.inf
        else:
            self.halted = min(self.halted, time.monotonic())


async def _dead_man() -> float:
    """Return the time from a stopped client's last command to the halt, beyond the time-out, s."""
    simulation, times, gateway = Simulation(mixed_world()), HaltTimes(), BenchGateway(port=0)
    options = ServerOptions(gateways=(gateway,), pictures=None)
    with ExitStack() as stack:
        async with Server(simulation, options) as server:
            running = asyncio.ensure_future(server.run())
            client = _start(stack, server.ports["page"], DRIVEN)
            await _clients(1)
            simulation.subscribe(times)
            await asyncio.sleep(START)
            client.send_signal(signal.SIGSTOP)
            while math.isinf(times.halted):
                await asyncio.sleep(0.01)
            server.stop()
            await running
    return times.halted - times.moved - gateway.dead_man_s


async def _first_picture() -> float:
    """Return the time from opening the page in Chromium to its first picture, s."""
    from playwright.async_api import async_playwright

    options = ServerOptions(gateways=(PageGateway(port=0),), pictures=None)
    simulation = Simulation(mixed_world())
    simulation.paused = True
    async with Server(simulation, options) as server, async_playwright() as play:
        running = asyncio.ensure_future(server.run())
        arguments = ["--no-sandbox", "--headless=new", "--use-gl=angle", "--use-angle=swiftshader"]
        browser = await play.chromium.launch(executable_path=CHROMIUM, args=arguments)
        page = await browser.new_page(viewport={"width": 1280, "height": 720})
        begin = time.monotonic()
        await page.goto(f"http://127.0.0.1:{server.ports['page']}/")
        while not await page.evaluate("(window.grouserPage?.drawn ?? 0) > 0"):
            await asyncio.sleep(0.01)
        seconds = time.monotonic() - begin
        await browser.close()
        server.stop()
        await running
    return seconds


def _start(stack: ExitStack, port: int, *words: str) -> subprocess.Popen[bytes]:
    """Start a client, which is killed at the end."""
    client = subprocess.Popen(
        [sys.executable, "-c", CLIENT, str(port), *words], stderr=subprocess.DEVNULL
    )
    stack.callback(client.wait)
    stack.callback(client.kill)
    return client


async def _clients(number: int) -> None:
    """Wait until a number of clients is connected."""
    while len(FEEDS[-1].viewers) < number:
        await asyncio.sleep(0.02)


def _rss() -> int:
    """Return the resident memory of this process, bytes; 0 if the system does not provide it."""
    try:
        pages: Iterable[str] = Path("/proc/self/statm").read_text().split()
    except OSError:
        return 0
    return int(list(pages)[1]) * os.sysconf("SC_PAGE_SIZE")
