"""Stability of slipping contacts on springs (flutter), in closed form.

The force of a slipping contact has a fixed direction, its normal inclined by the friction angle,
and a size given by the compression of its spring. Two such contacts couple the bounce modes of a
body in one direction only. Above a certain friction two modes merge at one frequency and their
amplitude grows (flutter). Planar; m, kg, N/m, rad.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array


@dataclass(frozen=True, kw_only=True)
class SlippingContact:
    """Slipping contact of a body on a spring."""

    place: tuple[float, float]
    """Position relative to the centre of mass, x forward, z up."""
    normal: tuple[float, float]
    """Unit normal into the body."""
    slip: tuple[float, float]
    """Unit vector of the friction force on the body."""
    stiffness: float
    """Stiffness along the normal, N/m."""
    damping: float = 0.0
    """Damping along the normal, N s/m."""


def flutter(
    contacts: Sequence[SlippingContact], *, friction: float, mass: float, inertia: float
) -> tuple[float, float]:
    """Return growth rate (1/s; stable: at most 0) and frequency (rad/s) of the least stable mode.

    Args:
        contacts: all contacts, all slipping.
        friction: Coulomb's coefficient.
        mass: mass of the body.
        inertia: moment of inertia of the body about its centre of mass, normal to the plane.
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
    hops = values[values.imag > 1e-3]  # other modes do not oscillate
    if not len(hops):
        return 0.0, 0.0
    worst = hops[int(hops.real.argmax())]
    return float(worst.real), float(worst.imag)


def _wrench(place: tuple[float, float], force: Array) -> Array:
    """Return the force and its moment about the centre of mass, nose up."""
    return np.array([force[0], force[1], place[0] * force[1] - place[1] * force[0]])
