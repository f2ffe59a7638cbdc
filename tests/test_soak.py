"""Soak test: half an hour with robots that join and leave, and hostile clients of every kind.

Stolen time is subtracted from the pace: time that the host took from this machine (``steal`` in
``/proc/stat``), and that other programs took from the server's main thread (``schedstat``).
"""

import itertools
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from support.server_fixtures import TIMEOUT, ServerProcess, wait_until

from grouser.benches import hostile_clients
from grouser.benches.machine import queued_seconds, stolen_seconds
from grouser.client.pictures import watch
from grouser.cores import cores
from grouser.errors import GrouserError

MINUTES = float(os.environ.get("GROUSER_SOAK_MINUTES", "30"))
ROBOTS = 6
STAY = 20.0  # s   of wall time that a robot stays
SAMPLE = 5.0  # s
STEEPEST = 0.2  # MB a minute
SLOWEST = 0.02


class JoinLoop(threading.Thread):
    """Thread in which robots join one after the other, drive, receive pictures and leave."""

    def __init__(self, server: ServerProcess, number: int, end: float) -> None:
        super().__init__()
        self._server, self._number, self._end = server, number, end
        self.joins = 0
        self.faults: list[str] = []

    def run(self) -> None:
        for turn in itertools.count():
            if time.monotonic() > self._end:
                return
            try:
                self._join_once(f"V{self._number}t{turn}")
                self.joins += 1
            except GrouserError as error:
                self.faults.append(f"{type(error).__name__}: {error}")

    def _join_once(self, name: str) -> None:
        place = (1.5 * (self._number % 3) - 1.5, 1.5 * (self._number // 3), 0)
        with self._server.join("P3AT", name, at=place) as robot:
            leave = min(time.monotonic() + STAY, self._end)
            with watch(robot, port=self._server.ports["images"]) as pictures:
                while time.monotonic() < leave:
                    robot.drive(0.3, -0.3)
                    pictures.take(timeout=TIMEOUT)
                    list(robot.listen(0.5))
            assert "Reset" not in {notice.kind for notice in robot.notices}


def stolen_time(server: ServerProcess) -> float:
    """Return the seconds that other programs have taken from a server so far."""
    return stolen_seconds() / cores() + queued_seconds(server.process.pid)


def start_attack(kind: str, port: int, seconds: float) -> subprocess.Popen[bytes]:
    """Start a hostile client; it repeats its attack until the time is over."""
    command = [sys.executable, "-m", "grouser.benches.hostile_clients", "attack", kind, str(port)]
    return subprocess.Popen([*command, str(seconds)])


@pytest.mark.slow
def test_pace_and_memory_hold_for_half_an_hour_with_hostile_clients(tmp_path: Path) -> None:
    options = ("--images", "0", "--truth", "-1", "--own-pictures", "--longest-wait", "2", "-v")
    with ServerProcess(tmp_path, "pioneer_room", *options, token=hostile_clients.TOKEN) as server:
        with server.join("P2DX", "Witness", at=(3, -3, 0)) as witness:
            port, seconds = server.ports["control"], 60 * MINUTES
            attackers = [start_attack("stall", port, seconds)]
            wait_until(
                lambda: "its turn took over" in server.log
            )  # then lockstep no longer waits for it
            end = time.monotonic() + seconds
            places = [JoinLoop(server, number, end) for number in range(ROBOTS)]
            attackers += [
                start_attack(kind, port, seconds)
                for kind in hostile_clients.KINDS
                if kind != "stall"
            ]
            for place in places:
                place.start()
            taken = stolen_time(server)
            list(witness.listen(SAMPLE))
            stamps, sizes = [], []
            while time.monotonic() < end:
                received = [one.time for one in witness.listen(SAMPLE) if hasattr(one, "time")]
                stamps.append((time.monotonic(), received[-1]))
                sizes.append((time.monotonic() / 60, server.rss / 1e6))
            taken = (stolen_time(server) - taken) / seconds
            for place in places:
                place.join()
            for client in attackers:
                assert client.wait(TIMEOUT) == 0, "a hostile client is limited, not disconnected"
        assert not [fault for place in places for fault in place.faults]
        assert sum(place.joins for place in places) >= ROBOTS * (MINUTES * 60 // (2 * STAY) - 1)
        (begun, first), (ended, last) = stamps[0], stamps[-1]
        pace = (last - first) / (ended - begun)
        assert pace > 1 - SLOWEST - taken, f"pace {pace:.3f}, {taken:.3f} taken by others"
        minutes, megabytes = np.array(sizes[len(sizes) // 3 :]).T
        slope = np.polyfit(minutes, megabytes, 1)[0]
        assert slope < STEEPEST or MINUTES < 10, f"{slope:.2f} MB a minute"
        if curve := os.environ.get("GROUSER_SOAK_CURVE"):
            np.savetxt(curve, np.array(sizes), fmt="%.3f")
        print(f"pace {pace:.4f}, taken {taken:.4f}, {slope:.3f} MB a minute, {sizes[-1][1]:.0f} MB")
        assert "diverged" not in server.log
        assert "Traceback" not in server.log
