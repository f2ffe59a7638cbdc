"""Robots as tables of parts: every part hangs on a hinge of its own, with a servo that turns it.

A part has the name of its joint and of its drive. Its frame has its origin on the hinge and, at
angle zero, the axes of the body. It weighs like an even box, and collides as a few primitives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

import mujoco

from grouser.frames import from_rpy, radians
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.physics.drives import Drive
from grouser.robots.parts.hull import Vector, set_box_mass
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS

PLASTIC = {"solref": [0.005, 1.0], "solimp": [0.95, 0.99, 0.001, 0.5, 2.0]}
"""How parts of robots meet each other: hard, without a bounce, at time steps of up to 2.5 ms."""

STOP_TIME = 0.004
"""s, in which a stop catches its joint; with MuJoCo's 0.02 it gives way by 20 deg."""

NOWHERE: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class PartShape:
    """A primitive, in its part's frame."""

    kind: mujoco.mjtGeom
    size: tuple[float, ...] = ()
    """MuJoCo's: half edges of a box, radius of a sphere or a capsule, m."""
    at: Vector = NOWHERE
    """Its middle; of a capsule one end, m."""
    to: Vector | None = None
    """The other end of a capsule, m."""
    name: str = ""
    """Of the geom; nothing: it needs none."""
    rgb: Vector | None = None
    """None: the robot's colour."""

    def add(self, body: mujoco.MjsBody, rgb: Vector) -> None:
        """Add it to ``body``; it weighs nothing and is as slippery and soft as what it touches."""
        place = {"fromto": [*self.at, *self.to]} if self.to else {"pos": self.at}
        body.add_geom(
            name=self.name or None,
            type=self.kind,
            size=[*self.size, 0.0, 0.0][:3],
            mass=0,
            friction=[SLIPPERY, 0, 0],
            solmix=GROUND_SOFTNESS_WINS,
            **PLASTIC,
            contype=HULL,
            conaffinity=HULL_TOUCHES,
            rgba=(*(self.rgb or rgb), 1.0),
            **place,
        )


def box(half: Vector, at: Vector = NOWHERE, *, rgb: Vector | None = None) -> PartShape:
    """Return a box with half edges ``half`` (m) around ``at``."""
    return PartShape(kind=mujoco.mjtGeom.mjGEOM_BOX, size=half, at=at, rgb=rgb)


def ball(
    radius: float, at: Vector = NOWHERE, *, name: str = "", rgb: Vector | None = None
) -> PartShape:
    """Return a sphere around ``at``."""
    return PartShape(kind=mujoco.mjtGeom.mjGEOM_SPHERE, size=(radius,), at=at, name=name, rgb=rgb)


def capsule(
    radius: float, at: Vector, to: Vector, *, name: str = "", rgb: Vector | None = None
) -> PartShape:
    """Return a rounded rod from ``at`` to ``to``."""
    kind = mujoco.mjtGeom.mjGEOM_CAPSULE
    return PartShape(kind=kind, size=(radius,), at=at, to=to, name=name, rgb=rgb)


@dataclass(frozen=True, kw_only=True)
class BoxMass:
    """How a part weighs: like an even box."""

    mass: float
    """kg."""
    half: Vector
    """Half edges, m."""
    at: Vector = NOWHERE
    """Centre of mass in the part's frame, m."""

    def scaled(self, factor: float) -> BoxMass:
        """Return the same box, heavier by ``factor``."""
        return BoxMass(mass=self.mass * factor, half=self.half, at=self.at)

    def add(self, body: mujoco.MjsBody) -> None:
        """Give ``body`` this mass, centre of mass and inertia."""
        set_box_mass(body, self.mass, self.half, at=self.at)


@dataclass(frozen=True, kw_only=True)
class Servo:
    """What turns a part: a row of a robot's joint table."""

    limits_deg: tuple[float, float]
    """From, to."""
    speed: float
    """Largest, rad/s."""
    torque: float
    """Largest, N m."""
    lead: float
    """Error at which the torque is at its limit, rad."""
    damping: float
    """Speed error at which the torque is at its limit, rad/s."""
    armature: float
    """Inertia of the motor's rotor, seen at the joint, kg m²."""

    @property
    def limits(self) -> tuple[float, float]:
        """From, to, rad."""
        low, high = self.limits_deg
        return radians(low), radians(high)

    @property
    def drive(self) -> Drive:
        """The drive's description."""
        return Drive(force=self.torque, speed=self.speed, lead=self.lead, damping=self.damping)


@dataclass(frozen=True, kw_only=True)
class LinkagePart:
    """A rigid part on a hinge."""

    name: str
    """Of the part, its joint and its drive."""
    parent: str
    """Name of the part it hangs on."""
    at: Vector
    """Where the hinge is in the parent's frame, m."""
    axis: Vector
    """Positive angles turn about it, right-handed."""
    servo: Servo
    mass: BoxMass
    shapes: tuple[PartShape, ...] = ()

    def add(self, spec: mujoco.MjSpec, rgb: Vector) -> None:
        """Add body, hinge, shapes and drive to ``spec``, whose parent part is there already."""
        body = spec.body(self.parent).add_body(name=self.name, pos=self.at)
        body.add_joint(
            name=self.name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=self.axis,
            range=self.servo.limits,
            limited=mujoco.mjtLimited.mjLIMITED_TRUE,
            armature=self.servo.armature,
            solref_limit=[STOP_TIME, 1.0],
        )
        self.mass.add(body)
        for shape in self.shapes:
            shape.add(body, rgb)
        self.servo.drive.add(spec, self.name, self.name)


@dataclass(frozen=True, kw_only=True)
class Mount:
    """A named place on a part, where a sensor sits: x looks ahead, z up."""

    part: str
    at: Vector
    """In the part's frame, m."""
    down_deg: float = 0.0
    """How far it looks below the part's x."""

    def add(self, spec: mujoco.MjSpec, name: str) -> None:
        """Add the site ``name``."""
        spec.body(self.part).add_site(
            name=name,
            pos=self.at,
            quat=from_rpy(0.0, radians(self.down_deg), 0.0),
        )


def assemble(
    root: str,
    mass: BoxMass,
    shapes: Iterable[PartShape],
    parts: Iterable[LinkagePart],
    mounts: Mapping[str, Mount],
    rgb: Vector,
) -> mujoco.MjSpec:
    """Return the spec of a robot: its ``root`` part, and the others, parents first."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    body = spec.worldbody.add_body(name=root)
    mass.add(body)
    for shape in shapes:
        shape.add(body, rgb)
    parts = tuple(parts)
    for part in parts:
        part.add(spec, rgb)
    for name, mount in mounts.items():
        mount.add(spec, name)
    _exclude_neighbours(spec, {part.name: part.parent for part in parts})
    return spec


def _exclude_neighbours(spec: mujoco.MjSpec, parents: Mapping[str, str]) -> None:
    """Exclude contacts of parts one or two hinges apart: there they overlap by design."""

    def reach(name: str) -> dict[str, int]:
        """Return the part and those it hangs on, and how many hinges away they are."""
        above = parents.get(name)
        further = {part: hinges + 1 for part, hinges in reach(above).items()} if above else {}
        return {name: 0} | further

    names = dict.fromkeys([*parents.values(), *parents])
    solid = {name: reach(name) for name in names if spec.body(name).geoms}
    for (one, here), (other, there) in combinations(solid.items(), 2):
        if min(here[part] + there[part] for part in here.keys() & there.keys()) <= 2:
            spec.add_exclude(name=f"{one}|{other}", bodyname1=one, bodyname2=other)
