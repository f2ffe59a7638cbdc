"""The paper's square program, linked with libhrt_can, drives simulated motors over a CAN bus."""

import itertools
import math
import os
import re
import subprocess
import threading
from pathlib import Path
from typing import Any

import can
import cantools
import numpy as np
import pytest
from support.hrt_c_build import SQUARE, compile_program, needs_compiler
from support.server_fixtures import wait_until
from support.threaded_server import ThreadedServer

import grouser
from grouser.frames import degrees
from grouser.gateways.can.gateway import CanGateway
from grouser.world.file import RobotEntry, World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.flat import Flat

DBC = Path(grouser.__file__).parent / "protocol" / "can" / "kenaf.dbc"
SIDE, SIDE_OFF, CORNER_OFF_DEG = 0.100, 0.005, 3.0


class Listener(threading.Thread):
    """Second bus client: unmodified python-can, decoding every frame with cantools."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._bus = can.Bus(interface="socketcand", channel="can0", host="127.0.0.1", port=port)
        self._database: Any = cantools.database.load_file(DBC)
        self.names: set[str] = set()
        self.unread, self.over = 0, False
        self.start()

    def run(self) -> None:
        while not self.over:
            if (message := self._bus.recv(0.1)) is None:
                continue
            try:
                known = self._database.get_message_by_frame_id(message.arbitration_id)
                known.decode(message.data)
                self.names.add(known.name)
            except (KeyError, ValueError):
                self.unread += 1
        self._bus.shutdown()


@needs_compiler
@pytest.mark.slow
def test_square_program_over_the_bus_keeps_sides_and_corners() -> None:
    """Sides are 100 mm within 5 mm, corners within 3 deg, measured in the simulation."""
    robot = RobotEntry(name="kenaf", kind="kenaf", position=(0, 0, 0))
    world = World(name="w", physics=STANDARD, terrain=(Flat(friction=0.8),), robots=(robot,))
    with ThreadedServer(world, CanGateway(port=0), watch=("kenaf",), tick=0.001) as live:
        port = live.server.ports["can"]
        listener = Listener(port)
        program = compile_program(SQUARE, "can")
        done = subprocess.run(
            [program],
            env=os.environ | {"HRT_LINK": f"socketcand://127.0.0.1:{port}/can0"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        places = np.array(live.poses["kenaf"])
        wait_until(lambda: "Stop" in listener.names)  # it may lag behind
        listener.over = True
        listener.join(5)
    assert done.returncode == 0, done.stderr
    times = [float(time) for time in re.findall(r"^time +([\d.]+) s", done.stdout, re.M)]
    assert len(times) == 4
    corners = [places[np.searchsorted(places[:, 0], time)] for time in times] + [places[-1]]
    sides = [math.dist(a[1:3], b[1:3]) for a, b in itertools.pairwise(corners)]
    off = [
        degrees(math.remainder(corner[3] - corners[0][3] - number * math.pi / 2, math.tau))
        for number, corner in enumerate(corners)
    ]
    print("sides, mm:", [round(1e3 * side, 1) for side in sides])
    print("corners off, deg:", [round(angle, 2) for angle in off])
    print("misses closing by, mm:", round(1e3 * math.dist(corners[0][1:3], corners[-1][1:3]), 1))
    assert sides == pytest.approx([SIDE] * 4, abs=SIDE_OFF)
    assert off == pytest.approx([0.0] * 5, abs=CORNER_OFF_DEG)
    assert listener.unread == 0
    assert {"BeltSpeeds", "Stop", "BeltEncoders", "BeltMotion", "Posture"} <= listener.names
