"""Joint registration of several frames, point to plane, from GICP or given poses.

GICP pairs points by distance only, and so confuses the two sides of a thin object, or a floor and
the foot of a wall. The refinement accepts a pair only if both normals, which face their sensors,
agree, and moves all frames jointly. Directions that the frames do not constrain are determined by
the given poses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, axis_angle, conjugate, multiply, radians, rotate
from grouser.scan.cloud import PointCloud
from grouser.scan.coarse_registration import FIRST, FramePose, coarse_register
from grouser.scan.distance_field import voxel_planes
from grouser.scan.scipy_parts import spatial
from grouser.scan.voxel_grid import voxel_grid

SHARED = 18.0
"""Number of correlated pairs that count as one measurement: a normal is fitted to nine voxels, and
every pair is found from both sides."""
EXACT = 0.01
"""Lower limit of a pair's standard deviation, in voxels; estimate."""


@dataclass(frozen=True)
class PoseSpread:
    """Uncertainty of camera poses."""

    position: float
    """Standard deviation of each coordinate, m."""
    angle: float
    """Standard deviation about each axis, rad."""

    def __post_init__(self) -> None:
        for name, value in (("position", self.position), ("angle", self.angle)):
            if not (np.isfinite(value) and value > 0):
                raise BadValue(f"uncertainty of camera {name}: {value}; must be above 0")


TAPE_MEASURE = PoseSpread(0.02, radians(2.0))
"""Uncertainty of a camera on a stand, measured by hand; estimate."""


@dataclass(frozen=True)
class GivenPoses:
    """Measured poses in the first frame, and their uncertainty."""

    poses: tuple[Pose, ...]
    """Poses of all frames; the first is the identity."""
    spread: PoseSpread


@dataclass
class PoseInformation:
    """Normal equations for small motions of all frames but the first, from point-to-plane pairs.

    A motion is a rotation about the first frame's axes, then a translation. A pair of voxels of two
    frames measures their distance across the surface only. Noise of the normals would appear as
    information along the surface: two views of a floor alone would seem constrained to a
    millimetre. The errors of the two normals of a pair are independent, so that products of one
    with the other (instrumental variables against errors in variables) cancel this noise.
    """

    frames: int
    size: float
    """Edge of voxels, m."""
    both: Array = field(init=False)
    """Sum of squares with either normal, (6 f, 6 f)."""
    shared: Array = field(init=False)
    """Sum of products of one normal with the other, (6 f, 6 f)."""
    pull: Array = field(init=False)
    """Right-hand side: sum of motions times distances, (6 f,)."""
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
        """Add pairs of voxels of two ``frames``: that of the points, and that of the planes.

        ``places`` (n, 3) are points in the first frame, ``normals`` two (n, 3), ``off``
        (n,) signed distances from the planes.
        """
        rows, measured = (self._rows(frames, places, across) for across in normals)
        weighed = measured * weights[:, None]
        product = weighed.T @ rows
        self.shared += (product + product.T) / 2
        self.both += (weighed.T @ measured + (rows * weights[:, None]).T @ rows) / 2
        self.pull -= weighed.T @ off
        self.distances.append(off)

    def _rows(self, frames: tuple[int, int], places: Array, across: Array) -> Array:
        """Return the derivative of the distances by each of the motions, (n, 6 f)."""
        rows = np.zeros((len(places), len(self.pull)))
        for frame, sign in zip(frames, (1.0, -1.0), strict=True):
            if frame:
                begin = 6 * (frame - 1)
                rows[:, begin : begin + 3] = sign * np.cross(places, across)
                rows[:, begin + 3 : begin + 6] = sign * across
        return rows

    def pair_information(self) -> tuple[Array, Array]:
        """Return the information matrix (6 f, 6 f) and the right-hand side (6 f,) of the pairs."""
        # Every direction keeps its least-squares solution and is weighted by the squared
        # share that both normals confirm, which is the information of two-stage least
        # squares.
        off = np.concatenate([np.zeros(1), *self.distances])
        spread = max(1.4826 * float(np.median(np.abs(off))), EXACT * self.size)
        # Whitened by the squares with one normal, ...
        size, basis = np.linalg.eigh(self.both)
        white = basis / np.sqrt(np.maximum(size, 1e-9 * size[-1] + 1e-12))
        # ... the eigenvalues are the shares that both normals confirm.
        part, turned = np.linalg.eigh(white.T @ self.shared @ white)
        part = np.clip(part, 0.0, 1.0) ** 2
        away = np.linalg.inv(white).T @ turned
        information = (away * part) @ away.T
        pull = (away * part) @ (turned.T @ white.T @ self.pull)
        return information / (SHARED * spread**2), pull / (SHARED * spread**2)


def given_information(given: GivenPoses, poses: Sequence[Pose]) -> tuple[Array, Array]:
    """Return the information matrix of given poses for frames at ``poses``, and right-hand side."""
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
    """Return the derivative of places (n, 3) by the six small motions of a frame, (n, 3, 6)."""
    x, y, z = places.T
    zero, one = np.zeros(len(places)), np.ones(len(places))
    rows = [
        [zero, z, -y, one, zero, zero],
        [-z, zero, x, zero, one, zero],
        [y, -x, zero, zero, zero, one],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def least_constrained_sigma(information: Array, frame: int, places: Array) -> float:
    """Return the rms displacement of a frame's points along the least constrained direction, m.

    One standard deviation; infinite if the direction is unconstrained. ``information`` (6 f, 6
    f) is of all frames but the first; ``places`` are in the first frame.
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
    """Return the rotation vector, rad, from one pose to another, about the first frame's axes."""
    wxyz = multiply(pose.wxyz, conjugate(known.wxyz))
    wxyz = wxyz if wxyz[0] >= 0 else -wxyz
    sine = float(np.linalg.norm(wxyz[1:]))
    angle = 2 * float(np.arctan2(sine, wxyz[0]))
    return np.asarray(wxyz[1:] * (angle / sine if sine > 1e-12 else 2.0))


ROUNDS = 40
"""Largest number of iterations; they end when all motions are below `STILL`."""
STILL = 1e-5  # m and rad
NEAR = (4.0, 2.0, 1.0)
"""Largest distance of a pair, in voxels, in each third of the iterations."""
ALIKE = radians(30.0)
"""Largest angle between the normals of a pair."""
LEAST = 0.1
"""Smallest share of a frame with a pair within a voxel; estimate."""


@dataclass(frozen=True)
class SeenSurface:
    """Surface of a frame; arrays over its voxels."""

    means: Array
    """(n, 3), m."""
    normals: Array
    """Unit normals towards the sensor, (n, 3)."""
    size: float
    """Edge of the voxels, m."""


def register_frames(
    clouds: Sequence[PointCloud],
    size: float,
    guesses: Sequence[Pose] | None = None,
    spread: PoseSpread = TAPE_MEASURE,
) -> tuple[FramePose, ...]:
    """Return the pose of each frame in the first one.

    With guesses, both the poses of the coarse registration and the guesses themselves are refined,
    and the result with the larger overlap is returned. Guesses also constrain directions that the
    frames do not, according to their uncertainty.

    Args:
        clouds: frames in their sensors' axes, ordered so that each overlaps an earlier one.
        size: edge of the voxels at which they are compared, m.
        guesses: approximate poses in one frame; None: unknown.
        spread: uncertainty of the guesses.

    Raises:
        BadValue: a frame has too little overlap with the others.
    """
    if len(clouds) < 2:
        return coarse_register(clouds, size, guesses)
    attempts, refusal, given = [], None, None
    try:
        attempts.append([frame.X_FC for frame in coarse_register(clouds, size, guesses)])
    except BadValue as error:
        if guesses is None:
            raise
        refusal = error
    if guesses is not None:
        given = GivenPoses(tuple(guesses[0].inverse() @ guess for guess in guesses), spread)
        attempts.append(list(given.poses))
    parts = [_seen_surface(cloud, size) for cloud in clouds]
    best = max(
        (_refine(parts, poses, given) for poses in attempts),
        key=lambda frames: sum(frame.overlap for frame in frames),
    )
    if refusal and min(frame.overlap for frame in best) < LEAST:
        raise refusal
    return best


def _refine(
    parts: Sequence[SeenSurface], poses: list[Pose], given: GivenPoses | None
) -> tuple[FramePose, ...]:
    """Return the refined pose of each frame, with its overlap, error and uncertainty."""
    size = parts[0].size
    for number in range(ROUNDS):
        stage = number * len(NEAR) // ROUNDS
        moves = _moves(parts, poses, NEAR[stage] * size, given)
        poses = [poses[0], *(move @ pose for move, pose in zip(moves, poses[1:], strict=True))]
        if stage == len(NEAR) - 1 and max(_size(move) for move in moves) < STILL:
            break
    information, _ = _information(parts, poses, NEAR[-1] * size).pair_information()
    known = information + (0.0 if given is None else given_information(given, poses)[0])
    frames = [FIRST]
    for number, pose in list(enumerate(poses))[1:]:
        overlap, error = _fit(parts, poses, number, size)
        places = pose.apply(parts[number].means)
        slack = (least_constrained_sigma(matrix, number, places) for matrix in (information, known))
        frames.append(FramePose(pose, overlap, error, *slack))
    return tuple(frames)


def _fit(
    parts: Sequence[SeenSurface], poses: Sequence[Pose], number: int, size: float
) -> tuple[float, float]:
    """Return the share of a frame with a pair within a voxel, and the rms distance of these, m."""
    points = poses[number].apply(parts[number].means)
    normals = rotate(poses[number].wxyz, parts[number].normals)
    off = np.full(len(points), np.inf)
    for other in range(len(parts)):
        if other != number:
            theirs = poses[other].apply(parts[other].means)
            faces = rotate(poses[other].wxyz, parts[other].normals)
            far, which = spatial.cKDTree(theirs).query(points, distance_upper_bound=size)
            pair = np.flatnonzero(np.isfinite(far))
            across = faces[which[pair]]
            pair_off = np.einsum("ni,ni->n", points[pair] - theirs[which[pair]], across)
            alike = np.einsum("ni,ni->n", normals[pair], across) > np.cos(ALIKE)
            off[pair] = np.minimum(off[pair], np.where(alike, np.abs(pair_off), np.inf))
    paired = off < size / 2
    error = float(np.sqrt(np.mean(off[paired] ** 2))) if paired.any() else float("inf")
    return float(paired.mean()), error


def _seen_surface(cloud: PointCloud, size: float) -> SeenSurface:
    """Return the surface of a frame, by voxel."""
    seen = cloud.finite()
    planes = voxel_planes(voxel_grid(seen.points, size), seen)
    return SeenSurface(planes.means, planes.normals, size)


def _moves(
    parts: Sequence[SeenSurface], poses: Sequence[Pose], near: float, given: GivenPoses | None
) -> list[Pose]:
    """Return the motions of all frames but the first in one Gauss-Newton step."""
    information, pull = _information(parts, poses, near).pair_information()
    if given is not None:
        more, back = given_information(given, poses)
        information, pull = information + more, pull + back
    # Regularization: unconstrained directions do not move.
    count = len(pull)
    steady = 1e-6 * np.trace(information) / count + 1e-12
    found = np.linalg.solve(information + steady * np.eye(count), pull).reshape(-1, 6)
    return [
        _small_move(turn, shift) for turn, shift in zip(found[:, :3], found[:, 3:], strict=True)
    ]


def _information(
    parts: Sequence[SeenSurface], poses: Sequence[Pose], near: float
) -> PoseInformation:
    """Return the normal equations of pairs less than ``near`` (m) apart."""
    placed = [
        (pose.apply(part.means), rotate(pose.wxyz, part.normals))
        for part, pose in zip(parts, poses, strict=True)
    ]
    trees = [spatial.cKDTree(points) for points, _ in placed]
    information = PoseInformation(len(parts), parts[0].size)
    for one, (points, normals) in enumerate(placed):
        for other, (theirs, their_normals) in enumerate(placed):
            if one == other:
                continue
            far, which = trees[other].query(points, distance_upper_bound=near)
            which[np.isinf(far)] = 0
            alike = np.einsum("ni,ni->n", normals, their_normals[which]) > np.cos(ALIKE)
            pair = np.isfinite(far) & alike
            across = their_normals[which[pair]]
            off = np.einsum("ni,ni->n", points[pair] - theirs[which[pair]], across)
            # Robust weights: distant pairs are probably wrong.
            weights = 1.0 / (1.0 + (off / (near / 4)) ** 2)
            information.add((one, other), points[pair], (normals[pair], across), off, weights)
    return information


def _small_move(turn: Array, shift: Array) -> Pose:
    angle = float(np.linalg.norm(turn))
    axis = turn / angle if angle > 0 else np.array([1.0, 0.0, 0.0])
    return Pose(shift, axis_angle(axis.tolist(), angle))


def _size(move: Pose) -> float:
    return max(float(np.linalg.norm(move.position)), 2 * float(np.linalg.norm(move.wxyz[1:])))
