"""Where a grid of heights is plane and where it is not: the patches that ground is made of.

A bar that lies on level ground touches a box in two points, but a height field in every triangle
under it: Quince on a level map of 20 mm had 512 contacts and ran at a quarter of real time. Where
the map is plane a single solid says the same, so what is left for height fields is the uneven rest,
where few points touch at a time.

A plane whose border follows the grid is cut into rectangles. One that lies across it, such as a
ramp turned by 30 degrees, would fall into hundreds of them: it becomes a few large rectangles if
most of it lies in them, and convex polygons that end within a cell or two of its border; height
fields have what is left along it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array
from grouser.world.terrain.height_maps.plane_polygons import BORDER, SMALLEST_POLYGON, polygons
from grouser.world.terrain.height_maps.plane_rectangles import (
    Cells,
    Mask,
    Rectangle,
    joined,
    large_rectangles,
    rectangles,
)

PLANE = 1e-6
"""m by which the edges of a plane's cells may differ in their rise: a micrometre."""
SMALLEST = 3
"""Cells of the smallest rectangle that becomes a solid of its own."""
MOST_RECTANGLES = 8
"""That one plane is cut into; one that needs more lies across the grid."""
SUNK = 0.1
"""m by which height fields lie lower under solids, so that nothing touches both."""
TILE = 16
"""Cells of a height field along either axis: high parts elsewhere then do not count here."""
MOST_TILES = 48
"""Along either axis; a larger map has larger tiles."""


@dataclass(frozen=True)
class PlanePatch:
    """A convex part of the map that lies in one plane."""

    corners: tuple[tuple[float, float], ...]
    """Row and column of each, going round; whole numbers are points of the grid."""
    heights: tuple[float, ...]
    """Of the corners, m."""


@dataclass(frozen=True)
class FieldPatch:
    """A rectangle that becomes a height field."""

    down: slice
    """Its points' rows, both edges included."""
    along: slice
    """Its points' columns, both edges included."""


@dataclass(frozen=True)
class Patches:
    """What a map is made of: together the planes and fields are its ground."""

    planes: list[PlanePatch]
    fields: list[FieldPatch]
    heights: Array
    """The map for the fields, m: lower by `SUNK` where planes cover all around a point."""


def cut(heights: Array, *, planes: bool = True, there: Mask | None = None) -> Patches:
    """Cut a grid of heights (m) into patches.

    Args:
        heights: (rows, columns), finite.
        planes: False: no plane is looked for, so that all maps of a size are cut alike.
        there: which cells are ground, (rows - 1, columns - 1); None: all.
    """
    rows, columns = heights.shape[0] - 1, heights.shape[1] - 1
    ground = np.ones((rows, columns), bool) if there is None else there
    rest = ground.copy()
    found = list(_planes(heights, rest, ground)) if planes else []
    fields = []
    tile = max(TILE, -(-max(rows, columns) // MOST_TILES))
    for top in range(0, rows, tile):
        for left in range(0, columns, tile):
            here = slice(top, top + tile), slice(left, left + tile)
            for row, column, height, width in _fields(rest[here], ground[here]):
                fields.append(
                    FieldPatch(
                        slice(top + row, top + row + height + 1),
                        slice(left + column, left + column + width + 1),
                    )
                )
    around = np.pad(rest, 1, constant_values=False)
    seen = around[1:, 1:] | around[1:, :-1] | around[:-1, 1:] | around[:-1, :-1]
    return Patches(found, fields, np.where(seen, heights, heights - SUNK))


def _fields(rest: Mask, ground: Mask) -> Iterator[Rectangle]:
    """Yield rectangles that cover the ``rest`` of a tile, and nothing that is no ``ground``."""
    down, along = np.flatnonzero(rest.any(axis=1)), np.flatnonzero(rest.any(axis=0))
    if not down.size:
        return
    row, column, end, right = int(down[0]), int(along[0]), int(down[-1]) + 1, int(along[-1]) + 1
    if ground[row:end, column:right].all():
        yield row, column, end - row, right - column
    else:
        same = np.zeros(rest.shape, np.int64)
        yield from rectangles(rest, same, same)


def _planes(heights: Array, rest: Mask, ground: Mask) -> Iterator[PlanePatch]:
    """Find the ground's planes, and take the cells that they cover away from the ``rest``."""
    plane, along, down = _rises(heights)
    plane &= ground
    for parts in joined(list(rectangles(plane, along, down)), plane, along, down):
        if len(parts) <= MOST_RECTANGLES:
            yield from _rectangular(heights, rest, parts)
        else:
            yield from _polygonal(heights, rest, ground, parts)


def _rectangular(heights: Array, rest: Mask, parts: list[Rectangle]) -> Iterator[PlanePatch]:
    """Make a solid of every one of a plane's rectangles that is large enough."""
    for row, column, height, width in parts:
        if height * width >= SMALLEST:
            rest[row : row + height, column : column + width] = False
            end, right = row + height, column + width
            corners = ((row, column), (row, right), (end, right), (end, column))
            yield PlanePatch(corners, tuple(float(heights[corner]) for corner in corners))


def _polygonal(
    heights: Array, rest: Mask, ground: Mask, parts: list[Rectangle]
) -> Iterator[PlanePatch]:
    """Make convex solids of a plane that lies across the grid, of which no two share a cell.

    They may reach beyond it where the ground around is higher, as on the far side of a valley.
    """
    rows, columns = rest.shape
    begin, size = np.array(parts)[:, :2], np.array(parts)[:, 2:]
    top, left = np.maximum(begin.min(axis=0) - BORDER, 0).tolist()
    bottom, right = (begin + size).max(axis=0).tolist()
    bottom, right = min(bottom + BORDER, rows), min(right + BORDER, columns)
    own = np.zeros((bottom - top, right - left), bool)
    for row, column, height, width in parts:
        own[row - top : row - top + height, column - left : column - left + width] = True
    large = [(top + a, left + b, high, wide) for a, b, high, wide in large_rectangles(own)]
    yield from _rectangular(heights, rest, large)
    row, column = parts[0][:2]
    origin = float(heights[row, column])
    fall, rise = float(heights[row + 1, column]) - origin, float(heights[row, column + 1]) - origin

    def z(down: Array, along: Array) -> Array:
        return origin + (down - row) * fall + (along - column) * rise

    places = np.meshgrid(np.arange(top, bottom + 1), np.arange(left, right + 1), indexing="ij")
    under = z(*places) <= heights[top : bottom + 1, left : right + 1] + PLANE
    allowed = under[1:, 1:] & under[1:, :-1] & under[:-1, 1:] & under[:-1, :-1]
    allowed &= ground[top:bottom, left:right] & ~own
    for a, b, high, wide in large:
        own[a - top : a - top + high, b - left : b - left + wide] = False
    for polygon in polygons(own, allowed | own):
        rest[top:bottom, left:right] &= ~polygon.covered
        own &= ~polygon.touched
        at = np.add(polygon.corners, (top, left))
        yield PlanePatch(
            tuple((a, b) for a, b in at.tolist()), tuple(z(at[:, 0], at[:, 1]).tolist())
        )
    same = np.zeros(own.shape, np.int64)
    for a, b, high, wide in rectangles(own, same, same):
        if high * wide >= SMALLEST_POLYGON:
            yield from _rectangular(heights, rest, [(top + a, left + b, high, wide)])


def _rises(heights: Array) -> tuple[Mask, Cells, Cells]:
    """Return which cells are plane, and how each rises along and down, in units of `PLANE`.

    Neighbours share an edge: if they rise alike, they lie in one plane.
    """
    along, down = np.diff(heights, axis=1), np.diff(heights, axis=0)
    plane = np.abs(along[1:] - along[:-1]) < PLANE
    return (
        plane,
        np.rint(along[:-1] / PLANE).astype(np.int64),
        np.rint(down[:, :-1] / PLANE).astype(np.int64),
    )
