"""Frames that lie about right, laid exactly: only what faces the same way is taken for the same.

GICP pairs points by their distance alone. Two cameras on both sides of a thing see its two sides;
close by, those are taken for one, and so are the floor and the foot of a wall. Here a pair counts
only if both surfaces look the same way, to their cameras, which tells front from back; and all
frames move at once, so that what the last one shows also moves the second. Directions in which
frames do not hold each other are left to the poses that are given.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, axis_angle, radians, rotate
from grouser.scan.cloud import PointCloud
from grouser.scan.distance_field import voxel_planes
from grouser.scan.pose_information import (
    TAPE_MEASURE,
    GivenPoses,
    PoseInformation,
    PoseSpread,
    looseness,
    of_given,
)
from grouser.scan.registration import FIRST, FramePose, register
from grouser.scan.scipy_parts import spatial
from grouser.scan.voxel_grid import voxel_grid

ROUNDS = 40
"""Attempts at most; it ends when nothing moves by more than `STILL`."""
STILL = 1e-5  # m and rad
NEAR = (4.0, 2.0, 1.0)
"""How far apart a pair may be, in voxels, in each third of the rounds."""
ALIKE = radians(30.0)
"""How far apart their normals may be."""
LEAST = 0.1
"""Part of a frame that must have a pair within a voxel; estimate: less holds nothing."""


@dataclass(frozen=True)
class SeenSurface:
    """What a frame shows; arrays over its voxels."""

    means: Array
    """(n, 3), m."""
    normals: Array
    """Unit vectors that look to the sensor, (n, 3)."""
    size: float
    """Edge of the voxels, m."""


def laid(
    clouds: Sequence[PointCloud],
    size: float,
    guesses: Sequence[Pose] | None = None,
    spread: PoseSpread = TAPE_MEASURE,
) -> tuple[FramePose, ...]:
    """Return where each frame is in the first one's frame, by GICP or by the guesses, refined.

    With guesses, both GICP's poses and the guesses themselves are refined, and what fits better is
    taken. The guesses hold frames where what they show does not, as well as they are known.

    Args:
        clouds: frames in their sensors' axes, in an order in which each overlaps an earlier one.
        size: edge of the voxels at which they are compared, m.
        guesses: their poses in one frame, about right; None: unknown.
        spread: how well guesses are known.

    Raises:
        BadValue: a frame has too little in common with the others.
    """
    if len(clouds) < 2:
        return register(clouds, size, guesses)
    attempts, refusal, given = [], None, None
    try:
        attempts.append([frame.X_FC for frame in register(clouds, size, guesses)])
    except BadValue as error:
        if guesses is None:
            raise
        refusal = error
    if guesses is not None:
        given = GivenPoses(tuple(guesses[0].inverse() @ guess for guess in guesses), spread)
        attempts.append(list(given.poses))
    parts = [_seen_surface(cloud, size) for cloud in clouds]
    best = max(
        (_refined(parts, poses, given) for poses in attempts),
        key=lambda frames: sum(frame.overlap for frame in frames),
    )
    if refusal and min(frame.overlap for frame in best) < LEAST:
        raise refusal
    return best


def _refined(
    parts: Sequence[SeenSurface], poses: list[Pose], given: GivenPoses | None
) -> tuple[FramePose, ...]:
    """Return where each frame is, better than before, and how well it fits all others."""
    size = parts[0].size
    for number in range(ROUNDS):
        stage = number * len(NEAR) // ROUNDS
        moves = _moves(parts, poses, NEAR[stage] * size, given)
        poses = [poses[0], *(move @ pose for move, pose in zip(moves, poses[1:], strict=True))]
        if stage == len(NEAR) - 1 and max(_size(move) for move in moves) < STILL:
            break
    information, _ = _information(parts, poses, NEAR[-1] * size).of_pairs()
    known = information + (0.0 if given is None else of_given(given, poses)[0])
    frames = [FIRST]
    for number, pose in list(enumerate(poses))[1:]:
        overlap, error = _fit(parts, poses, number, size)
        places = pose.apply(parts[number].means)
        slack = (looseness(matrix, number, places) for matrix in (information, known))
        frames.append(FramePose(pose, overlap, error, *slack))
    return tuple(frames)


def _fit(
    parts: Sequence[SeenSurface], poses: Sequence[Pose], number: int, size: float
) -> tuple[float, float]:
    """Return the part of a frame that has a pair within a voxel, and how far off those are, m."""
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
    """Return a frame's surface, voxel by voxel."""
    seen = cloud.there()
    planes = voxel_planes(voxel_grid(seen.points, size), seen)
    return SeenSurface(planes.means, planes.normals, size)


def _moves(
    parts: Sequence[SeenSurface], poses: Sequence[Pose], near: float, given: GivenPoses | None
) -> list[Pose]:
    """Return how all frames but the first must move, by one step of Gauss and Newton."""
    information, pull = _information(parts, poses, near).of_pairs()
    if given is not None:
        more, back = of_given(given, poses)
        information, pull = information + more, pull + back
    # What nothing holds stays where it is.
    count = len(pull)
    steady = 1e-6 * np.trace(information) / count + 1e-12
    found = np.linalg.solve(information + steady * np.eye(count), pull).reshape(-1, 6)
    return [
        _small_move(turn, shift) for turn, shift in zip(found[:, :3], found[:, 3:], strict=True)
    ]


def _information(
    parts: Sequence[SeenSurface], poses: Sequence[Pose], near: float
) -> PoseInformation:
    """Return what pairs less than ``near`` (m) apart say about frames that are at ``poses``."""
    laid = [
        (pose.apply(part.means), rotate(pose.wxyz, part.normals))
        for part, pose in zip(parts, poses, strict=True)
    ]
    trees = [spatial.cKDTree(points) for points, _ in laid]
    information = PoseInformation(len(parts), parts[0].size)
    for one, (points, normals) in enumerate(laid):
        for other, (theirs, their_normals) in enumerate(laid):
            if one == other:
                continue
            far, which = trees[other].query(points, distance_upper_bound=near)
            which[np.isinf(far)] = 0
            alike = np.einsum("ni,ni->n", normals, their_normals[which]) > np.cos(ALIKE)
            pair = np.isfinite(far) & alike
            across = their_normals[which[pair]]
            off = np.einsum("ni,ni->n", points[pair] - theirs[which[pair]], across)
            # Pairs that are far off after the others agree are no pairs: they weigh less.
            weights = 1.0 / (1.0 + (off / (near / 4)) ** 2)
            information.add((one, other), points[pair], (normals[pair], across), off, weights)
    return information


def _small_move(turn: Array, shift: Array) -> Pose:
    angle = float(np.linalg.norm(turn))
    axis = turn / angle if angle > 0 else np.array([1.0, 0.0, 0.0])
    return Pose(shift, axis_angle(axis.tolist(), angle))


def _size(move: Pose) -> float:
    return max(float(np.linalg.norm(move.position)), 2 * float(np.linalg.norm(move.wxyz[1:])))
