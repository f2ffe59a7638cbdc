"""A ramp: an incline that ends in a level top."""

from __future__ import annotations

import math
from typing import Literal

import mujoco

from grouser.frames import radians
from grouser.world.field_types import Coordinate, Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import (
    DARK,
    FOUNDATION,
    LIGHT,
    Inclination,
    TerrainPiece,
    add_block,
    add_prism,
)


class Ramp(TerrainPiece):
    """An incline that ends in a level top."""

    kind: Literal["ramp"] = "ramp"
    x: Coordinate
    """x at which the incline begins, m."""
    slope_deg: Inclination = 15.0
    """Inclination, deg; between 0 and 90."""
    height: Length = 0.3
    """Height of the top, m; above 0."""
    width: Length = 4.0
    """Width along y, m; above 0."""
    platform: Length = 2.0
    """Length of the level top along x, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the wedge ``{name}/slope`` and the block ``{name}/top``."""
        crest = self.x + self.height / math.tan(radians(self.slope_deg))
        wedge = [(self.x, 0.0), (crest, self.height), (crest, -FOUNDATION), (self.x, -FOUNDATION)]
        surface = self.geom(contact, LIGHT)
        add_prism(spec, f"{name}/slope", outline=wedge, width=self.width, **surface)
        x, z = (crest, crest + self.platform), (-FOUNDATION, self.height)
        surface = self.geom(contact, DARK)
        add_block(spec, f"{name}/top", x=x, z=z, width=self.width, **surface)
