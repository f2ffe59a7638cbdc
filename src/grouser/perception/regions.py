"""Connected regions of one colour."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.perception.colours import Colour, Kinds

Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class ColourRegion:
    """Pixels of one colour that touch each other, also by their corners."""

    colour: Colour
    left: int
    """First column."""
    top: int
    """First row."""
    wide: int
    """How many columns."""
    high: int
    """How many rows."""
    area: int
    """How many pixels."""
    centre: tuple[float, float]
    """Mean column and row."""
    labels: npt.NDArray[np.int32]
    """(height, width) of the picture: the region's own `label` where it is."""
    label: int

    @property
    def cut_beside(self) -> bool:
        """Whether it touches the picture's left or right edge: more of it may be outside."""
        return self.left == 0 or self.left + self.wide == self.labels.shape[1]

    @property
    def cut(self) -> bool:
        """Whether it touches any edge of the picture."""
        return self.cut_beside or self.top == 0 or self.top + self.high == self.labels.shape[0]

    @cached_property
    def mask(self) -> Mask:
        """Which pixels of its box belong to it, (high, wide)."""
        rows = slice(self.top, self.top + self.high)
        return np.asarray(self.labels[rows, self.left : self.left + self.wide] == self.label)


def find_regions(kinds: Kinds, colour: Colour, least: int) -> Iterator[ColourRegion]:
    """Yield the regions of ``colour`` with at least ``least`` pixels."""
    runs = _find_runs(kinds == colour)
    if not runs.row.size:
        return
    owner = runs.owners()
    areas = np.bincount(owner, runs.length)
    labels = runs.paint(owner + 1)
    for number in np.flatnonzero(areas >= least).tolist():
        mine = owner == number
        row, left, length = runs.row[mine], runs.left[mine], runs.length[mine]
        area, right = int(length.sum()), left + length
        first, top = int(left.min()), int(row[0])
        column = float((length * (left + right - 1)).sum() / (2 * area))
        yield ColourRegion(
            colour,
            left=first,
            top=top,
            wide=int(right.max()) - first,
            high=int(row[-1]) - top + 1,
            area=area,
            centre=(column, float((length * row).sum() / area)),
            labels=labels,
            label=number + 1,
        )


@dataclass(frozen=True)
class _Runs:
    """Pixels of one colour that lie side by side in a row, from the top, then from the left."""

    shape: tuple[int, int]
    """Of the picture: height, width."""
    row: Indices
    left: Indices
    """First column."""
    length: Indices

    def owners(self) -> Indices:
        """Return for each run the number of its region, counted as their first runs come."""
        above, below = self._touching()
        owner = np.arange(self.row.size)
        while True:
            least = np.minimum(owner[above], owner[below])
            joined = owner.copy()
            np.minimum.at(joined, above, least)
            np.minimum.at(joined, below, least)
            joined = joined[joined]  # who follows somebody follows whom that one follows
            if np.array_equal(joined, owner):
                return np.unique(owner, return_inverse=True)[1]
            owner = joined

    def _touching(self) -> tuple[Indices, Indices]:
        """Return all pairs of runs, one under the other, that touch, by a corner at least."""
        stride = self.shape[1] + 2  # so that no row's end touches the next one's begin
        start = self.row * stride + self.left
        end = start + self.length
        first = np.searchsorted(end + stride, start)
        count = np.searchsorted(start + stride, end, "right") - first
        below = np.repeat(np.arange(start.size), count)
        ahead = np.cumsum(count) - count
        return np.arange(below.size) - ahead[below] + first[below], below

    def paint(self, numbers: Indices) -> npt.NDArray[np.int32]:
        """Return the picture (height, width) with each run's number where it is, 0 elsewhere."""
        height, width = self.shape
        start = self.row * width + self.left
        change = np.zeros(height * width + 1, np.int32)
        change[start] += numbers.astype(np.int32)
        np.subtract.at(change, start + self.length, numbers.astype(np.int32))
        return np.cumsum(change[:-1], dtype=np.int32).reshape(height, width)


def _find_runs(same: Mask) -> _Runs:
    height, width = same.shape
    padded = np.zeros((height, width + 2), np.int8)
    padded[:, 1:-1] = same
    row, column = np.nonzero(np.diff(padded))
    return _Runs((height, width), row[::2], column[::2], column[1::2] - column[::2])
