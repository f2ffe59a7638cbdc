"""A depth picture as USARSim's range imagers have it: sweeps at even angles, one above the other.

A pinhole's pixels are even in the picture, not in angle, so every ray takes the pixel nearest to
it. A sweep is read from right to left, as a scanner's; the uppermost comes first. Rays that leave
the picture, or whose pixel has no answer, say the greatest range.
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

RAYS = 128
"""Rays of one sweep; a picture is then about 80 kB of text, not the megabyte of all its pixels."""


@dataclass(frozen=True)
class Sweeps:
    """Ranges of a picture."""

    resolution: float
    """Angle from ray to ray and from sweep to sweep, rad."""
    fov: float
    """Angle from the first ray to the last, rad."""
    ranges: Array
    """m, (sweeps, rays), uppermost first, right to left."""


@dataclass(frozen=True)
class Grid:
    """The rays of a picture."""

    resolution: float
    fov: float
    rows: npt.NDArray[np.intp]
    """Pixel of each ray, (sweeps, rays)."""
    columns: npt.NDArray[np.intp]
    outside: npt.NDArray[np.bool_]
    stretch: Array
    """Range over depth, (sweeps, rays)."""


def sweeps(optics: DepthOptics, depths: npt.NDArray[Any]) -> Sweeps:
    """Return the sweeps through ``depths`` (height, width), m, nan: no answer."""
    rays = grid(optics.output_plane)
    ranges = depths[rays.rows, rays.columns].astype(float) * rays.stretch
    ranges[rays.outside | ~np.isfinite(ranges)] = optics.far
    return Sweeps(rays.resolution, rays.fov, np.minimum(ranges, optics.far))


@lru_cache
def grid(plane: ImagePlane) -> Grid:
    """Return the rays of a picture on ``plane``."""
    across, down = (
        2 * math.atan(size / 2 / focal)
        for size, focal in zip((plane.width, plane.height), plane.focal, strict=True)
    )
    resolution = across / (RAYS - 1)
    count = math.floor(down / resolution) + 1
    left = -across / 2 + resolution * np.arange(RAYS)
    up = ((count - 1) / 2 - np.arange(count))[:, None] * resolution
    columns = np.rint(plane.centre[0] - plane.focal[0] * np.tan(left))
    rows = np.rint(plane.centre[1] - plane.focal[1] * np.tan(up) / np.cos(left))
    columns = np.broadcast_to(columns, rows.shape)
    outside = (columns < 0) | (columns >= plane.width) | (rows < 0) | (rows >= plane.height)
    return Grid(
        resolution,
        across,
        np.clip(rows, 0, plane.height - 1).astype(np.intp),
        np.clip(columns, 0, plane.width - 1).astype(np.intp),
        outside,
        1 / (np.cos(up) * np.cos(left)),
    )
