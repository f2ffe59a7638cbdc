"""``--speed max|FACTOR``: how fast simulated time passes."""

from __future__ import annotations

import math

from grouser.errors import BadValue


def factor_of(speed: str, word: str = "max") -> float | None:
    """Return simulated seconds per second of the clock; None: ``word`` was said instead."""
    if speed == word:
        return None
    try:
        factor = float(speed)
    except ValueError:
        factor = math.nan
    if not (math.isfinite(factor) and factor > 0):
        raise BadValue(
            f"--speed is '{speed}', '{word}' or a number above 0 is needed, "
            "such as 1.0 for real time"
        )
    return factor
