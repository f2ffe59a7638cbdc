"""How sharply a robot turns: curvature of its way as appendix A of the roach report measures it."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array, to_rpy


def path_length(positions: Array) -> float:
    """Return the length (m) of a way over ground, from samples (k, 2 or 3) (m): step by step."""
    return float(np.linalg.norm(np.diff(positions[:, :2], axis=0), axis=1).sum())


def total_turn(wxyz: Array) -> float:
    """Return the total turn to the left (rad) of orientations (k, 4): step by step.

    Steps must be short enough that no two of them are half a turn apart.
    """
    yaw = np.unwrap(to_rpy(wxyz)[:, 2])
    return float(yaw[-1] - yaw[0])


def curvature(positions: Array, wxyz: Array) -> float:
    """Return 2 pi n / d (1/m): n turns to the left over a way of length d."""
    return total_turn(wxyz) / path_length(positions)
