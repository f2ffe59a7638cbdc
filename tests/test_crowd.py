"""Seven robots of three kinds in one world, each with a client process and a camera."""

import itertools
import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from support.server_fixtures import pipe, wait_until

from grouser.client.connection import join
from grouser.client.launch import Ports, serving

CLIENT = Path(__file__).parent / "support" / "camera_client.py"

CROWD = (
    *(("ERS7", f"dog{number}", f"dog{number}") for number in range(1, 6)),
    ("QRIO", "man", "small_man"),
    ("Kenaf", "kenaf", "crawler"),
)
"""Class, name, start place."""

STATE_EVERY = 0.2
"""Simulated time between two STA of the UT2004 dialect, s."""


def start_clients(
    ports: Ports, crowd: Sequence[tuple[str, str, str]], seconds: int
) -> list[subprocess.Popen[str]]:
    """Start one process per robot; return them when all have joined and received a picture."""
    clients = [
        subprocess.Popen(
            [
                sys.executable,
                str(CLIENT),
                *words,
                *map(str, (ports.control, ports.images, seconds)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for words in crowd
    ]
    for client in clients:
        assert pipe(client.stdout).readline() == "in\n"
    return clients


def drive(clients: list[subprocess.Popen[str]]) -> None:
    """Start all clients at once."""
    for client in clients:
        pipe(client.stdin).write("go\n")
        pipe(client.stdin).flush()


def read_report(client: subprocess.Popen[str]) -> dict[str, Any]:
    """Return the report of a client."""
    report, _ = client.communicate(timeout=120)
    assert client.returncode == 0
    result: dict[str, Any] = json.loads(report)
    return result


def gaps(report: dict[str, Any]) -> list[float]:
    """Return the simulated times between the states that a client received."""
    return [late - early for (early, _), (late, _) in itertools.pairwise(report["stamps"])]


def check(report: dict[str, Any]) -> None:
    """Check that no state is missing, no foreign reading was received and the images change."""
    assert max(gaps(report)) < 1.5 * STATE_EVERY
    assert report["changes"] >= 2
    own = {"man": {"left_camera"}, "kenaf": {"Scanner1"}}
    for name in set(own) - {report["name"]}:
        assert own[name].isdisjoint(report["received"])
    assert report["shape"] == {"man": [288, 352, 3], "kenaf": [240, 320, 3]}.get(
        report["name"], [160, 208, 3]
    )


@pytest.mark.slow
def test_seven_robots_with_cameras_miss_no_state() -> None:
    """Print the speed, which depends on the machine; measured by `grouser bench server`."""
    # Legs and belts are controlled every 4 ms; shorter ticks cost processor time without effect.
    with serving("meeting_ground", "--own-pictures", "--fps", "10", "--beat-ms", "4") as ports:
        clients = start_clients(ports, CROWD, seconds=20)
        drive(clients)
        for report in [read_report(client) for client in clients]:
            check(report)
            (first, begun), (last, ended) = report["stamps"][0], report["stamps"][-1]
            speed = (last - first) / (ended - begun)
            rate = report["frames"] / report["seconds"]
            print(f"{report['name']}: {speed:.3f} x real time, {rate:.1f} images/s")


def test_killed_client_is_removed_and_others_miss_no_state() -> None:
    crowd = (CROWD[0], CROWD[1], CROWD[6])
    with serving("meeting_ground", "--own-pictures") as ports:
        clients = start_clients(ports, crowd, seconds=6)
        drive(clients)
        time.sleep(2.0)
        clients[0].send_signal(signal.SIGKILL)
        clients[0].communicate()
        with join("P2DX", name="witness", at=(-3.0, -2.0, 0.0), port=ports.control) as witness:
            wait_until(lambda: "dog1" not in witness.console("list robots"))
        for report in [read_report(client) for client in clients[1:]]:
            check(report)
