"""Programs that drive a Kenaf around a square, in all the ways in which they can reach it.

The server runs in this process, so that the robot's pose can be read from the simulation; programs
in C and ``grouser bridge`` run in processes of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import grouser
from grouser.client.connection import join
from grouser.client.hrt_robot import Hrt
from grouser.client.kenaf_wire import CLASS
from grouser.client.links.lockstep_link import LockstepLink
from grouser.errors import BadValue
from grouser.frames import milliseconds, to_rpy_one
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.gateway import Gateway
from grouser.gateways.server import Server, ServerOptions
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.protocol.link_faults import LinkFaults
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.terrain.flat import Flat

ROOT = Path(grouser.__file__).parents[2]
"""The source tree, where this is one."""
CLIB, PROGRAM = ROOT / "clib", ROOT / "examples" / "c" / "square.c"

CONTROL = UsarsimGateway(((0, PortProfile()),))
"""A control port, any that is free."""

TICK = 0.001  # s   as `grouser motors` has it
LOOK = 0.01  # s   wall time between two looks at the robot, for the plot
BEFORE = 0.15  # s   simulated, before a status is printed: the robot stands then
PATIENCE = 180.0  # s   wall time that a program may take

Pose2 = tuple[float, float, float]
"""x, y (m) and yaw (rad)."""


@dataclass(frozen=True)
class Run:
    """One way to drive the square."""

    name: str
    library: str | None
    """The C library that the program is linked with, ``sim`` or ``can``; None: the Python twin."""
    way: str
    """How it reaches the robot: ``usarsim``, ``bridge`` or ``can``."""
    faults: LinkFaults = field(default_factory=LinkFaults)


@dataclass
class SquareTrack:
    """Where a robot has been."""

    corners: list[Pose2] = field(default_factory=list)
    """The start, and where it stood after every side and turn."""
    path: list[Pose2] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """Simulated time of each point of the path, s."""
    notes: str = ""

    def at(self, time: float) -> Pose2:
        """Return the pose at a simulated time, s."""
        before = [pose for when, pose in zip(self.times, self.path, strict=True) if when <= time]
        return before[-1] if before else self.path[0]


def c_library() -> Path | None:
    """Build both C libraries into a folder of their own; None: it cannot be done here."""
    if not CLIB.is_dir() or not shutil.which("cc") or not shutil.which("make"):
        return None
    folder = Path(tempfile.mkdtemp(prefix="grouser-hrt-"))
    subprocess.run(["make", "-C", CLIB, f"BUILD={folder}"], check=True, capture_output=True)
    for library in ("sim", "can"):
        archive, program = folder / f"libhrt_{library}.a", folder / f"square_{library}"
        command = ["cc", "-include", str(CLIB / "hrt.h"), str(PROGRAM), "-o", str(program)]
        subprocess.run([*command, str(archive), "-lm"], check=True, capture_output=True)
    return folder


async def drive_program(run: Run, friction: float, programs: Path) -> SquareTrack:
    """Let the paper's program drive, at the pace of a clock."""
    gateway: Gateway = CanGateway(0) if run.way == "can" else CONTROL
    async with _serving(friction, gateway, 1.0) as (server, track):
        async with _address(run, server) as address:
            program = await asyncio.create_subprocess_exec(
                programs / f"square_{run.library}",
                env=os.environ | {"HRT_LINK": address},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(PATIENCE):
                said, complaints = await program.communicate()
        if complaints or program.returncode:
            raise BadValue(f"{run.name}: {complaints.decode().strip() or program.returncode}")
    started = [float(time) for time in re.findall(r"^time +([\d.]+) s$", said.decode(), re.M)]
    track.corners = [track.at(time - BEFORE) for time in started] + [track.path[-1]]
    slid = re.findall(r"^slid.*$", said.decode(), re.M)
    track.notes = f"the program said '{' '.join(slid[-1].split())}'" if slid else ""
    return track


async def drive_twin(run: Run, friction: float, side_mm: float, turn_deg: float) -> SquareTrack:
    """Let the program's Python twin drive, in lockstep: the same bits for the same seed."""
    async with _serving(friction, CONTROL, math.inf, players=1) as (server, track):
        simulation = server.host.simulation

        def drive() -> None:
            # In lockstep the world stands still while this thread has its turn.
            with join(CLASS, "hrt", port=server.ports["control"], timeout=PATIENCE) as robot:
                hrt = Hrt(LockstepLink(robot, run.faults))
                track.corners.append(_pose(simulation))
                for _ in range(4):
                    hrt.go_forward(side_mm)
                    hrt.turning(turn_deg)
                    track.corners.append(_pose(simulation))
                hrt.stop()
                slid = 0.0 if hrt.slide is None else hrt.slide
                track.notes = f"{100 * slid:.0f} % of the belts' way in the last turn was sliding"

        await asyncio.to_thread(drive)
    return track


@contextlib.asynccontextmanager
async def _serving(
    friction: float, gateway: Gateway, speed: float, players: int = 0
) -> AsyncIterator[tuple[Server, SquareTrack]]:
    """Serve flat ground, and note where the only robot is."""
    world = World(name="square", terrain=(Flat(friction=friction),))
    options = ServerOptions(
        gateways=(gateway,),
        pictures=None,
        speed=speed,
        tick=TICK if math.isfinite(speed) else None,
        players=players,
    )
    track = SquareTrack()
    async with Server(Simulation(world, crash_folder=None), options) as server:
        tasks = [asyncio.create_task(server.run()), asyncio.create_task(_watch(server, track))]
        try:
            yield server, track
        finally:
            server.stop()
            tasks[1].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _watch(server: Server, track: SquareTrack) -> None:
    simulation = server.host.simulation
    while True:
        if simulation.scene.robots:
            track.times.append(simulation.time)
            track.path.append(_pose(simulation))
        await asyncio.sleep(LOOK)


def _pose(simulation: Simulation) -> Pose2:
    (name,) = simulation.scene.robots
    pose = simulation.pose(name)
    x, y, _ = pose.position.tolist()
    return x, y, to_rpy_one(*pose.wxyz.tolist())[2]


@contextlib.asynccontextmanager
async def _address(run: Run, server: Server) -> AsyncIterator[str]:
    """Give the address under which a program finds the robot."""
    if run.way == "can":
        yield f"socketcand://127.0.0.1:{server.ports['can']}/can0"
        return
    control = server.ports["control"]
    if run.way == "usarsim":
        yield f"usarsim://127.0.0.1:{control}"
        return
    faults = run.faults
    bridge = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "grouser", "bridge", "--port", "0"),
        *("--server", f"127.0.0.1:{control}", "--seed", str(faults.seed)),
        *("--delay", f"{milliseconds(faults.delay):g}ms"),
        *("--jitter", f"{milliseconds(faults.jitter):g}ms"),
        *("--loss", f"{100 * faults.loss:g}%", "--double", f"{100 * faults.double:g}%"),
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert bridge.stdout is not None  # it was asked for
        line = (await bridge.stdout.readline()).decode()
        yield f"udp://127.0.0.1:{line.strip().rpartition('=')[2]}"
    finally:
        bridge.terminate()
        await bridge.wait()
