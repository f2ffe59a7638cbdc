"""What surfaces that frames share, and poses that are given, say about where the frames are.

A pair of voxels, one of each of two frames, tells how far the frames are apart across the surface.
Along it, it tells nothing; yet no normal is exact, and thousands of normals that are a degree off
add up to something that looks like a hold: two views of nothing but a floor would be found sure
within a millimetre, anywhere. But the two normals of a pair are off independently of each other.
So products of the one with the other say how much a direction counts (what instrumental variables
do against errors in variables): what only one frame's noise shows cancels, what both see stays.

What is then left loose is held by the poses that are given, as well as they are known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, conjugate, multiply, radians

SHARED = 18.0
"""Pairs that are one measurement: a plane's normal is that of nine voxels around, and every pair
is found from both of its sides."""
EXACT = 0.01
"""Pairs are not taken to be exacter than this, in voxels; estimate: a surface is no exact plane."""


@dataclass(frozen=True)
class PoseSpread:
    """How well poses of cameras are known."""

    position: float
    """Standard deviation of each coordinate, m."""
    angle: float
    """Standard deviation about each axis, rad."""

    def __post_init__(self) -> None:
        for name, value in (("position", self.position), ("angle", self.angle)):
            if not (np.isfinite(value) and value > 0):
                raise BadValue(f"spread of a camera's {name}: {value}; a number above 0 is needed")


TAPE_MEASURE = PoseSpread(0.02, radians(2.0))
"""Estimate: a camera on a stand, measured by hand."""


@dataclass(frozen=True)
class GivenPoses:
    """Poses in the first frame that somebody measured, and how well."""

    poses: tuple[Pose, ...]
    """Of all frames; the first is where it is."""
    spread: PoseSpread


@dataclass
class PoseInformation:
    """Small moves of all frames but the first (turn about the first one's axes, then shift).

    Add pairs, then ask.
    """

    frames: int
    size: float
    """Edge of voxels, m."""
    both: Array = field(init=False)
    """Sum of squares by either normal, (6 f, 6 f)."""
    shared: Array = field(init=False)
    """Sum of products of one normal by the other, (6 f, 6 f)."""
    pull: Array = field(init=False)
    """Sum of moves by distances, (6 f,)."""
    distances: list[Array] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        count = 6 * (self.frames - 1)
        self.both, self.shared = np.zeros((count, count)), np.zeros((count, count))
        self.pull = np.zeros(count)

    def add(
        self,
        frames: tuple[int, int],
        places: Array,
        normals: tuple[Array, Array],
        off: Array,
        weights: Array,
    ) -> None:
        """Add pairs of voxels of two frames.

        Args:
            frames: numbers of the frames, the one that moves and the one with the planes.
            places: of the first one's voxels in the first frame, (n, 3), m.
            normals: at both voxels, two (n, 3).
            off: how far the places are over the second one's planes, (n,), m.
            weights: how much pairs count, (n,).
        """
        rows, measured = (self._rows(frames, places, across) for across in normals)
        weighed = measured * weights[:, None]
        product = weighed.T @ rows
        self.shared += (product + product.T) / 2
        self.both += (weighed.T @ measured + (rows * weights[:, None]).T @ rows) / 2
        self.pull -= weighed.T @ off
        self.distances.append(off)

    def _rows(self, frames: tuple[int, int], places: Array, across: Array) -> Array:
        """Return how far places go across the surface by each of the moves, (n, 6 f)."""
        rows = np.zeros((len(places), len(self.pull)))
        for frame, sign in zip(frames, (1.0, -1.0), strict=True):
            if frame:
                begin = 6 * (frame - 1)
                rows[:, begin : begin + 3] = sign * np.cross(places, across)
                rows[:, begin + 3 : begin + 6] = sign * across
        return rows

    def of_pairs(self) -> tuple[Array, Array]:
        """Return the information that pairs give, (6 f, 6 f), and its pull, (6 f,).

        Every direction keeps the place that least squares give it, and counts by the squared part
        of it that both normals show: as much as two-stage least squares would know about it.
        """
        off = np.concatenate([np.zeros(1), *self.distances])
        spread = max(1.4826 * float(np.median(np.abs(off))), EXACT * self.size)
        # Along directions in which all moves are independent and equally sure by one normal ...
        size, basis = np.linalg.eigh(self.both)
        white = basis / np.sqrt(np.maximum(size, 1e-9 * size[-1] + 1e-12))
        # ... the part that both normals say.
        part, turned = np.linalg.eigh(white.T @ self.shared @ white)
        part = np.clip(part, 0.0, 1.0) ** 2
        away = np.linalg.inv(white).T @ turned
        information = (away * part) @ away.T
        pull = (away * part) @ (turned.T @ white.T @ self.pull)
        return information / (SHARED * spread**2), pull / (SHARED * spread**2)


def of_given(given: GivenPoses, poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Return the information that given poses add to frames at ``poses``, and its pull."""
    count = 6 * (len(poses) - 1)
    information, pull = np.zeros((count, count)), np.zeros(count)
    weights = np.repeat([given.spread.angle**-2.0, given.spread.position**-2.0], 3)
    for frame, (pose, known) in enumerate(zip(poses[1:], given.poses[1:], strict=True)):
        rows = moved_places(pose.position[None])[0]
        block = slice(6 * frame, 6 * frame + 6)
        moves = np.concatenate([np.eye(3, 6), rows])
        off = np.concatenate([_turn(known, pose), pose.position - known.position])
        information[block, block] = moves.T @ (weights[:, None] * moves)
        pull[block] = -moves.T @ (weights * off)
    return information, pull


def moved_places(places: Array) -> Array:
    """Return how places (n, 3) go by each of the six small moves of a frame, (n, 3, 6)."""
    x, y, z = places.T
    zero, one = np.zeros(len(places)), np.ones(len(places))
    rows = [
        [zero, z, -y, one, zero, zero],
        [-z, zero, x, zero, one, zero],
        [y, -x, zero, zero, zero, one],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def looseness(information: Array, frame: int, places: Array) -> float:
    """Return how far a frame's places may be off along what is held least, one sigma, rms, m.

    Infinite where nothing at all holds it.

    Args:
        information: about all frames but the first, (6 f, 6 f).
        frame: number of the frame, from 1.
        places: what the frame shows, in the first frame, (n, 3), m.
    """
    moves = moved_places(places[:: max(1, len(places) // 500)])
    block = slice(6 * frame - 6, 6 * frame)
    scale = float(np.trace(information)) / len(information)
    spread = np.linalg.inv(information + (1e-12 * scale + 1e-12) * np.eye(len(information)))
    squares = np.einsum("nij,nik->jk", moves, moves) / len(moves)
    half = np.linalg.cholesky(squares + 1e-12 * np.eye(6))
    off = float(np.sqrt(np.linalg.eigvalsh(half.T @ spread[block, block] @ half)[-1]))
    extent = float(np.linalg.norm(np.ptp(places, axis=0)))
    return off if off < extent else float("inf")


def _turn(known: Pose, pose: Pose) -> Array:
    """Return the turn (a vector, rad) from one pose to another, about the first frame's axes."""
    wxyz = multiply(pose.wxyz, conjugate(known.wxyz))
    wxyz = wxyz if wxyz[0] >= 0 else -wxyz
    sine = float(np.linalg.norm(wxyz[1:]))
    angle = 2 * float(np.arctan2(sine, wxyz[0]))
    return np.asarray(wxyz[1:] * (angle / sine if sine > 1e-12 else 2.0))
