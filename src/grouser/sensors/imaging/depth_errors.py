"""Error models of depth cameras: structured light and time of flight.

The Kinect 1 measures the disparity of a projected pattern (`Disparity`), the Kinect 2 the time of
flight (`TimeOfFlight`). Both lose pixels at grazing incidence and at depth discontinuities.
`SurfaceNoise` holds the published standard deviations along and across the optical axis.

Depths are along the optical axis, (height, width), m; ``inf``: no surface, ``nan``: invalid.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from grouser.frames import Array, radians
from grouser.rendering.image_plane import ImagePlane

_WINDOW = 14
"""Nodes of smooth noise that count at a pixel: up to six standard deviations to both sides; the
weight of others is below the resolution of float32."""


def incidence_cosines(depth: Array, plane: ImagePlane) -> Array:
    """Return the cosine between line of sight and surface normal, (height, width).

    A depth discontinuity appears as grazing incidence.
    """
    nearness = _nearness(depth)
    per_row, per_column = np.gradient(nearness, axis=0), np.gradient(nearness, axis=1)
    return _cosines(nearness, per_row, per_column, plane)


def _nearness(depth: Array) -> Array:
    """Return 1 / depth; 0 where there is no surface."""
    # On a plane it is linear in the image, so its gradient gives the normal.
    return np.where(np.isfinite(depth), 1.0 / depth, 0.0)


def _cosines(nearness: Array, per_row: Array, per_column: Array, plane: ImagePlane) -> Array:
    """Return the cosines of incidence for the gradient of ``nearness``."""
    right, down = plane.slopes()
    across, along = plane.focal[0] * per_column, plane.focal[1] * per_row
    ahead = nearness - right * across - down[:, None] * along
    sight = np.sqrt(1 + right**2 + down[:, None] ** 2)
    normal = np.sqrt(across**2 + along**2 + ahead**2)
    return np.asarray(nearness / np.maximum(normal * sight, 1e-12))


def _surface_gradient(nearness: Array) -> tuple[Array, Array]:
    """Return the gradient per row and per column on the surface of each pixel.

    Of the differences to both neighbours the smaller counts, so that beside a discontinuity the
    gradient is that of the pixel's own surface.
    """
    rows, columns = (_smaller_difference(np.diff(nearness, axis=axis), axis) for axis in (0, 1))
    return rows, columns


def _smaller_difference(steps: Array, axis: int) -> Array:
    """Return for each pixel the smaller of the steps before and after it along an axis."""
    first, last = np.take(steps, [0], axis=axis), np.take(steps, [-1], axis=axis)
    before = np.concatenate([first, steps], axis=axis)
    after = np.concatenate([steps, last], axis=axis)
    return np.where(np.abs(before) <= np.abs(after), before, after)


@cache
def _spread(size: int, length: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.float32]]:
    """Return the nodes near each pixel and their Gaussian weights, both (size, `_WINDOW`).

    The nodes are ``length`` apart, from ``2 length`` before the first pixel to as far behind the
    last one. Every row of weights has norm 1, so that white noise on the nodes has the same
    variance in every pixel.
    """
    nodes, places = _nodes(size, length), np.arange(size)[:, None]
    near = (places + 2 * length) // length + np.arange(_WINDOW) - (_WINDOW // 2 - 1)
    weights = np.exp(-((places - (near - 2) * length) ** 2) / (2 * length**2))
    weights[(near < 0) | (near >= nodes)] = 0.0
    weights /= np.linalg.norm(weights, axis=1, keepdims=True)
    return np.clip(near, 0, nodes - 1).astype(np.intp), weights.astype(np.float32)


def _nodes(size: int, length: float) -> int:
    """Return the number of nodes of `_spread`."""
    return len(np.arange(-2 * length, size + 2 * length, length))


def _spread_rows(
    values: npt.NDArray[np.float32], size: int, length: float
) -> npt.NDArray[np.float32]:
    """Return values on nodes (nodes, n) as values of pixels (size, n)."""
    # No matrix product: the sums of BLAS depend on its number of threads.
    near, weights = _spread(size, length)
    spread = np.zeros((size, values.shape[1]), np.float32)
    for nodes, weight in zip(near.T, weights.T, strict=True):
        spread += weight[:, None] * values[nodes]
    return spread


def smooth_noise(shape: tuple[int, int], length: float, rng: np.random.Generator) -> Array:
    """Return noise of variance 1 with a correlation length of ``length`` pixels; 0: white."""
    if not length:
        return rng.standard_normal(shape)
    height, width = shape
    nodes = rng.standard_normal((_nodes(height, length), _nodes(width, length)), np.float32)
    by_row = np.ascontiguousarray(_spread_rows(nodes, height, length).T)
    return np.asarray(_spread_rows(by_row, width, length).T, float)


@lru_cache(maxsize=8)
def _camera_pattern(shape: tuple[int, int], length: float, pattern_seed: int) -> Array:
    """Return a camera's fixed pattern noise, the same in all its pictures."""
    return smooth_noise(shape, length, np.random.default_rng(pattern_seed))


@dataclass(frozen=True, kw_only=True)
class SurfaceNoise:
    """Standard deviation of a depth camera by distance z (m) and angle of incidence.

    Axial: ``axial[0] + axial[1] z + axial[2] z²``, plus, beyond the angle `oblique_from`,
    ``oblique z^oblique_power t²`` with ``t = angle / (pi / 2 - angle)``. Lateral:
    ``lateral_px + lateral_oblique_px t + f lateral / z`` pixels for a focal length f.
    """

    axial: tuple[float, float, float]
    """Axial standard deviation at normal incidence: coefficients of 1, z and z², m."""
    reach: float = math.inf
    """Distance beyond which the axial standard deviation is proportional to the distance, m."""
    oblique: float = 0.0
    """Axial standard deviation due to the angle, m at 1 m."""
    oblique_power: float = 0.0
    """Power of the distance in the term of the angle."""
    oblique_from: float = 0.0
    """Angle of incidence beyond which the term of the angle counts, rad."""
    lateral: float = 0.0
    """Lateral standard deviation, m."""
    lateral_px: float = 0.0
    """Lateral standard deviation, pixels."""
    lateral_oblique_px: float = 0.0
    """Growth of the lateral standard deviation with the angle, pixels."""

    def axial_deviation(self, depth: Array, angle: Array) -> Array:
        """Return the axial standard deviation, m, for angles of incidence (rad)."""
        near = np.minimum(depth, self.reach)
        level, growth, square = self.axial
        deviation = np.asarray((level + near * (growth + square * near)) * (depth / near))
        steep = angle > self.oblique_from
        if self.oblique and steep.any():
            distance, tilt = depth[steep], _tilt(angle[steep])
            deviation[steep] += self.oblique * distance**self.oblique_power * tilt**2
        return deviation

    def lateral_deviation(self, depth: Array, angle: Array, plane: ImagePlane) -> Array:
        """Return the lateral standard deviation in pixels, for angles of incidence (rad)."""
        deviation = self.lateral_px + plane.focal[0] * self.lateral / depth
        if self.lateral_oblique_px:
            deviation += self.lateral_oblique_px * _tilt(angle)
        return np.asarray(deviation)


def _tilt(angle: Array) -> Array:
    """Return angle / (pi / 2 - angle)."""
    return np.asarray(angle / (math.pi / 2 - angle))


GRAZING = radians(80.0)
"""Largest angle of incidence of the noise, rad; estimate."""


def noisy_surface(
    depth: Array,
    lost: npt.NDArray[np.bool_],
    plane: ImagePlane,
    noise: SurfaceNoise,
    length: float,
    rng: np.random.Generator,
) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Return depths with lateral jitter, their axial standard deviations, m, and ``lost`` pixels.

    The jitter is correlated over ``length`` pixels. Each pixel measures the surface of a pixel
    beside it, extended along its plane: edges move, planes remain as they are. ``lost`` pixels
    move likewise.
    """
    nearness = _nearness(depth)
    per_row, per_column = _surface_gradient(nearness)
    cosines = _cosines(nearness, per_row, per_column, plane)
    angle = np.arccos(np.clip(cosines, math.cos(GRAZING), 1.0))
    lateral = noise.lateral_deviation(depth, angle, plane)
    deviation = np.sqrt(np.maximum(lateral**2 - 1 / 12, 0.0))  # whole pixels add 1/12
    down = np.rint(deviation * smooth_noise(depth.shape, length, rng)).astype(np.intp)
    right = np.rint(deviation * smooth_noise(depth.shape, length, rng)).astype(np.intp)
    height, width = depth.shape
    rows, columns = np.arange(height)[:, None], np.arange(width)
    row, column = np.clip(rows + down, 0, height - 1), np.clip(columns + right, 0, width - 1)
    source = row * width + column
    extended = (
        nearness.take(source)
        + per_row.take(source) * (rows - row)
        + per_column.take(source) * (columns - column)
    )
    # A plane may end at the horizon within the few pixels of the jitter.
    moved = np.divide(1.0, extended, out=depth.take(source), where=extended > 0)
    return moved, noise.axial_deviation(depth, angle).take(source), lost.take(source)


@dataclass(frozen=True, kw_only=True)
class TimeOfFlight:
    """Time of flight: random noise by distance and angle, and a fixed pattern of the camera.

    The variance of the random noise is the sum of white and spatially correlated noise.
    """

    noise: SurfaceNoise
    """Random noise of one image."""
    grain_part: float = 0.0
    """Fraction of the random variance that is correlated over `grain` pixels, 0 to 1."""
    grain: float = 0.0
    """Correlation length of the noise, and of the lateral jitter, pixels."""
    pattern_floor: float = 0.0
    """Standard deviation of the fixed pattern at distance 0, m."""
    pattern_growth: float = 0.0
    """Growth of the fixed pattern's standard deviation, m per m²."""
    pattern: float = 0.0
    """Correlation length of the fixed pattern, pixels."""
    sure: float = math.inf
    """Distance up to which every pixel is valid, m."""
    silence: float = 0.0
    """Fraction of invalid pixels per metre beyond `sure`."""

    def measure(
        self,
        depth: Array,
        lost: npt.NDArray[np.bool_],
        plane: ImagePlane,
        pattern_seed: int,
        rng: np.random.Generator,
    ) -> Array:
        """Return the measured ``depth``, ``nan`` where ``lost``.

        ``pattern_seed`` is the seed of the fixed pattern.
        """
        moved, deviation, lost = noisy_surface(depth, lost, plane, self.noise, self.grain, rng)
        noise = math.sqrt(1.0 - self.grain_part) * rng.standard_normal(depth.shape)
        if self.grain_part:
            noise += math.sqrt(self.grain_part) * smooth_noise(depth.shape, self.grain, rng)
        measured = moved + deviation * noise
        if self.pattern:
            shape = (plane.height, plane.width)
            amplitude = self.pattern_floor + self.pattern_growth * moved**2
            measured += amplitude * _camera_pattern(shape, self.pattern, pattern_seed)
        if self.silence:
            quiet = rng.random(depth.shape) < self.silence * (depth - self.sure)
            lost = lost | quiet
        measured[lost] = np.nan
        return np.asarray(measured)


@dataclass(frozen=True, kw_only=True)
class Disparity:
    """Structured light: depth quantised by disparity, and projector shadows beside near objects.

    disparity = focal x baseline / depth, in steps of 1/8 pixel, so that depths are
    depth² / (8 focal baseline) apart. The rounding is part of the axial noise.
    """

    baseline: float
    """Distance from the camera to the projector on its right, m."""
    steps: int = 8
    """Steps of disparity per pixel."""
    noise: SurfaceNoise | None = None
    """Noise of the depth including the rounding; None: rounding alone."""
    window: float = 0.0
    """Correlation length of the noise (matching window), pixels."""

    def measure(
        self,
        depth: Array,
        lost: npt.NDArray[np.bool_],
        plane: ImagePlane,
        pattern_seed: int,
        rng: np.random.Generator,
    ) -> Array:
        """Return the measured ``depth``, ``nan`` where ``lost``; ``pattern_seed`` is not used."""
        scale = plane.focal[0] * self.baseline
        if self.noise is None:
            disparity = shifted = np.asarray(scale / depth)
        else:
            moved, deviation, lost = noisy_surface(depth, lost, plane, self.noise, self.window, rng)
            disparity = scale / moved
            variance = (deviation * disparity / moved) ** 2 - 1 / (12 * self.steps**2)
            noise = smooth_noise(depth.shape, self.window, rng)
            shifted = disparity + np.sqrt(np.maximum(variance, 0.0)) * noise
        counted = np.round(shifted * self.steps) / self.steps
        with np.errstate(divide="ignore"):
            measured = np.where(counted > 0, scale / counted, np.inf)
        measured[lost | in_shadow(disparity)] = np.nan
        return measured


def in_shadow(disparity: Array) -> npt.NDArray[np.bool_]:
    """Return the mask of pixels in the projector's shadow, (height, width)."""
    # A pixel's light left the projector ``disparity`` columns further left than where the
    # camera sees it. It is blocked if a pixel further right uses light from still further
    # left.
    from_column = np.arange(disparity.shape[1]) - disparity
    # Leftmost projector column of this pixel and all to its right.
    leftmost = np.minimum.accumulate(from_column[:, ::-1], axis=1)[:, ::-1]
    return np.asarray(from_column > leftmost + 1e-9)
