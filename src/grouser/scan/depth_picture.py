"""Depth pictures: PNG files of 16 bits per pixel and the camera intrinsics to convert them."""

from __future__ import annotations

import io
import json
import struct
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, nearest
from grouser.frames import Array
from grouser.scan.cloud import PointCloud, check_count


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
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
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


_PNG = b"\x89PNG\r\n\x1a\n"


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
    if len(content) < 33 or not content.startswith(_PNG):
        raise BadValue("is no PNG picture")
    columns, rows, bits, colour = struct.unpack_from(">IIBB", content, 16)
    check_count(rows * columns)
    if bits != 16 or colour != 0:
        raise BadValue(f"has {bits} bits a pixel; depths are 16 bits of grey")
    counts = _pixels(content)
    return cloud_of_depths(counts * intrinsics.unit, intrinsics)


def _pixels(content: bytes) -> npt.NDArray[np.float64]:
    from PIL import Image as Pillow  # comes with matplotlib; only pictures need it

    try:
        with Pillow.open(io.BytesIO(content), formats=("PNG",)) as picture:
            return np.asarray(picture).astype(float)
    except (OSError, SyntaxError, ValueError, EOFError) as error:
        raise BadValue(f"is damaged or cut off ({error})") from None
