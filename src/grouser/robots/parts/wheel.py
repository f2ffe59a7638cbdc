"""Wheels and casters: tyres on hinges.

A wheel's drive is in radians; a positive speed drives the robot forwards. Friction is the ground's,
as everywhere (docs/reference/conventions.md); the compliance is the tyre's.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from grouser.frames import Pose
from grouser.physics.compliance import mark
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.robots.parts.hull import GREY, Vector, set_box_mass
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS, GeomBuilder

TYRE_FREQUENCY = 100.0
"""rad/s; estimate: pneumatic tyres with a static deflection of a millimetre."""
TYRE_DAMPING_RATIO = 0.15
"""Estimate: rubber and air; not above a belt's, so that a skidding wheel stays down."""

RUBBER: Vector = (0.10, 0.10, 0.11)
BRIGHT: Vector = (0.75, 0.75, 0.72)


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """Tyre with a rounded tread: one contact point on level ground."""

    radius: float
    """m."""
    width: float
    """Width of the tread, m."""
    mass: float
    """kg."""
    armature: float = 0.0
    """Rotor inertia of its motor, reflected to the wheel, kg m²."""
    damping: float = 0.0
    """Viscous loss of motor, gear and bearing, N m s/rad."""

    frequency: float = TYRE_FREQUENCY
    """Natural frequency of the robot on these wheels, rad/s."""
    damping_ratio: float = TYRE_DAMPING_RATIO
    """Damping ratio of that oscillation."""

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, at: Vector) -> None:
        """Add body and hinge ``name`` to ``body``, centre at ``at`` (m)."""
        wheel = body.add_body(name=name, pos=at)
        hinge = mujoco.mjtJoint.mjJNT_HINGE
        wheel.add_joint(
            name=name, type=hinge, axis=[0, 1, 0], armature=self.armature, damping=self.damping
        )
        tyre = wheel.add_geom(
            name=f"{name}/tyre",
            type=mujoco.mjtGeom.mjGEOM_ELLIPSOID,
            size=[self.radius, self.width / 2, self.radius],
            mass=0,
            friction=[SLIPPERY, 0, 0],
            contype=HULL,
            conaffinity=HULL_TOUCHES,
            solmix=GROUND_SOFTNESS_WINS,
            rgba=(*RUBBER, 1.0),
        )
        mark(tyre, frequency=self.frequency, damping_ratio=self.damping_ratio)
        _add_hub(spec, wheel, self.radius, self.width)
        across = self.mass * (3 * self.radius**2 + self.width**2) / 12
        wheel.mass, wheel.ipos = self.mass, [0, 0, 0]  # the default is the body's position
        wheel.inertia = [across, self.mass * self.radius**2 / 2, across]
        wheel.explicitinertial = True


@dataclass(frozen=True, kw_only=True)
class Caster:
    """Passive wheel on a fork that swivels about a vertical pin."""

    wheel: Wheel
    at: Vector
    """Point of the pin at the height of the wheel's axle, m."""
    trail: float
    """Distance of the axle behind the pin, m."""
    mass: float
    """Mass of the fork, kg."""
    damping: float
    """Damping of the pin, N m s/rad."""

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody) -> None:
        """Add the bodies and hinges ``caster`` and ``caster_wheel`` to ``body``."""
        fork = body.add_body(name="caster", pos=self.at)
        hinge = mujoco.mjtJoint.mjJNT_HINGE
        fork.add_joint(name="caster", type=hinge, axis=[0, 0, 1], damping=self.damping)
        half = (self.trail / 2, self.wheel.width, self.wheel.radius / 2)
        middle = (-self.trail / 2, 0.0, self.wheel.radius)
        set_box_mass(fork, self.mass, half, at=middle)
        fork.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            fromto=[0, 0, 1.5 * self.wheel.radius, -self.trail, 0, 0],
            size=[self.wheel.width / 4, 0, 0],
            mass=0,
            contype=0,
            conaffinity=0,
            rgba=(*GREY, 1.0),
        )
        self.wheel.add(spec, fork, "caster_wheel", (-self.trail, 0.0, 0.0))
        # The wheel overlaps the body's hull, which has no wheel well.
        spec.add_exclude(
            name=f"{body.name}|caster_wheel", bodyname1=body.name, bodyname2="caster_wheel"
        )


def _add_hub(spec: mujoco.MjSpec, wheel: mujoco.MjsBody, radius: float, width: float) -> None:
    """Add a hub with a bar, without collisions, that shows the wheel's rotation."""
    dark, bright = (
        GeomBuilder(spec, (*rgb, 1.0), contype=0, conaffinity=0) for rgb in (GREY, BRIGHT)
    )
    drum, bar = (0.45 * radius, 0.52 * width), (0.4 * radius, 0.53 * width, 0.06 * radius)
    dark.drum(wheel, Pose(), drum, name=f"{wheel.name}/hub")
    bright.box(wheel, Pose(), bar, name=f"{wheel.name}/bar")
