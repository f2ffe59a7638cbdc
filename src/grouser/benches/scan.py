"""Time from depth frames to ground.

``voxel_ms``               voxel grid filter of 518,400 points (a Kinect 2's QHD frame), 20 mm
``voxel_over_small_gicp``  ratio to the time of small_gicp on one thread, measured alternately
``voxel_over_open3d``      ratio to the time of Open3D, if installed
``voxel_growth``           largest over smallest time per point, 100 thousand to 5 million points
``mesh_ms``                surface of such a frame: distances and triangles
``total_s``                all steps of a scan from the frame's points to a simplified surface

The frame shows a hall from a camera 1.2 m above its floor: walls, a stair and blocks of many sizes.
Times are processor time of one thread, the minimum of several repeats because other load on the
machine only increases times. Compared methods run alternately.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from grouser.benches.machine import processor_seconds
from grouser.experiments.run_options import Progress
from grouser.frames import Array, milliseconds, radians
from grouser.scan.cloud import PointCloud
from grouser.scan.pipeline import ScanOptions, rebuild
from grouser.scan.surface import fused_surface
from grouser.scan.voxel_grid import voxel_centroids

ROWS, COLUMNS = 540, 960
"""QHD; roach report, sec. 2.1."""
FOCAL = 540.7
"""Focal length in pixels, as in `kinect2_qhd`."""
VOXEL = 0.02
"""Voxel size, m."""
NOISE, GROWTH = 0.001, 0.135e-3
"""Standard deviation of the depth, m, and its increase per squared distance, 1/m; Kinect 2, single
pixels, as in `grouser.sensors.depth`."""
COUNTS = (100_000, 518_400, 1_600_000, 5_000_000)
"""Numbers of points for ``voxel_growth``."""
REPEATS = 15


def run(progress: Progress) -> dict[str, float]:
    """Measure everything and return the figures."""
    frame = hall(ROWS, COLUMNS)
    progress("voxels", 0, 4)
    methods: dict[str, Callable[[], object]] = {
        "ours": lambda: voxel_centroids(frame.points, VOXEL)
    }
    methods |= _other_libraries(frame.points)
    times = _measure_alternately(methods, REPEATS)
    figures = {"points": float(len(frame)), "voxel_ms": milliseconds(times["ours"])}
    for other in methods.keys() - {"ours"}:
        figures[f"voxel_over_{other}"] = times["ours"] / times[other]
    progress("voxels of larger clouds", 1, 4)
    times_per_point = _times_per_point()
    figures["voxel_growth"] = max(times_per_point) / min(times_per_point)
    progress("surface", 2, 4)
    mesh = _measure_alternately({"mesh": lambda: fused_surface(frame, VOXEL)}, 3)
    figures["mesh_ms"] = milliseconds(mesh["mesh"])
    progress("all of it", 3, 4)
    total = _measure_alternately({"total": lambda: rebuild([frame], ScanOptions(voxel=VOXEL))}, 3)
    figures["total_s"] = total["total"]
    return figures


def hall(rows: int, columns: int, seed: int = 0) -> PointCloud:
    """Return the cloud of a hall from a camera with ``rows`` x ``columns`` pixels, in its frame."""
    rng = np.random.default_rng(seed)
    focal = FOCAL * columns / COLUMNS
    right = (np.arange(columns) - (columns - 1) / 2) / focal
    down = (np.arange(rows) - (rows - 1) / 2) / focal
    rays = np.stack(np.broadcast_arrays(right[None], down[:, None], 1.0), axis=-1).reshape(-1, 3)
    pitch = radians(25.0)
    turn = np.array(  # rotation from the camera to the hall (x ahead, y left, z up)
        [
            [0.0, -np.sin(pitch), np.cos(pitch)],
            [-1.0, 0.0, 0.0],
            [0.0, -np.cos(pitch), -np.sin(pitch)],
        ]
    )
    depths = _depths(rays @ turn.T, np.array([0.0, 0.0, 1.2]))
    depths += rng.normal(0.0, 1.0, len(depths)) * (NOISE + GROWTH * depths**2)
    return PointCloud(rays * depths[:, None], (rows, columns), None, np.zeros(3))


def _depths(rays: Array, origin: Array) -> Array:
    """Return the distances along rays (n, 3) to the nearest of floor, walls, stair and blocks."""
    boxes = [((-1.0, -9.0, -1.0), (5.0, 9.0, 0.0)), ((4.0, -9.0, 0.0), (5.0, 9.0, 9.0))]
    boxes += [((2.6 + 0.28 * step, 0.4, 0.0), (4.0, 1.6, 0.17 * (step + 1))) for step in range(4)]
    blocks = np.random.default_rng(1).uniform((1.0, -1.5, 0.05), (3.5, 0.2, 0.4), (12, 3))
    boxes += [((x, y, 0.0), (x + 0.25, y + 0.3, height)) for x, y, height in blocks.tolist()]
    nearest = np.full(len(rays), 8.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        for low, high in boxes:
            ahead, behind = np.full(len(rays), 0.0), np.full(len(rays), np.inf)
            for axis in range(3):
                one = (low[axis] - origin[axis]) / rays[:, axis]
                two = (high[axis] - origin[axis]) / rays[:, axis]
                np.fmax(ahead, np.minimum(one, two), out=ahead)
                np.fmin(behind, np.maximum(one, two), out=behind)
            hit = (ahead < behind) & (ahead > 0)
            nearest[hit] = np.minimum(nearest[hit], ahead[hit])
    return np.where(nearest < 8.0, nearest, np.nan)


def _other_libraries(points: Array) -> dict[str, Callable[[], object]]:
    """Return the same filter in other installed libraries, from arrays to arrays."""
    valid = points[np.isfinite(points).all(axis=1)]
    methods: dict[str, Callable[[], object]] = {}
    try:
        import small_gicp
    except ImportError:
        pass
    else:
        methods["small_gicp"] = lambda: small_gicp.voxelgrid_sampling(
            valid, VOXEL, num_threads=1
        ).points()
    try:
        import open3d
    except ImportError:
        pass
    else:
        vector = open3d.utility.Vector3dVector
        methods["open3d"] = lambda: np.asarray(
            open3d.geometry.PointCloud(vector(valid)).voxel_down_sample(VOXEL).points
        )
    return methods


def _times_per_point() -> list[float]:
    """Return the time per point (s) of the filter for clouds of `COUNTS` points."""
    times = []
    for count in COUNTS:
        share = (count / (ROWS * COLUMNS)) ** 0.5
        cloud = hall(round(ROWS * share), round(COLUMNS * share)).finite()
        spent = _measure_alternately(
            {"ours": partial(voxel_centroids, cloud.points, VOXEL)}, REPEATS
        )
        times.append(spent["ours"] / len(cloud))
    return times


def _measure_alternately(
    methods: dict[str, Callable[[], object]], repeats: int
) -> dict[str, float]:
    """Return the least processor time of each method, s, after one warm-up call."""
    rounds = [
        {name: processor_seconds(method) for name, method in methods.items()}
        for _ in range(repeats + 1)
    ]
    return {name: min(times[name] for times in rounds[1:]) for name in methods}
