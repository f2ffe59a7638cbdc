"""Rings of a lidar, found in a cloud without order: its rows, so that neighbours are known."""

from __future__ import annotations

import numpy as np

from grouser.frames import Array, radians
from grouser.scan.cloud import PointCloud

LEAST_GAP = radians(0.1)
"""Between rings as they are built, rad; the finest lidars have 0.2 degrees or more."""
MOST_RINGS = 256
LEAST_RINGS = 4
LEAST_OF_A_RING = 50
COVERED = 0.95
"""Part of the points that must be on rings."""
THIN = 0.3
"""How thick rings may be, as a part of the gap to the next."""


def as_rings(cloud: PointCloud) -> PointCloud | None:
    """Return a cloud organised in rings, highest first; None where it has none.

    A ring is all points at one elevation (about z) as seen from the origin. Columns are azimuths,
    and the first one is repeated at the end, where a turn closes.

    Args:
        cloud: in no order, all of it seen from one place.
    """
    if cloud.shape is not None or (cloud.origins is not None and cloud.origins.ndim == 2):
        return None
    there = cloud.there()
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
    """Return the ring of each point, -1 for none, and how many there are, 0 for none at all."""
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
