"""Image plane of a pinhole camera.

Directions are ``(x, y)``: x to the right, y down, at distance 1 from the pinhole. The middle of
the upper left pixel is (0, 0).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grouser.frames import Array


@dataclass(frozen=True)
class ImagePlane:
    """Image size and projection of a pinhole camera."""

    width: int
    height: int
    focal: tuple[float, float]
    """Pixels per unit of x and of y."""
    centre: tuple[float, float]
    """Column and row of the optical axis; may be fractional or outside the image."""

    def matrix(self, *, upside_down: bool = False) -> Array:
        """Return the matrix (3, 3) that maps (x, y, 1) to (column, row, 1).

        Args:
            upside_down: rows are counted from the lowest row, as OpenGL stores them.
        """
        (fx, fy), (cx, cy) = self.focal, self.centre
        if upside_down:
            fy, cy = -fy, self.height - 1 - cy
        return np.array([[fx, 0.0, cx], [0.0, fy, cy], [0.0, 0.0, 1.0]])

    @staticmethod
    def centred(width: int, height: int, focal: float) -> ImagePlane:
        """Return the plane of a camera with square pixels and the optical axis in the middle."""
        return ImagePlane(width, height, (focal, focal), ((width - 1) / 2, (height - 1) / 2))

    def slopes(self) -> tuple[Array, Array]:
        """Return x of the columns (width,) and y of the rows (height,), per unit of distance."""
        (fx, fy), (cx, cy) = self.focal, self.centre
        right = (np.arange(self.width) - cx) / fx
        down = (np.arange(self.height) - cy) / fy
        return np.asarray(right, float), np.asarray(down, float)
