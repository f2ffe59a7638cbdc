"""Scenes whose truth is known, as cameras and lidars see them: boxes and hills."""

import numpy as np

from grouser.frames import Pose
from grouser.scan.cloud import PointCloud
from grouser.scan.rotation import matrix_of, pose_of

FLOOR = ((-20.0, -20.0, -1.0), (20.0, 20.0, 0.0))


def looking(eye, at):
    """Return the pose of a camera (x right, y down, z forward) that looks at a point."""
    ahead = np.subtract(at, eye) / np.linalg.norm(np.subtract(at, eye))
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([right, np.cross(ahead, right), ahead], axis=1)
    matrix[:3, 3] = eye
    return pose_of(matrix)


def camera_rays(rows, columns, focal):
    right, down = np.meshgrid(
        (np.arange(columns) - (columns - 1) / 2) / focal, (np.arange(rows) - (rows - 1) / 2) / focal
    )
    return np.stack([right, down, np.ones_like(right)], axis=-1).reshape(-1, 3)


def lidar_rays(rings=16, steps=900, lowest=-25.0, highest=5.0):
    """Return directions (x ahead, z up), ring after ring from the highest."""
    up = np.radians(np.linspace(highest, lowest, rings))[:, None]
    around = np.radians(np.linspace(-180, 180, steps, endpoint=False))[None]
    rays = [np.cos(up) * np.cos(around), np.cos(up) * np.sin(around), np.sin(up) + 0 * around]
    return np.stack(rays, axis=-1).reshape(-1, 3)


def hit_boxes(eye, rays, boxes):
    """Return how far along rays (n, 3) the first box is; nan: none."""
    nearest = np.full(len(rays), np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        for low, high in boxes:
            one, two = ((np.asarray(side) - eye) / rays for side in (low, high))
            ahead = np.nanmax(np.minimum(one, two), axis=1)
            behind = np.nanmin(np.maximum(one, two), axis=1)
            hit = (ahead < behind) & (ahead > 0)
            nearest[hit] = np.minimum(nearest[hit], ahead[hit])
    return np.where(np.isfinite(nearest), nearest, np.nan)


def hit_hills(eye, rays, height, far=8.0):
    """Return how far along rays (n, 3) the ground z = height(x, y) is; nan: not before ``far``."""
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


def seen(X_WC, rays, hit, shape=None, noise=0.0, seed=0, far=np.inf):
    """Return the cloud in the sensor's axes of rays in those axes."""
    turned = rays @ matrix_of(X_WC)[:3, :3].T
    ahead = hit(X_WC.position, turned)
    rng = np.random.default_rng(seed)
    ahead = ahead * (1 + noise / np.linalg.norm(rays, axis=1) * rng.normal(size=len(rays)))
    ahead[ahead > far] = np.nan
    return PointCloud(rays * ahead[:, None], shape, None, np.zeros(3))


def box_distance(points, boxes):
    """Return how far points (n, 3) are from the surface of the union of boxes, unsigned, m."""
    best = np.full(len(points), np.inf)
    for low, high in boxes:
        low, high = np.asarray(low), np.asarray(high)
        beyond = np.maximum(np.maximum(low - points, points - high), 0.0)
        inside = np.minimum(points - low, high - points).min(axis=1)
        own = np.where((beyond == 0).all(axis=1), -inside, np.linalg.norm(beyond, axis=1))
        best = np.minimum(best, own)
    return np.abs(best)


LEVEL = Pose(np.array([0.0, 0.0, 1.0]))
