"""What all objects share: name, place, mass; `grouser.world.objects` has the kinds."""

from __future__ import annotations

from typing import Annotated, Any

import mujoco
from pydantic import Field, model_validator

from grouser.frames import from_rpy, radians
from grouser.physics.compliance import add_buffer
from grouser.physics.contacts import BELT, HULL, WORLD
from grouser.world.field_types import Name, Point, Rgb, mistake
from grouser.world.physics_settings import Contact
from grouser.world.surface import Surface

OBJECT: Rgb = (0.36, 0.52, 0.68)

TurnDegrees = Annotated[float, Field(ge=-360, le=360)]
"""A turn in degrees, at most once around."""


class WorldObject(Surface):
    """What all kinds share: name, place, mass. A kind adds its shape."""

    name: Name
    """Name of the body, unique among objects and robots."""
    position: Point
    """Where the shape's middle (a mesh: its own origin) is in the world, m."""
    roll_deg: TurnDegrees = 0.0
    """Turn about x, taken first, deg."""
    pitch_deg: TurnDegrees = 0.0
    """Turn about y, taken second, deg; positive tips what points along x down."""
    yaw_deg: TurnDegrees = 0.0
    """Turn about z, taken last, deg."""
    mass: Annotated[float, Field(gt=0, le=100_000)] | None = None
    """Mass, kg, above 0; needed unless fixed, and then ignored."""
    fixed: bool = False
    """True: part of the ground. False: moves when pushed."""

    @model_validator(mode="after")
    def _free_things_weigh(self) -> WorldObject:
        if self.mass is None and not self.fixed:
            raise mistake("must be given unless the object is fixed", "mass")
        return self

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the body, its joint if it is free, and its geom ``{name}/surface``."""
        geom = self.geom(contact, OBJECT) | ({} if self.fixed else {"mass": self.mass})
        body, shape = self._body(spec), self.shape(spec)
        body.add_geom(name=f"{self.name}/surface", **shape, **geom)
        if not self.fixed:
            add_buffer(body, f"{self.name}/buffer", share=0.0, touches=WORLD | BELT | HULL, **shape)

    def _body(self, spec: mujoco.MjSpec) -> mujoco.MjsBody:
        """Add the body where it is, and its joint if it is free."""
        turns = (self.roll_deg, self.pitch_deg, self.yaw_deg)
        body = spec.worldbody.add_body(
            name=self.name, pos=self.position, quat=from_rpy(*(radians(t) for t in turns))
        )
        if not self.fixed:
            body.add_freejoint(name=f"{self.name}/free")
        return body

    def shape(self, spec: mujoco.MjSpec) -> dict[str, Any]:
        """Return type and size of the geom, adding to ``spec`` the assets it needs."""
        raise NotImplementedError  # abstract: every kind of object has a shape of its own
