"""Frames that lie about right, laid exactly: only what faces the same way is taken for the same.

GICP pairs points by their distance alone. Two cameras on both sides of a thing see its two sides;
close by, those are taken for one, and so are the floor and the foot of a wall. Here a pair counts
only if both surfaces look the same way, to their cameras, which tells front from back; and all
frames move at once, so that what the last one shows also moves the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from grouser.errors import BadValue
from grouser.frames import Array, Pose, axis_angle, radians, rotate
from grouser.scan.cloud import PointCloud
from grouser.scan.distance_field import voxel_planes
from grouser.scan.registration import FramePose, register
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


def laid(
    clouds: Sequence[PointCloud], size: float, guesses: Sequence[Pose] | None = None
) -> tuple[FramePose, ...]:
    """Return where each frame is in the first one's frame, by GICP or by the guesses, refined.

    With guesses, both GICP's poses and the guesses themselves are refined, and what fits better is
    taken: where frames hold each other badly GICP leaves a good guess for a worse place.

    Args:
        clouds: frames in their sensors' axes, in an order in which each overlaps an earlier one.
        size: edge of the voxels at which they are compared, m.
        guesses: their poses in one frame, about right; None: unknown.

    Raises:
        BadValue: a frame has too little in common with the others.
    """
    if len(clouds) < 2:
        return register(clouds, size, guesses)
    attempts, refusal = [], None
    try:
        attempts.append(register(clouds, size, guesses))
    except BadValue as error:
        if guesses is None:
            raise
        refusal = error
    if guesses is not None:
        known = [guesses[0].inverse() @ guess for guess in guesses]
        attempts.append(tuple(FramePose(pose, 0.0, 0.0) for pose in known))
    parts = [_seen_surface(cloud, size) for cloud in clouds]
    best = max(
        (_refined(parts, frames, size) for frames in attempts),
        key=lambda frames: sum(frame.overlap for frame in frames),
    )
    if refusal and min(frame.overlap for frame in best) < LEAST:
        raise refusal
    return best


def _refined(
    parts: Sequence[SeenSurface], frames: Sequence[FramePose], size: float
) -> tuple[FramePose, ...]:
    """Return where each frame is, better than before, and how well it fits all others."""
    poses = [frame.X_FC for frame in frames]
    for number in range(ROUNDS):
        stage = number * len(NEAR) // ROUNDS
        moves = _moves(parts, poses, NEAR[stage] * size)
        poses = [poses[0], *(move @ pose for move, pose in zip(moves, poses[1:], strict=True))]
        if stage == len(NEAR) - 1 and max(_size(move) for move in moves) < STILL:
            break
    fits = [_fit(parts, poses, number, size) for number in range(len(parts))]
    return tuple(
        FramePose(pose, overlap, error, frame.slides)
        for frame, pose, (overlap, error) in zip(frames, poses, fits, strict=True)
    )


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
    return SeenSurface(planes.means, planes.normals)


def _moves(parts: Sequence[SeenSurface], poses: Sequence[Pose], near: float) -> list[Pose]:
    """Return how all frames but the first must move, by one step of Gauss and Newton."""
    laid = [
        (pose.apply(part.means), rotate(pose.wxyz, part.normals))
        for part, pose in zip(parts, poses, strict=True)
    ]
    trees = [spatial.cKDTree(points) for points, _ in laid]
    count = 6 * (len(parts) - 1)
    stiffness, pull = np.zeros((count, count)), np.zeros(count)
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
            weight = 1.0 / (1.0 + (off / (near / 4)) ** 2)
            rows = np.zeros((len(off), count))
            for frame, sign, places in ((one, 1.0, points[pair]), (other, -1.0, points[pair])):
                if frame:
                    begin = 6 * (frame - 1)
                    rows[:, begin : begin + 3] = sign * np.cross(places, across)
                    rows[:, begin + 3 : begin + 6] = sign * across
            stiffness += (rows * weight[:, None]).T @ rows
            pull -= (rows * weight[:, None]).T @ off
    # What nothing holds stays where it is.
    steady = 1e-6 * np.trace(stiffness) / count + 1e-12
    found = np.linalg.solve(stiffness + steady * np.eye(count), pull).reshape(-1, 6)
    return [
        _small_move(turn, shift) for turn, shift in zip(found[:, :3], found[:, 3:], strict=True)
    ]


def _small_move(turn: Array, shift: Array) -> Pose:
    angle = float(np.linalg.norm(turn))
    axis = turn / angle if angle > 0 else np.array([1.0, 0.0, 0.0])
    return Pose(shift, axis_angle(axis.tolist(), angle))


def _size(move: Pose) -> float:
    return max(float(np.linalg.norm(move.position)), 2 * float(np.linalg.norm(move.wxyz[1:])))
