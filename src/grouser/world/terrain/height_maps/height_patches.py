"""Segmentation of a height map into plane patches and height-field patches.

A bar on level ground touches a box in two points, but a height field in every triangle under it:
Quince on a level map of 20 mm had 512 contacts and ran at a quarter of real time. Plane parts of
the map therefore become solids, and height fields are used only for the uneven rest, where few
points touch at a time.

A plane whose border follows the grid is cut into rectangles. An oblique one, such as a ramp rotated
by 30 degrees, would give hundreds of them: it becomes a few large rectangles if these cover most of
it, and convex polygons that end within a cell or two of its border; height fields cover the rest
along the border.
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
"""Largest difference in rise between the cells of a plane, m."""
SMALLEST = 3
"""Cells of the smallest rectangle that becomes a solid."""
MOST_RECTANGLES = 8
"""Largest number of rectangles per plane; a plane that needs more counts as oblique."""
SUNK = 0.1
"""Depth by which height fields are lowered under solids, m, so that a contact has only one of
them."""
TILE = 16
"""Cells of a height field along either axis; small tiles have tight bounding boxes."""
MOST_TILES = 48
"""Largest number of tiles along either axis; a larger map has larger tiles."""


@dataclass(frozen=True)
class PlanePatch:
    """Convex part of the map in one plane."""

    corners: tuple[tuple[float, float], ...]
    """Row and column of each corner, in order; integers are points of the grid."""
    heights: tuple[float, ...]
    """Heights of the corners, m."""


@dataclass(frozen=True)
class FieldPatch:
    """Rectangle that becomes a height field."""

    down: slice
    """Rows of its points, both edges included."""
    along: slice
    """Columns of its points, both edges included."""


@dataclass(frozen=True)
class Patches:
    """Patches that together cover a map."""

    planes: list[PlanePatch]
    fields: list[FieldPatch]
    heights: Array
    """Heights for the fields, m: lowered by `SUNK` at points surrounded by planes."""


def cut(heights: Array, *, planes: bool = True, there: Mask | None = None) -> Patches:
    """Cut a grid of heights (m) into patches.

    Args:
        heights: (rows, columns), finite.
        planes: False: planes are not detected, so that all maps of a size have equal patches.
        there: mask of the cells that are ground, (rows - 1, columns - 1); None: all.
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
    """Yield rectangles of ``ground`` cells that cover the ``rest`` of a tile."""
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
    """Yield the patches of all planes, and remove the cells that they cover from ``rest``."""
    plane, along, down = _rises(heights)
    plane &= ground
    for parts in joined(list(rectangles(plane, along, down)), plane, along, down):
        if len(parts) <= MOST_RECTANGLES:
            yield from _rectangular(heights, rest, parts)
        else:
            yield from _polygonal(heights, rest, ground, parts)


def _rectangular(heights: Array, rest: Mask, parts: list[Rectangle]) -> Iterator[PlanePatch]:
    """Yield a patch for every one of a plane's rectangles that is large enough."""
    for row, column, height, width in parts:
        if height * width >= SMALLEST:
            rest[row : row + height, column : column + width] = False
            end, right = row + height, column + width
            corners = ((row, column), (row, right), (end, right), (end, column))
            yield PlanePatch(corners, tuple(float(heights[corner]) for corner in corners))


def _polygonal(
    heights: Array, rest: Mask, ground: Mask, parts: list[Rectangle]
) -> Iterator[PlanePatch]:
    """Yield convex patches of an oblique plane, of which no two share a cell.

    They may extend beyond the plane where the ground around it is higher, as in a valley.
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
    """Return the mask of plane cells, and the rise of each along rows and columns, in `PLANE`.

    Adjacent cells with equal rises lie in one plane, since they share an edge.
    """
    along, down = np.diff(heights, axis=1), np.diff(heights, axis=0)
    plane = np.abs(along[1:] - along[:-1]) < PLANE
    return (
        plane,
        np.rint(along[:-1] / PLANE).astype(np.int64),
        np.rint(down[:, :-1] / PLANE).astype(np.int64),
    )
