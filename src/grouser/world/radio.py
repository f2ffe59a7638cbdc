"""How far robots' radios reach: the numbers of a distance and walls model.

The received power falls with the logarithm of the distance and by a fixed part for each wall, as in
USARSim's wireless simulation, whose numbers are the defaults (reference, section 6).
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from grouser.world.field_types import Description, Length

NEAREST = 0.1
"""Distances below this count as this, m: the logarithm knows no antenna."""

Decibels = Annotated[float, Field(ge=0, le=200)]


class RadioModel(Description):
    """What becomes of a signal on its way; all radios of a world are alike."""

    power_dbm: Annotated[float, Field(ge=-200, le=100)] = -49.67
    """Received power at `reference_m`, dBm; USARSim's Pdo."""
    reference_m: Length = 2.0
    """Distance at which that is received, m; USARSim's."""
    exponent: Annotated[float, Field(ge=0, le=10)] = 1.0
    """Power falls with the distance to this power, -; USARSim's n (free space would be 2)."""
    cutoff_dbm: Annotated[float, Field(ge=-200, le=100)] = -93.0
    """Power below which nothing is heard, dBm; USARSim's."""
    wall_db: Decibels = 6.325
    """What one wall takes away, dB; USARSim's."""
    most_walls: Annotated[int, Field(ge=0, le=1000)] = 5
    """Further walls take nothing away; USARSim's."""
    margin_db: Decibels = 3.0
    """Above the cutoff by less than this, some is lost: all of it at the cutoff, dB; estimate."""
    delay_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    """Simulated time from saying to hearing, s."""

    def strength(self, distance: float, walls: int) -> float:
        """Return the received power, dBm, over ``distance`` (m) through so many ``walls``."""
        far = math.log10(max(distance, NEAREST) / self.reference_m)
        return (
            self.power_dbm - 10 * self.exponent * far - min(walls, self.most_walls) * self.wall_db
        )

    def loss(self, strength: float) -> float:
        """Return how likely something is lost that arrives with ``strength`` (dBm), 0 to 1."""
        above = strength - self.cutoff_dbm
        if above < 0:
            return 1.0
        return max(0.0, 1.0 - above / self.margin_db) if self.margin_db else 0.0
