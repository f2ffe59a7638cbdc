"""Encoders: where drives are, counted in whole ticks.

A belt's encoder counts metres of belt; it goes on counting when the belt's links are rolled back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import mujoco
import numpy as np

from grouser.errors import BadValue
from grouser.sensors.sensor import Moment


@dataclass(frozen=True, kw_only=True)
class Encoder:
    """One encoder on each of some drives."""

    drives: tuple[str, ...]
    """Names of the drives on this robot."""
    name: str = "encoder"
    rate_hz: float = 25.0
    """Readings per second."""
    resolution: float = 0.0
    """One tick, m or rad; 0: exact."""
    noise: float = 0.0
    """Standard deviation before counting, m or rad."""

    def __post_init__(self) -> None:
        if min(self.resolution, self.noise) < 0 or self.rate_hz <= 0:
            raise BadValue(
                f"encoder '{self.name}': resolution {self.resolution} and noise {self.noise} must "
                f"be at least 0, rate_hz {self.rate_hz} above 0"
            )

    def add(self, spec: mujoco.MjSpec) -> None:
        """Nothing to add: a drive's position is part of the state."""

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundEncoder:
        """Return the encoder of the robot whose names begin with ``prefix``."""
        return BoundEncoder(self, tuple(prefix + drive for drive in self.drives))


@dataclass(frozen=True)
class BoundEncoder:
    """An encoder that knows its drives' full names."""

    description: Encoder
    drives: tuple[str, ...]
    derived: bool = False

    def read(self, moment: Moment, rng: np.random.Generator) -> Mapping[str, float]:
        """Return each drive's position, m or rad, by the drive's name on its robot."""
        told = self.description
        true = [moment.travel[drive] for drive in self.drives]
        if told.resolution or told.noise:
            true = corrupt(np.array(true), told.resolution, told.noise, rng).tolist()
        return dict(zip(told.drives, true, strict=True))


def corrupt(
    positions: np.ndarray, resolution: float, noise: float, rng: np.random.Generator
) -> np.ndarray:
    """Return ``positions`` with noise, counted down to whole ticks of ``resolution``."""
    shaken = positions + rng.normal(0.0, noise, positions.shape) if noise else positions
    return np.floor(shaken / resolution) * resolution if resolution else shaken
