"""Kurose et al. 2008, Figs. 17 and 18: one program drives a square, whatever it is linked with.

The program of Fig. 17, to the byte, is compiled and linked with ``libhrt_sim``, where it speaks to
the simulator straight or by datagrams through ``grouser bridge``, and with ``libhrt_can``, where it
finds the motors on a CAN bus; its Python twin runs in lockstep. Where the robot is, is read from
the simulation itself. The paper prints no numbers, only Fig. 18: all are compared with the ideal
square, within 5 mm of a side and 3 deg of a corner, twice that over a link with faults.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.figure import Figure

from grouser.experiments.kurose.square_runs import (
    Run,
    SquareTrack,
    c_library,
    drive_program,
    drive_twin,
)
from grouser.experiments.run_options import RunOptions
from grouser.frames import degrees, millimetres, radians
from grouser.protocol.link_faults import LinkFaults
from grouser.reports.report import Report
from grouser.reports.table import Row, Table

SIDE_MM, CORNER_DEG = 100.0, 90.0  # Fig. 17
SIDE_WITHIN_MM, CORNER_WITHIN_DEG = 5.0, 3.0
FAULTS = LinkFaults(delay=0.03, jitter=0.03, loss=0.3, double=0.1, seed=1)
FRICTION = 0.65  # not in the paper, estimate: as in kurose-table1

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
    """Where the robot stood after a side and a turn, in the axes of its start."""

    x_mm: float
    y_mm: float
    heading_deg: float
    side_mm: float
    """From the corner before."""
    turn_deg: float


def run(run_options: RunOptions) -> Report:
    """Drive the square in every way there is on this machine."""
    runs = [one for one in RUNS if one.library is None] if run_options.quick else list(RUNS)
    notes = ["The paper prints no numbers here; the other column is the ideal square."]
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
            driving = drive_twin(one, FRICTION, SIDE_MM, CORNER_DEG)
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
        _figures(corners),
        tuple(notes),
    )
    report = Report(table)
    report.add_plot(_plot(tracks), "The driven squares (Fig. 18); corners are marked")
    return report


def corners_of(poses: Sequence[tuple[float, float, float]]) -> list[Corner]:
    """Return the corners behind the first pose (x, y, yaw; m, rad), in that pose's axes."""
    x0, y0, yaw0 = poses[0]
    corners: list[Corner] = []
    for before, here in itertools.pairwise(poses):
        dx, dy = here[0] - x0, here[1] - y0
        corners.append(
            Corner(
                millimetres(dx * math.cos(yaw0) + dy * math.sin(yaw0)),
                millimetres(dy * math.cos(yaw0) - dx * math.sin(yaw0)),
                degrees(math.remainder(here[2] - yaw0, math.tau)),
                millimetres(math.dist(before[:2], here[:2])),
                degrees(math.remainder(here[2] - before[2], math.tau)),
            )
        )
    return corners


def _ideal(number: int) -> Corner:
    x, y = ((1, 0), (1, 1), (0, 1), (0, 0))[number - 1]
    heading = degrees(math.remainder(number * radians(CORNER_DEG), math.tau))
    return Corner(x * SIDE_MM, y * SIDE_MM, heading, SIDE_MM, CORNER_DEG)


def _row(one: Run, number: int, corner: Corner) -> Row:
    slack = 2.0 if one.faults else 1.0
    agrees = (
        abs(corner.side_mm - SIDE_MM) <= slack * SIDE_WITHIN_MM
        and abs(corner.turn_deg - CORNER_DEG) <= slack * CORNER_WITHIN_DEG
    )
    return Row({"run": one.name, "corner": number}, _cells(_ideal(number)), _cells(corner), agrees)


def _cells(corner: Corner) -> dict[str, float]:
    return {name: round(getattr(corner, name), 1) + 0.0 for name in Corner.__dataclass_fields__}


def _figures(corners: dict[str, list[Corner]]) -> dict[str, float]:
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
