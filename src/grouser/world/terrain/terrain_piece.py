"""Base classes of terrain: a surface, an optional pose, and static geoms added to a spec.

Every kind is described in metres, x forward, y left, z up, and adds its static geoms to a spec.
Obstacles also extend `FOUNDATION` below the ground, so that a foot pressed into a low step is
pushed out upwards and never downwards through its underside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any

import mujoco
import numpy as np
import numpy.typing as npt
from pydantic import Field

from grouser.frames import Array, Pose, radians
from grouser.world.field_types import Coordinate, Rgb
from grouser.world.physics_settings import Contact, Surface

FOUNDATION = 0.5
"""Depth of obstacles below the ground that they stand on, m."""

LIGHT: Rgb = (0.83, 0.74, 0.60)
DARK: Rgb = (0.72, 0.62, 0.49)  # adjacent solids alternate the two shades, to show their edges

Inclination = Annotated[float, Field(gt=0, lt=90)]
"""An inclination in degrees, between 0 and 90."""


class TerrainPiece(Surface):
    """A static piece of ground; a subclass adds its shape and its name, ``kind``."""

    def add(self, spec: mujoco.MjSpec, contact: Contact, name: str) -> None:
        """Add its static geoms, named ``{name}/…``, to ``spec``."""
        raise NotImplementedError


def add_block(
    spec: mujoco.MjSpec,
    name: str,
    *,
    x: tuple[float, float],
    z: tuple[float, float],
    width: float,
    **geom: Any,
) -> None:
    """Add a box over ``x`` and ``z`` (m), centred on y = 0, to the world body."""
    spec.worldbody.add_geom(
        name=name,
        type=mujoco.mjtGeom.mjGEOM_BOX,
        pos=[sum(x) / 2, 0.0, sum(z) / 2],
        size=[(x[1] - x[0]) / 2, width / 2, (z[1] - z[0]) / 2],
        **geom,
    )


def add_prism(
    spec: mujoco.MjSpec,
    name: str,
    *,
    outline: Sequence[tuple[float, float]],
    width: float,
    **geom: Any,
) -> None:
    """Add a convex ``outline`` (x, z; m), extruded along y and centred on y = 0.

    ``geom`` has further attributes, such as its pose and friction. The mesh has the same name.
    """
    corners = [(x, y, z) for y in (-width / 2, width / 2) for x, z in outline]
    add_convex_hull(spec, name, np.array(corners), **geom)


def add_convex_hull(spec: mujoco.MjSpec, name: str, points: Array, **geom: Any) -> None:
    """Add the convex hull of ``points`` (n, 3), m; its mesh has the same name."""
    # Without faces MuJoCo makes the convex hull; per-face normals keep its edges sharp.
    spec.add_mesh(name=name, uservert=points.ravel(), smoothnormal=False)
    add_mesh_geom(spec, name, **geom)


def add_mesh_geom(spec: mujoco.MjSpec, name: str, **geom: Any) -> None:
    """Add a geom of the mesh of the same name to the world body."""
    spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **geom)


Span = tuple[float, float]
"""Interval along one axis, m."""


class PlacedTerrain(TerrainPiece):
    """A piece of ground with a position and a heading.

    The origin of its frame is the middle of its near edge; x points in the driving direction, z up.
    """

    x: Coordinate
    """x of the middle of its near edge, m."""
    y: Coordinate = 0.0
    """y of the middle of its near edge, m."""
    yaw_deg: Annotated[float, Field(ge=-360, le=360)] = 0.0
    """Rotation about z at the middle of the near edge, deg, from x towards y; -360 to 360."""

    @property
    def frame(self) -> Pose:
        """Pose of the piece's frame in the world."""
        return Pose.at(self.x, self.y, yaw=radians(self.yaw_deg))

    def _pose(
        self, x: float, y: float, z: float, *, roll: float = 0.0, yaw: float = 0.0
    ) -> dict[str, Any]:
        """Return a geom's pose in the world; x, y, z (m), roll, yaw (rad) are in the piece."""
        X_WG = self.frame @ Pose.at(x, y, z, roll=roll, yaw=yaw)
        return {"pos": X_WG.position, "quat": X_WG.wxyz}

    def _block(
        self, spec: mujoco.MjSpec, name: str, x: Span, y: Span, z: Span, **geom: Any
    ) -> None:
        """Add a box that fills these spans of the piece."""
        spans = (x, y, z)
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[(end - begin) / 2 for begin, end in spans],
            **self._pose(*(sum(span) / 2 for span in spans)),
            **geom,
        )

    def _prism(
        self,
        spec: mujoco.MjSpec,
        name: str,
        outline: Sequence[tuple[float, float]],
        width: float,
        *,
        at: tuple[float, float] = (0.0, 0.0),
        yaw: float = 0.0,
        **geom: Any,
    ) -> None:
        """Add a convex ``outline`` (x, z; m; counter-clockwise seen from -y), extruded.

        It is at ``at`` (x, y; m) in the piece, turned by ``yaw`` (rad). The mesh has the
        same name.
        """
        spec.add_mesh(name=name, **_prism_mesh(np.asarray(outline, float), width))
        add_mesh_geom(spec, name, **self._pose(*at, 0.0, yaw=yaw), **geom)

    def _convex(
        self,
        spec: mujoco.MjSpec,
        name: str,
        corners: Array,
        faces: npt.NDArray[np.int_],
        *,
        at: tuple[float, float, float],
        **geom: Any,
    ) -> None:
        """Add a convex body of ``corners`` (n, 3; m) at ``at``; its mesh has the same name."""
        spec.add_mesh(
            name=name, uservert=corners.ravel(), userface=faces.ravel(), smoothnormal=False
        )
        add_mesh_geom(spec, name, **self._pose(*at), **geom)

    def _pipe(
        self,
        spec: mujoco.MjSpec,
        name: str,
        x: float,
        z: float,
        radius: float,
        y: Span,
        **geom: Any,
    ) -> None:
        """Add a cylinder that lies along the piece's y."""
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_CYLINDER,
            size=[radius, (y[1] - y[0]) / 2, 0],
            **self._pose(x, sum(y) / 2, z, roll=math.pi / 2),
            **geom,
        )


def _prism_mesh(outline: Array, width: float) -> dict[str, Any]:
    """Return vertices, faces and a normal per side of a prism, as arguments of ``add_mesh``."""
    # MuJoCo's default normals would smooth a roof of 15 degrees; these keep every edge sharp.
    count = len(outline)
    ends = [np.insert(outline, 1, y, axis=1) for y in (-width / 2, width / 2)]
    edge = np.roll(outline, -1, axis=0) - outline
    sides = np.stack([edge[:, 1], np.zeros(count), -edge[:, 0]], axis=1)
    sides /= np.linalg.norm(sides, axis=1, keepdims=True)
    faces, which = [], []
    for i in range(count):
        k = (i + 1) % count
        faces += [(i, i + count, k + count), (i, k + count, k)]
        which += [i, i]
    for i in range(1, count - 1):
        faces += [(0, i, i + 1), (count, count + i + 1, count + i)]
        which += [count, count + 1]
    return {
        "uservert": np.concatenate(ends).ravel(),
        "userface": np.ravel(faces),
        "usernormal": np.concatenate([sides, [[0, -1, 0], [0, 1, 0]]]).ravel(),
        "userfacenormal": np.repeat(which, 3),
    }
