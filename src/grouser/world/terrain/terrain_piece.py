"""Base classes of terrain: a surface, an optional pose, and static geoms added to a spec.

Every kind is described in metres, x forward, y left, z up, and adds its static geoms to a spec.
Obstacles also extend `FOUNDATION` below the ground, so that a foot pressed into a low step is
pushed out upwards and never downwards through its underside.
"""

from __future__ import annotations

from typing import Annotated

import mujoco
from pydantic import Field

from grouser.world.field_types import Rgb
from grouser.world.physics_settings import Contact
from grouser.world.surface import Surface

FOUNDATION = 0.5
"""Depth of obstacles below the ground that they stand on, m."""

LIGHT: Rgb = (0.83, 0.74, 0.60)
DARK: Rgb = (0.72, 0.62, 0.49)  # adjacent solids alternate the two shades, to show their edges

Inclination = Annotated[float, Field(gt=0, lt=90)]
"""An inclination in degrees, between 0 and 90."""


class TerrainPiece(Surface):
    """A static piece of ground; a subclass adds its shape and its name, ``kind``."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add its static geoms, named ``{name}/…``, to ``spec``.

        Args:
            spec: the world's spec.
            contact: contact settings of ground.
            name: prefix of the geoms' names, such as ``terrain/0``.
        """
        raise NotImplementedError
