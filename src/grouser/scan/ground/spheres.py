"""Where spheres rest on a cloud: what physics has to agree with.

A sphere that may only move up and down rests at one height on any ground. On a cloud that height
follows from its discs (`grouser.scan.ground.discs`). Where the cloud has storeys that leave room
for a sphere, each of them holds one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.errors import BadValue
from grouser.frames import Array
from grouser.scan.ground.discs import Discs

MOST = 600
"""Spheres are dropped on a grid of at most about so many places."""
COVERED = 0.6
"""Part of the ground under a sphere, and of a storey's, that must have been seen."""
STEP = 0.5
"""Ground that is uneven by more than this part of a sphere's radius under it is a step's edge."""
STEEP = 0.3
"""A disc whose normal's z is less holds no sphere: it is a wall."""


@dataclass(frozen=True)
class Spheres:
    """Where spheres should rest, by what was seen; arrays over the spheres."""

    middle: Array
    """Of each sphere at rest, (n, 3), m."""
    room: Array
    """How far it may be lifted before it meets what hangs over it, (n,), m; inf: nothing does."""
    edge: npt.NDArray[np.bool_]
    """Which of them lie beside a step: there a millimetre to the side is centimetres in height."""
    radius: float
    """m."""

    @property
    def covered(self) -> npt.NDArray[np.bool_]:
        """Which of them lie under something, (n,)."""
        return np.isfinite(self.room)


def rest_on(discs: Discs, radius: float, most: int = MOST) -> Spheres:
    """Return where spheres rest on a cloud, on a grid over all of it.

    Args:
        discs: the cloud.
        radius: of the spheres, m.
        most: about so many at most; the grid is as fine as that allows, and at least `radius` wide.

    Raises:
        BadValue: there is no place where enough was seen to hold one.
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
            "scan: nowhere was enough of the ground seen to hold a sphere of "
            f"{radius:g} m; a larger --voxel may do"
        )
    return Spheres(np.array(middles), np.array(rooms), np.array(edges), radius)


def _grid(points: Array, radius: float, most: int) -> Iterator[tuple[float, float]]:
    """Yield x and y of places that have points near them, on a regular grid."""
    cells = np.unique(np.floor(points[:, :2] / radius).astype(np.int64), axis=0)
    step = max(1, math.ceil(math.sqrt(len(cells) / most)))
    low = cells.min(axis=0)
    chosen = cells[((cells - low) % step == step // 2).all(axis=1)]
    for column, row in (chosen if len(chosen) else cells[:1]).tolist():
        yield (column + 0.5) * radius, (row + 0.5) * radius


def _touching(
    points: Array, normals: Array, reach: float, radius: float, place: tuple[float, float]
) -> Array:
    """Return how high a sphere's middle is when it touches each disc, m; -inf: it passes by."""
    heights = np.full(len(points), -np.inf)
    up = normals[:, 2] > STEEP
    middle, normal = points[up], normals[up]
    aside = np.asarray(place) - middle[:, :2]
    level = (radius - np.einsum("ni,ni->n", normal[:, :2], aside)) / normal[:, 2]
    touched = np.column_stack([aside, level]) - radius * normal  # from the disc's middle
    far = np.linalg.norm(touched, axis=1, keepdims=True)
    touched *= np.minimum(1.0, reach / np.maximum(far, 1e-12))
    beside = np.hypot(*(touched[:, :2] - aside).T)
    over = np.sqrt(np.maximum(radius**2 - beside**2, 0.0))
    heights[up] = np.where(beside < radius, middle[:, 2] + touched[:, 2] + over, -np.inf)
    return heights


def _storeys(
    levels: Array, touching: Array, under: npt.NDArray[np.bool_], radius: float, whole: float
) -> Iterator[tuple[npt.NDArray[np.intp], float, float]]:
    """Yield the discs of each storey, the height of a sphere's middle on it and its room above, m.

    Discs belong to one storey as long as no gap between them would hold a sphere. One that only
    part of the place has is no storey but somebody's edge: what is above it counts as well.
    """
    order = np.argsort(levels)
    gaps = np.flatnonzero(np.diff(levels[order]) > 3 * radius) + 1
    ceiling = math.inf
    for storey in reversed(np.split(order, gaps)):
        if np.count_nonzero(under[storey]) < whole:
            if math.isinf(ceiling):
                return  # the topmost is an edge: who knows where a sphere would rest
            continue
        height = float(touching[storey].max(initial=-math.inf))
        if math.isfinite(height):
            yield storey, height, ceiling - height - radius
        ceiling = float(levels[storey].min())


def _unevenness(points: Array) -> float:
    """Return how far points reach above and below the plane through them, in all, m."""
    around = points - points.mean(axis=0)
    slopes, *_ = np.linalg.lstsq(around[:, :2], around[:, 2], rcond=None)
    return float(np.ptp(around[:, 2] - around[:, :2] @ slopes))
