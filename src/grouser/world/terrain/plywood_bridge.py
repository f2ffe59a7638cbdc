"""A bridge of plywood sheets on cinder blocks (roach report, section 6.3).

The report shows it in pictures and prints no sizes. The sizes here are those of commercial parts:
sheets of 1.22 m x 0.61 m x 12 mm (a quarter of a standard 4 ft x 8 ft one), blocks of 397 x 194 x
194 mm (nominally 16 x 8 x 8 in). As in the report, paper smooths the transitions: a wedge before
each ramp's foot, a strip over each gap between sheets.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
import numpy as np
from pydantic import Field, model_validator

from grouser.description import mistake
from grouser.world.field_types import Length, Rgb
from grouser.world.physics_settings import Contact
from grouser.world.terrain.terrain_piece import FOUNDATION, LIGHT, PlacedTerrain

CEMENT: Rgb = (0.60, 0.60, 0.58)
PAPER: Rgb = (0.93, 0.92, 0.88)
WEDGE = 0.12
"""Length of the paper before a ramp's foot, m."""
STRIP = (0.10, 0.0005)
"""Length and thickness of the paper over a gap between sheets, m."""
GAP = 0.005
"""Gap between sheets, m."""


class PlywoodBridge(PlacedTerrain):
    """A bridge of plywood sheets on cinder blocks, with a sheet as ramp at each end."""

    kind: Literal["plywood_bridge"] = "plywood_bridge"
    sheets: Annotated[int, Field(ge=1, le=50)] = 2
    """Number of level sheets between the two ramps, 1 to 50."""
    sheet_length: Length = 1.22
    """Length of every sheet along x, m; above 0."""
    width: Length = 0.61
    """Width of every sheet along y, m; above 0."""
    thickness: Length = 0.012
    """Thickness of the sheets, m; above 0."""
    block_length: Length = 0.397
    """Size of the blocks along y, m; above 0, at most `width`."""
    block_edge: Length = 0.194
    """Width and height of the blocks, m; above 0."""

    @model_validator(mode="after")
    def _stands(self) -> PlywoodBridge:
        if self.block_edge + self.thickness >= 0.9 * self.sheet_length:
            raise mistake("must be well below sheet_length: a ramp rests on it", "block_edge")
        if self.block_length > self.width:
            raise mistake("must be at most width: the sheets lie on it", "block_length")
        return self

    @property
    def height(self) -> float:
        """Height of the level sheets' tops, m."""
        return self.block_edge + self.thickness

    @property
    def slope(self) -> float:
        """Inclination of the ramps, rad; their upper edges are level with the bridge."""
        diagonal = math.hypot(self.sheet_length, self.thickness)
        leaning = math.atan2(self.thickness, self.sheet_length)
        return math.asin(self.height / diagonal) - leaning

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add ``{name}/ramp_…``, ``/paper_…``, ``/sheet_…`` and ``/block_…``, numbered along x."""
        wood, paper = self.geom(contact, LIGHT), self.geom(contact, PAPER)
        cement = self.geom(contact, CEMENT)
        along, across = math.cos(self.slope), math.sin(self.slope)
        start = np.array([WEDGE + self.thickness * across, 0.0])
        up = self.sheet_length * np.array([along, across])
        thick = self.thickness * np.array([-across, along])
        ramp = np.array([start, start + up, start + up + thick, start + thick])
        foot, deck = (ramp[3, 0], ramp[3, 1]), float(ramp[2, 0])
        wedge = np.array([(0.0, -FOUNDATION), (foot[0], -FOUNDATION), foot, (0.0, 0.0)])
        end = 2 * deck + self.sheets * self.sheet_length + (self.sheets - 1) * GAP
        for i, mirrored in enumerate((False, True)):
            for part, outline, surface in (("ramp", ramp, wood), ("paper_ramp", wedge, paper)):
                corners = (outline * [-1, 1] + [end, 0.0])[::-1] if mirrored else outline
                self._prism(spec, f"{name}/{part}_{i}", corners.tolist(), self.width, **surface)
        y, z = (-self.width / 2, self.width / 2), (self.block_edge, self.height)
        for i in range(self.sheets):
            begin = deck + i * (self.sheet_length + GAP)
            x = (begin, begin + self.sheet_length)
            self._block(spec, f"{name}/sheet_{i}", x, y, z, **wood)
            if i:
                middle, (length, layer) = begin - GAP / 2, STRIP
                over = (middle - length / 2, middle + length / 2)
                top = (self.height, self.height + layer)
                self._block(spec, f"{name}/paper_gap_{i}", over, y, top, **paper)
        half = self.block_length / 2
        for i in range(self.sheets + 1):
            middle = deck + i * (self.sheet_length + GAP) - GAP / 2
            # The outer blocks stand under the ends of the bridge, clear of the ramps' lower edges.
            middle += {0: self.block_edge / 2, self.sheets: -self.block_edge / 2}.get(i, 0.0)
            x = (middle - self.block_edge / 2, middle + self.block_edge / 2)
            below = (-FOUNDATION, self.block_edge)
            self._block(spec, f"{name}/block_{i}", x, (-half, half), below, **cement)
