"""Limb darkening and white balance."""

from __future__ import annotations

import math

import numpy as np

from grouser.frames import Array

_WAVELENGTHS = (610e-9, 540e-9, 465e-9)  # m, peak sensitivity of red, green and blue; estimate
_SECOND = 1.438777e-2  # m K   second radiation constant, CODATA


def limb_darkening(rays: Array, power: float) -> Array:
    """Return the relative illumination of pixels away from the axis (cmos, sec. 4.2).

    The paper calls it limb darkening and prints no formula. Here it is a power of the cosine of the
    angle off the axis; 4 is the law of an ideal thin lens.

    Args:
        rays: x and y of the directions, ``(…, 2)``.
        power: of the cosine; 0: none.
    """
    return np.asarray((1 + (rays * rays).sum(axis=-1)) ** (-power / 2))


def white_balance(light_kelvin: float, camera_kelvin: float) -> tuple[float, float, float]:
    """Return red, green and blue gains of a camera balanced for ``camera_kelvin``.

    Both lights are black bodies; the gain of green is 1. The ERS-210 is balanced for 4300 K (cmos,
    sec. 4): in warmer light its white is reddish.
    """
    ratio = [
        (math.exp(_SECOND / (length * camera_kelvin)) - 1)
        / (math.exp(_SECOND / (length * light_kelvin)) - 1)
        for length in _WAVELENGTHS
    ]
    red, green, blue = ratio
    return red / green, 1.0, blue / green
