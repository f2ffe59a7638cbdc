"""Base class of objects; `grouser.world.objects` has the kinds."""

from __future__ import annotations

from typing import Annotated, Any

import mujoco
from pydantic import Field, model_validator

from grouser.description import mistake
from grouser.frames import from_rpy, radians
from grouser.physics.compliance import BUFFER_DEPTH, add_buffer
from grouser.physics.contacts import BELT, HULL, WORLD
from grouser.world.field_types import Name, Point, Rgb
from grouser.world.physics_settings import Contact, Surface

OBJECT: Rgb = (0.36, 0.52, 0.68)

TurnDegrees = Annotated[float, Field(ge=-360, le=360)]
"""A rotation angle, deg; -360 to 360."""


class WorldObject(Surface):
    """Base class of objects: name, pose, mass; a subclass adds the shape."""

    name: Name
    """Name of the body, unique among objects and robots."""
    position: Point
    """Position of the shape's centre (a mesh: of its origin) in the world, m."""
    roll_deg: TurnDegrees = 0.0
    """Rotation about x, applied first, deg."""
    pitch_deg: TurnDegrees = 0.0
    """Rotation about y, applied second, deg; positive turns x down."""
    yaw_deg: TurnDegrees = 0.0
    """Rotation about z, applied last, deg."""
    mass: Annotated[float, Field(gt=0, le=100_000)] | None = None
    """Mass, kg, above 0; required unless fixed, and then ignored."""
    fixed: bool = False
    """True: part of the ground. False: a free body."""

    @model_validator(mode="after")
    def _check_mass(self) -> WorldObject:
        if self.mass is None and not self.fixed:
            raise mistake("must be given unless the object is fixed", "mass")
        return self

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the body, its joint if it is free, and its geom ``{name}/surface``."""
        geom = self.geom(contact, OBJECT) | ({} if self.fixed else {"mass": self.mass})
        body, shape = self._body(spec), self.shape(spec)
        body.add_geom(name=f"{self.name}/surface", **shape, **geom)
        if not self.fixed:
            if "size" in shape:
                shape["size"] = [max(size - BUFFER_DEPTH, size / 2) for size in shape["size"]]
            touches = WORLD | BELT | HULL
            add_buffer(body, f"{self.name}/buffer", share=0.0, touches=touches, **shape)

    def _body(self, spec: mujoco.MjSpec) -> mujoco.MjsBody:
        """Add the body at its pose, and its joint if it is free."""
        turns = (self.roll_deg, self.pitch_deg, self.yaw_deg)
        body = spec.worldbody.add_body(
            name=self.name, pos=self.position, quat=from_rpy(*(radians(t) for t in turns))
        )
        if not self.fixed:
            body.add_freejoint(name=f"{self.name}/free")
        return body

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return type and size of the geom, adding required assets to ``spec``."""
        raise NotImplementedError
