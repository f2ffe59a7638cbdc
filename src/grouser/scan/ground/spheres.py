"""Expected rest heights of spheres on a cloud, as the reference for simulated ones.

A sphere that moves only vertically rests at one height on any ground. For a cloud this height is
computed from surface discs (surfels): per voxel the centroid and the normal. Where the cloud has
several storeys with enough space for a sphere, each of them holds one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.cloud import PointCloud

FEWEST = 3
"""Smallest number of points of a voxel; voxels with fewer count as noise."""
_OUTER = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Discs:
    """Surface discs of a cloud; arrays over discs."""

    middle: Array
    """Centroids, (n, 3), m."""
    normal: Array
    """Unit normals towards the sensor, (n, 3)."""
    size: float
    """Edge of the voxels, m."""

    @property
    def reach(self) -> float:
        """Radius of a disc, m; its area is that of a voxel's face."""
        return self.size / float(np.sqrt(np.pi))


def surface_discs(cloud: PointCloud, size: float) -> Discs:
    """Return the discs of a cloud: normals fitted to voxels (edge ``size``) and 26 neighbours."""
    seen = cloud.finite()
    cells = np.floor(seen.points / size).astype(np.int64)
    low = cells.min(axis=0) - 1
    spans = cells.max(axis=0) - low + 2
    keys = _key(cells - low, spans)
    voxels, member = np.unique(keys, return_inverse=True)
    count = np.bincount(member).astype(float)
    middle, view = (_means(array, member, count) for array in (seen.points, seen.views))
    normal = _normals(voxels, spans, seen.points, member, count, middle)
    away = np.einsum("ni,ni->n", normal, middle - view) > 0
    normal[away] *= -1
    kept = count >= min(FEWEST, float(np.median(count)))
    return Discs(middle[kept], normal[kept], size)


def _means(array: Array, member: npt.NDArray[np.int64], count: Array) -> Array:
    sums = np.stack([np.bincount(member, axis) for axis in array.T], axis=1)
    return np.asarray(sums / count[:, None])


def _key(cells: npt.NDArray[np.int64], spans: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return np.asarray((cells[..., 0] * spans[1] + cells[..., 1]) * spans[2] + cells[..., 2])


def _normals(
    voxels: npt.NDArray[np.int64],
    spans: npt.NDArray[np.int64],
    points: Array,
    member: npt.NDArray[np.int64],
    count: Array,
    middle: Array,
) -> Array:
    """Return the direction of least variance around each voxel, (n, 3)."""
    off = points - middle[member]
    spread = np.zeros((len(voxels), 3, 3))
    for i, j in _OUTER:
        spread[:, i, j] = spread[:, j, i] = np.bincount(member, off[:, i] * off[:, j], len(voxels))
    weight, mean = np.zeros(len(voxels)), np.zeros((len(voxels), 3))
    total = np.zeros((len(voxels), 3, 3))
    steps = np.array([-1, 0, 1])
    around = _key(np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3), spans)
    for step in around.tolist():
        place = np.searchsorted(voxels, voxels + step).clip(max=len(voxels) - 1)
        there = np.flatnonzero(voxels[place] == voxels + step)
        other = place[there]
        # Relative to the voxel's centroid, so that large coordinates lose no digits.
        away = middle[other] - middle[there]
        weight[there] += count[other]
        mean[there] += count[other, None] * away
        total[there] += spread[other]
        total[there] += count[other, None, None] * away[:, :, None] * away[:, None, :]
    total -= mean[:, :, None] * mean[:, None, :] / weight[:, None, None]
    return np.asarray(np.linalg.eigh(total)[1][:, :, 0])


MOST = 600
"""Approximate largest number of spheres."""
COVERED = 0.6
"""Share of the area under a sphere that must be covered by points."""
STEP = 0.5
"""Unevenness under a sphere, as a part of its radius, above which it is beside a step."""
STEEP = 0.3
"""z of a disc's normal below which it is a wall and supports no sphere."""


@dataclass(frozen=True)
class Spheres:
    """Expected rest positions of spheres on a cloud; arrays over spheres."""

    middle: Array
    """Centre of each sphere at rest, (n, 3), m."""
    room: Array
    """Free height above the sphere, (n,), m; inf: unlimited."""
    edge: npt.NDArray[np.bool_]
    """Spheres beside a step, where heights are sensitive to lateral errors."""
    radius: float
    """Radius of the spheres, m."""

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Mask of spheres under an overhang, (n,)."""
        return np.isfinite(self.room)


def expected_spheres(discs: Discs, radius: float, most: int = MOST) -> Spheres:
    """Return the rest positions of spheres on a cloud, on a regular grid.

    ``most`` is their approximate largest number; the grid spacing follows from it and is at
    least ``radius``.
    """
    order = np.argsort(discs.middle[:, 0], kind="stable")
    points, normals = discs.middle[order], discs.normal[order]
    span, whole = radius + discs.reach, COVERED * math.pi * radius**2 / discs.size**2
    middles, rooms, edges = [], [], []
    for x, y in _grid(points, radius, most):
        first, last = np.searchsorted(points[:, 0], (x - span, x + span)).tolist()
        beside = np.hypot(points[first:last, 0] - x, points[first:last, 1] - y)
        near = first + np.flatnonzero(beside <= span)
        touching = _touching(points[near], normals[near], discs.reach, radius, (x, y))
        under = beside[near - first] <= radius
        for storey, height, room in _storeys(points[near, 2], touching, under, radius, whole):
            middles.append((x, y, height))
            rooms.append(room)
            edges.append(_unevenness(points[near[storey]]) > STEP * radius)
    if not middles:
        raise BadValue(
            "scan: no place has enough points to support a sphere of "
            f"{radius:g} m; try a larger --voxel"
        )
    return Spheres(np.array(middles), np.array(rooms), np.array(edges), radius)


def _grid(points: Array, radius: float, most: int) -> Iterator[tuple[float, float]]:
    """Yield x and y of the grid positions that have points near them."""
    cells = np.unique(np.floor(points[:, :2] / radius).astype(np.int64), axis=0)
    step = max(1, math.ceil(math.sqrt(len(cells) / most)))
    low = cells.min(axis=0)
    chosen = cells[((cells - low) % step == step // 2).all(axis=1)]
    for column, row in (chosen if len(chosen) else cells[:1]).tolist():
        yield (column + 0.5) * radius, (row + 0.5) * radius


def _touching(
    points: Array, normals: Array, reach: float, radius: float, place: tuple[float, float]
) -> Array:
    """Return the height of a sphere's centre in contact with each disc, m; -inf: no contact."""
    heights = np.full(len(points), -np.inf)
    up = normals[:, 2] > STEEP
    middle, normal = points[up], normals[up]
    lateral = np.asarray(place) - middle[:, :2]
    level = (radius - np.einsum("ni,ni->n", normal[:, :2], lateral)) / normal[:, 2]
    touched = np.column_stack([lateral, level]) - radius * normal  # from the disc's centre
    far = np.linalg.norm(touched, axis=1, keepdims=True)
    touched *= np.minimum(1.0, reach / np.maximum(far, 1e-12))
    beside = np.hypot(*(touched[:, :2] - lateral).T)
    over = np.sqrt(np.maximum(radius**2 - beside**2, 0.0))
    heights[up] = np.where(beside < radius, middle[:, 2] + touched[:, 2] + over, -np.inf)
    return heights


def _storeys(
    levels: Array, touching: Array, under: npt.NDArray[np.bool_], radius: float, whole: float
) -> Iterator[tuple[npt.NDArray[np.intp], float, float]]:
    """Yield the discs of each storey, the height of a sphere's centre, and the free height, m."""
    # Discs belong to one storey as long as no gap between them is large enough for a sphere.
    # A storey that covers only a part of the place is an edge and is skipped.
    order = np.argsort(levels)
    gaps = np.flatnonzero(np.diff(levels[order]) > 3 * radius) + 1
    ceiling = math.inf
    for storey in reversed(np.split(order, gaps)):
        if np.count_nonzero(under[storey]) < whole:
            if math.isinf(ceiling):
                return  # the topmost storey is an edge: the rest height is undefined
            continue
        height = float(touching[storey].max(initial=-math.inf))
        if math.isfinite(height):
            yield storey, height, ceiling - height - radius
        ceiling = float(levels[storey].min())


def _unevenness(points: Array) -> float:
    """Return the height range of points relative to the plane fitted to them, m."""
    around = points - points.mean(axis=0)
    slopes, *_ = np.linalg.lstsq(around[:, :2], around[:, 2], rcond=None)
    return float(np.ptp(around[:, 2] - around[:, :2] @ slopes))
