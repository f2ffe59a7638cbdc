"""Several frames laid over each other: their poses in the first one's frame, by GICP.

small_gicp does it, on one thread: with two, its voxels and so its poses differ from run to run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from grouser.errors import BadValue, missing_extra
from grouser.frames import Array, Pose, millimetres
from grouser.scan.cloud import PointCloud
from grouser.scan.rotation import matrix_of, pose_of
from grouser.scan.voxel_grid import check_size, voxel_centroids

STAGES = (10.0, 4.0, 2.0)
"""How far counterparts may be apart, in voxels, one attempt after the other."""
LEAST_OVERLAP = 0.2
"""Part of a frame that must have a counterpart; estimate: below, frames lock in anywhere."""
LARGEST_ERROR = 0.5
"""Root mean square of distances, in voxels, above which frames do not fit; estimate."""
NEIGHBOURS = 15
"""Points that tell a point's plane."""


@dataclass(frozen=True)
class FramePose:
    """Where one frame is."""

    X_FC: Pose
    """The frame's pose in the first one's."""
    overlap: float
    """Part of its voxels that have a counterpart among the frames before."""
    error: float
    """Root mean square of the distances to the counterparts' planes, m."""
    loose: float = 0.0
    """How far it may be off along what holds it least, by what frames show, m (one sigma): two
    views of nothing but a plane slide on each other without end. 0: not asked for."""
    left: float = 0.0
    """The same with the help of the poses that were given, m."""


FIRST = FramePose(Pose(), 1.0, 0.0)


def register(
    clouds: Sequence[PointCloud], size: float, guesses: Sequence[Pose] | None = None
) -> tuple[FramePose, ...]:
    """Return where each frame is in the first one's frame; the first is where it is.

    Args:
        clouds: frames in their sensors' axes, in an order in which each overlaps an earlier one.
        size: edge of voxels at which frames are compared, m.
        guesses: poses in the first frame, about right; None: each where the one before was.

    Raises:
        BadValue: a frame has too little in common with those before.
    """
    check_size(size)
    if guesses is not None and len(guesses) != len(clouds):
        raise BadValue(f"registration: {len(guesses)} poses for {len(clouds)} frames")
    if len(clouds) < 2:
        return (FIRST,) * len(clouds)
    thin = [voxel_centroids(cloud.points, size) for cloud in clouds]
    # Far from the origin, as surveyed clouds are, small_gicp's voxels end: so all is moved there.
    middle = np.median(thin[0], axis=0)
    target, poses = thin[0] - middle, [FIRST]
    for number, points in enumerate(thin[1:], 1):
        guess = poses[-1].X_FC if guesses is None else guesses[0].inverse() @ guesses[number]
        found = _aligned(target, guess.apply(points) - middle, size)
        pose = Pose(middle) @ found.X_FC @ Pose(-middle) @ guess
        _check(number, found, size)
        poses.append(FramePose(pose, found.overlap, found.error))
        target = voxel_centroids(
            np.concatenate([target, found.X_FC.apply(guess.apply(points) - middle)]), size
        )
    return tuple(poses)


def _aligned(target: Array, source: Array, size: float) -> FramePose:
    """Return where ``source`` has to go to lie on ``target``."""
    gicp = _small_gicp()
    goal, tree = gicp.preprocess_points(target, size * 1e-3, NEIGHBOURS, num_threads=1)
    moving, _ = gicp.preprocess_points(source, size * 1e-3, NEIGHBOURS, num_threads=1)
    matrix = matrix_of(Pose())
    for voxels in STAGES:
        result = gicp.align(
            goal,
            moving,
            tree,
            init_T_target_source=matrix,
            max_correspondence_distance=voxels * size,
            num_threads=1,
            max_iterations=60,
            rotation_epsilon=1e-5,
            translation_epsilon=1e-5,
        )
        matrix = np.array(result.T_target_source)
    pose = pose_of(matrix)
    there = pose.apply(source)
    nearest, squares = tree.batch_nearest_neighbor_search(there)
    near = np.sqrt(np.array(squares)) < 1.5 * size
    which = np.array(nearest)[near]
    off = there[near] - goal.points()[which, :3]
    across = (off * goal.normals()[which, :3]).sum(axis=1)
    error = float(np.sqrt(np.mean(across**2))) if near.any() else float("inf")
    return FramePose(pose, float(near.mean()), error)


def _check(number: int, found: FramePose, size: float) -> None:
    if found.overlap < LEAST_OVERLAP or found.error > LARGEST_ERROR * size:
        raise BadValue(
            f"registration: frame {number + 1} does not fit those before it: {found.overlap:.0%} "
            f"of it has a counterpart, {millimetres(found.error):.1f} mm off; give the cameras' "
            f"poses, about {10 * size:.2g} m right"
        )


def _small_gicp() -> Any:
    try:
        import small_gicp
    except ImportError as error:
        raise missing_extra("laying frames over each other needs small_gicp", "scan") from error
    return small_gicp
