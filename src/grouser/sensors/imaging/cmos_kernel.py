"""CMOS filter sweep compiled by numba.

The image is processed row by row with a ring buffer of five rows: each row is resampled from the
source (distortion, rolling shutter and motion blur are one resampling), and two rows later the
vertical blur and all following stages are applied: limb darkening, exposure, noise, white balance,
rounding. Only the source and the result are larger than a few rows, so the working set stays in the
cache.

Rows are interleaved red, green, blue, so that every loop is contiguous and vectorised by the
compiler. The bilinear interpolation is not vectorised automatically; `_mix` emits vector code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import njit, types, uintp
from numba.core import cgutils
from numba.extending import intrinsic

P = ParamSpec("P")
R = TypeVar("R")
Floats = npt.NDArray[np.float32]
_F, _I, _U = np.float32, np.int32, np.uint32
_LAST = _F(1.001)  # neighbours of the last row and column must exist


def sweep(
    pixels: npt.NDArray[np.uint8],
    size: tuple[int, int],
    starts: npt.NDArray[np.int32],
    planes: Floats,
    angles: Floats,
    rays: Floats,
    taps: Floats,
    gains: Floats,
    balance: Floats,
    read2: float,
    shot: float,
    normals: Floats,
    keys: npt.NDArray[np.uint32],
    image: npt.NDArray[np.uint8],
) -> None:
    """Fill ``image`` (height, 3 width) with the filtered source.

    Args:
        pixels: source images, RGB rows one after another, and a spare byte.
        size: height and width of one source image.
        starts: (height, samples) index in ``pixels`` of the image of each sample.
        planes: (3, 3, 3) from rays to source pixels: constant term, and the factors of the sine and
            of one minus the cosine of the rotation angle.
        angles: (height, samples) rotation of the camera in each sample, rad.
        rays: (2, height, width) x and y of each pixel's direction, with z = 1.
        taps: (3,) weights of the five-tap lens blur: outer, inner, central.
        gains: (height, 3 width) limb darkening times exposure.
        balance: (3 width,) white balance gain of every value of a row.
        read2: read noise variance, grey levels squared.
        shot: variance added per grey level.
        normals: (4096,) equally likely normal values; empty: no noise.
        keys: (2,) hash keys of this picture's noise.
        image: uint8, overwritten.
    """
    height, width = rays.shape[1], rays.shape[2]
    samples, values = angles.shape[1], 3 * width
    ring = np.empty((5, values + 1), _F)
    at, weights = np.empty((samples, width), _I), np.empty((samples, 4 * width), _F)
    blurred, line = np.empty(values + 12, _F), np.empty(values, _F)
    ranks, noise = np.empty(values, _U), np.empty(values, _F)
    for row in range(height + 2):
        if row < height:
            for sample in range(samples):
                angle, start = angles[row, sample], starts[row, sample]
                x, y = rays[0, row], rays[1, row]
                _place(x, y, planes, angle, size, start, samples, at[sample], weights[sample])
            _gather(pixels, size[1], at, weights, ring[row % 5])
        done = row - 2
        if done >= 0:
            bottom = height - 1
            _blur_down(
                ring[max(done - 2, 0) % 5],
                ring[max(done - 1, 0) % 5],
                ring[done % 5],
                ring[min(done + 1, bottom) % 5],
                ring[min(done + 2, bottom) % 5],
                taps,
                blurred,
            )
            _blur_along(blurred, taps, gains[done], line)
            if normals.size:
                _draw(keys, done, ranks)
                _look_up(normals, ranks, noise)
                _add_noise(line, noise, _F(read2), _F(shot))
            _finish(line, balance, image[done])


def _place(
    x: Floats,
    y: Floats,
    planes: Floats,
    angle: np.float32,
    size: tuple[int, int],
    start: np.int32,
    samples: int,
    at: npt.NDArray[np.int32],
    weights: Floats,
) -> None:
    """Set ``at`` to each pixel's source index: red of the upper left neighbour."""
    # ``weights`` (4 width,): upper left, upper right, lower left and lower right neighbour.
    sine, rest = _F(np.sin(angle)), _F(_F(1) - np.cos(angle))
    u0, u1, u2 = _row(planes, 0, sine, rest)
    v0, v1, v2 = _row(planes, 1, sine, rest)
    w0, w1, w2 = _row(planes, 2, sine, rest)
    last_row, last_column = _F(size[0]) - _LAST, _F(size[1]) - _LAST
    stride, part = _I(size[1]), _F(1) / _F(samples)
    for column in range(x.size):
        east, south = x[column], y[column]
        nearness = _F(1) / (w0 * east + w1 * south + w2)
        u = min(max((u0 * east + u1 * south + u2) * nearness, _F(0)), last_column)
        v = min(max((v0 * east + v1 * south + v2) * nearness, _F(0)), last_row)
        left, top = _I(u), _I(v)
        at[column] = _I(start + _I(_I(3) * _I(_I(top * stride) + left)))
        right, below = u - _F(left), (v - _F(top)) * part
        both = right * below
        above = right * part - both
        weights[4 * column] = part - above - below
        weights[4 * column + 1] = above
        weights[4 * column + 2] = below - both
        weights[4 * column + 3] = both


def _row(
    planes: Floats, row: int, sine: np.float32, rest: np.float32
) -> tuple[np.float32, np.float32, np.float32]:
    """Return a row of the rotated ray-to-pixel matrix (Rodrigues' formula)."""
    still, across, twice = planes[0, row], planes[1, row], planes[2, row]
    return (
        still[0] + sine * across[0] + rest * twice[0],
        still[1] + sine * across[1] + rest * twice[1],
        still[2] + sine * across[2] + rest * twice[2],
    )


def _gather(
    pixels: npt.NDArray[np.uint8],
    stride: int,
    at: npt.NDArray[np.int32],
    weights: Floats,
    line: Floats,
) -> None:
    """Fill a row with the source at the indices of `_place`, summed over the samples."""
    samples, width = uintp(at.shape[0]), uintp(at.shape[1])
    for column in range(width):
        # Four values are stored; the fourth is overwritten by the next pixel's red.
        _mix(
            line, uintp(3) * column, pixels, uintp(3 * stride), at, weights, column, width, samples
        )


@intrinsic  # type: ignore[untyped-decorator]
def _mix(
    context: Any,
    line: Any,
    where: Any,
    pixels: Any,
    stride: Any,
    at: Any,
    weights: Any,
    column: Any,
    width: Any,
    samples: Any,
) -> Any:
    """Set ``line[where : where + 4]`` to the weighted neighbours of every sample."""
    # Two horizontal neighbours (six bytes) are in one vector of eight; upper and lower rows
    # of all samples are summed there, then left and right.
    typed = types.void(line, where, pixels, stride, at, weights, column, width, samples)

    def emit(target: Any, build: Any, signature: Any, given: Any) -> Any:
        line_, where_, pixels_, stride_, at_, weights_, column_, width_, samples_ = given
        four, eight = (ir.VectorType(ir.FloatType(), count) for count in (4, 8))
        bytes8 = ir.VectorType(ir.IntType(8), 8)
        fast = ("fast",)

        def first(place: int, array: Any) -> Any:
            return target.make_array(signature.args[place])(target, build, array).data

        def load(pointer: Any, index: Any, kind: Any, align: int) -> Any:
            address = build.bitcast(build.gep(pointer, [index]), kind.as_pointer())
            return build.load(address, align=align)

        def picked(vector: Any, lanes: list[int]) -> Any:
            chosen = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
            return build.shuffle_vector(vector, ir.Constant(vector.type, ir.Undefined), chosen)

        source, places, parts = first(2, pixels_), first(4, at_), first(5, weights_)
        total = cgutils.alloca_once(build, eight)
        build.store(ir.Constant(eight, [0.0] * 8), total)
        with cgutils.for_range(build, samples_) as loop:
            pixel = build.add(build.mul(loop.index, width_), column_)
            upper = build.zext(load(places, pixel, ir.IntType(32), 4), where_.type)
            four_weights = load(parts, build.mul(pixel, ir.Constant(where_.type, 4)), four, 4)
            rows = [
                build.fmul(
                    build.uitofp(load(source, index, bytes8, 1), eight),
                    picked(four_weights, [left] * 3 + [left + 1] * 5),
                    flags=fast,
                )
                for index, left in ((upper, 0), (build.add(upper, stride_), 2))
            ]
            both = build.fadd(*rows, flags=fast)
            build.store(build.fadd(build.load(total), both, flags=fast), total)
        sums = build.load(total)
        mixed = build.fadd(picked(sums, [0, 1, 2, 2]), picked(sums, [3, 4, 5, 5]), flags=fast)
        into = build.bitcast(build.gep(first(0, line_), [where_]), four.as_pointer())
        build.store(mixed, into, align=4)
        return target.get_dummy_value()

    return typed, emit


def _blur_down(
    first: Floats,
    second: Floats,
    middle: Floats,
    fourth: Floats,
    fifth: Floats,
    taps: Floats,
    blurred: Floats,
) -> None:
    """Blur five rows into ``blurred``, whose end pixels are repeated twice."""
    outer, inner, centre = taps[0], taps[1], taps[2]
    size = blurred.size - 12
    inside = blurred[6 : size + 6]
    for i in range(size):
        inside[i] = (
            outer * (first[i] + fifth[i]) + inner * (second[i] + fourth[i]) + centre * middle[i]
        )
    for i in range(6):
        blurred[i] = blurred[6 + i % 3]
        blurred[size + 6 + i] = blurred[size + 3 + i % 3]


def _blur_along(blurred: Floats, taps: Floats, gains: Floats, line: Floats) -> None:
    """Blur a row horizontally; neighbours of one colour are three values apart."""
    outer, inner, centre = taps[0], taps[1], taps[2]
    for i in range(line.size):
        line[i] = gains[i] * (
            outer * (blurred[i] + blurred[i + 12])
            + inner * (blurred[i + 3] + blurred[i + 9])
            + centre * blurred[i + 6]
        )


def _draw(keys: npt.NDArray[np.uint32], row: int, ranks: npt.NDArray[np.uint32]) -> None:
    """Set ``ranks`` to twelve random bits per value: a hash of its index and the keys."""
    # One hash serves two values: its highest bits the left half of the row, others the right
    # half.
    first, second = keys[0], keys[1]
    half = (ranks.size + 1) // 2
    left, right = ranks[:half], ranks[ranks.size - half :]
    begin = _U(row * half)
    for i in range(half):
        bits = _U(_U(_U(begin + _U(i)) * _U(0x9E3779B1)) ^ first)
        bits = _U(_U(bits ^ _U(bits >> _U(16))) * _U(0x21F0AAAD))
        bits = _U(_U(_U(bits ^ _U(bits >> _U(15))) ^ second) * _U(0xD35A2D97))
        bits = _U(bits ^ _U(bits >> _U(15)))
        left[i] = _U(bits >> _U(20))
        right[i] = _U(_U(bits >> _U(8)) & _U(4095))


def _look_up(normals: Floats, ranks: npt.NDArray[np.uint32], noise: Floats) -> None:
    """Map ranks to normal values."""
    for i in range(uintp(noise.size)):
        noise[i] = normals[ranks[i]]


def _add_noise(line: Floats, noise: Floats, read2: np.float32, shot: np.float32) -> None:
    """Add noise whose variance is ``read2 + shot * value``."""
    for i in range(line.size):
        line[i] += _F(np.sqrt(read2 + shot * line[i])) * noise[i]


def _finish(line: Floats, balance: Floats, image: npt.NDArray[np.uint8]) -> None:
    """Apply white balance and round to grey levels."""
    for i in range(line.size):
        level = min(max(line[i] * balance[i] + _F(0.5), _F(0)), _F(255))
        image[i] = np.uint8(_I(level))


def jit(function: Callable[P, R]) -> Callable[P, R]:
    """Compile ``function`` on its first call, without the GIL, with a cache on disk."""
    # Divisions by zero give infinity, as in numpy: a check would prevent vectorisation. A
    # function and all that it calls must be in one file: numba checks only that file for
    # changes.
    options = {"fastmath": True, "error_model": "numpy", "nogil": True}
    try:
        made = njit(cache=True, **options)(function)
    except RuntimeError:  # no writable cache folder
        made = njit(**options)(function)
    return cast("Callable[P, R]", made)


_row = jit(_row)
_place = jit(_place)
_gather = jit(_gather)
_blur_down = jit(_blur_down)
_blur_along = jit(_blur_along)
_draw = jit(_draw)
_look_up = jit(_look_up)
_add_noise = jit(_add_noise)
_finish = jit(_finish)
sweep = jit(sweep)
