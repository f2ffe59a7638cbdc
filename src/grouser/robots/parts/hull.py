"""Hulls of robots: collision boxes, inertia of uniform boxes, contact exclusions."""

from __future__ import annotations

import mujoco

from grouser.physics.contacts import BELT, HULL, HULL_TOUCHES, SLIPPERY
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS

Vector = tuple[float, float, float]

ORANGE: Vector = (0.78, 0.33, 0.10)
GREY: Vector = (0.44, 0.45, 0.48)
OLIVE: Vector = (0.36, 0.38, 0.27)


def add_hull(
    body: mujoco.MjsBody, name: str, half: Vector, *, at: Vector = (0, 0, 0), rgb: Vector = GREY
) -> None:
    """Add a massless box with half edges ``half`` (m) that collides with the world and robots."""
    body.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        size=half,
        pos=at,
        mass=0,
        friction=[SLIPPERY, 0, 0],
        solmix=GROUND_SOFTNESS_WINS,
        contype=HULL,
        conaffinity=HULL_TOUCHES,
        rgba=(*rgb, 1.0),
    )


def set_box_mass(
    body: mujoco.MjsBody, mass: float, half: Vector, *, at: Vector = (0, 0, 0)
) -> None:
    """Set mass (kg) and inertia of ``body`` to those of a uniform box of half edges ``half``."""
    x, y, z = half
    body.mass, body.ipos = mass, list(at)
    body.inertia = [
        mass * (y * y + z * z) / 3,
        mass * (x * x + z * z) / 3,
        mass * (x * x + y * y) / 3,
    ]
    body.explicitinertial = True


def exclude_hull_belt_contacts(spec: mujoco.MjSpec) -> None:
    """Exclude contacts between this robot's hulls and its own belts."""
    # MuJoCo itself excludes parent and child, but not grandchildren or siblings.
    hulls = [body for body in spec.bodies if any(geom.contype == HULL for geom in body.geoms)]
    belts = [body for body in spec.bodies if any(geom.contype == BELT for geom in body.geoms)]
    for hull in hulls:
        for belt in belts:
            if belt.parent.name != hull.name:
                spec.add_exclude(
                    name=f"{hull.name}|{belt.name}", bodyname1=hull.name, bodyname2=belt.name
                )
