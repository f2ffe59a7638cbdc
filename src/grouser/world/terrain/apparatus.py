"""Standard apparatus for response robots: hurdle, inclined plane, pitch and roll ramps.

After the test methods ASTM E2802 (hurdles), E2803 (inclined planes), E2826 and E2827 (continuous
and crossing pitch/roll ramps); sizes from the public notes on them and from the meshes of
``tu-darmstadt-ros-pkg/hector_nist_arenas_gazebo``. Gaps (E2801) are a `Trench`, stairs (E2804)
`Stairs` with ``rise / run`` = tan 30° to tan 45°, stepfields (E2828) have a file of their own.
Nothing here judges whether a robot has managed it.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
from pydantic import Field, model_validator

from grouser.frames import radians
from grouser.world.field_types import Length, Rgb, mistake
from grouser.world.physics_settings import Contact
from grouser.world.placed import DARK, FOUNDATION, LIGHT, Inclination, PlacedTerrain

TILE = 1.2  # m; base tile of the arenas and length of a full ramp (E2826)
STEEL: Rgb = (0.62, 0.65, 0.69)


class Hurdle(PlacedTerrain):
    """A raised bar whose two upper edges are pipes, so that a corner gives no grip (E2802)."""

    kind: Literal["hurdle"] = "hurdle"
    height: Length
    """Height of the top, m; at least the pipe's diameter."""
    length: Length = 0.4
    """Size along the way, m; at least two pipes."""
    width: Length = 2.4
    """Size across, m; above 0."""
    pipe: Length = 0.05
    """Diameter of the pipes, m; above 0."""
    pipe_friction: Annotated[float, Field(ge=0, le=10)] | None = None
    """Friction of the pipes, 0 to 10 (None: as the rest). Low stands for pipes that roll."""

    @model_validator(mode="after")
    def _pipes_fit(self) -> Hurdle:
        if self.height < self.pipe:
            raise mistake(f"must be at least the pipe's diameter ({self.pipe:g})", "height")
        if self.length < 2 * self.pipe:
            raise mistake(f"must be at least two pipes ({2 * self.pipe:g})", "length")
        return self

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the blocks ``{name}/bar``, ``{name}/top`` and the pipes ``/near`` and ``/far``.

        The pipes touch the riser's and the top's planes from inside: they are the corners.
        """
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


class Incline(PlacedTerrain):
    """An inclined plane, and a level place at its top if wanted (E2803)."""

    kind: Literal["incline"] = "incline"
    slope_deg: Inclination
    """Inclination, deg; between 0 and 90; usually 15, 30 or 45."""
    side: Length = 2.4
    """Length of the face along the slope, m; above 0."""
    width: Length | None = None
    """Size across, m; above 0 (None: as `side`, the face is square)."""
    platform: Annotated[float, Field(ge=0, le=1000)] = 1.2
    """Length of the level top, m; 0: the plane ends in a drop."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the wedge ``{name}/slope`` and, if there is one, the block ``{name}/top``."""
        slope = radians(self.slope_deg)
        crest, height = self.side * math.cos(slope), self.side * math.sin(slope)
        width = self.side if self.width is None else self.width
        wedge = [(0.0, -FOUNDATION), (crest, -FOUNDATION), (crest, height), (0.0, 0.0)]
        light, dark = self.geom(contact, LIGHT), self.geom(contact, DARK)
        self._prism(spec, f"{name}/slope", wedge, width, **light)
        if self.platform:
            x, y = (crest, crest + self.platform), (-width / 2, width / 2)
            self._block(spec, f"{name}/top", x, y, (-FOUNDATION, height), **dark)


class PitchRollRamps(PlacedTerrain):
    """Ramps up and down on square tiles, continuous (E2826) or crossing (E2827).

    Continuous: a ramp fills a tile, up and down in turn along x; the crests lie along y and
    there is no step anywhere. Driven across the crests it pitches a robot, along them it rolls
    it (turn it by ``yaw_deg``); 15° over 1.2 m rise about 320 mm.

    Crossing: two half ramps make a roof on each tile, and neighbours are turned by a quarter, so
    that a crest meets the foot of the next: steps up to 160 mm with 15° and tiles of 1.2 m.
    """

    kind: Literal["pitch_roll_ramps"] = "pitch_roll_ramps"
    crossing: bool = False
    """True: half ramps, alternately turned. False: full ramps, one surface."""
    slope_deg: Inclination = 15.0
    """Inclination of every ramp, deg; between 0 and 90."""
    tile: Length = TILE
    """Edge of a tile, m; above 0."""
    columns: Annotated[int, Field(ge=1, le=50)] = 2
    """Tiles along x, 1 to 50; continuous ones end in a drop if odd."""
    rows: Annotated[int, Field(ge=1, le=50)] = 1
    """Tiles along y, 1 to 50, in the middle of the near edge."""

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
