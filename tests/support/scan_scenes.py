"""Known scenes of boxes and hills, and simulated depth cameras and lidars that scan them."""

from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, Pose
from grouser.scan.cloud import PointCloud
from grouser.scan.rotation import matrix_of, pose_of

Corner = tuple[float, float, float]
Box = tuple[Corner, Corner]
"""Lowest and highest corner, m."""
Hit = Callable[[Array, Array], Array]
"""Returns the distance along rays (n, 3) from a point to the scene; nan: none."""

FLOOR: Box = ((-20.0, -20.0, -1.0), (20.0, 20.0, 0.0))


def camera_pose(eye: npt.ArrayLike, at: npt.ArrayLike) -> Pose:
    """Return the pose of a camera (x right, y down, z forward) that is aimed at a point."""
    ahead = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([right, np.cross(ahead, right), ahead], axis=1)
    matrix[:3, 3] = eye
    return pose_of(matrix)


def camera_rays(rows: int, columns: int, focal: float) -> Array:
    """Return ray directions (n, 3) with z = 1, row by row; ``focal`` in pixels."""
    right, down = np.meshgrid(
        (np.arange(columns) - (columns - 1) / 2) / focal, (np.arange(rows) - (rows - 1) / 2) / focal
    )
    return np.stack([right, down, np.ones_like(right)], axis=-1).reshape(-1, 3)


def lidar_rays(
    rings: int = 16, steps: int = 900, lowest: float = -25.0, highest: float = 5.0
) -> Array:
    """Return directions (x ahead, z up), ring after ring from the highest; angles in degrees."""
    up = np.radians(np.linspace(highest, lowest, rings))[:, None]
    around = np.radians(np.linspace(-180, 180, steps, endpoint=False))[None]
    rays = [np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0 * around]
    return np.stack(rays, axis=-1).reshape(-1, 3)


def hit_boxes(eye: Array, rays: Array, boxes: Iterable[Box]) -> Array:
    """Return the distance along rays (n, 3) to the first box; nan: none."""
    nearest = np.full(len(rays), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for low, high in boxes:
            one, two = ((np.asarray(side) - eye) / rays for side in (low, high))
            ahead = np.nanmax(np.minimum(one, two), axis=1)
            behind = np.nanmin(np.maximum(one, two), axis=1)
            hit = (ahead < behind) & (ahead > 0)
            nearest[hit] = np.minimum(nearest[hit], ahead[hit])
    return np.where(np.isfinite(nearest), nearest, np.nan)


def hit_hills(
    eye: Array, rays: Array, height: Callable[[Array, Array], Array], far: float = 8.0
) -> Array:
    """Return the distance along rays (n, 3) to the ground z = height(x, y); nan: beyond ``far``."""
    low, high = np.zeros(len(rays)), np.full(len(rays), np.nan)
    for t in np.arange(0.05, far, 0.02):
        point = eye + t * rays
        under = (point[:, 2] < height(point[:, 0], point[:, 1])) & np.isnan(high)
        high[under] = t
        low[np.isnan(high)] = t
    for _ in range(20):
        middle = (low + high) / 2
        point = eye + middle[:, None] * rays
        under = point[:, 2] < height(point[:, 0], point[:, 1])
        low, high = np.where(under, low, middle), np.where(under, middle, high)
    return high


def simulated_scan(
    X_WC: Pose,
    rays: Array,
    hit: Hit,
    shape: tuple[int, int] | None = None,
    noise: float = 0.0,
    seed: int = 0,
    far: float = np.inf,
) -> PointCloud:
    """Return the point cloud that a sensor measures, in its own axes.

    Args:
        X_WC: pose of the sensor.
        rays: directions in the sensor's axes (n, 3).
        hit: the scene.
        shape: rows and columns of an organized cloud.
        noise: standard deviation of the distance, m.
        seed: seed of the noise.
        far: longest distance in units of the rays; points beyond are nan.
    """
    turned = rays @ matrix_of(X_WC)[:3, :3].T
    ahead = hit(X_WC.position, turned)
    rng = np.random.default_rng(seed)
    ahead = ahead * (1 + noise / np.linalg.norm(rays, axis=1) * rng.normal(size=len(rays)))
    ahead[ahead > far] = np.nan
    return PointCloud(rays * ahead[:, None], shape, None, np.zeros(3))


def box_distance(points: Array, boxes: Iterable[Box]) -> Array:
    """Return the unsigned distance of points (n, 3) to the surface of the union of boxes, m."""
    best = np.full(len(points), np.inf)
    for box in boxes:
        low, high = np.asarray(box[0]), np.asarray(box[1])
        beyond = np.maximum(np.maximum(low - points, points - high), 0.0)
        inside = np.minimum(points - low, high - points).min(axis=1)
        own = np.where((beyond == 0).all(axis=1), -inside, np.linalg.norm(beyond, axis=1))
        best = np.minimum(best, own)
    distance: Array = np.abs(best)
    return distance


LEVEL = Pose(np.array([0.0, 0.0, 1.0]))
"""Pose of a level sensor 1 m above the floor."""
