"""Linear inverted pendulum: a centre of mass at constant height over a moving pressure point.

With ω² = g / height, the divergent component of motion ξ = x + v / ω diverges from the pressure
point p, and the centre of mass x converges to ξ (Takenaka 2009; Englsberger, Ott and Albu-Schäffer
2015):

    dξ/dt = ω (ξ - p)        dx/dt = ω (ξ - x)

Therefore ξ is planned backwards from its final value, and x needs no plan. All functions are exact
for a p of constant velocity and take arrays (…, 2) of points on the ground, m.
"""

from __future__ import annotations

import numpy as np

from grouser.frames import Array


def advance_moving(
    xi: Array, x: Array, start: Array, end: Array, omega: float, whole: float, time: Array
) -> tuple[Array, Array]:
    """Return ξ and x after ``time`` (s) while p moves from ``start`` to ``end`` in ``whole`` s.

    ``time`` is at most ``whole`` and broadcasts against the points.
    """
    slope = (end - start) / whole
    growth = np.exp(omega * time)
    moved = start + slope * time
    free = xi - start - slope / omega
    decay = x - start - free / 2
    return moved + slope / omega + free * growth, moved + free / 2 * growth + decay / growth


def advance_fixed(
    xi: Array, x: Array, point: Array, omega: float, time: Array
) -> tuple[Array, Array]:
    """Return ξ and x after ``time`` (s) with p fixed at ``point``."""
    growth = np.exp(omega * time)
    free = xi - point
    half = free / 2
    return point + free * growth, point + half * growth + (x - point - half) / growth


def initial_xi(xi: Array, start: Array, end: Array, omega: float, whole: float) -> Array:
    """Return the initial ξ that ends at ``xi`` when p moves from ``start`` to ``end``."""
    lag = (end - start) / whole / omega
    return np.asarray(start + lag + (xi - end - lag) * np.exp(-omega * whole))


def start_sensitivity(omega: float, whole: float) -> float:
    """Return the derivative of `initial_xi` with respect to its ``start``, -."""
    return float(1 - (1 - np.exp(-omega * whole)) / (omega * whole))


def end_sensitivity(omega: float, whole: float, hold: float) -> float:
    """Return the derivative of the final ξ with respect to the ``end`` of p, -.

    Point p reaches ``end`` after ``whole`` s and then stays there for ``hold`` s.
    """
    return float(1 + np.exp(omega * hold) * (1 - np.exp(omega * whole)) / (omega * whole))
