"""Stairs; those of ASTM E2804 have ``rise / run`` = tan 30° to tan 45°."""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.world.field_types import Coordinate, Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import DARK, FOUNDATION, LIGHT, TerrainPiece, add_block


class Stairs(TerrainPiece):
    """Equal stairs upwards; the last tread is the level top."""

    kind: Literal["stairs"] = "stairs"
    x: Coordinate
    """x of the first riser, m."""
    rise: Length = 0.17
    """Height of each riser, m; above 0; with a run of 0.29 as in buildings (estimate)."""
    run: Length = 0.29
    """Length of each tread along x, m; above 0."""
    count: Annotated[int, Field(ge=1, le=200)] = 5
    """Number of risers, 1 to 200."""
    width: Length = 2.0
    """Width along y, m; above 0."""
    platform: Length = 2.0
    """Length of the level top along x, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add a block per tread, ``{name}/tread_0`` upwards, and the last one ``{name}/top``."""
        for i in range(self.count):
            last = i == self.count - 1
            front = self.x + i * self.run
            x = (front, front + (self.platform if last else self.run))
            z = (-FOUNDATION, (i + 1) * self.rise)
            tread = f"{name}/top" if last else f"{name}/tread_{i}"
            surface = self.geom(contact, DARK if i % 2 else LIGHT)
            add_block(spec, tread, x=x, z=z, width=self.width, **surface)
