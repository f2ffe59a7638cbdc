"""What statics says about crawlers, in closed form: the truth that `closed-forms` holds ours to.

A crawler here is two belts on pulleys of one radius (to the grousers' tips, where there are some):
axles ``axle_distance`` apart, centre of mass ``x`` before the rear axle and ``z`` above the line
through both. m, rad, N.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grouser.frames import Array

_POINTS = 400
"""Of a belt, to stand for even pressure along it."""


def turning_ratio(length_over_gauge: float) -> float:
    """Return how fast even pressure on two lines turns in place, over what rigid rolling would.

    Isotropic Coulomb friction; friction itself, weight and speed cancel out.
    """
    along = (np.arange(_POINTS) + 0.5) / _POINTS - 0.5
    points = np.concatenate(
        [
            np.column_stack([along * length_over_gauge, np.full(_POINTS, side)])
            for side in (0.5, -0.5)
        ]
    )
    return turning_ratio_of(points, np.ones(len(points)), gauge=1.0)


def turning_ratio_of(points: Array, loads: Array, *, gauge: float) -> float:
    """Return the same for any pressure: a body that turns in place dissipates least.

    Args:
        points: where it touches, (n, 2), x forward, y left.
        loads: standing forces there, (n,).
        gauge: between the belts; those at y > 0 run backwards, at y < 0 forwards.
    """
    x, y = points.T
    belt = np.where(y > 0, -gauge / 2, gauge / 2)
    moved = np.zeros(3)  # vx, vy and turning rate, per rad/s of rigid rolling
    for _ in range(400):
        slip_x, slip_y = moved[0] - moved[2] * y - belt, moved[1] + moved[2] * x
        # Least sum of load times slip, by weighted least squares again and again.
        weight = loads / np.maximum(np.hypot(slip_x, slip_y), 1e-9 * gauge)
        rows_x = np.column_stack([np.ones_like(x), np.zeros_like(x), -y])
        rows_y = np.column_stack([np.zeros_like(x), np.ones_like(x), x])
        matrix = (rows_x * weight[:, None]).T @ rows_x + (rows_y * weight[:, None]).T @ rows_y
        before, moved = moved, np.linalg.solve(matrix, (rows_x * weight[:, None]).T @ belt)
        if np.abs(moved - before).max() < 1e-10:
            break
    return float(moved[2])


def step_limit(*, radius: float, x: float, z: float, bar: float = 0.0) -> float:
    """Return the highest step (m) that balance lets a crawler climb, rear pulley on the ground.

    With the belt on the edge at pitch p, the centre of mass is over the edge when the edge is
    s = x - (radius + z) tan p along the belt; the step is then radius (1 - cos p) + s sin p high.
    An edge between two bars lies on the bare belt, ``bar`` (m) nearer to the axles.
    """
    pitch = np.linspace(0.0, np.pi / 2, 20001)[1:-1]
    along = x - (radius - bar + z) * np.tan(pitch)
    return float((radius - (radius - bar) * np.cos(pitch) + along * np.sin(pitch)).max())


def wall_friction(*, radius: float, axle_distance: float, x: float) -> float:
    """Return the least friction with which a smooth belt starts up a wall."""

    def spare(friction: float) -> float:
        lift = friction / (1 + friction**2) * (radius + friction * (axle_distance + radius))
        return float(lift - x)

    return root(spare, 0.0, 5.0)


def tip_back_angle(*, radius: float, x: float, z: float) -> float:
    """Return the slope (rad) on which a crawler that looks uphill tips over backwards."""
    return float(np.arctan2(x, radius + z))


def slip_angle(friction: float) -> float:
    """Return the slope (rad) on which anything begins to slide."""
    return float(np.arctan(friction))


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return where ``function``, below 0 at ``low`` and above at ``high``, is 0; nan: nowhere."""
    if function(high) < 0:
        return float("nan")
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) >= 0 else (middle, high)
    return (low + high) / 2
