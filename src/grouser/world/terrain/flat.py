"""The endless plane, level or inclined."""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.frames import axis_angle, radians
from grouser.world.field_types import Coordinate, Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import TerrainPiece
from grouser.world.visuals import ground_material

GROUND: Rgb = (1.0, 1.0, 1.0)  # the material's own colours


class Flat(TerrainPiece):
    """The endless plane, level or inclined."""

    kind: Literal["flat"] = "flat"
    slope_deg: Annotated[float, Field(gt=-90, lt=90)] = 0.0
    """Inclination, deg; positive rises towards +x; between -90 and 90."""
    z: Coordinate = 0.0
    """Its height above or below the origin, m."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the plane ``{name}/plane``."""
        spec.worldbody.add_geom(
            name=f"{name}/plane",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[20, 20, 0.1],
            pos=[0, 0, self.z],
            quat=axis_angle((0, 1, 0), -radians(self.slope_deg)),
            material=ground_material(spec),
            **self.geom(contact, GROUND),
        )
