"""The image plane of a pinhole camera: what a renderer needs to know of a camera's geometry.

Directions are ``(x, y)``: x to the right, y down, at distance 1 from the pinhole. Pixels are
counted from the middle of the upper left one, which is (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.frames import Array


@dataclass(frozen=True)
class ImagePlane:
    """Size of a pinhole camera's picture, and where on it directions fall."""

    width: int
    height: int
    focal: tuple[float, float]
    """Pixels per unit of x and of y."""
    centre: tuple[float, float]
    """Column and row of the pixel that looks straight ahead; need not be whole or inside."""

    def matrix(self, *, upside_down: bool = False) -> Array:
        """Return the (3, 3) that takes (x, y, 1) to (column, row, 1).

        Args:
            upside_down: rows are counted from the lowest one, as OpenGL stores them.
        """
        (fx, fy), (cx, cy) = self.focal, self.centre
        if upside_down:
            fy, cy = -fy, self.height - 1 - cy
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    @staticmethod
    def centred(width: int, height: int, focal: float) -> ImagePlane:
        """Return the plane of a camera with square pixels that looks along its middle.

        Args:
            width: pixels in a row.
            height: rows.
            focal: focal length, pixels.
        """
        return ImagePlane(width, height, (focal, focal), ((width - 1) / 2, (height - 1) / 2))

    def slopes(self) -> tuple[Array, Array]:
        """Return how far right (width,) and down (height,) each pixel looks, per metre ahead."""
        (fx, fy), (cx, cy) = self.focal, self.centre
        right = (np.arange(self.width) - cx) / fx
        down = (np.arange(self.height) - cy) / fy
        return np.asarray(right, float), np.asarray(down, float)
