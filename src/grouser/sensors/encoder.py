"""Encoder sensor: drive positions, quantised to ticks.

A belt's encoder counts metres of belt; a belt roll-back does not change the count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import mujoco
import numpy as np

from grouser.description import Items, NotNegative
from grouser.frames import Array
from grouser.sensors.sensor import (
    LazyValues,
    Needs,
    SensorContext,
    SensorDescription,
    Value,
    Values,
    check_drives,
)


class Encoder(SensorDescription):
    """One encoder per drive."""

    kind: Literal["encoder"] = "encoder"
    drives: Items[str]
    """Names of the drives on this robot."""
    name: str = "encoder"
    resolution: NotNegative = 0.0
    """One tick, m or rad; 0: exact."""
    noise: NotNegative = 0.0
    """Standard deviation before quantisation, m or rad."""
    wrap: NotNegative = 0.0
    """Value at which the count wraps to 0, m or rad (2 pi: every turn); 0: never."""

    def add(self, spec: mujoco.MjSpec) -> None:
        """Check that the drives exist; nothing is added."""
        check_drives(self, spec, self.drives)

    def bind(self, model: mujoco.MjModel, prefix: str) -> BoundEncoder:
        """Return the encoder of the robot whose names begin with ``prefix``."""
        return BoundEncoder(self, tuple(prefix + drive for drive in self.drives))


@dataclass
class EncoderMemory:
    """State of an encoder between readings."""

    zero: tuple[float, ...] | None = None
    """Position of each drive at the last reset, m or rad; None: never reset."""
    reset_pending: bool = False
    """True if the next reading resets the count."""


class BoundEncoder:
    """Encoder bound to the full names of its drives."""

    needs = Needs.STATE

    def __init__(self, description: Encoder, drives: tuple[str, ...]) -> None:
        """Store the names; drive indices are looked up at the first reading."""
        self._description, self._names = description, drives
        self._exact = not (description.resolution or description.noise or description.wrap)
        self._indices: list[int] = []
        self.memory = EncoderMemory()

    def reset(self) -> None:
        """Reset the count to 0 at the next reading."""
        self.memory.reset_pending = True

    def read(self, context: SensorContext, rng: np.random.Generator) -> Values:
        """Return each drive's position, m or rad, by its name on the robot."""
        if not self._indices:
            self._indices = context.drive_indices(self._names)
        if self.memory.reset_pending:
            zero = tuple(context.travelled[place] for place in self._indices)
            self.memory = EncoderMemory(zero)
        if self._exact:
            return LazyValues(partial(self._exact_values, context, self.memory.zero))
        description, travelled = self._description, context.travelled
        true = np.array([travelled[place] for place in self._indices])
        if self.memory.zero:
            true -= self.memory.zero
        measured = corrupt(true, description.resolution, description.noise, description.wrap, rng)
        return dict(zip(description.drives, measured.tolist(), strict=True))

    def _exact_values(
        self, context: SensorContext, zero: tuple[float, ...] | None
    ) -> dict[str, Value]:
        travelled = [context.travelled[place] for place in self._indices]
        if zero:
            travelled = [now - then for now, then in zip(travelled, zero, strict=True)]
        return dict(zip(self._description.drives, travelled, strict=True))


def corrupt(
    positions: Array, resolution: float, noise: float, wrap: float, rng: np.random.Generator
) -> Array:
    """Return ``positions`` with noise, rounded down to ticks and wrapped at ``wrap``."""
    noisy = positions + rng.normal(0.0, noise, positions.shape) if noise else positions
    counted = np.floor(noisy / resolution) * resolution if resolution else noisy
    return np.asarray(counted % wrap if wrap else counted)
