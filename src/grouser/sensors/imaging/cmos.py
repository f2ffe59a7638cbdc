"""CMOS camera filter: lens and chip errors applied to a pinhole image (cmos, sec. 4).

One sweep over the image applies distortion, rolling shutter, motion blur, lens blur, limb
darkening, exposure, noise and white balance. It is independent of MuJoCo and works on photographs
as well as on rendered views::

    lens = Lens(width=640, height=480, fov_deg=(60, 46), distortion=Radial(-0.1))
    seen = CmosFilter(lens, Cmos(noise=Noise(read=2.0)))(photograph, seed=1)

Light is assumed linear in grey levels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from importlib.util import find_spec
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue, missing_extra
from grouser.frames import Array
from grouser.physics.colour_temperature import NEUTRAL_K, white_balance
from grouser.rendering.image import Image
from grouser.rendering.image_plane import ImagePlane
from grouser.sensors.imaging.lens import Lens
from grouser.sensors.imaging.shutter import INSTANT_SHUTTER, Shutter, spin_projections, spin_terms

RANKS = 4096
"""Size of the table of equally likely normal values: 12 random bits, up to 3.7 deviations."""


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Normal noise, independent per pixel and colour; the variance grows with brightness."""

    read: float = 0.0
    """Read noise: standard deviation in the dark, grey levels of 255."""
    shot: float = 0.0
    """Shot noise: variance per grey level."""

    def __post_init__(self) -> None:
        for name in ("read", "shot"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadValue(f"noise: {name} is {getattr(self, name)}, must be at least 0")

    def __bool__(self) -> bool:
        """Return whether there is any noise."""
        return bool(self.read or self.shot)

    def deviation(self, level: float) -> float:
        """Return the standard deviation at a grey level, in grey levels."""
        return math.sqrt(self.read**2 + self.shot * level)


NO_NOISE = Noise()
"""No noise."""


@cache
def normal_table() -> npt.NDArray[np.float32]:
    """Return `RANKS` equally likely values of the normal distribution: mean 0, variance 1."""
    inverse = NormalDist().inv_cdf
    values = np.array([inverse((rank + 0.5) / RANKS) for rank in range(RANKS)])
    return np.asarray(values / values.std(), np.float32)


def noise_keys(seed: int) -> npt.NDArray[np.uint32]:
    """Return the two hash keys of a picture's noise."""
    return np.asarray(np.random.SeedSequence(seed).generate_state(2), np.uint32)


def limb_darkening(rays: Array, power: float) -> Array:
    """Return the relative illumination of pixels away from the axis (cmos, sec. 4.2).

    The paper prints no formula. Here it is a ``power`` of the cosine of the angle off the axis;
    4 is the law of an ideal thin lens.
    """
    return np.asarray((1 + (rays * rays).sum(axis=-1)) ** (-power / 2))


STILL = (0.0, 0.0, 0.0)
SPARE_BYTES = 4
"""Padding after the last pixel of a source: pixels are read four bytes at a time."""

COMPILED = find_spec("numba") is not None
"""True: sweeps are compiled by numba; False: numpy, at least ten times slower."""

_MOST_TURN = 0.6  # rad   from the middle to the first or last row; limit of the warp
_NO_KEYS = np.zeros(2, np.uint32)
_MARGIN = 1  # pixels   margin for bilinear neighbours


@dataclass(frozen=True, kw_only=True)
class Cmos:
    """Radiometric parameters of lens and chip."""

    blur: float = 1.0
    """Standard deviation of the 5 x 5 lens blur, pixels (cmos, sec. 4.1); 0: none."""
    darkening: float = 4.0
    """Power of the cosine in limb darkening; 0: none."""
    noise: Noise = NO_NOISE
    exposure: float = 1.0
    """Factor on all light; 1: unchanged."""
    balance: tuple[float, float, float] = (1.0, 1.0, 1.0)
    """Gains of red, green and blue after the noise."""
    white_balance_k: float | None = None
    """Temperature of the light for which the camera shows white as white, K; None: of any light.
    It has an effect in worlds whose light has a temperature."""

    def __post_init__(self) -> None:
        numbers = (self.blur, self.darkening, self.exposure, *self.balance)
        if not all(0 <= number < math.inf for number in numbers):
            raise BadValue(
                f"cmos: blur {self.blur}, darkening {self.darkening}, exposure {self.exposure} "
                f"and balance {self.balance} must be at least 0"
            )

    def in_light(self, kelvin: float | None) -> Cmos:
        """Return these parameters with the gains in rendered light of a temperature, K."""
        if kelvin is None:
            return self
        # Rendered light is relative to neutral light; an automatic camera takes its tint away.
        camera = kelvin if self.white_balance_k is None else self.white_balance_k
        gains = white_balance(NEUTRAL_K, camera)
        red, green, blue = (a * b for a, b in zip(self.balance, gains, strict=True))
        return replace(self, balance=(red, green, blue))

    def taps(self) -> npt.NDArray[np.float32]:
        """Return outer, inner and central weight of the five-tap blur; all five sum to 1."""
        if not self.blur:
            return np.array([0.0, 0.0, 1.0], np.float32)
        weights = np.exp(-(np.arange(-2, 3) ** 2) / (2 * self.blur**2))
        return np.asarray((weights / weights.sum())[:3], np.float32)


IDEAL_CMOS = Cmos(blur=0.0, darkening=0.0)
"""No blur, no darkening, no noise."""


class CmosFilter:
    """Filter of one camera with precomputed tables.

    Args:
        lens: geometry.
        cmos: radiometric parameters.
        shutter: timing.
        compiled: use numba; rounding to grey levels may differ by one from numpy.
    """

    def __init__(
        self,
        lens: Lens,
        cmos: Cmos = IDEAL_CMOS,
        shutter: Shutter = INSTANT_SHUTTER,
        *,
        compiled: bool = COMPILED,
    ) -> None:
        self.lens, self.cmos, self.shutter, self._compiled = lens, cmos, shutter, compiled
        rays = lens.rays()
        self._rays = np.ascontiguousarray(np.moveaxis(rays, -1, 0), np.float32)
        gains = cmos.exposure * limb_darkening(rays, cmos.darkening)
        self._gains = np.repeat(gains.astype(np.float32), 3, axis=1)
        self._balance = np.tile(np.array(cmos.balance, np.float32), lens.width)
        self._normals = normal_table() if cmos.noise else np.empty(0, np.float32)
        self._taps = cmos.taps()
        self._most_focal = max(lens.focal)
        self._moments: dict[int, tuple[Array, npt.NDArray[np.int32]]] = {}

    def __call__(self, picture: Image, *, spin: npt.ArrayLike = STILL, seed: int = 0) -> Image:
        """Return the filtered image of a pinhole image of the same size.

        Outside the image its edge is repeated.

        Args:
            picture: uint8 (height, width, 3).
            spin: angular velocity of the camera, rad/s about x right, y down, z ahead.
            seed: seed of the noise.
        """
        wanted = (self.lens.height, self.lens.width, 3)
        if picture.dtype != np.uint8 or picture.shape != wanted:
            raise BadValue(
                f"cmos: a picture of this camera is uint8 {wanted}, not {picture.dtype} "
                f"{picture.shape}"
            )
        pixels = np.empty(picture.size + SPARE_BYTES, np.uint8)
        pixels[: picture.size] = picture.reshape(-1)
        plane = self.lens.plane
        return self.apply_warped(pixels, plane, plane.matrix(), spin=spin, seed=seed)

    def apply_warped(
        self,
        pixels: npt.NDArray[np.uint8],
        plane: ImagePlane,
        matrix: Array,
        *,
        spin: npt.ArrayLike,
        seed: int,
    ) -> Image:
        """Return the image of a camera that turns by ``spin`` from one pinhole image.

        ``pixels`` are the bytes of the image and `SPARE_BYTES` more; ``matrix`` (3, 3) maps
        directions to its pixels.
        """
        held = self._limited_spin(spin)
        samples = self.shutter.samples(math.sqrt(held @ held) * self._most_focal)
        if samples not in self._moments:
            times = self.shutter.times(self.lens.height, samples)
            self._moments[samples] = times, np.zeros(times.shape, np.int32)
        times, starts = self._moments[samples]
        planes, rate = spin_terms(matrix, held)
        return self._sweep(pixels, plane, starts, planes, times * rate, seed)

    def apply_sliced(
        self,
        pixels: npt.NDArray[np.uint8],
        plane: ImagePlane,
        matrix: Array,
        seen: npt.NDArray[np.int64],
        *,
        seed: int,
    ) -> Image:
        """Return the image from pinhole images of many moments of the exposure.

        ``pixels`` are the bytes of all images and `SPARE_BYTES` more, each of size
        ``plane``; ``seen`` (rows, samples) are image indices of each row, as in
        `ExposureSlices`.
        """
        starts = (seen * (plane.height * plane.width * 3)).astype(np.int32)
        planes, _ = spin_terms(matrix, np.zeros(3))
        return self._sweep(pixels, plane, starts, planes, np.zeros(seen.shape), seed)

    def source_plane(self, spin: npt.ArrayLike = STILL) -> ImagePlane:
        """Return the smallest pinhole image of square pixels that covers the whole exposure."""
        held = self._limited_spin(spin)
        return self._bounding_plane(held) if held.any() else self._still_plane

    @cached_property
    def _still_plane(self) -> ImagePlane:
        return self._bounding_plane(np.zeros(3))

    def _bounding_plane(self, spin: Array) -> ImagePlane:
        """Return the bounding box of the image border during the exposure."""
        times = self.shutter.times(self.lens.height, 2)
        times += np.array([-0.25, 0.25]) * self.shutter.exposure_s  # from mid-samples to the ends
        turn = spin_projections(np.eye(3), spin, times)
        rays = np.concatenate([self._rays, np.ones_like(self._rays[:1])])  # (3, height, width)
        seen = [
            turn @ rays[:, :, [0, -1]].transpose(1, 0, 2)[:, None],
            turn[[0, -1]] @ rays[:, [0, -1]].transpose(1, 0, 2)[:, None],
        ]
        flat = np.concatenate([part.swapaxes(-1, -2).reshape(-1, 3) for part in seen])
        points = flat[:, :2] / flat[:, 2:]
        focal = self.lens.focal[0]
        low, high = points.min(axis=0) * focal, points.max(axis=0) * focal
        width, height = (math.ceil(span) + 2 * _MARGIN + 1 for span in (high - low).tolist())
        left, top = (_MARGIN - low).tolist()
        return ImagePlane(width, height, (focal, focal), (left, top))

    def _limited_spin(self, spin: npt.ArrayLike) -> Array:
        """Return ``spin``, limited so that the rotation of the first row stays within the warp."""
        held = np.asarray(spin, float)
        turn = math.sqrt(held @ held) * (self.shutter.readout_s + self.shutter.exposure_s) / 2
        return held * (_MOST_TURN / turn) if turn > _MOST_TURN else held

    def _sweep(
        self,
        pixels: npt.NDArray[np.uint8],
        plane: ImagePlane,
        starts: npt.NDArray[np.int32],
        planes: Array,
        angles: Array,
        seed: int,
    ) -> Image:
        if plane.width < 2 or plane.height < 2:
            raise BadValue(
                f"cmos: a source of {plane.width} x {plane.height} pixels, at least 2 x 2 is needed"
            )
        image = np.empty((self.lens.height, 3 * self.lens.width), np.uint8)
        noise = self.cmos.noise
        keys = noise_keys(seed) if noise else _NO_KEYS
        source = (pixels, (plane.height, plane.width))
        motion = (starts, planes.astype(np.float32), angles.astype(np.float32))
        optics = (self._rays, self._taps, self._gains, self._balance)
        drawn = (noise.read**2, noise.shot, self._normals, keys)
        if self._compiled:
            _compiled_sweep()(*source, *motion, *optics, *drawn, image)
        else:
            sweep_arrays(source, motion, optics, drawn, image)
        return image.reshape(self.lens.height, self.lens.width, 3)


def _compiled_sweep() -> Callable[..., None]:
    try:
        # Deferred: importing numba takes half a second.
        from grouser.sensors.imaging.cmos_kernel import sweep
    except ModuleNotFoundError as error:
        raise missing_extra("compiled camera filters need numba", "camera") from error
    return sweep


Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
Source = tuple[Bytes, tuple[int, int]]
"""Pixels; height and width of one image."""
Motion = tuple[npt.NDArray[np.int32], Floats, Floats]
"""Starts, planes, angles."""
Optics = tuple[Floats, Floats, Floats, Floats]
"""Rays, taps, gains, balance."""
NoiseTerms = tuple[float, float, Floats, npt.NDArray[np.uint32]]
"""Read variance, variance per grey level, table of normal values, keys."""

_F, _U = np.float32, np.uint32
_LAST = _F(1.001)  # as in the kernel: neighbours of the last row and column must exist
_COLOURS = np.arange(3, dtype=np.int32)


def sweep_arrays(
    source: Source, motion: Motion, optics: Optics, noise: NoiseTerms, image: Bytes
) -> None:
    """Fill ``image`` (height, 3 width) by numpy, for installations without numba.

    The groups hold the arguments of `cmos_kernel.sweep`. The arithmetic is the same, in the same
    order, on the whole image instead of row by row. The compiled sweep may contract and reorder
    sums, so results can differ by one grey level; noise, which is a hash, is the same. It is
    several times slower (``grouser bench cmos``: ``numba_speedup``).
    """
    (pixels, size), (starts, planes, angles) = source, motion
    (rays, taps, gains, balance), (read2, shot, normals, keys) = optics, noise
    samples = angles.shape[1]
    seen = np.zeros((rays.shape[1], rays.shape[2], 3), _F)
    for sample in range(samples):
        angle, start = angles[:, sample, None], starts[:, sample, None]
        at, weights = _place(rays, planes, angle, size, start, samples)
        _gather(pixels, size[1], at, weights, seen)
    light = _blur(seen, taps).reshape(image.shape) * gains
    if normals.size:
        drawn = normals[_draw(keys, *image.shape)]
        light += np.sqrt(_F(read2) + _F(shot) * light) * drawn
    np.clip(light * balance + _F(0.5), _F(0), _F(255), out=light)
    image[:] = light.astype(np.uint8)


def _place(
    rays: Floats,
    planes: Floats,
    angle: Floats,
    size: tuple[int, int],
    start: npt.NDArray[np.int32],
    samples: int,
) -> tuple[npt.NDArray[np.int32], tuple[Floats, ...]]:
    """Return each pixel's source index (red of the upper left neighbour) and four weights."""
    sine, rest = np.sin(angle), _F(1) - np.cos(angle)
    turned = planes[0] + sine[..., None, None] * planes[1] + rest[..., None, None] * planes[2]
    u, v, w = (
        turned[..., row, 0] * rays[0] + turned[..., row, 1] * rays[1] + turned[..., row, 2]
        for row in range(3)
    )
    u = np.clip(u / w, _F(0), _F(size[1]) - _LAST)
    v = np.clip(v / w, _F(0), _F(size[0]) - _LAST)
    left, top = u.astype(np.int32), v.astype(np.int32)
    part = _F(1) / _F(samples)
    right, below = u - left.astype(_F), (v - top.astype(_F)) * part
    both = right * below
    above = right * part - both
    at = start + 3 * (top * np.int32(size[1]) + left)
    return at, (part - above - below, above, below - both, both)


def _gather(
    pixels: Bytes, stride: int, at: npt.NDArray[np.int32], weights: tuple[Floats, ...], seen: Floats
) -> None:
    """Add the source pixels at the indices of `_place` to ``seen``."""
    upper_left = at[..., None] + _COLOURS
    for offset, weight in zip((0, 3, 3 * stride, 3 * stride + 3), weights, strict=True):
        seen += pixels[upper_left + offset] * weight[..., None]


def _blur(seen: Floats, taps: Floats) -> Floats:
    """Return the image after the vertical and horizontal five-tap blur; edges are repeated."""
    outer, inner, centre = taps
    for axis in (0, 1):
        length = seen.shape[axis]
        padded = np.pad(seen, [(2, 2) if each == axis else (0, 0) for each in range(3)], "edge")
        first, second, third, fourth, fifth = (
            padded.take(range(shift, shift + length), axis=axis) for shift in range(5)
        )
        seen = outer * (first + fifth) + inner * (second + fourth) + centre * third
    return seen


def _draw(keys: npt.NDArray[np.uint32], height: int, values: int) -> npt.NDArray[np.uint32]:
    """Return twelve random bits per value: the kernel's hash, which serves two values each."""
    half = (values + 1) // 2
    bits = np.arange(height * half, dtype=_U).reshape(height, half) * _U(0x9E3779B1) ^ keys[0]
    bits = (bits ^ bits >> _U(16)) * _U(0x21F0AAAD)
    bits = (bits ^ bits >> _U(15) ^ keys[1]) * _U(0xD35A2D97)
    bits ^= bits >> _U(15)
    ranks = np.empty((height, values), _U)
    ranks[:, values - half :] = bits >> _U(8) & _U(4095)
    ranks[:, :half] = bits >> _U(20)  # the middle of an odd row belongs to the left half
    return ranks
