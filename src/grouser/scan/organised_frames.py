"""Organised frames: depth discontinuities, interpolation between pixels, and rings of lidars.

Two adjacent pixels of a depth picture lie on one surface or on both sides of an occlusion edge
(jump edge). A jump runs along the ray, is longer than a voxel, and does not continue in the
direction of the edges before or after it, as ground does that is seen at a grazing angle.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array, radians
from grouser.scan.cloud import PointCloud

Mask = npt.NDArray[np.bool_]

GRAZING = radians(10.0)
"""Angle to the ray below which an edge is a jump, unless it is collinear with its neighbours, rad;
estimate."""
STRAIGHT = radians(10.0)
"""Largest angle between collinear edges, rad; estimate."""
MOST_STRETCH = 4.0
"""Largest length ratio of successive collinear edges; estimate."""


@dataclass(frozen=True)
class FrameEdges:
    """Masks of the edges between adjacent pixels of an organised frame."""

    right: Mask
    """Pixel and its right neighbour are on one surface, (rows, columns - 1)."""
    down: Mask
    """Pixel and its lower neighbour are on one surface, (rows - 1, columns)."""
    jump_right: Mask
    """Pixel and its right neighbour are valid and separated by a jump, (rows, columns - 1)."""
    jump_down: Mask
    """Pixel and its lower neighbour are valid and separated by a jump, (rows - 1, columns)."""


def frame_edges(cloud: PointCloud, size: float) -> FrameEdges:
    """Classify the edges between adjacent pixels of an organised cloud as surface or jump.

    ``size`` (m) is the largest step along the ray that is no jump.
    """
    if cloud.shape is None:
        raise BadValue("frame edges: the cloud is not organised in rows and columns")
    grid = cloud.points.reshape(*cloud.shape, 3)
    rays = (cloud.points - cloud.views).reshape(*cloud.shape, 3)
    right, jump_right = _along_rows(grid, rays, size)
    down, jump_down = _along_rows(grid.swapaxes(0, 1), rays.swapaxes(0, 1), size)
    return FrameEdges(right, down.T, jump_right, jump_down.T)


def _along_rows(grid: Array, rays: Array, size: float) -> tuple[Mask, Mask]:
    """Return masks of adjacent pixels along rows on one surface, and separated by a jump."""
    far = np.sqrt(np.einsum("ijk,ijk->ij", rays, rays))
    step = np.diff(far, axis=1)
    there = np.isfinite(step)
    jump = np.zeros_like(there)
    rows, columns = np.nonzero(np.abs(np.where(there, step, 0.0)) > 0.7 * size)  # a few candidates
    edge = grid[rows, columns + 1] - grid[rows, columns]
    ray = rays[rows, columns + 1] + rays[rows, columns]
    length = np.sqrt(np.einsum("ij,ij->i", edge, edge))
    along = np.abs(np.einsum("ij,ij->i", edge, ray))
    along /= np.sqrt(np.einsum("ij,ij->i", ray, ray))
    steep = (along > size) & (along > np.cos(GRAZING) * length)
    rows, columns = rows[steep], columns[steep]
    jump[rows, columns] = ~_goes_on(grid, rows, columns)
    return there & ~jump, jump


def _goes_on(grid: Array, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> Mask:
    """Return the mask of edges collinear with the two edges before, or the two after them."""
    # One edge is not sufficient: a mixed pixel at an occlusion edge gives two collinear
    # edges.
    own = grid[rows, columns + 1] - grid[rows, columns]
    length = np.sqrt(np.einsum("ij,ij->i", own, own))
    result, last = np.zeros(len(rows), bool), grid.shape[1] - 2
    for side in (-1, 1):
        straight = np.ones(len(rows), bool)
        for away in (1, 2):
            beside = np.clip(columns + side * away, 0, last)
            other = grid[rows, beside + 1] - grid[rows, beside]
            far = np.sqrt(np.einsum("ij,ij->i", other, other))
            turn = np.einsum("ij,ij->i", own, other) >= np.cos(STRAIGHT) * length * far
            stretch = length <= MOST_STRETCH**away * far
            straight &= turn & stretch & (beside == columns + side * away)
        result |= straight
    return result


MOST_STEPS = 64
"""Largest number of points interpolated along one edge; longer edges are left open."""
CLOSE = 0.5
"""Spacing of interpolated points, in cells."""


def interpolate_pixels(cloud: PointCloud, size: float) -> PointCloud:
    """Return points interpolated between adjacent pixels of an organised frame.

    At large distances and grazing angles pixels are further apart than cells of edge ``size``
    (m); quads of four pixels without a jump are filled. Unorganised clouds give no points.
    """
    none = cloud.select(np.zeros(len(cloud), bool))
    if cloud.shape is None or min(cloud.shape) < 2:
        return none
    edges = frame_edges(cloud, size)
    whole = edges.right[:-1] & edges.right[1:] & edges.down[:, :-1] & edges.down[:, 1:]
    grid, views = (array.reshape(*cloud.shape, 3) for array in (cloud.points, cloud.views))
    across, upright = (_lengths(np.diff(grid, axis=axis)) for axis in (1, 0))
    with np.errstate(invalid="ignore"):
        wide = np.maximum(np.maximum(across[:-1], across[1:]), 0.0)
        high = np.maximum(np.maximum(upright[:, :-1], upright[:, 1:]), 0.0)
        whole &= (np.maximum(wide, high) > size) & (
            np.maximum(wide, high) < MOST_STEPS * CLOSE * size
        )
    rows, columns = np.nonzero(whole)
    if not len(rows):
        return none
    corners = [grid[rows + down, columns + right] for down in (0, 1) for right in (0, 1)]
    steps = np.ceil(np.stack([wide, high], axis=-1)[rows, columns] / (CLOSE * size)).astype(int)
    kinds, kind = np.unique(steps, axis=0, return_inverse=True)
    filled, seen_from = [], []
    for number, (columns_in, rows_in) in enumerate(kinds.tolist()):
        here = np.flatnonzero(kind.reshape(-1) == number)
        a, b, c, d = (corner[here, None, None] for corner in corners)
        s = (np.arange(columns_in) / columns_in)[None, None, :, None]
        t = (np.arange(rows_in) / rows_in)[None, :, None, None]
        points = (a * (1 - s) + b * s) * (1 - t) + (c * (1 - s) + d * s) * t
        filled.append(points.reshape(-1, 3))
        seen_from.append(np.repeat(views[rows[here], columns[here]], columns_in * rows_in, 0))
    one = cloud.origins if cloud.origins is None or cloud.origins.ndim == 1 else None
    per_point = cloud.origins is not None and one is None
    return PointCloud(
        np.concatenate(filled), None, None, np.concatenate(seen_from) if per_point else one
    )


def _lengths(vectors: Array) -> Array:
    return np.asarray(np.sqrt(np.einsum("ijk,ijk->ij", vectors, vectors)))


LEAST_GAP = radians(0.1)
"""Smallest angle between rings, rad; the finest lidars have 0.2 degrees or more."""
MOST_RINGS = 256
LEAST_RINGS = 4
LEAST_OF_A_RING = 50
COVERED = 0.95
"""Smallest share of the points on rings."""
THIN = 0.3
"""Largest thickness of a ring, as a part of the distance to the next."""


def organise_rings(cloud: PointCloud) -> PointCloud | None:
    """Return an unorganised cloud in the rings of a lidar, highest first; None if it has none.

    A ring consists of all points at one elevation (about z), seen from the viewpoint. Columns
    are azimuths, and the first one is repeated at the end.
    """
    if cloud.shape is not None or (cloud.origins is not None and cloud.origins.ndim == 2):
        return None
    there = cloud.finite()
    rays = there.points - there.views
    far = np.sqrt(np.einsum("ij,ij->i", rays, rays))
    if len(rays) < LEAST_RINGS * LEAST_OF_A_RING or far.min() <= 0:
        return None
    ring, count = _rings(np.arcsin(np.clip(rays[:, 2] / far, -1.0, 1.0)))
    if count == 0:
        return None
    azimuth = np.arctan2(rays[:, 1], rays[:, 0])
    order = np.lexsort((azimuth, ring))
    steps = np.diff(azimuth[order])[(np.diff(ring[order]) == 0) & (ring[order][1:] >= 0)]
    columns = int(np.clip(np.round(2 * np.pi / max(float(np.median(steps)), 1e-4)), 8, 20_000))
    column = np.floor((azimuth / (2 * np.pi) + 0.5) * columns).astype(int) % columns
    grid = np.full((count, columns + 1, 3), np.nan)
    nearest = np.argsort(-far, kind="stable")
    nearest = nearest[ring[nearest] >= 0]
    grid[ring[nearest], column[nearest]] = there.points[nearest]
    grid[:, -1] = grid[:, 0]
    return PointCloud(grid.reshape(-1, 3), (count, columns + 1), None, there.views[0].copy())


def _rings(elevation: Array) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], int]:
    """Return the ring of each point (-1: none) and the number of rings (0: no rings found)."""
    order = np.argsort(-elevation, kind="stable")
    ordered = elevation[order]
    part = np.cumsum(np.diff(ordered, prepend=ordered[0]) < -LEAST_GAP)
    counts = np.bincount(part)
    middles = np.bincount(part, ordered) / counts
    thick = np.sqrt(np.maximum(np.bincount(part, ordered**2) / counts - middles**2, 0.0))
    real = counts >= LEAST_OF_A_RING
    number = np.where(real, np.cumsum(real) - 1, -1)
    ring = np.empty(len(elevation), np.int64)
    ring[order] = number[part]
    found = int(real.sum())
    gaps = -np.diff(middles[real])
    fits = (
        LEAST_RINGS <= found <= MOST_RINGS
        and counts[real].sum() >= COVERED * len(elevation)
        and bool((thick[real] <= THIN * np.median(gaps)).all())
    )
    return ring, found if fits else 0
