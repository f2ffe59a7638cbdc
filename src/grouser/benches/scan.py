"""How fast do frames become ground?

``voxel_ms``               518,400 points (a Kinect 2's QHD frame) thinned to voxels of 20 mm
``voxel_over_small_gicp``  the same over small_gicp's own, on one thread, in the same turns
``voxel_over_open3d``      the same over Open3D's, where that is installed
``voxel_growth``           dearest cost per point over cheapest, from 100 thousand to 5 million
``mesh_ms``                the surface of such a frame: distances, triangles
``total_s``                all steps of a scan, from the frame's points to a simplified surface

The frame is what a camera 1.2 m above a hall's floor sees of it: walls, a stair, blocks in many
sizes. Times are processor time of one thread, the least of several turns, since whatever else runs
on a machine only adds to them; what is compared takes turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from grouser.frames import Array, milliseconds, radians
from grouser.scan.cloud import PointCloud
from grouser.scan.pipeline import ScanOptions, rebuild
from grouser.scan.surface import fused_surface
from grouser.scan.voxel_grid import voxel_centroids

ROWS, COLUMNS = 540, 960
"""QHD; roach report, sec. 2.1."""
FOCAL = 540.7
"""Pixels; as `kinect2_qhd` has it."""
VOXEL = 0.02
"""m."""
NOISE, GROWTH = 0.001, 0.135e-3
"""m, and m more for each square metre of distance: the Kinect 2's, single pixels, as
`grouser.sensors.depth` has it."""
COUNTS = (100_000, 518_400, 1_600_000, 5_000_000)
TURNS = 15

Progress = Callable[[str, int, int], None]


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    frame = hall(ROWS, COLUMNS)
    progress("voxels", 0, 4)
    ways: dict[str, Callable[[], object]] = {"ours": lambda: voxel_centroids(frame.points, VOXEL)}
    ways |= _rivals(frame.points)
    spent = _taking_turns(ways, TURNS)
    figures = {"points": float(len(frame)), "voxel_ms": milliseconds(spent["ours"])}
    for rival in ways.keys() - {"ours"}:
        figures[f"voxel_over_{rival}"] = spent["ours"] / spent[rival]
    progress("voxels of larger clouds", 1, 4)
    costs = list(_costs_per_point().values())
    figures["voxel_growth"] = max(costs) / min(costs)
    progress("surface", 2, 4)
    mesh = _taking_turns({"mesh": lambda: fused_surface(frame, VOXEL)}, 3)
    figures["mesh_ms"] = milliseconds(mesh["mesh"])
    progress("all of it", 3, 4)
    total = _taking_turns({"total": lambda: rebuild([frame], ScanOptions(voxel=VOXEL))}, 3)
    figures["total_s"] = total["total"]
    return figures


def hall(rows: int, columns: int, seed: int = 0) -> PointCloud:
    """Return what a camera with ``rows`` x ``columns`` pixels sees of a hall, in its axes."""
    rng = np.random.default_rng(seed)
    focal = FOCAL * columns / COLUMNS
    right = (np.arange(columns) - (columns - 1) / 2) / focal
    down = (np.arange(rows) - (rows - 1) / 2) / focal
    rays = np.stack(np.broadcast_arrays(right[None], down[:, None], 1.0), axis=-1).reshape(-1, 3)
    pitch = radians(25.0)
    turn = np.array(  # camera axes in the hall's: x ahead, y left, z up
        [
            [0.0, -np.sin(pitch), np.cos(pitch)],
            [-1.0, 0.0, 0.0],
            [0.0, -np.cos(pitch), -np.sin(pitch)],
        ]
    )
    depths = _depths(rays @ turn.T, np.array([0.0, 0.0, 1.2]))
    depths += rng.normal(0.0, 1.0, len(depths)) * (NOISE + GROWTH * depths**2)
    return PointCloud(rays * depths[:, None], (rows, columns), None, np.zeros(3))


def _depths(rays: Array, eye: Array) -> Array:
    """Return how far along rays (n, 3) from the eye the first thing is: floor, walls, blocks."""
    boxes = [((-1.0, -9.0, -1.0), (5.0, 9.0, 0.0)), ((4.0, -9.0, 0.0), (5.0, 9.0, 9.0))]
    boxes += [((2.6 + 0.28 * step, 0.4, 0.0), (4.0, 1.6, 0.17 * (step + 1))) for step in range(4)]
    blocks = np.random.default_rng(1).uniform((1.0, -1.5, 0.05), (3.5, 0.2, 0.4), (12, 3))
    boxes += [((x, y, 0.0), (x + 0.25, y + 0.3, height)) for x, y, height in blocks.tolist()]
    nearest = np.full(len(rays), 8.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        for low, high in boxes:
            ahead, behind = np.full(len(rays), 0.0), np.full(len(rays), np.inf)
            for axis in range(3):
                one = (low[axis] - eye[axis]) / rays[:, axis]
                two = (high[axis] - eye[axis]) / rays[:, axis]
                np.fmax(ahead, np.minimum(one, two), out=ahead)
                np.fmin(behind, np.maximum(one, two), out=behind)
            hit = (ahead < behind) & (ahead > 0)
            nearest[hit] = np.minimum(nearest[hit], ahead[hit])
    return np.where(nearest < 8.0, nearest, np.nan)


def _rivals(points: Array) -> dict[str, Callable[[], object]]:
    """Return the same thinning by other libraries: arrays in, arrays out; those installed."""
    there = points[np.isfinite(points).all(axis=1)]
    rivals: dict[str, Callable[[], object]] = {}
    try:
        import small_gicp
    except ImportError:
        pass
    else:
        rivals["small_gicp"] = lambda: small_gicp.voxelgrid_sampling(
            there, VOXEL, num_threads=1
        ).points()
    try:
        import open3d
    except ImportError:
        pass
    else:
        vector = open3d.utility.Vector3dVector
        rivals["open3d"] = lambda: np.asarray(
            open3d.geometry.PointCloud(vector(there)).voxel_down_sample(VOXEL).points
        )
    return rivals


def _costs_per_point() -> dict[int, float]:
    """Return the cost per point (s) of clouds of the same scene, by their number of points."""
    costs = {}
    for count in COUNTS:
        share = (count / (ROWS * COLUMNS)) ** 0.5
        cloud = hall(round(ROWS * share), round(COLUMNS * share)).finite()
        spent = _taking_turns({"ours": partial(voxel_centroids, cloud.points, VOXEL)}, TURNS)
        costs[count] = spent["ours"] / len(cloud)
    return costs


def _taking_turns(ways: dict[str, Callable[[], object]], turns: int) -> dict[str, float]:
    """Return the least processor time of each way, s, after one turn that does not count."""
    times: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(turns + 1):
        for name, way in ways.items():
            begun = time.process_time()
            way()
            if turn:
                times[name].append(time.process_time() - begun)
    return {name: min(spent) for name, spent in times.items()}
