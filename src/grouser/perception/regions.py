"""Connected regions of one colour class, and their edges with sub-pixel accuracy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from grouser.frames import Array
from grouser.perception.colours import Colour, Kinds

Mask = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.int64]
Places = npt.NDArray[np.int64]
"""Columns and rows of pixels, (n, 2)."""

EDGE_REACH = 2
"""Pixels inside and outside of a boundary that define the levels on either side."""


@dataclass(frozen=True, eq=False)
class ColourRegion:
    """8-connected pixels of one colour class."""

    colour: Colour
    left: int
    """First column."""
    top: int
    """First row."""
    wide: int
    """Number of columns."""
    high: int
    """Number of rows."""
    area: int
    """Number of pixels."""
    centre: tuple[float, float]
    """Mean column and row."""
    labels: npt.NDArray[np.int32]
    """Label image (height, width); pixels of the region have the value `label`."""
    label: int

    @property
    def cut_beside(self) -> bool:
        """True if the left or right image border may cut off a part of the region."""
        return self.left == 0 or self.left + self.wide == self.labels.shape[1]

    @property
    def cut(self) -> bool:
        """True if any image border may cut off a part of the region."""
        return self.cut_beside or self.top == 0 or self.top + self.high == self.labels.shape[0]

    @cached_property
    def mask(self) -> Mask:
        """Pixels of the bounding box that belong to the region, (high, wide)."""
        rows = slice(self.top, self.top + self.high)
        return np.asarray(self.labels[rows, self.left : self.left + self.wide] == self.label)


def find_regions(kinds: Kinds, colour: Colour, least: int) -> Iterator[ColourRegion]:
    """Yield the regions of ``colour`` that have at least ``least`` pixels."""
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
    """Horizontal runs of pixels of one colour (run-length encoding), by row, then by column."""

    shape: tuple[int, int]
    """Height and width of the image."""
    row: Indices
    left: Indices
    """First column."""
    length: Indices

    def owners(self) -> Indices:
        """Return the number of each run's region; regions are numbered by their first runs."""
        above, below = self._touching()
        owner = np.arange(self.row.size)
        while True:
            least = np.minimum(owner[above], owner[below])
            joined = owner.copy()
            np.minimum.at(joined, above, least)
            np.minimum.at(joined, below, least)
            joined = joined[joined]  # pointer jumping: replace each owner by its own owner
            if np.array_equal(joined, owner):
                return np.unique(owner, return_inverse=True)[1]
            owner = joined

    def _touching(self) -> tuple[Indices, Indices]:
        """Return all pairs of 8-connected runs in adjacent rows, as indices above and below."""
        stride = self.shape[1] + 2  # separates the end of a row from the beginning of the next
        start = self.row * stride + self.left
        end = start + self.length
        first = np.searchsorted(end + stride, start)
        count = np.searchsorted(start + stride, end, "right") - first
        below = np.repeat(np.arange(start.size), count)
        ahead = np.cumsum(count) - count
        return np.arange(below.size) - ahead[below] + first[below], below

    def paint(self, numbers: Indices) -> npt.NDArray[np.int32]:
        """Return an image (height, width) of the numbers of the runs, 0 elsewhere."""
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


def refine_edges(contrast: Array, outermost: Places, outwards: Places) -> Array:
    """Return columns and rows (n, 2) of the edges near some pixels; nan: no edge found.

    The edge of a colour class depends on the background. The point at which the contrast is
    half-way between inside and outside does not depend on the lens blur, if the blur is symmetric.

    Args:
        contrast: contrast image (height, width), high inside.
        outermost: the last pixels inside, according to the colour class.
        outwards: outward step at each pixel: (±1, 0) or (0, ±1).
    """
    steps = np.arange(-EDGE_REACH, EDGE_REACH + 2)
    columns = outermost[:, :1] + steps * outwards[:, :1]
    rows = outermost[:, 1:] + steps * outwards[:, 1:]
    height, width = contrast.shape
    inside = ((columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)).all(axis=1)
    fallen = np.full(len(outermost), np.nan)
    fallen[inside] = _half_way(contrast[rows[inside], columns[inside]])
    return np.asarray(outermost + fallen[:, None] * outwards)


def _half_way(levels: Array) -> Array:
    """Return the outward distance of the half-way point in each row, pixels; nan: no such point."""
    # Contrasts ``levels`` (n, 2 EDGE_REACH + 2) go from inside to outside; the outermost
    # pixel has the index EDGE_REACH.
    inside = levels[:, : EDGE_REACH + 1].max(axis=1, keepdims=True)
    outside = levels[:, EDGE_REACH + 1 :].min(axis=1, keepdims=True)
    above = levels - (inside + outside) / 2
    falls = (above[:, :-1] >= 0) & (above[:, 1:] < 0)
    nearest = np.where(falls, -np.abs(np.arange(falls.shape[1]) - EDGE_REACH), -np.inf).argmax(
        axis=1
    )
    each = np.arange(len(levels))
    high, low = above[each, nearest], above[each, nearest + 1]
    has_edge = falls.any(axis=1)
    fall = np.where(has_edge, high - low, 1.0)
    return np.where(has_edge, nearest + high / fall - EDGE_REACH, np.nan)
