"""Noise from strangers against a live server: nobody in the world can tell that it was there."""

import contextlib
import random
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from support import fuzz_client
from support.server_fixtures import Served, environment

NOISE = Path(__file__).parent / "support" / "fuzz_client.py"
TOKEN = "quite-a-secret-token"
EVERY = 0.1
GROWTH = 5 * 2**20
"""Bytes by which a server may grow."""
OPTIONS = ("--players", "3", "--lines-per-second", "1e6")


class Drivers:
    """Three robots that drive in lockstep, always the same way."""

    def __init__(self, served, stack):
        self._choose = random.Random(0)
        self._robots = [
            stack.enter_context(served.join(kind, name, at=(-1 - y, y, 0)))
            for kind, name, y in (("P3AT", "A", -1.5), ("P2DX", "B", 0), ("P3AT", "C", 1.5))
        ]
        for robot in self._robots:
            robot.lockstep(EVERY)
        self._wait()
        self.turns = 0

    def step(self):
        for robot in self._robots:
            robot.drive(self._choose.uniform(-3, 5), self._choose.uniform(-3, 5))
            robot.end_turn()
        self._wait()
        self.turns += 1

    def _wait(self):
        self.time = {robot.turn().time for robot in self._robots}


def shout(served, noisy, lines):
    ports = [str(served.ports[name]) for name in ("control", "truth", "images")]
    return [
        subprocess.Popen(
            [sys.executable, NOISE, str(seed), str(lines // noisy), *ports],
            stdout=subprocess.PIPE,
            env=environment(),
        )
        for seed in range(noisy)
    ]


def with_noise(folder, noisy, lines):
    """Drive as long as the noise lasts; return turns, the state's hash and bytes of growth."""
    ports = ("--images", "0", "--truth", "0", "--eye-processes", "0", "--speed", "2")
    with (
        Served(folder, "pioneer_room", *OPTIONS, *ports, token=TOKEN) as served,
        served.connect() as visitor,  # now: strangers will guess, and nobody here be listened to
        ExitStack() as stack,
    ):
        drivers = Drivers(served, stack)
        for _ in range(20):
            drivers.step()
        before = served.rss
        noise = shout(served, noisy, lines)
        while any(one.poll() is None for one in noise):
            drivers.step()
        sent = sum(int(one.communicate()[0]) for one in noise)
        assert all(one.returncode == 0 for one in noise)
        assert sent >= lines
        assert len(drivers.time) == 1
        grown = served.rss - before
        assert visitor.console("time") == f"{drivers.turns * EVERY:.3f} s"
        print(f"{sent} lines, {drivers.turns} turns, RSS grew by {grown / 2**20:.2f} MB")
        return drivers.turns, visitor.console("hash"), grown


def in_silence(folder, turns):
    ports = ("--images", "-1", "--truth", "-1", "--speed", "max")
    with (
        Served(folder, "pioneer_room", *OPTIONS, *ports, token=TOKEN) as served,
        ExitStack() as stack,
    ):
        drivers = Drivers(served, stack)
        for _ in range(turns):
            drivers.step()
        return served.console("hash")


def check(folder, noisy, lines):
    turns, state, grown = with_noise(folder, noisy, lines)
    assert grown < GROWTH
    assert in_silence(folder, turns) == state


def test_eight_thousand_lines_of_noise(tmp_path):
    check(tmp_path, 2, 8_000)


@pytest.mark.slow
def test_a_million_lines_of_noise(tmp_path):
    check(tmp_path, 4, 1_000_000)


@pytest.mark.slow
def test_noise_from_inside_is_not_fatal(tmp_path):
    """Those with a robot and every right may upset the world, but not the server."""
    choose, known = random.Random(0), fuzz_client.sources()
    robots = ("USARBot.P3AT", "USARBot.Kenaf", "USARBot.ERS7", "USARBotAPI.WorldController")
    options = ("--images", "-1", "--truth", "-1", "--speed", "4", "--lines-per-second", "1e6")
    with Served(tmp_path, "pioneer_room", *options) as served:
        for robot in robots:
            init = f"INIT {{ClassName {robot}}}\r\nLOCKSTEP {{Every 0.01}}\r\n".encode()
            with contextlib.suppress(ConnectionError):
                fuzz_client.send(
                    served.ports["control"], init + fuzz_client.packet(choose, known), choose
                )
        assert "pioneer" in served.console("list robots")
        assert "Traceback" not in served.log
