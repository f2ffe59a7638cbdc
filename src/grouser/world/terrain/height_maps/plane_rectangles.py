"""Partition of a mask of cells into rectangles."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

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


def joined(
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
    """Return the few large rectangles that cover most of the cells, largest first; often none.

    A plate with a round hole has them; an oblique strip has none and is covered by one polygon.
    """
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
    """Return the largest rectangle of cells, by dynamic programming over rows.

    Every cell has the height of the run of cells above it, and the width in which all runs are at
    least as high.
    """
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
