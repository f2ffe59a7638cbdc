"""Depth pictures: PNG files with 16 bits a pixel, and what makes points of them."""

from __future__ import annotations

import io
import struct

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import PointCloud
from grouser.scan.cloud_limits import check_count
from grouser.scan.intrinsics import Intrinsics

_PNG = b"\x89PNG\r\n\x1a\n"


def cloud_of_depths(depths: Array, intrinsics: Intrinsics) -> PointCloud:
    """Return the organised cloud of a picture of depths, in the camera's axes.

    Args:
        depths: along the axis of view, (rows, columns), m; nan or 0: nothing was seen.
        intrinsics: of the camera.
    """
    rows, columns = depths.shape
    ahead = np.where(depths > 0, depths, np.nan)
    right = (np.arange(columns) - intrinsics.cx) / intrinsics.fx
    down = (np.arange(rows) - intrinsics.cy) / intrinsics.fy
    points = np.stack([right[None] * ahead, down[:, None] * ahead, ahead], axis=-1)
    return PointCloud(points.reshape(-1, 3), (rows, columns), None, np.zeros(3))


def read_depth_picture(content: bytes, intrinsics: Intrinsics) -> PointCloud:
    """Return the cloud in the bytes of a PNG picture of depths.

    Raises:
        BadValue: in a few words, to be read after a file's name: what is wrong with it.
    """
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
