"""URDF to MjSpec conversion: every link becomes a body of the same name."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from grouser.frames import Array
from grouser.robots.custom.model_joints import ModelJoint, ModelJoints
from grouser.robots.custom.urdf_file import Urdf, UrdfJoint, UrdfLink, UrdfShape, is_readable

WEIGHTLESS = 1e-3
"""kg; mass of a moving link without mass."""
BALL = 0.05
"""m; radius of the ball whose inertia a link without inertia gets."""
HIDDEN = 3
"""Geom group that is not drawn: collision geoms of links with visuals."""
GREY = (0.6, 0.6, 0.62, 1.0)


def urdf_model(urdf: Urdf) -> ModelJoints:
    """Return the spec of a URDF without faults, and its joints."""
    builder = _Builder(urdf)
    builder.add(builder.root(), None)
    return ModelJoints(spec=builder.spec, joints=builder.joints)


class _Builder:
    def __init__(self, urdf: Urdf) -> None:
        self.urdf = urdf
        self.links = {link.name: link for link in urdf.links}
        self.below: dict[str, list[UrdfJoint]] = {}
        for joint in urdf.joints:
            self.below.setdefault(joint.parent, []).append(joint)
        self.spec = mujoco.MjSpec()
        self.spec.compiler.degree = False
        self.joints: dict[str, ModelJoint] = {}
        self.meshes: dict[tuple[str, tuple[float, ...]], str] = {}

    def root(self) -> UrdfLink:
        """Return the main body: the first link with mass or shape, from the root of the tree."""
        children = {joint.child for joint in self.urdf.joints}
        link = next(link for link in self.urdf.links if link.name not in children)
        while link.mass == 0 and not (link.visuals or link.collisions):
            below = self.below.get(link.name, [])
            if len(below) != 1 or below[0].type not in ("fixed", "floating"):
                break
            link = self.links[below[0].child]
        return link

    def add(self, link: UrdfLink, joint: UrdfJoint | None) -> None:
        """Add a link and its descendants."""
        if joint is None:
            body = self.spec.worldbody.add_body(name=link.name)
        else:
            X = joint.X_PC
            body = self.spec.body(joint.parent).add_body(
                name=link.name, pos=X.position, quat=X.wxyz
            )
            if joint.type not in ("fixed", "floating"):
                self._add_joint(body, joint)
        moves = joint is None or joint.type not in ("fixed", "floating")
        self._weigh(body, link, moves=moves)
        for number, shape in enumerate(filter(is_readable, link.collisions)):
            geom = self._add_shape(body, shape, f"{link.name}/touch{number}")
            if any(map(is_readable, link.visuals)):
                geom.group = HIDDEN
        for number, shape in enumerate(link.visuals):
            if is_readable(shape):
                geom = self._add_shape(body, shape, f"{link.name}/look{number}")
                geom.contype = geom.conaffinity = 0
        for further in self.below.get(link.name, []):
            self.add(self.links[further.child], further)

    def _add_joint(self, body: mujoco.MjsBody, joint: UrdfJoint) -> None:
        slides = joint.type == "prismatic"
        kinds = mujoco.mjtJoint
        axis = np.array(joint.axis)
        body.add_joint(
            name=joint.name,
            type=kinds.mjJNT_SLIDE if slides else kinds.mjJNT_HINGE,
            axis=axis / np.linalg.norm(axis),
            damping=joint.damping,
            frictionloss=joint.friction,
        )
        self.joints[joint.name] = ModelJoint(
            name=joint.name,
            slides=slides,
            limits=joint.limits,
            torque=joint.effort or None,
            speed=joint.velocity or None,
        )

    def _weigh(self, body: mujoco.MjsBody, link: UrdfLink, *, moves: bool) -> None:
        mass = link.mass or (WEIGHTLESS if moves else 0.0)
        body.mass, body.ipos = mass, link.centre
        if link.inertia is not None and link.mass > 0:
            full = _nearest_valid_inertia(link.inertia)
            body.fullinertia = [*np.diag(full), full[0, 1], full[0, 2], full[1, 2]]
        else:
            body.inertia = [0.4 * mass * BALL**2] * 3
        body.explicitinertial = True

    def _add_shape(self, body: mujoco.MjsBody, shape: UrdfShape, name: str) -> mujoco.MjsGeom:
        kinds = mujoco.mjtGeom
        geom = body.add_geom(
            name=name,
            pos=shape.X_LS.position,
            quat=shape.X_LS.wxyz,
            mass=0,
            rgba=shape.rgba or GREY,
        )
        if shape.kind == "box":
            geom.type, geom.size = kinds.mjGEOM_BOX, [edge / 2 for edge in shape.size]
        elif shape.kind == "sphere":
            geom.type, geom.size = kinds.mjGEOM_SPHERE, [shape.size[0], 0, 0]
        elif shape.kind == "mesh":
            geom.type, geom.meshname = kinds.mjGEOM_MESH, self._mesh(shape)
        else:
            round_ends = shape.kind == "capsule"
            geom.type = kinds.mjGEOM_CAPSULE if round_ends else kinds.mjGEOM_CYLINDER
            geom.size = [shape.size[0], shape.size[1] / 2, 0]
        return geom

    def _mesh(self, shape: UrdfShape) -> str:
        key = (str(shape.file), shape.size)
        if key not in self.meshes:
            file = Path(key[0])
            self.meshes[key] = f"{file.stem}_{len(self.meshes)}"
            self.spec.add_mesh(name=self.meshes[key], file=key[0], scale=list(shape.size))
        return self.meshes[key]


def _nearest_valid_inertia(inertia: Array) -> Array:
    """Return ``inertia`` (3, 3) corrected to be positive and to satisfy the triangle inequality."""
    moments, axes = np.linalg.eigh(inertia)
    moments = np.maximum(moments, 1e-3 * max(float(moments[2]), 1e-9))
    moments[2] = min(moments[2], moments[0] + moments[1])
    return np.asarray(axes @ np.diag(moments) @ axes.T)
