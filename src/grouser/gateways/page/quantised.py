"""Quantised poses of all bodies as arrays, in the same bits as `grouser.protocol.page.frames`."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.protocol.page.frames import POSITION_BITS, TURN_BITS, PoseFlag, mask_bytes, pose_header

PoseWords = npt.NDArray[np.uint32]
"""Quantised poses, (bodies, 3)."""

_HALF = 1 << (POSITION_BITS - 1)
_TURN = (1 << TURN_BITS) - 1
_OTHERS = np.array([[j for j in range(4) if j != i] for i in range(4)])
_ROOT = math.sqrt(0.5)


def quantise(position: Array, wxyz: Array, quantum: float) -> PoseWords:
    """Return the poses of bodies at ``position`` (n, 3) with orientations ``wxyz`` (n, 4)."""
    place = np.clip(np.rint(position / quantum) + _HALF, 0, 2 * _HALF - 1).astype(np.uint32)
    largest = np.abs(wxyz).argmax(axis=1)
    rows = np.arange(len(wxyz))
    sign = np.where(wxyz[rows, largest] < 0, -1.0, 1.0)[:, None]
    parts = wxyz[rows[:, None], _OTHERS[largest]] * sign
    raw = np.clip(np.rint((parts / _ROOT + 1) / 2 * _TURN), 0, _TURN).astype(np.uint32)
    x, y, z = place.T
    a, b, c = raw.T
    words = np.empty((len(wxyz), 3), "<u4")
    words[:, 0] = x | (y & 0xFFF) << 20
    words[:, 1] = y >> 12 | z << 8 | largest.astype(np.uint32) << 28 | (c >> 10) << 30
    words[:, 2] = a | b << 11 | (c & 0x3FF) << 22
    return words


def quantum_of(extent: float) -> float:
    """Return the quantum (m) of a world whose bodies are within ``extent`` (m) of its origin."""
    finest = 1e-4
    doublings = math.ceil(math.log2(max(1.0, extent / (finest * _HALF))))
    return float(finest * 2.0**doublings)


def encode_poses(
    now: PoseWords,
    before: PoseWords | None,
    number: int,
    scene: int,
    time: float,
    flags: PoseFlag = PoseFlag.NONE,
) -> bytes:
    """Return a frame with the bodies whose pose differs from ``before``; None: with all."""
    if before is None:
        moved = np.ones(len(now), bool)
        flags |= PoseFlag.KEY
    else:
        moved = (now != before).any(axis=1)
    mask = np.packbits(moved, bitorder="little").tobytes().ljust(mask_bytes(len(now)), b"\0")
    return pose_header(number, scene, time, len(now), flags) + mask + now[moved].tobytes()
