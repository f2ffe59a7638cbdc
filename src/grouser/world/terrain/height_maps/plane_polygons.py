"""Convex polygons that cover the cells of an oblique plane."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from grouser.frames import Array
from grouser.world.terrain.height_maps.plane_rectangles import Cells, Mask

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
    """Cover a plane's ``own`` cells with convex polygons of ``allowed`` ones.

    No two polygons share a cell or a part of it, so that a contact has only one of them. Cells
    along their borders remain uncovered.
    """
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
            corners = _inscribed(left[:end], right[:end])
            covered = _covered(corners, end, free.shape[1]) & free[row : row + end]
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
        touched[row : row + len(best[2])] = _touched(best[1], *best[2].shape)
        yield Polygon([(row + a, b) for a, b in best[1]], cells, touched)
        allowed &= ~touched
        free &= allowed & ~_widened(cells)
        free[seed, column] = False


def _widened(cells: Mask) -> Mask:
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
    """Return the first column, and the one after the last, of a run of ``cells`` in every row.

    Rows begin at the given cell; each run overlaps the one above, and the first row without one
    ends the sequence.
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


def _inscribed(left: Cells, right: Cells) -> Corners:
    """Return a convex polygon inscribed in rows of cells, as corners (row, column); empty: none.

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


def _covered(corners: Corners, rows: int, columns: int) -> Mask:
    """Return the mask of cells inside a polygon."""
    west, east = _sides(corners, rows)
    at = np.arange(columns)
    first = np.ceil(np.maximum(west[:-1], west[1:]) - GRAZE)
    end = np.floor(np.minimum(east[:-1], east[1:]) + GRAZE)
    return np.asarray((at >= first[:, None]) & (at < end[:, None]))


def _touched(corners: Corners, rows: int, columns: int) -> Mask:
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
