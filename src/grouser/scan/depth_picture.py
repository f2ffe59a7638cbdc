"""Depth pictures: PNG files of 16 bits per pixel and the camera intrinsics to convert them."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from grouser import files
from grouser.array_files import read_png
from grouser.errors import BadValue, nearest
from grouser.frames import Array
from grouser.scan.cloud import PointCloud, check_count

LONGEST = 65536
"""Largest size of a file of intrinsics, bytes."""


@dataclass(frozen=True)
class Intrinsics:
    """Pinhole camera, in pixels; depths are along the optical axis."""

    fx: float
    """Horizontal focal length, pixels."""
    fy: float
    """Vertical focal length, pixels."""
    cx: float
    """Column of the principal point, pixels; the centre of the first pixel is 0."""
    cy: float
    """Row of the principal point, pixels."""
    unit: float = 0.001
    """Unit of the picture's values, m; most cameras write millimetres."""

    def __post_init__(self) -> None:
        numbers = self.fx, self.fy, self.cx, self.cy, self.unit
        if not np.isfinite(numbers).all() or min(self.fx, self.fy, self.unit) <= 0:
            raise BadValue(
                f"intrinsics: {self}; finite numbers, fx, fy and unit above 0 are needed"
            )


def read_intrinsics(path: Path | str) -> Intrinsics:
    """Return the intrinsics in a JSON file: fx, fy, cx, cy in pixels, and unit in metres.

    Raises:
        BadValue: it cannot be read, or has other contents.
    """
    try:
        content = json.loads(files.read_bytes(path, LONGEST))
    except (BadValue, ValueError, RecursionError) as error:
        raise BadValue(f"{path}: cannot be read as JSON ({error})") from None
    names = [field.name for field in fields(Intrinsics)]
    needed = names[:4]
    if not isinstance(content, dict) or not set(needed) <= set(content):
        raise BadValue(f"{path}: {', '.join(needed)} are needed, unit is optional")
    for name, value in content.items():
        if name not in names:
            raise BadValue(f"{path}: has '{name}'{nearest(name, names)}")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise BadValue(f"{path}: {name} is {value!r}, a number is needed")
    return Intrinsics(**{name: float(value) for name, value in content.items()})


def cloud_of_depths(depths: Array, intrinsics: Intrinsics) -> PointCloud:
    """Return the organised cloud of depths (rows, columns; m; nan or 0: none), in camera axes."""
    rows, columns = depths.shape
    ahead = np.where(depths > 0, depths, np.nan)
    right = (np.arange(columns) - intrinsics.cx) / intrinsics.fx
    down = (np.arange(rows) - intrinsics.cy) / intrinsics.fy
    points = np.stack([right[None] * ahead, down[:, None] * ahead, ahead], axis=-1)
    return PointCloud(points.reshape(-1, 3), (rows, columns), None, np.zeros(3))


def read_depth_picture(content: bytes, intrinsics: Intrinsics) -> PointCloud:
    """Return the cloud in the bytes of a PNG depth picture."""
    pixels = read_png(content, lambda rows, columns: check_count(rows * columns))
    bits, colour = content[24:26]  # of the header
    if bits != 16 or colour != 0:
        raise BadValue(f"has {bits} bits a pixel; depths are 16 bits of grey")
    return cloud_of_depths(pixels.astype(float) * intrinsics.unit, intrinsics)
