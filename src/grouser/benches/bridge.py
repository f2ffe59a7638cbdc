"""Round-trip time from a controller to the motors and back over the CAN bus.

A Kenaf stands on level ground with its motor drivers on a bus served at loopback, with one tick per
physics step (1 ms). The controller is a separate process that uses the socketcand protocol on a
plain socket. It commands a higher and a lower belt speed alternately. The belts accelerate or
decelerate from the physics step that uses a command, so the first encoder frame with a change of
speed is the response.

``round_trip_p99_ms``      time from ``send`` of a command to the arrival of the response at 200
                           commands per second, 99th percentile
``round_trip_p50_ms``  ``round_trip_worst_ms``   the same, median and maximum
``round_trips``            number of commands sent, each with a response or a time-out
``round_trips_per_s``      their rate
``kilohertz_s``            duration of the phase with 1,000 commands and encoder readings per second
``kilohertz_sent``         commands sent in that phase
``commands_lost``          commands in all phases that the drivers did not accept
``encoders_received``      encoder readings received in the 1,000 Hz phase
``encoders_lost``          encoder readings missing in that phase, from the motors' time stamps
``send_late_p99_ms``       delay of the controller's own sends, 99th percentile
``given_up_s``             simulated time that the server dropped behind the clock, total
``server_share``           share of one core used by the server
``stolen_share``           share of all cores' time that the host gave to other machines
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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from grouser.benches.machine import stolen_seconds
from grouser.cores import cores
from grouser.errors import Disconnected
from grouser.experiments.run_options import Progress
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
"""Wall time for which belts run before the measurement, s."""
SLOW, FAST = 0.05, 0.15  # m/s   belt speeds that are commanded alternately
MIN_CHANGE = 0.002
"""Least change of belt speed within one physics step that counts as a response, m/s. Motors with
losses change by 4.5 mm/s or more at the beginning, belts at a steady speed by 0.3 mm/s or less."""
SPREAD = (math.sqrt(5) - 1) / 2
"""Golden ratio; spreads the phases of commands evenly over a tick so that none is favoured."""

TIMEOUT = 0.2
"""Wall time after which a command without a response counts with this delay, s."""


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    progress(f"{ROUND_TRIP_SECONDS:.0f} s at 200 Hz, {KILOHERTZ_SECONDS:.0f} s at 1,000 Hz", 0, 1)
    with TemporaryDirectory() as folder:
        return asyncio.run(_serve(Path(folder), ROUND_TRIP_SECONDS, KILOHERTZ_SECONDS))


async def _serve(folder: Path, round_trips: float, kilohertz: float) -> dict[str, float]:
    """Serve the bus and run the controller as a separate process."""
    world = World(name="level", physics=STANDARD, terrain=(Flat(friction=0.8),))
    options = ServerOptions(
        gateways=(CanGateway(port=0, rate_hz=1 / TICK),),
        pictures=None,
        tick=TICK,
        limits=Limits(lines_per_second=BUS_FRAMES, server_share=BUS_SHARE),
    )
    report = folder / "controller.json"
    async with Server(Simulation(world, crash_folder=None), options) as server:
        words = [str(server.ports["can"]), str(report), str(round_trips), str(kilohertz)]
        controller = await asyncio.create_subprocess_exec(sys.executable, "-m", __name__, *words)
        running = asyncio.ensure_future(server.run())
        start, cpu, stolen = time.monotonic(), time.process_time(), stolen_seconds()
        await controller.wait()
        seconds = time.monotonic() - start
        share, stolen = (time.process_time() - cpu) / seconds, stolen_seconds() - stolen
        server.stop()
        await running
        accepted = sum(
            owner.gate.accepted
            for owner in server.host.owners.values()
            if isinstance(owner, MotorDrivers)
        )
        figures: dict[str, float] = json.loads(report.read_text())
        lost = figures.pop("sent") - accepted
    return {
        **figures,
        "commands_lost": lost,
        "given_up_s": server.pace.lost,
        "server_share": share,
        "stolen_share": stolen / seconds / cores(),
    }


# -- the controller's process ----------------------------------------------------------------------


@dataclass
class _Controller:
    """Controller on a plain socket."""

    wire: socket.socket
    splitter: MessageSplitter = field(default_factory=MessageSplitter)
    received: deque[tuple[float, ReceivedFrame | BusAnswer]] = field(default_factory=deque)
    """Received messages that are not processed yet."""
    sent: int = 0
    late: list[float] = field(default_factory=list)
    """Delay of each send, s."""

    def request(self, request: bytes, answer: str) -> None:
        """Send a request and wait for its answer."""
        self.wire.sendall(request)
        while BusAnswer(answer) not in (message for _, message in self.receive(10.0)):
            pass

    def receive(self, seconds: float) -> list[tuple[float, ReceivedFrame | BusAnswer]]:
        """Return the next received messages and their time, or none after ``seconds``."""
        ready, _, _ = select.select([self.wire], [], [], max(0.0, seconds))
        if not ready:
            return []
        data, now = self.wire.recv(65536), time.monotonic()
        if not data:
            raise Disconnected("the server closed the connection")
        return [
            (now, read_answer(text)) for text in self.splitter.feed(data) if isinstance(text, str)
        ]

    def motions(self, until: float) -> Iterator[tuple[float, BeltMotion]]:
        """Yield the belts' motions and their arrival times until the wall time ``until`` (s)."""
        while self.received or (left := until - time.monotonic()) > 0:
            if not self.received:
                self.received.extend(self.receive(left))
                continue
            now, message = self.received.popleft()
            if isinstance(message, ReceivedFrame) and message.frame.id == BeltMotion.ID:
                yield now, BeltMotion.parse(message.frame.data)

    def command(self, speed: float, due: float) -> float:
        """Command a speed of both belts; return the wall time of the send, s."""
        frame = BeltSpeeds(speed, speed).frame(self.sent)
        self.sent += 1
        now = time.monotonic()
        self.late.append(now - due)
        self.wire.sendall(encode_send(frame))
        return now


def _measure(port: int, report: Path, round_trips: float, kilohertz: float) -> None:
    """Run the controller and write the figures to ``report``."""
    with socket.create_connection(("127.0.0.1", port), 10.0) as wire:
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        controller = _Controller(wire)
        controller.request(encode_open("can0"), "ok")
        controller.request(RAW_MODE, "ok")
        figures = _round_trips(controller, round_trips) | _kilohertz(controller, kilohertz)
        list(controller.motions(time.monotonic() + 0.2))  # until the last commands are used
    figures["sent"] = controller.sent
    figures["send_late_p99_ms"] = milliseconds(float(np.percentile(controller.late, 99)))
    report.write_text(json.dumps(figures))


def _round_trips(controller: _Controller, seconds: float) -> dict[str, float]:
    """Return the response times of the belts at 200 commands per second."""
    # A command is sent after the response to the previous one, so that responses are
    # unambiguous.
    trips: list[float] = []
    period, count, before = 1 / ROUND_TRIP_HZ, round(seconds * ROUND_TRIP_HZ), 0.0
    due = start = _warm_up(controller)
    for number in range(count):
        # The period counts from the last send: a delay is not followed by a burst.
        due = max(due + period, time.monotonic()) + (number * SPREAD % 1) * TICK
        for _, motion in controller.motions(due):
            before = motion.left
        sign = 1 if number % 2 == 0 else -1
        sent = controller.command(FAST if sign > 0 else SLOW, due)
        for now, motion in controller.motions(sent + TIMEOUT):
            change, before = motion.left - before, motion.left
            if change * sign > MIN_CHANGE:
                trips.append(now - sent)
                break
        else:  # belts stop after 0.3 s without a command and cannot decelerate then
            trips.append(TIMEOUT)
        due -= (number * SPREAD % 1) * TICK
    rate = count / (time.monotonic() - start)
    return {
        "round_trip_p99_ms": milliseconds(float(np.percentile(trips, 99))),
        "round_trip_p50_ms": milliseconds(float(np.median(trips))),
        "round_trip_worst_ms": milliseconds(max(trips)),
        "round_trips": len(trips),
        "round_trips_per_s": rate,
    }


def _warm_up(controller: _Controller) -> float:
    """Run the belts slowly for `WARM_UP`; return the wall time of the end, s."""
    start, due = time.monotonic(), time.monotonic()
    while due < start + WARM_UP:
        controller.command(SLOW, due)
        due += 1 / ROUND_TRIP_HZ
        list(controller.motions(due))
    controller.late.clear()
    return due


def _kilohertz(controller: _Controller, seconds: float) -> dict[str, float]:
    """Return the losses at 1,000 commands and 1,000 readings per second."""
    start, stamps, count = time.monotonic(), [], round(seconds * KILOHERTZ)
    for number in range(count):
        due = start + number / KILOHERTZ
        stamps += [motion.time for _, motion in controller.motions(due)]
        controller.command(FAST if number // 100 % 2 else SLOW, due)
    steps = np.round(np.diff(stamps) / TICK)
    return {
        "kilohertz_s": time.monotonic() - start,
        "kilohertz_sent": count,
        "encoders_lost": float((steps - 1).sum()),
        "encoders_received": len(stamps),
    }


if __name__ == "__main__":
    _measure(int(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), float(sys.argv[4]))
