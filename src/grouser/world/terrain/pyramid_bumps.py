"""Pyramid bumps: a grid of small pyramids of random heights (roach report, appendix C.2).

The report's text puts every peak over the middle of its base, its Fig. C.3 anywhere in the middle
half of it: `peak` selects one. Every bump is a convex body. A height field would be wrong: its
cells are split along one diagonal, so that two of a pyramid's four ridges have half their height
(figures: docs/appendix/ground.md), and a peak that is off the grid moves.
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field

from grouser.frames import Array
from grouser.world.field_types import Coordinate, Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import DARK, LIGHT, PlacedTerrain

SKIRT = 0.02
"""Depth of every pyramid below its base, m, so that a foot is never pushed out downwards."""

FACES = np.array(
    [
        *((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)),  # the four slopes
        *((5, 6, 1), (5, 1, 0), (6, 7, 2), (6, 2, 1), (7, 8, 3), (7, 3, 2), (8, 5, 0), (8, 0, 3)),
        *((5, 7, 6), (5, 8, 7)),  # the underside
    ]
)
"""Faces of a pyramid with a skirt: base corners 0 to 3 counter-clockwise, peak 4, feet 5 to 8."""


class PyramidBumps(PlacedTerrain):
    """Small pyramids of random heights, side by side; sizes of the roach report."""

    kind: Literal["pyramid_bumps"] = "pyramid_bumps"
    z: Coordinate = 0.0
    """Height of the pyramids' bases, m."""
    rows: Annotated[int, Field(ge=1, le=200)] = 40  # appendix C.2, 20 x 40 on a bridge of 0.5 m x 1
    """Number of pyramids along x, 1 to 200."""
    columns: Annotated[int, Field(ge=1, le=200)] = 20  # appendix C.2
    """Number of pyramids along y, 1 to 200."""
    pitch: Length = 0.025  # appendix C.2
    """Edge of each pyramid's base, m; above 0."""
    max_height: Length = 0.015  # section 6.2: 15 mm on one bridge, 10 mm on the other
    """Upper limit of the uniformly distributed heights, m; above 0."""
    peak: Literal["centre", "middle_half"] = "centre"
    """Position of peaks: over the centre (appendix C.2) or random in the middle half (Fig. C.3)."""
    seed: Annotated[int, Field(ge=0, le=2**32)] = 0
    """Seed of the random numbers."""

    def peaks(self) -> Array:
        """Return every pyramid's peak in the piece, (rows, columns, 3), m, above the bases."""
        rng = np.random.default_rng(self.seed)
        shape = (self.rows, self.columns)
        height = rng.uniform(0.0, self.max_height, shape)
        offset = rng.uniform(-0.25, 0.25, (*shape, 2)) if self.peak == "middle_half" else 0.0
        row, column = np.indices(shape)
        middle = np.stack([row + 0.5, column + 0.5 - self.columns / 2], axis=-1)
        return np.concatenate([(middle + offset) * self.pitch, height[..., None]], axis=-1)

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add a pyramid per bump, ``{name}/bump_{row}_{column}``."""
        shades = (self.geom(contact, LIGHT), self.geom(contact, DARK))
        for (row, column), peak in zip(
            np.ndindex(self.rows, self.columns), self.peaks().reshape(-1, 3), strict=True
        ):
            corner = np.array([row, column - self.columns / 2]) * self.pitch
            self._convex(
                spec,
                f"{name}/bump_{row}_{column}",
                _corners(self.pitch, peak - [*corner, 0.0]),
                FACES,
                at=(*corner, self.z),
                **shades[(row + column) % 2],
            )


def _corners(pitch: float, peak: Array) -> Array:
    """Return the corners (9, 3) of a pyramid with a skirt; the first one is the origin."""
    base = [(0.0, 0.0), (pitch, 0.0), (pitch, pitch), (0.0, pitch)]
    return np.array([*((x, y, 0.0) for x, y in base), peak, *((x, y, -SKIRT) for x, y in base)])
