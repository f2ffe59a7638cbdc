"""When slipping contacts on springs do not slip steadily but hop, in closed form.

A contact that slips pushes along a fixed direction, its normal leant over by its friction, with a
force that its spring's depth says. Two such contacts couple the bounces of a body one way only
(what presses the one in lifts the other, not the other way round); above some friction two of its
modes meet at one frequency and the pair grows: flutter. Planar; m, kg, N/m, rad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array


@dataclass(frozen=True, kw_only=True)
class SlippingContact:
    """Where a body slips on a spring."""

    place: tuple[float, float]
    """From the centre of mass, x forward, z up."""
    normal: tuple[float, float]
    """Of length 1, into the body."""
    slip: tuple[float, float]
    """Of length 1: where friction pushes the body."""
    stiffness: float
    """N/m along the normal."""
    damping: float = 0.0
    """N s/m along the normal."""


def flutter(
    contacts: Sequence[SlippingContact], *, friction: float, mass: float, inertia: float
) -> tuple[float, float]:
    """Return how fast the worst hop grows (1/s; none: at most 0) and its frequency (rad/s).

    Args:
        contacts: all of them, all slipping.
        friction: Coulomb's coefficient.
        mass: of the body.
        inertia: of the body about its centre of mass, across the plane.
    """
    stiffness, damping = np.zeros((3, 3)), np.zeros((3, 3))
    for contact in contacts:
        normal, slip = np.array(contact.normal), np.array(contact.slip)
        pushed = _wrench(contact.place, normal + friction * slip)
        moved = _wrench(contact.place, normal)
        stiffness += contact.stiffness * np.outer(pushed, moved)
        damping += contact.damping * np.outer(pushed, moved)
    inverse = np.diag([1 / mass, 1 / mass, 1 / inertia])
    motion = np.block([[np.zeros((3, 3)), np.eye(3)], [-inverse @ stiffness, -inverse @ damping]])
    values = np.linalg.eigvals(motion)
    hops = values[values.imag > 1e-3]  # the rest slide, or do not move at all
    if not len(hops):
        return 0.0, 0.0
    worst = hops[int(hops.real.argmax())]
    return float(worst.real), float(worst.imag)


def _wrench(place: tuple[float, float], force: Array) -> Array:
    """Return the force and its moment about the centre of mass, nose up."""
    return np.array([force[0], force[1], place[0] * force[1] - place[1] * force[0]])
