"""Objects of a world: boxes, balls, cylinders, meshes, victims, RFID tags, doors, lamps.

Each becomes a body of its own name under the world body, with one geom (a victim: one per body
part; a door: a separate leaf body; a non-convex mesh: one per convex piece); a free body has the
joint ``{name}/free``. Victims and tags are labelled for sensors (`grouser.physics.labels`).
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import mujoco
from pydantic import Field, Strict

from grouser.physics.labels import PARTS, mark
from grouser.world.door import Door
from grouser.world.field_types import Length, Rgb
from grouser.world.lamp import Lamp
from grouser.world.mesh_object import Mesh
from grouser.world.physics_settings import Contact
from grouser.world.victim import Posture, victim_parts
from grouser.world.world_object import WorldObject


class Box(WorldObject):
    """A cuboid."""

    kind: Literal["box"] = "box"
    size: Annotated[tuple[Length, Length, Length], Strict(False)]
    """Edge lengths along its x, y, z, m; each above 0."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a box; MuJoCo's sizes are half the edges."""
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [edge / 2 for edge in self.size]}


class Ball(WorldObject):
    """A sphere."""

    kind: Literal["ball"] = "ball"
    radius: Length
    """Radius, m; above 0."""
    rolling: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Coefficient of rolling resistance: lever arm of the normal force ahead of the centre, m; 0:
    the ball never comes to rest."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a sphere."""
        return {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [self.radius, 0, 0]}

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return the geom attributes, with rolling and spinning friction."""
        attributes = super().geom(contact, shade)
        if self.rolling:
            attributes |= {"condim": 6, "friction": [self.friction, self.rolling, self.rolling]}
        return attributes


class Cylinder(WorldObject):
    """A cylinder along its z axis."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Length
    """Radius, m; above 0."""
    length: Length
    """Length along its z, m; above 0."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a cylinder; MuJoCo's size is half the length."""
        size = [self.radius, self.length / 2, 0]
        return {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "size": size}


class Victim(WorldObject):
    """Dummy of a disaster victim that victim sensors detect."""

    kind: Literal["victim"] = "victim"
    posture: Posture = "lying"
    """lying (on the back, head along x) or sitting (facing along x); `position` is on the ground
    under the hips."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Coulomb friction coefficient of the clothes, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: fixed in place. False: one rigid body of `mass`."""

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the body, and a labelled geom ``{name}/{part}`` for every body part."""
        body, made = self._body(spec), victim_parts(self.posture)
        for name, part in made.items():
            geom = self.geom(contact, part.rgb)
            if self.mass is not None and not self.fixed:
                geom["mass"] = self.mass * part.share
            body.add_geom(name=f"{self.name}/{name}", **part.shape(), **geom)
        numbers = {f"{self.name}/{name}": PARTS.index(part.kind) for name, part in made.items()}
        mark(spec, "victim", self.name, numbers)


class Tag(WorldObject):
    """RFID tag: a small plate with a number."""

    kind: Literal["tag"] = "tag"
    number: Annotated[int, Field(ge=0, le=2**31)]
    """Number that readers report; at least 0."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.5
    """Coulomb friction coefficient, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: fixed in place. False: a free body of `mass`."""

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the plate and label it."""
        super().add(spec, contact)
        mark(spec, "tag", self.name, {f"{self.name}/surface": self.number})

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a plate of 86 x 54 x 4 mm."""
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.043, 0.027, 0.002]}


AnyObject = Annotated[
    Box | Ball | Cylinder | Mesh | Victim | Tag | Door | Lamp, Field(discriminator="kind")
]
"""Union of all kinds, discriminated by ``kind``."""

OBJECTS: dict[str, type[WorldObject]] = {
    "box": Box,
    "ball": Ball,
    "cylinder": Cylinder,
    "mesh": Mesh,
    "victim": Victim,
    "tag": Tag,
    "door": Door,
    "lamp": Lamp,
}
"""Kinds of object by their name in world files."""
