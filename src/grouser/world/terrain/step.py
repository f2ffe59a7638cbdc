"""A step: a block with a vertical riser."""

from __future__ import annotations

from typing import Literal

import mujoco

from grouser.world.field_types import Coordinate, Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import FOUNDATION, LIGHT, TerrainPiece, add_block


class Step(TerrainPiece):
    """A block with a vertical riser, standing on the ground."""

    kind: Literal["step"] = "step"
    x: Coordinate
    """x of the riser, m."""
    height: Length = 0.1
    """Height of the riser, m; above 0."""
    length: Length = 2.0
    """Length of the top along x, m; above 0."""
    width: Length = 4.0
    """Width along y, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the block ``{name}/top``."""
        surface = self.geom(contact, LIGHT)
        x, z = (self.x, self.x + self.length), (-FOUNDATION, self.height)
        add_block(spec, f"{name}/top", x=x, z=z, width=self.width, **surface)
