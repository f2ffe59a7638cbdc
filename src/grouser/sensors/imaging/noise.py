"""Pixel noise model and its table of normal values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue

RANKS = 4096
"""Size of the table of equally likely normal values: 12 random bits, up to 3.7 deviations."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Normal noise, independent per pixel and colour; the variance grows with brightness."""

    read: float = 0.0
    """Read noise: standard deviation in the dark, grey levels of 255."""
    shot: float = 0.0
    """Shot noise: variance per grey level."""

    def __post_init__(self) -> None:
        for name in ("read", "shot"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadValue(f"noise: {name} is {getattr(self, name)}, must be at least 0")

    def __bool__(self) -> bool:
        """Return whether there is any noise."""
        return bool(self.read or self.shot)

    def deviation(self, level: float) -> float:
        """Return the standard deviation at a grey level, in grey levels."""
        return math.sqrt(self.read**2 + self.shot * level)


NO_NOISE = Noise()
"""No noise."""


@cache
def normal_table() -> npt.NDArray[np.float32]:
    """Return `RANKS` equally likely values of the normal distribution: mean 0, variance 1."""
    inverse = NormalDist().inv_cdf
    values = np.array([inverse((rank + 0.5) / RANKS) for rank in range(RANKS)])
    return np.asarray(values / values.std(), np.float32)


def noise_keys(seed: int) -> npt.NDArray[np.uint32]:
    """Return the two hash keys of a picture's noise."""
    return np.asarray(np.random.SeedSequence(seed).generate_state(2), np.uint32)
