"""MuJoCo geoms of a height map: height fields, boxes and prisms.

MuJoCo splits each cell of a height field into two triangles, always along the same diagonal. A
ridge along the other diagonal, or a peak between grid points, is therefore distorted; shapes with
sharp edges elsewhere should be made of solids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, Pose
from grouser.world.terrain.height_patches import PLANE, cut
from grouser.world.terrain.terrain_piece import FOUNDATION, add_convex_hull

Half = tuple[float, float]
"""Half the size along x and y, m."""

LEVEL = 1e-3
"""Smallest height range of a height field, m; MuJoCo does not accept 0."""

MOST_POINTS = 4_000_000
"""Largest number of points of a height map; more take MuJoCo minutes and gigabytes."""


def add_height_field(
    spec: mujoco.MjSpec,
    name: str,
    heights: Array,
    cell: float,
    X_WP: Pose,
    *,
    planes: bool = True,
    there: npt.NDArray[np.bool_] | None = None,
    **geom: Any,
) -> None:
    """Add the geoms of a height map to the world body.

    The origin of the piece's frame P is the middle of the near edge: columns go along x from 0 on,
    the first row is the one farthest along y, as in a picture with x to the right.

    Args:
        spec: the world's spec.
        name: prefix of the geoms' names: ``{name}/plane{number}``, and
            ``{name}/field{row}_{column}`` with the first point of a height field.
        heights: above the piece's frame, m, (rows, columns); at least 2 x 2, all finite.
        cell: grid spacing along both axes, m.
        X_WP: pose of the piece in the world.
        planes: level parts become boxes and other plane ones prisms, which are many times faster
            under belts; False: height fields only, whose number does not depend on the heights.
        there: mask of the cells that are ground, (rows - 1, columns - 1); None: all.
        geom: further attributes of the geoms, such as their friction.

    Raises:
        BadValue: the heights are no grid, or not all of them are finite.
    """
    wrong = flaw(heights)
    if wrong:
        raise BadValue(f"height map: {wrong}")
    patches = cut(heights, planes=planes, there=there)
    left = (heights.shape[0] - 1) * cell / 2
    for number, plane in enumerate(patches.planes):
        corners = [(cell * b, left - cell * a) for a, b in plane.corners]
        _add_plane(spec, f"{name}/plane{number}", corners, plane.heights, X_WP, **geom)
    for field in patches.fields:
        part = patches.heights[field.down, field.along]
        rows, columns = part.shape
        place = Pose.at(
            x=cell * (field.along.start + (columns - 1) / 2),
            y=left - cell * (field.down.start + (rows - 1) / 2),
            z=float(part.min()),
        )
        half = (cell * (columns - 1) / 2, cell * (rows - 1) / 2)
        label = f"{name}/field{field.down.start}_{field.along.start}"
        _add_field(spec, label, part, half, X_WP @ place, **geom)


def _add_field(
    spec: mujoco.MjSpec, name: str, heights: Array, half: Half, X_WG: Pose, **geom: Any
) -> None:
    """Add a height field whose lowest point is at ``X_WG``'s z = 0."""
    low = float(heights.min())
    height = max(float(heights.max()) - low, LEVEL)
    spec.add_hfield(
        name=name,
        nrow=heights.shape[0],
        ncol=heights.shape[1],
        size=[*half, height, FOUNDATION],
        # MuJoCo's first row is the one at the smallest y.
        userdata=((heights[::-1] - low) / height).ravel(),
    )
    kind = mujoco.mjtGeom.mjGEOM_HFIELD
    spec.worldbody.add_geom(
        name=name, type=kind, hfieldname=name, pos=X_WG.position, quat=X_WG.wxyz, **geom
    )


def _add_plane(
    spec: mujoco.MjSpec,
    name: str,
    corners: list[tuple[float, float]],
    heights: Sequence[float],
    X_WP: Pose,
    **geom: Any,
) -> None:
    """Add the solid under a plane: a box, or a prism whose ``corners`` (x, y) go round, m."""
    low, (x, y) = min(heights), np.mean(corners, axis=0).tolist()
    around = np.array(corners) - (x, y)
    half_x, half_y = np.abs(around).max(axis=0).tolist()
    right_angled = len(corners) == 4 and np.allclose(np.abs(around), (half_x, half_y), atol=1e-9)
    if right_angled and max(heights) - low < PLANE:
        X_WG = X_WP @ Pose.at(x, y, low - FOUNDATION / 2)
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_BOX,
            size=[half_x, half_y, FOUNDATION / 2],
            pos=X_WG.position,
            quat=X_WG.wxyz,
            **geom,
        )
        return
    X_WG = X_WP @ Pose.at(x, y, low)
    top = np.column_stack([around, np.array(heights) - low])
    bottom = np.column_stack([around, np.full(len(around), -FOUNDATION)])
    points = np.concatenate([top, bottom])
    add_convex_hull(spec, name, points, pos=X_WG.position, quat=X_WG.wxyz, **geom)


def flaw(heights: Array) -> str | None:
    """Return the fault of ``heights`` (m), as a clause to follow a name; None: they are valid."""
    if heights.ndim != 2:
        return f"has {heights.ndim} axes, 2 (rows and columns) are needed"
    if min(heights.shape) < 2:
        return f"has {_shape(heights.shape)} points, at least 2 x 2 are needed"
    too_large = excess(heights.shape)
    if too_large:
        return too_large
    holes = ~np.isfinite(heights)
    if holes.any():
        row, column = np.argwhere(holes)[0].tolist()
        return (
            f"has {int(holes.sum())} hole(s), the first in row {row}, column {column}: fill them, "
            "or set fill to the height of the ground there"
        )
    return None


def excess(shape: tuple[int, ...]) -> str | None:
    """Return the fault of a map of more than `MOST_POINTS`, worded as that of `flaw`, or None."""
    if np.prod(shape, dtype=float) <= MOST_POINTS:
        return None
    return (
        f"has {_shape(shape)} points, at most {MOST_POINTS:,} are allowed: use larger cells, or "
        "crop the map"
    )


def _shape(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape))
