"""Things that lie around in a world: boxes, balls, cylinders, meshes, victims, tags, doors, lamps.

Each becomes one body of its own name under the world body, with one geom (a victim: one for each
part; a door: a leaf of its own; a mesh that is not convex: one for each convex piece); a free one
has the joint ``{name}/free``. Victims and tags are marked, so that sensors recognise them
(`grouser.physics.labels`).
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
    """Full edges along its own x, y, z, m; each above 0."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a box with half these edges, as MuJoCo counts."""
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [edge / 2 for edge in self.size]}


class Ball(WorldObject):
    """A sphere."""

    kind: Literal["ball"] = "ball"
    radius: Length
    """Radius, m; above 0."""
    rolling: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Rolling resistance: how far ahead of its middle the ground pushes a rolling ball up, m; 0: it
    never comes to rest."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a sphere."""
        return {"type": mujoco.mjtGeom.mjGEOM_SPHERE, "size": [self.radius, 0, 0]}

    def geom(self, contact: Contact, shade: Rgb) -> dict[str, Any]:
        """Return what every geom says, and how this one resists rolling and spinning."""
        attributes = super().geom(contact, shade)
        if self.rolling:
            attributes |= {"condim": 6, "friction": [self.friction, self.rolling, self.rolling]}
        return attributes


class Cylinder(WorldObject):
    """A cylinder that stands along its own z."""

    kind: Literal["cylinder"] = "cylinder"
    radius: Length
    """Radius, m; above 0."""
    length: Length
    """Full length along its own z, m; above 0."""

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a cylinder with half this length, as MuJoCo counts."""
        size = [self.radius, self.length / 2, 0]
        return {"type": mujoco.mjtGeom.mjGEOM_CYLINDER, "size": size}


class Victim(WorldObject):
    """A person who needs help: a dummy that victim sensors find."""

    kind: Literal["victim"] = "victim"
    posture: Posture = "lying"
    """lying (on the back, head along x) or sitting (looking along x); `position` is on the ground
    under the hips."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.8
    """Coulomb's coefficient between clothes and whatever touches them, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: nobody can move it. False: one stiff body of `mass`."""

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the body, and a geom ``{name}/{part}`` for every part, marked as what it is."""
        body, made = self._body(spec), victim_parts(self.posture)
        for name, part in made.items():
            geom = self.geom(contact, part.rgb)
            if self.mass is not None and not self.fixed:
                geom["mass"] = self.mass * part.share
            body.add_geom(name=f"{self.name}/{name}", **part.shape(), **geom)
        numbers = {f"{self.name}/{name}": PARTS.index(part.kind) for name, part in made.items()}
        mark(spec, "victim", self.name, numbers)


class Tag(WorldObject):
    """An RFID tag: a small plate that readers recognise by its number."""

    kind: Literal["tag"] = "tag"
    number: Annotated[int, Field(ge=0, le=2**31)]
    """What a reader says when it reads the tag; at least 0."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.5
    """Coulomb's coefficient, -; 0 to 10; estimate."""
    fixed: bool = True
    """True: glued to the ground. False: lies around with `mass`."""

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the plate and mark it."""
        super().add(spec, contact)
        mark(spec, "tag", self.name, {f"{self.name}/surface": self.number})

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return a plate as large as a bank card and 4 mm thick."""
        return {"type": mujoco.mjtGeom.mjGEOM_BOX, "size": [0.043, 0.027, 0.002]}


AnyObject = Annotated[
    Box | Ball | Cylinder | Mesh | Victim | Tag | Door | Lamp, Field(discriminator="kind")
]
"""Any of the kinds, told apart by ``kind``."""

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
"""What a world file may call each kind of object."""
