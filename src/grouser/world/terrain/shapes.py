"""Static solids of terrain: an axis-aligned block and an extruded outline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np


def add_block(
    spec: mujoco.MjSpec,
    name: str,
    *,
    x: tuple[float, float],
    z: tuple[float, float],
    width: float,
    **geom: Any,
) -> None:
    """Add a box to the world body, centred on y = 0.

    Args:
        spec: the world's spec.
        name: the geom's name.
        x: interval along x, m.
        z: heights of its underside and its top, m.
        width: its size along y, m.
        geom: further attributes of the geom, such as its friction.
    """
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
    """Add a convex outline in the x-z plane, extruded along y and centred on y = 0.

    Args:
        spec: the world's spec.
        name: name of the geom and of its mesh.
        outline: corners (x, z) in the geom's frame, m; MuJoCo collides their convex hull.
        width: size along y, m.
        geom: further attributes of the geom, such as its pose and friction.
    """
    corners = [(x, y, z) for y in (-width / 2, width / 2) for x, z in outline]
    # Without faces MuJoCo makes the convex hull; per-face normals keep its edges sharp.
    spec.add_mesh(name=name, uservert=np.ravel(corners), smoothnormal=False)
    spec.worldbody.add_geom(name=name, type=mujoco.mjtGeom.mjGEOM_MESH, meshname=name, **geom)
