"""How long is the way from a controller to its motors and back, over the CAN bus?

A Kenaf on the level, its motor drivers on a bus that is served at loopback, one tick a physics step
(1 ms); the controller is a process of its own that speaks socketcand through a plain socket. Belts
are told a faster and a slower speed in turns: in the very step that uses a command they begin to
speed up or to slow down, so the first frame of the encoders in which they do answers it.

``round_trip_p99_ms``      from ``send`` of a command to that frame's arrival, at 200 commands a
                           second: 99 % are below
``round_trip_p50_ms``  ``round_trip_worst_ms``   the same, median and longest
``round_trips``            commands that were answered so: all that were sent
``round_trips_per_s``      how many a second that were
``kilohertz_s``            how long 1,000 commands and 1,000 encoder readings a second went on
``kilohertz_sent``         commands sent meanwhile
``commands_lost``          that the drivers did not take as valid, of all
``encoders_heard``         encoder readings that arrived meanwhile, and
``encoders_lost``          that did not, by the motors' clock
``send_late_p99_ms``       by how much the controller itself was late to send
``given_up_s``             simulated time that the server fell behind the clock in all
``server_share``           time of one core that the server took
``stolen_share``           of all cores' time, what others on the host took away
"""

from __future__ import annotations

import asyncio
import json
import math
import select
import socket
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from grouser.benches.machine import stolen_seconds
from grouser.cores import cores
from grouser.errors import Disconnected
from grouser.frames import milliseconds
from grouser.gateways.can.gateway import BUS_FRAMES, BUS_SHARE, CanGateway
from grouser.gateways.can.motor_drivers import MotorDrivers
from grouser.gateways.server import Server, ServerOptions
from grouser.protocol.can.messages import BeltMotion, BeltSpeeds
from grouser.protocol.can.socketcand import (
    RAW_MODE,
    BusAnswer,
    MessageSplitter,
    ReceivedFrame,
    encode_open,
    encode_send,
    read_answer,
)
from grouser.service.rate_limiter import Limits
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

TICK = 0.001  # s
ROUND_TRIP_HZ, ROUND_TRIP_SECONDS = 200.0, 30.0
KILOHERTZ, KILOHERTZ_SECONDS = 1000.0, 60.0
WARM_UP = 1.0
"""Wall seconds for which belts run before anything counts."""
SLOW, FAST = 0.05, 0.15  # m/s   the speeds that belts are told in turns
TURNED = 0.005
"""By how much (m/s) belts must have become faster or slower within one physics step to answer."""
SPREAD = (math.sqrt(5) - 1) / 2
"""Commands are sent at moments spread evenly over a tick, so that none is favoured."""

PATIENCE = 0.2
"""Wall seconds after which a command that nothing answers counts as so late."""

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress(f"{ROUND_TRIP_SECONDS:.0f} s at 200 Hz, {KILOHERTZ_SECONDS:.0f} s at 1,000 Hz", 0, 1)
    with TemporaryDirectory() as folder:
        return asyncio.run(_serve(Path(folder), ROUND_TRIP_SECONDS, KILOHERTZ_SECONDS))


async def _serve(folder: Path, round_trips: float, kilohertz: float) -> dict[str, float]:
    """Serve the bus; let another process be the controller."""
    world = World(name="level", physics=STANDARD, terrain=(Flat(friction=0.8),))
    options = ServerOptions(
        gateways=(CanGateway(0, rate_hz=1 / TICK),),
        pictures=None,
        tick=TICK,
        limits=Limits(lines_per_second=BUS_FRAMES, server_share=BUS_SHARE),
    )
    report = folder / "controller.json"
    async with Server(Simulation(world, crash_folder=None), options) as server:
        words = [str(server.ports["can"]), str(report), str(round_trips), str(kilohertz)]
        controller = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, *words)
        running = asyncio.ensure_future(server.run())
        begun, spent, taken = time.monotonic(), time.process_time(), stolen_seconds()
        await controller.wait()
        seconds = time.monotonic() - begun
        share, taken = (time.process_time() - spent) / seconds, stolen_seconds() - taken
        server.stop()
        await running
        (drivers,) = server.host.owners.values()
        assert isinstance(drivers, MotorDrivers)
        figures: dict[str, float] = json.loads(report.read_text())
        lost = figures.pop("sent") - drivers.gate.accepted
    return {
        **figures,
        "commands_lost": lost,
        "given_up_s": server.pace.lost,
        "server_share": share,
        "stolen_share": taken / seconds / cores(),
    }


# -- the controller's process ----------------------------------------------------------------------


@dataclass
class _Controller:
    """A controller at the end of a plain socket."""

    wire: socket.socket
    splitter: MessageSplitter = field(default_factory=MessageSplitter)
    heard: deque[tuple[float, ReceivedFrame | BusAnswer]] = field(default_factory=deque)
    """What came and was not looked at yet."""
    sent: int = 0
    late: list[float] = field(default_factory=list)
    """By how much (s) each command was sent too late."""

    def agree(self, request: bytes, answer: str) -> None:
        """Say something and wait for its answer."""
        self.wire.sendall(request)
        while BusAnswer(answer) not in (said for _, said in self.listen(10.0)):
            pass

    def listen(self, seconds: float) -> list[tuple[float, ReceivedFrame | BusAnswer]]:
        """Return what comes within ``seconds`` at first, and when it came."""
        ready, _, _ = select.select([self.wire], [], [], max(0.0, seconds))
        if not ready:
            return []
        data, now = self.wire.recv(65536), time.monotonic()
        if not data:
            raise Disconnected("the server has hung up")
        return [
            (now, read_answer(text)) for text in self.splitter.feed(data) if isinstance(text, str)
        ]

    def motions(self, until: float) -> Iterator[tuple[float, BeltMotion]]:
        """Yield the belts' motions and when they came, until the wall time ``until`` (s)."""
        while self.heard or (left := until - time.monotonic()) > 0:
            if not self.heard:
                self.heard.extend(self.listen(left))
                continue
            now, said = self.heard.popleft()
            if isinstance(said, ReceivedFrame) and said.frame.id == BeltMotion.ID:
                yield now, BeltMotion.parse(said.frame.data)

    def tell(self, speed: float, due: float) -> float:
        """Tell both belts a speed; return when that was, s."""
        frame = BeltSpeeds(speed, speed).frame(self.sent)
        self.sent += 1
        now = time.monotonic()
        self.late.append(now - due)
        self.wire.sendall(encode_send(frame))
        return now


def _measure(port: int, report: Path, round_trips: float, kilohertz: float) -> None:
    """Be the controller; write the figures."""
    with socket.create_connection(("127.0.0.1", port), 10.0) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        controller = _Controller(wire)
        controller.agree(encode_open("can0"), "ok")
        controller.agree(RAW_MODE, "ok")
        figures = _round_trips(controller, round_trips) | _kilohertz(controller, kilohertz)
        list(controller.motions(time.monotonic() + 0.2))  # the last commands are used by now
    figures["sent"] = controller.sent
    figures["send_late_p99_ms"] = milliseconds(float(np.percentile(controller.late, 99)))
    report.write_text(json.dumps(figures))


def _round_trips(controller: _Controller, seconds: float) -> dict[str, float]:
    """Return how long belts take to answer, at 200 commands a second.

    None is sent before the one before it was answered: which one belts answer is never in doubt.
    """
    trips: list[float] = []
    period, count, before = 1 / ROUND_TRIP_HZ, round(seconds * ROUND_TRIP_HZ), 0.0
    due = begun = _warm_up(controller)
    for number in range(count):
        # From the last one on: what was late is not made up for by a burst.
        due = max(due + period, time.monotonic()) + (number * SPREAD % 1) * TICK
        for _, motion in controller.motions(due):
            before = motion.left
        way = 1 if number % 2 == 0 else -1
        sent = controller.tell(FAST if way > 0 else SLOW, due)
        for now, motion in controller.motions(sent + PATIENCE):
            change, before = motion.left - before, motion.left
            if change * way > TURNED:
                trips.append(now - sent)
                break
        else:  # belts that nobody commanded for 0.3 s stand, and cannot slow down
            trips.append(PATIENCE)
        due -= (number * SPREAD % 1) * TICK
    rate = count / (time.monotonic() - begun)
    return {
        "round_trip_p99_ms": milliseconds(float(np.percentile(trips, 99))),
        "round_trip_p50_ms": milliseconds(float(np.median(trips))),
        "round_trip_worst_ms": milliseconds(max(trips)),
        "round_trips": len(trips),
        "round_trips_per_s": rate,
    }


def _warm_up(controller: _Controller) -> float:
    """Let the belts run slowly for a while; return when that was over, s."""
    begun, due = time.monotonic(), time.monotonic()
    while due < begun + WARM_UP:
        controller.tell(SLOW, due)
        due += 1 / ROUND_TRIP_HZ
        list(controller.motions(due))
    controller.late.clear()
    return due


def _kilohertz(controller: _Controller, seconds: float) -> dict[str, float]:
    """Return what of 1,000 commands and 1,000 readings a second gets lost."""
    begun, clocks, count = time.monotonic(), [], round(seconds * KILOHERTZ)
    for number in range(count):
        due = begun + number / KILOHERTZ
        clocks += [motion.time for _, motion in controller.motions(due)]
        controller.tell(FAST if number // 100 % 2 else SLOW, due)
    steps = np.round(np.diff(clocks) / TICK)
    return {
        "kilohertz_s": time.monotonic() - begun,
        "kilohertz_sent": count,
        "encoders_lost": float((steps - 1).sum()),
        "encoders_heard": len(clocks),
    }


if __name__ == "__main__":
    _measure(int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
