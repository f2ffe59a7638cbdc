"""Closed-form statics of crawlers: reference values of the experiment ``closed-forms``.

The crawler has two belts on pulleys of one radius (to the tips of the grousers, if any). The axles
are ``axle_distance`` apart. The centre of mass is ``x`` in front of the rear axle and ``z`` above
the line through both axles. Units: m, rad, N.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array

_POINTS = 400
"""Number of points of a belt that represent uniform pressure."""


def turning_ratio(length_over_gauge: float) -> float:
    """Return the turning rate in place over that of rigid rolling, for uniform pressure on lines.

    Friction is isotropic Coulomb friction; its coefficient, weight and speed cancel out.
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
    """Return the turning rate in place over that of rigid rolling, for any pressure.

    The motion minimises the dissipated power of ``loads`` (n,) at ``points`` (n, 2; x forward,
    y left). Belts at y > 0 run backwards, those at y < 0 forwards.
    """
    x, y = points.T
    belt = np.where(y > 0, -gauge / 2, gauge / 2)
    moved = np.zeros(3)  # vx, vy and turning rate, per rad/s of rigid rolling
    for _ in range(400):
        slip_x, slip_y = moved[0] - moved[2] * y - belt, moved[1] + moved[2] * x
        # Minimise the sum of load times slip by iteratively reweighted least squares.
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
    """Transverse grousers with round tips on a belt, m."""

    height: float
    """Height above the bare belt."""
    tip_radius: float
    pitch: float
    """Distance from one to the next."""

    def edge_depth(self, pitch: Array) -> Array:
        """Return the depth (m) below the tips of an edge between two bars of a pitched belt.

        Relative to the belt at ``pitch`` p (rad) the top of the step slopes by tan p and its riser
        by cot p. An edge that touches both tips has the depth
        radius (1 - sin p - cos p) + spacing/2 sin 2p, limited by the bare belt.
        """
        touching = self.tip_radius * (1 - np.sin(pitch) - np.cos(pitch))
        touching = touching + self.pitch / 2 * np.sin(2 * pitch)
        return np.clip(touching, 0.0, self.height)


def step_limit(
    *, radius: float, x: float, z: float, bars: Bars | None = None, friction: float = np.inf
) -> float:
    """Return the highest step (m) that balance allows, with the rear pulley on the ground.

    With the belt on the edge at pitch p, the centre of mass is above the edge if the edge is at
    s = x - (radius + z) tan p along the belt. The height of the step is then
    radius (1 - cos p) + s sin p. Between two bars the edge is deeper than on their tips, nearer to
    the axles.

    The rear pulley then carries no load and the edge carries the weight. Without bars this is
    possible as long as tan p does not exceed ``friction``.
    """
    pitch = _pitches(friction)
    return float(_steps(pitch, radius, x, z, bars).max())


def step_pitch(*, radius: float, x: float, z: float) -> float:
    """Return the pitch (rad) of a crawler without bars above the edge of the highest step."""
    pitch = _pitches(np.inf)
    return float(pitch[int(_steps(pitch, radius, x, z, None).argmax())])


def _pitches(friction: float) -> Array:
    return np.linspace(0.0, min(np.pi / 2, float(np.arctan(friction))), 20001)[1:-1]


def _steps(pitch: Array, radius: float, x: float, z: float, bars: Bars | None) -> Array:
    """Return for every pitch the step height with the centre of mass above the edge."""
    reach = radius - (bars.edge_depth(pitch) if bars else 0.0)
    along = x - (reach + z) * np.tan(pitch)
    return np.asarray(radius - reach * np.cos(pitch) + along * np.sin(pitch))


def wall_friction(*, radius: float, axle_distance: float, x: float) -> float:
    """Return the least coefficient of friction with which a smooth belt starts up a wall."""

    def spare(friction: float) -> float:
        lift = friction / (1 + friction**2) * (radius + friction * (axle_distance + radius))
        return float(lift - x)

    return root(spare, 0.0, 5.0)


def tip_back_angle(*, radius: float, x: float, z: float) -> float:
    """Return the slope (rad) at which a crawler facing uphill tips over backwards."""
    return float(np.arctan2(x, radius + z))


def tip_back_angle_on_springs(
    *, radius: float, x: float, z: float, axle_distance: float, sink: float
) -> float:
    """Return the tip-back slope (rad) with belts on springs that sink by ``sink`` (m) when level.

    A load at e in front of the rear axle compresses the springs along a triangle of length 3 e.
    This tilts the crawler by 2 axle_distance sink cos p/(9 e²) and moves its centre of mass
    backwards. There is no equilibrium below a certain e, given by
    e³ = 4 (radius + z) axle_distance sink/(9 cos p).
    """
    height = radius + z
    angle = tip_back_angle(radius=radius, x=x, z=z)
    for _ in range(50):
        before = (4 * height * axle_distance * sink / (9 * np.cos(angle))) ** (1 / 3)
        angle = float(np.arctan2(x - 1.5 * before, height))
    return angle


def slip_angle(friction: float) -> float:
    """Return the slope (rad) at which a body begins to slide."""
    return float(np.arctan(friction))


def stopping_distance(start: float, friction: Callable[[float], float], gravity: float) -> float:
    """Return the distance (m) in which a body sliding at ``start`` (m/s) stops.

    ``friction`` is the friction coefficient by slip speed: the distance is the integral of
    v dv/(gravity x friction(v)).
    """
    speeds = np.linspace(0.0, start, 2001)
    middle = (speeds[1:] + speeds[:-1]) / 2
    coefficients = np.array([friction(speed) for speed in middle.tolist()])
    return float(np.sum(middle * np.diff(speeds) / (gravity * coefficients)))


def root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root of ``function`` by bisection, from below 0; nan if ``high`` is below 0."""
    if function(high) < 0:
        return float("nan")
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) >= 0 else (middle, high)
    return (low + high) / 2
