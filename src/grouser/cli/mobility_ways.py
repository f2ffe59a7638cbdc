"""`grouser mobility ROBOT --world WORLD`: a robot driven along ways through a world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from grouser.cli import places
from grouser.cli.mobility_table import VERDICT_WORDS
from grouser.cli.terminal import counting_bar, result_console, write_json
from grouser.mobility.ways import DrivenWay, Way, drive_ways, ways_between_starts
from grouser.world.file import load


def mobility_on_ways(
    robot: str,
    options: Mapping[str, Any],
    world_name: str,
    texts: Sequence[str],
    json_file: Path | None,
) -> None:
    """Drive a robot along the ways, print how it went, and write that as JSON if asked."""
    world = load(world_name)
    ways = [_way(text) for text in texts] or ways_between_starts(world)
    with counting_bar(robot) as bar:
        driven = drive_ways(robot, options, world, ways, progress=partial(bar, "driving"))
    _print(robot, world.name, driven)
    if json_file is not None:
        write_json(json_file, {"robot": robot, "world": world.name, "ways": _json(driven)})


def _way(text: str) -> Way:
    x, y, to_x, to_y = places.numbers("--way", text, 4, example="0,0,1.5,0 (from x,y to x,y)")
    return Way((x, y), (to_x, to_y))


def _print(robot: str, world: str, driven: Sequence[DrivenWay]) -> None:
    console = result_console()
    title = Text.assemble(("mobility of ", "dim"), (robot, "bold cyan"), (f" in {world}", "dim"))
    console.print(title, "", sep="\n")
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("way [m]", "length [m]", "result", "time [s]"):
        grid.add_column(Text(heading, "bold"), no_wrap=True)
    for run in driven:
        word = VERDICT_WORDS[run.outcome.verdict]
        where = "" if run.passed else f", {run.rest:.2f} m before its end"
        result = Text(word + where, "green" if run.passed else "red")
        grid.add_row(str(run.way), f"{run.way.length:.2f}", result, f"{run.outcome.time:.1f}")
    console.print(grid, "", sep="\n")


def _json(driven: Sequence[DrivenWay]) -> list[dict[str, Any]]:
    return [
        {
            "from": list(run.way.start),
            "to": list(run.way.end),
            "passed": run.passed,
            "verdict": run.outcome.verdict,
            "time_s": round(run.outcome.time, 3),
            "rest_m": round(run.rest, 3),
        }
        for run in driven
    ]
