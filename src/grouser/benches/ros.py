"""Cost of topics over rosbridge, and age of pictures.

Seven P3AT with a laser scanner of 40 Hz and a camera of 15 Hz stand in a hall; then three with
cameras of 30 Hz. One client subscribes to all scans, pictures, odometry and to ``/tf``; another one
subscribes to a picture and does not read. Server, renderer and clients are separate processes.

``messages_per_s``        messages that the reading client received per wall second
``scans_share``           received over nominal number of scans
``pictures_share``        the same of pictures
``image_age_p99_ms``      wall time from the shot of a picture to its arrival; bound: 100
``image_age_p50_ms``      the same, median
``pictures_share_30_hz``, ``image_age_p99_30_hz_ms``, ``image_age_p50_30_hz_ms``
                          the same of three cameras of 30 Hz
``server_share``          share of one core that the server's process used
``server_share_alone``    the same without clients
``pace``                  simulated over wall time with clients, over that without; bound: 0.98
"""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import IO

import numpy as np

from grouser.experiments.run_options import Progress
from grouser.frames import milliseconds
from grouser.gateways.rosbridge.gateway import RosbridgeGateway
from grouser.gateways.server import PictureOptions, Server, ServerOptions
from grouser.simulation.simulation import Simulation
from grouser.world.file import World, as_world

SCAN_RATE = 40.0  # Hz
SECONDS = 10.0
"""Wall time of one measurement, s."""
WARM_UP = 3.0
"""Wall time before it, s."""
LASER, CAMERA = "fast_laser", "fast_camera"
"""Names of the sensors beside those of the robot itself."""
CLOCK_RATE = 200.0
"""Rate at which simulated and wall time are noted, Hz."""

_STAMP = re.compile(rb'"secs": (\d+), "nsecs": (\d+)')


@dataclass(frozen=True)
class Team:
    """Robots of a measurement."""

    robots: int
    picture_rate: float
    """Pictures of each per simulated second."""


SEVEN, THREE = Team(7, 15.0), Team(3, 30.0)


@dataclass(frozen=True)
class Measured:
    """Figures of one run of the server."""

    pace: float
    share: float
    counts: dict[str, int]
    """Messages by kind."""
    ages: list[float]
    """Ages of pictures, s."""

    def picture_figures(self, team: Team, kind: str = "") -> dict[str, float]:
        """Return the figures of pictures; their names contain ``kind``."""
        ages = np.percentile(self.ages, (50, 99)) if self.ages else np.full(2, np.nan)
        nominal = team.robots * team.picture_rate * SECONDS
        return {
            f"pictures_share{kind}": self.counts.get("camera", 0) / nominal,
            f"image_age_p50{kind}_ms": milliseconds(float(ages[0])),
            f"image_age_p99{kind}_ms": milliseconds(float(ages[1])),
        }


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress("without clients", 0, 3)
    alone = asyncio.run(_measure(SEVEN, with_clients=False))
    progress("with clients", 1, 3)
    busy = asyncio.run(_measure(SEVEN, with_clients=True))
    progress("with cameras of 30 Hz", 2, 3)
    fast = asyncio.run(_measure(THREE, with_clients=True))
    return {
        "messages_per_s": sum(busy.counts.values()) / SECONDS,
        "scans_share": busy.counts.get("scan", 0) / (SEVEN.robots * SCAN_RATE * SECONDS),
        **busy.picture_figures(SEVEN),
        **fast.picture_figures(THREE, "_30_hz"),
        "server_share": busy.share,
        "server_share_alone": alone.share,
        "pace": busy.pace / alone.pace,
    }


def hall(team: Team = SEVEN) -> World:
    """Return the world of a measurement."""
    laser = {
        "kind": "laser",
        "name": LASER,
        "mount": "body",
        "at": [0.2, 0.0, 0.2],
        "rate_hz": SCAN_RATE,
    }
    camera = {
        "kind": "camera", "name": CAMERA, "mount": "body", "at": [0.2, 0.0, 0.3],
        "camera": "ers210", "rate_hz": team.picture_rate,
    }  # fmt: skip
    robots = [
        {"name": f"r{n}", "kind": "p3at", "position": [0, 2 * n], "sensors": [laser, camera]}
        for n in range(team.robots)
    ]
    wall = {"kind": "box", "name": "wall", "position": [4, 6, 0.5], "size": [0.2, 20, 1]}
    return as_world(
        {
            "name": "hall of robots",
            "terrain": [{"kind": "flat"}],
            "robots": robots,
            "objects": [{**wall, "fixed": True}],
        }
    )


class _Times:
    """Observer that notes simulated and wall time."""

    def __init__(self) -> None:
        self.simulated: list[float] = []
        self.wall: list[float] = []

    def on_step(self, time_: float) -> None:
        """Note both times."""
        self.simulated.append(time_)
        self.wall.append(time.monotonic())


async def _measure(team: Team, *, with_clients: bool) -> Measured:
    """Run the server for `WARM_UP` and `SECONDS`."""
    simulation, times = Simulation(hall(team)), _Times()
    simulation.subscribe(times, rate_hz=CLOCK_RATE)
    options = ServerOptions(gateways=(RosbridgeGateway(port=0),), pictures=PictureOptions())
    async with Server(simulation, options) as server:
        running = asyncio.get_running_loop().create_task(server.run())
        clients = []
        if with_clients:
            port = server.ports["rosbridge"]
            clients = [_start_client(port, n, team) for n in (0.0, 2 * WARM_UP + SECONDS)]
            for each in clients:  # subscribed
                await asyncio.to_thread(_output_of(each).readline)
        await asyncio.sleep(WARM_UP)
        begin, used, simulated = time.monotonic(), time.process_time(), simulation.time
        await asyncio.sleep(SECONDS)
        end, used, simulated = (
            time.monotonic(), time.process_time() - used, simulation.time - simulated,
        )  # fmt: skip
        counts: dict[str, int] = {}
        ages: list[float] = []
        if clients:
            stalled, reader = clients
            output, _ = await asyncio.to_thread(reader.communicate)
            stalled.kill()
            stalled.communicate()
            for kind, arrived, stamp in json.loads(output):
                if begin <= arrived <= end:
                    counts[kind] = counts.get(kind, 0) + 1
                    if kind == "camera":
                        shot = float(np.interp(stamp, times.simulated, times.wall))
                        ages.append(arrived - shot)
        server.stop()
        await running
    return Measured(simulated / (end - begin), used / (end - begin), counts, ages)


def _output_of(process: subprocess.Popen[bytes]) -> IO[bytes]:
    """Return the output of a client."""
    if process.stdout is None:
        raise ValueError("a client has no output")
    return process.stdout


def _start_client(port: int, seconds: float, team: Team) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "grouser.benches.ros", *map(str, (port, seconds, team.robots))]
    return subprocess.Popen(words, stdout=subprocess.PIPE)


# -- client process --------------------------------------------------------------------------------


def client(port: int, seconds: float, robots: int) -> list[tuple[str, float, float]]:
    """Subscribe and read for ``seconds``; return kind, arrival and stamp of each message, s.

    0 seconds: subscribe to a picture, and never read it.
    """
    from websockets.sync.client import connect

    with connect(f"ws://127.0.0.1:{port}", max_size=None, max_queue=(1, 0)) as socket:
        topics = [f"/r{n}/camera/{CAMERA}/image/compressed" for n in range(robots)]
        if not seconds:
            socket.send(json.dumps({"op": "subscribe", "topic": topics[0]}))
            _report_ready()
            time.sleep(10 * (WARM_UP + SECONDS))
            return []
        topics += [f"/r{n}/{kind}" for n in range(robots) for kind in (f"scan/{LASER}", "odom")]
        for topic in (*topics, "/tf"):
            socket.send(json.dumps({"op": "subscribe", "topic": topic}))
        _report_ready()
        end, received = time.monotonic() + seconds, []
        while (now := time.monotonic()) < end:
            try:
                data = socket.recv(end - now, decode=False)
            except TimeoutError:
                break
            now = time.monotonic()
            head = bytes(data[:300])
            topic = head.split(b'"', 8)[7].decode()
            kind = topic.split("/")[2] if topic.count("/") > 1 else "tf"
            if found := _STAMP.search(head):
                received.append((kind, now, int(found[1]) + int(found[2]) * 1e-9))
    return received


def _report_ready() -> None:
    sys.stdout.write("ready\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.stdout.write(json.dumps(client(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))))
