"""Energy at a robot's joints (roach, sec. 3.4), from the power of every joint at every step.

The report adds torque x speed over all steps and legs and prints the plain sum, "a relative unit":
it has no time step in it and depends on how long one is. `Energy.signed_sum` is that figure;
`work` and `effort` are the same power in joules, which tables use unless they say otherwise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from grouser.errors import BadValue
from grouser.frames import Array


@dataclass(frozen=True)
class Energy:
    """What joints spent."""

    signed_sum: float
    """Sum of torque x speed over steps and joints, W: the report's E; only ratios mean anything."""
    work: float
    """Sum of torque x speed x dt, J: what a joint takes back counts against it."""
    effort: float
    """Sum of |torque x speed| x dt, J: braking costs as well."""


def joint_energy(power: Array, dt: float) -> Energy:
    """Return the energy of joints with ``power`` (steps, joints) (W), sampled every ``dt`` (s)."""
    if power.ndim != 2 or not (math.isfinite(dt) and dt > 0):
        raise BadValue(f"energy: power {power.shape} every {dt} s, needs (steps, joints) and > 0 s")
    total = float(power.sum())
    return Energy(signed_sum=total, work=total * dt, effort=float(abs(power).sum()) * dt)
