"""Where a grid of heights is plane and where it is not: the patches that ground is made of.

A bar that lies on level ground touches a box in two points, but a height field in every triangle
under it: Quince on a level map of 20 mm had 512 contacts and ran at a quarter of real time. Where
the map is plane a single solid says the same, so what is left for height fields is the uneven rest,
where few points touch at a time.

A plane whose border follows the grid is cut into rectangles. One that lies across it, such as a
ramp turned by 30 degrees, would fall into hundreds of them: it becomes convex polygons that end
within a cell or two of its border, and height fields have what is left along it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

PLANE = 1e-6
"""m by which the edges of a plane's cells may differ in their rise: a micrometre."""
SMALLEST = 3
"""Cells of the smallest rectangle that becomes a solid of its own."""
SMALLEST_POLYGON = 16
"""Cells of the smallest polygon that does; smaller ones are many and cheap as height fields."""
MOST_RECTANGLES = 8
"""That one plane is cut into; one that needs more lies across the grid."""
MOST_CORNERS = 10
"""Of a polygon: what touches it is told apart faster from few corners."""
BORDER = 2
"""Cells around a polygon of which no other polygons are made: they would be slivers."""
SUNK = 0.1
"""m by which height fields lie lower under solids, so that nothing touches both."""
TILE = 16
"""Cells of a height field along either axis: high parts elsewhere then do not count here."""
MOST_TILES = 48
"""Along either axis; a larger map has larger tiles."""
ENDS = 24
"""How many lengths of a polygon are tried."""

Cells = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Rectangle = tuple[int, int, int, int]
"""First row and column, and how many rows and columns, of cells."""


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
        yield from _rectangles(rest, same, same)


def _planes(heights: Array, rest: Mask, ground: Mask) -> Iterator[PlanePatch]:
    """Find the ground's planes, and take the cells that they cover away from the ``rest``."""
    plane, along, down = _rises(heights)
    plane &= ground
    rectangles = list(_rectangles(plane, along, down))
    for parts in _joined(rectangles, plane, along, down):
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
    """Make convex solids of a plane that lies across the grid.

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
    row, column = parts[0][:2]
    origin = float(heights[row, column])
    fall, rise = float(heights[row + 1, column]) - origin, float(heights[row, column + 1]) - origin

    def z(down: Array, along: Array) -> Array:
        return origin + (down - row) * fall + (along - column) * rise

    places = np.meshgrid(np.arange(top, bottom + 1), np.arange(left, right + 1), indexing="ij")
    under = z(*places) <= heights[top : bottom + 1, left : right + 1] + PLANE
    allowed = under[1:, 1:] & under[1:, :-1] & under[:-1, 1:] & under[:-1, :-1]
    allowed &= ground[top:bottom, left:right]
    for corners, covered in _polygons(own, allowed | own):
        rest[top:bottom, left:right] &= ~covered
        at = np.add(corners, (top, left))
        yield PlanePatch(
            tuple((a, b) for a, b in at.tolist()), tuple(z(at[:, 0], at[:, 1]).tolist())
        )


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


def _rectangles(free: Mask, first: Cells, second: Cells) -> Iterator[Rectangle]:
    """Cut the ``free`` cells into rectangles in which both tables are constant."""
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


def _joined(
    rectangles: list[Rectangle], plane: Mask, along: Cells, down: Cells
) -> Iterator[list[Rectangle]]:
    """Sort rectangles by the plane they are part of: those of one plane touch each other."""
    number = np.full(plane.shape, -1)
    for index, (row, column, height, width) in enumerate(rectangles):
        number[row : row + height, column : column + width] = index
    pairs = []
    for one, other in (
        ((slice(1, None), slice(None)), (slice(None, -1), slice(None))),
        ((slice(None), slice(1, None)), (slice(None), slice(None, -1))),
    ):
        same = (along[one] == along[other]) & (down[one] == down[other])
        same &= plane[one] & plane[other] & (number[one] != number[other])
        pairs.append(np.column_stack([number[one][same], number[other][same]]))
    leader = list(range(len(rectangles)))

    def find(index: int) -> int:
        while leader[index] != index:
            leader[index] = leader[leader[index]]
            index = leader[index]
        return index

    for a, b in np.unique(np.concatenate(pairs), axis=0).tolist():
        low, high = sorted((find(a), find(b)))
        leader[high] = low
    groups: dict[int, list[Rectangle]] = {}
    for index, rectangle in enumerate(rectangles):
        groups.setdefault(find(index), []).append(rectangle)
    yield from groups.values()


def _polygons(own: Mask, allowed: Mask) -> Iterator[tuple[list[tuple[float, float]], Mask]]:
    """Cover a plane's ``own`` cells with convex polygons of ``allowed`` ones.

    Yields:
        Corners (row, column), going round, and which of its own cells each covers whole. What no
        polygon covers is along their borders.
    """
    free = own.copy()
    while free.any():
        seed = int(free.any(axis=1).argmax())
        column = int(free[seed].argmax())
        row = seed
        while row > max(seed - BORDER, 0) and allowed[row - 1, column]:
            row -= 1
        left, right = _bands(allowed, row, column)
        best: tuple[int, list[tuple[float, float]], Mask] | None = None
        for end in sorted({int(end) for end in np.linspace(1, len(left), ENDS)}):
            corners = _inscribed(left[:end], right[:end])
            covered = _covered(corners, end, free.shape[1]) & free[row : row + end]
            # What lies beside it would be along its border: as good as lost.
            worth = 2 * int(covered.sum()) - int(_within(free[row:], left[:end], right[:end]).sum())
            if covered.sum() >= SMALLEST_POLYGON and (best is None or worth > best[0]):
                best = worth, corners, covered
        if best is None:
            free[seed, column : _run_end(free[seed], column)] = False
            continue
        cells = np.zeros_like(free)
        cells[row : row + len(best[2])] = best[2]
        yield [(row + a, b) for a, b in best[1]], cells
        free &= ~_widened(cells)
        free[seed, column] = False


def _widened(cells: Mask) -> Mask:
    """Return the cells and all up to `BORDER` beside them."""
    near = cells.copy()
    for _ in range(BORDER):
        for one, other in ((near[1:], near[:-1]), (near[:, 1:], near[:, :-1])):
            both = one | other
            one |= both
            other |= both
    return near


def _within(cells: Mask, left: Cells, right: Cells) -> Mask:
    """Return those of the first rows' ``cells`` that lie between two columns in each."""
    columns = np.arange(cells.shape[1])
    return np.asarray(cells[: len(left)] & (columns >= left[:, None]) & (columns < right[:, None]))


def _bands(cells: Mask, row: int, column: int) -> tuple[Cells, Cells]:
    """Return where a run of ``cells`` begins in every row from a place on, and the column after.

    Each run touches the one above; the first row without one ends them.
    """
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


def _inscribed(left: Cells, right: Cells) -> list[tuple[float, float]]:
    """Return a convex polygon inside rows of cells, as corners (row, column); empty: there is none.

    Args:
        left: first column of each row.
        right: the column after each row's last.
    """
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
    """Return a convex function of the index that is nowhere below ``bound`` and close to it."""
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


def _covered(corners: list[tuple[float, float]], rows: int, columns: int) -> Mask:
    """Return which cells lie inside a polygon."""
    inside = np.zeros((rows, columns), bool)
    if not corners:
        return inside
    west, east = np.full(rows + 1, np.inf), np.full(rows + 1, -np.inf)
    for (a, x), (b, y) in zip(corners, corners[1:] + corners[:1], strict=True):
        low, high = sorted(((a, x), (b, y)))
        for line in range(round(low[0]), round(high[0]) + 1):
            share = (line - low[0]) / (high[0] - low[0]) if high[0] > low[0] else 0.0
            at = low[1] + share * (high[1] - low[1])
            ends = (at, high[1]) if high[0] == low[0] else (at,)
            west[line], east[line] = min(west[line], *ends), max(east[line], *ends)
    for row in range(rows):
        first, end = max(west[row : row + 2]), min(east[row : row + 2])
        if first < end:
            inside[row, int(np.ceil(first - 1e-9)) : int(np.floor(end + 1e-9))] = True
    return inside
