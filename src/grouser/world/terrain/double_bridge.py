"""The double bridge: two ramps with two bridges between them (roach report, appendix C.1).

Two mirrored right triangular prisms, connected by two equal cuboids, which give two alternative
paths. The thickness of the bridges is not printed; these are unsupported between the ramps.
"""

from __future__ import annotations

from typing import Literal

import mujoco
from pydantic import model_validator

from grouser.description import mistake
from grouser.world.field_types import Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import DARK, FOUNDATION, LIGHT, PlacedTerrain


class DoubleBridge(PlacedTerrain):
    """Two ramps, and two bridges side by side between them; sizes of the roach report."""

    kind: Literal["double_bridge"] = "double_bridge"
    ramp_length: Length = 1.0  # Table C.1
    """Length of each ramp along x, m; above 0."""
    ramp_width: Length = 2.0  # Table C.1
    """Width of the ramps along y, m; above 0."""
    ramp_height: Length = 0.2  # Table C.1
    """Height of the ramps' crests and of the bridges' tops, m; above 0."""
    bridge_length: Length = 1.0  # Table C.1
    """Length of the bridges along x, m; above 0."""
    bridge_width: Length = 0.5  # Table C.1
    """Width of each bridge along y, m; above 0."""
    separation: Length = 1.0  # Table C.1
    """Gap between the bridges, m; above 0."""
    thickness: Length = 0.05  # estimate
    """Thickness of the bridges, m; above 0, at most the ramps' height."""

    @model_validator(mode="after")
    def _fits(self) -> DoubleBridge:
        if self.thickness > self.ramp_height:
            raise mistake("must be at most ramp_height", "thickness")
        if self.separation + 2 * self.bridge_width > self.ramp_width + 1e-9:
            raise mistake("must leave room for two bridges within ramp_width", "separation")
        return self

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the ramps ``{name}/near`` and ``/far``, and the bridges ``/left`` and ``/right``."""
        light, dark = self.geom(contact, LIGHT), self.geom(contact, DARK)
        foot, crest = 0.0, self.ramp_length
        far = crest + self.bridge_length
        end, low, top = far + self.ramp_length, -FOUNDATION, self.ramp_height
        rising = [(foot, low), (crest, low), (crest, top), (foot, 0.0)]
        falling = [(far, low), (end, low), (end, 0.0), (far, top)]
        self._prism(spec, f"{name}/near", rising, self.ramp_width, **light)
        self._prism(spec, f"{name}/far", falling, self.ramp_width, **light)
        inner, outer = self.separation / 2, self.separation / 2 + self.bridge_width
        for side, y in (("left", (inner, outer)), ("right", (-outer, -inner))):
            z = (top - self.thickness, top)
            self._block(spec, f"{name}/{side}", (crest, far), y, z, **dark)
