"""Ground that does not move: flat, step, trench, ramp, stairs, ridge; and the table of all kinds.

Every kind here describes itself in metres in the world frame (x forward, y left, z up), is centred
on y = 0, and adds its static geoms to a spec. Kinds that can be put anywhere and turned are in
`apparatus` and `stepfield`. Whatever stands on the ground also reaches `FOUNDATION` below it, so
that a foot pressed into a low step is pushed up, never down through its underside. Nothing here
asks who walks on it.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.frames import axis_angle, radians
from grouser.world.field_types import Coordinate, Length, Rgb
from grouser.world.league_field import LeagueField
from grouser.world.looks import ground_material
from grouser.world.physics_settings import Contact
from grouser.world.placed import DARK, FOUNDATION, LIGHT, Inclination
from grouser.world.shapes import add_block, add_prism
from grouser.world.surface import Surface
from grouser.world.terrain.apparatus import Hurdle, Incline, PitchRollRamps
from grouser.world.terrain.stepfield import Stepfield

GROUND: Rgb = (1.0, 1.0, 1.0)  # the material's own colours


class Flat(Surface):
    """The endless plane through the origin, level or inclined."""

    kind: Literal["flat"] = "flat"
    slope_deg: Annotated[float, Field(gt=-90, lt=90)] = 0.0
    """Inclination, deg; positive rises towards +x; between -90 and 90."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the plane ``{name}/plane``."""
        spec.worldbody.add_geom(
            name=f"{name}/plane",
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[20, 20, 0.1],
            quat=axis_angle((0, 1, 0), -radians(self.slope_deg)),
            material=ground_material(spec),
            **self.geom(contact, GROUND),
        )


class Step(Surface):
    """A block with a vertical riser, standing on the ground."""

    kind: Literal["step"] = "step"
    x: Coordinate
    """Where the riser is, m."""
    height: Length
    """Height of the riser, m; above 0."""
    length: Length = 2.0
    """Length of the top along x, m; above 0."""
    width: Length = 4.0
    """Width along y, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the block ``{name}/top``."""
        surface = self.geom(contact, LIGHT)
        x, z = (self.x, self.x + self.length), (-FOUNDATION, self.height)
        add_block(spec, f"{name}/top", x=x, z=z, width=self.width, **surface)


class Trench(Surface):
    """Two platforms with their tops at z = 0 and a gap between them; used without `Flat`."""

    kind: Literal["trench"] = "trench"
    x: Coordinate
    """Where the near platform ends, m."""
    gap: Length
    """Distance to the far platform along x, m; above 0."""
    depth: Length = 1.0
    """Depth of the floor below the platforms, m; above 0."""
    length: Length = 3.0
    """Length of each platform along x, m; above 0."""
    width: Length = 4.0
    """Width along y, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the platforms ``{name}/near`` and ``{name}/far`` and the ``{name}/floor``."""
        near, far = (
            (self.x - self.length, self.x),
            (self.x + self.gap, self.x + self.gap + self.length),
        )
        walls, below = (-self.depth, 0.0), (-self.depth - FOUNDATION, -self.depth)
        for part, x, z, shade in (
            ("near", near, walls, LIGHT),
            ("far", far, walls, LIGHT),
            ("floor", (near[0], far[1]), below, DARK),
        ):
            surface = self.geom(contact, shade)
            add_block(spec, f"{name}/{part}", x=x, z=z, width=self.width, **surface)


class Ramp(Surface):
    """An incline that ends in a level top."""

    kind: Literal["ramp"] = "ramp"
    x: Coordinate
    """Where the incline begins, m."""
    slope_deg: Inclination
    """Inclination, deg; between 0 and 90."""
    height: Length
    """Height of the top, m; above 0."""
    width: Length = 4.0
    """Width along y, m; above 0."""
    platform: Length = 2.0
    """Length of the level top along x, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add the wedge ``{name}/slope`` and the block ``{name}/top``."""
        crest = self.x + self.height / math.tan(radians(self.slope_deg))
        wedge = [(self.x, 0.0), (crest, self.height), (crest, -FOUNDATION), (self.x, -FOUNDATION)]
        surface = self.geom(contact, LIGHT)
        add_prism(spec, f"{name}/slope", outline=wedge, width=self.width, **surface)
        x, z = (crest, crest + self.platform), (-FOUNDATION, self.height)
        surface = self.geom(contact, DARK)
        add_block(spec, f"{name}/top", x=x, z=z, width=self.width, **surface)


class Stairs(Surface):
    """Equal stairs upwards; the last tread is the level top."""

    kind: Literal["stairs"] = "stairs"
    x: Coordinate
    """Where the first riser is, m."""
    rise: Length
    """Height of each riser, m; above 0."""
    run: Length
    """Length of each tread along x, m; above 0."""
    count: Annotated[int, Field(ge=1, le=200)]
    """How many risers, 1 to 200."""
    width: Length = 2.0
    """Width along y, m; above 0."""
    platform: Length = 2.0
    """Length of the level top along x, m; above 0."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add a block per tread, ``{name}/tread_0`` upwards, and the last one ``{name}/top``."""
        for i in range(self.count):
            last = i == self.count - 1
            front = self.x + i * self.run
            x = (front, front + (self.platform if last else self.run))
            z = (-FOUNDATION, (i + 1) * self.rise)
            tread = f"{name}/top" if last else f"{name}/tread_{i}"
            surface = self.geom(contact, DARK if i % 2 else LIGHT)
            add_block(spec, tread, x=x, z=z, width=self.width, **surface)


class Ridge(Surface):
    """A roof-shaped bump across the way."""

    kind: Literal["ridge"] = "ridge"
    x: Coordinate
    """Where the crest crosses y = 0, m."""
    height: Length
    """Height of the crest, m; above 0."""
    length: Length
    """Length of the base across the crest, m; above 0."""
    width: Length = 4.0
    """Length of the crest, m; above 0."""
    yaw_deg: Annotated[float, Field(ge=-180, le=180)] = 0.0
    """Turn of the whole ridge about z at its crest, deg; 0: the crest lies along y."""

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


Terrain = Annotated[
    Flat
    | Step
    | Trench
    | Ramp
    | Stairs
    | Ridge
    | Hurdle
    | Incline
    | PitchRollRamps
    | Stepfield
    | LeagueField,
    Field(discriminator="kind"),
]
"""Any of the kinds, told apart by ``kind``."""

TERRAINS: dict[str, type[Surface]] = {
    "flat": Flat,
    "step": Step,
    "trench": Trench,
    "ramp": Ramp,
    "stairs": Stairs,
    "ridge": Ridge,
    "hurdle": Hurdle,
    "incline": Incline,
    "pitch_roll_ramps": PitchRollRamps,
    "stepfield": Stepfield,
    "league_field": LeagueField,
}
"""What a world file may call each kind of ground."""
