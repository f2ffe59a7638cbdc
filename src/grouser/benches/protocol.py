"""Rates of reading and writing lines of the USARSim protocol, 1/s.

``drive_reads_per_s``     short commands read, fifty per packet as in a flood of commands
``session_reads_per_s``   a burst of a robot's messages with a scan read by its client (UT2004)
``state_writes_per_s``    short messages written
``session_writes_per_s``  the same burst written by the server

Rates are from processor time on one core, the fastest of several repeats.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from grouser.benches.machine import processor_seconds
from grouser.experiments.run_options import Progress
from grouser.protocol.usarsim.codec import ClientSide, ServerSide
from grouser.protocol.usarsim.dialects import UT2004
from grouser.protocol.usarsim.drive import SkidDrive
from grouser.protocol.usarsim.message import Message
from grouser.protocol.usarsim.sensor_messages import (
    Encoders,
    GroundTruth,
    Ins,
    Odometry,
    RangeScan,
    Sonars,
)
from grouser.protocol.usarsim.state import GROUND, State

PACKETS = 200
LINES_PER_PACKET = 50
REPEATS = 7

STATE = State(GROUND, 48.22, 1196, 0.0, 0.0, False, 0, -1)
BURST: tuple[Message, ...] = (
    Sonars(48.22, tuple((f"F{number}", 4.5523) for number in range(1, 9))),
    RangeScan(48.22, "Scanner1", 0.0174, 3.1415, (2.1922,) * 181),
    Ins(48.22, "INS", (4.5, 1.9, 1.8), (0.0, 0.0, 0.1)),
    Odometry(48.22, "Odometry", (0.0147, 0.0, 0.0247)),
    Encoders(48.22, (("ECLeft", 12), ("ECRight", 14))),
    GroundTruth(48.22, "GroundTruth", (4.5, 1.9, 1.85), (0.0, 6.28, 6.28)),
    STATE,
)
"""Messages of a P2AT, which are sent five times per second."""


def run(progress: Progress) -> dict[str, float]:
    """Measure the four rates alternately and return the figures."""
    server, client = ServerSide(UT2004), ClientSide(UT2004)
    drives = b"".join(client.send(SkidDrive(1.0, 1.0))) * LINES_PER_PACKET
    burst = b"".join(line for message in BURST for line in server.send(message))
    jobs: dict[str, tuple[int, Callable[[], object]]] = {
        "drive_reads_per_s": (LINES_PER_PACKET, lambda: server.receive(drives)),
        "session_reads_per_s": (len(BURST), lambda: client.receive(burst)),
        "state_writes_per_s": (1, lambda: server.send(STATE)),
        "session_writes_per_s": (len(BURST), lambda: [server.send(message) for message in BURST]),
    }
    fastest = dict.fromkeys(jobs, math.inf)
    for repeat in range(REPEATS):
        progress("protocol", repeat, REPEATS)
        for name, (_, job) in jobs.items():
            fastest[name] = min(fastest[name], _time_packets(job))
    return {name: PACKETS * lines / fastest[name] for name, (lines, _) in jobs.items()}


def _time_packets(job: Callable[[], object]) -> float:
    """Return the processor time of `PACKETS` calls, s."""

    def repeat() -> None:
        for _ in range(PACKETS):
            job()

    return processor_seconds(repeat)
