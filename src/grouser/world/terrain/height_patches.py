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

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

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
    """Cut a grid of finite heights (rows, columns; m) into patches.

    Without ``planes`` all maps of a size have equal patches; ``there`` is the mask of the cells
    (rows - 1, columns - 1) that are ground.
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
    for parts in group_by_plane(list(rectangles(plane, along, down)), plane, along, down):
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
    """Yield convex patches of an oblique plane, of which no two share a cell."""
    # They may extend beyond the plane where the ground around it is higher, as in a valley.
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
    """Return the mask of plane cells, and the rise of each along rows and columns, in `PLANE`."""
    # Adjacent cells with equal rises lie in one plane, since they share an edge.
    along, down = np.diff(heights, axis=1), np.diff(heights, axis=0)
    plane = np.abs(along[1:] - along[:-1]) < PLANE
    return (
        plane,
        np.rint(along[:-1] / PLANE).astype(np.int64),
        np.rint(down[:, :-1] / PLANE).astype(np.int64),
    )


Cells = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rectangle = tuple[int, int, int, int]
"""First row and column, number of rows and of columns, in cells."""

LARGE = 0.1
"""Smallest share of a plane's cells in a large rectangle."""
HOLLOW = 0.1
"""Ratio of gaps to cells above which a shape counts as far from convex."""
MOST = 0.8
"""Smallest share of a plane's cells that large rectangles must cover together."""


def rectangles(free: Mask, first: Cells, second: Cells) -> Iterator[Rectangle]:
    """Partition the ``free`` cells into rectangles in which both tables are constant."""
    free = free.copy()
    rows, columns = free.shape
    for row in range(rows):
        column = 0
        while column < columns:
            if not free[row, column]:
                column += 1
                continue
            a, b = first[row, column], second[row, column]
            here = free[row, column:] & (first[row, column:] == a) & (second[row, column:] == b)
            width = int(here.argmin()) or len(here)
            end = column + width
            height = 1
            while (
                row + height < rows
                and (
                    free[row + height, column:end]
                    & (first[row + height, column:end] == a)
                    & (second[row + height, column:end] == b)
                ).all()
            ):
                height += 1
            free[row : row + height, column:end] = False
            yield row, column, height, width
            column = end


def group_by_plane(
    parts: list[Rectangle], plane: Mask, along: Cells, down: Cells
) -> Iterator[list[Rectangle]]:
    """Yield groups of adjacent rectangles that lie in one plane (union-find)."""
    number = np.full(plane.shape, -1)
    for index, (row, column, height, width) in enumerate(parts):
        number[row : row + height, column : column + width] = index
    pairs = []
    for one, other in (
        ((slice(1, None), slice(None)), (slice(None, -1), slice(None))),
        ((slice(None), slice(1, None)), (slice(None), slice(None, -1))),
    ):
        same = (along[one] == along[other]) & (down[one] == down[other])
        same &= plane[one] & plane[other] & (number[one] != number[other])
        pairs.append(np.column_stack([number[one][same], number[other][same]]))
    leader = list(range(len(parts)))

    def find(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    for a, b in np.unique(np.concatenate(pairs), axis=0).tolist():
        low, high = sorted((find(a), find(b)))
        leader[high] = low
    groups: dict[int, list[Rectangle]] = {}
    for index, rectangle in enumerate(parts):
        groups.setdefault(find(index), []).append(rectangle)
    yield from groups.values()


def large_rectangles(cells: Mask) -> list[Rectangle]:
    """Return the few large rectangles that cover most of the cells, largest first; often none."""
    # A plate with a round hole has them; an oblique strip is covered by one polygon instead.
    if _gaps(cells) < HOLLOW * cells.sum():
        return []
    free, all_cells, found = cells.copy(), int(cells.sum()), []
    while True:
        row, column, height, width = _largest(free)
        if height * width < LARGE * all_cells or not height:
            break
        free[row : row + height, column : column + width] = False
        found.append((row, column, height, width))
    return found if free.sum() <= (1 - MOST) * all_cells else []


def _gaps(cells: Mask) -> int:
    """Return the number of empty positions between the first and last cell of a row or column."""
    between = np.zeros_like(cells)
    for axis in (0, 1):
        ahead = np.logical_or.accumulate(cells, axis=axis)
        behind = np.flip(np.logical_or.accumulate(np.flip(cells, axis), axis=axis), axis)
        between |= ahead & behind & ~cells
    return int(between.sum())


def _largest(cells: Mask) -> Rectangle:
    """Return the largest rectangle of cells, by dynamic programming over rows."""
    # Every cell has the height of the run of cells above it, and the width in which all runs
    # are at least as high.
    columns = np.arange(cells.shape[1])
    end = len(columns)
    height, left, right = np.zeros(end, int), np.zeros(end, int), np.full(end, end)
    best = 0, 0, 0, 0
    for row, line in enumerate(cells):
        first = np.maximum.accumulate(np.where(line, 0, columns + 1))
        after = np.minimum.accumulate(np.where(line, end, columns)[::-1])[::-1]
        height = np.where(line, height + 1, 0)
        left = np.where(line, np.maximum(left, first), 0)
        right = np.where(line, np.minimum(right, after), end)
        area = height * (right - left)
        at = int(area.argmax())
        if area[at] > best[2] * best[3]:
            high = int(height[at])
            best = row + 1 - high, int(left[at]), high, int(right[at] - left[at])
    return best


SMALLEST_POLYGON = 16
"""Cells of the smallest polygon; smaller areas are faster as height fields."""
MOST_CORNERS = 10
"""Largest number of corners of a polygon; collision time grows with it."""
BORDER = 2
"""Cells around a polygon that are not used for other polygons, which would be slivers."""
ENDS = 24
"""Number of polygon lengths that are tried."""
GRAZE = 1e-9
"""Overlap with a cell that is ignored, in cells."""

Corners = list[tuple[float, float]]
"""Row and column of each corner, in order."""


@dataclass(frozen=True)
class Polygon:
    """Convex polygon on a grid of cells."""

    corners: Corners
    covered: Mask
    """Cells of the plane that it covers completely."""
    touched: Mask
    """Cells that it covers completely or partly."""


def polygons(own: Mask, allowed: Mask) -> Iterator[Polygon]:
    """Cover a plane's ``own`` cells with convex polygons of ``allowed`` ones."""
    # No two polygons share a cell or a part of it, so that a contact has only one of them.
    # Cells along their borders remain uncovered.
    allowed = allowed.copy()
    free = own.copy()
    while free.any():
        seed = int(free.any(axis=1).argmax())
        column = int(free[seed].argmax())
        row = seed
        while row > max(seed - BORDER, 0) and allowed[row - 1, column]:
            row -= 1
        left, right = _bands(allowed, row, column)
        best: tuple[int, Corners, Mask] | None = None
        for end in sorted({int(end) for end in np.linspace(1, len(left), ENDS)}):
            corners = _inscribe(left[:end], right[:end])
            covered = _cells_inside(corners, end, free.shape[1]) & free[row : row + end]
            # Cells beside the polygon would remain uncovered along its border.
            worth = 2 * int(covered.sum()) - int(_within(free[row:], left[:end], right[:end]).sum())
            if covered.sum() >= SMALLEST_POLYGON and (best is None or worth > best[0]):
                best = worth, corners, covered
        if best is None:
            free[seed, column : _run_end(free[seed], column)] = False
            continue
        cells = np.zeros_like(free)
        cells[row : row + len(best[2])] = best[2]
        touched = np.zeros_like(free)
        touched[row : row + len(best[2])] = _cells_touched(best[1], *best[2].shape)
        yield Polygon([(row + a, b) for a, b in best[1]], cells, touched)
        allowed &= ~touched
        free &= allowed & ~_widen(cells)
        free[seed, column] = False


def _widen(cells: Mask) -> Mask:
    """Return the cells dilated by `BORDER`."""
    near = cells.copy()
    for _ in range(BORDER):
        for one, other in ((near[1:], near[:-1]), (near[:, 1:], near[:, :-1])):
            both = one | other
            one |= both
            other |= both
    return near


def _within(cells: Mask, left: Cells, right: Cells) -> Mask:
    """Return the ``cells`` of the first rows between two columns per row."""
    columns = np.arange(cells.shape[1])
    return np.asarray(cells[: len(left)] & (columns >= left[:, None]) & (columns < right[:, None]))


def _bands(cells: Mask, row: int, column: int) -> tuple[Cells, Cells]:
    """Return the first column, and the one after the last, of a run of ``cells`` in every row."""
    # Rows begin at the given cell; each run overlaps the one above, and the first row without
    # one ends the sequence.
    left, right = [_run_start(cells[row], column)], [_run_end(cells[row], column)]
    for line in cells[row + 1 :]:
        shared = np.flatnonzero(line[left[-1] : right[-1]])
        if not shared.size:
            break
        runs = np.split(shared, np.flatnonzero(np.diff(shared) > 1) + 1)
        first = left[-1] + int(max(runs, key=len)[0])
        left.append(_run_start(line, first))
        right.append(_run_end(line, first))
    return np.array(left), np.array(right)


def _run_start(cells: Mask, inside: int) -> int:
    before = cells[inside::-1]
    return inside + 1 - (int(before.argmin()) or len(before))


def _run_end(cells: Mask, start: int) -> int:
    here = cells[start:]
    return start + (int(here.argmin()) or len(here))


def _inscribe(left: Cells, right: Cells) -> Corners:
    """Return a convex polygon (row, column) in rows of cells from ``left`` to before ``right``."""
    west = _convex_above(np.maximum(np.append(left, left[-1]), np.append(left[0], left)))
    east = -_convex_above(-np.minimum(np.append(right, right[-1]), np.append(right[0], right)))
    lines = np.flatnonzero(west < east)
    if len(lines) < 2:
        return []
    chain = [(float(line), float(east[line])) for line in lines]
    chain += [(float(line), float(west[line])) for line in lines[::-1]]
    while True:
        points = np.array(chain)
        before, after = np.roll(points, 1, axis=0) - points, np.roll(points, -1, axis=0) - points
        lost = np.abs(before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0])
        least = int(lost.argmin())
        if lost[least] > 1e-9 and len(chain) <= MOST_CORNERS:
            return chain
        del chain[least]


def _convex_above(bound: Cells) -> Array:
    """Return a convex function of the index that is a tight upper bound of ``bound``."""
    hull: list[int] = []
    for index, value in enumerate(bound.tolist()):
        while len(hull) > 1:
            (a, b), (x, y) = hull[-2:], (bound[hull[-2]], bound[hull[-1]])
            if (y - x) * (index - a) < (value - x) * (b - a):
                break
            hull.pop()
        hull.append(index)
    places = np.arange(len(bound))
    result = np.full(len(bound), -np.inf)
    for a, b in itertools.pairwise(hull):
        slope = (bound[b] - bound[a]) / (b - a)
        line = bound[a] + slope * (places - a)
        result = np.maximum(result, line + (bound - line)[a : b + 1].max())
    return result


def _cells_inside(corners: Corners, rows: int, columns: int) -> Mask:
    """Return the mask of cells inside a polygon."""
    west, east = _sides(corners, rows)
    at = np.arange(columns)
    first = np.ceil(np.maximum(west[:-1], west[1:]) - GRAZE)
    end = np.floor(np.minimum(east[:-1], east[1:]) + GRAZE)
    return np.asarray((at >= first[:, None]) & (at < end[:, None]))


def _cells_touched(corners: Corners, rows: int, columns: int) -> Mask:
    """Return the mask of cells that a polygon overlaps."""
    west, east = _sides(corners, rows)
    at = np.arange(columns)
    first = np.floor(np.minimum(west[:-1], west[1:]) + GRAZE)
    end = np.ceil(np.maximum(east[:-1], east[1:]) - GRAZE)
    return np.asarray((at >= first[:, None]) & (at < end[:, None]))


def _sides(corners: Corners, rows: int) -> tuple[Array, Array]:
    """Return the column range of a polygon on every line of the grid; inf, -inf: empty."""
    west, east = np.full(rows + 1, np.inf), np.full(rows + 1, -np.inf)
    for (a, x), (b, y) in zip(corners, corners[1:] + corners[:1], strict=True):
        low, high = sorted(((a, x), (b, y)))
        for line in range(round(low[0]), round(high[0]) + 1):
            share = (line - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 0.0
            at = low[1] + share * (high[1] - low[1])
            ends = (at, high[1]) if high[0] == low[0] else (at,)
            west[line], east[line] = min(west[line], *ends), max(east[line], *ends)
    return west, east
