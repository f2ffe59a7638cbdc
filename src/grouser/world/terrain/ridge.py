"""Ridge: a roof-shaped bump across the driving direction."""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.frames import axis_angle, radians
from grouser.world.field_types import Coordinate, Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import FOUNDATION, LIGHT, TerrainPiece, add_prism


class Ridge(TerrainPiece):
    """A roof-shaped bump across the driving direction."""

    kind: Literal["ridge"] = "ridge"
    x: Coordinate
    """x at which the crest crosses y = 0, m."""
    height: Length = 0.1
    """Height of the crest, m; above 0."""
    length: Length = 0.4
    """Length of the base across the crest, m; above 0."""
    width: Length = 4.0
    """Length of the crest, m; above 0."""
    yaw_deg: Annotated[float, Field(ge=-180, le=180)] = 0.0
    """Rotation about z at the crest, deg; 0: the crest lies along y."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the prism ``{name}/crest``."""
        half = self.length / 2
        roof = [(-half, 0.0), (0.0, self.height), (half, 0.0)]
        outline = [*roof, (half, -FOUNDATION), (-half, -FOUNDATION)]
        add_prism(
            spec,
            f"{name}/crest",
            outline=outline,
            width=self.width,
            pos=[self.x, 0, 0],
            quat=axis_angle((0, 0, 1), radians(self.yaw_deg)),
            **self.geom(contact, LIGHT),
        )
