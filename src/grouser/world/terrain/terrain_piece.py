"""What all pieces of ground share: a surface, and how it is added to a world.

Every kind describes itself in metres in the world frame (x forward, y left, z up) and adds its
static geoms to a spec. Whatever stands on the ground also reaches `FOUNDATION` below it, so that a
foot pressed into a low step is pushed up, never down through its underside. Nothing here asks who
walks on it.
"""

from __future__ import annotations

from typing import Annotated

import mujoco
from pydantic import Field

from grouser.world.field_types import Rgb
from grouser.world.physics_settings import Contact
from grouser.world.surface import Surface

FOUNDATION = 0.5
"""How far obstacles reach below the ground they stand on, m."""

LIGHT: Rgb = (0.83, 0.74, 0.60)
DARK: Rgb = (0.72, 0.62, 0.49)  # neighbours in the two shades show their common edge

Inclination = Annotated[float, Field(gt=0, lt=90)]
"""An inclination in degrees, between 0 and 90."""


class TerrainPiece(Surface):
    """A piece of ground that does not move; a kind adds its shape, and ``kind``, its name."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add its static geoms, named ``{name}/…``, to ``spec``.

        Args:
            spec: the world's spec.
            contact: how softly it meets what touches it.
            name: how the names of its geoms begin, such as ``terrain/0``.
        """
        raise NotImplementedError  # abstract: every kind of ground has a shape of its own
