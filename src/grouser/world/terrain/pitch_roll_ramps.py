"""Pitch and roll ramps on square tiles: continuous (ASTM E2826) and crossing (E2827).

Sizes from the public notes on the test methods and from the meshes of
``tu-darmstadt-ros-pkg/hector_nist_arenas_gazebo``.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.frames import radians
from grouser.world.field_types import Length
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import DARK, FOUNDATION, LIGHT, Inclination, PlacedTerrain

TILE = 1.2  # m; base tile of the arenas and length of a full ramp (E2826)


class PitchRollRamps(PlacedTerrain):
    """Ramps up and down on square tiles, continuous (E2826) or crossing (E2827).

    Continuous: each tile is one ramp, alternately up and down along x; the crests lie along y and
    there are no steps. Driving across the crests pitches a robot, driving along them (set
    ``yaw_deg``) rolls it; 15° over 1.2 m rise about 320 mm.

    Crossing: two half ramps form a roof on each tile, and adjacent tiles are rotated by 90°, so
    that a crest meets the foot of the next: steps up to 160 mm with 15° and tiles of 1.2 m.
    """

    kind: Literal["pitch_roll_ramps"] = "pitch_roll_ramps"
    crossing: bool = False
    """True: half ramps, alternately rotated. False: full ramps, one continuous surface."""
    slope_deg: Inclination = 15.0
    """Inclination of every ramp, deg; between 0 and 90."""
    tile: Length = TILE
    """Edge of a tile, m; above 0."""
    columns: Annotated[int, Field(ge=1, le=50)] = 2
    """Tiles along x, 1 to 50; an odd number of continuous ramps ends in a drop."""
    rows: Annotated[int, Field(ge=1, le=50)] = 1
    """Tiles along y, 1 to 50, centred on the near edge's middle."""

    @property
    def rise(self) -> float:
        """Height of the crests above the ground, m."""
        run = self.tile / 2 if self.crossing else self.tile
        return run * math.tan(radians(self.slope_deg))

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the roofs: ``{name}/crest_0`` onwards, or ``{name}/tile_{column}_{row}``."""
        (self._crossing if self.crossing else self._continuous)(spec, contact, name)

    def _continuous(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        for crest in range(-(-self.columns // 2)):
            foot, top = 2 * crest * self.tile, (2 * crest + 1) * self.tile
            whole = 2 * crest + 1 < self.columns
            end = [(top + self.tile, -FOUNDATION), (top + self.tile, 0.0)]
            right = end if whole else [(top, -FOUNDATION)]
            outline = [(foot, -FOUNDATION), *right, (top, self.rise), (foot, 0.0)]
            surface = self.geom(contact, DARK if crest % 2 else LIGHT)
            width = self.rows * self.tile
            self._prism(spec, f"{name}/crest_{crest}", outline, width, **surface)

    def _crossing(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        half = self.tile / 2
        roof = [(half, 0.0), (0.0, self.rise), (-half, 0.0)]
        outline = [(-half, -FOUNDATION), (half, -FOUNDATION), *roof]
        for column in range(self.columns):
            for row in range(self.rows):
                turned = (column + row) % 2
                self._prism(
                    spec,
                    f"{name}/tile_{column}_{row}",
                    outline,
                    self.tile,
                    at=((column + 0.5) * self.tile, (row + 0.5 - self.rows / 2) * self.tile),
                    yaw=turned * math.pi / 2,
                    **self.geom(contact, DARK if turned else LIGHT),
                )
