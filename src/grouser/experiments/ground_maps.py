"""Solids against height maps: results and costs of the same obstacles.

The apparatuses of the mobility sheet are built as solids and as height maps of 20 mm and 10 mm
cells and driven by the same operator. The points of a map lie on the edges of the obstacles; a
vertical riser becomes a slope of one cell. Apparatuses that a height map cannot represent are
omitted: the hurdle, whose slippery pipes overhang, and the tipping tests, whose bar overhangs on
its slope.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.experiments.run_options import RunOptions
from grouser.frames import Array, millimetres
from grouser.mobility.apparatus import APPARATUS, FRICTION, Course
from grouser.mobility.suite import Candidate, measure_candidate, mobility_trial
from grouser.reports.report import Report
from grouser.reports.rules import same
from grouser.reports.table import Row, Table
from grouser.simulation.ground import Ground
from grouser.simulation.scene import compose
from grouser.simulation.simulation import Simulation
from grouser.trials.simulation_lane import samples
from grouser.trials.trial import Trial
from grouser.trials.trial_run import TrialRun
from grouser.world.file import World
from grouser.world.physics_settings import STANDARD
from grouser.world.terrain.height_map import HeightMap

ROBOTS = ("quince", "kenaf")
TESTS = (
    *("step", "stairs", "incline", "trench", "crossing", "stepfield_hill", "stepfield_diagonal"),
    "pitch_roll",
)
CELLS = (0.02, 0.01)
"""Cell sizes of the maps, m."""
BEFORE, BEHIND, BESIDE = 1.6, 1.9, 0.8
"""Extent of the maps before, behind and beside an apparatus, m."""
INSIDE = 1e-9
"""Offset of the sampled points from edges, m; selects the higher side of an edge."""


@dataclass(frozen=True)
class DrivenRun:
    """Result of one robot on one ground."""

    passed: bool
    contacts: float
    """Mean number of contacts over the samples."""
    rtf: float
    """Ratio of simulated time to processor time."""


def run(run_options: RunOptions) -> Report:
    """Drive every robot over every apparatus."""
    robots, tests = (("quince",), ("step",)) if run_options.quick else (ROBOTS, TESTS)
    cases = [
        (kind, test, size)
        for test in tests
        for kind in robots
        for size in (APPARATUS[test].sizes[:1] if run_options.quick else APPARATUS[test].sizes)
    ]
    candidates = {kind: measure_candidate(kind, {}) for kind in robots}
    rows = []
    for number, (kind, test, size) in enumerate(cases):
        run_options.progress("boxes and maps", number, len(cases))
        rows.append(_row(candidates[kind], test, size))
    same = sum(bool(row.agrees) for row in rows)
    figures: dict[str, float | int | str | bool | None] = {
        "same_verdicts": f"{same} of {len(rows)}"
    }
    for name in ("solids", *map(_label, CELLS)):
        factors = [row.ours[f"{name} rtf"] for row in rows]
        figures[f"median_rtf_{name.replace(' ', '_')}"] = round(float(np.median(factors)), 2)
    notes = ("The reference is the verdict on solids.",)
    title = "The mobility sheet on solids and on height maps"
    if run_options.quick:
        title += " (quick: one step)"
    return Report(Table("ground-maps", "solids", title, tuple(rows), figures, notes))


def as_map(course: Course, cell: float) -> HeightMap:
    """Return the ground of ``course`` as a height map with cells of size ``cell`` (m)."""
    world = World(name="ground", physics=STANDARD, terrain=course.terrain, objects=course.things)
    columns = np.arange(-round(BEFORE / cell), round((course.end + BEHIND) / cell) + 1)
    rows = np.arange(round(BESIDE / cell), -round(BESIDE / cell) - 1, -1)
    points = np.stack(np.meshgrid(columns * cell + INSIDE, rows * cell + INSIDE), axis=-1)
    heights: Array = Ground(compose(world)).below(points).height
    return HeightMap.of(heights, cell, x=float(columns[0] * cell), friction=FRICTION)


def _row(candidate: Candidate, test: str, size: float) -> Row:
    trial = mobility_trial(candidate, test, size)
    course = APPARATUS[test].at(size)
    drives = {"solids": _drive(trial.world, trial)}
    for cell in CELLS:
        drives[_label(cell)] = _drive(trial.world.changed(terrain=(as_map(course, cell),)), trial)
    case = {"robot": candidate.kind, "apparatus": test, "size": f"{size:g} {APPARATUS[test].unit}"}
    return drives_row(case, drives)


def drives_row(case: Mapping[str, str], drives: Mapping[str, DrivenRun]) -> Row:
    """Return the row of the drives of one robot by the name of the ground, solids first."""
    ours: dict[str, Any] = {}
    for name, drive in drives.items():
        ours[name] = "passes" if drive.passed else "fails"
        ours[f"{name} contacts"] = round(drive.contacts)
        ours[f"{name} rtf"] = round(drive.rtf, 1)
    verdicts = tuple(drive.passed for drive in drives.values())
    solids = (verdicts[0],) * len(verdicts)
    return Row(case, None, ours, same("same verdict on all three").judge(solids, verdicts))


def _label(cell: float) -> str:
    return f"{millimetres(cell):.0f} mm"


def _drive(world: World, trial: Trial) -> DrivenRun:
    """Drive the robot of ``trial`` in ``world``."""
    simulation, run = Simulation(world, crash_folder=None), TrialRun(trial)
    contacts, verdict = [], None
    start = time.process_time()
    for verdict in samples(simulation, run):
        contacts.append(simulation.data.ncon)
        if verdict:
            break
    spent = time.process_time() - start
    return DrivenRun(verdict == "arrived", float(np.mean(contacts)), simulation.time / spent)
