"""CMOS filter sweep in numpy, for installations without numba.

The same arithmetic in the same order as `cmos_kernel.sweep`, on the whole image instead of row by
row. The compiled sweep may contract and reorder sums, so results can differ by one grey level;
noise, which is a hash, is the same. It is several times slower (``grouser bench cmos``:
``numba_speedup``).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

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


def sweep(source: Source, motion: Motion, optics: Optics, noise: NoiseTerms, image: Bytes) -> None:
    """Fill ``image`` (height, 3 width); the groups hold the arguments of `cmos_kernel.sweep`."""
    (pixels, size), (starts, planes, angles) = source, motion
    (rays, taps, gains, balance), (read2, shot, normals, keys) = optics, noise
    samples = angles.shape[1]
    seen = np.zeros((rays.shape[1], rays.shape[2], 3), _F)
    for sample in range(samples):
        angle, start = angles[:, sample, None], starts[:, sample, None]
        at, weights = _place(rays, planes, angle, size, start, samples)
        _gather(pixels, size[1], at, weights, seen)
    light = _blurred(seen, taps).reshape(image.shape) * gains
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
    pixels: Bytes,
    stride: int,
    at: npt.NDArray[np.int32],
    weights: tuple[Floats, ...],
    seen: Floats,
) -> None:
    """Add the source pixels at the indices of `_place` to ``seen``."""
    upper_left = at[..., None] + _COLOURS
    for offset, weight in zip((0, 3, 3 * stride, 3 * stride + 3), weights, strict=True):
        seen += pixels[upper_left + offset] * weight[..., None]


def _blurred(seen: Floats, taps: Floats) -> Floats:
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
