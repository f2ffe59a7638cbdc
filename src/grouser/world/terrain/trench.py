"""Trench: two platforms with a gap between them; also the gaps of ASTM E2801."""

from __future__ import annotations

from typing import Literal

import mujoco

from grouser.world.field_types import Coordinate, Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import DARK, FOUNDATION, LIGHT, TerrainPiece, add_block


class Trench(TerrainPiece):
    """Two platforms with their tops at z = 0 and a gap between them; used without `Flat`."""

    kind: Literal["trench"] = "trench"
    x: Coordinate
    """x at which the near platform ends, m."""
    gap: Length = 0.2
    """Distance to the far platform along x, m; above 0."""
    depth: Length = 1.0
    """Depth of the floor below the platforms, m; above 0."""
    length: Length = 3.0
    """Length of each platform along x, m; above 0."""
    width: Length = 4.0
    """Width along y, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the platforms ``{name}/near`` and ``{name}/far`` and the ``{name}/floor``."""
        near, far = (
            (self.x - self.length, self.x),
            (self.x + self.gap, self.x + self.gap + self.length),
        )
        walls, below = (-self.depth, 0.0), (-self.depth - FOUNDATION, -self.depth)
        for part, x, z, shade in (
            ("near", near, walls, LIGHT),
            ("far", far, walls, LIGHT),
            ("floor", (near[0], far[1]), below, DARK),
        ):
            surface = self.geom(contact, shade)
            add_block(spec, f"{name}/{part}", x=x, z=z, width=self.width, **surface)
