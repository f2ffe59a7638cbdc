"""Error models of depth cameras: structured light and time of flight.

The Kinect 1 measures the disparity of a projected pattern (`Disparity`), the Kinect 2 the time of
flight (`TimeOfFlight`). Both lose pixels at grazing incidence and at depth discontinuities.

Depths are along the optical axis, (height, width), m; ``inf``: no surface, ``nan``: invalid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from grouser.frames import Array
from grouser.rendering.image_plane import ImagePlane


def incidence_cosines(depth: Array, plane: ImagePlane) -> Array:
    """Return the cosine between line of sight and surface normal, (height, width)."""
    # On a plane, 1 / depth is linear in the image, so its gradient gives the normal. At a
    # depth discontinuity the gradient is steep, which appears as grazing incidence.
    nearness = np.where(np.isfinite(depth), 1.0 / depth, 0.0)
    per_row, per_column = np.gradient(nearness)
    right, down = plane.slopes()
    across, along = plane.focal[0] * per_column, plane.focal[1] * per_row
    ahead = nearness - right * across - down[:, None] * along
    sight = np.sqrt(1 + right**2 + down[:, None] ** 2)
    normal = np.sqrt(across**2 + along**2 + ahead**2)
    return np.asarray(nearness / np.maximum(normal * sight, 1e-12))


@cache
def _spread(size: int, length: float) -> Array:
    """Return Gaussian weights of nodes ``length`` apart per pixel, (size, nodes)."""
    # Every row has norm 1, so that white noise on the nodes has the same variance in every
    # pixel.
    # Every row has norm 1, so that white noise on the nodes has the same variance in every
    # pixel.
    nodes = np.arange(-2 * length, size + 2 * length, length)
    weights = np.exp(-((np.arange(size)[:, None] - nodes) ** 2) / (2 * length**2))
    return np.asarray(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def smooth_noise(shape: tuple[int, int], length: float, rng: np.random.Generator) -> Array:
    """Return noise of variance 1 with a correlation length of ``length`` pixels; 0: white."""
    if not length:
        return rng.standard_normal(shape)
    rows, columns = (_spread(size, length) for size in shape)
    nodes = rng.standard_normal((rows.shape[1], columns.shape[1]))
    return np.asarray(rows @ nodes @ columns.T)


@lru_cache(maxsize=8)
def _camera_pattern(shape: tuple[int, int], length: float, pattern_seed: int) -> Array:
    """Return a camera's fixed pattern noise, the same in all its pictures."""
    return smooth_noise(shape, length, np.random.default_rng(pattern_seed))


@dataclass(frozen=True, kw_only=True)
class TimeOfFlight:
    """Time of flight: noise that grows with the square of the distance.

    The standard deviation is ``floor + growth * depth²``. The variance is the sum of white noise,
    spatially correlated noise, and fixed pattern noise.
    """

    floor: float
    """Standard deviation at distance 0, m."""
    growth: float
    """Growth of the standard deviation, m per m²."""
    grain_part: float = 0.0
    """Fraction of the variance that is correlated over `grain` pixels, 0 to 1."""
    grain: float = 0.0
    """Correlation length, pixels."""
    pattern_part: float = 0.0
    """Fraction of the variance that is fixed pattern noise, 0 to 1."""
    pattern: float = 0.0
    """Correlation length of the fixed pattern, pixels."""
    sure: float = math.inf
    """Distance up to which every pixel is valid, m."""
    silence: float = 0.0
    """Fraction of invalid pixels per metre beyond `sure`."""

    def measure(
        self, depth: Array, plane: ImagePlane, pattern_seed: int, rng: np.random.Generator
    ) -> Array:
        """Return the measured ``depth``; ``pattern_seed`` is the seed of the fixed pattern."""
        white = math.sqrt(max(0.0, 1.0 - self.grain_part - self.pattern_part))
        noise = white * rng.standard_normal(depth.shape)
        if self.grain_part:
            noise += math.sqrt(self.grain_part) * smooth_noise(depth.shape, self.grain, rng)
        if self.pattern_part:
            shape = (plane.height, plane.width)
            noise += math.sqrt(self.pattern_part) * _camera_pattern(
                shape, self.pattern, pattern_seed
            )
        measured = depth + (self.floor + self.growth * depth**2) * noise
        if self.silence:
            quiet = rng.random(depth.shape) < self.silence * (depth - self.sure)
            measured[quiet] = np.nan
        return np.asarray(measured)


@dataclass(frozen=True, kw_only=True)
class Disparity:
    """Structured light: depth quantised by disparity, and projector shadows beside near objects.

    disparity = focal x baseline / depth, in steps of 1/8 pixel, so that depths are
    depth² / (8 focal baseline) apart.
    """

    baseline: float
    """Distance from the camera to the projector on its right, m."""
    steps: int = 8
    """Steps of disparity per pixel."""
    noise: float = 0.0
    """Standard deviation of the disparity, pixels."""
    window: float = 0.0
    """Correlation length of the noise (matching window), pixels."""

    def measure(
        self, depth: Array, plane: ImagePlane, pattern_seed: int, rng: np.random.Generator
    ) -> Array:
        """Return the measured ``depth``; ``pattern_seed`` is unused."""
        scale = plane.focal[0] * self.baseline
        disparity = scale / depth
        shifted = disparity
        if self.noise:
            shifted = disparity + self.noise * smooth_noise(depth.shape, self.window, rng)
        counted = np.round(shifted * self.steps) / self.steps
        with np.errstate(divide="ignore"):
            measured = np.where(counted > 0, scale / counted, np.inf)
        measured[in_shadow(disparity)] = np.nan
        return measured


def in_shadow(disparity: Array) -> Array:
    """Return the mask of pixels in the projector's shadow, (height, width)."""
    # A pixel's light left the projector ``disparity`` columns further left than where the
    # camera sees it. It is blocked if a pixel further right uses light from still further
    # left.
    from_column = np.arange(disparity.shape[1]) - disparity
    # Leftmost projector column of this pixel and all to its right.
    leftmost = np.minimum.accumulate(from_column[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(from_column > leftmost + 1e-9)
