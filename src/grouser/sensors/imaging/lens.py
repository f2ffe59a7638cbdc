"""Lens model: projection between directions and pixels, with distortion.

Points are normalised image coordinates ``(…, 2)``: x right, y down, at distance 1 from the pinhole
(tangents of angles), so that a lens is independent of the resolution. Pixel (0, 0) is the centre of
the upper left pixel.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, degrees, radians
from grouser.rendering.image_plane import ImagePlane

_ROUNDS, _SMALL = 100, 1e-12  # iterations and tolerance of the polynomial inverse


class Distortion(Protocol):
    """Lens distortion: mapping between pinhole points and lens points."""

    def distort(self, points: npt.ArrayLike) -> Array:
        """Map points ``(…, 2)`` of a pinhole image to points of the lens image."""
        ...

    def undistort(self, points: npt.ArrayLike) -> Array:
        """Map points ``(…, 2)`` of a lens image to points of a pinhole image."""
        ...


@dataclass(frozen=True)
class Radial:
    """Radial distortion with one parameter (cmos, sec. 4.3, eq. 2) and an exact inverse.

    The paper measures u and v in its own unit; here they are tangents. For a picture with focal
    length f in pixels, the ``kappa`` per square pixel is this one divided by f².
    """

    kappa: float = 0.0
    """Below 0: barrel, the corners move inwards; above 0: pincushion."""

    def distort(self, points: npt.ArrayLike) -> Array:
        """Return eq. 2: points times 2 / (1 + sqrt(1 - 4 kappa r²))."""
        xy = np.asarray(points, float)
        inside = 1 - 4 * self.kappa * _radius_squared(xy)
        if np.any(inside < 0):
            raise BadValue(
                f"lens: kappa {self.kappa} has no picture of points further than "
                f"{0.5 / math.sqrt(self.kappa):.3f} from the middle"
            )
        return np.asarray(xy * 2 / (1 + np.sqrt(inside)))

    def undistort(self, points: npt.ArrayLike) -> Array:
        """Return the inverse of eq. 2: points divided by 1 + kappa r²."""
        xy = np.asarray(points, float)
        return np.asarray(xy / (1 + self.kappa * _radius_squared(xy)))


@dataclass(frozen=True)
class Polynomial:
    """OpenCV's five distortion coefficients."""

    k1: float = 0.0
    k2: float = 0.0
    p1: float = 0.0
    p2: float = 0.0
    k3: float = 0.0

    def distort(self, points: npt.ArrayLike) -> Array:
        """Return radial and tangential distortion of the points."""
        xy = np.asarray(points, float)
        return np.asarray(xy * self._radial(xy) + self._tangential(xy))

    def undistort(self, points: npt.ArrayLike) -> Array:
        """Invert `distort` by fixed-point iteration."""
        seen = np.asarray(points, float)
        xy = seen
        for _ in range(_ROUNDS):
            last, xy = xy, (seen - self._tangential(xy)) / self._radial(xy)
            if np.all(np.abs(xy - last) < _SMALL):
                return xy
        raise BadValue(f"lens: {self} has no inverse: it folds the edge of the image inwards")

    def _radial(self, xy: Array) -> Array:
        r2 = _radius_squared(xy)
        return np.asarray(1 + r2 * (self.k1 + r2 * (self.k2 + r2 * self.k3)))

    def _tangential(self, xy: Array) -> Array:
        x, y, r2 = xy[..., 0], xy[..., 1], _radius_squared(xy)[..., 0]
        return np.stack(
            [
                2 * self.p1 * x * y + self.p2 * (r2 + 2 * x * x),
                self.p1 * (r2 + 2 * y * y) + 2 * self.p2 * x * y,
            ],
            axis=-1,
        )


@dataclass(frozen=True, kw_only=True)
class Lens:
    """Lens in front of a grid of pixels."""

    width: int
    """Pixels in a row."""
    height: int
    """Rows."""
    fov_deg: tuple[float, float]
    """Horizontal and vertical field of view without distortion."""
    distortion: Distortion = Radial()

    def __post_init__(self) -> None:
        if min(self.width, self.height) < 1:
            raise BadValue(
                f"lens: size is {self.width} x {self.height} pixels, both must be at least 1"
            )
        if not all(0 < angle < 180 for angle in self.fov_deg):
            raise BadValue(f"lens: fov_deg is {self.fov_deg}, both must be between 0 and 180")

    @property
    def focal(self) -> tuple[float, float]:
        """Focal length in pixels, horizontal and vertical."""
        across, down = (math.tan(radians(angle) / 2) for angle in self.fov_deg)
        return self.width / 2 / across, self.height / 2 / down

    @property
    def centre(self) -> tuple[float, float]:
        """Column and row of the optical axis: the image centre."""
        return (self.width - 1) / 2, (self.height - 1) / 2

    @property
    def plane(self) -> ImagePlane:
        """Image plane of a pinhole with the same view."""
        return ImagePlane(self.width, self.height, self.focal, self.centre)

    def with_zoom(self, zoom: float) -> Lens:
        """Return the lens with ``zoom`` times the focal length."""
        if not 0 < zoom < math.inf:
            raise BadValue(f"lens: zoom is {zoom}, must be above 0")
        across, down = (
            2 * degrees(math.atan(math.tan(radians(angle) / 2) / zoom)) for angle in self.fov_deg
        )
        return replace(self, fov_deg=(across, down))

    def pixels(self, points: npt.ArrayLike) -> Array:
        """Return column and row ``(…, 2)`` of pinhole ``points``."""
        return np.asarray(self.distortion.distort(points) * self.focal + self.centre)

    def points(self, pixels: npt.ArrayLike) -> Array:
        """Return the pinhole points of pixels (column, row) ``(…, 2)``."""
        return self.distortion.undistort((np.asarray(pixels, float) - self.centre) / self.focal)

    def rays(self) -> Array:
        """Return x and y of the direction of every pixel, (height, width, 2)."""
        rows, columns = np.mgrid[: self.height, : self.width]
        return self.points(np.stack([columns, rows], axis=-1))


def _radius_squared(points: Array) -> Array:
    """Return r² of points ``(…, 2)`` as ``(…, 1)``."""
    return np.asarray((points * points).sum(axis=-1, keepdims=True))
