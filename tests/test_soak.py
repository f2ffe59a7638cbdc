"""Soak test: an hour with six kinds of robots, eight clients, two in lockstep, and hostile clients.

Two servers run beside each other. The first one is paced; its clients drive six kinds of robots
over two dialects of USARSim and CAN, receive pictures, call services over rosbridge and ask the
console and the truth port, while hostile clients of every kind attack it. The second one serves two
clients in lockstep and two hostile ones. It is a server of its own because simulated time waits for
clients in lockstep: the pace would measure them instead of the server.

Stolen time is subtracted from the pace: time that the host took from this machine (``steal`` in
``/proc/stat``), and that other programs took from the server's main thread (``schedstat``). On a
busy Linux machine, start pytest in a session of high priority::

    setsid sh -c 'echo -20 > /proc/self/autogroup; pytest -m slow tests/test_soak.py'
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.server_fixtures import CONTROL_ONLY, TIMEOUT, ServerProcess, environment, wait_until

from grouser.benches import hostile_clients
from grouser.benches.machine import queued_seconds, stolen_seconds
from grouser.client.connection import RemoteRobot
from grouser.client.pictures import watch
from grouser.cores import cores

MINUTES = float(os.environ.get("GROUSER_SOAK_MINUTES", "60"))
CLIENT = Path(__file__).parent / "support" / "soak_client.py"
SAMPLE = 5.0  # s
STEEPEST = 0.1
"""Growth of memory after the first ten minutes, MB a minute."""
SETTLE = 10.0
"""Minutes after which memory may no longer grow; it is checked in runs of at least twice that."""
SLOWEST = 0.02
MARGIN = 60.0  # s   for processes to start and for the last robots to leave

Robot = tuple[str, str, float, float, str] | None
"""Class, name, x and y on the wire, dialect."""

WITNESS = ("P2DX", "Witness", 3.2, -2.4)
"""Robot of the connection whose time stamps measure the pace."""
CLIENTS: tuple[tuple[str, Robot], ...] = (
    ("watch_camera", ("P3AT", "Pioneer", -3, -2, "ut2004")),
    ("watch_camera", ("ERS7", "Dog", -1.2, -2, "ut2004")),
    ("drive", ("Quince", "Quince", 0.5, -2, "udk")),
    ("drive", ("PackBot", "PackBot", -3, 1.5, "ut2004")),
    ("drive_can", None),
    ("call_services", None),
    ("ask", None),
)
"""Roles and robots of the clients of the paced server, in addition to the witness."""
IN_LOCKSTEP: tuple[tuple[str, Robot], ...] = (
    ("lockstep", ("P3AT", "First", -1, 0, "ut2004")),
    ("lockstep", ("Kenaf", "Second", -1, -1.5, "ut2004")),
)


class SoakClient:
    """Process of a well-behaved client (soak_client.py)."""

    def __init__(self, server: ServerProcess, role: str, robot: Robot, seconds: float) -> None:
        self.name = f"{role} {robot[1]}" if robot else role
        words = [role, str(seconds), json.dumps(server.ports), json.dumps(robot)]
        self._process = subprocess.Popen(
            [sys.executable, CLIENT, *words], stdout=subprocess.PIPE, env=environment(server.token)
        )

    def require_running(self) -> None:
        """Raise if it has ended with an error."""
        assert self._process.poll() in (None, 0), f"{self.name} has ended"

    def counts(self) -> dict[str, int]:
        """Wait for its end; return what it counted."""
        output, _ = self._process.communicate(timeout=TIMEOUT)
        assert self._process.returncode == 0, f"{self.name} has ended"
        counts: dict[str, int] = json.loads(output)
        return counts


class Curve:
    """Memory of one server over the time."""

    def __init__(self, server: ServerProcess) -> None:
        self._server = server
        self.points: list[tuple[float, float]] = []
        """Minutes and MB."""

    def add(self, minutes: float) -> None:
        """Append the present memory."""
        self.points.append((minutes, self._server.rss / 1e6))

    @property
    def slope(self) -> float:
        """Growth after the first ten minutes (of a short run: two thirds), MB a minute."""
        points = np.array(self.points)
        late = points[:, 0] >= min(SETTLE, points[-1, 0] / 3)
        return float(np.polyfit(points[late, 0], points[late, 1], 1)[0])


def start_attack(server: ServerProcess, kind: str, seconds: float) -> subprocess.Popen[bytes]:
    """Start a hostile client; it repeats its attack until the time is over."""
    port = str(server.ports["control"])
    command = [sys.executable, "-m", "grouser.benches.hostile_clients", "attack", kind, port]
    client = subprocess.Popen([*command, str(seconds)])
    if kind == "stall":
        wait_until(lambda: "its turn took over" in server.log)  # lockstep no longer waits for it
    return client


def stolen_time(server: ServerProcess) -> float:
    """Return the seconds that other programs have taken from a server so far."""
    return stolen_seconds() / cores() + queued_seconds(server.process.pid)


def newest_time(robot: RemoteRobot) -> float:
    """Drive a robot, read what it receives for a while, and return the newest time stamp, s."""
    robot.drive(0.3, -0.3)
    stamps = [getattr(one, "time", None) for one in robot.listen(SAMPLE)]
    return float([stamp for stamp in stamps if stamp is not None][-1])  # some readings have none


@pytest.mark.slow
def test_pace_memory_and_turns_hold_for_an_hour_with_hostile_clients(tmp_path: Path) -> None:
    seconds = 60 * MINUTES
    common = ("--longest-wait", "2", "-v")
    more = ("--own-pictures", "--also", "0:udk", "--rosbridge", "0", "--gateway", "can:port=0")
    token = hostile_clients.TOKEN
    with (
        ServerProcess(tmp_path, "meeting_ground", *common, *more, token=token) as paced,
        ServerProcess(tmp_path, "pioneer_room", *common, *CONTROL_ONLY, token=token) as lockstep,
        paced.join(*WITNESS[:2], at=(*WITNESS[2:], 0.0)) as witness,
        watch(witness, port=paced.ports["images"]) as pictures,
    ):
        pictures.take(timeout=TIMEOUT)  # the render process has started
        hostile = [start_attack(each, "stall", seconds) for each in (paced, lockstep)]
        clients = [SoakClient(paced, *client, seconds) for client in CLIENTS]
        players = [SoakClient(lockstep, *client, seconds) for client in IN_LOCKSTEP]
        hostile += [
            start_attack(paced, kind, seconds) for kind in hostile_clients.KINDS if kind != "stall"
        ]
        hostile.append(start_attack(lockstep, "queries", seconds))
        curves = [Curve(paced), Curve(lockstep)]
        begin, first, taken = time.monotonic(), newest_time(witness), stolen_time(paced)
        start = time.monotonic()
        while (end := time.monotonic()) < begin + seconds:
            last = newest_time(witness)
            for curve in curves:
                curve.add((end - begin) / 60)
            for client in (*clients, *players):
                client.require_running()
        end = time.monotonic()
        taken = (stolen_time(paced) - taken) / (end - start)
        pace = (last - first) / (end - start)
        counts = {client.name: client.counts() for client in (*clients, *players)}
        for attacker in hostile:
            assert attacker.wait(TIMEOUT) == 0, "a hostile client is limited, not disconnected"
        slopes = [curve.slope for curve in curves]
        print(f"pace {pace:.4f}, taken {taken:.4f}; {counts}")
        print(f"{slopes} MB a minute, {[curve.points[-1][1] for curve in curves]} MB")
        if path := os.environ.get("GROUSER_SOAK_CURVE"):
            columns = [(*a, b[1]) for a, b in zip(*(c.points for c in curves), strict=True)]
            np.savetxt(path, columns, fmt="%.3f", header="minutes, MB paced, MB lockstep")
        logs = paced.log, lockstep.log
    assert pace > 1 - SLOWEST - taken, f"pace {pace:.3f}, {taken:.3f} taken by others"
    assert max(slopes) < STEEPEST or MINUTES < 2 * SETTLE, f"{slopes} MB a minute"
    busy = seconds - MARGIN
    for name, count in counts.items():
        if name.startswith("watch_camera"):
            assert count["pictures"] > busy, name
        if name.startswith(("watch_camera", "drive Q", "drive P")):
            assert count["joins"] >= busy // 60, name
            assert count["messages"] > 10 * busy, name
        if name.startswith("lockstep"):
            assert count["turns"] > 5 * busy, name
    assert all("diverged" not in log and "Traceback" not in log for log in logs)
    assert all(log.count("its turn took over") == 1 for log in logs), "the hostile client's only"
