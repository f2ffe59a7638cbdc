"""From frames to ground: every step of a scan, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, millimetres
from grouser.scan.cloud import PointCloud, joined
from grouser.scan.down import DownGuess, find_down
from grouser.scan.gaps import between_pixels
from grouser.scan.holes import Hole, close_holes, find_holes
from grouser.scan.outliers import find_outliers
from grouser.scan.pose_information import TAPE_MEASURE, PoseSpread
from grouser.scan.refinement import laid
from grouser.scan.registration import FramePose
from grouser.scan.rings import as_rings
from grouser.scan.simplify import simplified
from grouser.scan.surface import fused_surface
from grouser.scan.voxel_grid import check_size
from grouser.world.meshes.triangle_mesh import TriangleMesh

Progress = Callable[[str, int, int], None]
STEPS = ("outliers", "registration", "down", "surface", "holes", "simplification")
SURE = 0.5
"""Below this sureness of down the user is warned."""
FAR = 10_000.0
"""m from its axes' origin beyond which a cloud is no sensor's view but a surveyor's; chosen."""
SLIDES = 1.0
"""Voxels by which a frame may be off, by what it shows, before the user is warned; estimate."""


@dataclass(frozen=True, kw_only=True)
class ScanOptions:
    """How frames become ground."""

    voxel: float = 0.02
    """Edge of voxels and of the surface's cells, m."""
    camera_poses: tuple[Pose, ...] | None = None
    """Each frame's pose in the world (z up), about right where there are several; None: found."""
    pose_spread: PoseSpread = TAPE_MEASURE
    """How well these are known: what frames do not tell by themselves is held by them."""
    gravity: Array | None = None
    """A vector down in the first frame's axes, (3,); None: found."""
    close_holes: float = 0.1
    """Holes up to this width are closed, m."""
    error: float = 0.002
    """How far simplification may move the surface, m."""


STANDARD_SCAN = ScanOptions()


@dataclass(frozen=True)
class RebuiltGround:
    """What a scan became, in a world frame: z up, ground at about z = 0."""

    cloud: PointCloud
    """All points that were kept, in the world, with their origins."""
    mesh: TriangleMesh
    """The surface, in the world."""
    down: DownGuess
    frames: tuple[FramePose, ...]
    holes: tuple[Hole, ...]
    """Those that are open, widest first; their corners are the mesh's before simplification."""
    closed: tuple[Hole, ...]
    """Those that were closed: what is there was not seen."""
    removed: int
    """Points that were left out as outliers."""
    error: float
    """How far simplification moved the surface, m."""
    warnings: tuple[str, ...]
    """What the user should know, one sentence each."""


def rebuild(
    clouds: Sequence[PointCloud],
    options: ScanOptions = STANDARD_SCAN,
    progress: Progress = lambda what, done, of: None,
) -> RebuiltGround:
    """Turn frames, each in its sensor's axes, into ground.

    Args:
        clouds: at least one; where there are several, each overlaps an earlier one.
        options: how.
        progress: called with the step's name, its number and how many there are.

    Raises:
        BadValue: nothing was seen, or frames do not fit each other.
    """
    check_size(options.voxel)
    poses = options.camera_poses
    if not clouds:
        raise BadValue("scan: there are no frames")
    if poses is not None and len(poses) != len(clouds):
        raise BadValue(f"scan: {len(poses)} camera poses for {len(clouds)} frames")
    away = _middle_far_away(clouds[0])
    clouds = [cloud.counted_from(away) for cloud in clouds] if away.any() else clouds
    progress(STEPS[0], 0, len(STEPS))
    outliers = [find_outliers(cloud, options.voxel) for cloud in clouds]
    clean = [cloud.without(out) for cloud, out in zip(clouds, outliers, strict=True)]
    progress(STEPS[1], 1, len(STEPS))
    frames = laid(clean, options.voxel, poses, options.pose_spread)
    placed = [clean[0]]
    placed += [cloud.moved(at.X_FC) for cloud, at in zip(clean[1:], frames[1:], strict=True)]
    points = joined([cloud.there() for cloud in placed])
    progress(STEPS[2], 2, len(STEPS))
    down = find_down(
        points, camera_pose=None if poses is None else poses[0], gravity=options.gravity
    )
    progress(STEPS[3], 3, len(STEPS))
    rows = [as_rings(cloud) or cloud for cloud in placed]
    more = [between_pixels(cloud, options.voxel).moved(down.X_WC) for cloud in rows]
    level = points.moved(down.X_WC)
    surface = fused_surface(joined([level, *more]), options.voxel)
    progress(STEPS[4], 4, len(STEPS))
    holes = find_holes(surface)
    whole, closed = close_holes(surface, options.close_holes, holes)
    progress(STEPS[5], 5, len(STEPS))
    fewer = simplified(whole, options.error)
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
    """Return where a cloud lies, whole m, if no sensor sees so far; else zeros, (3,).

    Surveyors count from the equator: thousands of kilometres leave a surface no digits.
    """
    points = cloud.points[cloud.seen]
    middle = np.round(np.median(points, axis=0)) if len(points) else np.zeros(3)
    return middle if np.abs(middle).max() > FAR else np.zeros(3)


def _distance(away: Array) -> list[str]:
    if not away.any():
        return []
    x, y, z = away.tolist()
    return [f"the cloud lies at {x:.0f}, {y:.0f}, {z:.0f} m: the world counts from there"]


def _warnings(
    clouds: Sequence[PointCloud],
    down: DownGuess,
    frames: Sequence[FramePose],
    options: ScanOptions,
) -> tuple[str, ...]:
    result = []
    if down.sureness < SURE:
        result.append(f"which way is down is not sure ({down.sureness:.0%}): {down.remark}")
    for number, cloud in enumerate(clouds, 1):
        if cloud.origins is None:
            result.append(
                f"frame {number} does not say where it was seen from: taken is its origin, and "
                "surfaces face it"
            )
    result += [
        _sliding(number, frame, options.camera_poses is not None)
        for number, frame in enumerate(frames, 1)
        if frame.loose > SLIDES * options.voxel
    ]
    return tuple(result)


def _sliding(number: int, frame: FramePose, given: bool) -> str:
    """Return what to say of a frame that what it shows does not hold."""
    off = f"by {frame.loose:.2g} m" if np.isfinite(frame.loose) else "anywhere"
    said = f"frame {number} could slide {off} on the others: what it shows is too flat to hold it"
    if given:
        return f"{said}; its camera pose does, to about {millimetres(frame.left):.0f} mm"
    return f"{said}; give camera poses"
