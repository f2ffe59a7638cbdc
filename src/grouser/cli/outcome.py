"""The table at the end of a run: where everybody got to, and what it cost."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from grouser.cli.drive import Pace, times
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


def show(sim: Simulation, pace: Pace, console: Console) -> None:
    """Print how everybody ended."""
    console.print(_title(sim, pace))
    robots = [entry.name for entry in sim.world.robots]
    objects = [thing.name for thing in sim.world.objects if pace.trips[thing.name].distance > MOVED]
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
            *_cells(sim, pace, name),
            _number(work, 1 if abs(work) >= 10 else 3),
        )
    for name in objects:
        grid.add_row(Text(name, "dim"), *_cells(sim, pace, name), "-")
    console.width = max(console.width, _WIDTH)
    console.print("", grid, "", sep="\n")


def _title(sim: Simulation, pace: Pace) -> Text:
    went = f"{pace.simulated:.2f} s simulated in {pace.clock:.2f} s, "
    title = Text.assemble((sim.world.name, "bold"), "  ", went)
    title.append(times(pace.simulated, pace.clock), "bold")
    if pace.clock > 1.1 * pace.physics:  # waited, or drew pictures
        title.append(f"\nphysics alone: {times(pace.simulated, pace.physics)}", "dim")
    return title


def _cells(sim: Simulation, pace: Pace, name: str) -> list[str]:
    pose, trip = sim.pose(name), pace.trips[name]
    place = [_number(value, 3) for value in pose.position]
    turn = [_number(value, 1) for value in degrees(to_rpy(pose.wxyz))]
    return [*place, *turn, _number(trip.speed, 3), _number(trip.distance, 3)]


def _number(value: float, digits: int) -> str:
    return f"{round(value, digits) + 0.0:.{digits}f}"  # adding zero takes the minus off -0.0
