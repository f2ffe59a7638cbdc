"""Images as arrays, PNG files, and the optional import of OpenCV."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser import files
from grouser.errors import missing_extra

Image = npt.NDArray[np.uint8]
"""Image (height, width, 3): red, green, blue, top row first."""

DepthImage = npt.NDArray[np.float32]
"""Distances along the viewing axis (height, width), m, top row first, ``inf`` for the sky."""


def write_png(path: Path | str, image: Image) -> None:
    """Write an image to ``path`` as PNG, atomically."""
    from PIL import Image as Pillow  # a dependency of matplotlib

    encoded = io.BytesIO()
    Pillow.fromarray(image).save(encoded, "PNG")
    files.write_bytes(path, encoded.getvalue())


def opencv(purpose: str, extra: str) -> Any:
    """Return the module ``cv2``.

    Args:
        purpose: feature that needs OpenCV, as the beginning of a sentence: ``"videos"``.
        extra: optional dependency group of this package that contains OpenCV.

    Raises:
        MissingDependency: OpenCV is not installed.
    """
    try:
        import cv2
    except ImportError as error:
        raise missing_extra(f"{purpose} need OpenCV", extra) from error
    return cv2
