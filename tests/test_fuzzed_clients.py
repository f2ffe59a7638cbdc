"""Fuzzed lines of unauthenticated clients do not change a running simulation."""

import contextlib
import random
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from support import fuzz_client
from support.server_fixtures import ServerProcess, environment

FUZZER = Path(__file__).parent / "support" / "fuzz_client.py"
TOKEN = "quite-a-secret-token"
EVERY = 0.1
GROWTH = 5 * 2**20
"""Allowed growth of a server, bytes."""
OPTIONS = ("--players", "3", "--lines-per-second", "1e6")


class Drivers:
    """Three robots that drive in lockstep with the same seeded commands."""

    def __init__(self, served: ServerProcess, stack: ExitStack) -> None:
        self._rng = random.Random(0)
        self._robots = [
            stack.enter_context(served.join(kind, name, at=(-1 - y, y, 0)))
            for kind, name, y in (("P3AT", "A", -1.5), ("P2DX", "B", 0), ("P3AT", "C", 1.5))
        ]
        for robot in self._robots:
            robot.lockstep(EVERY)
        self._wait()
        self.turns = 0

    def step(self) -> None:
        for robot in self._robots:
            robot.drive(self._rng.uniform(-3, 5), self._rng.uniform(-3, 5))
            robot.end_turn()
        self._wait()
        self.turns += 1

    def _wait(self) -> None:
        self.time = {robot.turn().time for robot in self._robots}


def start_fuzzers(
    served: ServerProcess, processes: int, lines: int
) -> list[subprocess.Popen[bytes]]:
    ports = [str(served.ports[name]) for name in ("control", "truth", "images")]
    return [
        subprocess.Popen(
            [sys.executable, FUZZER, str(seed), str(lines // processes), *ports],
            stdout=subprocess.PIPE,
            env=environment(),
        )
        for seed in range(processes)
    ]


def run_with_fuzzers(folder: Path, processes: int, lines: int) -> tuple[int, str, int]:
    """Drive while the fuzzers run; return turns, hash of the state and growth in bytes."""
    ports = ("--images", "0", "--truth", "0", "--eye-processes", "0", "--speed", "2")
    with (
        ServerProcess(folder, "pioneer_room", *OPTIONS, *ports, token=TOKEN) as served,
        served.connect() as console,  # before the fuzzers: wrong tokens block this address
        ExitStack() as stack,
    ):
        drivers = Drivers(served, stack)
        for _ in range(20):
            drivers.step()
        before = served.rss
        fuzzers = start_fuzzers(served, processes, lines)
        while any(one.poll() is None for one in fuzzers):
            drivers.step()
        sent = sum(int(one.communicate()[0]) for one in fuzzers)
        assert all(one.returncode == 0 for one in fuzzers)
        assert sent >= lines
        assert len(drivers.time) == 1
        grown = served.rss - before
        assert console.console("time") == f"{drivers.turns * EVERY:.3f} s"
        print(f"{sent} lines, {drivers.turns} turns, RSS grew by {grown / 2**20:.2f} MB")
        return drivers.turns, console.console("hash"), grown


def run_without_fuzzers(folder: Path, turns: int) -> str:
    ports = ("--images", "-1", "--truth", "-1", "--speed", "max")
    with (
        ServerProcess(folder, "pioneer_room", *OPTIONS, *ports, token=TOKEN) as served,
        ExitStack() as stack,
    ):
        drivers = Drivers(served, stack)
        for _ in range(turns):
            drivers.step()
        return served.console("hash")


def check(folder: Path, processes: int, lines: int) -> None:
    turns, state, grown = run_with_fuzzers(folder, processes, lines)
    assert grown < GROWTH
    assert run_without_fuzzers(folder, turns) == state


def test_eight_thousand_fuzzed_lines_do_not_change_the_simulation(tmp_path: Path) -> None:
    check(tmp_path, 2, 8_000)


@pytest.mark.slow
def test_a_million_fuzzed_lines_do_not_change_the_simulation(tmp_path: Path) -> None:
    check(tmp_path, 4, 1_000_000)


@pytest.mark.slow
def test_fuzzed_lines_of_an_authenticated_client_do_not_stop_the_server(tmp_path: Path) -> None:
    """A client with a robot and all roles may disturb the world, but not the server."""
    rng, known = random.Random(0), fuzz_client.sources()
    robots = ("USARBot.P3AT", "USARBot.Kenaf", "USARBot.ERS7", "USARBotAPI.WorldController")
    options = ("--images", "-1", "--truth", "-1", "--speed", "4", "--lines-per-second", "1e6")
    with ServerProcess(tmp_path, "pioneer_room", *options) as served:
        for robot in robots:
            init = f"INIT {{ClassName {robot}}}\r\nLOCKSTEP {{Every 0.01}}\r\n".encode()
            with contextlib.suppress(ConnectionError):
                fuzz_client.send(
                    served.ports["control"], init + fuzz_client.packet(rng, known), rng
                )
        assert "pioneer" in served.console("list robots")
        assert "Traceback" not in served.log
