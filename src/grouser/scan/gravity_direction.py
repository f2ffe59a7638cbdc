"""Gravity direction of a point cloud: from a camera pose, a gravity vector, or surface normals.

Without a pose or a gravity vector, the direction is estimated from normals, one per voxel, which
face the sensor. Directions shared by many normals are candidates for up, weighted by a prior of the
sensor's attitude: cameras (x right, y down, z forward) have any pitch but little roll; lidars and
surveyed clouds have z approximately up, or clearly down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, degrees, radians, rotate
from grouser.scan.cloud import PointCloud, span
from grouser.scan.distance_field import Planes, voxel_planes
from grouser.scan.rotation import quaternion
from grouser.scan.voxel_grid import VoxelGrid, voxel_grid

CONE = radians(12.0)
"""Half angle of the cone that contains a plane's normals, rad; estimate: noise of a Kinect."""
CORE = radians(5.0)
"""Half angle of the cone that contains most of a plane's normals, but not of a hill's, rad;
estimate."""
WIDE_CONE = radians(40.0)
"""Half angle of the cone that contains the normals of uneven ground, rad; estimate."""
FLAT_PART = 0.25
"""Share of all normals in a cone above which they count as a plane; estimate."""
HELD = radians(25.0)
"""Standard deviation of the roll of cameras and the tilt of lidars, rad; estimate."""
GRAZING = radians(6.0)
"""Angle between ray and surface below which the side of the surface is uncertain; estimate."""
PEERING = 0.4
"""Prior of a camera that looks straight down, relative to one that looks ahead; estimate."""
MOST_VOTES = 5000
"""Largest number of normals that are evaluated."""
VOXELS = 100
"""Voxels along the cloud's widest side."""


@dataclass(frozen=True)
class GravityEstimate:
    """Gravity direction in a cloud's frame, with its confidence."""

    direction: Array
    """Unit vector down, (3,), in the cloud's frame."""
    cue: str
    """Source of the estimate: ``camera pose``, ``gravity``, ``plane`` or ``ground``."""
    confidence: float
    """Confidence, 0 (another direction is as likely) to 1 (given)."""
    remark: str
    """One sentence for the user: the result and alternatives."""
    X_WC: Pose
    """Pose of the cloud's frame in a world frame with z up: the sensor is above the world's origin
    and faces x, and most of the level ground is at z = 0; as given, if a pose was given."""


def find_gravity_direction(
    cloud: PointCloud, *, camera_pose: Pose | None = None, gravity: Array | None = None
) -> GravityEstimate:
    """Estimate the gravity direction.

    Args:
        cloud: one frame in the sensor's axes, or several registered into the first one's.
        camera_pose: pose of the cloud's frame in the world (z up), if known.
        gravity: a vector down in the cloud's frame, such as from an accelerometer, if known.

    Raises:
        BadValue: gravity is no direction, or the cloud has no valid points.
    """
    if camera_pose is not None:
        down = rotate(camera_pose.inverse().wxyz, (0.0, 0.0, -1.0))
        remark = "down is taken from the camera pose"
        return GravityEstimate(down, "camera pose", 1.0, remark, camera_pose)
    there = cloud.finite()
    if not len(there):
        raise BadValue("gravity direction: there are no points")
    size = max(span(there.points), 1e-3) / VOXELS
    grid = voxel_grid(there.points, size)
    planes = voxel_planes(grid, there)
    camera = is_camera_frame(there)
    if gravity is not None:
        length = float(np.linalg.norm(gravity))
        if not (np.isfinite(length) and length > 0):
            raise BadValue(f"gravity: {gravity} is no direction")
        up, cue, confidence = -gravity / length, "gravity", 0.98
        remark = "down is the given gravity"
    else:
        flip = -1.0 if not camera and _z_is_down(planes, there, grid) else 1.0
        up, cue, confidence, remark = _by_normals(flip * planes.normals, camera)
        up = flip * up
    height = _ground_height(planes.means @ up, planes.normals @ up, size)
    if cue == "plane":
        up, height = _fit_plane(planes, up, height, size)
    elif cue == "ground":
        up = _fit_uneven_ground(planes, up)
        height = _ground_height(planes.means @ up, planes.normals @ up, size)
    return GravityEstimate(-up, cue, confidence, remark, _world_pose(there, up, height, camera))


def _z_is_down(planes: Planes, cloud: PointCloud, grid: VoxelGrid) -> bool:
    """Return whether a cloud's z is down, as in marine and aerial conventions."""
    # Then many normals point along -z and almost none along z. Surfaces seen at a grazing
    # angle are ignored, since noise along the ray decides the sign of their normals.
    sight = grid.means(np.ascontiguousarray(cloud.views)) - planes.means
    sight /= np.maximum(np.linalg.norm(sight, axis=1, keepdims=True), 1e-12)
    clear = np.einsum("ij,ij->i", planes.normals, sight) > np.sin(GRAZING)
    along = planes.normals[clear, 2]
    if not len(along):
        return False
    level = np.cos(WIDE_CONE)
    below, above = float((along < -level).mean()), float((along > level).mean())
    return below > FLAT_PART and above < below / 10


def is_camera_frame(cloud: PointCloud) -> bool:
    """Return whether a cloud is in camera axes: all points in a cone along z."""
    rays = cloud.points - cloud.views
    beside = np.hypot(rays[:, 0], rays[:, 1])
    return bool(np.mean((rays[:, 2] > 0) & (beside < np.tan(radians(65.0)) * rays[:, 2])) > 0.99)


def _likelihood(up: Array, camera: bool) -> Array:
    """Return the prior, 0 to 1, of directions (k, 3) being up, from the usual sensor attitudes."""
    if not camera:
        tilt = np.arccos(np.clip(up[:, 2], -1, 1))
        return np.asarray(np.exp(-0.5 * (tilt / HELD) ** 2) + 1e-3)
    roll = np.arcsin(np.clip(up[:, 0], -1, 1))
    upright = np.clip(-up[:, 1], 0.0, 1.0)
    skyward = np.where((up[:, 1] > 0.1) | (up[:, 2] > 0.5), 0.02, 1.0)  # upside down; looking up
    ahead = PEERING + (1 - PEERING) * np.minimum(1.0, upright / np.sin(radians(30.0)))
    return np.asarray(np.exp(-0.5 * (roll / HELD) ** 2) * ahead * skyward + 1e-3)


def _by_normals(normals: Array, camera: bool) -> tuple[Array, str, float, str]:
    """Return the direction up, its source, its confidence, and a remark for the user."""
    tries = _sphere(400)
    normals = normals[:: max(1, len(normals) // MOST_VOTES)]
    nearness = np.einsum("ij,kj->ik", normals, tries)
    shares = (nearness > np.cos(CONE)).mean(axis=0) * _likelihood(tries, camera)
    flat = _centre(normals, tries[int(np.argmax(shares))], CONE)
    part, core = (float((normals @ flat > np.cos(cone)).mean()) for cone in (CONE, CORE))
    if part >= FLAT_PART and core > part / 2:
        up, cue, cone = flat, "plane", CONE
        what = f"a plane with {part:.0%} of the surface"
    else:
        wide = (nearness > np.cos(WIDE_CONE)).mean(axis=0) * _likelihood(tries, camera)
        up, cue, cone = (
            _centre(normals, tries[int(np.argmax(wide))], WIDE_CONE),
            "ground",
            WIDE_CONE,
        )
        what = f"uneven ground, {float((normals @ up > np.cos(cone)).mean()):.0%} of the surface"
    shares = (nearness > np.cos(cone)).mean(axis=0) * _likelihood(tries, camera)
    best = float(((normals @ up > np.cos(cone)).mean() * _likelihood(up[None], camera))[0])
    rivals = np.where(tries @ up < np.cos(2 * cone), shares, 0.0)
    rival = float(rivals.max())
    confidence = float(np.clip(1.0 - rival / max(best, 1e-9), 0.0, 0.95 if cue == "plane" else 0.7))
    remark = f"down is found by {what}"
    if confidence < 0.5:
        other = degrees(float(np.arccos(np.clip(tries[int(np.argmax(rivals))] @ up, -1, 1))))
        remark += f"; a surface {other:.0f}° from it may be level instead: give a camera pose"
    elif camera and -up[1] < np.sin(radians(15.0)):
        confidence = min(confidence, 0.4)
        remark += "; the camera appears to look straight down, or it faces a wall"
    return up, cue, confidence, remark


def _centre(normals: Array, start: Array, cone: float) -> Array:
    """Return the mode of normals near a direction (mean shift with a cone as kernel)."""
    for _ in range(20):
        inside = normals[normals @ start > np.cos(cone)]
        if not len(inside):
            break
        middle = inside.sum(axis=0)
        middle /= np.linalg.norm(middle)
        if middle @ start > 1 - 1e-12:
            break
        start = middle
    return start


def _sphere(count: int) -> Array:
    """Return uniformly distributed unit vectors (Fibonacci sphere), (count, 3)."""
    turn = np.pi * (1 + np.sqrt(5)) * np.arange(count)
    z = 1 - (2 * np.arange(count) + 1) / count
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


def _ground_height(heights: Array, level: Array, size: float) -> float:
    """Return the most frequent height of level surfaces along up, m."""
    flat = heights[level > np.cos(CONE)]
    if len(flat) < 0.05 * len(heights):
        return float(np.quantile(heights, 0.1))
    bins = np.round(flat / size).astype(np.int64)
    counts = np.bincount(bins - bins.min())
    smooth = np.convolve(counts, [1, 1, 1], mode="same")
    best = int(np.argmax(smooth)) + bins.min()
    return float(np.median(flat[np.abs(bins - best) <= 1]))


def _fit_plane(planes: Planes, up: Array, height: float, size: float) -> tuple[Array, float]:
    """Return up and height of a plane fitted to the level surfaces near this height."""
    reach = 2 * size
    for _ in range(10):
        near = np.abs(planes.means @ up - height) < reach
        near &= planes.normals @ up > np.cos(CONE)
        if near.sum() < 10:
            break
        points = planes.means[near]
        middle = points.mean(axis=0)
        normal = np.linalg.eigh(np.cov(points.T))[1][:, 0]
        up = normal * np.sign(normal @ up)
        height = float(middle @ up)
        off = points @ up - height
        reach = float(np.clip(3 * 1.4826 * np.median(np.abs(off)), 0.05 * size, reach))
    return up, height


def _fit_uneven_ground(planes: Planes, up: Array) -> Array:
    """Return up of a plane fitted to all uneven ground."""
    # The mean of the normals is biased towards the sensor, since slopes facing away are
    # hidden.
    points = planes.means[planes.normals @ up > np.cos(WIDE_CONE)]
    normal = np.linalg.eigh(np.cov(points.T))[1][:, 0]
    return np.asarray(normal * np.sign(normal @ up))


def _world_pose(cloud: PointCloud, up: Array, height: float, camera: bool) -> Pose:
    """Return the pose of the cloud's frame in the world: z up, sensor above the origin, x ahead."""
    ahead = np.array([0.0, 0.0, 1.0] if camera else [1.0, 0.0, 0.0])
    x = ahead - (ahead @ up) * up
    if np.linalg.norm(x) < 0.1:  # it looks straight down: ahead is up in its picture
        x = np.array([0.0, -1.0, 0.0]) - (-up[1]) * up
    x /= np.linalg.norm(x)
    turn = np.stack([x, np.cross(up, x), up])
    foot = turn @ cloud.views[0]
    return Pose(np.array([-foot[0], -foot[1], -height]), quaternion(turn))
