"""Well-behaved client process of the soak test: ROLE SECONDS PORTS ROBOT.

ROLE is a function of this file, PORTS a JSON object with the ports of the server, ROBOT a JSON list
with class, name, x, y and dialect, or null. The client works for SECONDS of wall time and prints
what it counted as a JSON object; an error ends it.
"""

import json
import os
import socket
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import can
from websockets.sync.client import connect as open_websocket

from grouser.client.connection import RemoteRobot, connect, join
from grouser.client.pictures import PictureConnection, watch
from grouser.protocol.can.messages import BeltSpeeds, CanFrame, FrontFlippers

HOST = "127.0.0.1"
TOKEN = os.environ["GROUSER_TOKEN"]
TIMEOUT = 60.0
STAY = 60.0
"""Wall time after which a robot leaves and joins again, s."""
TURN = 0.1
"""Simulated time of a turn in lockstep, s."""
Ports = dict[str, int]


def drive(until: float, ports: Ports, robot: list[object]) -> Counter[str]:
    """Drive a robot; leave and join again."""
    counts: Counter[str] = Counter()
    while time.monotonic() < until:
        with _join(ports["control"], robot) as remote:
            _drive(remote, min(time.monotonic() + STAY, until), counts)
    return counts


def watch_camera(until: float, ports: Ports, robot: list[object]) -> Counter[str]:
    """Drive a robot and receive two pictures per second; leave and join again."""
    counts: Counter[str] = Counter()
    with ThreadPoolExecutor() as pool:
        while (now := time.monotonic()) < until:
            leave = min(now + STAY, until)
            with (
                _join(ports["control"], robot) as remote,
                watch(remote, port=ports["images"]) as pictures,
            ):
                taken = pool.submit(_take_pictures, pictures, leave)
                _drive(remote, leave, counts)
                counts["pictures"] += taken.result()
    return counts


def lockstep(until: float, ports: Ports, robot: list[object]) -> Counter[str]:
    """Drive a robot in lockstep; each turn must follow the one before by `TURN`."""
    counts: Counter[str] = Counter()
    with _join(ports["control"], robot) as remote:
        remote.lockstep(TURN)
        turn = remote.turn(TIMEOUT)
        while time.monotonic() < until:
            remote.drive(0.3, -0.3 if counts["turns"] % 100 < 50 else 0.3)
            following = remote.step(TIMEOUT)
            assert abs(following.time - turn.time - TURN) < 1e-6, f"{turn.time}, {following.time}"
            turn = following
            counts["turns"] += 1
        _require_no_fault(remote)
    return counts


def drive_can(until: float, ports: Ports, robot: None) -> Counter[str]:
    """Drive the Kenaf of the CAN port: belt speeds every 20 ms, flippers every 100 ms."""
    counts: Counter[str] = Counter()
    channel = f"can0:{TOKEN}"
    with can.Bus(interface="socketcand", channel=channel, host=HOST, port=ports["can"]) as bus:
        due = time.monotonic()
        while (now := time.monotonic()) < until:
            due = max(due + 0.02, now)
            speed = 0.03 if counts["sent"] % 400 < 200 else -0.03
            frames = [BeltSpeeds(left=speed, right=-speed).frame(counts["sent"] % 256)]
            if counts["sent"] % 5 == 0:
                frames.append(FrontFlippers(left=0.2, right=0.2).frame(counts["sent"] // 5 % 256))
            for frame in frames:
                bus.send(_message(frame))
            counts["sent"] += 1
            while bus.recv(max(0.0, due - time.monotonic())) is not None:
                counts["frames"] += 1
                if time.monotonic() >= due:
                    break
    return counts


def call_services(until: float, ports: Ports, robot: None) -> Counter[str]:
    """Call services over rosbridge, five times a second."""
    counts: Counter[str] = Counter()
    headers = {"Authorization": f"Bearer {TOKEN}"}
    url = f"ws://{HOST}:{ports['rosbridge']}"
    with open_websocket(url, additional_headers=headers, open_timeout=TIMEOUT) as port:
        while time.monotonic() < until:
            for service in ("/rosapi/get_time", "/rosapi/services"):
                port.send(json.dumps({"op": "call_service", "service": service}))
                answer = json.loads(port.recv(timeout=TIMEOUT))
                assert answer["result"], answer
                counts["calls"] += 1
            time.sleep(0.2)
    return counts


def ask(until: float, ports: Ports, robot: None) -> Counter[str]:
    """Ask the console and the truth port, five times a second."""
    counts: Counter[str] = Counter()
    with (
        connect(host=HOST, port=ports["control"], token=TOKEN, timeout=TIMEOUT) as connection,
        socket.create_connection((HOST, ports["truth"]), TIMEOUT) as truth,
    ):
        truth.sendall(f"{{token {TOKEN}}}\r\n".encode())
        lines = truth.makefile("rb")
        while time.monotonic() < until:
            assert connection.console("time")
            assert connection.start_poses()
            truth.sendall(b"{class Actor}\r\n")
            rows = list(iter(lines.readline, b"{End}\r\n"))
            assert any(row.startswith(b"{Name Witness}") for row in rows), rows
            counts["questions"] += 3
            time.sleep(0.2)
    return counts


def _join(port: int, robot: list[object]) -> RemoteRobot:
    kind, name, x, y, dialect = map(str, robot)
    place = float(x), float(y), 0.0
    return join(kind, name, at=place, port=port, dialect=dialect, token=TOKEN, timeout=TIMEOUT)


def _drive(robot: RemoteRobot, until: float, counts: Counter[str]) -> None:
    """Turn left and right, with a command every half second; count what is received."""
    counts["joins"] += 1
    for turn in count():
        if time.monotonic() >= until:
            break
        speed = 0.3 if turn % 10 < 5 else -0.3
        robot.drive(speed, -speed)
        counts["messages"] += sum(1 for _ in robot.listen(0.5))
    _require_no_fault(robot)


def _take_pictures(pictures: PictureConnection, until: float) -> int:
    """Take two pictures per second; return their number."""
    taken = 0
    while time.monotonic() < until:
        assert pictures.take(timeout=TIMEOUT).size
        taken += 1
        time.sleep(0.5)
    return taken


def _require_no_fault(robot: RemoteRobot) -> None:
    notices = [f"{each.kind}: {each.text}" for each in robot.notices if each.kind != "Moved"]
    assert not notices, notices


def _message(frame: CanFrame) -> can.Message:
    return can.Message(arbitration_id=frame.id, data=frame.data, is_extended_id=False)


ROLES = {each.__name__: each for each in (drive, watch_camera, lockstep)}
ROBOTLESS = {each.__name__: each for each in (drive_can, call_services, ask)}


def main(role: str, seconds: str, ports: str, robot: str) -> None:
    until = time.monotonic() + float(seconds)
    if role in ROLES:
        counts = ROLES[role](until, json.loads(ports), json.loads(robot))
    else:
        counts = ROBOTLESS[role](until, json.loads(ports), None)
    print(json.dumps(counts), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
