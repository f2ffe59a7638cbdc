"""Validity map: a grid of positions and headings at which a robot can stand, computed once.

Ground heights are sampled once, on a raster. A robot at one of the map's headings is a fixed set of
offsets in this raster, so that all positions are tested together by shifting the raster.
"""

from __future__ import annotations

import importlib
import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from grouser.cores import parallel_map
from grouser.errors import BadValue, missing_extra
from grouser.frames import Array
from grouser.planning.ground import (
    STANDS,
    GroundPlacement,
    HeightQuery,
    RobotFootprint,
    body_undersides,
    place_on_ground,
    place_on_heights,
)

HEADINGS = 16
"""Number of evenly spaced headings of a map."""
FINENESS = 8
"""Raster cells per radius of the robot."""
STEP = 2
"""Raster cells between neighbouring positions of the map."""
QUERIES = 250_000
"""Approximate number of height queries: several per cell in small worlds; the highest counts."""
MOST_PER_CELL = 6
"""Upper limit of height queries along the side of a cell."""
MOST_PLACES = 4_000_000
"""Upper limit of positions in a map."""

CHUNK = 1 << 12
"""Positions tested together; their data fits into the processor's cache."""

Bounds = tuple[float, float, float, float]
"""Smallest x and y, largest x and y, m, in the world frame."""


@dataclass(frozen=True, eq=False)
class ValidityMap:
    """Valid poses of a robot, by heading and position."""

    corner: Array
    """First position in the world (2,), m."""
    step: float
    """Distance between neighbouring positions, m."""
    valid: npt.NDArray[np.bool_]
    """True where the robot can stand (headings, rows along y, columns along x)."""
    height: Array
    """Height of the ground at the positions (rows, columns), m; -inf where there is none."""

    def cells(self, points: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return row and column of the positions nearest to ``points`` (…, 2); -1 outside."""
        index = np.rint((np.asarray(points, np.float64) - self.corner) / self.step)
        column, row = index[..., 0].astype(np.int64), index[..., 1].astype(np.int64)
        rows, columns = self.height.shape
        outside = (column < 0) | (row < 0) | (column >= columns) | (row >= rows)
        return np.where(outside, -1, row), np.where(outside, -1, column)

    def stands(self, points: npt.ArrayLike, heading: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether the robot can stand at ``points`` (…, 2) with ``heading`` (…), rad."""
        row, column = self.cells(points)
        return np.asarray(self.valid[self.heading(heading), row, column] & (row >= 0))

    def heading(self, angle: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the index of the heading nearest to ``angle``, rad."""
        turn = np.asarray(angle, np.float64) / (2 * math.pi) * len(self.valid)
        return np.asarray(np.rint(turn).astype(np.int64) % len(self.valid))

    def are_segments_valid(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether the robot stands all along segments (n, 2) → (n, 2), driven forward."""
        # The neighbours of each position must be valid too, as a margin for tracking
        # errors.
        a, b = np.atleast_2d(np.asarray(start, float)), np.atleast_2d(np.asarray(end, float))
        segment = b - a
        length = np.hypot(segment[:, 0], segment[:, 1])
        count = int(length.max(initial=0.0) / self.step) + 2
        share = _shares(count)[:, None, None]
        heading = self.heading(np.arctan2(segment[:, 1], segment[:, 0]))
        row, column = self.cells(a + share * segment)
        good = self._safe[heading, row, column] & (row >= 0)
        return np.asarray(good.all(axis=0))

    def is_segment_valid(self, x: float, y: float, to_x: float, to_y: float) -> bool:
        """Return `are_segments_valid` of a single segment, for planners that query one by one."""
        east, north = to_x - x, to_y - y
        rows, columns = self.height.shape
        (west, south), step = self._origin, self.step
        ends = ((x, y), (to_x, to_y))
        if any(
            not (0 <= round((a - west) / step) < columns and 0 <= round((b - south) / step) < rows)
            for a, b in ends
        ):
            return False
        share = _shares(int(math.hypot(east, north) / step) + 2)
        column = np.rint((x + share * east - west) / step)
        row = np.rint((y + share * north - south) / step)
        turn = round(math.atan2(north, east) / (2 * math.pi) * len(self.valid)) % len(self.valid)
        index = ((turn * rows + row) * columns + column).astype(np.int64)
        return bool(self._flat_safe.take(index).all())

    @cached_property
    def _origin(self) -> tuple[float, float]:
        x, y = self.corner.tolist()
        return x, y

    @cached_property
    def _flat_safe(self) -> npt.NDArray[np.bool_]:
        return self._safe.ravel()

    @cached_property
    def _safe(self) -> npt.NDArray[np.bool_]:
        """True where a position and its eight neighbours are valid; outside the map counts."""
        padded = np.pad(self.valid, ((0, 0), (1, 1), (1, 1)), constant_values=True)
        rows, columns = self.height.shape
        safe = self.valid.copy()
        for down in range(3):
            for right in range(3):
                safe &= padded[:, down : down + rows, right : right + columns]
        return safe

    @cached_property
    def anywhere(self) -> npt.NDArray[np.bool_]:
        """True where the robot can stand with at least one heading (rows, columns)."""
        return np.asarray(self.valid.any(axis=0))

    def is_connected(self, start: npt.ArrayLike, goal: npt.ArrayLike) -> bool:
        """Return whether valid positions connect ``start`` and ``goal`` (2,).

        If not, there is no path. If they do, a path may still not exist, since the robot must turn.
        """
        labels, _ = scipy_part("ndimage").label(self.anywhere, np.ones((3, 3)))
        row, column = self.cells(np.array([start, goal], np.float64))
        here, there = labels[row, column].tolist()
        return bool(here == there and here > 0 and (row >= 0).all())

    @cached_property
    def _distances(self) -> dict[int, Array]:
        """Cache by heading: distance (m) of positions (rows, columns) to the nearest invalid."""
        return {}

    def clearance(self, points: npt.ArrayLike, heading: npt.ArrayLike) -> Array:
        """Return the distance (m) of ``points`` with ``heading`` to the nearest invalid one."""
        # Outside the map none is invalid.
        # Outside the map none is invalid.
        # Positions outside the map are not counted as invalid.
        row, column = self.cells(points)
        turns = np.broadcast_to(self.heading(heading), row.shape)
        clear = np.zeros(row.shape)
        for turn in np.unique(turns).tolist():
            if turn not in self._distances:
                distance = scipy_part("ndimage").distance_transform_edt
                self._distances[turn] = distance(self.valid[turn]) * self.step
            these = (turns == turn) & (row >= 0)
            clear[these] = self._distances[turn][row[these], column[these]]
        return clear


@lru_cache(256)
def _shares(count: int) -> Array:
    """Return ``count`` evenly spaced numbers from 0 to 1."""
    return np.linspace(0.0, 1.0, count)


def map_validity(
    ground: HeightQuery, footprint: RobotFootprint, bounds: Bounds, *, radius: float | None = None
) -> ValidityMap:
    """Compute the validity map of all positions within ``bounds``.

    ``radius`` (m) sets the map's resolution; None: that of the footprint.
    """
    west, south, east, north = bounds
    if not (east > west and north > south and np.isfinite(bounds).all()):
        raise BadValue(f"bounds: from ({west:g}, {south:g}) to ({east:g}, {north:g}) is no area")
    cell = (radius or footprint.radius) / FINENESS
    step = STEP * cell
    columns, rows = int((east - west) / step) + 1, int((north - south) / step) + 1
    if rows * columns > MOST_PLACES:
        raise BadValue(
            f"bounds: {east - west:g} m x {north - south:g} m is too much for a robot of "
            f"{2 * footprint.radius:.2f} m; at most {MOST_PLACES * step**2:.0f} m2"
        )
    margin = math.ceil(footprint.radius / cell) + 1
    corner = np.array([west, south])
    raster = _raster(ground, corner - margin * cell, cell, (rows, columns), margin)
    layers = _Layers(raster, footprint, cell, margin, (rows, columns))
    headings = (2 * math.pi * k / HEADINGS for k in range(HEADINGS))
    valid = np.stack(parallel_map(layers.layer, headings))
    height = _shift(raster, margin, margin, (rows, columns)).astype(np.float64)
    return ValidityMap(corner, step, valid, height)


def stands_at(ground: HeightQuery, footprint: RobotFootprint, x: float, y: float) -> int:
    """Return `STANDS` if the robot can stand at a position, else the most frequent verdict."""
    turns = np.arange(HEADINGS) * 2 * math.pi / HEADINGS
    poses = np.column_stack([np.full(HEADINGS, x), np.full(HEADINGS, y), turns])
    verdict = place_on_ground(ground, footprint, poses).verdict
    return STANDS if (verdict == STANDS).any() else int(np.bincount(verdict).argmax())


def _raster(
    ground: HeightQuery, corner: Array, cell: float, shape: tuple[int, int], margin: int
) -> npt.NDArray[np.float32]:
    """Return the highest ground in every raster cell, m; float32 resolves 1 um at 10 m."""
    rows, columns = (STEP * (count - 1) + 1 + 2 * margin for count in shape)
    several = int(np.clip(math.isqrt(QUERIES // (rows * columns)), 1, MOST_PER_CELL))
    inside = (np.arange(several) + 0.5) / several - 0.5
    x = corner[0] + cell * (np.arange(columns)[:, None] + inside).ravel()
    y = corner[1] + cell * (np.arange(rows)[:, None] + inside).ravel()
    points = np.stack(np.meshgrid(x, y), axis=-1)
    heights = ground.below(points).height.reshape(rows, several, columns, several)
    return np.asarray(heights.max(axis=(1, 3)), np.float32)


def _shift(
    raster: npt.NDArray[np.float32], down: int, right: int, shape: tuple[int, int]
) -> npt.NDArray[np.float32]:
    """Return the raster at the map's positions, shifted by whole cells."""
    rows, columns = shape
    return raster[down : down + STEP * rows : STEP, right : right + STEP * columns : STEP]


def _stands_level(footprint: RobotFootprint) -> bool:
    """Return whether the robot can stand on a level plane."""
    placement = place_on_heights(footprint, np.zeros((len(footprint.contacts), 1)))
    return bool(placement.valid[0] and (body_undersides(footprint, placement) >= 0.0).all())


class _Layers:
    """Layers of a map, one per heading."""

    def __init__(
        self,
        raster: npt.NDArray[np.float32],
        footprint: RobotFootprint,
        cell: float,
        margin: int,
        shape: tuple[int, int],
    ) -> None:
        self._raster, self._footprint, self._shape = raster, footprint, shape
        self._cell, self._margin = cell, margin
        row, column = np.indices(shape).reshape(2, -1)
        place = (margin + STEP * row) * raster.shape[1] + margin + STEP * column
        # Highest and lowest ground within the robot's radius: decides most positions quickly.
        images, around = scipy_part("ndimage"), 2 * margin + 1
        highest, lowest = (
            _shift(of(raster, around), margin, margin, shape).ravel()
            for of in (images.maximum_filter, images.minimum_filter)
        )
        # On level ground the result is the same for all positions and headings.
        level: npt.NDArray[np.bool_] = (highest == lowest) & np.isfinite(highest)
        self._level = level & np.bool_(_stands_level(footprint))
        self._rough = np.flatnonzero(~level)
        self._place, self._highest = place[self._rough], highest[self._rough]

    def layer(self, heading: float) -> npt.NDArray[np.bool_]:
        """Return the valid positions of one heading (rows, columns)."""
        contacts = self._offsets(self._footprint.contacts, heading)
        body = self._offsets(self._footprint.body, heading)
        valid: npt.NDArray[np.bool_] = self._level.copy()
        for start in range(0, len(self._place), CHUNK):
            part = slice(start, start + CHUNK)
            valid[self._rough[part]] = self._stands(
                self._place[part], self._highest[part], contacts, body
            )
        return valid.reshape(self._shape)

    def _stands(
        self,
        place: npt.NDArray[np.int64],
        highest: npt.NDArray[np.float32],
        contacts: npt.NDArray[np.int64],
        body: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.bool_]:
        """Return (n,) whether positions are valid; ``contacts`` and ``body`` are raster offsets."""
        footprint, flat = self._footprint, self._raster.ravel()
        placement = place_on_heights(footprint, flat[place + contacts[:, None]])
        valid = placement.valid
        if len(body):
            tilt = np.hypot(*placement.slope.T) * footprint.radius
            low = placement.height - footprint.standing + footprint.body[:, 2].min() - tilt
            close = np.flatnonzero(valid & (highest > low))
            some = GroundPlacement(
                placement.height[close], placement.slope[close], placement.verdict[close]
            )
            heights = flat[place[close] + body[:, None]]
            valid[close] = ~(heights > body_undersides(footprint, some)).any(axis=0)
        return valid

    def _offsets(self, points: Array, heading: float) -> npt.NDArray[np.int64]:
        """Return the raster offsets of the points of a turned robot from its origin."""
        cos, sin = math.cos(heading), math.sin(heading)
        x = cos * points[:, 0] - sin * points[:, 1]
        y = sin * points[:, 0] + cos * points[:, 1]
        right, down = (np.rint(part / self._cell).astype(np.int64) for part in (x, y))
        return np.asarray(down * self._raster.shape[1] + right)


def scipy_part(name: str) -> Any:
    """Return the module ``scipy.{name}``; SciPy is optional: path followers do not need it."""
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError as error:
        raise missing_extra("planning needs SciPy", "plan") from error
