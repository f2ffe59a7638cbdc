"""Kurose et al. 2008, Figs. 17 and 18: one program drives a square over several links.

The unchanged program of Fig. 17 is compiled and linked with two libraries. ``libhrt_sim`` connects
to the simulator directly or by datagrams through ``grouser bridge``. ``libhrt_can`` commands the
motors on a CAN bus. A Python version of the program runs in lockstep. The server runs in this
process, so that the robot's pose can be read from the simulation; C programs and ``grouser bridge``
are processes of their own. The paper prints no numbers, only Fig. 18: no row is judged. As a check
of our own all runs are compared with the ideal square: within 5 mm of a side and 3 deg of a corner,
twice that over a link with faults.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

import grouser
from grouser.client.bridge import LockstepLink
from grouser.client.connection import join
from grouser.client.hrt_robot import Hrt
from grouser.client.kenaf_wire import CLASS
from grouser.errors import BadValue
from grouser.experiments.run_options import RunOptions
from grouser.frames import degrees, millimetres, milliseconds, radians, to_rpy_one
from grouser.gateways.can.gateway import CanGateway
from grouser.gateways.gateway import Gateway
from grouser.gateways.server import Server, ServerOptions
from grouser.gateways.usarsim.gateway import UsarsimGateway
from grouser.gateways.usarsim.port_profile import PortProfile
from grouser.protocol.link_faults import LinkFaults
from grouser.reports.report import Report
from grouser.reports.table import Row, Table
from grouser.simulation.simulation import Simulation
from grouser.world.file import World
from grouser.world.terrain.flat import Flat

SIDE_MM, CORNER_DEG = 100.0, 90.0  # Fig. 17
SIDE_WITHIN_MM, CORNER_WITHIN_DEG = 5.0, 3.0
FAULTS = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=1)
FRICTION = 0.65  # not in the paper, estimate: as in kurose-table1

ROOT = Path(grouser.__file__).parents[2]
"""Root of the source tree, if Grouser runs from one."""
CLIB, PROGRAM = ROOT / "clib", ROOT / "examples" / "c" / "square.c"

CONTROL = UsarsimGateway(ports=((0, PortProfile()),))
"""Gateway with one control port, any free one."""

TICK = 0.001  # s   as in `grouser motors`
SAMPLE_PERIOD = 0.01  # s   wall time between two samples of the pose, for the plot
BEFORE = 0.15  # s   simulated time before a printed status at which the robot is at rest
TIMEOUT = 180.0  # s   wall time limit of a program

Pose2 = tuple[float, float, float]
"""x, y (m) and yaw (rad)."""


@dataclass(frozen=True)
class Run:
    """One way to drive the square."""

    name: str
    library: str | None
    """C library of the program, ``sim`` or ``can``; None for the Python program."""
    link: str
    """Link to the robot: ``usarsim``, ``bridge`` or ``can``."""
    faults: LinkFaults = field(default_factory=LinkFaults)


RUNS = (
    Run("C, simulator", "sim", "usarsim"),
    Run("C, bridge", "sim", "bridge"),
    Run("C, bridge, faults", "sim", "bridge", FAULTS),
    Run("C, CAN bus", "can", "can"),
    Run("Python, bridge", None, "bridge"),
    Run("Python, bridge, faults", None, "bridge", FAULTS),
)
COLOURS = ("#1f6fb4", "#e07a1f", "#c9a227", "#2a9d5c", "#7a4fb4", "#c0392b")


@dataclass(frozen=True)
class Corner:
    """Pose of the robot after a side and a turn, in the frame of its start."""

    x_mm: float
    y_mm: float
    heading_deg: float
    side_mm: float
    """Distance from the previous corner."""
    turn_deg: float
    """Turn since the previous corner."""


def run(run_options: RunOptions) -> Report:
    """Drive the square over all links that this machine supports and compare with the ideal."""
    runs = [one for one in RUNS if one.library is None] if run_options.quick else list(RUNS)
    notes = [
        "The paper prints no numbers here. The other column is the ideal square; a corner is near "
        f"it within {SIDE_WITHIN_MM:g} mm and {CORNER_WITHIN_DEG:g} deg, over a link with faults "
        "within twice that."
    ]
    library = None if run_options.quick else c_library()
    if run_options.quick:
        notes.append("Quick: the Python twin alone, which needs no wall clock.")
    elif library is None:
        runs = [one for one in runs if one.library is None]
        notes.append("The C program was not run: no C compiler, or no clib folder, is here.")
    tracks: dict[str, SquareTrack] = {}
    for done, one in enumerate(runs):
        run_options.progress(one.name, done, len(runs))
        if one.library is None or library is None:
            driving = drive_in_python(one, FRICTION, SIDE_MM, CORNER_DEG)
        else:
            driving = drive_program(one, FRICTION, library)
        tracks[one.name] = asyncio.run(driving)
    corners = {name: corners_of(track.corners) for name, track in tracks.items()}
    rows = tuple(
        _row(one, number, corner)
        for one in runs
        for number, corner in enumerate(corners[one.name], 1)
    )
    notes += [f"{name}: {track.notes}." for name, track in tracks.items() if track.notes]
    notes.append(
        "Sides are from one standstill after a turn to the next, so what the body drifts while it "
        "turns (about 2 mm) is in them; turns from heading to heading, both read from the "
        f"simulation; ground friction {FRICTION}. The robot's own encoders come 25 times a second "
        "in ticks of 1.3 mm over USARSim's wire, posture 5 times in steps of 0.57 deg."
    )
    table = Table(
        "kurose-square",
        "Kurose et al. 2008, Figs. 17 and 18",
        "The paper's program drives a square: corners beside the ideal ones",
        rows,
        _figures(corners) | {"corners_near_the_ideal": near_ideal(runs, corners)},
        tuple(notes),
    )
    report = Report(table)
    report.add_plot(_plot(tracks), "The driven squares (Fig. 18); corners are marked")
    return report


def corners_of(poses: Sequence[tuple[float, float, float]]) -> list[Corner]:
    """Return the corners after the first pose (x, y, yaw; m, rad), in the frame of that pose."""
    x0, y0, yaw0 = poses[0]
    corners: list[Corner] = []
    for last, pose in itertools.pairwise(poses):
        dx, dy = pose[0] - x0, pose[1] - y0
        corners.append(
            Corner(
                millimetres(dx * math.cos(yaw0) + dy * math.sin(yaw0)),
                millimetres(dy * math.cos(yaw0) - dx * math.sin(yaw0)),
                degrees(math.remainder(pose[2] - yaw0, math.tau)),
                millimetres(math.dist(last[:2], pose[:2])),
                degrees(math.remainder(pose[2] - last[2], math.tau)),
            )
        )
    return corners


def _ideal(number: int) -> Corner:
    """Return a corner of the ideal square, 1 to 4."""
    x, y = ((1, 0), (1, 1), (0, 1), (0, 0))[number - 1]
    heading = degrees(math.remainder(number * radians(CORNER_DEG), math.tau))
    return Corner(x * SIDE_MM, y * SIDE_MM, heading, SIDE_MM, CORNER_DEG)


def is_near_ideal(one: Run, corner: Corner) -> bool:
    """Return whether side and turn of a corner are within our bounds of the ideal square."""
    factor = 2.0 if one.faults else 1.0
    return (
        abs(corner.side_mm - SIDE_MM) <= factor * SIDE_WITHIN_MM
        and abs(corner.turn_deg - CORNER_DEG) <= factor * CORNER_WITHIN_DEG
    )


def near_ideal(runs: Sequence[Run], corners: Mapping[str, Sequence[Corner]]) -> str:
    """Return how many corners are near the ideal square: ``24 of 24``."""
    near = [is_near_ideal(one, corner) for one in runs for corner in corners[one.name]]
    return f"{sum(near)} of {len(near)}"


def _row(one: Run, number: int, corner: Corner) -> Row:
    note = "" if is_near_ideal(one, corner) else "OFF THE IDEAL SQUARE"
    cells = _cells(_ideal(number)), _cells(corner)
    return Row({"run": one.name, "corner": number}, *cells, None, note)


def _cells(corner: Corner) -> dict[str, float]:
    return {name: round(getattr(corner, name), 1) + 0.0 for name in Corner.__dataclass_fields__}


def _figures(corners: dict[str, list[Corner]]) -> dict[str, float | str]:
    every = [corner for each in corners.values() for corner in each]
    return {
        "worst_side_error_mm": max(abs(corner.side_mm - SIDE_MM) for corner in every),
        "worst_turn_error_deg": max(abs(corner.turn_deg - CORNER_DEG) for corner in every),
        "worst_closing_error_mm": max(
            math.hypot(each[-1].x_mm, each[-1].y_mm) for each in corners.values()
        ),
    }


def _plot(tracks: dict[str, SquareTrack]) -> Figure:
    figure = Figure(figsize=(6.0, 5.4), layout="constrained")
    axes = figure.subplots()
    ideal = [(0.0, 0.0)] + [(_ideal(n).x_mm, _ideal(n).y_mm) for n in range(1, 5)]
    axes.plot(*zip(*ideal, strict=True), "--", color="#222222", linewidth=1, label="ideal")
    for (name, track), colour in zip(tracks.items(), COLOURS, strict=False):
        path = corners_of([track.corners[0], *track.path])
        axes.plot([p.x_mm for p in path], [p.y_mm for p in path], color=colour, linewidth=1)
        marks = corners_of(track.corners)
        axes.plot([p.x_mm for p in marks], [p.y_mm for p in marks], "o", color=colour, label=name)
    axes.set(xlabel="x (mm)", ylabel="y to the left (mm)", aspect="equal")
    axes.legend(loc="center", fontsize="small")
    return figure


# -- driving ---------------------------------------------------------------------------------------


@dataclass
class SquareTrack:
    """Recorded poses of a robot."""

    corners: list[Pose2] = field(default_factory=list)
    """Pose at the start and after every side and turn."""
    path: list[Pose2] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    """Simulated time of each pose of the path, s."""
    notes: str = ""

    def at(self, time: float) -> Pose2:
        """Return the pose at a simulated time, s."""
        before = [pose for at, pose in zip(self.times, self.path, strict=True) if at <= time]
        return before[-1] if before else self.path[0]


def c_library() -> Path | None:
    """Build libraries and programs into a new folder; return None if that is impossible here."""
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
    """Run the paper's program in real time and return the recorded poses."""
    gateway: Gateway = CanGateway(port=0) if run.link == "can" else CONTROL
    async with _serving(friction, gateway, 1.0) as (server, track):
        async with _address(run, server) as address:
            program = await asyncio.create_subprocess_exec(
                programs / f"square_{run.library}",
                env=os.environ | {"HRT_LINK": address},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
            async with asyncio.timeout(TIMEOUT):
                output, errors = await program.communicate()
        if errors or program.returncode:
            raise BadValue(f"{run.name}: {errors.decode().strip() or program.returncode}")
    started = [float(time) for time in re.findall(r"^time +([\d.]+) s$", output.decode(), re.M)]
    track.corners = [track.at(time - BEFORE) for time in started] + [track.path[-1]]
    slip_lines = re.findall(r"^slid.*$", output.decode(), re.M)
    track.notes = f"the program printed '{' '.join(slip_lines[-1].split())}'" if slip_lines else ""
    return track


async def drive_in_python(
    run: Run, friction: float, side_mm: float, turn_deg: float
) -> SquareTrack:
    """Run the Python version of the program in lockstep; deterministic for a given seed."""
    async with _serving(friction, CONTROL, math.inf, players=1) as (server, track):
        simulation = server.host.simulation

        def drive() -> None:
            # In lockstep the simulation does not step during this thread's turn.
            with join(CLASS, "hrt", port=server.ports["control"], timeout=TIMEOUT) as robot:
                hrt = Hrt(LockstepLink(robot, run.faults))
                track.corners.append(_pose(simulation))
                for _ in range(4):
                    hrt.go_forward(side_mm)
                    hrt.turning(turn_deg)
                    track.corners.append(_pose(simulation))
                hrt.stop()
                slip = 0.0 if hrt.slide is None else hrt.slide
                track.notes = f"{100 * slip:.0f} % of the belts' way in the last turn was sliding"

        await asyncio.to_thread(drive)
    return track


@contextlib.asynccontextmanager
async def _serving(
    friction: float, gateway: Gateway, speed: float, players: int = 0
) -> AsyncIterator[tuple[Server, SquareTrack]]:
    """Serve flat ground and record the poses of the only robot."""
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
        tasks = [asyncio.create_task(server.run()), asyncio.create_task(_record(server, track))]
        try:
            yield server, track
        finally:
            server.stop()
            tasks[1].cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _record(server: Server, track: SquareTrack) -> None:
    """Append the pose of the robot to a track until cancelled."""
    simulation = server.host.simulation
    while True:
        if simulation.scene.robots:
            track.times.append(simulation.time)
            track.path.append(_pose(simulation))
        await asyncio.sleep(SAMPLE_PERIOD)


def _pose(simulation: Simulation) -> Pose2:
    """Return x, y and yaw of the only robot."""
    (name,) = simulation.scene.robots
    pose = simulation.pose(name)
    x, y, _ = pose.position.tolist()
    return x, y, to_rpy_one(*pose.wxyz.tolist())[2]


@contextlib.asynccontextmanager
async def _address(run: Run, server: Server) -> AsyncIterator[str]:
    """Yield the address of the robot for a program; run ``grouser bridge`` if it is needed."""
    if run.link == "can":
        yield f"socketcand://127.0.0.1:{server.ports['can']}/can0"
        return
    control = server.ports["control"]
    if run.link == "usarsim":
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
        line = (await bridge.stdout.readline()).decode() if bridge.stdout else ""
        yield f"udp://127.0.0.1:{line.strip().rpartition('=')[2]}"
    finally:
        bridge.terminate()
        await bridge.wait()
