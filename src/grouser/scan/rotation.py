"""Conversion of rotation matrices to quaternions and back."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array, Pose, rotate


def quaternion(matrix: Array) -> Array:
    """Return the unit quaternion (wxyz, w at least 0) of a rotation matrix (3, 3)."""
    m = matrix
    # The eigenvector of the largest eigenvalue of this matrix is the quaternion nearest to an
    # approximate rotation matrix (Bar-Itzhack 2000).
    k = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], 0, 0, 0],
            [m[2, 1] - m[1, 2], m[0, 0] - m[1, 1] - m[2, 2], 0, 0],
            [m[0, 2] - m[2, 0], m[0, 1] + m[1, 0], m[1, 1] - m[0, 0] - m[2, 2], 0],
            [m[1, 0] - m[0, 1], m[0, 2] + m[2, 0], m[1, 2] + m[2, 1], m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    wxyz = np.linalg.eigh(k)[1][:, -1]
    return np.asarray(wxyz if wxyz[0] >= 0 else -wxyz)


def matrix_of(pose: Pose) -> Array:
    """Return a pose as a matrix (4, 4)."""
    result = np.eye(4)
    result[:3, :3] = rotate(pose.wxyz, np.eye(3)).T
    result[:3, 3] = pose.position
    return result


def pose_of(matrix: Array) -> Pose:
    """Return the pose of a matrix (4, 4)."""
    return Pose(matrix[:3, 3].copy(), quaternion(matrix[:3, :3]))
