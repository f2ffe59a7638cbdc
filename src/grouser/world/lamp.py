"""Lamp: a light bulb that can be switched on and off."""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.world.field_types import Length, Rgb, Shade
from grouser.world.physics_settings import Contact
from grouser.world.world_object import WorldObject

BULB: Rgb = (1.0, 0.95, 0.80)
HALO = 0.01
"""Distance of the light source below the bulb's surface, m."""
FADING = (1.0, 0.0, 0.15)
"""Attenuation a, b, c: brightness at r metres is 1 / (a + b r + c r²); c is an estimate for a room,
since MuJoCo's lights have no photometric units."""


class Lamp(WorldObject):
    """A spherical bulb; `position` is its centre."""

    kind: Literal["lamp"] = "lamp"
    radius: Length = 0.06
    """Radius of the bulb, m; above 0."""
    brightness: Shade = 0.8
    """Brightness, 0 to 1."""
    lit: bool = True
    """Switched on at the start."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.3
    """Coulomb's coefficient between the bulb and whatever touches it, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: fixed in place. False: a free body of `mass`."""

    @property
    def light(self) -> str:
        """Name of the light and of the bulb's material."""
        return f"{self.name}/light"

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the bulb and its light."""
        geom = self.geom(contact, BULB) | ({} if self.fixed else {"mass": self.mass})
        spec.add_material(name=self.light, emission=float(self.lit))
        body = self._body(spec)
        body.add_geom(
            name=f"{self.name}/surface",
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[self.radius, 0, 0],
            material=self.light,
            **geom,
        )
        colour = [self.brightness * part for part in self.rgb or BULB]
        body.add_light(
            name=self.light,
            type=mujoco.mjtLightType.mjLIGHT_SPOT,
            # A spot light with a full opening angle, outside the bulb, which would shade it.
            pos=[0, 0, -self.radius - HALO],
            dir=[0, 0, -1],
            cutoff=180.0,
            exponent=0.0,
            attenuation=FADING,
            diffuse=colour,
            specular=[part / 4 for part in colour],
            ambient=[0.0, 0.0, 0.0],
            castshadow=False,
            active=self.lit,
        )
