"""Depth images in the format of USARSim's range imager.

Rows are at equal angles, uppermost first, each from right to left. Pinhole pixels are equidistant
in the image plane and not in angle, so each ray takes the nearest pixel. Rays outside the image, or
without a depth, report the maximum range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.rendering.image_plane import ImagePlane
from grouser.sensors.depth import DepthOptics

RAYS_PER_ROW = 128
"""Rays of one row; an image is then about 80 kB of text instead of 1 MB for all pixels."""


@dataclass(frozen=True)
class RangeRows:
    """Ranges of a depth image at equal angles."""

    resolution: float
    """Angle between rays and between rows, rad."""
    fov: float
    """Angle from the first ray to the last, rad."""
    ranges: Array
    """m, (rows, rays), uppermost first, right to left."""


@dataclass(frozen=True)
class RayGrid:
    """Rays through an image plane, and their nearest pixels."""

    resolution: float
    fov: float
    rows: npt.NDArray[np.intp]
    """Pixel row of each ray, (rows, rays)."""
    columns: npt.NDArray[np.intp]
    outside: npt.NDArray[np.bool_]
    stretch: Array
    """Range divided by depth, (rows, rays)."""


def resample_depth(optics: DepthOptics, depths: npt.NDArray[Any]) -> RangeRows:
    """Return ``depths`` (height, width; m, nan: no return) resampled at equal angles."""
    rays = ray_grid(optics.output_plane)
    ranges = depths[rays.rows, rays.columns].astype(float) * rays.stretch
    ranges[rays.outside | ~np.isfinite(ranges)] = optics.far
    return RangeRows(rays.resolution, rays.fov, np.minimum(ranges, optics.far))


@lru_cache
def ray_grid(plane: ImagePlane) -> RayGrid:
    """Return the rays through ``plane``, cached."""
    across, down = (
        2 * math.atan(size / 2 / focal)
        for size, focal in zip((plane.width, plane.height), plane.focal, strict=True)
    )
    resolution = across / (RAYS_PER_ROW - 1)
    count = math.floor(down / resolution) + 1
    left = -across / 2 + resolution * np.arange(RAYS_PER_ROW)
    up = ((count - 1) / 2 - np.arange(count))[:, None] * resolution
    columns = np.rint(plane.centre[0] - plane.focal[0] * np.tan(left))
    rows = np.rint(plane.centre[1] - plane.focal[1] * np.tan(up) / np.cos(left))
    columns = np.broadcast_to(columns, rows.shape)
    outside = (columns < 0) | (columns >= plane.width) | (rows < 0) | (rows >= plane.height)
    return RayGrid(
        resolution,
        across,
        np.clip(rows, 0, plane.height - 1).astype(np.intp),
        np.clip(columns, 0, plane.width - 1).astype(np.intp),
        outside,
        1 / (np.cos(up) * np.cos(left)),
    )
