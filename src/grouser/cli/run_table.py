"""The table at the end of a run: where everybody got to, and what it cost."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.cli.paced_run import RunSummary, real_time_text
from grouser.frames import degrees, to_rpy
from grouser.simulation.simulation import Simulation

MOVED = 1e-3
"""An object that went less far than this (m) is not worth a line."""

_WIDTH = 100  # a narrower terminal had better wrap lines than see numbers cut off
_HEADINGS = {
    "x": "m",
    "y": "m",
    "z": "m",
    "roll": "deg",
    "pitch": "deg",
    "yaw": "deg",
    "speed": "m/s",
    "distance": "m",
    "energy": "J",
}


def print_run(sim: Simulation, summary: RunSummary, console: Console) -> None:
    """Print how everybody ended."""
    console.print(_title(sim, summary))
    robots = [entry.name for entry in sim.world.robots]
    objects = [
        thing.name for thing in sim.world.objects if summary.trips[thing.name].distance > MOVED
    ]
    if not (robots or objects):
        console.print(Text("there are no robots in this world, and nothing moved", "dim"))
        return
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    grid.add_column("", no_wrap=True)
    for name, unit in _HEADINGS.items():
        heading = Text.assemble((name, "bold"), "\n", (unit, "dim"), justify="right")
        grid.add_column(heading, justify="right", no_wrap=True)
    for name in robots:
        work = sum(sim.energy(name).values())
        grid.add_row(
            Text(name, "bold cyan"),
            *_cells(sim, summary, name),
            _number(work, 1 if abs(work) >= 10 else 3),
        )
    for name in objects:
        grid.add_row(Text(name, "dim"), *_cells(sim, summary, name), "-")
    console.width = max(console.width, _WIDTH)
    console.print("", grid, "", sep="\n")


def _title(sim: Simulation, summary: RunSummary) -> Text:
    went = f"{summary.simulated:.2f} s simulated in {summary.clock:.2f} s, "
    title = Text.assemble((sim.world.name, "bold"), "  ", went)
    title.append(real_time_text(summary.simulated, summary.clock), "bold")
    if summary.clock > 1.1 * summary.physics:  # waited, or drew pictures
        title.append(
            f"\nphysics alone: {real_time_text(summary.simulated, summary.physics)}", "dim"
        )
    return title


def _cells(sim: Simulation, summary: RunSummary, name: str) -> list[str]:
    pose, trip = sim.pose(name), summary.trips[name]
    place = [_number(value, 3) for value in pose.position]
    turn = [_number(value, 1) for value in degrees(to_rpy(pose.wxyz))]
    return [*place, *turn, _number(trip.speed, 3), _number(trip.distance, 3)]


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"  # adding zero takes the minus off -0.0
