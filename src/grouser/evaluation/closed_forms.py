"""What statics says about crawlers, in closed form: the truth that `closed-forms` holds ours to.

A crawler here is two belts on pulleys of one radius (to the grousers' tips, where there are some):
axles ``axle_distance`` apart, centre of mass ``x`` before the rear axle and ``z`` above the line
through both. m, rad, N.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

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


@dataclass(frozen=True, kw_only=True)
class Bars:
    """Grousers with round tips across a belt, m."""

    height: float
    """Over the bare belt."""
    tip_radius: float
    pitch: float
    """From one to the next."""

    def edge_depth(self, pitch: Array) -> Array:
        """Return how deep (m) below the tips an edge lies between two bars of a pitched belt.

        Seen from the belt at ``pitch`` p (rad) the top of the step falls away by tan p, its riser
        by cot p. Touching both tips it is radius (1 - sin p - cos p) + spacing/2 sin 2p deep; no
        deeper than the bare belt.
        """
        touching = self.tip_radius * (1 - np.sin(pitch) - np.cos(pitch))
        touching = touching + self.pitch / 2 * np.sin(2 * pitch)
        return np.clip(touching, 0.0, self.height)


def step_limit(
    *,
    radius: float,
    x: float,
    z: float,
    bars: Bars | None = None,
    friction: float = np.inf,
) -> float:
    """Return the highest step (m) that balance lets a crawler climb, rear pulley on the ground.

    With the belt on the edge at pitch p, the centre of mass is over the edge when the edge is
    s = x - (radius + z) tan p along the belt; the step is then radius (1 - cos p) + s sin p high.
    Between two bars the edge lies deeper than on their tips, nearer to the axles.

    The rear pulley then carries nothing, so the edge alone holds the weight: without bars it can
    as long as tan p is no more than ``friction``.
    """
    pitch = _pitches(friction)
    return float(_steps(pitch, radius, x, z, bars).max())


def step_pitch(*, radius: float, x: float, z: float) -> float:
    """Return the pitch (rad) at which a crawler without bars is over the highest step's edge."""
    pitch = _pitches(np.inf)
    return float(pitch[int(_steps(pitch, radius, x, z, None).argmax())])


def _pitches(friction: float) -> Array:
    return np.linspace(0.0, min(np.pi / 2, float(np.arctan(friction))), 20001)[1:-1]


def _steps(pitch: Array, radius: float, x: float, z: float, bars: Bars | None) -> Array:
    """Return for every pitch the step over whose edge the centre of mass is."""
    reach = radius - (bars.edge_depth(pitch) if bars else 0.0)
    along = x - (reach + z) * np.tan(pitch)
    return np.asarray(radius - reach * np.cos(pitch) + along * np.sin(pitch))


def wall_friction(*, radius: float, axle_distance: float, x: float) -> float:
    """Return the least friction with which a smooth belt starts up a wall."""

    def spare(friction: float) -> float:
        lift = friction / (1 + friction**2) * (radius + friction * (axle_distance + radius))
        return float(lift - x)

    return root(spare, 0.0, 5.0)


def tip_back_angle(*, radius: float, x: float, z: float) -> float:
    """Return the slope (rad) on which a crawler that looks uphill tips over backwards."""
    return float(np.arctan2(x, radius + z))


def tip_back_angle_on_springs(
    *, radius: float, x: float, z: float, axle_distance: float, sink: float
) -> float:
    """Return the same (rad) for belts on springs, by which it sinks ``sink`` (m) on level ground.

    Load e before the rear axle presses a triangle 3 e long into the springs, which tilts the
    crawler by 2 axle_distance sink cos p/(9 e²) and so moves its centre of mass back: below a
    certain e nothing holds it. That is at e³ = 4 (radius + z) axle_distance sink/(9 cos p).
    """
    height = radius + z
    angle = tip_back_angle(radius=radius, x=x, z=z)
    for _ in range(50):
        before = (4 * height * axle_distance * sink / (9 * np.cos(angle))) ** (1 / 3)
        angle = float(np.arctan2(x - 1.5 * before, height))
    return angle


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
