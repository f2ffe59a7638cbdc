"""Where a robot can stand: computed once for a grid of places and headings, looked up ever after.

The ground's heights are taken once, on a raster; a robot that is turned by one of the map's
headings is then a fixed set of offsets in it, so that all places are judged together by shifting
the raster.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from grouser.cores import cores
from grouser.errors import BadValue
from grouser.frames import Array
from grouser.planning.ground import (
    STANDS,
    AskableGround,
    Footprint,
    Laid,
    lay,
    stand,
    undersides,
)
from grouser.planning.scipy_parts import scipy_part

HEADINGS = 16
"""Headings of a map, evenly spaced."""
FINENESS = 8
"""Cells of the raster in the robot's radius."""
STEP = 2
"""Cells of the raster from one place of the map to the next."""
QUERIES = 250_000
"""Heights asked for, about: in small worlds several per cell, of which the highest counts."""
MOST_PER_CELL = 6
"""Heights asked for along a cell's side at most."""
MOST_PLACES = 4_000_000
"""Largest map: places."""

CHUNK = 1 << 12
"""Places judged together: what they need stays in the processor's cache."""

Bounds = tuple[float, float, float, float]
"""Smallest x and y, largest x and y, m, in the world frame."""


@dataclass(frozen=True, eq=False)
class ValidityMap:
    """Where a robot can stand, by heading and place."""

    corner: Array
    """The first place in the world (2,), m."""
    step: float
    """Distance between neighbouring places, m."""
    valid: npt.NDArray[np.bool_]
    """Whether the robot stands there (headings, rows along y, columns along x)."""
    height: Array
    """Of the ground at the places (rows, columns), m; -inf where there is none."""

    def cells(self, points: npt.ArrayLike) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return row and column of the places nearest to ``points`` (…, 2); -1 outside."""
        index = np.rint((np.asarray(points, np.float64) - self.corner) / self.step)
        column, row = index[..., 0].astype(np.int64), index[..., 1].astype(np.int64)
        rows, columns = self.height.shape
        outside = (column < 0) | (row < 0) | (column >= columns) | (row >= rows)
        return np.where(outside, -1, row), np.where(outside, -1, column)

    def stands(self, points: npt.ArrayLike, heading: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether the robot stands at ``points`` (…, 2) with ``heading`` (…), rad."""
        row, column = self.cells(points)
        return np.asarray(self.valid[self.heading(heading), row, column] & (row >= 0))

    def heading(self, angle: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the number of the heading nearest to ``angle``, rad."""
        turn = np.asarray(angle, np.float64) / (2 * math.pi) * len(self.valid)
        return np.asarray(np.rint(turn).astype(np.int64) % len(self.valid))

    def way(self, start: npt.ArrayLike, end: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether the robot stands all along straight ways (n, 2) → (n, 2), driven ahead.

        Neighbouring places must do as well: nobody drives a way to the last millimetre.
        """
        a, b = np.atleast_2d(np.asarray(start, float)), np.atleast_2d(np.asarray(end, float))
        way = b - a
        length = np.hypot(way[:, 0], way[:, 1])
        count = int(length.max(initial=0.0) / self.step) + 2
        share = _shares(count)[:, None, None]
        heading = self.heading(np.arctan2(way[:, 1], way[:, 0]))
        row, column = self.cells(a + share * way)
        good = self._safe[heading, row, column] & (row >= 0)
        return np.asarray(good.all(axis=0))

    def one_way(self, x: float, y: float, to_x: float, to_y: float) -> bool:
        """Return what `way` does of a single one, for planners that ask one after another."""
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
        """Where the robot stands at a place and at the eight around it; beyond the map: it does."""
        padded = np.pad(self.valid, ((0, 0), (1, 1), (1, 1)), constant_values=True)
        rows, columns = self.height.shape
        safe = self.valid.copy()
        for down in range(3):
            for right in range(3):
                safe &= padded[:, down : down + rows, right : right + columns]
        return safe

    @cached_property
    def anywhere(self) -> npt.NDArray[np.bool_]:
        """Where the robot stands with some heading (rows, columns)."""
        return np.asarray(self.valid.any(axis=0))

    def joined(self, start: npt.ArrayLike, goal: npt.ArrayLike) -> bool:
        """Return whether places where the robot stands lead from ``start`` to ``goal`` (2,).

        If not, there is no path; if so, there may yet be none, since the robot must also turn.
        """
        labels, _ = scipy_part("ndimage").label(self.anywhere, np.ones((3, 3)))
        row, column = self.cells(np.array([start, goal], np.float64))
        here, there = labels[row, column].tolist()
        return bool(here == there and here > 0 and (row >= 0).all())

    @cached_property
    def _distances(self) -> dict[int, Array]:
        """How far (m) places (rows, columns) are from where the robot fails, of headings asked."""
        return {}

    def clearance(self, points: npt.ArrayLike, heading: npt.ArrayLike) -> Array:
        """Return how far (m) the robot at ``points`` with ``heading`` is from where it fails."""
        row, column = self.cells(points)
        turns = np.broadcast_to(self.heading(heading), row.shape)
        room = np.zeros(row.shape)
        for turn in np.unique(turns).tolist():
            if turn not in self._distances:
                distance = scipy_part("ndimage").distance_transform_edt
                # What is beyond the map is not known to be bad: only what is in it counts.
                self._distances[turn] = distance(self.valid[turn]) * self.step
            these = (turns == turn) & (row >= 0)
            room[these] = self._distances[turn][row[these], column[these]]
        return room


@lru_cache(256)
def _shares(count: int) -> Array:
    """Return ``count`` numbers from 0 to 1, evenly."""
    return np.linspace(0.0, 1.0, count)


def map_validity(
    ground: AskableGround, footprint: Footprint, bounds: Bounds, *, radius: float | None = None
) -> ValidityMap:
    """Judge all places within ``bounds``.

    Args:
        ground: what is asked.
        footprint: of the robot.
        bounds: of the places.
        radius: of a robot by which the map's fineness is chosen, m; None: of this one.

    Raises:
        BadValue: the bounds are empty, or so large that the map would not fit.
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
    # NumPy lets another thread run while it works; more threads than cores get in each other's way.
    with ThreadPoolExecutor(cores()) as pool:
        headings = (2 * math.pi * k / HEADINGS for k in range(HEADINGS))
        valid = np.stack(list(pool.map(layers.layer, headings)))
    height = _shifted(raster, margin, margin, (rows, columns)).astype(np.float64)
    return ValidityMap(corner, step, valid, height)


def stands_at(ground: AskableGround, footprint: Footprint, x: float, y: float) -> int:
    """Return `STANDS` if the robot stands at a place with some heading, else what is most wrong."""
    turns = np.arange(HEADINGS) * 2 * math.pi / HEADINGS
    poses = np.column_stack([np.full(HEADINGS, x), np.full(HEADINGS, y), turns])
    verdict = lay(ground, footprint, poses).verdict
    return STANDS if (verdict == STANDS).any() else int(np.bincount(verdict).argmax())


def _raster(
    ground: AskableGround, corner: Array, cell: float, shape: tuple[int, int], margin: int
) -> npt.NDArray[np.float32]:
    """Return the highest ground in every cell around the map, float32: a micrometre in 10 m."""
    rows, columns = (STEP * (count - 1) + 1 + 2 * margin for count in shape)
    several = int(np.clip(math.isqrt(QUERIES // (rows * columns)), 1, MOST_PER_CELL))
    inside = (np.arange(several) + 0.5) / several - 0.5
    x = corner[0] + cell * (np.arange(columns)[:, None] + inside).ravel()
    y = corner[1] + cell * (np.arange(rows)[:, None] + inside).ravel()
    points = np.stack(np.meshgrid(x, y), axis=-1)
    heights = ground.below(points).height.reshape(rows, several, columns, several)
    return np.asarray(heights.max(axis=(1, 3)), np.float32)


def _shifted(
    raster: npt.NDArray[np.float32], down: int, right: int, shape: tuple[int, int]
) -> npt.NDArray[np.float32]:
    """Return the raster at the map's places, moved by whole cells."""
    rows, columns = shape
    return raster[down : down + STEP * rows : STEP, right : right + STEP * columns : STEP]


def _stands_level(footprint: Footprint) -> bool:
    """Return whether the robot stands on a level plane."""
    laid = stand(footprint, np.zeros((len(footprint.contacts), 1)))
    return bool(laid.valid[0] and (undersides(footprint, laid) >= 0.0).all())


class _Layers:
    """The layers of a map: one for each heading."""

    def __init__(
        self,
        raster: npt.NDArray[np.float32],
        footprint: Footprint,
        cell: float,
        margin: int,
        shape: tuple[int, int],
    ) -> None:
        self._raster, self._footprint, self._shape = raster, footprint, shape
        self._cell, self._margin = cell, margin
        row, column = np.indices(shape).reshape(2, -1)
        place = (margin + STEP * row) * raster.shape[1] + margin + STEP * column
        # Of the ground within the robot's radius the highest: most places need no closer look.
        images, around = scipy_part("ndimage"), 2 * margin + 1
        highest, lowest = (
            _shifted(of(raster, around), margin, margin, shape).ravel()
            for of in (images.maximum_filter, images.minimum_filter)
        )
        # Level all around: one place is as good as another, whatever the heading.
        level: npt.NDArray[np.bool_] = (highest == lowest) & np.isfinite(highest)
        self._level = level & np.bool_(_stands_level(footprint))
        self._rough = np.flatnonzero(~level)
        self._place, self._highest = place[self._rough], highest[self._rough]

    def layer(self, heading: float) -> npt.NDArray[np.bool_]:
        """Return where the robot stands with one heading (rows, columns)."""
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
        """Return (n,) where the robot stands, its points ``contacts`` and ``body`` from places."""
        footprint, flat = self._footprint, self._raster.ravel()
        laid = stand(footprint, flat[place + contacts[:, None]])
        valid = laid.valid
        if len(body):
            tilt = np.hypot(*laid.slope.T) * footprint.radius
            low = laid.height - footprint.standing + footprint.body[:, 2].min() - tilt
            close = np.flatnonzero(valid & (highest > low))
            some = Laid(laid.height[close], laid.slope[close], laid.verdict[close])
            heights = flat[place[close] + body[:, None]]
            valid[close] = ~(heights > undersides(footprint, some)).any(axis=0)
        return valid

    def _offsets(self, points: Array, heading: float) -> npt.NDArray[np.int64]:
        """Return how far in the raster the points of a turned robot are from its middle."""
        cos, sin = math.cos(heading), math.sin(heading)
        x = cos * points[:, 0] - sin * points[:, 1]
        y = sin * points[:, 0] + cos * points[:, 1]
        right, down = (np.rint(part / self._cell).astype(np.int64) for part in (x, y))
        return np.asarray(down * self._raster.shape[1] + right)
