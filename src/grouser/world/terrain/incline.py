"""Inclined plane with an optional level top (ASTM E2803).

Sizes from the public notes on the test method.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.frames import radians
from grouser.world.field_types import Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import DARK, FOUNDATION, LIGHT, Inclination, PlacedTerrain


class Incline(PlacedTerrain):
    """An inclined plane with an optional level top (E2803)."""

    kind: Literal["incline"] = "incline"
    slope_deg: Inclination = 15.0
    """Inclination, deg; between 0 and 90; usually 15, 30 or 45."""
    side: Length = 2.4
    """Length of the face along the slope, m; above 0."""
    width: Length | None = None
    """Size along y, m; above 0 (None: `side`, a square face)."""
    platform: Annotated[float, Field(ge=0, le=1000)] = 1.2
    """Length of the level top, m; 0: none, the plane ends in a drop."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the wedge ``{name}/slope`` and, if there is one, the block ``{name}/top``."""
        slope = radians(self.slope_deg)
        crest, height = self.side * math.cos(slope), self.side * math.sin(slope)
        width = self.side if self.width is None else self.width
        wedge = [(0.0, -FOUNDATION), (crest, -FOUNDATION), (crest, height), (0.0, 0.0)]
        light, dark = self.geom(contact, LIGHT), self.geom(contact, DARK)
        self._prism(spec, f"{name}/slope", wedge, width, **light)
        if self.platform:
            x, y = (crest, crest + self.platform), (-width / 2, width / 2)
            self._block(spec, f"{name}/top", x, y, (-FOUNDATION, height), **dark)
