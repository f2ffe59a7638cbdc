"""Linkages: robots as tables of parts, each on a hinge with a servo.

A part has the name of its joint and of its drive. Its frame has its origin on the hinge and, at
angle zero, the axes of the body. It has the inertia of a uniform box, and collides as a few
primitives.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import mujoco
import numpy as np

from grouser.frames import from_rpy, radians
from grouser.physics.contacts import HULL, HULL_TOUCHES, SLIPPERY
from grouser.physics.drives import Drive
from grouser.physics.losses import Losses
from grouser.robots.parts.hull import Vector, set_box_mass
from grouser.tracks.geoms import GROUND_SOFTNESS_WINS

PLASTIC = {"solref": [0.005, 1.0], "solimp": [0.95, 0.99, 0.001, 0.5, 2.0]}
"""Contact parameters between parts of robots: hard, no bounce, time steps up to 2.5 ms."""

STOP_TIME = 0.004
"""s; time constant of joint stops. With MuJoCo's default of 0.02 they yield by 20 deg."""

ORIGIN: Vector = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class PartShape:
    """Primitive shape in the frame of its part."""

    kind: mujoco.mjtGeom
    size: tuple[float, ...] = ()
    """As in MuJoCo: half edges of a box, radius of a sphere or a capsule, m."""
    at: Vector = ORIGIN
    """Centre; for a capsule one end, m."""
    to: Vector | None = None
    """Other end of a capsule, m."""
    corners: tuple[Vector, ...] = ()
    """Corners of a convex body (kind mesh), m."""
    name: str = ""
    """Name of the geom; empty: unnamed."""
    rgb: Vector | None = None
    """None: the robot's colour."""

    def add(self, spec: mujoco.MjSpec, body: mujoco.MjsBody, rgb: Vector) -> None:
        """Add the massless geom to ``body``; friction and softness are those of the other geom."""
        place: dict[str, Any] = {"fromto": [*self.at, *self.to]} if self.to else {"pos": self.at}
        if self.corners:
            mesh = f"{self.name or body.name}_hull"
            spec.add_mesh(name=mesh, uservert=np.ravel(self.corners), smoothnormal=False)
            place["meshname"] = mesh
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


def box(half: Vector, at: Vector = ORIGIN, *, rgb: Vector | None = None) -> PartShape:
    """Return a box with half edges ``half`` (m) around ``at``."""
    return PartShape(kind=mujoco.mjtGeom.mjGEOM_BOX, size=half, at=at, rgb=rgb)


def ball(
    radius: float, at: Vector = ORIGIN, *, name: str = "", rgb: Vector | None = None
) -> PartShape:
    """Return a sphere around ``at``."""
    return PartShape(kind=mujoco.mjtGeom.mjGEOM_SPHERE, size=(radius,), at=at, name=name, rgb=rgb)


def capsule(
    radius: float, at: Vector, to: Vector, *, name: str = "", rgb: Vector | None = None
) -> PartShape:
    """Return a capsule from ``at`` to ``to``."""
    kind = mujoco.mjtGeom.mjGEOM_CAPSULE
    return PartShape(kind=kind, size=(radius,), at=at, to=to, name=name, rgb=rgb)


def convex(corners: Iterable[Vector], *, name: str = "", rgb: Vector | None = None) -> PartShape:
    """Return the convex hull of ``corners`` (m); at most one shape of a part without a name."""
    kind = mujoco.mjtGeom.mjGEOM_MESH
    return PartShape(kind=kind, corners=tuple(corners), name=name, rgb=rgb)


@dataclass(frozen=True, kw_only=True)
class BoxMass:
    """Mass properties of a part: a uniform box."""

    mass: float
    """kg."""
    half: Vector
    """Half edges, m."""
    at: Vector = ORIGIN
    """Centre of mass in the part's frame, m."""

    def times(self, factor: float) -> BoxMass:
        """Return the same box with ``factor`` times the mass."""
        return BoxMass(mass=self.mass * factor, half=self.half, at=self.at)

    def add(self, body: mujoco.MjsBody) -> None:
        """Set mass, centre of mass and inertia of ``body``."""
        set_box_mass(body, self.mass, self.half, at=self.at)


@dataclass(frozen=True, kw_only=True)
class Servo:
    """Servo of a part: one row of a robot's joint table."""

    limits_deg: tuple[float, float]
    """Joint limits (from, to), deg."""
    speed: float
    """Speed limit, rad/s."""
    torque: float
    """Torque limit, N m."""
    lead: float
    """Position error at which the torque saturates, rad."""
    damping: float
    """Speed error at which the torque saturates, rad/s."""
    armature: float
    """Rotor inertia of the motor, reflected to the joint, kg m²."""

    @property
    def limits(self) -> tuple[float, float]:
        """Joint limits (from, to), rad."""
        low, high = self.limits_deg
        return radians(low), radians(high)

    @property
    def drive(self) -> Drive:
        """Drive with these limits and gains."""
        return Drive(
            force=self.torque, speed=self.speed, saturation_error=self.lead, damping=self.damping
        )


@dataclass(frozen=True, kw_only=True)
class LinkagePart:
    """Rigid part on a hinge."""

    name: str
    """Name of the part, its joint and its drive."""
    parent: str
    """Name of the parent part."""
    at: Vector
    """Position of the hinge in the parent's frame, m."""
    axis: Vector
    """Hinge axis, right-handed."""
    servo: Servo
    mass: BoxMass
    shapes: tuple[PartShape, ...] = ()

    def add(self, spec: mujoco.MjSpec, rgb: Vector) -> None:
        """Add body, hinge, shapes and drive to ``spec``; the parent part must exist."""
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
            shape.add(spec, body, rgb)
        self.servo.drive.add(spec, self.name, self.name)


def part_drives(
    parts: Iterable[LinkagePart], lossy: Collection[str], friction: float, delay: float
) -> dict[str, Drive]:
    """Return the drives of ``parts`` by name.

    Args:
        parts: parts of the robot.
        lossy: names of those with friction.
        friction: dry friction, N m.
        delay: command delay of all of them, s.
    """
    drives = {part.name: replace(part.servo.drive, command_delay=delay) for part in parts}
    if not friction:
        return drives
    losses = Losses(coulomb=friction)
    return {
        name: replace(drive, losses=losses) if name in lossy else drive
        for name, drive in drives.items()
    }


@dataclass(frozen=True, kw_only=True)
class Mount:
    """Sensor mount on a part: x ahead, z up."""

    part: str
    at: Vector
    """Position in the part's frame, m."""
    down_deg: float = 0.0
    """Pitch down from the part's x, deg."""

    def add(self, spec: mujoco.MjSpec, name: str) -> None:
        """Add the site ``name``."""
        spec.body(self.part).add_site(
            name=name, pos=self.at, quat=from_rpy(0.0, radians(self.down_deg), 0.0)
        )


def assemble(
    root: str,
    mass: BoxMass,
    shapes: Iterable[PartShape],
    parts: Iterable[LinkagePart],
    mounts: Mapping[str, Mount],
    rgb: Vector,
) -> mujoco.MjSpec:
    """Return the spec of a robot: its ``root`` part, and the other ``parts``, parents first."""
    spec = mujoco.MjSpec()
    spec.compiler.degree = False
    body = spec.worldbody.add_body(name=root)
    mass.add(body)
    for shape in shapes:
        shape.add(spec, body, rgb)
    parts = tuple(parts)
    for part in parts:
        part.add(spec, rgb)
    for name, mount in mounts.items():
        mount.add(spec, name)
    _exclude_neighbours(spec, {part.name: part.parent for part in parts})
    return spec


def _exclude_neighbours(spec: mujoco.MjSpec, parents: Mapping[str, str]) -> None:
    """Exclude contacts of parts one or two hinges apart, which overlap by design."""

    def reach(name: str) -> dict[str, int]:
        """Return the part and its ancestors with their distance in hinges."""
        above = parents.get(name)
        further = {part: hinges + 1 for part, hinges in reach(above).items()} if above else {}
        return {name: 0} | further

    names = dict.fromkeys([*parents.values(), *parents])
    solid = {name: reach(name) for name in names if spec.body(name).geoms}
    for (one, here), (other, there) in combinations(solid.items(), 2):
        if min(here[part] + there[part] for part in here.keys() & there.keys()) <= 2:
            spec.add_exclude(name=f"{one}|{other}", bodyname1=one, bodyname2=other)
