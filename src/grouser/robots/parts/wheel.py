"""Wheels: tyres on driven hinges, and the caster that trails behind two of them.

A wheel's drive counts radians, and a positive speed drives the robot forwards. Friction is the
ground's, as everywhere (docs/conventions.md); how the tyre yields is its own.
"""

from __future__ import annotations

from dataclasses import dataclass

import mujoco

from grouser.frames import Pose
from grouser.physics.compliance import mark
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.robots.parts.hull import GREY, Vector, set_box_mass
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS, ContactSurface, GeomBuilder

TYRE_FREQUENCY = 100.0
"""rad/s; estimate: pneumatic tyres on which the robot sinks by a millimetre."""
TYRE_DAMPING_RATIO = 0.15
"""Estimate: rubber and air; a damper no stronger than a belt's, so that what skids stays down."""

RUBBER: Vector = (0.10, 0.10, 0.11)
BRIGHT: Vector = (0.75, 0.75, 0.72)


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """An upright tyre with a rounded tread, which touches level ground in one point."""

    radius: float
    """m."""
    width: float
    """Across the tread, m."""
    mass: float
    """kg."""
    armature: float = 0.0
    """Inertia of its motor's rotor, seen at the wheel, kg m²."""
    damping: float = 0.0
    """What its motor, gear and bearing lose, N m s/rad."""

    frequency: float = TYRE_FREQUENCY
    """At which the robot bounces on such wheels, rad/s."""
    damping_ratio: float = TYRE_DAMPING_RATIO
    """Of that bounce."""

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, name: str, at: Vector) -> None:
        """Hang the wheel on ``body`` with its middle at ``at`` (m): body and hinge ``name``."""
        wheel = body.add_body(name=name, pos=at)
        hinge = mujoco.mjtJoint.mjJNT_HINGE
        wheel.add_joint(
            name=name,
            type=hinge,
            axis=[0, 1, 0],
            armature=self.armature,
            damping=self.damping,
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
        wheel.mass, wheel.ipos = self.mass, [0, 0, 0]  # unsaid, MuJoCo would take the body's place
        wheel.inertia = [across, self.mass * self.radius**2 / 2, across]
        wheel.explicitinertial = True


@dataclass(frozen=True, kw_only=True)
class Caster:
    """A wheel on a fork that swivels about an upright pin; nothing drives either."""

    wheel: Wheel
    at: Vector
    """Where the pin meets the height of the wheel's axle, m."""
    trail: float
    """How far the axle is behind the pin, m."""
    mass: float
    """Of the fork, kg."""
    damping: float
    """Of the pin, N m s/rad."""

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody) -> None:
        """Hang it on ``body``: the bodies and hinges ``caster`` and ``caster_wheel``."""
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
        # It reaches up into the body's hull, which is no well as the real one is.
        spec.add_exclude(
            name=f"{body.name}|caster_wheel", bodyname1=body.name, bodyname2="caster_wheel"
        )


def _add_hub(spec: mujoco.MjSpec, wheel: mujoco.MjsBody, radius: float, width: float) -> None:
    """Add a hub with a bar across it that touches nothing: it shows how the wheel turns."""
    dark, bright = (
        GeomBuilder(spec, (*rgb, 1.0), contype=0, conaffinity=0) for rgb in (GREY, BRIGHT)
    )
    drum, bar = (0.45 * radius, 0.52 * width), (0.4 * radius, 0.53 * width, 0.06 * radius)
    dark.drum(wheel, Pose(), drum, name=f"{wheel.name}/hub", surface=ContactSurface())
    bright.box(wheel, Pose(), bar, name=f"{wheel.name}/bar", surface=ContactSurface())
