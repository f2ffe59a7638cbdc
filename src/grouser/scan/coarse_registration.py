"""Coarse registration of frames: poses in the first frame by generalized ICP (GICP).

Uses small_gicp on one thread; with several its poses differ from run to run.
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
"""Largest correspondence distances of successive alignments, in voxels."""
LEAST_OVERLAP = 0.2
"""Smallest share of a frame with a correspondence; estimate."""
LARGEST_ERROR = 0.5
"""Largest root mean square of distances, in voxels; estimate."""
NEIGHBOURS = 15
"""Number of points to which a point's plane is fitted."""


@dataclass(frozen=True)
class FramePose:
    """Registered pose of one frame."""

    X_FC: Pose
    """Pose of the frame in the first one."""
    overlap: float
    """Share of its voxels with a correspondence in the previous frames."""
    error: float
    """Root mean square of the distances from the correspondences' planes, m."""
    loose: float = 0.0
    """Standard deviation along the least constrained direction, from the frames only, m; infinite
    for two views of a single plane. 0: not computed."""
    left: float = 0.0
    """The same with the given poses as further constraints, m."""


FIRST = FramePose(Pose(), 1.0, 0.0)


def coarse_register(
    clouds: Sequence[PointCloud], size: float, guesses: Sequence[Pose] | None = None
) -> tuple[FramePose, ...]:
    """Return the pose of each frame in the first one, by GICP against all previous frames.

    Each frame overlaps an earlier one; ``size`` (m) is the edge of the voxels at which they are
    compared; ``guesses`` are approximate poses in one frame (None: that of the previous frame).
    """
    check_size(size)
    if guesses is not None and len(guesses) != len(clouds):
        raise BadValue(f"registration: {len(guesses)} poses for {len(clouds)} frames")
    if len(clouds) < 2:
        return (FIRST,) * len(clouds)
    thin = [voxel_centroids(cloud.points, size) for cloud in clouds]
    # small_gicp's voxel range is limited: surveyed clouds are moved to the origin.
    middle = np.median(thin[0], axis=0)
    target, poses = thin[0] - middle, [FIRST]
    for number, points in enumerate(thin[1:], 1):
        guess = poses[-1].X_FC if guesses is None else guesses[0].inverse() @ guesses[number]
        found = _align(target, guess.apply(points) - middle, size)
        pose = Pose(middle) @ found.X_FC @ Pose(-middle) @ guess
        _check(number, found, size)
        poses.append(FramePose(pose, found.overlap, found.error))
        target = voxel_centroids(
            np.concatenate([target, found.X_FC.apply(guess.apply(points) - middle)]), size
        )
    return tuple(poses)


def _align(target: Array, source: Array, size: float) -> FramePose:
    """Return the pose that aligns ``source`` with ``target``."""
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
            f"registration: frame {number + 1} does not fit the previous ones: "
            f"{found.overlap:.0%} overlap, {millimetres(found.error):.1f} mm error; give camera "
            f"poses, accurate to about {10 * size:.2g} m"
        )


def _small_gicp() -> Any:
    try:
        import small_gicp
    except ImportError as error:
        raise missing_extra("registration of frames needs small_gicp", "scan") from error
    return small_gicp
