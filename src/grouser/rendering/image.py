"""Pictures: arrays of pixels, and PNG files."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import numpy.typing as npt

from grouser import files

Image = npt.NDArray[np.uint8]
"""A picture: (height, width, 3), red, green, blue, top row first."""

DepthImage = npt.NDArray[np.float32]
"""Distances along the viewing axis: (height, width), m, top row first, ``inf`` for the sky."""


def write_png(path: Path | str, image: Image) -> None:
    """Write a picture to ``path`` as PNG, whole or not at all."""
    from PIL import Image as Pillow  # comes with matplotlib; only pictures need it

    encoded = io.BytesIO()
    Pillow.fromarray(image).save(encoded, "PNG")
    files.write_bytes(path, encoded.getvalue())
