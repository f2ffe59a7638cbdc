"""Which way is down, and how sure that is: by camera pose, by gravity, or by what was seen.

Where nobody says it, surfaces tell: their normals, one per voxel, look to the sensor. Directions
that many of them share are candidates for up. How likely each is as such also depends on how
sensors are held: cameras (x right, y down, z forward) are pitched freely but hardly rolled; lidars
and surveyed clouds have z about up, or, where that is plain, down.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, degrees, radians, rotate
from grouser.scan.cloud import PointCloud
from grouser.scan.cloud_limits import span
from grouser.scan.distance_field import Planes, voxel_planes
from grouser.scan.rotation import quaternion
from grouser.scan.voxel_grid import VoxelGrid, voxel_grid

CONE = radians(12.0)
"""Normals that are one plane's, rad; estimate: a Kinect's noise turns normals by this."""
CORE = radians(5.0)
"""Most of one plane's normals, rad; hills' are spread all over the cone; estimate."""
WIDE_CONE = radians(40.0)
"""Normals of uneven ground, rad; estimate."""
FLAT_PART = 0.25
"""Part of all normals in one cone from which on it is a plane that tells; estimate."""
HELD = radians(25.0)
"""How far sensors are usually rolled, or lidars tilted (one standard deviation), rad; estimate."""
GRAZING = radians(6.0)
"""Angle between ray and surface below which its outer side is not sure; estimate."""
PEERING = 0.4
"""How likely a camera looks straight down, beside one that looks ahead; estimate."""
MOST_VOTES = 5000
"""Normals that are asked."""
VOXELS = 100
"""Voxels along the cloud's widest side."""


@dataclass(frozen=True)
class DownGuess:
    """Which way is down in a cloud's frame."""

    direction: Array
    """Unit vector down, (3,), in the cloud's frame."""
    cue: str
    """What told: ``camera pose``, ``gravity``, ``plane`` or ``ground``."""
    sureness: float
    """0: it could as well be another way, 1: known."""
    remark: str
    """One sentence for the user: what was found, and what else it could have been."""
    X_WC: Pose
    """The cloud's frame in a world frame with z up. The sensor is above the world's origin, x is
    where it looks, and most of the level ground is at z = 0; as given, if a pose was given."""


def find_down(
    cloud: PointCloud, *, camera_pose: Pose | None = None, gravity: Array | None = None
) -> DownGuess:
    """Tell which way is down.

    Args:
        cloud: one frame in the sensor's axes, or several registered into the first one's.
        camera_pose: the cloud's frame in the world (z up), where somebody knows it.
        gravity: a vector down in the cloud's frame, as an accelerometer gives it, where known.

    Raises:
        BadValue: gravity is no direction, or nothing was seen.
    """
    if camera_pose is not None:
        down = rotate(camera_pose.inverse().wxyz, (0.0, 0.0, -1.0))
        return DownGuess(down, "camera pose", 1.0, "down is as the camera pose says", camera_pose)
    there = cloud.there()
    if not len(there):
        raise BadValue("which way is down: there are no points")
    size = max(span(there.points), 1e-3) / VOXELS
    grid = voxel_grid(there.points, size)
    planes = voxel_planes(grid, there)
    camera = looks_ahead(there)
    if gravity is not None:
        length = float(np.linalg.norm(gravity))
        if not (np.isfinite(length) and length > 0):
            raise BadValue(f"gravity: {gravity} is no direction")
        up, cue, sureness = -gravity / length, "gravity", 0.98
        remark = "down is as gravity says"
    else:
        flip = -1.0 if not camera and _z_is_down(planes, there, grid) else 1.0
        up, cue, sureness, remark = _by_normals(flip * planes.normals, camera)
        up = flip * up
    height = _ground_height(planes.means @ up, planes.normals @ up, size)
    if cue == "plane":
        up, height = _fitted(planes, up, height, size)
    elif cue == "ground":
        up = _leant(planes, up)
        height = _ground_height(planes.means @ up, planes.normals @ up, size)
    return DownGuess(-up, cue, sureness, remark, _world_pose(there, up, height, camera))


def _z_is_down(planes: Planes, cloud: PointCloud, grid: VoxelGrid) -> bool:
    """Return whether a cloud's z is down, as at sea and in the air.

    Then much of what was seen looks along -z and next to nothing along z. What is seen at a grazing
    angle is not asked: noise along the ray decides on which side it looks.
    """
    sight = grid.means(np.ascontiguousarray(cloud.views)) - planes.means
    sight /= np.maximum(np.linalg.norm(sight, axis=1, keepdims=True), 1e-12)
    clear = np.einsum("ij,ij->i", planes.normals, sight) > np.sin(GRAZING)
    along = planes.normals[clear, 2]
    if not len(along):
        return False
    level = np.cos(WIDE_CONE)
    below, above = float((along < -level).mean()), float((along > level).mean())
    return below > FLAT_PART and above < below / 10


def looks_ahead(cloud: PointCloud) -> bool:
    """Return whether a cloud is in a camera's axes: all of it in front, in a cone along z."""
    rays = cloud.points - cloud.views
    beside = np.hypot(rays[:, 0], rays[:, 1])
    return bool(np.mean((rays[:, 2] > 0) & (beside < np.tan(radians(65.0)) * rays[:, 2])) > 0.99)


def _likelihood(up: Array, camera: bool) -> Array:
    """Return how likely directions (k, 3) are up, from 0 to 1, by how sensors are held."""
    if not camera:
        tilt = np.arccos(np.clip(up[:, 2], -1, 1))
        return np.asarray(np.exp(-0.5 * (tilt / HELD) ** 2) + 1e-3)
    roll = np.arcsin(np.clip(up[:, 0], -1, 1))
    upright = np.clip(-up[:, 1], 0.0, 1.0)
    skyward = np.where((up[:, 1] > 0.1) | (up[:, 2] > 0.5), 0.02, 1.0)  # upside down; looking up
    ahead = PEERING + (1 - PEERING) * np.minimum(1.0, upright / np.sin(radians(30.0)))
    return np.asarray(np.exp(-0.5 * (roll / HELD) ** 2) * ahead * skyward + 1e-3)


def _by_normals(normals: Array, camera: bool) -> tuple[Array, str, float, str]:
    """Return the direction up, what told, how sure, and what to say about it."""
    tries = _sphere(400)
    normals = normals[:: max(1, len(normals) // MOST_VOTES)]
    nearness = np.einsum("ij,kj->ik", normals, tries)
    shares = (nearness > np.cos(CONE)).mean(axis=0) * _likelihood(tries, camera)
    flat = _centre(normals, tries[int(np.argmax(shares))], CONE)
    part, core = (float((normals @ flat > np.cos(cone)).mean()) for cone in (CONE, CORE))
    if part >= FLAT_PART and core > part / 2:
        up, cue, cone = flat, "plane", CONE
        what = f"a plane with {part:.0%} of what was seen"
    else:
        wide = (nearness > np.cos(WIDE_CONE)).mean(axis=0) * _likelihood(tries, camera)
        up, cue, cone = (
            _centre(normals, tries[int(np.argmax(wide))], WIDE_CONE),
            "ground",
            WIDE_CONE,
        )
        what = f"uneven ground, {float((normals @ up > np.cos(cone)).mean()):.0%} of what was seen"
    shares = (nearness > np.cos(cone)).mean(axis=0) * _likelihood(tries, camera)
    best = float(((normals @ up > np.cos(cone)).mean() * _likelihood(up[None], camera))[0])
    rivals = np.where(tries @ up < np.cos(2 * cone), shares, 0.0)
    rival = float(rivals.max())
    sureness = float(np.clip(1.0 - rival / max(best, 1e-9), 0.0, 0.95 if cue == "plane" else 0.7))
    remark = f"down is found by {what}"
    if sureness < 0.5:
        other = degrees(float(np.arccos(np.clip(tries[int(np.argmax(rivals))] @ up, -1, 1))))
        remark += f"; something {other:.0f}° from it could as well be level: give a camera pose"
    elif camera and -up[1] < np.sin(radians(15.0)):
        sureness = min(sureness, 0.4)
        remark += "; the camera seems to look straight down, or it may face a wall"
    return up, cue, sureness, remark


def _centre(normals: Array, start: Array, cone: float) -> Array:
    """Return the middle of the normals in a cone, moved to where most of them are."""
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
    """Return unit vectors all over a sphere, evenly, (count, 3)."""
    turn = np.pi * (1 + np.sqrt(5)) * np.arange(count)
    z = 1 - (2 * np.arange(count) + 1) / count
    flat = np.sqrt(1 - z**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), z], axis=1)


def _ground_height(heights: Array, level: Array, size: float) -> float:
    """Return how high most of what is level is, along up, m."""
    flat = heights[level > np.cos(CONE)]
    if len(flat) < 0.05 * len(heights):
        return float(np.quantile(heights, 0.1))
    bins = np.round(flat / size).astype(np.int64)
    counts = np.bincount(bins - bins.min())
    smooth = np.convolve(counts, [1, 1, 1], mode="same")
    best = int(np.argmax(smooth)) + bins.min()
    return float(np.median(flat[np.abs(bins - best) <= 1]))


def _fitted(planes: Planes, up: Array, height: float, size: float) -> tuple[Array, float]:
    """Return up and height by a plane through what is level at about this height."""
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


def _leant(planes: Planes, up: Array) -> Array:
    """Return up by a plane through all of uneven ground.

    Of hills one sees the slopes towards oneself, so the mean of the normals leans that way.
    """
    points = planes.means[planes.normals @ up > np.cos(WIDE_CONE)]
    normal = np.linalg.eigh(np.cov(points.T))[1][:, 0]
    return np.asarray(normal * np.sign(normal @ up))


def _world_pose(cloud: PointCloud, up: Array, height: float, camera: bool) -> Pose:
    """Return the cloud's frame in the world: z up, the sensor above the origin, x ahead."""
    ahead = np.array([0.0, 0.0, 1.0] if camera else [1.0, 0.0, 0.0])
    x = ahead - (ahead @ up) * up
    if np.linalg.norm(x) < 0.1:  # it looks straight down: ahead is what is up in its picture
        x = np.array([0.0, -1.0, 0.0]) - (-up[1]) * up
    x /= np.linalg.norm(x)
    turn = np.stack([x, np.cross(up, x), up])
    foot = turn @ cloud.views[0]
    return Pose(np.array([-foot[0], -foot[1], -height]), quaternion(turn))
