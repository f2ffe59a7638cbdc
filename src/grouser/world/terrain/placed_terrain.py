"""Base class of terrain with a pose: boxes, prisms and pipes given in the piece's frame.

The origin of a piece's frame is the middle of its near edge; x points in the driving direction, z
up.
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
from grouser.world.field_types import Coordinate
from grouser.world.terrain.terrain_piece import TerrainPiece

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
        """Add an extruded outline; its mesh has the same name.

        Args:
            spec: the world's spec.
            name: name of the geom and of its mesh.
            outline: corners (x, z) of a convex outline, counter-clockwise seen from -y, m.
            width: size along y, centred, m.
            at: position of the outline's origin in the piece, x and y, m.
            yaw: rotation about z there, rad.
            geom: further attributes of the geom, such as its friction.
        """
        spec.add_mesh(name=name, **_prism_mesh(np.asarray(outline, float), width))
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=name,
            **self._pose(*at, 0.0, yaw=yaw),
            **geom,
        )

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
        """Add a convex body; its mesh has the same name.

        Args:
            spec: the world's spec.
            name: name of the geom and of its mesh.
            corners: of the body, (n, 3), m.
            faces: indices of three corners each, counter-clockwise seen from outside, (m, 3).
            at: position of the corners' origin in the piece, m.
            geom: further attributes of the geom, such as its friction.
        """
        spec.add_mesh(
            name=name, uservert=corners.ravel(), userface=faces.ravel(), smoothnormal=False
        )
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=name,
            **self._pose(*at),
            **geom,
        )

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
    """Return vertices, faces and a normal per side of a prism, as arguments of ``add_mesh``.

    MuJoCo's default normals would smooth a roof of 15 degrees; these keep every edge sharp.
    """
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
