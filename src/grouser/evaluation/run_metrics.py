"""Metrics of a run as in the roach report: energy at the joints, curvature of the path.

The report (sec. 3.4) adds torque x speed over all steps and legs and prints the plain sum, "a
relative unit". The sum does not contain the time step and therefore depends on its size.
`Energy.signed_sum` is that figure. `Energy.work` and `Energy.effort` are the same power in joules;
tables use them unless stated otherwise. Turning and curvature are those of appendix A.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, to_rpy


@dataclass(frozen=True)
class Energy:
    """Energy spent at the joints."""

    signed_sum: float
    """Sum of torque x speed over steps and joints, W: the report's E, for ratios only."""
    work: float
    """Sum of torque x speed x dt, J; energy returned to a joint is subtracted."""
    effort: float
    """Sum of |torque x speed| x dt, J; braking is added."""


def joint_energy(power: Array, dt: float) -> Energy:
    """Return the energy of joints with ``power`` (steps, joints) (W), sampled every ``dt`` (s)."""
    if power.ndim != 2 or not (math.isfinite(dt) and dt > 0):
        raise BadValue(f"energy: power {power.shape} every {dt} s, needs (steps, joints) and > 0 s")
    total = float(power.sum())
    return Energy(signed_sum=total, work=total * dt, effort=float(abs(power).sum()) * dt)


def path_length(positions: Array) -> float:
    """Return the horizontal length (m) of a path from samples (k, 2 or 3) (m)."""
    return float(np.linalg.norm(np.diff(positions[:, :2], axis=0), axis=1).sum())


def total_turn(wxyz: Array) -> float:
    """Return the total turn to the left (rad) of orientations (k, 4) under half a turn apart."""
    yaw = np.unwrap(to_rpy(wxyz)[:, 2])
    return float(yaw[-1] - yaw[0])


def curvature(positions: Array, wxyz: Array) -> float:
    """Return 2 pi n / d (1/m) for n turns to the left on a path of length d."""
    return total_turn(wxyz) / path_length(positions)
