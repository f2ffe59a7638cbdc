"""Radio propagation model: log-distance path loss with wall attenuation.

As in USARSim's wireless simulation, whose numbers are the defaults (reference, section 6).
"""

from __future__ import annotations

import math
from typing import Annotated

from pydantic import Field

from grouser.description import Description
from grouser.world.field_types import Length

NEAREST = 0.1
"""Smallest distance, m; shorter ones are replaced by it, because the path loss is logarithmic."""

Decibels = Annotated[float, Field(ge=0, le=200)]


class RadioModel(Description):
    """Path loss, packet loss and delay; the same for all radios of a world."""

    power_dbm: Annotated[float, Field(ge=-200, le=100)] = -49.67
    """Received power at `reference_m`, dBm; USARSim's Pdo."""
    reference_m: Length = 2.0
    """Reference distance of `power_dbm`, m; USARSim's."""
    exponent: Annotated[float, Field(ge=0, le=10)] = 1.0
    """Path-loss exponent, -; USARSim's n (free space: 2)."""
    cutoff_dbm: Annotated[float, Field(ge=-200, le=100)] = -93.0
    """Power below which nothing is received, dBm; USARSim's."""
    wall_db: Decibels = 6.325
    """Attenuation of one wall, dB; USARSim's."""
    most_walls: Annotated[int, Field(ge=0, le=1000)] = 5
    """Number of walls after which further ones are not counted; USARSim's."""
    margin_db: Decibels = 3.0
    """Range above the cutoff in which messages are lost: all at the cutoff, none at the end of the
    range, dB; estimate."""
    delay_s: Annotated[float, Field(ge=0, le=60)] = 0.0
    """Simulated time between sending and receiving, s."""

    def strength(self, distance: float, walls: int) -> float:
        """Return the received power, dBm, over ``distance`` (m) through ``walls`` walls."""
        far = math.log10(max(distance, NEAREST) / self.reference_m)
        return (
            self.power_dbm - 10 * self.exponent * far - min(walls, self.most_walls) * self.wall_db
        )

    def loss(self, strength: float) -> float:
        """Return the probability that a message of ``strength`` (dBm) is lost, 0 to 1."""
        above = strength - self.cutoff_dbm
        if above < 0:
            return 1.0
        return max(0.0, 1.0 - above / self.margin_db) if self.margin_db else 0.0
