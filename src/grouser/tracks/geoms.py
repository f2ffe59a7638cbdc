"""The few shapes a belt is made of, and how their surfaces touch the ground.

Friction between a belt and the ground is the ground's number: MuJoCo takes the larger of the two
coefficients of a contact, and a belt's own is next to nothing unless it is set. Softness is the
ground's too unless a surface names its own (a rubber grouser does).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import mujoco
import numpy as np

from grouser.frames import Array, Pose
from grouser.physics.contacts import BELT, BELT_TOUCHES, SLIPPERY

LINK_MASS = 1e-3
"""kg of each moving link. The belt's own mass is carried by the body it turns around: a closed belt
of even density neither moves its centre of mass nor has momentum relative to that body, so only
its inertia against being turned is left, and that is the links' armature."""

OWN_SOFTNESS_WINS = 1e3
"""Mixing weight of a surface with its own softness against the ground's weight of 1."""

GROUND_SOFTNESS_WINS = 1e-3
"""Mixing weight of a surface without its own softness."""


@dataclass(frozen=True, kw_only=True)
class Softness:
    """How a surface yields: MuJoCo's contact impedance, named."""

    time_constant: float
    """How fast a penetration is pushed out, s, > 0."""
    damping_ratio: float = 1.0
    """1: no bounce."""
    start: float = 0.9
    """Impedance at first touch, 0 (soft) to 1 (hard)."""
    end: float = 0.95
    """Impedance at ``depth``."""
    depth: float = 0.001
    """Penetration (m) at which the full impedance is reached: how far the surface yields."""

    @property
    def solref(self) -> list[float]:
        """MuJoCo's solref."""
        return [self.time_constant, self.damping_ratio]

    @property
    def solimp(self) -> list[float]:
        """MuJoCo's solimp."""
        return [self.start, self.end, self.depth, 0.5, 2.0]


@dataclass(frozen=True, kw_only=True)
class ContactSurface:
    """How a part of a belt touches."""

    friction: float = SLIPPERY
    """Coefficient of its own; the larger of this and the ground's counts."""
    softness: Softness | None = None
    """None: as soft as the ground."""


@dataclass(frozen=True)
class GeomBuilder:
    """Adds geoms to the links of one belt, all in one colour and contact class."""

    spec: mujoco.MjSpec
    rgba: tuple[float, float, float, float]
    contype: int = BELT
    conaffinity: int = BELT_TOUCHES
    _meshes: dict[tuple[bytes, float], str] = field(default_factory=dict)
    """Prisms already in the spec, by outline and width: equal grousers share one mesh."""

    def box(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        half: tuple[float, float, float],
        *,
        name: str,
        surface: ContactSurface,
    ) -> mujoco.MjsGeom:
        """Add a cuboid with half edges ``half`` (m)."""
        return self._geom(body, mujoco.mjtGeom.mjGEOM_BOX, half, X_BG, name, surface)

    def drum(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        size: tuple[float, float],
        *,
        name: str,
        surface: ContactSurface,
    ) -> mujoco.MjsGeom:
        """Add a cylinder about X_BG's y axis; ``size`` is (radius, half width), m."""
        kind = mujoco.mjtGeom.mjGEOM_CYLINDER
        return self._geom(body, kind, (*size, 0.0), X_BG @ _Y_UP, name, surface)

    def bar(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        size: tuple[float, float],
        *,
        name: str,
        surface: ContactSurface,
    ) -> mujoco.MjsGeom:
        """Add a capsule along X_BG's y axis; ``size`` is (radius, half length), m."""
        kind = mujoco.mjtGeom.mjGEOM_CAPSULE
        return self._geom(body, kind, (*size, 0.0), X_BG @ _Y_UP, name, surface)

    def prism(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        outline: Array,
        half_width: float,
        *,
        name: str,
        surface: ContactSurface,
    ) -> mujoco.MjsGeom:
        """Add the convex ``outline`` (n, 2) in x-z, drawn out along y, m."""
        key = (outline.tobytes(), half_width)
        if key not in self._meshes:
            self._meshes[key] = f"{name}/mesh"
            sides = [
                np.column_stack([outline[:, 0], np.full(len(outline), y), outline[:, 1]])
                for y in (-half_width, half_width)
            ]
            # Without this MuJoCo would recentre the vertices and move the geom.
            self.spec.add_mesh(name=self._meshes[key], uservert=np.concatenate(sides).ravel())
        geom = self._geom(body, mujoco.mjtGeom.mjGEOM_MESH, (0.0, 0.0, 0.0), X_BG, name, surface)
        geom.meshname = self._meshes[key]
        return geom

    def _geom(
        self,
        body: mujoco.MjsBody,
        kind: mujoco.mjtGeom,
        size: tuple[float, float, float],
        X_BG: Pose,
        name: str,
        surface: ContactSurface,
    ) -> mujoco.MjsGeom:
        geom = body.add_geom(
            name=name,
            type=kind,
            size=size,
            pos=X_BG.position,
            quat=X_BG.wxyz,
            friction=[surface.friction, 0.0, 0.0],
            condim=3,
            contype=self.contype,
            conaffinity=self.conaffinity,
            solmix=OWN_SOFTNESS_WINS if surface.softness else GROUND_SOFTNESS_WINS,
            rgba=self.rgba,
            mass=0.0,
        )
        if surface.softness:
            geom.solref = surface.softness.solref
            geom.solimp = surface.softness.solimp
        return geom


_Y_UP = Pose.at(roll=-np.pi / 2)
"""Turns a geom's own z axis, along which MuJoCo draws cylinders, onto y."""


def add_link(body: mujoco.MjsBody, name: str, X_BL: Pose) -> mujoco.MjsBody:
    """Add a body of next to no mass to ``body``: a link of a belt, a wheel, a pulley."""
    link = body.add_body(name=name, pos=X_BL.position, quat=X_BL.wxyz)
    link.mass, link.inertia = LINK_MASS, [LINK_MASS * 1e-4] * 3
    link.explicitinertial = True
    return link


def couple_joints(spec: mujoco.MjSpec, joint: str, sprocket: str, ratio: float) -> None:
    """Make ``joint`` move ``ratio`` times as far as ``sprocket``: the belt does not stretch."""
    equality = spec.add_equality(
        name=f"{joint}/tie",
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=joint,
        name2=sprocket,
        solref=[0.002, 1.0],
        solimp=[0.99, 0.9999, 0.0005, 0.5, 2.0],
    )
    equality.data[:5] = [0.0, ratio, 0.0, 0.0, 0.0]
