"""Scan pipeline: outliers, registration, gravity direction, surface, holes, simplification."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, millimetres
from grouser.scan.cloud import PointCloud, concatenate_clouds
from grouser.scan.coarse_registration import FramePose
from grouser.scan.gravity_direction import GravityEstimate, find_gravity_direction
from grouser.scan.holes import Hole, close_holes, find_holes
from grouser.scan.organised_frames import interpolate_pixels, organise_rings
from grouser.scan.outliers import find_outliers
from grouser.scan.registration import TAPE_MEASURE, PoseSpread, register_frames
from grouser.scan.simplify import simplify_mesh
from grouser.scan.surface import fused_surface
from grouser.scan.voxel_grid import check_size
from grouser.world.meshes.triangle_mesh import TriangleMesh

Progress = Callable[[str, int, int], None]
STEPS = ("outliers", "registration", "down", "surface", "holes", "simplification")
SURE = 0.5
"""Confidence of the gravity direction below which a warning is reported."""
FAR = 10_000.0
"""Distance from the origin above which coordinates count as surveyed, m; estimate."""
SLIDES = 1.0
"""Uncertainty of a frame's pose above which a warning is reported, in voxels; estimate."""


@dataclass(frozen=True, kw_only=True)
class ScanOptions:
    """Options of the reconstruction."""

    voxel: float = 0.02
    """Edge of voxels and of the surface's cells, m."""
    camera_poses: tuple[Pose, ...] | None = None
    """Approximate pose of each frame in the world (z up); None: estimated."""
    pose_spread: PoseSpread = TAPE_MEASURE
    """Uncertainty of these poses, which constrain directions that the frames do not."""
    gravity: Array | None = None
    """A vector down in the first frame's axes, (3,); None: estimated."""
    close_holes: float = 0.1
    """Largest width of holes that are closed, m."""
    error: float = 0.002
    """Largest error of the simplification, m."""


STANDARD_SCAN = ScanOptions()


@dataclass(frozen=True)
class RebuiltGround:
    """Reconstructed ground in a world frame: z up, level ground at about z = 0."""

    cloud: PointCloud
    """All inliers, in the world, with their viewpoints."""
    mesh: TriangleMesh
    """The surface, in the world."""
    down: GravityEstimate
    frames: tuple[FramePose, ...]
    holes: tuple[Hole, ...]
    """Open holes, widest first; their indices refer to the mesh before simplification."""
    closed: tuple[Hole, ...]
    """Closed holes, whose area was not seen."""
    removed: int
    """Number of outliers."""
    error: float
    """Error of the simplification, m."""
    warnings: tuple[str, ...]
    """Warnings for the user, one sentence each."""


def rebuild(
    clouds: Sequence[PointCloud],
    options: ScanOptions = STANDARD_SCAN,
    progress: Progress = lambda what, done, of: None,
) -> RebuiltGround:
    """Reconstruct ground from frames, each in its sensor's axes.

    Args:
        clouds: at least one; each further one overlaps an earlier one.
        options: of the reconstruction.
        progress: called with the step's name, its number and the number of steps.

    Raises:
        BadValue: there are no valid points, or the registration fails.
    """
    check_size(options.voxel)
    poses = options.camera_poses
    if not clouds:
        raise BadValue("scan: there are no frames")
    if poses is not None and len(poses) != len(clouds):
        raise BadValue(f"scan: {len(poses)} camera poses for {len(clouds)} frames")
    away = _middle_far_away(clouds[0])
    clouds = [cloud.relative_to(away) for cloud in clouds] if away.any() else clouds
    progress(STEPS[0], 0, len(STEPS))
    outliers = [find_outliers(cloud, options.voxel) for cloud in clouds]
    clean = [cloud.drop(out) for cloud, out in zip(clouds, outliers, strict=True)]
    progress(STEPS[1], 1, len(STEPS))
    frames = register_frames(clean, options.voxel, poses, options.pose_spread)
    placed = [clean[0]]
    placed += [cloud.transformed(at.X_FC) for cloud, at in zip(clean[1:], frames[1:], strict=True)]
    points = concatenate_clouds([cloud.finite() for cloud in placed])
    progress(STEPS[2], 2, len(STEPS))
    down = find_gravity_direction(
        points, camera_pose=None if poses is None else poses[0], gravity=options.gravity
    )
    progress(STEPS[3], 3, len(STEPS))
    rows = [organise_rings(cloud) or cloud for cloud in placed]
    more = [interpolate_pixels(cloud, options.voxel).transformed(down.X_WC) for cloud in rows]
    level = points.transformed(down.X_WC)
    surface = fused_surface(concatenate_clouds([level, *more]), options.voxel)
    progress(STEPS[4], 4, len(STEPS))
    holes = find_holes(surface)
    whole, closed = close_holes(surface, options.close_holes, holes)
    progress(STEPS[5], 5, len(STEPS))
    fewer = simplify_mesh(whole, options.error)
    return RebuiltGround(
        cloud=level,
        mesh=fewer.mesh,
        down=down,
        frames=frames,
        holes=tuple(hole for hole in holes if not any(hole is other for other in closed)),
        closed=closed,
        removed=int(sum(out.sum() for out in outliers)),
        error=fewer.error,
        warnings=(*_distance(away), *_warnings(clouds, down, frames, options)),
    )


def _middle_far_away(cloud: PointCloud) -> Array:
    """Return the centre of a surveyed cloud, in whole m, (3,); zeros if it is near the origin."""
    # Large offsets of surveyed coordinates would cost the surface numerical precision.
    points = cloud.points[cloud.seen]
    middle = np.round(np.median(points, axis=0)) if len(points) else np.zeros(3)
    return middle if np.abs(middle).max() > FAR else np.zeros(3)


def _distance(away: Array) -> list[str]:
    if not away.any():
        return []
    x, y, z = away.tolist()
    return [f"the cloud is at {x:.0f}, {y:.0f}, {z:.0f} m, which is the origin of the world"]


def _warnings(
    clouds: Sequence[PointCloud],
    down: GravityEstimate,
    frames: Sequence[FramePose],
    options: ScanOptions,
) -> tuple[str, ...]:
    result = []
    if down.confidence < SURE:
        result.append(f"gravity direction uncertain ({down.confidence:.0%}): {down.remark}")
    for number, cloud in enumerate(clouds, 1):
        if cloud.origins is None:
            result.append(
                f"frame {number} has no viewpoint: its origin is used, and surfaces face it"
            )
    result += [
        _sliding(number, frame, options.camera_poses is not None)
        for number, frame in enumerate(frames, 1)
        if frame.loose > SLIDES * options.voxel
    ]
    return tuple(result)


def _sliding(number: int, frame: FramePose, given: bool) -> str:
    """Return a warning for an under-constrained frame."""
    off = f"by {frame.loose:.2g} m" if np.isfinite(frame.loose) else "anywhere"
    text = f"frame {number} could slide {off} on the others: its surface is too flat"
    if given:
        return f"{text}; its camera pose does, to about {millimetres(frame.left):.0f} mm"
    return f"{text}; give camera poses"
