"""Fractal ground: random roughness on every scale, from a seed, as a height field.

Octaves of smooth noise, each half as long as the one before and 2^-`smoothness` as high: the power
spectrum of a fractional Brownian surface. Only random numbers, additions and multiplications are
used, so that a seed gives the same ground on every platform.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field, model_validator

from grouser.description import mistake
from grouser.frames import Array
from grouser.world.field_types import Length, Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.height_field import MOST_POINTS, add_height_field
from grouser.world.terrain.terrain_piece import PlacedTerrain

EARTH: Rgb = (0.58, 0.52, 0.40)


class FractalGround(PlacedTerrain):
    """Ground that is rough on every scale, as a height field; deterministic for a seed."""

    kind: Literal["fractal_ground"] = "fractal_ground"
    length: Length = 4.0
    """Size along x, m; above 0."""
    width: Length = 3.0
    """Size along y, m; above 0."""
    height: Length = 0.15
    """From its lowest point, at z = 0, to its highest, m; above 0."""
    cell: Length = 0.02
    """Grid spacing, m; above 0."""
    scale: Length = 1.0
    """Length of the longest waves, m; above 0."""
    smoothness: Annotated[float, Field(ge=0, le=1)] = 0.8
    """Hurst exponent, -: 0: equally rough on all scales, 1: smoothest."""
    rim: Annotated[float, Field(ge=0, le=1000)] = 0.5
    """Width of the border in which the ground falls to z = 0, m; 0: it ends in a vertical drop."""
    seed: Annotated[int, Field(ge=0, le=2**32)] = 0
    """Seed of the random numbers."""

    @model_validator(mode="after")
    def _fits(self) -> FractalGround:
        if self.cell > min(self.length, self.width) / 2:
            raise mistake("must be at most half of length and width", "cell")
        if math.prod(self._shape) > MOST_POINTS:
            raise mistake(f"must give at most {MOST_POINTS:,} points: set a larger cell", "cell")
        if self.rim > min(self.length, self.width) / 2:
            raise mistake("must be at most half of length and width", "rim")
        return self

    @property
    def _shape(self) -> tuple[int, int]:
        return round(self.width / self.cell) + 1, round(self.length / self.cell) + 1

    def heights(self) -> Array:
        """Return heights above z = 0 (rows, columns), m; rows from +y to -y, columns along x."""
        rng = np.random.default_rng(self.seed)
        y, x = (np.arange(count, dtype=np.float64) * self.cell for count in self._shape)
        surface, wave, amplitude = np.zeros(self._shape), self.scale, 1.0
        while wave >= 2 * self.cell:
            surface += amplitude * _noise(y / wave, x / wave, rng)
            wave, amplitude = wave / 2, amplitude * 0.5**self.smoothness
        surface -= surface.min()
        if self.rim:
            edge = np.minimum.outer(np.minimum(y, y[-1] - y), np.minimum(x, x[-1] - x))
            surface *= _ease(np.clip(edge / self.rim, 0.0, 1.0))
        return surface * (self.height / max(float(surface.max()), 1e-12))

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the height field ``{name}/ground``."""
        surface = self.geom(contact, EARTH)
        add_height_field(spec, f"{name}/ground", self.heights(), self.cell, self.frame, **surface)


def _noise(y: Array, x: Array, rng: np.random.Generator) -> Array:
    """Return smooth noise (len(y), len(x)) in [-1, 1]: random at integers, interpolated between."""
    drawn = rng.uniform(-1.0, 1.0, (math.floor(y[-1]) + 2, math.floor(x[-1]) + 2))
    row, column = np.floor(y).astype(int), np.floor(x).astype(int)
    down, along = _ease(y - row)[:, None], _ease(x - column)
    near, far = drawn[row], drawn[row + 1]
    upper = near[:, column] * (1 - along) + near[:, column + 1] * along
    lower = far[:, column] * (1 - along) + far[:, column + 1] * along
    return np.asarray(upper * (1 - down) + lower * down)


def _ease(share: Array) -> Array:
    """Return the smoothstep function of 0 to 1."""
    return np.asarray(share * share * (3 - 2 * share))
