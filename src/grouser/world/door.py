"""Door: a leaf that a motor turns on a hinge, or slides sideways or up.

The door's frame stands in the doorway: x goes through it, y along the closed leaf to the left, z
up. The leaf is a body with contacts and a motor of limited force: it pushes a robot in its way, and
a robot that resists with more than that force stops it.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import mujoco
from pydantic import Field

from grouser.frames import radians
from grouser.physics.drives import Drive
from grouser.world.field_types import Rgb
from grouser.world.physics_settings import Contact
from grouser.world.world_object import WorldObject

LEAF: Rgb = (0.72, 0.45, 0.20)
CLEARANCE = 0.005
"""Gap around the leaf, m, so that it does not touch the walls beside it; estimate."""
STIFFNESS = {True: 0.02, False: 0.01}
"""Position error at which the motor force saturates, rad if hinged, m if sliding; estimate."""

LeafLength = Annotated[float, Field(ge=0.001, le=1000)]
"""Length of a leaf's side, m; 0.001 to 1000."""

Opens = Literal["hinge_left", "hinge_right", "slide_left", "slide_right", "slide_up"]


class Door(WorldObject):
    """A leaf between `closed` (0) and `open` (1); `position` is the middle of the closed leaf."""

    kind: Literal["door"] = "door"
    width: LeafLength
    """Width of the doorway, along the door's y, m; 0.001 to 1000."""
    height: LeafLength
    """Height of the leaf, m; 0.001 to 1000."""
    thickness: LeafLength = 0.04
    """Thickness of the leaf, m; 0.001 to 1000."""
    opens: Opens = "hinge_left"
    """Kind of motion: a hinge on the left or right, about which the leaf turns towards the door's
    x, or a slide."""
    wide_deg: Annotated[float, Field(gt=0, le=180)] = 90.0
    """Opening angle of a hinged leaf, deg; above 0, at most 180."""
    seconds: Annotated[float, Field(ge=0.001, le=600)] = 2.0
    """Time to open or close without obstacles, s; 0.001 to 600."""
    force: Annotated[float, Field(ge=1e-6, le=10_000)] = 150.0
    """Largest motor force at the leaf's far edge, N; 0.000001 to 10000; estimate."""
    ajar: Annotated[float, Field(ge=0, le=1)] = 0.0
    """Opening at the start, 0 (closed) to 1 (open)."""
    friction: Annotated[float, Field(ge=0, le=10)] = 0.4
    """Coulomb's coefficient between the leaf and whatever touches it, -; 0 to 10; estimate."""
    mass: Annotated[float, Field(ge=1e-9, le=100_000)] = 15.0
    """Mass of the leaf, kg; 1e-9 to 100000; estimate: a light inner door."""
    fixed: Literal[True] = True
    """The frame is part of the ground; only the leaf moves."""

    @property
    def hinged(self) -> bool:
        """True if the leaf turns on a hinge; False if it slides."""
        return self.opens.startswith("hinge")

    @property
    def joint(self) -> str:
        """Name of the leaf's joint and of its drive."""
        return f"{self.name}/leaf"

    @property
    def travel(self) -> float:
        """Joint travel from closed to open, rad or m."""
        if self.hinged:
            return radians(self.wide_deg)
        return self.height if self.opens == "slide_up" else self.width

    @property
    def drive(self) -> Drive:
        """Motor of the leaf, critically damped, limited to `force`."""
        arm = self.width if self.hinged else 1.0
        force = self.force * arm
        inertia = self.mass * self.width**2 / 3 if self.hinged else self.mass
        lead = STIFFNESS[self.hinged]
        viscosity = 2 * math.sqrt(inertia * force / lead)
        return Drive(
            force=force,
            speed=self.travel / self.seconds,
            saturation_error=lead,
            damping=force / viscosity,
        )

    def add(self, spec: mujoco.MjSpec, contact: Contact) -> None:
        """Add the frame, the body and geom ``{name}/leaf`` in it, its joint and its drive."""
        # A lifting door has a counterweight.
        leaf = self._body(spec).add_body(name=self.joint, gravcomp=float(self.opens == "slide_up"))
        side = -1.0 if self.opens.endswith("right") else 1.0
        hinge, slide = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
        leaf.add_joint(
            name=self.joint,
            type=hinge if self.hinged else slide,
            # The pin is in the face towards which the leaf opens, so that it never enters the wall.
            pos=[self.thickness / 2, side * self.width / 2, 0] if self.hinged else [0, 0, 0],
            axis=self._axis(side),
            # The world's spec has joint ranges in degrees.
            range=[0.0, self.wide_deg if self.hinged else self.travel],
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
        )
        half = (self.thickness / 2, self.width / 2 - CLEARANCE, self.height / 2)
        leaf.add_geom(
            name=f"{self.name}/surface",
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=half,
            **self.geom(contact, LEAF),
            mass=self.mass,
        )
        self.drive.add(spec, self.joint, self.joint)

    def _axis(self, side: float) -> list[float]:
        if self.hinged:
            return [0.0, 0.0, side]
        return [0.0, 0.0, 1.0] if self.opens == "slide_up" else [0.0, side, 0.0]
