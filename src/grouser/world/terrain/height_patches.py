"""Where a grid of heights is plane and where it is not: the patches that ground is made of.

A bar that lies on level ground touches a box in two points, but a height field in every triangle
under it: Quince on a level map of 20 mm had 512 contacts and ran at a quarter of real time. Where
the map is plane a single solid says the same, so what is left for height fields is the uneven rest,
where few points touch at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from grouser.frames import Array

PLANE = 1e-6
"""m by which the edges of a plane's cells may differ in their rise: a micrometre."""
SMALLEST = 3
"""Cells of the smallest plane that becomes a solid of its own; smaller ones are many and cheap."""
TILE = 16
"""Cells of a height field along either axis: high parts elsewhere then do not count here."""
MOST_TILES = 48
"""Along either axis; a larger map has larger tiles."""

Cells = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Patch:
    """A rectangle of cells."""

    down: slice
    """Its points' rows, both edges included."""
    along: slice
    """Its points' columns, both edges included."""
    plane: bool
    """Whether all of it lies in one plane."""


def patches(heights: Array, *, planes: bool = True) -> Iterator[Patch]:
    """Cut a grid of heights (m) into patches that cover it and share no cell.

    Args:
        heights: (rows, columns), finite.
        planes: False: no plane is looked for, so that all maps of a size are cut alike.

    Yields:
        Planes from the first row on, then the rest.
    """
    rows, columns = heights.shape[0] - 1, heights.shape[1] - 1
    rest = np.ones((rows, columns), bool)
    if planes:
        plane, along, down = _rises(heights)
        for row, column, height, width in _rectangles(plane, along, down):
            if height * width >= SMALLEST:
                rest[row : row + height, column : column + width] = False
                yield _patch(row, column, height, width, plane=True)
    tile = max(TILE, -(-max(rows, columns) // MOST_TILES))
    same = np.zeros((tile, tile), np.int64)
    for top in range(0, rows, tile):
        for left in range(0, columns, tile):
            part = rest[top : top + tile, left : left + tile]
            nothing = same[: part.shape[0], : part.shape[1]]
            for row, column, height, width in _rectangles(part, nothing, nothing):
                yield _patch(top + row, left + column, height, width, plane=False)


def _patch(row: int, column: int, height: int, width: int, *, plane: bool) -> Patch:
    return Patch(slice(row, row + height + 1), slice(column, column + width + 1), plane)


def _rises(heights: Array) -> tuple[npt.NDArray[np.bool_], Cells, Cells]:
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


def _rectangles(
    free: npt.NDArray[np.bool_], first: Cells, second: Cells
) -> Iterator[tuple[int, int, int, int]]:
    """Cut the ``free`` cells into rectangles in which both tables are constant.

    Yields:
        First row and column, and how many rows and columns, of each.
    """
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
