"""Roach report, Table 7.3: the plywood bridge from a depth camera, 2 m, 25 paths (6.3).

The report's planner is STRIDE, which OMPL's Python bindings lack; our implementation follows the
paper of its authors. According to the report, paths near the middle of the bridge are safest and
have the lowest energy, and paths close to its edge tend to fail. So paths are sorted by their
largest distance from the middle.

The bridge itself is ours (`world.terrain.plywood_bridge`) because the report prints no sizes. As in
the report, one view of a Kinect 2 becomes a surface and then a world. The area behind the bridge
that the camera does not see has no surface, so the floor is visible there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grouser.experiments.roach.bridge_world import FRICTION, PHYSICS, ROBOT, WITHIN
from grouser.experiments.roach.driven_paths import (
    Tally,
    add_paths,
    count_verdicts,
    course_trials,
    drive,
    energy_figures,
    open_settings,
    plan_paths,
    spread_rows,
    validity_of,
)
from grouser.experiments.run_options import RunOptions
from grouser.frames import Pose, millimetres
from grouser.planning.paths import Path
from grouser.planning.validity import Bounds
from grouser.reports.report import Report
from grouser.reports.rules import Judgement, Rule, below, within_absolute
from grouser.reports.table import Row, Table
from grouser.scan.ground.scan_heights import ScanHeights, scan_heights
from grouser.scan.pipeline import ScanOptions, rebuild
from grouser.scan.simulated_camera import pose_towards, scan_world
from grouser.trials.path_trials import PathCourse
from grouser.trials.trial import Outcome, Place
from grouser.world.file import RobotEntry, World
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.plywood_bridge import PlywoodBridge

RUNS_TRIALS = True

PAPER = {"mean": 0.938, "sd": 0.329, "min": 0.656, "max": 2.061}  # Table 7.3
TRIALS, SUCCESSES = 25, 20  # Table 7.3
WITHIN_SHARE = 0.15  # our tolerance: 80 % +- 15
THIRDS = ("nearest to the middle", "between", "farthest from the middle")
SAFEST = Rule(
    "highest, above the farthest's",
    lambda _, shares: bool(shares[0] >= max(shares) and shares[0] > shares[-1]),
)
"""Values are the shares of success of the `THIRDS`."""


def run(run_options: RunOptions) -> Report:
    """Scan, plan, drive and compare with the report."""
    quick, seed = run_options.quick, run_options.seed
    run_options.progress("scanning", 0, 1)
    course = plywood_course(seed)
    run_options.progress("planning", 0, 1)
    count = 6 if quick else TRIALS
    paths = plywood_paths(course, range(seed * TRIALS, seed * TRIALS + count))
    outcomes = drive(run_options, "driving", course_trials(course, paths, seed=seed, case={}))
    tally = Tally.of(outcomes)
    table = Table(
        "roach-table73",
        "Physics in the planning loop (roach), Table 7.3",
        "Plywood bridge as a scan" + (" (quick: few paths)" if quick else ""),
        table_rows(outcomes),
        {
            "trials": tally.trials,
            "successes": tally.successes,
            "mean_time_s": float(tally.times.mean()) if tally.successes else float("nan"),
            **{f"work_{name}": value for name, value in energy_figures(tally.work).items()},
            **{f"effort_{name}": value for name, value in energy_figures(tally.effort).items()},
        },
        (
            "The ground is a scan: a simulated Kinect 2 (512 x 424, its noise) on a tripod sees a "
            "bridge of plywood sheets, `grouser.scan` rebuilds the surface, and the robot drives "
            "over its height map. The report's bridge is shown in pictures only.",
            "Paths are STRIDE's. The report prints neither which way the robot looks at its start "
            "nor where on the bridge that is: ours looks at the goal, both are on the level part.",
            open_settings(course),
        ),
    )
    report = Report(table)
    add_paths(report, outcomes, BOUNDS)
    return report


def table_rows(outcomes: Sequence[Outcome]) -> tuple[Row, ...]:
    """Return the rows for the outcomes of all paths."""
    tally = Tally.of(outcomes)
    low, high = tally.interval
    successes = Row(
        {"what": "successful traversals"},
        f"{SUCCESSES} of {TRIALS}",
        f"{tally.successes} of {tally.trials}",
        within_absolute(100 * WITHIN_SHARE, "points").judge(
            100 * SUCCESSES / TRIALS, 100 * tally.share
        ),
        f"95 % interval {low:.2f} to {high:.2f}; {count_verdicts(outcomes)}",
    )
    return successes, *_energy_rows(tally), *_offset_rows(outcomes)


def offset_of(outcome: Outcome) -> float:
    """Return the largest distance of the planned path from the middle of the bridge, m."""
    return float(np.abs(np.asarray(outcome.trial.fleet_task)[:, 1]).max())


def _energy_rows(tally: Tally) -> list[Row]:
    work, effort = energy_figures(tally.work), energy_figures(tally.effort)
    rows = [
        Row(
            {"what": f"{name} energy"},
            PAPER[name],
            f"{work[name]:.3f} J",
            None,
            f"effort {effort[name]:.3f} J; theirs is a relative unit",
        )
        for name in ("mean", "sd", "min", "max")
    ]
    return rows + spread_rows({}, PAPER, tally.work, tally.effort)


def _offset_rows(outcomes: Sequence[Outcome]) -> list[Row]:
    """Return the success rates and energies of three groups of paths, by offset.

    "The lowest energy and safest paths tended to be … closer to the center"; those "closer to the
    edge of the bridge tended to fail", which is read as: most of them fail.
    """
    ordered = sorted(outcomes, key=offset_of)
    parts = np.array_split(np.arange(len(ordered)), len(THIRDS))
    thirds = [[ordered[number] for number in part] for part in parts]
    tallies = [Tally.of(third) for third in thirds]
    shares = tuple(tally.share for tally in tallies)
    statements = {
        THIRDS[0]: ("safest", SAFEST.judge((1.0, 0.9, 0.5), shares)),
        THIRDS[-1]: ("tended to fail", below("one half").judge(0.5, shares[-1])),
    }
    rows = []
    nothing: tuple[str | None, Judgement | None] = (None, None)
    for name, third, tally in zip(THIRDS, thirds, tallies, strict=True):
        word, judgement = statements.get(name, nothing)
        clear = [float(str(outcome.trial.case["clearance"])) for outcome in third]
        rows.append(
            Row(
                {"what": f"success, third {name}"},
                word,
                f"{tally.successes} of {tally.trials}",
                judgement,
                f"up to {millimetres(max(map(offset_of, third), default=0)):.0f} mm from the "
                f"middle, least clearance {millimetres(min(clear, default=0)):.0f} mm",
            )
        )
    near, far = (float(tallies[i].work.mean()) if tallies[i].successes else None for i in (0, -1))
    rows.append(
        Row(
            {"what": f"mean work, third {THIRDS[0]} over {THIRDS[-1]}"},
            "lowest energy",
            None if near is None or far is None else f"{near / far:.3f}",
            below("1").judge(1.0, None if near is None or far is None else near / far),
        )
    )
    return rows


# -- the bridge as a scan --------------------------------------------------------------------------

APART = 2.0  # m   section 7.3: "I placed the robots 2m apart"
DECK = 1.225  # m   from the middle of the bridge to the end of its level sheets
MIDDLE = 2.744  # m   x of the middle of the bridge, which begins at 0.2
START, GOAL = (MIDDLE - APART / 2, 0.0), (MIDDLE + APART / 2, 0.0)
BOUNDS: Bounds = (MIDDLE - DECK, -0.5, MIDDLE + DECK, 0.5)
CAMERA = (MIDDLE, -1.6, 2.0)
"""Position of the camera, m: on a tripod beside the bridge, as in the report's pictures."""
TARGET = (MIDDLE, 0.1, 0.1)
"""Point that the camera faces, m."""
VOXEL = 0.02  # m   table 3.1 has 1 to 20 cm; this is the smallest without holes here
AROUND = (1.6, 1.0)
"""Half extent of the scan that is used, along x and y from the middle, m."""
PICTURE_AXES = Pose.at(roll=-math.pi / 2, yaw=-math.pi / 2)
"""Axes of a picture (x right, y down) in those of its camera (x ahead, z up)."""
BELOW = -0.05
"""Height of the map where no point was measured, m; below the floor."""


def real_world() -> World:
    """Return the world of the bridge in front of the camera."""
    bridge = PlywoodBridge(x=0.2, friction=FRICTION)
    return World(name="plywood bridge", physics=PHYSICS, terrain=(Flat(friction=FRICTION), bridge))


@functools.lru_cache(maxsize=4)
def scanned_grid(seed: int = 0) -> ScanHeights:
    """Return the heights from one view of a Kinect 2 whose noise has ``seed``."""
    X_WC = pose_towards(CAMERA, TARGET)
    clouds = scan_world(real_world(), [X_WC], camera="kinect2", seed=seed)
    options = ScanOptions(voxel=VOXEL, camera_poses=(X_WC @ PICTURE_AXES,))
    return _crop(scan_heights(rebuild(clouds, options).mesh, VOXEL))


def _crop(grid: ScanHeights) -> ScanHeights:
    """Return the part of a grid around the bridge."""
    rows, columns = grid.heights.shape
    x = grid.corner[0] + grid.cell * np.arange(columns)
    y = grid.corner[1] + grid.cell * np.arange(rows)[::-1]
    near_x, near_y = np.abs(x - MIDDLE) <= AROUND[0], np.abs(y) <= AROUND[1]
    heights = grid.heights[np.ix_(near_y, near_x)]
    return replace(grid, heights=heights, corner=(float(x[near_x][0]), float(y[near_y][-1])))


def scanned_world(seed: int = 0) -> World:
    """Return the scan as a world with the robot at its start, facing the goal."""
    grid = scanned_grid(seed)
    x, y = grid.near_edge
    ground = HeightMap.of(
        grid.heights, grid.cell, fill=BELOW, x=x, y=y, friction=FRICTION, planes=False
    )
    row, column = _cell(grid, START)
    start = (*START, float(grid.heights[row, column]))
    roach = RobotEntry(name=ROBOT, kind="velociroach", position=start)
    return World(
        name="scanned plywood bridge",
        physics=PHYSICS,
        terrain=(Flat(friction=FRICTION), ground),
        robots=(roach,),
    )


def _cell(grid: ScanHeights, position: tuple[float, float]) -> tuple[int, int]:
    """Return row and column of the grid point nearest to a position (x, y; m)."""
    column = round((position[0] - grid.corner[0]) / grid.cell)
    return len(grid.heights) - 1 - round((position[1] - grid.corner[1]) / grid.cell), column


def plywood_course(seed: int = 0) -> PathCourse:
    """Return the course from start to goal over the scan."""
    return PathCourse(scanned_world(seed), ROBOT, Place(x=GOAL[0], y=GOAL[1], within=WITHIN))


def plywood_paths(course: PathCourse, seeds: Sequence[int], planner: str = "STRIDE") -> list[Path]:
    """Return the paths that a planner finds over the scan by geometry alone."""
    validity = validity_of(course.world, ROBOT, BOUNDS)
    return plan_paths(validity, START, GOAL, planner=planner, seeds=seeds)
