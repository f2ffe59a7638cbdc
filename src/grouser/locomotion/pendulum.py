"""The linear inverted pendulum: a centre of mass at constant height over a moving pressure point.

With ω² = g / height, the divergent part ξ = x + v / ω runs away from the pressure point p and the
centre of mass x runs after ξ (Takenaka 2009; Englsberger, Ott and Albu-Schäffer 2015):

    dξ/dt = ω (ξ - p)        dx/dt = ω (ξ - x)

So ξ has to be planned backwards from where it shall end, and x follows by itself. Everything here
is exact for a p that moves evenly, and works on arrays (…, 2) of points on the ground, m.
"""

from __future__ import annotations

import numpy as np

from grouser.frames import Array


def run(
    xi: Array, x: Array, start: Array, end: Array, omega: float, whole: float, time: Array
) -> tuple[Array, Array]:
    """Return ξ and x after ``time`` (s), p going from ``start`` to ``end`` within ``whole`` s.

    ``time``, at most ``whole``, has to broadcast against the points.
    """
    slope = (end - start) / whole
    growth = np.exp(omega * time)
    moved = start + slope * time
    free = xi - start - slope / omega
    decay = x - start - free / 2
    return moved + slope / omega + free * growth, moved + free / 2 * growth + decay / growth


def rest(xi: Array, x: Array, point: Array, omega: float, time: Array) -> tuple[Array, Array]:
    """Return ξ and x after ``time`` (s) in which p stays at ``point``."""
    growth = np.exp(omega * time)
    free = xi - point
    half = free / 2
    return point + free * growth, point + half * growth + (x - point - half) / growth


def back(xi: Array, start: Array, end: Array, omega: float, whole: float) -> Array:
    """Return ξ at the start of a move of p from ``start`` to ``end`` that leaves it at ``xi``."""
    lag = (end - start) / whole / omega
    return np.asarray(start + lag + (xi - end - lag) * np.exp(-omega * whole))


def pull(omega: float, whole: float) -> float:
    """Return how much `back` changes with its ``start``, -."""
    return float(1 - (1 - np.exp(-omega * whole)) / (omega * whole))


def push(omega: float, whole: float, hold: float) -> float:
    """Return how much the last ξ changes with p's ``end``, reached in ``whole``, then held, -."""
    return float(1 + np.exp(omega * hold) * (1 - np.exp(omega * whole)) / (omega * whole))
