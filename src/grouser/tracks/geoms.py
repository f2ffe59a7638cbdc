"""Belt geometry: collision shapes, buffers, links and joint couplings of belts.

Friction between a belt and the ground is the ground's: MuJoCo uses the larger coefficient of a
contact, and a belt's own (``friction``) is close to 0 unless it is set. Compliance belongs to the
robot (`grouser.physics.compliance`): each contact point has a share of its spring.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import mujoco
import numpy as np

from grouser.frames import Array, Pose
from grouser.physics.compliance import BUFFER_DEPTH, add_buffer, mark
from grouser.physics.contacts import BELT, BELT_TOUCHES, HULL, SLIPPERY, WORLD

LINK_MASS = 1e-3
"""kg; mass of each moving link. The belt's mass belongs to the body it runs around: a closed belt
of uniform density has a fixed centre of mass and no momentum relative to that body. Only its
inertia against acceleration remains, which is the armature of the links."""

GROUND_SOFTNESS_WINS = 1e-3
"""``solmix`` of a belt: the contact parameters of the ground dominate."""

BUFFER_SPACING = 0.1
"""m; approximate distance between buffers, which damp the impact of a dropped robot."""
BUFFER_RADIUS = 0.002
"""m."""

DRUM_BEHIND = 0.0002
"""m; offset of drums inside the belt's path. At the end of a straight run only the run's corners
carry load; otherwise the ends of a belt at rest would count twice."""

TIE = 0.002
"""s; time constant of the ties between the links of a belt."""

PIECE = 0.06
"""m; longest box of a smooth belt. A single box on level ground touches at its four corners only,
so the ends of the belt would carry all the load."""


@dataclass(frozen=True)
class GeomBuilder:
    """Add geoms to the links of one belt, all of one colour and contact class."""

    spec: mujoco.MjSpec
    rgba: tuple[float, float, float, float]
    contype: int = BELT
    conaffinity: int = BELT_TOUCHES
    share: float = 0.0
    """Share of the robot's contact spring per contact point; 0: a quarter."""
    _meshes: dict[tuple[bytes, float], str] = field(default_factory=dict)
    """Meshes of prisms in the spec by outline and width; equal grousers share one."""

    def box(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        half: tuple[float, float, float],
        *,
        name: str,
        friction: float = SLIPPERY,
    ) -> mujoco.MjsGeom:
        """Add a cuboid with half edges ``half`` (m)."""
        return self._geom(body, mujoco.mjtGeom.mjGEOM_BOX, half, X_BG, name, friction)

    def drum(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        size: tuple[float, float],
        *,
        name: str,
        friction: float = SLIPPERY,
    ) -> mujoco.MjsGeom:
        """Add a cylinder about X_BG's y axis; ``size`` is (radius, half width), m."""
        kind = mujoco.mjtGeom.mjGEOM_CYLINDER
        return self._geom(body, kind, (*size, 0.0), X_BG @ _Z_TO_Y, name, friction)

    def drums(
        self,
        body: mujoco.MjsBody,
        radius: float,
        half_width: float,
        *,
        name: str,
        friction: float = SLIPPERY,
    ) -> list[mujoco.MjsGeom]:
        """Add the drum of a smooth belt about the body's y axis, as two halves side by side."""
        # Each half has one contact point with a wall or a box.
        size = (radius - DRUM_BEHIND, half_width / 2)
        return [
            self.drum(
                body,
                Pose.at(y=side * half_width / 2),
                size,
                name=f"{name}/{end}",
                friction=friction,
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
        friction: float = SLIPPERY,
    ) -> mujoco.MjsGeom:
        """Add a capsule along X_BG's y axis; ``size`` is (radius, half length), m."""
        kind = mujoco.mjtGeom.mjGEOM_CAPSULE
        return self._geom(body, kind, (*size, 0.0), X_BG @ _Z_TO_Y, name, friction)

    def prism(
        self,
        body: mujoco.MjsBody,
        X_BG: Pose,
        outline: Array,
        half_width: float,
        *,
        name: str,
        friction: float = SLIPPERY,
    ) -> mujoco.MjsGeom:
        """Add the convex ``outline`` (n, 2) in x-z, extruded along y, m."""
        key = (outline.tobytes(), half_width)
        if key not in self._meshes:
            self._meshes[key] = f"{name}/mesh"
            sides = [
                np.column_stack([outline[:, 0], np.full(len(outline), y), outline[:, 1]])
                for y in (-half_width, half_width)
            ]
            # As user vertices: otherwise MuJoCo recentres the mesh and moves the geom.
            self.spec.add_mesh(name=self._meshes[key], uservert=np.concatenate(sides).ravel())
        geom = self._geom(body, mujoco.mjtGeom.mjGEOM_MESH, (0.0, 0.0, 0.0), X_BG, name, friction)
        geom.meshname = self._meshes[key]
        return geom

    def buffer(self, body: mujoco.MjsBody, X_BS: Pose, share: float, *, name: str) -> None:
        """Add an impact damping point under the surface at ``X_BS`` (z outwards)."""
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
        """Add buffers along a straight run of a smooth belt from the body's origin."""
        count = max(1, round(length / BUFFER_SPACING))
        for number in range(count):
            place = Pose.at((number + 0.5) * length / count)
            self.buffer(body, place, share, name=f"{name}/buffer{number}")

    def buffer_rim(
        self, body: mujoco.MjsBody, radius: float, half_width: float, share: float, *, name: str
    ) -> None:
        """Add the buffer of a wheel about the body's y axis."""
        add_buffer(
            body,
            f"{name}/buffer",
            share=share,
            touches=WORLD | HULL,
            type=mujoco.mjtGeom.mjGEOM_ELLIPSOID,  # one contact point; a cylinder has two
            size=[radius - BUFFER_DEPTH, 0.5 * half_width, radius - BUFFER_DEPTH],
        )

    def _geom(
        self,
        body: mujoco.MjsBody,
        kind: mujoco.mjtGeom,
        size: tuple[float, float, float],
        X_BG: Pose,
        name: str,
        friction: float,
    ) -> mujoco.MjsGeom:
        geom = body.add_geom(
            name=name,
            type=kind,
            size=size,
            pos=X_BG.position,
            quat=X_BG.wxyz,
            friction=[friction, 0.0, 0.0],
            condim=3,
            contype=self.contype,
            conaffinity=self.conaffinity,
            solmix=GROUND_SOFTNESS_WINS,
            rgba=self.rgba,
            mass=0.0,
        )
        mark(geom, share=self.share)
        return geom


_Z_TO_Y = Pose.at(roll=-np.pi / 2)
"""Rotation of a geom's z axis, the axis of MuJoCo's cylinders, onto y."""


def add_link(body: mujoco.MjsBody, name: str, X_BL: Pose) -> mujoco.MjsBody:
    """Add a link of a belt, a wheel or a pulley to ``body``, with negligible mass."""
    link = body.add_body(name=name, pos=X_BL.position, quat=X_BL.wxyz)
    link.mass, link.inertia = LINK_MASS, [LINK_MASS * 1e-4] * 3
    link.ipos = [0, 0, 0]  # the default is the body's position
    link.explicitinertial = True
    return link


def split_run(length: float, spare: float = 0.0, piece: float = PIECE) -> list[tuple[float, float]]:
    """Return centre and half length (m) of the boxes of a run, without ``spare`` m at its ends.

    No box is longer than ``piece`` (m).
    """
    covered = max(length - 2 * spare, length / 2)
    start, count = (length - covered) / 2, max(1, math.ceil(covered / piece - 1e-9))
    half = covered / count / 2
    return [(start + (2 * number + 1) * half, half) for number in range(count)]


def couple_speeds(spec: mujoco.MjSpec, sprocket: str, shaft: str, ratio: float) -> None:
    """Couple the speed of ``sprocket`` to ``ratio`` times that of ``shaft``: one common motor."""
    # Positions are not coupled, since each belt rolls back by its own pitch.
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
    """Couple the position of ``joint`` to ``ratio`` times that of ``sprocket``: rigid belt."""
    equality = spec.add_equality(
        name=f"{joint}/tie",
        type=mujoco.mjtEq.mjEQ_JOINT,
        objtype=mujoco.mjtObj.mjOBJ_JOINT,
        name1=joint,
        name2=sprocket,
        solref=[TIE, 1.0],
        solimp=[0.99, 0.9999, 0.0005, 0.5, 2.0],
    )
    equality.data[:5] = [0.0, ratio, 0.0, 0.0, 0.0]
