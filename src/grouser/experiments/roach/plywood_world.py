"""The plywood bridge as a scan (roach, 6.3): seen by a depth camera, rebuilt, driven over.

The bridge itself is ours (`world.terrain.plywood_bridge`: the report prints no sizes); from there
on it is the report's way: one view of a Kinect 2, a surface, a world. What the camera does not see
behind the bridge stays open, and the floor shows there.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from grouser.experiments.roach.bridge_world import FRICTION, PHYSICS, ROBOT, WITHIN
from grouser.experiments.roach.driven_paths import planned, validity_of
from grouser.frames import Pose
from grouser.planning.paths import Path
from grouser.planning.validity import Bounds
from grouser.scan.ground.scan_heights import ScanHeights, scan_heights
from grouser.scan.pipeline import ScanOptions, rebuild
from grouser.scan.simulated_camera import aimed, scan_world
from grouser.trials.path_trials import PathCourse
from grouser.trials.trial import Place
from grouser.world.file import RobotEntry, World
from grouser.world.terrain.flat import Flat
from grouser.world.terrain.height_map import HeightMap
from grouser.world.terrain.plywood_bridge import PlywoodBridge

APART = 2.0  # m   section 7.3: "I placed the robots 2m apart"
DECK = 1.225  # m   from the middle of the bridge to the end of its level sheets
MIDDLE = 2.744  # m   x of the middle of the bridge, which begins at 0.2
START, GOAL = (MIDDLE - APART / 2, 0.0), (MIDDLE + APART / 2, 0.0)
BOUNDS: Bounds = (MIDDLE - DECK, -0.5, MIDDLE + DECK, 0.5)
CAMERA = (MIDDLE, -1.6, 2.0)
"""Where the camera stands, m: beside the bridge, on a tripod; the report shows it in pictures."""
LOOKED_AT = (MIDDLE, 0.1, 0.1)
VOXEL = 0.02  # m   the report's table 3.1 tries 1 to 20 cm; the smallest that leaves no holes here
AROUND = (1.6, 1.0)
"""Part of the scan that is kept, m from the middle along x and y."""
PICTURE_AXES = Pose.at(roll=-math.pi / 2, yaw=-math.pi / 2)
"""Axes of a picture (x right, y down) in those of its camera (x ahead, z up)."""
BELOW = -0.05
"""Where nothing was seen the map lies under the floor, m."""


def real_world() -> World:
    """Return the bridge that the camera looks at."""
    bridge = PlywoodBridge(x=0.2, friction=FRICTION)
    return World(name="plywood bridge", physics=PHYSICS, terrain=(Flat(friction=FRICTION), bridge))


@functools.lru_cache(maxsize=4)
def scanned_grid(seed: int = 0) -> ScanHeights:
    """Return the heights that one view of a Kinect 2 gives; ``seed`` decides the camera's noise."""
    X_WC = aimed(CAMERA, LOOKED_AT)
    clouds = scan_world(real_world(), [X_WC], camera="kinect2", seed=seed)
    options = ScanOptions(voxel=VOXEL, camera_poses=(X_WC @ PICTURE_AXES,))
    return _cut(scan_heights(rebuild(clouds, options).mesh, VOXEL))


def _cut(grid: ScanHeights) -> ScanHeights:
    """Return the part of a grid around the bridge."""
    rows, columns = grid.heights.shape
    x = grid.corner[0] + grid.cell * np.arange(columns)
    y = grid.corner[1] + grid.cell * np.arange(rows)[::-1]
    near_x, near_y = np.abs(x - MIDDLE) <= AROUND[0], np.abs(y) <= AROUND[1]
    heights = grid.heights[np.ix_(near_y, near_x)]
    return replace(grid, heights=heights, corner=(float(x[near_x][0]), float(y[near_y][-1])))


def scanned_world(seed: int = 0) -> World:
    """Return the scan as a world, the robot at its start, looking at the goal."""
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


def _cell(grid: ScanHeights, place: tuple[float, float]) -> tuple[int, int]:
    """Return row and column of the grid point nearest to a place (x, y; m)."""
    column = round((place[0] - grid.corner[0]) / grid.cell)
    return len(grid.heights) - 1 - round((place[1] - grid.corner[1]) / grid.cell), column


def plywood_course(seed: int = 0) -> PathCourse:
    """Return the way from start to goal over the scan."""
    return PathCourse(scanned_world(seed), ROBOT, Place(x=GOAL[0], y=GOAL[1], within=WITHIN))


def plywood_paths(course: PathCourse, seeds: Sequence[int], planner: str = "STRIDE") -> list[Path]:
    """Return the paths that a planner finds over the scan, by geometry alone."""
    validity = validity_of(course.world, ROBOT, BOUNDS)
    return planned(validity, START, GOAL, planner=planner, seeds=seeds)
