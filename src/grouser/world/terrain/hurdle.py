"""A hurdle: a raised bar with pipes as its edges (ASTM E2802).

Sizes from the public notes on the test method.
"""

from __future__ import annotations

from typing import Annotated, Literal

import mujoco
from pydantic import Field, model_validator

from grouser.description import mistake
from grouser.world.field_types import Length, Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import FOUNDATION, LIGHT, PlacedTerrain

STEEL: Rgb = (0.62, 0.65, 0.69)


class Hurdle(PlacedTerrain):
    """A raised bar whose two upper edges are pipes (E2802)."""

    kind: Literal["hurdle"] = "hurdle"
    height: Length = 0.1
    """Height of the top, m; at least the pipe's diameter."""
    length: Length = 0.4
    """Size along x, m; at least two pipes."""
    width: Length = 2.4
    """Size along y, m; above 0."""
    pipe: Length = 0.05
    """Diameter of the pipes, m; above 0."""
    pipe_friction: Annotated[float, Field(ge=0, le=10)] | None = None
    """Friction of the pipes, 0 to 10 (None: `friction`); a low value models pipes that roll."""

    @model_validator(mode="after")
    def _pipes_fit(self) -> Hurdle:
        if self.height < self.pipe:
            raise mistake(f"must be at least the pipe's diameter ({self.pipe:g})", "height")
        if self.length < 2 * self.pipe:
            raise mistake(f"must be at least two pipes ({2 * self.pipe:g})", "length")
        return self

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the blocks ``{name}/bar``, ``{name}/top`` and the pipes ``/near`` and ``/far``."""
        # The pipes touch the planes of the riser and the top from inside and form the
        # corners.
        radius, y = self.pipe / 2, (-self.width / 2, self.width / 2)
        middle = self.height - radius
        bar, steel = self.geom(contact, LIGHT), self.geom(contact, STEEL)
        if self.pipe_friction is not None:
            steel["friction"] = [self.pipe_friction, *steel["friction"][1:]]
        self._block(spec, f"{name}/bar", (0.0, self.length), y, (-FOUNDATION, middle), **bar)
        top, z = (radius, self.length - radius), (middle, self.height)
        self._block(spec, f"{name}/top", top, y, z, **bar)
        for end, x in zip(("near", "far"), top, strict=True):
            self._pipe(spec, f"{name}/{end}", x, middle, radius, y, **steel)
