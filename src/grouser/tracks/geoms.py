"""The few shapes a belt is made of, and how their surfaces touch the ground.

Friction between a belt and the ground is the ground's number: MuJoCo takes the larger of the two
coefficients of a contact, and a belt's own is next to nothing unless it is set. How a belt yields
is the robot's (`grouser.physics.compliance`): each contact point has a share of its spring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import mujoco
import numpy as np

from grouser.frames import Array, Pose
from grouser.physics.compliance import add_buffer, mark
from grouser.physics.contacts import BELT, BELT_TOUCHES, HULL, SLIPPERY, WORLD

LINK_MASS = 1e-3
"""kg of each moving link. The belt's own mass is carried by the body it turns around: a closed belt
of even density neither moves its centre of mass nor has momentum relative to that body, so only
its inertia against being turned is left, and that is the links' armature."""

GROUND_SOFTNESS_WINS = 1e-3
"""Mixing weight of a belt where contacts are said in MuJoCo's own terms: the ground's count."""

BUFFER_SPACING = 0.1
"""m of belt from one buffer to the next, about; they are what keeps a dropped robot down."""
BUFFER_RADIUS = 0.002
"""m."""
BUFFER_DEPTH = 0.001
"""m below the surface: nine times as deep as a robot stands. At a wall or an edge few points carry
it all, and buffers without friction shall not take that load off them."""

DRUM_BEHIND = 0.0002
"""m by which a belt's drums are smaller than its path: where drum and straight run meet, the run's
corners alone shall carry, or the ends of a standing belt would carry twice."""

PIECE = 0.06
"""m; longest box of a smooth belt. One box on level ground touches at its four corners only, which
would carry all the load at the belt's ends."""


@dataclass(frozen=True, kw_only=True)
class ContactSurface:
    """How a part of a belt touches."""

    friction: float = SLIPPERY
    """Coefficient of its own; the larger of this and the ground's counts."""


@dataclass(frozen=True)
class GeomBuilder:
    """Adds geoms to the links of one belt, all in one colour and contact class."""

    spec: mujoco.MjSpec
    rgba: tuple[float, float, float, float]
    contype: int = BELT
    conaffinity: int = BELT_TOUCHES
    share: float = 0.0
    """Part of the robot's spring that one contact point is; 0: a quarter."""
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

    def drums(
        self,
        body: mujoco.MjsBody,
        radius: float,
        half_width: float,
        *,
        name: str,
        surface: ContactSurface,
    ) -> list[mujoco.MjsGeom]:
        """Add the drum of a bare belt about the body's y axis, in two halves side by side.

        Against a wall or a box each half touches in one point only.
        """
        size = (radius - DRUM_BEHIND, half_width / 2)
        return [
            self.drum(
                body, Pose.at(y=side * half_width / 2), size, name=f"{name}/{end}", surface=surface
            )
            for end, side in (("right", -1), ("left", 1))
        ]

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

    def buffer(self, body: mujoco.MjsBody, X_BS: Pose, share: float, *, name: str) -> None:
        """Add a point that damps impacts, under the middle of the surface at ``X_BS`` (z out)."""
        add_buffer(
            body,
            name,
            share=share,
            touches=WORLD | HULL,
            type=mujoco.mjtGeom.mjGEOM_SPHERE,
            size=[BUFFER_RADIUS, 0, 0],
            pos=(X_BS @ Pose.at(z=-BUFFER_DEPTH - BUFFER_RADIUS)).position,
        )

    def buffers(self, body: mujoco.MjsBody, length: float, share: float, *, name: str) -> None:
        """Add buffers along a straight run of a smooth belt that starts at the body's frame."""
        count = max(1, round(length / BUFFER_SPACING))
        for number in range(count):
            place = Pose.at((number + 0.5) * length / count)
            self.buffer(body, place, share, name=f"{name}/buffer{number}")

    def buffer_rim(
        self, body: mujoco.MjsBody, radius: float, half_width: float, share: float, *, name: str
    ) -> None:
        """Add a narrow buffer about the body's y axis: a wheel's."""
        add_buffer(
            body,
            f"{name}/buffer",
            share=share,
            touches=WORLD | HULL,
            type=mujoco.mjtGeom.mjGEOM_ELLIPSOID,  # touches in one point, a cylinder in two
            size=[radius - BUFFER_DEPTH, 0.5 * half_width, radius - BUFFER_DEPTH],
        )

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
            solmix=GROUND_SOFTNESS_WINS,
            rgba=self.rgba,
            mass=0.0,
        )
        mark(geom, share=self.share)
        return geom


_Y_UP = Pose.at(roll=-np.pi / 2)
"""Turns a geom's own z axis, along which MuJoCo draws cylinders, onto y."""


def add_link(body: mujoco.MjsBody, name: str, X_BL: Pose) -> mujoco.MjsBody:
    """Add a body of next to no mass to ``body``: a link of a belt, a wheel, a pulley."""
    link = body.add_body(name=name, pos=X_BL.position, quat=X_BL.wxyz)
    link.mass, link.inertia = LINK_MASS, [LINK_MASS * 1e-4] * 3
    link.ipos = [0, 0, 0]  # unsaid, MuJoCo would take the body's place
    link.explicitinertial = True
    return link


def pieces(length: float) -> list[tuple[float, float]]:
    """Return middle and half length (m) of the boxes that make a straight run of ``length``."""
    count = max(1, math.ceil(length / PIECE - 1e-9))
    half = length / count / 2
    return [((2 * number + 1) * half, half) for number in range(count)]


def gear(spec: mujoco.MjSpec, sprocket: str, shaft: str, ratio: float) -> None:
    """Make ``sprocket`` turn ``ratio`` times as fast as ``shaft``: both hang on one motor.

    Only speeds are tied, since belts roll back by pitches of their own.
    """
    equality = spec.add_equality(
        name=f"{sprocket}/gear",
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=sprocket,
        name2=shaft,
        solref=[0.0, -500.0],
        solimp=[0.9999, 0.9999, 0.001, 0.5, 2.0],
    )
    equality.data[:5] = [0.0, ratio, 0.0, 0.0, 0.0]


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
