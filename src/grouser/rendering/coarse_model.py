"""Fast rendering: coarse tessellation and view frustum culling.

The time of software rendering depends on vertices and geoms more than on pixels.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.frames import Pose, conjugate, rotate
from grouser.rendering.image_plane import ImagePlane

COARSE_QUALITY = {"offsamples": 0, "numslices": 12, "numstacks": 6, "numquads": 1}
"""MuJoCo's settings for coarse images: no antialiasing, few faces."""

_GRID = 0.5  # m   planes are lit at the vertices of a grid; 0.1 m took half of the total time
_ROUND = (  # geoms whose first size is a radius
    mujoco.mjtGeom.mjGEOM_SPHERE,
    mujoco.mjtGeom.mjGEOM_CAPSULE,
    mujoco.mjtGeom.mjGEOM_CYLINDER,
)


def coarse_copy(model: mujoco.MjModel) -> mujoco.MjModel:
    """Return a copy for rendering, with coarse planes and round shapes of preserved area."""
    coarse = copy.copy(model)
    _cut_planes(coarse)
    # A circle is drawn as an inscribed polygon; this factor gives the polygon the circle's area.
    step = math.tau / COARSE_QUALITY["numslices"]
    coarse.geom_size[np.isin(model.geom_type, _ROUND), 0] *= math.sqrt(step / math.sin(step))
    return coarse


@contextmanager
def coarse_planes(model: mujoco.MjModel) -> Iterator[None]:
    """Tessellate planes coarsely within the block."""
    before = model.geom_size.copy()
    _cut_planes(model)
    try:
        yield
    finally:
        model.geom_size[:] = before


def _cut_planes(model: mujoco.MjModel) -> None:
    planes = model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE
    model.geom_size[planes, 2] = np.maximum(model.geom_size[planes, 2], _GRID)


def out_of_view(
    model: mujoco.MjModel, data: mujoco.MjData, X_WC: Pose, plane: ImagePlane
) -> npt.NDArray[np.bool_]:
    """Return True for geoms with a bounding sphere outside the view frustum of a camera.

    MuJoCo draws all geoms, and in software each costs as much as a thousand pixels. ``X_WC`` is
    the camera's pose: x ahead, y left, z up.
    """
    radius = model.geom_rbound
    ahead, left, up = rotate(conjugate(X_WC.wxyz), data.geom_xpos - X_WC.position).T
    focal, (cx, cy) = plane.focal[0], plane.centre
    outside = ahead < -radius
    for offset, pixels in (
        (left, cx + 0.5),
        (-left, plane.width - 0.5 - cx),
        (up, cy + 0.5),
        (-up, plane.height - 0.5 - cy),
    ):
        slope = pixels / focal
        outside |= offset - slope * ahead > radius * math.hypot(1.0, slope)
    return np.asarray(outside & (radius > 0))  # an infinite plane has no radius
