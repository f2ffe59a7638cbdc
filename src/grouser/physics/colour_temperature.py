"""Colour of light by its temperature: black bodies, and cameras that are balanced for them."""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

NEUTRAL_K = 6504.0
"""Temperature of light that leaves colours as they are: sRGB's white (D65), K."""
LIGHT_NUMERIC = "light_k"
"""Name of the custom number of a model that holds the temperature of its light, K."""

Kelvin = Annotated[float, Field(ge=1000, le=20000)]
"""Temperature of light, K."""

_WAVELENGTHS = (610e-9, 540e-9, 465e-9)  # m, peak sensitivity of red, green and blue; estimate
_SECOND = 1.438777e-2  # m K   second radiation constant, CODATA


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


def light_tint(kelvin: float | None) -> tuple[float, float, float]:
    """Return the colour of light relative to neutral light, its largest part 1; None: white."""
    if kelvin is None:
        return 1.0, 1.0, 1.0
    red, green, blue = white_balance(kelvin, NEUTRAL_K)
    most = max(red, green, blue)
    return red / most, green / most, blue / most
