"""What depth cameras get wrong, as arrays in and arrays out.

Two principles: the Kinect 1 compares a projected pattern with where it should be (`Disparity`), the
Kinect 2 measures how long light takes (`TimeOfFlight`). Both lose what they see at a grazing angle,
and the pixels at the edge of things, whose neighbours lie at another depth.

Depths are distances along the axis of view, (height, width), m; ``inf``: nothing there, ``nan``:
no answer.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np

from grouser.frames import Array
from grouser.rendering.image_plane import ImagePlane


def incidence_cosines(depth: Array, plane: ImagePlane) -> Array:
    """Return the cosine between the line of sight and the surface's normal, (height, width).

    On a plane, 1 / depth is linear in the picture, so its gradient gives the normal. Across the
    edge of a thing the gradient is steep: such a pixel looks as if it were seen at a grazing angle.
    """
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
    """Return how strongly each of ``size`` pixels feels nodes ``length`` apart, (size, nodes).

    Every row has norm 1, so that white noise on the nodes has the same variance in every pixel.
    """
    nodes = np.arange(-2 * length, size + 2 * length, length)
    weights = np.exp(-((np.arange(size)[:, None] - nodes) ** 2) / (2 * length**2))
    return np.asarray(weights / np.linalg.norm(weights, axis=1, keepdims=True))


def smooth_noise(shape: tuple[int, int], length: float, rng: np.random.Generator) -> Array:
    """Return noise of variance 1 that is alike over about ``length`` pixels; 0: white."""
    if not length:
        return rng.standard_normal(shape)
    rows, columns = (_spread(size, length) for size in shape)
    nodes = rng.standard_normal((rows.shape[1], columns.shape[1]))
    return np.asarray(rows @ nodes @ columns.T)


@lru_cache(maxsize=8)
def _camera_pattern(shape: tuple[int, int], length: float, pattern_seed: int) -> Array:
    """Return a camera's own pattern, which is the same in all its pictures."""
    return smooth_noise(shape, length, np.random.default_rng(pattern_seed))


@dataclass(frozen=True, kw_only=True)
class TimeOfFlight:
    """Time of flight: noise that grows with the square of the distance, in three grains.

    The standard deviation is ``floor + growth * depth²``. Its square is shared out between white
    noise, noise that is alike over some pixels, and a pattern of the camera's own that stays the
    same from picture to picture.
    """

    floor: float
    """Standard deviation close by, m."""
    growth: float
    """What it grows by, m per m²."""
    grain_part: float = 0.0
    """Part of the variance that is alike over `grain` pixels, 0 to 1."""
    grain: float = 0.0
    """Pixels."""
    pattern_part: float = 0.0
    """Part of the variance that is the camera's own pattern, 0 to 1."""
    pattern: float = 0.0
    """Pixels over which the pattern is alike."""
    sure: float = math.inf
    """Distance up to which every pixel answers, m."""
    silence: float = 0.0
    """Part of the pixels without an answer that each metre beyond `sure` adds."""

    def measure(
        self, depth: Array, plane: ImagePlane, pattern_seed: int, rng: np.random.Generator
    ) -> Array:
        """Return what the camera says of ``depth``; ``pattern_seed`` decides its own pattern."""
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
    """A projected pattern: depth in whole steps of disparity, and a shadow beside near things.

    disparity = focal x baseline / depth, counted in steps of 1/8 pixel, so that depths lie
    depth² / (8 focal baseline) apart.
    """

    baseline: float
    """From the camera to the projector, which sits on its right, m."""
    steps: int = 8
    """Steps of disparity per pixel."""
    noise: float = 0.0
    """Standard deviation of the disparity, pixels."""
    window: float = 0.0
    """Pixels over which the noise is alike: what is compared at once."""

    def measure(
        self, depth: Array, plane: ImagePlane, pattern_seed: int, rng: np.random.Generator
    ) -> Array:
        """Return what the camera says of ``depth``; it has no pattern of its own."""
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
    """Return where the projector's light does not arrive, bool (height, width).

    A pixel's light left the projector ``disparity`` columns further left than where the camera sees
    it. Something further right that needs light from still further left stands in the way.
    """
    from_column = np.arange(disparity.shape[1]) - disparity
    # The leftmost light that anything from here to the right edge needs.
    leftmost = np.minimum.accumulate(from_column[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(from_column > leftmost + 1e-9)
